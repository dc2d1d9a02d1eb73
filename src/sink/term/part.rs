//! The parts of a report for a terminal, each with its own heading.

use crate::sink::phrase::{ACTIONS, DEFERRED, DEFERRED_ACTIONS};
use crate::sink::tool::Tool;

/// A part of the report. The order is the order of the report: failed checks first, then
/// Terraform's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Checks,
    Drift,
    Changes,
    Actions,
    Deferred,
    DeferredActions,
    Outputs,
    PassedChecks,
    Same,
    SameOutputs,
}

impl Part {
    /// All parts, in the order of the report.
    pub const ALL: [Part; 10] = [
        Part::Checks,
        Part::Drift,
        Part::Changes,
        Part::Actions,
        Part::Deferred,
        Part::DeferredActions,
        Part::Outputs,
        Part::PassedChecks,
        Part::Same,
        Part::SameOutputs,
    ];

    /// The heading of the part.
    pub fn title(self, tool: Tool) -> &'static str {
        match self {
            Part::Drift => tool.drift(),
            Part::Changes => "Changes",
            Part::Outputs => "Outputs",
            Part::Actions => ACTIONS,
            Part::Deferred => DEFERRED,
            Part::DeferredActions => DEFERRED_ACTIONS,
            Part::Checks => "Checks that did not pass",
            Part::PassedChecks => "Checks that passed",
            Part::Same => "Unchanged resources",
            Part::SameOutputs => "Unchanged outputs",
        }
    }
}
