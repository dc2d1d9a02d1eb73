//! Records: the flat rows that plansift makes of a plan (docs/format/records.md).
//!
//! A record borrows from the plan and from reused buffers. So the sink receives each record before
//! the next one is built.

pub mod action;
mod assertion_result;
mod attributes;
mod audit;
mod changed_documents;
mod changes;
mod check_result;
mod checker;
mod comparison;
mod contents;
pub mod counts;
mod difference;
mod failed_assertion;
mod fleet;
mod impact;
mod importing;
mod json_text;
mod options;
mod outputs;
mod owned;
pub mod patterns;
mod pending;
mod record_writer;
mod row_builder;
mod rows;
pub mod schemas;
mod source;
pub mod state_counts;
mod subject;
mod summary_document;
mod texts;
pub mod values;
mod viewer;
mod visitor;

use serde::Serialize;

use crate::config::{ConfigurationSummary, Dependent, LocatedElement, User};
use counts::Summary;
use plansift_core::error::{Error, Result};
use state_counts::{Group, StateCounts};

pub use assertion_result::{AssertionFinding, AssertionResult, UnreadDocument};
pub use attributes::{
    Attribute, Attributes, ComparedChange, Difference, Excerpt, Line, Lines, MarkChange, Shown,
    UNKNOWN,
};
pub use audit::{AuditFinding, AuditSummary, FindingCounts, FindingKind, SecretOrigin};
pub use changed_documents::{ChangedDocument, ChangedDocuments};
pub use changes::{
    ActionInvocation, ChangePaths, Check, OutputChange, Plan, RelevantAttribute, ResourceChange,
    ResourceName,
};
pub use check_result::{CheckInstance, CheckResult, Instances, MaskText, Problems};
pub use checker::{CheckRequest, NoChecker, PieceChecker};
pub use comparison::{
    BatchComparison, BeforeAfter, ComparedWorkspace, Transition, TransitionCounts, WorkspaceCounts,
};
pub use contents::{Output, Resource, RowSummary, Variable};
pub use counts::PlanFacts;
pub use difference::{
    Aspect, AspectDifference, CompareLevel, ComparedDocument, ComparedPair, ComparisonSummary,
    Direction, DirectionCounts, FoundIn, LeftOut, LevelCounts, ObjectDifference, ObjectKind,
};
pub use failed_assertion::{FailedAssertion, Finding};
pub use fleet::{
    BatchPlan, BrokenAssertion, BrokenRule, ChangeCounts, Column, FleetRow, FleetTotals,
    InputTotals, ReportPlan, ReportTotals, ReportedPlan,
};
pub use impact::{Affected, Impact, Impacts};
pub use importing::ImportSource;
pub use json_text::JsonText;
pub use options::{Extent, RecordOptions, Show};
pub use owned::Owned;
pub use pending::{owned, weight};
pub use source::{ListedBlock, ListedDiagnostic, OverridingBlock, SourceRange};
pub use subject::{ViewPaths, ViewSubject};
pub use summary_document::{SummaryFailure, SummaryLeftOut, SummaryLoss, SummaryWarning};
pub use viewer::{View, Viewer};
pub use visitor::{PlanOutcome, RecordRequest, Warning, write_records};

/// The version of the record format. A new key does not change it.
pub const SCHEMA_VERSION: u32 = 1;

/// One record.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record<'a> {
    /// The first record of a plan. Identifies the plan.
    Plan(Plan<'a>),
    /// An element of `resource_changes`.
    ResourceChange(ResourceChange<'a>),
    /// An element of `resource_drift`.
    ResourceDrift(ResourceChange<'a>),
    /// The `resource_change` of an element of `deferred_changes`.
    DeferredChange(ResourceChange<'a>),
    /// A member of `output_changes`.
    OutputChange(OutputChange<'a>),
    /// An element of `checks`.
    Check(Check<'a>),
    /// An element of `action_invocations`.
    ActionInvocation(ActionInvocation<'a>),
    /// The `action_invocation` of an element of `deferred_action_invocations`. Written only if the
    /// run has a view.
    DeferredActionInvocation(ActionInvocation<'a>),
    /// An element of `relevant_attributes`. Written only with [`RecordOptions::relevant`].
    RelevantAttribute(RelevantAttribute<'a>),
    /// An assertion that the plan fails. Written only if the [`RecordRequest`] has assertions.
    FailedAssertion(FailedAssertion<'a>),
    /// The last record of a plan: its counts. A stream without it is incomplete.
    Summary(&'a Summary),

    /// The first record about the contents of a document.
    Document(Head<'a>),
    /// A resource in the values of a plan or state.
    Resource(Resource<'a>),
    /// An output in the values of a plan or state.
    Output(Output<'a>),
    /// A variable of the root module.
    Variable(Variable<'a>),
    /// A checkable object, with its instances.
    #[serde(rename = "check")]
    CheckResult(CheckResult<'a>),
    /// The number of resources with the same type, module or provider.
    Group(Group<'a>),
    /// The last record about the contents of a document, or of a run with groups.
    #[serde(rename = "summary")]
    RowSummary(RowSummary),

    /// The first record about a configuration.
    Configuration(Head<'a>),
    /// An expression that refers to the element that the user names.
    Reference(&'a User),
    /// An element that depends on the element that the user names.
    Dependent(&'a Dependent<'a>),
    /// The last record about a configuration.
    #[serde(rename = "summary")]
    ConfigurationSummary(ConfigurationSummary),

    /// The result of an assertion for a document.
    Assertion(AssertionResult<'a>),
    /// A document that could not be read. Only a run of assertions has such records.
    Error(UnreadDocument<'a>),

    /// The first record of an audit.
    Audit(Head<'a>),
    /// The last record of an audit.
    #[serde(rename = "summary")]
    AuditSummary(AuditSummary),

    /// A plan of a batch.
    #[serde(rename = "plan")]
    BatchPlan(BatchPlan<'a>),
    /// The last record of a batch: its totals.
    Fleet(FleetTotals<'a>),
    /// A workspace of two batches that are compared.
    #[serde(rename = "workspace")]
    ComparedWorkspace(ComparedWorkspace<'a>),
    /// The last record of a comparison of two batches: its totals.
    #[serde(rename = "comparison")]
    BatchComparison(BatchComparison),

    /// The first record of a comparison of two documents.
    #[serde(rename = "pair")]
    ComparedPair(ComparedPair<'a>),
    /// An object that differs between two documents.
    #[serde(rename = "difference")]
    ObjectDifference(ObjectDifference<'a>),
    /// The last record of a comparison of two documents.
    #[serde(rename = "summary")]
    ComparisonSummary(ComparisonSummary),

    /// An element of a configuration. The kind of the element is the kind of the record.
    #[serde(untagged)]
    Element(LocatedElement<'a>),
    /// A place where a secret is, or may be. The kind of the finding is the kind of the record.
    #[serde(untagged)]
    Finding(AuditFinding<'a>),

    /// A block of a configuration. Its record has no kind.
    #[serde(untagged)]
    Block(ListedBlock<'a>),
    /// A diagnostic of a file of a configuration. Its record has no kind.
    #[serde(untagged)]
    Diagnostic(ListedDiagnostic<'a>),
}

impl<'a> Record<'a> {
    /// The resource change in the record; `None` for the other kinds of record.
    pub fn resource(&self) -> Option<&ResourceChange<'a>> {
        match self {
            Record::ResourceChange(change)
            | Record::ResourceDrift(change)
            | Record::DeferredChange(change) => Some(change),
            _ => None,
        }
    }

    /// Like [`Record::resource`], to modify it.
    pub fn resource_mut(&mut self) -> Option<&mut ResourceChange<'a>> {
        match self {
            Record::ResourceChange(change)
            | Record::ResourceDrift(change)
            | Record::DeferredChange(change) => Some(change),
            _ => None,
        }
    }
}

/// The names that identify a plan: its input and its workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label<'a> {
    /// The input as the user named it; `-` for standard input. The second plan of an input has the
    /// suffix `#2`, and so on.
    pub source: &'a str,
    /// The workspace of the plan, if the records should name it.
    pub workspace: Option<&'a str>,
}

impl<'a> From<&'a str> for Label<'a> {
    fn from(source: &'a str) -> Label<'a> {
        Label { source, workspace: None }
    }
}

/// The first record about a document other than the changes of a plan.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Head<'a> {
    /// The version of the record format.
    #[cfg_attr(test, schemars(extend("const" = 1)))]
    pub schema_version: u32,
    /// The path or URL of the input, or `-` for standard input. `#2` is appended for the second
    /// document of an input, `#3` for the third.
    pub source: &'a str,
    /// The workspace, if the run has several inputs or the user gave a rule for workspace names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<&'a str>,
}

impl<'a> Head<'a> {
    /// Creates the first record about the document with this label.
    pub fn of(label: Label<'a>) -> Head<'a> {
        let Label { source, workspace } = label;
        Head { schema_version: SCHEMA_VERSION, source, workspace }
    }
}

/// Whether a number is zero. Records leave out some numbers that are zero.
pub fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Counts of the parts of a plan that the user's filters hide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Changes to resources, including drift and deferred changes.
    pub changes: u64,
    /// Checks that failed.
    pub failed_checks: u64,
    /// Outputs, other checks and invocations.
    pub others: u64,
    /// Attributes that are hidden although their change is shown.
    pub attributes: u64,
}

impl Hidden {
    /// Returns the counts in words; `None` if all are zero.
    pub fn words(&self) -> Option<String> {
        let Hidden { changes, failed_checks, others, attributes } = *self;
        let named = [
            (changes, "change"),
            (failed_checks, "failed check"),
            (others, "other row"),
            (attributes, "attribute"),
        ];
        let words: Vec<String> = named
            .iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, name)| format!("{number} {name}{}", if *number == 1 { "" } else { "s" }))
            .collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// Receives the records of one run in order.
///
/// For each document the run sends its first record, such as [`Record::Plan`], then the rows, then
/// its summary, such as [`Record::Summary`]. After the last document it calls [`Sink::finish`]. A
/// document that fails half-way has no summary.
///
/// # Errors
///
/// All methods fail with [`plansift_core::error::ErrorKind::Write`] if the output fails.
pub trait Sink {
    /// Writes one record.
    fn record(&mut self, record: &Record<'_>) -> Result<()>;

    /// Reports that a plan could not be read to its end. Called after the records that precede the
    /// error.
    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        let _ = (label, error);
        Ok(())
    }

    /// Reports a record that the user's filters hide.
    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        let _ = record;
        Ok(())
    }

    /// Reports how much of the current plan the user's filters hide. Called before its
    /// [`Record::Summary`].
    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        let _ = hidden;
        Ok(())
    }

    /// Reports the counts of a state. A state has no [`Record::Summary`].
    fn state(&mut self, label: Label<'_>, state_counts: &StateCounts) -> Result<()> {
        let _ = (label, state_counts);
        Ok(())
    }

    /// Writes the end of the output and flushes it.
    fn finish(&mut self) -> Result<()>;

    /// Returns the memory limit, in bytes, for records that wait for the `plan` record. At the
    /// limit, the `plan` record is written with the versions that are known by then.
    fn waiting_max(&self) -> u64 {
        24 << 20
    }

    /// Returns this sink if other threads may render its rows, otherwise `None`.
    fn as_rendered(&mut self) -> Option<&mut dyn Rendered> {
        None
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        (**self).record(record)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        (**self).failed(label, error)
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        (**self).unseen(record)
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        (**self).hidden(hidden)
    }

    fn state(&mut self, label: Label<'_>, state_counts: &StateCounts) -> Result<()> {
        (**self).state(label, state_counts)
    }

    fn finish(&mut self) -> Result<()> {
        (**self).finish()
    }

    fn waiting_max(&self) -> u64 {
        (**self).waiting_max()
    }

    fn as_rendered(&mut self) -> Option<&mut dyn Rendered> {
        (**self).as_rendered()
    }
}

/// A sink that drops all records.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullSink;

impl Sink for NullSink {
    fn record(&mut self, _: &Record<'_>) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A text sink that renders each record independently of the others.
pub trait Rendered {
    /// Creates a renderer for rows of the current plan. Called after its [`Record::Plan`].
    fn renderer(&self) -> Box<dyn Renderer>;

    /// Writes `text`, which consists of `rows` rendered rows, after the records written so far.
    ///
    /// # Errors
    ///
    /// Fails with [`plansift_core::error::ErrorKind::Write`] if the output fails.
    fn write(&mut self, text: &[u8], rows: usize) -> Result<()>;
}

/// Renders rows for a sink, on any thread.
pub trait Renderer: Send {
    /// Appends a rendered row to `text`: exactly the bytes that [`Sink::record`] would write.
    ///
    /// # Errors
    ///
    /// Fails with [`plansift_core::error::ErrorKind::Write`] if the output fails.
    fn render(&mut self, row: &Record<'_>, text: &mut Vec<u8>) -> Result<()>;
}
