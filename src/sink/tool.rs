//! The tool that made a plan, for texts that name it. No key of a plan says so; its providers and
//! what it leaves unsaid do.

use crate::record::Record;
use crate::record::counts::Summary;

/// The tool that made a plan, or the tools that made several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tool {
    /// A plan is taken for Terraform's where nothing tells.
    #[default]
    Terraform,
    OpenTofu,
    /// There are plans of both.
    Both,
}

impl Tool {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Terraform => "Terraform",
            Tool::OpenTofu => "OpenTofu",
            Tool::Both => "Terraform or OpenTofu",
        }
    }

    /// The tools of these plans and of others.
    pub fn and(self, other: Tool) -> Tool {
        if self == other { self } else { Tool::Both }
    }

    /// The title of what changed without a plan.
    pub fn drift(self) -> &'static str {
        match self {
            Tool::Terraform => "Changed outside of Terraform (drift)",
            Tool::OpenTofu => "Changed outside of OpenTofu (drift)",
            Tool::Both => "Changed outside of Terraform or OpenTofu (drift)",
        }
    }
}

/// What tells which tool made a plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Clues {
    /// The tool whose registry a provider comes from.
    registry: Option<Tool>,
    version: Option<String>,
}

impl Clues {
    /// Takes note of a record. The first of a plan begins anew.
    pub fn note(&mut self, record: &Record<'_>) {
        if let Record::Plan(plan) = record {
            *self = Clues { registry: None, version: plan.terraform_version.map(str::to_owned) };
        }
        if let (None, Some(change)) = (self.registry, record.resource()) {
            let registry = change.provider_name.as_deref().and_then(|name| name.split('/').next());
            self.registry = match registry {
                Some("registry.terraform.io") => Some(Tool::Terraform),
                Some("registry.opentofu.org") => Some(Tool::OpenTofu),
                _ => None,
            };
        }
    }

    /// The version of the tool that made the plan, which has come to an end.
    pub fn version<'v>(&'v self, summary: &'v Summary) -> Option<&'v str> {
        summary.terraform_version.as_deref().or(self.version.as_deref())
    }

    /// The tool that made the plan, which has come to an end.
    pub fn tool(&self, summary: &Summary) -> Tool {
        self.registry.unwrap_or_else(|| self.without_registry(summary))
    }

    /// The tool that made the plan, which has failed.
    pub fn tool_so_far(&self) -> Tool {
        self.registry.unwrap_or_default()
    }

    /// From version 1.8 on, Terraform says of each plan whether it can be applied; OpenTofu does
    /// not.
    fn without_registry(&self, summary: &Summary) -> Tool {
        let version = self.version(summary).unwrap_or_default();
        let mut numbers = version.split(['.', '-']).map(|number| number.parse::<u32>().ok());
        let is_recent = match [numbers.next(), numbers.next()].map(Option::flatten) {
            [Some(1), Some(minor)] => minor >= 8,
            [Some(major), _] => major > 1,
            [None, _] => false,
        };
        let is_silent = summary.applyable.is_none() && summary.complete.is_none();
        // Both have said for longer whether planning failed: the plan is whole.
        match is_recent && is_silent && summary.errored.is_some() {
            true => Tool::OpenTofu,
            false => Tool::Terraform,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Plan, ResourceChange};

    #[test]
    fn versions_and_silence_tell_the_tool() {
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
            let summary = Summary { applyable, errored, ..Summary::default() };
            assert_eq!(clues.tool(&summary), tool, "{version:?} {applyable:?}");
        }
    }

    #[test]
    fn registries_tell_the_tool() {
        for (provider, tool) in [
            ("registry.opentofu.org/hashicorp/aws", Tool::OpenTofu),
            ("registry.terraform.io/hashicorp/aws", Tool::Terraform),
            ("terraform.io/builtin/terraform", Tool::Terraform),
            ("", Tool::Terraform),
        ] {
            let mut clues = Clues::default();
            let change =
                ResourceChange { provider_name: Some(provider.into()), ..Default::default() };
            clues.note(&Record::ResourceChange(change));
            assert_eq!(clues.tool_so_far(), tool, "{provider}");
        }
        assert_eq!(Tool::OpenTofu.and(Tool::OpenTofu), Tool::OpenTofu);
        assert_eq!(Tool::OpenTofu.and(Tool::Terraform), Tool::Both);
    }
}
