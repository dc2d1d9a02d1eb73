//! One change to its row, in memory that is kept from row to row.

use std::borrow::Cow;

use super::action::Action;
use super::counts::PlanLine;
use super::importing::Importing;
use super::json_text::JsonText;
use super::sift::Extent;
use super::texts::Texts;
use super::view::{Attributes, Viewer};
use super::watch::{Resource, Watch};
use super::{Record, ResourceChange};
use crate::diff::Differ;
use crate::error::{Error, ErrorKind, Result};
use crate::json::string;
use crate::json::value::{Kind, Text, Value};
use crate::json::word::Word;
use crate::limits::{Limit, Limits};
use crate::path::{Paths, Step};
use crate::plan::{self, Change, Index, Section};
use crate::secret::marks::{Marks, Subject, Why};
use crate::secret::steps::Places;

/// Makes the rows of changes, one after the other.
pub(super) struct RowBuilder {
    limits: Limits,
    extent: Extent,
    watch: Option<&'static Watch>,
    differ: Differ,
    marks: Marks,
    /// Where an overlay of the last change does not fit its value: below, nothing is told.
    misfits: Places,
    /// Where paths that force a replacement are cut.
    marked: Places,
    // What a row borrows.
    none: Paths,
    replace_paths: Paths,
    texts: Texts,
    index: String,
    importing: Importing,
}

/// What a change to a resource adds to the summary.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) section: Section,
    /// Bytes from the start of the input to its address.
    pub(super) offset: u64,
    action: Action,
    /// The action as one word.
    pub(super) word: Cow<'static, str>,
    pub(super) terraform: PlanLine,
    pub(super) is_moved: bool,
    /// It stays as it is, moves not and is not imported.
    pub(super) is_settled: bool,
    pub(super) unknown: u64,
    pub(super) sensitive: u64,
    pub(super) changed: u64,
}

fn in_change(error: Error) -> Error {
    error.within("change")
}

impl RowBuilder {
    pub(super) fn new(limits: Limits, extent: Extent, watch: Option<&'static Watch>) -> RowBuilder {
        RowBuilder {
            limits,
            extent,
            watch,
            differ: Differ::new(&limits),
            marks: Marks::new(None, &limits),
            misfits: Places::default(),
            marked: Places::default(),
            none: Paths::new(),
            replace_paths: Paths::new(),
            texts: Texts::default(),
            index: String::new(),
            importing: Importing::new(&limits),
        }
    }

    /// Finds the paths of a change, if they are to be told, or if what is marked must not be.
    ///
    /// # Errors
    ///
    /// The change is not well formed; a limit.
    pub(super) fn diff(&mut self, change: &Change<'_>) -> Result<()> {
        // A damaged mark is an error, not no mark.
        if self.extent == Extent::Paths || change.importing.is_some() {
            self.differ.diff(change)?;
            self.hide_misfits(change)?;
        }
        Ok(())
    }

    /// An overlay that does not fit its value marks all of it, and so its keys.
    fn hide_misfits(&mut self, change: &Change<'_>) -> Result<()> {
        self.misfits.clear();
        let (sides, overlays) =
            ([change.before, change.after], [change.before_sensitive, change.after_sensitive]);
        // The walk below costs as much as the rest of a change. Most changes can do without it: no
        // path of theirs has a second step, or no overlay marks anything below the first.
        let Differ { changed, unknown, sensitive, .. } = &self.differ;
        let tells_deep = changed.are_deep() || unknown.are_deep() || change.replace_paths.is_some();
        let marks_deep = sensitive.are_deep() || self.differ.has_texts;
        if !(tells_deep && marks_deep) && fit_at_root(sides, overlays)? {
            return Ok(());
        }
        let RowBuilder { marks, misfits, limits, .. } = self;
        marks.find(Subject { sides, overlays, ..Subject::default() }, |marked| {
            match marked.why {
                Why::Misfit => misfits.push(marked.path, limits.paths, change.offset()),
                Why::Whole | Why::OtherKind => Ok(()),
            }
        })?;
        self.misfits.sort();
        self.differ.hide_below(self.misfits.list());
        Ok(())
    }

    /// Takes note of the places below which steps are part of a secret.
    fn mark_steps(&mut self, change: &Change<'_>) {
        self.marked.clear();
        if change.replace_paths.is_some() {
            let misfits = self.misfits.list().iter();
            self.differ.sensitive.iter().chain(misfits).for_each(|it| self.marked.push_path(it));
            self.marked.sort();
        }
    }

    /// Tells no place in the last change but its root: all of it is secret.
    pub(super) fn hide_all(&mut self) {
        let mut root = Paths::new();
        root.push([]);
        self.differ.hide_below(&root);
    }

    /// Those paths of the last change that are told: where it changes, is unknown and sensitive.
    pub(super) fn paths(&self) -> [&Paths; 3] {
        told(self.extent, &self.differ, &self.none)
    }

    /// Finds out what becomes of a resource.
    ///
    /// # Errors
    ///
    /// The change is not well formed; a limit.
    pub(super) fn facts(
        &mut self,
        section: Section,
        change: &plan::ResourceChange<'_>,
    ) -> Result<Facts> {
        self.diff(&change.change).map_err(in_change)?;
        if let Some(watch) = self.watch.filter(|watch| watch.is_open()) {
            watch.see(&Resource::of(change), &self.paths());
        }
        let action = Action::of(&change.change).map_err(in_change)?;
        let mut terraform = PlanLine::default();
        terraform.count(action, change).map_err(in_change)?;
        let is_moved = change.is_moved();
        Ok(Facts {
            section,
            offset: change.offset,
            action,
            word: action.word(&change.change).map_err(in_change)?,
            terraform,
            is_moved,
            is_settled: action == Action::NoOp && !is_moved && change.change.importing.is_none(),
            unknown: self.differ.unknown.len() as u64,
            sensitive: self.differ.sensitive.len() as u64,
            changed: self.differ.changed.len() as u64,
        })
    }

    /// The row of the change whose facts were found last. `viewer` tells what is secret although
    /// the change does not mark it.
    ///
    /// # Errors
    ///
    /// What only the row shows of it is not well formed; a limit.
    pub(super) fn row<'m>(
        &'m mut self,
        facts: &Facts,
        change: &plan::ResourceChange<'_>,
        deferred_reason: Option<Text<'_>>,
        viewer: Option<&Viewer<'_>>,
    ) -> Result<Record<'m>> {
        if self.extent == Extent::Paths {
            self.mark_steps(&change.change);
            let (paths, texts) = (&mut self.replace_paths, &mut self.texts);
            let taken = self.differ.size();
            replace_paths(&change.change, paths, texts, &mut self.marked, self.limits.paths, taken)
                .map_err(|error| in_change(error.within("replace_paths")))?;
        }
        let actions = facts.action.words(&change.change).map_err(in_change)?;
        let importing = change
            .change
            .importing
            .map(|value| self.importing.compact(value, &change.change, &mut self.texts, viewer));
        let index = change.index.map(|value| index(value, &mut self.texts, &mut self.index));
        let (address, others) = self.texts.decode(
            change.address.unwrap_or(Text::empty(change.offset)),
            [
                change.previous_address,
                change.module_address,
                change.mode,
                change.type_name,
                change.name,
                change.deposed,
                change.provider_name,
                change.action_reason,
                deferred_reason,
            ],
        )?;
        let others = others.map(|text| text.map(Cow::Borrowed));
        let [changed, unknown, sensitive] = told(self.extent, &self.differ, &self.none);
        let [previous, module, mode, type_name, name, deposed, provider, reason, deferred] = others;
        let row = ResourceChange {
            address: change.address.map(|_| Cow::Borrowed(address)),
            previous_address: previous,
            module_address: module,
            mode,
            type_name,
            name,
            index: index.transpose()?,
            deposed,
            provider_name: provider,
            action: facts.word.clone(),
            actions,
            action_reason: reason,
            deferred_reason: deferred,
            changed: Cow::Borrowed(changed),
            unknown: Cow::Borrowed(unknown),
            sensitive: Cow::Borrowed(sensitive),
            replace_paths: Cow::Borrowed(&self.replace_paths),
            importing: importing.transpose()?,
            generated_config: change.change.generated_config.is_some(),
            attributes: Attributes::default(),
        };
        Ok(match facts.section {
            Section::ResourceChanges => Record::ResourceChange(row),
            Section::ResourceDrift => Record::ResourceDrift(row),
            _ => Record::DeferredChange(row),
        })
    }
}

/// Whether no overlay can be a misfit at the root: objects have objects.
fn fit_at_root(sides: [Option<Value<'_>>; 2], overlays: [Option<Value<'_>>; 2]) -> Result<bool> {
    for overlay in overlays.into_iter().flatten() {
        let fits = match overlay.kind()? {
            Kind::True | Kind::False | Kind::Null => true,
            Kind::Object if overlay.is_empty() => true,
            Kind::Object => {
                let is_fit = |value: Value<'_>| matches!(value.raw(), [b'{' | b'n', ..]);
                sides.into_iter().flatten().all(is_fit)
            }
            Kind::Array | Kind::String | Kind::Number => false,
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where the last change changes, is unknown and sensitive, if that is told.
fn told<'p>(extent: Extent, differ: &'p Differ, none: &'p Paths) -> [&'p Paths; 3] {
    match extent {
        Extent::Paths => [&differ.changed, &differ.unknown, &differ.sensitive],
        Extent::Actions => [none; 3],
    }
}

/// The index as JSON text, copied before the grammar check: another process may write to the file.
fn index<'t>(index: Index<'_>, texts: &mut Texts, json: &'t mut String) -> Result<JsonText<'t>> {
    json.clear();
    match index {
        Index::Number(number) => {
            json.extend(number.raw().iter().copied().map(char::from));
            if !Word::is_whole(json.as_bytes()) {
                return Err(Error::at(ErrorKind::Changed, number.offset()));
            }
        }
        Index::String(string) => string::push_quoted(texts.decode(string, [])?.0, json),
    }
    Ok(JsonText::new(&**json))
}

/// The index that a number is, if it is a whole one of 32 bits.
fn index_of(number: &[u8]) -> Option<u32> {
    number.iter().try_fold(0_u32, |index, &digit| {
        index.checked_mul(10)?.checked_add(char::from(digit).to_digit(10)?)
    })
}

/// The paths of `replace_paths`, in their order. The other paths of the change take `taken` bytes
/// of the `size_max` that all may take.
fn replace_paths(
    change: &Change<'_>,
    paths: &mut Paths,
    texts: &mut Texts,
    marked: &mut Places,
    size_max: u64,
    taken: u64,
) -> Result<()> {
    paths.clear();
    let Some(list) = change.replace_paths else { return Ok(()) };
    for path in list.elements()? {
        let path = path?;
        let hold_to_limit = |paths: &Paths| match taken + paths.size() > size_max {
            true => Err(Error::limit(Limit::Paths, size_max, path.offset())),
            false => Ok(()),
        };
        let kept = marked.below(path, size_max)?.map_or(usize::MAX, |cut| cut.kept);
        for step in path.elements()?.take(kept) {
            let step = step?;
            paths.push_step(match step.kind()? {
                Kind::String => Step::Key(texts.decode(step.string()?, [])?.0),
                // An element of a set of numbers may be any number; an index fits u32.
                Kind::Number => index_of(step.raw()).map_or(Step::Element, Step::Index),
                _ => Step::Element,
            });
            hold_to_limit(paths)?;
        }
        paths.end();
        hold_to_limit(paths)?;
    }
    Ok(())
}
