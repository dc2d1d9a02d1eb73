//! The top-level keys of a plan (docs/format/plan.md, section 1).

/// A top-level key of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the keys of the format")]
#[non_exhaustive]
pub enum Section {
    FormatVersion,
    TerraformVersion,
    Variables,
    PlannedValues,
    ResourceDrift,
    ResourceChanges,
    DeferredChanges,
    DeferredActionInvocations,
    OutputChanges,
    ActionInvocations,
    PriorState,
    Configuration,
    RelevantAttributes,
    Checks,
    Timestamp,
    Applyable,
    Complete,
    Errored,
    Other,
}

/// The known sections and their keys, one for each variant before [`Section::Other`].
const KEYS: [(Section, &str); Section::Other as usize] = [
    (Section::FormatVersion, "format_version"),
    (Section::TerraformVersion, "terraform_version"),
    (Section::Variables, "variables"),
    (Section::PlannedValues, "planned_values"),
    (Section::ResourceDrift, "resource_drift"),
    (Section::ResourceChanges, "resource_changes"),
    (Section::DeferredChanges, "deferred_changes"),
    (Section::DeferredActionInvocations, "deferred_action_invocations"),
    (Section::OutputChanges, "output_changes"),
    (Section::ActionInvocations, "action_invocations"),
    (Section::PriorState, "prior_state"),
    (Section::Configuration, "configuration"),
    (Section::RelevantAttributes, "relevant_attributes"),
    (Section::Checks, "checks"),
    (Section::Timestamp, "timestamp"),
    (Section::Applyable, "applyable"),
    (Section::Complete, "complete"),
    (Section::Errored, "errored"),
];

impl Section {
    /// Returns the section with this key.
    pub fn of(key: &str) -> Section {
        // HCP Terraform renames the key in redacted plans (docs/format/plan.md, section 12).
        let key = if key == "plan_format_version" { "format_version" } else { key };
        let known = KEYS.iter().find(|(_, known)| *known == key);
        known.map_or(Section::Other, |(section, _)| *section)
    }

    /// Returns the key of the section. Returns `?` for [`Section::Other`], because its key may be
    /// any text.
    pub fn name(self) -> &'static str {
        let known = KEYS.iter().find(|(section, _)| *section == self);
        known.map_or("?", |(_, key)| key)
    }

    /// Whether only plans have this key.
    pub fn is_of_plans(self) -> bool {
        matches!(
            self,
            Section::PlannedValues
                | Section::ResourceDrift
                | Section::ResourceChanges
                | Section::DeferredChanges
                | Section::OutputChanges
                | Section::ActionInvocations
                | Section::Configuration
                | Section::RelevantAttributes
                | Section::Applyable
                | Section::Errored
        )
    }

    /// Whether visitors enter the section by default, because it contains changes or facts about
    /// the plan.
    pub(crate) fn is_entered(self) -> bool {
        !matches!(
            self,
            Section::Variables
                | Section::PlannedValues
                | Section::PriorState
                | Section::Configuration
                | Section::RelevantAttributes
                | Section::DeferredActionInvocations
                | Section::Other
        )
    }
}
