//! The records of the contents of a document: resources, outputs, variables and groups
//! (docs/format/records.md, section 12).

use std::borrow::Cow;

use serde::Serialize;

use super::state_counts::GroupKey;
use super::{JsonText, ResourceName};
use plansift_core::path::Paths;

/// A resource instance in the values of a plan or state.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Resource<'a> {
    /// The section of the document that contains the resource.
    #[cfg_attr(test, schemars(extend("enum" = ["planned_values", "prior_state", "values"])))]
    pub section: &'static str,
    /// The resource, without a previous address.
    #[serde(flatten)]
    pub resource: ResourceName<'a>,
    /// The version of the schema of the resource type.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("type" = "number")))]
    pub schema_version: Option<JsonText<'a>>,
    /// Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// Addresses of resources and modules, as in the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Cow<'a, str>>,
    /// The paths that the document marks as sensitive.
    #[serde(skip_serializing_if = "Paths::is_empty")]
    #[cfg_attr(test, schemars(with = "super::schemas::PathList"))]
    pub sensitive: Paths,
    /// Present if the resource has an identity.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub identity: bool,
    /// The values at the paths of `--select`, with secrets masked. Each key is a path.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_object")]
    #[cfg_attr(test, schemars(with = "std::collections::BTreeMap<String, JsonText<'_>>"))]
    pub values: Vec<(&'a str, Option<JsonText<'static>>)>,
}

/// Serializes values as an object whose keys are the paths. Paths without a value are left out.
fn as_object<S: serde::Serializer>(
    values: &[(&str, Option<JsonText<'static>>)],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().filter_map(|(path, value)| Some((path, value.as_ref()?))))
}

/// An output in the values of a plan or state.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Output<'a> {
    /// The section of the document that contains the output.
    #[cfg_attr(test, schemars(extend("enum" = ["planned_values", "prior_state", "values"])))]
    pub section: &'static str,
    /// The name of the output.
    pub name: Cow<'a, str>,
    /// The type constraint of the output, in the JSON syntax of Terraform and OpenTofu.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<JsonText<'a>>,
    /// Whether the output is marked as sensitive.
    pub sensitive: bool,
    /// Present if the planned value is not wholly known. The output then has neither `type` nor
    /// `value`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// The message about the deprecation of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Cow<'a, str>>,
    /// The value, with secrets masked. Present only with `--values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<JsonText<'static>>,
}

/// A variable of the root module.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Variable<'a> {
    /// The name of the variable.
    pub name: Cow<'a, str>,
    /// The type constraint of the variable, in the JSON syntax of OpenTofu. Only OpenTofu writes
    /// it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<JsonText<'a>>,
    /// `None` if the document has no declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<bool>,
    /// Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ephemeral: bool,
    /// Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Whether the declaration has a default. Absent if the document has no declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    /// The description of the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    /// The message about the deprecation of the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Cow<'a, str>>,
    /// The value, with secrets masked. Present only with `--values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<JsonText<'static>>,
}

impl Resource<'_> {
    /// Returns the type, module or provider to group the resource by.
    pub fn group(&self, by: GroupKey) -> &str {
        let name = match by {
            GroupKey::Type => &self.resource.type_name,
            GroupKey::Module => &self.resource.module_address,
            GroupKey::Provider => &self.resource.provider_name,
        };
        name.as_deref().unwrap_or_default()
    }
}

/// The counts of the rows about a document, or about a run with groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RowSummary {
    /// `plan` or `state`; absent for several documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("enum" = ["plan", "state"])))]
    pub document: Option<&'static str>,
    /// `format_version` of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format_version: Option<String>,
    /// The version of Terraform or OpenTofu; the format uses one key for both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terraform_version: Option<String>,
    /// Number of documents. Present only with `--group-by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
    /// Length of the document in bytes. With `--group-by`, the total length of all documents.
    pub bytes: u64,
    /// Number of rows. With `--group-by`, the number of resources in all groups.
    pub rows: u64,
    /// Number of resources that are left out: those that `--only` does not select and, without
    /// `--all`, data sources and ephemeral resources.
    pub hidden: u64,
}
