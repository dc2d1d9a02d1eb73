//! The records of a batch, the parts of the document of `plansift report -o json`, and the numbers
//! of changes that both of them hold.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use super::action::effects_of_word;
use super::counts::{PlanLine, Summary};
use super::{FailedAssertion, Finding, ResourceChange, SummaryLoss, is_zero};

/// A plan of a batch.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BatchPlan<'a> {
    /// The input, followed by `#2` for its second plan, and so on.
    pub source: &'a str,
    /// The workspace, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<&'a str>,
    /// `done`, `failed` or `pending`.
    #[cfg_attr(test, schemars(extend("enum" = ["done", "failed", "pending"])))]
    pub status: &'static str,
    /// The error of a plan that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
    /// The path of the file with the records of the plan. In `report.ndjson`, the path is relative
    /// to the folder of the report. In the output of `merge`, the path begins with the folder as
    /// the command line names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub records: Option<&'a str>,
    /// Whether the plan has, or may have, changes to apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_changes: Option<bool>,
    /// The content of the plan's last record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<&'a Summary>,
    /// The digest of what the plan does, with `batch --digest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<&'a str>,
    /// The assertions of `--assert` that the plan fails.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub failed_assertions: &'a [FailedAssertion<'static>],
}

/// The totals of a batch.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetTotals<'a> {
    /// The version of the records of a batch.
    #[cfg_attr(test, schemars(extend("const" = 1)))]
    pub schema_version: u32,
    /// The version of plansift that wrote the report.
    pub plansift: &'static str,
    /// Whether all inputs are processed and no shard is missing.
    pub complete: bool,
    /// The number of inputs.
    pub inputs: u64,
    /// Number of plans whose `has_changes` is true.
    pub changed: u64,
    /// Counts of inputs and plans.
    #[serde(flatten)]
    pub totals: &'a InputTotals,
    /// The sum of the plan lines.
    pub terraform: PlanLine,
    /// The numbers of changes in each column.
    pub counts: ChangeCounts,
    /// The number of action invocations.
    pub invocations: u64,
    /// The changes by type, sorted by name.
    pub types: Vec<&'a FleetRow>,
    /// The changes by module, sorted by name.
    pub modules: Vec<&'a FleetRow>,
    /// The changes by provider, sorted by name.
    pub providers: Vec<&'a FleetRow>,
    /// The changes by action, sorted by name.
    pub actions: Vec<&'a FleetRow>,
}

/// Counts of inputs and plans.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InputTotals {
    /// Number of plans that were read completely.
    pub plans: u64,
    /// Number of rows with the status `failed`.
    pub failed: u64,
    /// Number of inputs that are not processed yet.
    pub pending: u64,
    /// Shards that are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_shards: Vec<u32>,
    /// Number of plans whose planning failed.
    pub errored: u64,
    /// Number of plans whose planning failed, and of plans that leave changes for a later plan.
    pub incomplete: u64,
    /// Number of failed assertions with the severity `error`, in all plans. Absent if the number is
    /// 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed_assertions: u64,
    /// Number of failed assertions with the severity `warning`, in all plans. Absent if the number
    /// is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed_warnings: u64,
    /// Plans without a list of changes.
    #[serde(skip)]
    pub unlisted: u64,
    /// Changes that are deferred to a later plan.
    #[serde(skip)]
    pub deferred: u64,
    /// The total size of the plans in bytes.
    pub bytes: u64,
}

/// A plan in the document of `plansift report -o json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ReportPlan<'a> {
    /// The plan was read to its end.
    Done(ReportedPlan<'a>),
    /// The plan failed.
    Failed {
        /// The input, followed by `#2` for its second plan, and so on.
        source: &'a str,
        /// The workspace, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        workspace: Option<&'a str>,
        /// The error.
        error: String,
    },
}

/// A plan that was read to its end, in the document of `plansift report -o json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportedPlan<'a> {
    /// The input, followed by `#2` for its second plan, and so on.
    pub source: &'a str,
    /// The workspace, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<&'a str>,
    /// The version of Terraform or OpenTofu.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terraform_version: Option<&'a str>,
    /// Whether the plan has, or may have, changes to apply.
    pub has_changes: bool,
    /// Number of actions that are invoked during apply.
    pub invocations: u64,
    /// The content of the plan's last record.
    pub summary: &'a Summary,
    /// The rules that the plan breaks.
    pub broken_rules: Vec<BrokenRule<'a>>,
    /// The resources that the plan destroys, replaces or forgets, the most severe first, with what
    /// depends on each of them. Present with `--impact`, if there are any. At most 1000 are listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(length(max = 1000)))]
    pub losses: Vec<&'a SummaryLoss>,
    /// The number of losses that the list leaves out. Absent if the number is 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub losses_left_out: u64,
}

/// A rule that a plan breaks.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BrokenRule<'a> {
    /// The text of the rule, without its severity and message. For an assertion, its name.
    pub rule: &'a str,
    /// A broken rule with the severity `warning` does not fail the run.
    #[cfg_attr(test, schemars(extend("enum" = ["error", "warning"])))]
    pub severity: &'static str,
    /// The message of the rule or assertion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
    /// The number that the rule counts. For an assertion, the number of failures.
    pub count: u64,
    /// Present if the count is unknown, because the plan does not list its changes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_unknown: bool,
    /// The addresses or names of the first 20 objects that break the rule or fail the assertion.
    #[cfg_attr(test, schemars(length(max = 20)))]
    pub names: &'a [String],
    /// The assertion, if the rule is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assertion: Option<BrokenAssertion<'a>>,
}

/// An assertion that a plan fails, as a rule.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BrokenAssertion<'a> {
    /// The file that contains the assertion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'a str>,
    /// The line in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: Option<u64>,
    /// The first 20 failures.
    #[cfg_attr(test, schemars(length(max = 20)))]
    pub findings: &'a [Finding],
}

/// The totals of the document of `plansift report -o json`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReportTotals {
    /// Number of plans that were read completely.
    pub plans: u64,
    /// Number of rows with the status `failed`.
    pub failed: u64,
    /// Number of plans whose `has_changes` is true.
    pub changed: u64,
    /// Number of plans whose planning failed.
    pub errored: u64,
    /// Number of plans whose planning failed, and of plans that leave changes for a later plan.
    pub incomplete: u64,
    /// The total size of the plans in bytes.
    pub bytes: u64,
    /// The sum of the plan lines.
    pub terraform: PlanLine,
    /// The numbers of changes in each column.
    pub counts: ChangeCounts,
    /// The number of action invocations.
    pub invocations: u64,
    /// Number of broken rules and failed assertions with the severity `error`, in all plans.
    pub broken_rules: u64,
    /// Number of broken rules and failed assertions with the severity `warning`, in all plans.
    pub broken_warnings: u64,
}

/// The columns of a table of plans, from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Column {
    /// Created objects.
    Add,
    /// Updated objects.
    Change,
    /// Deleted objects.
    Destroy,
    /// Replaced objects, which `Add`, `Destroy` and `Forget` leave out.
    Replace,
    /// Imported objects.
    Import,
    /// Moved objects.
    Move,
    /// Forgotten objects.
    Forget,
    /// Objects that changed outside of Terraform.
    Drift,
    /// Failed checks.
    Checks,
    /// Plans that could not be read.
    Errors,
}

impl Column {
    /// All columns, from left to right.
    pub const ALL: [Column; 10] = [
        Column::Add,
        Column::Change,
        Column::Destroy,
        Column::Replace,
        Column::Import,
        Column::Move,
        Column::Forget,
        Column::Drift,
        Column::Checks,
        Column::Errors,
    ];

    /// Returns the column that counts an action. `None` if no column does.
    pub(crate) fn of(action: &str) -> Option<Column> {
        Some(match action {
            "create" => Column::Add,
            "update" => Column::Change,
            "delete" => Column::Destroy,
            "replace" => Column::Replace,
            "forget" => Column::Forget,
            _ => return None,
        })
    }

    /// Returns the names of the column: in the table, as an abbreviation, and as a heading.
    pub fn words(self) -> [&'static str; 3] {
        match self {
            Column::Add => ["add", "add", "Add"],
            Column::Change => ["change", "chg", "Change"],
            Column::Destroy => ["destroy", "del", "Destroy"],
            Column::Replace => ["replace", "rep", "Replace"],
            Column::Import => ["import", "imp", "Import"],
            Column::Move => ["move", "mov", "Move"],
            Column::Forget => ["forget", "fgt", "Forget"],
            Column::Drift => ["drift", "drf", "Drift"],
            Column::Checks => ["checks", "chk", "Failed checks"],
            Column::Errors => ["errors", "err", "Errors"],
        }
    }

    /// Whether the column counts effects of applying a plan.
    pub fn is_of_changes(self) -> bool {
        !matches!(self, Column::Drift | Column::Checks | Column::Errors)
    }
}

/// The numbers of changes in each column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BTreeMap<Column, u64>", into = "BTreeMap<Column, u64>")]
pub struct ChangeCounts([u64; 10]);

impl Index<Column> for ChangeCounts {
    type Output = u64;

    fn index(&self, column: Column) -> &u64 {
        &self.0[column as usize]
    }
}

impl IndexMut<Column> for ChangeCounts {
    fn index_mut(&mut self, column: Column) -> &mut u64 {
        &mut self.0[column as usize]
    }
}

impl From<BTreeMap<Column, u64>> for ChangeCounts {
    fn from(numbers: BTreeMap<Column, u64>) -> ChangeCounts {
        let mut counts = ChangeCounts::default();
        numbers.into_iter().for_each(|(column, number)| counts[column] = number);
        counts
    }
}

impl From<ChangeCounts> for BTreeMap<Column, u64> {
    fn from(counts: ChangeCounts) -> BTreeMap<Column, u64> {
        let numbers = Column::ALL.into_iter().map(|column| (column, counts[column]));
        numbers.filter(|(_, number)| *number > 0).collect()
    }
}

impl ChangeCounts {
    /// Returns the counts of a plan.
    pub fn of(summary: &Summary) -> ChangeCounts {
        let mut counts = ChangeCounts::default();
        for (action, number) in &summary.resource_changes {
            for column in effects_of_word(action).filter_map(Column::of) {
                counts[column] += number;
            }
        }
        counts[Column::Import] = summary.terraform.import;
        counts[Column::Move] = summary.moves();
        // The elements of `resource_drift` with the action `no-op` are moves.
        let drift = summary.resource_drift.iter().filter(|(action, _)| *action != "no-op");
        counts[Column::Drift] = drift.map(|(_, count)| count).sum();
        counts[Column::Checks] = summary.failed_checks();
        counts
    }

    /// Returns the counts of a change. `None` if the resource stays as it is.
    pub fn of_change(change: &ResourceChange<'_>) -> Option<ChangeCounts> {
        let mut counts = ChangeCounts::default();
        for column in change.effects().filter_map(Column::of) {
            counts[column] = 1;
        }
        counts[Column::Move] = u64::from(change.moved_from().is_some());
        counts[Column::Import] = u64::from(change.importing.is_some());
        (!change.is_settled()).then_some(counts)
    }

    /// Adds other counts to these.
    pub fn add(&mut self, other: &ChangeCounts) {
        for (number, more) in self.0.iter_mut().zip(other.0) {
            *number += more;
        }
    }

    /// Whether all counts are zero.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|&number| number == 0)
    }

    /// Returns the number of changes.
    pub fn changes(&self) -> u64 {
        Column::ALL.iter().filter(|column| column.is_of_changes()).map(|&column| self[column]).sum()
    }
}

/// The changes of all plans with the same type, module, provider, action or workspace.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FleetRow {
    /// The name of the type, module, provider, action or workspace.
    pub name: Box<str>,
    /// Number of plans with changes or drift in this row.
    pub plans: u64,
    /// Number of resource changes plus number of drifted resources.
    pub resources: u64,
    /// The numbers of changes in each column.
    #[serde(default, skip_serializing_if = "ChangeCounts::is_zero")]
    pub counts: ChangeCounts,
    /// The sum of the plan lines. Only rows of workspaces have it.
    #[serde(skip)]
    pub line: PlanLine,
    /// Whether there is a change or a problem that no column counts.
    #[serde(skip)]
    pub has_more: bool,
    /// Whether planning failed for one of the plans.
    #[serde(skip)]
    pub is_errored: bool,
    /// Whether one of the plans has no list of changes.
    #[serde(skip)]
    pub is_unlisted: bool,
    /// Whether one of the plans fails an assertion with the severity `error`.
    #[serde(skip)]
    pub fails_assertions: bool,
    /// Whether applying a plan of the row leaves changes for a later plan.
    #[serde(skip)]
    pub is_incomplete: bool,
    /// Whether the row is an input without any plan, not a workspace.
    #[serde(skip)]
    pub is_input: bool,
    /// Whether an input of the row is not processed yet.
    #[serde(skip)]
    pub is_pending: bool,
}

impl FleetRow {
    /// Whether the row has nothing to show.
    pub fn is_quiet(&self) -> bool {
        self.counts.is_zero() && !self.has_more && !self.is_errored
    }

    /// Whether none of the plans could be read.
    pub fn is_unread(&self) -> bool {
        self.plans == 0 && self.counts[Column::Errors] > 0
    }

    /// Whether a plan of the row was processed: read completely, or with an error.
    pub fn is_processed(&self) -> bool {
        self.plans > 0 || self.counts[Column::Errors] > 0
    }

    /// Whether the counts leave something out: a plan could not be read, its planning failed, or it
    /// does not list its changes.
    pub fn lacks_counts(&self) -> bool {
        self.counts[Column::Errors] > 0 || self.is_errored || self.is_unlisted
    }

    /// Whether the counts leave something out, or a check or an assertion fails.
    pub fn fails(&self) -> bool {
        self.lacks_counts() || self.counts[Column::Checks] > 0 || self.fails_assertions
    }

    /// Whether one of the plans that were read has, or may have, something to apply.
    pub fn has_changes(&self) -> bool {
        self.plans > 0 && (self.counts.changes() > 0 || self.has_more)
    }

    /// Adds the counts of another row to these.
    pub fn add(&mut self, other: &FleetRow) {
        self.counts.add(&other.counts);
        self.line.add(&other.line);
        self.plans += other.plans;
        self.resources += other.resources;
        self.has_more |= other.has_more;
        self.is_errored |= other.is_errored;
        self.is_unlisted |= other.is_unlisted;
        self.is_incomplete |= other.is_incomplete;
        self.fails_assertions |= other.fails_assertions;
        self.is_pending |= other.is_pending;
    }
}
