//! The sections of plan JSON, in the order in which Terraform and OpenTofu write them.

use super::archive::{PLAN, STATE};

/// A section of the document. `Head` and `Tail` are the top-level scalars at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Head,
    Variables,
    PlannedValues,
    Drift,
    Changes,
    Deferred,
    DeferredInvocations,
    Outputs,
    Invocations,
    PriorState,
    RelevantAttributes,
    Checks,
    Tail,
}

/// All sections, in order: the top-level key of each, or the first key of `Head` and `Tail`, and the
/// brackets around its elements.
pub(super) const SECTIONS: [(Section, &str, Option<[u8; 2]>); 13] = [
    (Section::Head, "format_version", None),
    (Section::Variables, "variables", Some(*b"{}")),
    (Section::PlannedValues, "planned_values", Some(*b"{}")),
    (Section::Drift, "resource_drift", Some(*b"[]")),
    (Section::Changes, "resource_changes", Some(*b"[]")),
    (Section::Deferred, "deferred_changes", Some(*b"[]")),
    (Section::DeferredInvocations, "deferred_action_invocations", Some(*b"[]")),
    (Section::Outputs, "output_changes", Some(*b"{}")),
    (Section::Invocations, "action_invocations", Some(*b"[]")),
    (Section::PriorState, "prior_state", Some(*b"{}")),
    (Section::RelevantAttributes, "relevant_attributes", Some(*b"[]")),
    (Section::Checks, "checks", Some(*b"[]")),
    (Section::Tail, "timestamp", None),
];

impl Section {
    /// The member of the plan file that contains the data of the section.
    pub(super) fn member(self) -> &'static str {
        match self {
            Section::PriorState => STATE,
            _ => PLAN,
        }
    }
}
