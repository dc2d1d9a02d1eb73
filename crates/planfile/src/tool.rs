//! Detects whether Terraform or OpenTofu wrote a plan file. The file does not name its tool, so
//! this module collects evidence.
//!
//! The tools number some fields differently and omit false values, so a few keys of plan JSON
//! depend on the tool. Without evidence, or with evidence of both tools, the tool is unknown and
//! those keys are left out.

use super::action::Action;
use super::member::Span;
use super::protobuf::Wire;

/// The tool that wrote a plan file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Terraform.
    Terraform,
    /// OpenTofu.
    OpenTofu,
    /// The file has no evidence, or evidence of both.
    Unknown,
}

/// Evidence in a plan file: data that only one of the tools writes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    terraform: bool,
    opentofu: bool,
    /// The tool that wrote the dependency lock file. The same tool wrote the plan.
    locks: Option<Tool>,
}

impl Evidence {
    pub(super) fn field(&mut self, span: &Span) {
        match (span.number, span.wire) {
            (6 | 500_000_000 | 500_000_001, _) => self.opentofu = true,
            (25 | 26, Wire::Varint(1..)) | (27..=32, _) => self.terraform = true,
            _ => {}
        }
    }

    pub(super) fn action(&mut self, action: Action) {
        match action {
            Action::CreateThenForget => self.terraform = true,
            Action::ForgetThenCreate => self.opentofu = true,
            _ => {}
        }
    }

    pub(super) fn reason(&mut self, reason: u64) {
        self.opentofu |= (14..=16).contains(&reason);
    }

    /// Records the address of a provider's configuration.
    pub(super) fn provider(&mut self, provider: &str) {
        self.opentofu |= provider.contains("[\"registry.opentofu.org/");
    }

    /// Records that the file has a member with schemas.
    pub(super) fn schemas(&mut self) {
        self.opentofu = true;
    }

    /// Records the content of the dependency lock file.
    pub(super) fn locks(&mut self, text: &[u8]) {
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        self.locks = if first.ends_with(b"\"terraform init\".") {
            Some(Tool::Terraform)
        } else if first.ends_with(b"\"tofu init\".") {
            Some(Tool::OpenTofu)
        } else {
            None
        };
    }

    pub(super) fn tool(self) -> Tool {
        match (self.terraform, self.opentofu, self.locks) {
            (true, false, None | Some(Tool::Terraform)) | (false, false, Some(Tool::Terraform)) => {
                Tool::Terraform
            }
            (false, true, None | Some(Tool::OpenTofu)) | (false, false, Some(Tool::OpenTofu)) => {
                Tool::OpenTofu
            }
            _ => Tool::Unknown,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Release {
    pub tool: Tool,
    /// The first two numbers of the version, if they are numbers.
    version: Option<(u32, u32)>,
}

impl Release {
    /// Creates a release from a version string such as `1.12.6`.
    pub(super) fn new(tool: Tool, version: &str) -> Release {
        let mut numbers = version.split('.').map(|number| number.parse().ok());
        let version = match (numbers.next(), numbers.next()) {
            (Some(Some(major)), Some(Some(minor))) => Some((major, minor)),
            _ => None,
        };
        Release { tool, version }
    }

    /// Returns the version of the JSON format that the release writes.
    pub(super) fn format_version(self) -> &'static str {
        match (self.tool, self.version) {
            (Tool::Terraform, Some((0, _))) => "0.1",
            (Tool::Terraform, Some((1, 0))) => "0.2",
            (Tool::Terraform, Some((1, 1))) => "1.0",
            (Tool::Terraform, Some((1, 2..=4))) => "1.1",
            _ => "1.2",
        }
    }

    /// Whether the JSON of the tool has `applyable` and `complete`.
    pub(super) fn has_applyable(self) -> bool {
        self.tool == Tool::Terraform && self.version.is_some_and(|version| version >= (1, 8))
    }

    /// Whether `planned_values` contains forgotten resources.
    pub(super) fn plans_forgotten(self) -> bool {
        self.tool == Tool::OpenTofu || self.version.is_none_or(|version| version < (1, 12))
    }

    /// Whether `resource_drift` has identities.
    pub(super) fn drift_has_identities(self) -> bool {
        self.tool != Tool::Terraform
    }

    /// Whether triggers of actions have `on_failure`.
    pub(super) fn has_on_failure(self) -> bool {
        self.version.is_some_and(|version| version >= (1, 16))
    }
}
