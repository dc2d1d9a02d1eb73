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
    /// All parts with their headings, in the order of the report.
    pub const ALL: [(Part, &str); 10] = [
        (Part::Checks, "Checks that did not pass"),
        (Part::Drift, ""),
        (Part::Changes, "Changes"),
        (Part::Actions, ACTIONS),
        (Part::Deferred, DEFERRED),
        (Part::DeferredActions, DEFERRED_ACTIONS),
        (Part::Outputs, "Outputs"),
        (Part::PassedChecks, "Checks that passed"),
        (Part::Same, "Unchanged resources"),
        (Part::SameOutputs, "Unchanged outputs"),
    ];

    /// Returns the heading of the part.
    pub fn title(self, tool: Tool) -> &'static str {
        if self == Part::Drift { tool.drift() } else { Part::ALL[self as usize].1 }
    }
}
