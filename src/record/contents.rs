//! The records of the contents of a document: resources, outputs, variables and groups
//! (docs/format/records.md, section 12).

use std::borrow::Cow;

use serde::Serialize;

use super::holdings::GroupKey;
use super::{JsonText, ResourceName};
use crate::path::Paths;

/// A resource instance in the values of a plan or state.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "the fields are those of records.md, word by word")]
pub struct Resource<'a> {
    pub section: &'static str,
    /// The resource, without a previous address.
    #[serde(flatten)]
    pub resource: ResourceName<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<JsonText<'a>>,
    /// Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// Addresses of resources and modules, as in the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Paths::is_empty")]
    pub sensitive: Paths,
    /// Whether the resource has an identity. Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub identity: bool,
    /// The selected values with secrets masked, one for each path that the user selects.
    /// `None` if the resource has no value at the path.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_object")]
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
#[expect(missing_docs, reason = "the fields are those of records.md, word by word")]
pub struct Output<'a> {
    pub section: &'static str,
    pub name: Cow<'a, str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<JsonText<'a>>,
    pub sensitive: bool,
    /// Whether the value is planned and not completely known. Serialized only if true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Cow<'a, str>>,
    /// The value with secrets masked, if it is known and rows have values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<JsonText<'static>>,
}

/// A variable of the root module.
#[derive(Clone, Debug, Default, Serialize)]
#[expect(missing_docs, reason = "the fields are those of records.md, word by word")]
pub struct Variable<'a> {
    pub name: Cow<'a, str>,
    /// A type constraint as JSON text. Only OpenTofu writes it.
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
    /// Whether the declaration has a default; `None` without a declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<Cow<'a, str>>,
    /// The value with secrets masked, if rows have values.
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
pub struct RowSummary {
    /// `plan` or `state`; absent for several documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<&'static str>,
    /// `format_version` of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format_version: Option<String>,
    /// The version of Terraform or OpenTofu; the format uses one key for both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terraform_version: Option<String>,
    /// Number of documents, in a run with groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documents: Option<u64>,
    /// Length of the documents in bytes.
    pub bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Number of rows that the options hide.
    pub hidden: u64,
}
