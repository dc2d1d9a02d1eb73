//! Turns the pieces of a plan into records.
//!
//! The reading thread reads the plan, counts changes, and writes all records in order. If the whole
//! document is in memory, lookahead workers build rows ahead of the reading thread
//! ([`super::rows`]).

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroUsize;

use super::action::Action;
use super::checker::{CheckRequest, NoChecker, PieceChecker};
use super::counts::{self, Summary};
use super::options::{RecordOptions, Show};
use super::outputs::Declarations;
use super::patterns::NamedKind;
use super::record_writer::RecordWriter;
use super::row_builder::RowBuilder;
use super::rows::RowWorker;
use super::state_counts::StateCounts;
use super::subject::{ViewPaths, ViewSubject};
use super::texts::decoded;
use super::viewer::{View, Viewer};
use super::{
    ActionInvocation, Attributes, ChangePaths, Check, Label, OutputChange, Record,
    RelevantAttribute, Sink,
};
use crate::marks::Subject;
use crate::plan::lookahead::Lookahead;
use crate::plan::{
    self, Accepts, Answer, Boundary, Change, Documents, Flow, Piece, PieceKind, ReadRange,
    ResourceInstance, Section, StateKind, Visitor,
};
use plansift_core::error::Result;
use plansift_core::input::Source;
use plansift_core::json::value::{Text, Value};
use plansift_core::path::Paths;
use plansift_core::pool::Queue;

/// The result of [`write_records`].
#[derive(Clone, Debug)]
pub struct PlanOutcome {
    /// The `summary` record of the plan.
    pub summary: Summary,
    /// Whether the plan changes, moves or imports a resource, or invokes an action.
    pub has_changes: bool,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// Something unusual about an input that is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The input has other text before the document. Holds its length in bytes.
    TextBefore(u64),
    /// The input has other text after the document. Holds its length in bytes.
    TextAfter(u64),
    /// The format of the plan is newer than the newest that plansift knows.
    NewerFormat,
    /// The plan has planned values of resources and no list of changes.
    LacksChanges,
    /// The records should name configuration blocks, but the document has no configuration.
    LacksConfiguration,
    /// The records should say what depends on the changes, but there is no configuration.
    LacksReferences,
}

impl Warning {
    /// Returns the warnings about the format of a document, and about other text around it.
    pub fn of_document(document: &plan::Document) -> impl Iterator<Item = Warning> + use<> {
        let plan::Document { text_before, text_after, is_newer, .. } = *document;
        let before = (text_before > 0).then_some(Warning::TextBefore(text_before));
        let after = (text_after > 0).then_some(Warning::TextAfter(text_after));
        let newer = is_newer.then_some(Warning::NewerFormat);
        [before, after, newer].into_iter().flatten()
    }
}

/// Returns a number of bytes in words.
fn in_words(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::TextBefore(bytes) => {
                write!(f, "stepped over {} of other text before the plan", in_words(*bytes))
            }
            Warning::TextAfter(bytes) => {
                write!(f, "stepped over {} of other text after the plan", in_words(*bytes))
            }
            Warning::NewerFormat => f.write_str(
                "the format_version is newer than 1.2: this plansift does not know what it adds",
            ),
            Warning::LacksChanges => f.write_str(
                "the document has planned_values and no list of changes (resource_changes): what \
                 the plan changes is not known",
            ),
            Warning::LacksConfiguration => f.write_str(
                "the document has no configuration section: changes have no address of their block",
            ),
            Warning::LacksReferences => f.write_str(
                "the plan has no configuration: what depends on its changes is not known. \
                 --source DIR names the folder of the configuration",
            ),
        }
    }
}

/// A plan to make records of.
pub struct RecordRequest<'a, C = NoChecker> {
    label: Label<'a>,
    options: &'a RecordOptions,
    view: Option<&'a dyn View>,
    check: Option<CheckRequest<'a, C>>,
}

impl<'a> RecordRequest<'a> {
    /// Requests records without attributes. `label` is the input as the user named it.
    pub fn new(label: impl Into<Label<'a>>, options: &'a RecordOptions) -> RecordRequest<'a> {
        RecordRequest { label: label.into(), options, view: None, check: None }
    }
}

impl<'a, C> RecordRequest<'a, C> {
    /// Requests the attributes of changes, too.
    pub fn with_view(self, view: Option<&'a dyn View>) -> RecordRequest<'a, C> {
        RecordRequest { view, ..self }
    }

    /// Requests a check, too. Each assertion that the plan fails becomes a record before the
    /// summary.
    pub fn with_check<D>(self, check: CheckRequest<'a, D>) -> RecordRequest<'a, D> {
        let RecordRequest { label, options, view, check: _ } = self;
        RecordRequest { label, options, view, check: Some(check) }
    }
}

/// Reads the next plan of `documents`, and writes its records to a sink. The options of `documents`
/// decide how the plan is parsed.
///
/// # Errors
///
/// Fails if the plan is unreadable, malformed or incomplete, if it exceeds a limit, or if the sink
/// fails. The sink then gets no `summary` record of the plan. Also fails if the secrets of a failed
/// assertion cannot be masked.
///
/// # Panics
///
/// Panics if there is no next plan.
pub fn write_records<S: Source, C: PieceChecker>(
    documents: &mut Documents<S>,
    request: RecordRequest<'_, C>,
    sink: &mut dyn Sink,
) -> Result<PlanOutcome> {
    let RecordRequest { label, options, view, check } = request;
    let (checker, failed) = check.map(|CheckRequest { checker, failed }| (checker, failed)).unzip();
    let queue = Queue::default();
    std::thread::scope(|scope| {
        let threads = options.read.threads.map_or(1, NonZeroUsize::get);
        let mut visitor = RecordVisitor {
            builder: RowBuilder::new(options.clone()),
            writer: RecordWriter::new(label, options, view, sink),
            ahead: Lookahead::new(scope, &queue, (threads > 1).then_some(threads)),
            view,
            checker,
            index: 0,
            declarations: Declarations::default(),
            state_counts: StateCounts::default(),
            is_in_values: false,
            is_state: false,
        };
        let document = documents.read(options.accepts, &mut visitor)?;
        if let (Some(checker), Some(failed)) = (visitor.checker.take(), failed) {
            for assertion in failed(checker, &document)? {
                visitor.writer.record(&Record::FailedAssertion(assertion))?;
            }
        }
        visitor.finish(&document)
    })
}

/// Builds and writes the records of one plan.
struct RecordVisitor<'a, 'scope, C: PieceChecker + 'scope> {
    builder: RowBuilder,
    writer: RecordWriter<'a>,
    /// The lookahead workers, which build rows ahead of this thread.
    ahead: Lookahead<'scope, RowWorker<'scope, C>>,
    /// Which attributes to show in rows; `None` for no attributes.
    view: Option<&'scope dyn View>,
    checker: Option<C>,
    /// Index in its section of the first element in the current lookahead range.
    index: u64,
    declarations: Declarations,
    /// Counts of the resources and outputs in a state.
    state_counts: StateCounts,
    /// Whether the current section contains the values of a state.
    is_in_values: bool,
    is_state: bool,
}

/// Maximum memory for the listed problems of a check, in bytes. Further problems are only counted.
const PROBLEMS_MAX: usize = 16 << 20;

impl<C: PieceChecker> RecordVisitor<'_, '_, C> {
    /// Returns the problems of a check, up to [`PROBLEMS_MAX`]. If there are more, the last entry
    /// says how many.
    fn problems(&self, check: &plan::Check<'_>) -> Result<Vec<Cow<'static, str>>> {
        let (mut texts, mut size, mut more) = (Vec::new(), 0, 0_u64);
        let listed = check.problems(|problem| {
            // Each problem takes 96 bytes for its structures: one before decoding, one after.
            size += problem.raw().len() + 96;
            if texts.is_empty() || size <= PROBLEMS_MAX {
                texts.push(problem);
            } else {
                more += 1;
            }
        });
        listed.map_err(|error| error.within("instances"))?;
        // Without a view, no secrets were collected, so none can be masked.
        let decoded = |text: Text<'_>| {
            let text = text.decode()?;
            Ok(match &self.writer.viewer {
                Some(viewer) => viewer.mask(text).into(),
                None => text.into(),
            })
        };
        let mut problems = texts.into_iter().map(decoded).collect::<Result<Vec<_>>>()?;
        if more > 0 {
            problems.push(format!("and {more} more problems").into());
        }
        Ok(problems)
    }

    /// Builds the record of an action invocation.
    fn invocation(
        &mut self,
        invocation: &plan::ActionInvocation<'_>,
        deferred_reason: Option<Text<'_>>,
    ) -> Result<ActionInvocation<'static>> {
        let trigger = match invocation {
            plan::ActionInvocation { lifecycle_action_trigger: Some(_), .. } => Some("lifecycle"),
            plan::ActionInvocation { invoke_action_trigger: Some(_), .. } => Some("invoke"),
            _ => None,
        };
        let attributes =
            self.configuration(invocation).map_err(|error| error.within("config_values"))?;
        Ok(ActionInvocation {
            address: invocation.address.decode()?.into(),
            type_name: decoded(invocation.type_name)?,
            name: decoded(invocation.name)?,
            trigger,
            triggering_address: decoded(invocation.triggering_address()?)?,
            deferred_reason: decoded(deferred_reason)?,
            timing: invocation.timing()?,
            attributes,
        })
    }

    /// Returns the attributes of an action's configuration; empty without a view.
    fn configuration(&mut self, invocation: &plan::ActionInvocation<'_>) -> Result<Attributes> {
        let Some(config) = invocation.config().filter(|_| self.writer.viewer.is_some()) else {
            return Ok(Attributes::default());
        };
        self.builder.diff(&config)?;
        let (unknown, none) = (self.builder.paths().unknown, Paths::new());
        let paths = ChangePaths { unknown, ..ChangePaths::default() };
        self.writer.view(ViewSubject::Action, &config, ViewPaths::of(&paths, &none))
    }

    /// Writes the last record of a plan, or reports the counts of a state.
    fn finish(&mut self, document: &plan::Document) -> Result<PlanOutcome> {
        if self.is_state {
            self.writer.summary.bytes = document.bytes;
            self.writer.state(&mut self.state_counts)?;
        } else {
            self.writer.end(document)?;
        }
        let lacking = document.lacks_changes.then_some(Warning::LacksChanges);
        let warnings = Warning::of_document(document).chain(lacking).collect();
        let summary = std::mem::take(&mut self.writer.summary);
        let has_changes = self.writer.has_changes;
        Ok(PlanOutcome { summary, has_changes, warnings })
    }
}

impl<'scope, C: PieceChecker + 'scope> Visitor for RecordVisitor<'_, 'scope, C> {
    fn section(&mut self, section: Section, key: &str) -> Answer {
        self.is_in_values = self.writer.options.accepts == Accepts::States
            && section == Section::Other
            && key == "values";
        let is_entered = section.is_entered()
            || (section == Section::DeferredActionInvocations && self.writer.viewer.is_some())
            || (section == Section::RelevantAttributes && self.writer.options.relevant)
            || self.declarations.enter(section, self.writer.format_version.as_deref())
            || self.is_in_values;
        if is_entered { Answer::Enter } else { Answer::Skip }
    }

    fn wants(&self, kind: PieceKind) -> bool {
        match kind {
            PieceKind::Output | PieceKind::ConfiguredOutput => true,
            PieceKind::Resource => self.is_in_values,
            PieceKind::RootDeclaration | PieceKind::Declaration => false,
            kind => !kind.is_configuration(),
        }
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        if let Some(checker) = &mut self.checker {
            if checker.skips(piece) {
                return Ok(Flow::Continue);
            }
            checker.piece(piece)?;
        }
        let Piece { kind, section, name, value, .. } = *piece;
        let limits = &self.writer.options.read.limits;
        let recorded = match (kind, section) {
            (PieceKind::ResourceChange | PieceKind::DeferredChange, _) => {
                let (change, deferred_reason) = match kind {
                    PieceKind::DeferredChange => {
                        let deferred = plan::Deferred::parse(value)?;
                        (deferred.resource_change, deferred.reason)
                    }
                    _ => (plan::ResourceChange::parse(section, value)?, None),
                };
                let viewer = self.writer.viewer.as_deref_mut();
                let (facts, row) = self.builder.build(section, &change, deferred_reason, viewer)?;
                self.writer.count(&facts)?;
                row.map_or(Ok(()), |row| self.writer.record(&row))
            }
            (PieceKind::OutputChange, _) => {
                self.output_change(name.unwrap_or_default(), &Change::parse(value)?)
            }
            (PieceKind::ActionInvocation, _) => {
                self.action_invocation(&plan::ActionInvocation::parse(value)?)
            }
            (PieceKind::DeferredActionInvocation, _) => {
                self.deferred_action(&plan::DeferredAction::parse(value)?)
            }
            (PieceKind::Resource, _) => {
                self.state_counts.add(&ResourceInstance::parse(value)?, limits)
            }
            (PieceKind::Output, _) if self.is_in_values => {
                self.state_counts.outputs += 1;
                Ok(())
            }
            // An element has no name. A piece with a name is the section itself with the value
            // `null`.
            (PieceKind::Known, Section::Checks) if name.is_none() => {
                self.check(&plan::Check::parse(value)?)
            }
            (PieceKind::Known, Section::RelevantAttributes) if name.is_none() => {
                self.relevant_attribute(&plan::RelevantAttribute::parse(value)?)
            }
            (PieceKind::Scalar | PieceKind::Known, _) => self.scalar(section, value),
            _ => self.declarations.note(piece, limits),
        };
        recorded.map(|()| Flow::Continue)
    }

    fn state(&mut self, kind: StateKind) -> Result<()> {
        self.is_state = true;
        match &mut self.checker {
            Some(checker) => checker.state(kind),
            None => Ok(()),
        }
    }

    fn ahead(&mut self, boundary: &Boundary<'_>) -> Result<Option<ReadRange>> {
        // A state has no rows to build.
        if self.is_in_values {
            return Ok(None);
        }
        self.writer.begin_if_known()?;
        if !self.writer.begun {
            return Ok(None);
        }
        self.index = boundary.index();
        let (writer, view, checker) = (&mut self.writer, self.view, &self.checker);
        let options = writer.options;
        Ok(self.ahead.find(boundary, || {
            let renderer = writer.renderer();
            let checker = checker.as_ref().map(C::fresh);
            RowWorker::new(options.clone(), view, renderer, checker)
        }))
    }

    fn jumped(&mut self, _: &ReadRange) -> Result<()> {
        let RecordVisitor { ahead, index, writer, checker, .. } = self;
        ahead.fold(|batch, _| batch.write(*index, writer, checker.as_mut()))
    }
}

impl<C: PieceChecker> RecordVisitor<'_, '_, C> {
    fn scalar(&mut self, section: Section, value: Value<'_>) -> Result<()> {
        if value.is_null() {
            return Ok(());
        }
        match section {
            Section::FormatVersion | Section::TerraformVersion => {
                let version = Some(value.text()?);
                match section {
                    // The `plan` record is already written, so the `summary` record gets the
                    // version.
                    Section::FormatVersion if self.writer.begun => {
                        self.writer.summary.plan.format_version = version;
                    }
                    _ if self.writer.begun => self.writer.summary.plan.terraform_version = version,
                    Section::FormatVersion => self.writer.format_version = version,
                    _ => self.writer.terraform_version = version,
                }
            }
            Section::Timestamp => self.writer.summary.plan.timestamp = Some(value.text()?),
            Section::Applyable => self.writer.summary.plan.applyable = Some(value.boolean()?),
            Section::Complete => self.writer.summary.plan.complete = Some(value.boolean()?),
            Section::Errored => self.writer.summary.plan.errored = Some(value.boolean()?),
            _ => {}
        }
        Ok(())
    }

    fn output_change(&mut self, name: &str, change: &Change<'_>) -> Result<()> {
        if let Some(patterns) = &self.writer.options.patterns {
            let viewer = self.writer.viewer.as_deref();
            patterns.see_thing(NamedKind::Output, [Some(name), None], viewer);
        }
        self.builder.diff(change)?;
        let version = self.writer.format_version.as_deref();
        let declares = |viewer: &dyn Viewer| viewer.declares(name);
        let is_declared = !Subject::of_change(change).has_overlays()
            && (self.declarations.cover(name, version)
                || self.writer.viewer.as_deref().is_some_and(declares));
        if is_declared {
            self.builder.hide_all();
        }
        let action = Action::of(change)?;
        let word = action.word(change)?;
        let changed = &mut self.writer.summary.output_changes;
        counts::count(changed, &word, &self.writer.options.read.limits, change.offset())?;
        if action == Action::NoOp && self.writer.options.show == Show::Changes {
            return Ok(());
        }
        let (paths, none) = (self.builder.paths(), Paths::new());
        let view_paths = ViewPaths::of(&paths, &none);
        let attributes =
            self.writer.view(ViewSubject::Output { name, is_declared }, change, view_paths)?;
        self.writer.record(&Record::OutputChange(OutputChange {
            name: Cow::Borrowed(name),
            action: word,
            actions: action.words(change)?,
            paths,
            source: None,
            attributes,
        }))
    }

    fn check(&mut self, check: &plan::Check<'_>) -> Result<()> {
        let status = check.status.decode()?;
        counts::count(
            &mut self.writer.summary.checks,
            &status,
            &self.writer.options.read.limits,
            check.status.offset(),
        )?;
        // Reads the problems even if the check is not shown, because a duplicate key in them is an
        // error.
        let problems = self.problems(check)?;
        let address = check.address.decode()?;
        if let Some(patterns) = &self.writer.options.patterns {
            let viewer = self.writer.viewer.as_deref();
            patterns.see_thing(NamedKind::Check, [Some(&address), None], viewer);
        }
        if status == "pass" && self.writer.options.show == Show::Changes {
            return Ok(());
        }
        self.writer.record(&Record::Check(Check {
            address: address.into(),
            check_kind: decoded(check.kind)?,
            status: status.into(),
            problems: Cow::Borrowed(&problems),
            source: None,
        }))
    }

    fn action_invocation(&mut self, invocation: &plan::ActionInvocation<'_>) -> Result<()> {
        self.writer.has_changes = true;
        let invocation = self.invocation(invocation, None)?;
        if let Some(patterns) = &self.writer.options.patterns {
            let names = [Some(&*invocation.address), invocation.type_name.as_deref()];
            patterns.see_thing(NamedKind::Action, names, self.writer.viewer.as_deref());
        }
        self.writer.record(&Record::ActionInvocation(invocation))
    }

    fn deferred_action(&mut self, deferred: &plan::DeferredAction<'_>) -> Result<()> {
        let invocation = self
            .invocation(&deferred.action_invocation, deferred.reason)
            .map_err(|error| error.within("action_invocation"))?;
        self.writer.record(&Record::DeferredActionInvocation(invocation))
    }

    fn relevant_attribute(&mut self, relevant: &plan::RelevantAttribute<'_>) -> Result<()> {
        let first = relevant.attribute.elements()?.next().transpose()?;
        let record = RelevantAttribute {
            resource: relevant.resource.text()?.into(),
            attribute: first.map(Value::text).transpose()?.map(Cow::Owned),
        };
        self.writer.record(&Record::RelevantAttribute(record))
    }
}
