//! The records of the changes of a plan (docs/format/records.md, sections 3 to 7).

use std::borrow::Cow;

use serde::Serialize;

use super::changed_documents::ChangedDocuments;
use super::impact::Impact;
use super::owned::with_owned;
use super::{Attributes, JsonText, action};
use crate::config::{Block, Origin};
use crate::plan::{Timing, moved_from};
use plansift_core::path::Paths;

/// The `plan` record. It names the plan that the following records belong to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Plan<'a> {
    /// The version of the record format.
    #[cfg_attr(test, schemars(extend("const" = 1)))]
    pub schema_version: u32,
    /// The input as the user named it; `-` for standard input.
    pub source: &'a str,
    /// The workspace, if the run has several plans or the user gave a rule for workspace names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<&'a str>,
    /// `format_version` of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format_version: Option<&'a str>,
    /// The version of Terraform or OpenTofu; the format uses one key for both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terraform_version: Option<&'a str>,
}

with_owned! {
/// A change to a resource instance. The strings are those of the plan, decoded.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResourceChange<'a> {
    /// The names of the resource.
    #[serde(flatten)]
    pub resource: ResourceName<'a>,
    /// The actions as one word, such as `replace`.
    pub action: Cow<'a, str>,
    /// The actions of the change, in order.
    pub actions: Cow<'a, [Cow<'a, str>]>,
    /// The reason for the action, as the tool gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_reason: Option<Cow<'a, str>>,
    /// The reason why the change is deferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred_reason: Option<Cow<'a, str>>,
    /// The paths at which values change, are unknown or are sensitive.
    #[serde(flatten)]
    pub paths: ChangePaths<'a>,
    /// The paths that force a replacement, in the order of the plan.
    #[serde(skip_serializing_if = "Paths::is_empty")]
    #[cfg_attr(test, schemars(extend("uniqueItems" = false)))]
    #[cfg_attr(test, schemars(with = "super::schemas::PathList"))]
    pub replace_paths: Cow<'a, Paths>,
    /// An object as compact JSON text, with secrets masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("type" = "object")))]
    pub importing: Option<JsonText<'a>>,
    /// Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub generated_config: bool,
    /// The block of the resource in the configuration, with `changes --with-config`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub block: Option<Box<Block>>,
    /// The block of the object. Present with `--source`, and for plan files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<Origin>>,
    /// What depends on a resource that is destroyed, replaced or forgotten. Reports and summaries
    /// show it with `--impact`.
    #[serde(skip)]
    pub impact: Option<Box<Impact>>,
    /// The changes in the documents in strings, for rules that lead into them.
    #[serde(skip)]
    pub documents: Option<Box<ChangedDocuments>>,
    /// The attributes to display. Empty unless the run has a view.
    #[serde(skip)]
    pub attributes: Attributes,
}
}

with_owned! {
/// The lists of paths of a change.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangePaths<'a> {
    /// The paths whose values differ before and after the change.
    #[serde(skip_serializing_if = "Paths::is_empty")]
    #[cfg_attr(test, schemars(with = "super::schemas::PathList"))]
    pub changed: Cow<'a, Paths>,
    /// The paths whose values are unknown until apply.
    #[serde(skip_serializing_if = "Paths::is_empty")]
    #[cfg_attr(test, schemars(with = "super::schemas::PathList"))]
    pub unknown: Cow<'a, Paths>,
    /// The paths that are marked as sensitive before or after the change.
    #[serde(skip_serializing_if = "Paths::is_empty")]
    #[cfg_attr(test, schemars(with = "super::schemas::PathList"))]
    pub sensitive: Cow<'a, Paths>,
    /// The paths that are marked as sensitive only after the change.
    #[serde(skip_serializing_if = "Paths::is_empty")]
    #[cfg_attr(test, schemars(with = "super::schemas::PathList"))]
    pub sensitive_added: Cow<'a, Paths>,
    /// The paths that are marked as sensitive only before the change.
    #[serde(skip_serializing_if = "Paths::is_empty")]
    #[cfg_attr(test, schemars(with = "super::schemas::PathList"))]
    pub sensitive_removed: Cow<'a, Paths>,
}
}

with_owned! {
/// The resource of a row: its address, and the parts of the address.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResourceName<'a> {
    /// The address of the resource instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Cow<'a, str>>,
    /// The address before the plan, if the plan has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_address: Option<Cow<'a, str>>,
    /// The address of the module instance that contains the resource. Absent in the root module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module_address: Option<Cow<'a, str>>,
    /// `managed`, `data` or `ephemeral`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Cow<'a, str>>,
    /// The type of the resource.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'a, str>>,
    /// The name of the resource in the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    /// A string or a number, as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("type" = ["string", "number"])))]
    pub index: Option<JsonText<'a>>,
    /// The key of the deposed object. Absent for a current object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposed: Option<Cow<'a, str>>,
    /// The source address of the provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_name: Option<Cow<'a, str>>,
}
}

impl ResourceChange<'_> {
    /// The previous address, if it differs from the address.
    pub fn moved_from(&self) -> Option<&str> {
        let ResourceName { address, previous_address, .. } = &self.resource;
        moved_from(address.as_deref(), previous_address.as_deref())
    }

    /// Returns the label, followed by the deposed key if the object is deposed. A deposed object
    /// has the same address as the current object (docs/format/plan.md, section 3).
    pub fn full_name(&self) -> Cow<'_, str> {
        match &self.resource.deposed {
            Some(key) => Cow::Owned(format!("{} (deposed {key})", self.label())),
            None => self.label(),
        }
    }

    /// Returns the effects of the change, the most severe first: `delete`, `replace`, `forget`,
    /// `update`, `create`, `read`. A known list of actions has at most one effect. An unknown list
    /// may have several.
    pub fn effects(&self) -> impl Iterator<Item = &'static str> + use<> {
        action::effects(&self.actions)
    }

    /// Whether Terraform stops managing an object without destroying it. This is the resource's
    /// only object, or the object that the change replaces.
    pub fn forgets(&self) -> bool {
        self.actions.iter().any(|action| action == "forget")
    }

    /// Returns the address. If the plan has no address, returns the type, name and index.
    pub fn label(&self) -> Cow<'_, str> {
        if let Some(address) = &self.resource.address {
            return Cow::Borrowed(address);
        }
        let data = if self.resource.mode.as_deref() == Some("data") { "data." } else { "" };
        let part = |text: &Option<Cow<'_, str>>| text.as_deref().unwrap_or("?").to_owned();
        let index = self.resource.index.as_ref().map(|index| format!("[{}]", index.get()));
        let [type_name, name] = [&self.resource.type_name, &self.resource.name].map(part);
        Cow::Owned(format!("{data}{type_name}.{name}{}", index.unwrap_or_default()))
    }

    /// Whether the change moves the object and does nothing else.
    pub fn only_moves(&self) -> bool {
        self.action == "no-op" && self.moved_from().is_some() && self.importing.is_none()
    }

    /// Whether the resource stays as it is: no action, no move and no import.
    pub fn is_settled(&self) -> bool {
        action::is_settled(Some(&self.action), self.moved_from(), self.importing.as_ref())
    }
}

with_owned! {
/// A change to an output value of the root module.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OutputChange<'a> {
    /// The name of the output.
    pub name: Cow<'a, str>,
    /// The actions as one word, such as `update`.
    pub action: Cow<'a, str>,
    /// The actions of the change, in order.
    pub actions: Cow<'a, [Cow<'a, str>]>,
    /// The paths at which values change, are unknown or are sensitive.
    #[serde(flatten)]
    pub paths: ChangePaths<'a>,
    /// The block of the object. Present with `--source`, and for plan files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<Origin>>,
    /// The attributes to display. Empty unless the run has a view.
    #[serde(skip)]
    pub attributes: Attributes,
}
}

with_owned! {
/// A checkable object and the result of its conditions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Check<'a> {
    /// The address of the checkable object.
    pub address: Cow<'a, str>,
    /// The kind of the object: `resource`, `output_value`, `check` or `var`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_kind: Option<Cow<'a, str>>,
    /// `pass`, `fail`, `error` or `unknown`.
    pub status: Cow<'a, str>,
    /// The messages of the failed conditions, with secrets masked.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub problems: Cow<'a, [Cow<'a, str>]>,
    /// The block of the object. Present with `--source`, and for plan files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Box<Origin>>,
}
}

impl Check<'_> {
    /// Whether the check failed, or could not be evaluated.
    pub fn has_failed(&self) -> bool {
        matches!(&*self.status, "fail" | "error")
    }
}

with_owned! {
/// An attribute that the plan depends on: its prior value contributes to the planned changes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RelevantAttribute<'a> {
    /// The address of the resource.
    pub resource: Cow<'a, str>,
    /// The name of the attribute, which is the first step of its path. Absent if the plan depends
    /// on the whole resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<Cow<'a, str>>,
}
}

with_owned! {
/// An action that the plan invokes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ActionInvocation<'a> {
    /// The address of the action.
    pub address: Cow<'a, str>,
    /// The type of the action.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'a, str>>,
    /// The name of the action in the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    /// `lifecycle` for an action of a resource, `invoke` for an action of the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("enum" = ["lifecycle", "invoke"])))]
    pub trigger: Option<&'static str>,
    /// The address of the resource whose change invokes the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triggering_address: Option<Cow<'a, str>>,
    /// The reason why the invocation is deferred.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deferred_reason: Option<Cow<'a, str>>,
    /// When the action is invoked.
    #[serde(skip)]
    pub timing: Timing,
    /// The configuration to display. Empty unless the run has a view.
    #[serde(skip)]
    pub attributes: Attributes,
}
}

impl ActionInvocation<'_> {
    /// Returns the words to write before the address of the trigger. They say when the action is
    /// invoked.
    pub fn timing_words(&self) -> &'static str {
        match self.timing {
            Timing::Before => "before",
            Timing::After => "after",
            Timing::Unknown => "triggered by",
        }
    }
}
