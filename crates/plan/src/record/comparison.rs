//! The records of `plansift merge --since`: what differs between the workspaces of two batches.

use serde::Serialize;

use super::{ChangeCounts, Column, FleetRow};

/// How a workspace differs between two batches.
///
/// A workspace is away from its desired state if its plan has planned changes, or if a resource
/// drifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Transition {
    /// The workspace fails and did not fail before, or fails in more plans or checks than before.
    NewFailure,
    /// More objects are deleted, or more are replaced, than before.
    NewDestroys,
    /// More changes of some kind are planned than before.
    NewPlannedChanges,
    /// More resources drifted than before: they changed outside of Terraform.
    NewDrift,
    /// The workspace failed before, and fails still.
    StillFailing,
    /// An input of the workspace is not processed yet, in the earlier or in the later batch.
    Pending,
    /// The earlier batch has the workspace, and the later batch does not.
    Gone,
    /// The earlier batch does not have the workspace.
    New,
    /// Fewer changes or fewer drifted resources than before, and none more.
    FewerChanges,
    /// The workspace failed before, and does not fail any more.
    Recovered,
    /// None of the other words fits.
    Unchanged,
}

impl Transition {
    /// All transitions, the most severe first.
    pub const ALL: [Transition; 11] = [
        Transition::NewFailure,
        Transition::NewDestroys,
        Transition::NewPlannedChanges,
        Transition::NewDrift,
        Transition::StillFailing,
        Transition::Pending,
        Transition::Gone,
        Transition::New,
        Transition::FewerChanges,
        Transition::Recovered,
        Transition::Unchanged,
    ];
}

/// A workspace of two batches.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparedWorkspace<'a> {
    /// The workspace. Without a known workspace, the input.
    pub workspace: &'a str,
    /// How the workspace differs, the most severe first; at least one word.
    pub transitions: &'a [Transition],
    /// The first error of a plan that could not be read in the later batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
    /// The counts in the earlier batch. Absent if that batch does not have the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<WorkspaceCounts>,
    /// The counts in the later batch. Absent if that batch does not have the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<WorkspaceCounts>,
}

/// The counts of a workspace in one batch.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WorkspaceCounts {
    /// Number of plans that were read completely.
    pub plans: u64,
    /// Whether a plan could not be read, planning failed, a plan does not list its changes, or a
    /// check or an assertion failed.
    pub fails: bool,
    /// Whether a plan has, or may have, changes to apply.
    pub has_changes: bool,
    /// The sum of the columns that count planned changes.
    pub planned_changes: u64,
    /// Number of resources that drifted.
    pub drift: u64,
    /// The numbers of changes in each column.
    pub counts: ChangeCounts,
}

impl From<&FleetRow> for WorkspaceCounts {
    fn from(row: &FleetRow) -> WorkspaceCounts {
        WorkspaceCounts {
            plans: row.plans,
            fails: row.fails(),
            has_changes: row.has_changes(),
            planned_changes: row.counts.changes(),
            drift: row.counts[Column::Drift],
            counts: row.counts,
        }
    }
}

/// The totals of a comparison of two batches.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BatchComparison {
    /// The version of the records of a batch.
    #[cfg_attr(test, schemars(extend("const" = 1)))]
    pub schema_version: u32,
    /// The version of plansift that compared the batches.
    pub plansift: &'static str,
    /// Whether all inputs of both batches are processed and no shard is missing.
    pub complete: bool,
    /// The number of workspaces, in each batch.
    pub workspaces: BeforeAfter,
    /// The number of workspaces with planned changes or drift, in each batch.
    pub drifted_workspaces: BeforeAfter,
    /// The number of planned changes, in each batch.
    pub planned_changes: BeforeAfter,
    /// The number of drifted resources, in each batch.
    pub drift: BeforeAfter,
    /// Number of workspaces with more planned changes, more drift, or both. A workspace with both
    /// counts once.
    pub new_planned_changes_or_drift: u64,
    /// Number of workspaces with each transition. A workspace may have several.
    #[serde(flatten)]
    pub transitions: TransitionCounts,
}

/// A number in the earlier and in the later batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BeforeAfter {
    /// The number in the earlier batch.
    pub before: u64,
    /// The number in the later batch.
    pub after: u64,
}

/// Number of workspaces with each [`Transition`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[expect(missing_docs, reason = "`Transition` describes each one")]
pub struct TransitionCounts {
    pub new_failure: u64,
    pub new_destroys: u64,
    pub new_planned_changes: u64,
    pub new_drift: u64,
    pub still_failing: u64,
    pub pending: u64,
    pub gone: u64,
    pub new: u64,
    pub fewer_changes: u64,
    pub recovered: u64,
    pub unchanged: u64,
}

impl TransitionCounts {
    /// Counts a workspace with this transition.
    pub fn count(&mut self, transition: Transition) {
        *self.of_mut(transition) += 1;
    }

    /// Returns the number of workspaces with this transition.
    pub fn of(mut self, transition: Transition) -> u64 {
        *self.of_mut(transition)
    }

    fn of_mut(&mut self, transition: Transition) -> &mut u64 {
        match transition {
            Transition::NewFailure => &mut self.new_failure,
            Transition::NewDestroys => &mut self.new_destroys,
            Transition::NewPlannedChanges => &mut self.new_planned_changes,
            Transition::NewDrift => &mut self.new_drift,
            Transition::StillFailing => &mut self.still_failing,
            Transition::Pending => &mut self.pending,
            Transition::Gone => &mut self.gone,
            Transition::New => &mut self.new,
            Transition::FewerChanges => &mut self.fewer_changes,
            Transition::Recovered => &mut self.recovered,
            Transition::Unchanged => &mut self.unchanged,
        }
    }
}
