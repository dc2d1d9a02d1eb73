//! Guesses which tool made a plan, for phrases that name the tool.
//!
//! No key of a plan names the tool. The clues are the registries of the providers and the absence
//! of certain keys.

use plansift_plan::record::Record;
use plansift_plan::record::counts::Summary;

/// The tool that made a plan, or the tools that made several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tool {
    /// The default, if nothing reveals the tool.
    #[default]
    Terraform,
    OpenTofu,
    /// Some plans are from Terraform and some from OpenTofu.
    Both,
}

impl Tool {
    /// Returns the name for use in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Terraform => "Terraform",
            Tool::OpenTofu => "OpenTofu",
            Tool::Both => "Terraform or OpenTofu",
        }
    }

    /// Returns the tool whose registry a provider comes from. `None` for other registries.
    pub fn of_provider(name: &str) -> Option<Tool> {
        match name.split('/').next() {
            Some("registry.terraform.io") => Some(Tool::Terraform),
            Some("registry.opentofu.org") => Some(Tool::OpenTofu),
            _ => None,
        }
    }

    /// Combines the tools of two sets of plans.
    pub fn and(self, other: Tool) -> Tool {
        if self == other { self } else { Tool::Both }
    }

    /// Returns the title of the drift section.
    pub fn drift(self) -> &'static str {
        match self {
            Tool::Terraform => "Changed outside of Terraform (drift)",
            Tool::OpenTofu => "Changed outside of OpenTofu (drift)",
            Tool::Both => "Changed outside of Terraform or OpenTofu (drift)",
        }
    }
}

/// Clues about the tool in the records of a plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Clues {
    /// The tool whose registry a provider comes from.
    registry: Option<Tool>,
    version: Option<String>,
}

impl Clues {
    /// Updates the clues with a record. A `plan` record resets them.
    pub fn note(&mut self, record: &Record<'_>) {
        if let Record::Plan(plan) = record {
            *self = Clues { registry: None, version: plan.terraform_version.map(str::to_owned) };
        }
        if let (None, Some(change)) = (self.registry, record.resource()) {
            self.registry = change.resource.provider_name.as_deref().and_then(Tool::of_provider);
        }
    }

    /// Returns the version of the tool, once the plan has ended. `None` if the plan does not have
    /// it.
    pub fn version<'v>(&'v self, summary: &'v Summary) -> Option<&'v str> {
        summary.plan.terraform_version.as_deref().or(self.version.as_deref())
    }

    /// Returns the tool, once the plan has ended.
    pub fn tool(&self, summary: &Summary) -> Tool {
        self.registry.unwrap_or_else(|| self.without_registry(summary))
    }

    /// Returns the tool of a plan that could not be read to its end.
    pub fn tool_so_far(&self) -> Tool {
        self.registry.unwrap_or_default()
    }

    /// Guesses the tool from the keys of the plan: since version 1.8, Terraform writes `applyable`
    /// and `complete`, and OpenTofu does not.
    fn without_registry(&self, summary: &Summary) -> Tool {
        let version = self.version(summary).unwrap_or_default();
        let mut numbers = version.split(['.', '-']).map(|number| number.parse::<u32>().ok());
        let is_recent = match [numbers.next(), numbers.next()].map(Option::flatten) {
            [Some(1), Some(minor)] => minor >= 8,
            [Some(major), _] => major > 1,
            [None, _] => false,
        };
        let is_silent = summary.plan.applyable.is_none() && summary.plan.complete.is_none();
        // In these versions, both tools write `errored`. Without it, keys of the plan are missing,
        // and the absence of the other two keys reveals nothing.
        match is_recent && is_silent && summary.plan.errored.is_some() {
            true => Tool::OpenTofu,
            false => Tool::Terraform,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_plan::record::{Plan, PlanFacts, ResourceChange, ResourceName};

    #[test]
    fn versions_and_missing_fields_identify_the_tool() {
        for (version, applyable, errored, tool) in [
            (Some("1.9.0"), None, Some(false), Tool::OpenTofu),
            (Some("1.12.6-dev"), None, Some(true), Tool::OpenTofu),
            (Some("1.9.0"), Some(true), Some(false), Tool::Terraform),
            (Some("1.7.5"), None, Some(false), Tool::Terraform),
            (Some("0.15.0"), None, Some(false), Tool::Terraform),
            (Some("1.9.0"), None, None, Tool::Terraform),
            (Some("x"), None, Some(false), Tool::Terraform),
            (None, None, Some(false), Tool::Terraform),
        ] {
            let mut clues = Clues::default();
            clues.note(&Record::Plan(Plan {
                schema_version: 1,
                source: "-",
                workspace: None,
                format_version: None,
                terraform_version: version,
            }));
            let plan = PlanFacts { applyable, errored, ..PlanFacts::default() };
            let summary = Summary { plan, ..Summary::default() };
            assert_eq!(clues.tool(&summary), tool, "{version:?} {applyable:?}");
        }
    }

    #[test]
    fn provider_registries_identify_the_tool() {
        for (provider, tool) in [
            ("registry.opentofu.org/hashicorp/aws", Tool::OpenTofu),
            ("registry.terraform.io/hashicorp/aws", Tool::Terraform),
            ("terraform.io/builtin/terraform", Tool::Terraform),
            ("", Tool::Terraform),
        ] {
            let mut clues = Clues::default();
            let change = ResourceChange {
                resource: ResourceName {
                    provider_name: Some(provider.into()),
                    ..Default::default()
                },
                ..Default::default()
            };
            clues.note(&Record::ResourceChange(change));
            assert_eq!(clues.tool_so_far(), tool, "{provider}");
        }
        assert_eq!(Tool::OpenTofu.and(Tool::OpenTofu), Tool::OpenTofu);
        assert_eq!(Tool::OpenTofu.and(Tool::Terraform), Tool::Both);
    }
}
