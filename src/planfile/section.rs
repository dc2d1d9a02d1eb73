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

/// All sections, in order.
pub(super) const SECTIONS: [Section; 13] = [
    Section::Head,
    Section::Variables,
    Section::PlannedValues,
    Section::Drift,
    Section::Changes,
    Section::Deferred,
    Section::DeferredInvocations,
    Section::Outputs,
    Section::Invocations,
    Section::PriorState,
    Section::RelevantAttributes,
    Section::Checks,
    Section::Tail,
];

impl Section {
    /// The top-level key of the section, or the first key of `Head` and `Tail`.
    pub(super) fn key(self) -> &'static str {
        match self {
            Section::Head => "format_version",
            Section::Variables => "variables",
            Section::PlannedValues => "planned_values",
            Section::Drift => "resource_drift",
            Section::Changes => "resource_changes",
            Section::Deferred => "deferred_changes",
            Section::DeferredInvocations => "deferred_action_invocations",
            Section::Outputs => "output_changes",
            Section::Invocations => "action_invocations",
            Section::PriorState => "prior_state",
            Section::RelevantAttributes => "relevant_attributes",
            Section::Checks => "checks",
            Section::Tail => "timestamp",
        }
    }

    /// The member of the plan file that contains the data of the section.
    pub(super) fn member(self) -> &'static str {
        match self {
            Section::PriorState => STATE,
            _ => PLAN,
        }
    }

    /// The brackets around the elements.
    pub(super) fn brackets(self) -> Option<[u8; 2]> {
        match self {
            Section::Head | Section::Tail => None,
            Section::Variables
            | Section::PlannedValues
            | Section::Outputs
            | Section::PriorState => Some(*b"{}"),
            _ => Some(*b"[]"),
        }
    }
}
