//! The sections of a report for a terminal, each with its own heading.

use crate::phrase::{ACTIONS, DEFERRED, DEFERRED_ACTIONS};
use crate::tool::Tool;

/// A section of the report. The order is the order of the report: failed checks first, then
/// Terraform's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportSection {
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

impl ReportSection {
    /// All sections with their headings, in the order of the report.
    pub const ALL: [(ReportSection, &str); 10] = [
        (ReportSection::Checks, "Checks that did not pass"),
        (ReportSection::Drift, ""),
        (ReportSection::Changes, "Changes"),
        (ReportSection::Actions, ACTIONS),
        (ReportSection::Deferred, DEFERRED),
        (ReportSection::DeferredActions, DEFERRED_ACTIONS),
        (ReportSection::Outputs, "Outputs"),
        (ReportSection::PassedChecks, "Checks that passed"),
        (ReportSection::Same, "Unchanged resources"),
        (ReportSection::SameOutputs, "Unchanged outputs"),
    ];

    pub fn title(self, tool: Tool) -> &'static str {
        if self == ReportSection::Drift {
            tool.drift()
        } else {
            ReportSection::ALL[self as usize].1
        }
    }
}
