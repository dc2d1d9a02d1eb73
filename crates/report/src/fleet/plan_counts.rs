//! The counts of one plan, and the totals of all plans.

use serde::{Deserialize, Serialize};

use super::rows::{self, Groups};
use super::{FAILURES_MAX, FleetGrouping, WORKSPACES_MAX};
use crate::phrase::plan_words;
use crate::short::short_group;
use plansift_core::inert::visible;
use plansift_core::path::without_keys;
use plansift_plan::record::counts::{PlanLine, Summary};
use plansift_plan::record::{
    ChangeCounts, Column, FailedAssertion, FleetTotals, InputTotals, Label, Record, ReportTotals,
    ResourceChange, is_zero,
};

/// The changes of a plan, counted by type, module, provider and action.
///
/// A fleet stores these counts and the `summary` record of each plan. There are up to
/// [`GROUPS_MAX`](super::GROUPS_MAX) groups of each kind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanCounts {
    #[serde(skip_serializing_if = "Groups::is_empty")]
    types: Groups,
    #[serde(skip_serializing_if = "Groups::is_empty")]
    modules: Groups,
    #[serde(skip_serializing_if = "Groups::is_empty")]
    providers: Groups,
    #[serde(skip_serializing_if = "Groups::is_empty")]
    actions: Groups,
    /// The number of action invocations.
    #[serde(skip_serializing_if = "is_zero")]
    pub invocations: u64,
}

impl PlanCounts {
    /// ChangeCounts a record. The first record of a plan resets the counts, so a failed plan adds
    /// nothing.
    pub fn count(&mut self, record: &Record<'_>) {
        match record {
            Record::Plan(_) => *self = PlanCounts::default(),
            Record::ResourceChange(change) => self.change(change),
            Record::ResourceDrift(change) if change.only_moves() => self.change(change),
            Record::ResourceDrift(change) => {
                let mut counts = ChangeCounts::default();
                counts[Column::Drift] = u64::from(change.action != "no-op");
                self.resource(change, &counts);
            }
            Record::ActionInvocation(_) => self.invocations += 1,
            _ => {}
        }
    }

    /// Moves the groups of another plan into these counts. `other` keeps its number of invocations.
    /// This way, the plans of one input store each group once.
    pub fn take_names(&mut self, other: &mut PlanCounts) {
        self.types.add(std::mem::take(&mut other.types));
        self.modules.add(std::mem::take(&mut other.modules));
        self.providers.add(std::mem::take(&mut other.providers));
        self.actions.add(std::mem::take(&mut other.actions));
    }

    /// ChangeCounts the type of a change, and nothing else of it.
    pub(crate) fn count_type(&mut self, change: &ResourceChange<'_>) {
        if let Some(counts) = ChangeCounts::of_change(change) {
            self.types.count(type_of(change), &counts);
        }
    }

    fn change(&mut self, change: &ResourceChange<'_>) {
        if let Some(counts) = ChangeCounts::of_change(change) {
            self.resource(change, &counts);
            self.actions.count(&change.action, &counts);
        }
    }

    fn resource(&mut self, change: &ResourceChange<'_>, counts: &ChangeCounts) {
        self.types.count(type_of(change), counts);
        let provider = change.resource.provider_name.as_deref().map(rows::without_registry);
        self.providers.count(provider.unwrap_or("(no provider)"), counts);
        let module = change.resource.module_address.as_deref().map(without_keys);
        self.modules.count(module.as_deref().unwrap_or("(root module)"), counts);
    }
}

fn type_of<'c>(change: &'c ResourceChange<'_>) -> &'c str {
    change.resource.type_name.as_deref().unwrap_or("(no type)")
}

/// Whether applying a plan leaves changes for a later plan. Nobody can apply a plan whose planning
/// failed.
fn leaves_changes(summary: &Summary) -> bool {
    summary.plan.errored != Some(true)
        && (summary.plan.complete == Some(false) || !summary.deferred_changes.is_empty())
}

/// The totals of all plans.
#[derive(Debug)]
pub struct Totals {
    /// Counts of inputs and plans.
    pub inputs: InputTotals,
    pub(crate) line: PlanLine,
    pub(crate) counts: ChangeCounts,
    pub(crate) invocations: u64,
    pub(crate) groups: TotalGroups,
    /// The first plans that could not be read, up to [`FAILURES_MAX`].
    pub(crate) failures: Vec<Failure>,
}

/// A plan that could not be read.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The name of the input. Several plans may have the same workspace.
    pub source: Box<str>,
    /// The workspace, if known.
    pub workspace: Option<Box<str>>,
    pub error: Box<str>,
}

/// The changes of all plans, by type, module, provider, action and workspace.
#[derive(Debug)]
pub struct TotalGroups {
    pub(super) types: Groups,
    pub(super) modules: Groups,
    pub(super) providers: Groups,
    pub(super) actions: Groups,
    pub(crate) workspaces: Groups,
}

impl Default for Totals {
    fn default() -> Totals {
        Totals {
            inputs: InputTotals::default(),
            line: PlanLine::default(),
            counts: ChangeCounts::default(),
            invocations: 0,
            groups: TotalGroups {
                types: Groups::default(),
                modules: Groups::default(),
                providers: Groups::default(),
                actions: Groups::default(),
                workspaces: Groups::new(WORKSPACES_MAX),
            },
            failures: Vec::new(),
        }
    }
}

impl Totals {
    /// Creates totals without rows of workspaces, for callers that draw no table.
    pub fn without_workspaces() -> Totals {
        Totals {
            groups: TotalGroups { workspaces: Groups::new(0), ..Totals::default().groups },
            ..Totals::default()
        }
    }

    /// Returns the totals of a document, without the numbers that a reporter counts: the plans that
    /// change something, and the broken rules.
    pub(crate) fn report(&self) -> ReportTotals {
        let InputTotals { plans, failed, errored, incomplete, bytes, .. } = self.inputs;
        ReportTotals {
            plans,
            failed,
            changed: 0,
            errored,
            incomplete,
            bytes,
            terraform: self.line,
            counts: self.counts,
            invocations: self.invocations,
            broken_rules: 0,
            broken_warnings: 0,
        }
    }

    /// Adds a plan that was read completely.
    pub fn add(&mut self, workspace: &str, plan: PlanCounts, summary: &Summary) {
        let counts = ChangeCounts::of(summary);
        let has_more = summary.has_more()
            || plan.invocations > 0
            || summary.resource_changes.keys().any(|action| action != "no-op");
        let row = self.groups.workspaces.row(&visible(workspace));
        row.counts.add(&counts);
        row.line.add(&summary.terraform);
        row.plans += 1;
        row.has_more |= has_more;
        row.is_errored |= summary.plan.errored == Some(true);
        row.is_unlisted |= summary.plan.lacks_resource_changes;
        let is_incomplete = leaves_changes(summary);
        row.is_incomplete |= is_incomplete;
        self.groups.types.add(plan.types);
        self.groups.modules.add(plan.modules);
        self.groups.providers.add(plan.providers);
        self.groups.actions.add(plan.actions);
        self.counts.add(&counts);
        self.line.add(&summary.terraform);
        self.inputs.plans += 1;
        self.inputs.bytes += summary.bytes;
        self.invocations += plan.invocations;
        self.inputs.errored += u64::from(summary.plan.errored == Some(true));
        self.inputs.unlisted += u64::from(summary.plan.lacks_resource_changes);
        self.inputs.deferred += summary.deferred_changes.values().sum::<u64>();
        self.inputs.incomplete += u64::from(is_incomplete || summary.plan.errored == Some(true));
    }

    /// ChangeCounts an assertion that a plan fails.
    pub fn fail_assertion(&mut self, workspace: &str, failed: &FailedAssertion<'_>) {
        if failed.is_error() {
            self.inputs.failed_assertions += 1;
            self.groups.workspaces.row(&visible(workspace)).fails_assertions = true;
        } else {
            self.inputs.failed_warnings += 1;
        }
    }

    /// Adds a plan that could not be read, with its error.
    pub fn fail(&mut self, label: Label<'_>, error: &str) {
        self.inputs.failed += 1;
        self.counts[Column::Errors] += 1;
        let row = self.groups.workspaces.row(&visible(label.workspace.unwrap_or(label.source)));
        row.counts[Column::Errors] += 1;
        if self.failures.len() < FAILURES_MAX {
            let [source, error] = [label.source, error].map(|text| visible(text).into());
            let workspace = label.workspace.map(|name| short_group(&visible(name)).into());
            self.failures.push(Failure { source, workspace, error });
        }
    }

    /// Adds an input that has no plan, such as an empty folder.
    pub fn fail_input(&mut self, label: Label<'_>, error: &str) {
        self.fail(label, error);
        let name = label.workspace.unwrap_or(label.source);
        self.groups.workspaces.row(&visible(name)).is_input = true;
    }

    /// Adds an input that is not processed yet.
    pub fn wait(&mut self, label: Label<'_>) {
        self.inputs.pending += 1;
        let name = label.workspace.unwrap_or(label.source);
        self.groups.workspaces.row(&visible(name)).is_pending = true;
    }

    /// Whether all inputs are processed and no shard is missing.
    pub(crate) fn is_complete(&self) -> bool {
        self.inputs.pending == 0 && self.inputs.missing_shards.is_empty()
    }

    /// Returns the record of the totals. `schema_version` is the version of the records of a batch,
    /// `inputs` is the number of inputs, and `changed` the number of plans that change anything.
    pub fn record(&self, schema_version: u32, inputs: u64, changed: u64) -> FleetTotals<'_> {
        let TotalGroups { types, modules, providers, actions, .. } = &self.groups;
        let [types, modules, providers, actions] =
            [types, modules, providers, actions].map(Groups::by_name);
        FleetTotals {
            schema_version,
            plansift: env!("CARGO_PKG_VERSION"),
            complete: self.is_complete(),
            inputs,
            changed,
            totals: &self.inputs,
            terraform: self.line,
            counts: self.counts,
            invocations: self.invocations,
            types,
            modules,
            providers,
            actions,
        }
    }

    /// Returns a sentence about the changes of all plans.
    pub(crate) fn plan_line(&self) -> String {
        let is_unsure = self.inputs.failed + self.inputs.errored + self.inputs.unlisted > 0;
        match self.counts.changes() + self.invocations {
            0 if self.inputs.plans + self.inputs.failed + self.inputs.pending == 0 => "No plan.",
            0 if self.inputs.plans == 0 => "No plan could be read.",
            0 if is_unsure => "No changes to resources are known.",
            0 if self.groups.workspaces.rows().any(|row| !row.is_quiet()) => {
                "No changes to resources."
            }
            0 => "No changes.",
            _ => return plan_words(&self.line, self.invocations),
        }
        .to_owned()
    }

    pub(crate) fn groups(&self, by: FleetGrouping) -> &Groups {
        match by {
            FleetGrouping::Workspace => &self.groups.workspaces,
            FleetGrouping::Type => &self.groups.types,
            FleetGrouping::Module => &self.groups.modules,
            FleetGrouping::Provider => &self.groups.providers,
            FleetGrouping::Action => &self.groups.actions,
        }
    }
}
