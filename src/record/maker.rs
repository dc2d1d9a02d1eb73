//! One change to its row, in memory that is kept from row to row.

use std::borrow::Cow;

use super::action::Action;
use super::counts::PlanLine;
use super::importing::Importing;
use super::json_text::JsonText;
use super::sift::Extent;
use super::texts::Texts;
use super::view::Attributes;
use super::{Record, ResourceChange};
use crate::diff::Differ;
use crate::error::{Error, ErrorKind, Result};
use crate::json::string;
use crate::json::value::{Kind, Text};
use crate::json::word::Word;
use crate::limits::{Limit, Limits};
use crate::path::{Paths, Step};
use crate::plan::{self, Change, Index, Section, Unchanged};

/// Makes the rows of changes, one after the other.
pub(super) struct Maker {
    limits: Limits,
    extent: Extent,
    differ: Differ,
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

impl Maker {
    pub(super) fn new(limits: Limits, extent: Extent) -> Maker {
        Maker {
            limits,
            extent,
            differ: Differ::new(&limits),
            none: Paths::new(),
            replace_paths: Paths::new(),
            texts: Texts::default(),
            index: String::new(),
            importing: Importing::default(),
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
            return self.differ.diff(change);
        }
        Ok(())
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
        let action = Action::of(&change.change).map_err(in_change)?;
        let mut terraform = PlanLine::default();
        terraform.count(action, change);
        let is_moved = change.is_moved();
        Ok(Facts {
            section,
            offset: change.address.offset(),
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

    /// The facts of a resource that was seen to stay as it is, if its overlays are known from
    /// changes before.
    pub(super) fn known(&self, unchanged: &Unchanged<'_>) -> Option<Facts> {
        let (unknown, sensitive) = match self.extent {
            Extent::Paths => self.differ.known(unchanged)?,
            Extent::Actions => (0, 0),
        };
        Some(Facts {
            section: Section::ResourceChanges,
            offset: unchanged.offset,
            action: Action::NoOp,
            word: Cow::Borrowed("no-op"),
            terraform: PlanLine::default(),
            is_moved: false,
            is_settled: true,
            unknown: unknown as u64,
            sensitive: sensitive as u64,
            changed: 0,
        })
    }

    /// The row of the change whose facts were found last. `is_secret` tells texts that are secret
    /// although the change does not mark them.
    ///
    /// # Errors
    ///
    /// What only the row shows of it is not well formed; a limit.
    pub(super) fn row<'m>(
        &'m mut self,
        facts: &Facts,
        change: &plan::ResourceChange<'_>,
        deferred_reason: Option<Text<'_>>,
        is_secret: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Record<'m>> {
        if self.extent == Extent::Paths {
            let (paths, texts) = (&mut self.replace_paths, &mut self.texts);
            replace_paths(&change.change, paths, texts, self.limits.paths, self.differ.size())
                .map_err(|error| in_change(error.within("replace_paths")))?;
            // Here, too, the keys below a mark are part of the secret.
            self.replace_paths.cut_at(&self.differ.sensitive);
        }
        let actions = facts.action.words(&change.change).map_err(in_change)?;
        let importing = change
            .change
            .importing
            .map(|value| self.importing.compact(value, &change.change, &mut self.texts, is_secret));
        let index = change.index.map(|value| index(value, &mut self.texts, &mut self.index));
        let (address, others) = self.texts.decode(
            change.address,
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
            address: Cow::Borrowed(address),
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

/// Where the last change changes, is unknown and sensitive, if that is told.
fn told<'p>(extent: Extent, differ: &'p Differ, none: &'p Paths) -> [&'p Paths; 3] {
    match extent {
        Extent::Paths => [&differ.changed, &differ.unknown, &differ.sensitive],
        Extent::Actions => [none; 3],
    }
}

/// The index as JSON text, copied before it is held to the grammar: a file may be written to.
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
        for step in path.elements()? {
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
