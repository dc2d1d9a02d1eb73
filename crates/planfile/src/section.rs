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

/// All sections, in order. A section has the number of its field in the plan, or 0; its top-level
/// key, or the first key of `Head` and `Tail`; and the brackets around its elements.
pub(super) const SECTIONS: [(Section, u32, &str, Option<[u8; 2]>); 13] = [
    (Section::Head, 0, "format_version", None),
    (Section::Variables, 2, "variables", Some(*b"{}")),
    (Section::PlannedValues, 0, "planned_values", Some(*b"{}")),
    (Section::Drift, 18, "resource_drift", Some(*b"[]")),
    (Section::Changes, 3, "resource_changes", Some(*b"[]")),
    (Section::Deferred, 27, "deferred_changes", Some(*b"[]")),
    (Section::DeferredInvocations, 31, "deferred_action_invocations", Some(*b"[]")),
    (Section::Outputs, 4, "output_changes", Some(*b"{}")),
    (Section::Invocations, 30, "action_invocations", Some(*b"[]")),
    (Section::PriorState, 0, "prior_state", Some(*b"{}")),
    (Section::RelevantAttributes, 15, "relevant_attributes", Some(*b"[]")),
    (Section::Checks, 19, "checks", Some(*b"[]")),
    (Section::Tail, 0, "timestamp", None),
];

/// Returns the key of the section whose data is in a field of the plan; `plan` for fields without a
/// section.
pub(super) fn key_of(field: u32) -> &'static str {
    let section = SECTIONS.iter().find(|(_, number, ..)| *number == field && field != 0);
    section.map_or("plan", |(_, _, key, _)| *key)
}

impl Section {
    /// The member of the plan file that contains the data of the section.
    pub(super) fn member(self) -> &'static str {
        match self {
            Section::PriorState => STATE,
            _ => PLAN,
        }
    }
}
