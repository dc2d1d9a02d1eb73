//! Resources and outputs of `planned_values`, of `prior_state` and of states (docs/format/plan.md,
//! section 6), and declarations of variables (section 8). Values stay borrowed from the input.

use super::change::ResourceName;
use super::change::{Index, filled_text, members, present, required_text, text};
use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Text, Value};

/// A resource instance of `planned_values`, `prior_state` or a state.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct ResourceInstance<'a> {
    pub address: Text<'a>,
    pub resource: ResourceName<'a>,
    pub schema_version: Option<Value<'a>>,
    /// `None` if the key is absent. The tools omit it for resources that they forget.
    pub values: Option<Value<'a>>,
    /// The sensitivity marks of `values`, with the same nesting.
    pub sensitive_values: Option<Value<'a>>,
    /// An array of addresses in the configuration.
    pub depends_on: Option<Value<'a>>,
    pub tainted: bool,
    pub identity: Option<Value<'a>>,
    pub identity_schema_version: Option<Value<'a>>,
}

/// An output of `planned_values`, `prior_state` or a state.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct OutputValue<'a> {
    pub sensitive: bool,
    /// A type constraint. `None` while the value is not fully known, and before Terraform 1.2.
    pub type_name: Option<Value<'a>>,
    /// `None` while the value is not fully known.
    pub value: Option<Value<'a>>,
    /// A message for the users of the output.
    pub deprecated: Option<Text<'a>>,
}

#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct VariableDeclaration<'a> {
    /// A type constraint. Only OpenTofu writes it.
    pub type_name: Option<Value<'a>>,
    pub default: Option<Value<'a>>,
    pub description: Option<Text<'a>>,
    pub required: bool,
    pub sensitive: bool,
    pub ephemeral: bool,
    pub deprecated: Option<Text<'a>>,
}

impl<'a> ResourceInstance<'a> {
    /// Parses a resource instance.
    ///
    /// # Errors
    ///
    /// Fails if the resource has no `address`, a key of the wrong type, or a key twice.
    pub fn parse(element: Value<'a>) -> Result<ResourceInstance<'a>> {
        const KEYS: [&str; 14] = [
            "address",
            "mode",
            "type",
            "name",
            "index",
            "provider_name",
            "schema_version",
            "values",
            "sensitive_values",
            "depends_on",
            "tainted",
            "deposed_key",
            "identity_schema_version",
            "identity",
        ];
        let [
            address,
            mode,
            type_name,
            name,
            index,
            provider_name,
            schema_version,
            values,
            sensitive_values,
            depends_on,
            tainted,
            deposed_key,
            identity_schema_version,
            identity,
        ] = members(element, KEYS)?;
        Ok(ResourceInstance {
            address: required_text(element, address, "address")?,
            resource: ResourceName {
                mode: text(mode, "mode")?,
                type_name: text(type_name, "type")?,
                name: text(name, "name")?,
                index: present(index)
                    .map(Index::parse)
                    .transpose()
                    .map_err(|error| error.within("index"))?,
                provider_name: text(provider_name, "provider_name")?,
                deposed: filled_text(deposed_key, "deposed_key")?,
            },
            schema_version: present(schema_version),
            values: present(values),
            sensitive_values: present(sensitive_values),
            depends_on: present(depends_on),
            tainted: tainted.is_some_and(Value::is_true),
            identity: present(identity),
            identity_schema_version: present(identity_schema_version),
        })
    }

    /// Whether the resource, in `planned_values`, is one that the plan forgets: it has no values,
    /// and its marks are those of `null`. A resource whose values are all unknown has the marks
    /// `{}`.
    pub fn is_forgotten(&self) -> bool {
        let is_false = |marks: Value<'_>| matches!(marks.kind(), Ok(Kind::False));
        self.values.is_none() && self.sensitive_values.is_some_and(is_false)
    }
}

impl<'a> OutputValue<'a> {
    /// Parses an output.
    ///
    /// # Errors
    ///
    /// Fails if the output is not an object, or has a key of the wrong type or a key twice.
    pub fn parse(element: Value<'a>) -> Result<OutputValue<'a>> {
        let [sensitive, type_name, value, deprecated] =
            members(element, ["sensitive", "type", "value", "deprecated"])?;
        Ok(OutputValue {
            sensitive: sensitive.is_some_and(Value::is_true),
            type_name: present(type_name),
            value,
            deprecated: text(deprecated, "deprecated")?,
        })
    }
}

impl<'a> VariableDeclaration<'a> {
    /// Parses the declaration of a variable.
    ///
    /// # Errors
    ///
    /// Fails if the declaration is not an object, or has a key of the wrong type or a key twice.
    pub fn parse(element: Value<'a>) -> Result<VariableDeclaration<'a>> {
        const KEYS: [&str; 7] =
            ["type", "default", "description", "required", "sensitive", "ephemeral", "deprecated"];
        let [type_name, default, description, required, sensitive, ephemeral, deprecated] =
            members(element, KEYS)?;
        let is_true = |flag: Option<Value<'_>>| flag.is_some_and(Value::is_true);
        Ok(VariableDeclaration {
            type_name: present(type_name),
            default,
            description: text(description, "description")?,
            required: is_true(required),
            sensitive: is_true(sensitive),
            ephemeral: is_true(ephemeral),
            deprecated: text(deprecated, "deprecated")?,
        })
    }
}
