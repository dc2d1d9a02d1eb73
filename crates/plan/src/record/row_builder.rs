//! Builds the rows of changes. Each row reuses the buffers of the previous one.

use std::borrow::Cow;

use super::action::{Action, is_settled};
use super::changed_documents::{ChangedDocuments, DocumentDiffer};
use super::counts::{Facts, PlanLine};
use super::importing::Importing;
use super::json_text::JsonText;
use super::options::{Extent, RecordOptions};
use super::patterns::{Resource, UnmatchedPatterns};
use super::subject::{ViewPaths, ViewSubject};
use super::texts::Texts;
use super::viewer::Viewer;
use super::{Attributes, ChangePaths, Record, ResourceChange, ResourceName};
use crate::diff::Differ;
use crate::marks::mark_changes::{MarkChange, MarkComparison};
use crate::marks::steps::PieceMarkedPaths;
use crate::marks::{MarkReason, Marks, Subject};
use crate::plan::{self, Change, Index, Section};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::json::string;
use plansift_core::json::value::{Kind, Text, Value};
use plansift_core::json::word::Word;
use plansift_core::limits::Limit;
use plansift_core::path::{Paths, Step};

/// Builds the rows of changes, one after the other.
pub(super) struct RowBuilder {
    options: RecordOptions,
    differ: Differ,
    /// Compares documents in strings; `None` if no rule leads into them.
    documents: Option<Box<DocumentDiffer>>,
    marks: Marks,
    /// The paths at which an overlay of the last change does not fit its value. Other paths are cut
    /// there.
    misfits: PieceMarkedPaths,
    comparison: MarkComparison,
    /// The paths at which the last change adds or removes a mark.
    mark_changes: [PieceMarkedPaths; 2],
    /// The secret paths of the last change. The paths of `replace_paths` are cut there.
    marked: PieceMarkedPaths,
    // A row borrows from the remaining fields.
    replace_paths: Paths,
    texts: Texts,
    index: String,
    importing: Importing,
}

fn in_change(error: Error) -> Error {
    error.within("change")
}

impl RowBuilder {
    pub(super) fn new(options: RecordOptions) -> RowBuilder {
        let limits = options.read.limits;
        RowBuilder {
            documents: DocumentDiffer::new(&options.documents, &limits),
            options,
            differ: Differ::new(&limits),
            marks: Marks::new(None, &limits),
            misfits: PieceMarkedPaths::default(),
            comparison: MarkComparison::new(&limits),
            mark_changes: Default::default(),
            marked: PieceMarkedPaths::default(),
            replace_paths: Paths::new(),
            texts: Texts::default(),
            index: String::new(),
            importing: Importing::new(&limits),
        }
    }

    /// Computes the paths of a change, if its row contains paths or the change has an import. Fails
    /// if the change is malformed or exceeds a limit.
    pub(super) fn diff(&mut self, change: &Change<'_>) -> Result<()> {
        // The overlays say which values of an import are secret, so they must be well formed.
        if self.options.extent == Extent::Paths || change.importing.is_some() {
            self.differ.diff(change)?;
            self.compare_overlays(change)?;
        }
        Ok(())
    }

    /// Compares the overlays with the values, and with each other. Cuts paths at misfits, and
    /// collects the marks that the change adds or removes. A misfit is an overlay whose shape does
    /// not fit its value. It marks the whole value, including its keys.
    fn compare_overlays(&mut self, change: &Change<'_>) -> Result<()> {
        self.misfits.clear();
        self.mark_changes.iter_mut().for_each(PieceMarkedPaths::clear);
        let subject = Subject::of_change(change);
        // The search costs as much as the rest of a change. Most changes do not need it: both
        // sides have the same overlay, and their paths have only one step, or the overlays have no
        // mark below the first step.
        let Differ { changed, unknown, sensitive, .. } = &self.differ;
        let has_deep_paths =
            changed.are_deep() || unknown.are_deep() || change.replace_paths.is_some();
        let has_deep_marks = sensitive.are_deep() || self.differ.has_texts;
        let may_misfit =
            (has_deep_paths && has_deep_marks) || !fit_at_root(subject.sides, subject.overlays)?;
        let has_other_marks = self.options.extent == Extent::Paths && other_marks(change);
        if !may_misfit && !has_other_marks {
            return Ok(());
        }
        let RowBuilder { marks, misfits, comparison, mark_changes, options, .. } = self;
        let [added, removed] = mark_changes;
        let paths_max = options.read.limits.paths;
        marks.find(subject, |marked| {
            if may_misfit && marked.why == MarkReason::Misfit {
                misfits.push(marked.path, paths_max, change.offset())?;
            }
            let list = match comparison.of(marked)? {
                _ if !has_other_marks => return Ok(()),
                Some(MarkChange::Added) => &mut *added,
                Some(MarkChange::Removed) => &mut *removed,
                None => return Ok(()),
            };
            list.push(marked.path, paths_max, change.offset())
        })?;
        self.misfits.sort();
        self.mark_changes.iter_mut().for_each(PieceMarkedPaths::sort);
        self.differ.hide_below(self.misfits.list());
        Ok(())
    }

    /// Collects the paths at which `replace_paths` are cut, because further steps are secret.
    fn mark_steps(&mut self, change: &Change<'_>) {
        self.marked.clear();
        if change.replace_paths.is_some() {
            let misfits = self.misfits.list().iter();
            let places = self.differ.sensitive.iter().chain(misfits);
            places.for_each(|place| self.marked.push_path(place));
            self.marked.sort();
        }
    }

    /// Cuts all paths of the last change to the root, because the whole value is secret.
    pub(super) fn hide_all(&mut self) {
        let mut root = Paths::new();
        root.push([]);
        self.differ.hide_below(&root);
    }

    /// Returns the paths of the last change; empty if records contain no paths.
    pub(super) fn paths(&self) -> ChangePaths<'_> {
        reported_paths(self.options.extent, &self.differ, &self.mark_changes)
    }

    /// Builds the facts of a change for the summary, and the row of the change unless the options
    /// hide it. `viewer` knows the secrets of the whole plan, and adds the attributes to show.
    /// Fails if the change is malformed, or if the row exceeds a limit.
    pub(super) fn build<'m>(
        &'m mut self,
        section: Section,
        change: &plan::ResourceChange<'_>,
        deferred_reason: Option<Text<'_>>,
        mut viewer: Option<&mut (dyn Viewer + '_)>,
    ) -> Result<(Facts, Option<Record<'m>>)> {
        let facts = self.facts(section, change, viewer.as_deref_mut())?;
        if self.options.show.hides(&facts) {
            return Ok((facts, None));
        }
        let mut row = self.row(&facts, change, deferred_reason, viewer.as_deref())?;
        if let (Some(viewer), Some(row)) = (viewer, row.resource_mut()) {
            let paths = ViewPaths::of(&row.paths, &row.replace_paths);
            let subject = ViewSubject::Resource(section, change.address);
            row.attributes = viewer.view(subject, &change.change, paths).map_err(in_change)?;
        }
        Ok((facts, Some(row)))
    }

    /// Computes the facts and the paths of a resource change. Fails if the change is malformed or
    /// exceeds a limit.
    fn facts(
        &mut self,
        section: Section,
        change: &plan::ResourceChange<'_>,
        viewer: Option<&mut (dyn Viewer + '_)>,
    ) -> Result<Facts> {
        self.diff(&change.change).map_err(in_change)?;
        if let Some(patterns) = self.options.patterns.as_ref().filter(|it| it.is_open()) {
            self.see(patterns, section, change, viewer).map_err(in_change)?;
        }
        let action = Action::of(&change.change).map_err(in_change)?;
        let mut terraform = PlanLine::default();
        terraform.count(action, change).map_err(in_change)?;
        let (moved_from, importing) = (change.moved_from(), change.change.importing);
        Ok(Facts {
            section,
            offset: change.offset,
            action,
            word: action.word(&change.change).map_err(in_change)?,
            terraform,
            is_moved: moved_from.is_some(),
            is_settled: is_settled(action.known_word(), moved_from, importing),
            unknown: self.differ.unknown.len() as u64,
            sensitive: self.differ.sensitive.len() as u64,
            changed: self.differ.changed.len() as u64,
        })
    }

    /// Compares the last change with patterns.
    fn see(
        &self,
        patterns: &UnmatchedPatterns,
        section: Section,
        change: &plan::ResourceChange<'_>,
        viewer: Option<&mut (dyn Viewer + '_)>,
    ) -> Result<()> {
        let ChangePaths { changed, unknown, sensitive, .. } = &self.paths();
        let reported: [&Paths; 3] = [changed, unknown, sensitive];
        let resource = Resource::of(change);
        match viewer.filter(|_| patterns.are_of_shown()) {
            None => {
                let resource = Resource { sensitive: Some(sensitive), ..resource };
                patterns.see(&resource, &reported, None);
            }
            Some(viewer) => {
                let subject = ViewSubject::Resource(section, change.address);
                let secret = viewer.secret_paths(subject, &change.change)?;
                let resource = Resource { sensitive: Some(secret.list()), ..resource };
                patterns.see(&resource, &reported, Some(viewer));
            }
        }
        Ok(())
    }

    fn list_replace_paths(&mut self, change: &plan::Change<'_>) -> Result<()> {
        self.mark_steps(change);
        let (paths_max, taken) = (self.options.read.limits.paths, self.differ.size());
        let (paths, texts) = (&mut self.replace_paths, &mut self.texts);
        replace_paths(change, paths, texts, &mut self.marked, paths_max, taken)
    }

    /// Compares the documents in the strings that a change modifies, if a rule leads into them.
    fn changed_documents(
        &mut self,
        facts: &Facts,
        change: &Change<'_>,
    ) -> Result<Option<Box<ChangedDocuments>>> {
        let Some(documents) = &mut self.documents else { return Ok(None) };
        if facts.section != Section::ResourceChanges || self.options.extent != Extent::Paths {
            return Ok(None);
        }
        let taken = self.differ.size() + self.replace_paths.size();
        documents.compare(change, &self.differ, self.misfits.list(), taken)
    }

    /// Builds the row of the change that `facts` are about, without attributes.
    fn row<'m>(
        &'m mut self,
        facts: &Facts,
        change: &plan::ResourceChange<'_>,
        deferred_reason: Option<Text<'_>>,
        viewer: Option<&dyn Viewer>,
    ) -> Result<Record<'m>> {
        if self.options.extent == Extent::Paths {
            self.list_replace_paths(&change.change)
                .map_err(|error| in_change(error.within("replace_paths")))?;
        }
        let documents = self.changed_documents(facts, &change.change).map_err(in_change)?;
        let actions = facts.action.words(&change.change).map_err(in_change)?;
        let importing = change
            .change
            .importing
            .map(|value| self.importing.compact(value, &change.change, &mut self.texts, viewer));
        let index =
            change.resource.index.map(|value| index(value, &mut self.texts, &mut self.index));
        let (address, others) = self.texts.decode(
            change.address.unwrap_or(Text::empty(change.offset)),
            [
                change.previous_address,
                change.module_address,
                change.resource.mode,
                change.resource.type_name,
                change.resource.name,
                change.resource.deposed,
                change.resource.provider_name,
                change.action_reason,
                deferred_reason,
            ],
        )?;
        let others = others.map(|text| text.map(Cow::Borrowed));
        let [previous, module, mode, type_name, name, deposed, provider, reason, deferred] = others;
        let row = ResourceChange {
            resource: ResourceName {
                address: change.address.map(|_| Cow::Borrowed(address)),
                previous_address: previous,
                module_address: module,
                mode,
                type_name,
                name,
                index: index.transpose()?,
                deposed,
                provider_name: provider,
            },
            action: facts.word.clone(),
            actions,
            action_reason: reason,
            deferred_reason: deferred,
            paths: reported_paths(self.options.extent, &self.differ, &self.mark_changes),
            replace_paths: Cow::Borrowed(&self.replace_paths),
            importing: importing.transpose()?,
            generated_config: change.change.generated_config.is_some(),
            block: None,
            impact: None,
            source: None,
            documents,
            attributes: Attributes::default(),
        };
        Ok(match facts.section {
            Section::ResourceChanges => Record::ResourceChange(row),
            Section::ResourceDrift => Record::ResourceDrift(row),
            _ => Record::DeferredChange(row),
        })
    }
}

/// Whether the marks of two sides that both exist may differ. Looks only at bytes.
fn other_marks(change: &Change<'_>) -> bool {
    let raw = [change.before_sensitive, change.after_sensitive].map(|overlay| {
        let raw = overlay.map(Value::raw);
        raw.filter(|raw| !matches!(*raw, b"{}" | b"[]" | b"false" | b"null"))
    });
    let exists = |side: Option<Value<'_>>| side.is_some_and(|side| !side.is_null());
    raw[0] != raw[1]
        && exists(change.before)
        && (exists(change.after) || change.after_unknown.is_some_and(Value::is_true))
}

/// Whether the overlays fit the values at the root. An object as overlay fits objects and `null`.
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

/// Returns the paths of the last change; empty if records contain no paths. `marks` are the paths
/// at which the change adds a mark, and those at which it removes one.
fn reported_paths<'p>(
    extent: Extent,
    differ: &'p Differ,
    marks: &'p [PieceMarkedPaths; 2],
) -> ChangePaths<'p> {
    if extent == Extent::Actions {
        return ChangePaths::default();
    }
    let [added, removed] = marks;
    ChangePaths {
        changed: Cow::Borrowed(&differ.changed),
        unknown: Cow::Borrowed(&differ.unknown),
        sensitive: Cow::Borrowed(&differ.sensitive),
        sensitive_added: Cow::Borrowed(added.list()),
        sensitive_removed: Cow::Borrowed(removed.list()),
    }
}

/// Writes the index to `json`. Copies a number before the check, because another process may modify
/// the file.
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

/// Parses a number as an index. Returns `None` if the number is not an unsigned 32-bit integer.
fn index_of(number: &[u8]) -> Option<u32> {
    number.iter().try_fold(0_u32, |index, &digit| {
        index.checked_mul(10)?.checked_add(char::from(digit).to_digit(10)?)
    })
}

/// Fills `paths` with the `replace_paths` of a change, in document order, cut at the `marked`
/// paths. All path lists of a change together may take `size_max` bytes; the other lists already
/// take `taken` bytes.
fn replace_paths(
    change: &Change<'_>,
    paths: &mut Paths,
    texts: &mut Texts,
    marked: &mut PieceMarkedPaths,
    size_max: u64,
    taken: u64,
) -> Result<()> {
    paths.clear();
    let Some(list) = change.replace_paths else { return Ok(()) };
    for path in list.elements()? {
        let path = path?;
        let check_limit = |paths: &Paths| match taken + paths.size() > size_max {
            true => Err(Error::limit(Limit::Paths, size_max, path.offset())),
            false => Ok(()),
        };
        let kept = marked.below(path, size_max)?.map_or(usize::MAX, |cut| cut.kept);
        for step in path.elements()?.take(kept) {
            let step = step?;
            paths.push_step(match step.kind()? {
                Kind::String => Step::Key(texts.decode(step.string()?, [])?.0),
                // A number beyond u32 is an element of a set of numbers, not an index.
                Kind::Number => index_of(step.raw()).map_or(Step::Element, Step::Index),
                _ => Step::Element,
            });
            check_limit(paths)?;
        }
        paths.end();
        check_limit(paths)?;
    }
    Ok(())
}
