//! The elements of `checks`: a checkable object, its instances and their problems
//! (docs/format/plan.md, section 9).

use super::change::{Index, members, present, required, required_text, text};
use plansift_core::error::Result;
use plansift_core::json::value::{Text, Value};

/// A checkable object of the configuration, with the results for its instances.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct CheckedObject<'a> {
    /// `address.to_display`.
    pub address: Text<'a>,
    /// `address.kind`: `resource`, `output_value`, `check` or `var`.
    pub kind: Option<Text<'a>>,
    /// Only resources have a mode.
    pub mode: Option<Text<'a>>,
    pub module: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    /// Only resources have a type.
    pub type_name: Option<Text<'a>>,
    pub status: Text<'a>,
    instances: Option<Value<'a>>,
}

/// The result for an instance of a checked object.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the keys of the format")]
pub struct CheckInstance<'a> {
    /// `address.to_display`.
    pub address: Option<Text<'a>>,
    pub instance_key: Option<Index<'a>>,
    pub module: Option<Text<'a>>,
    pub status: Option<Text<'a>>,
    problems: Option<Value<'a>>,
}

impl<'a> CheckedObject<'a> {
    /// Parses an element of `checks`.
    ///
    /// # Errors
    ///
    /// Fails if the element has no `address.to_display` or no `status`, a key of the wrong type, or
    /// a key twice.
    pub fn parse(element: Value<'a>) -> Result<CheckedObject<'a>> {
        let [address, status, instances] = members(element, ["address", "status", "instances"])?;
        let object = required(element, address, "address")?;
        let status = required_text(element, status, "status")?;
        let parse = |object| {
            const KEYS: [&str; 6] = ["kind", "mode", "module", "name", "to_display", "type"];
            let [kind, mode, module, name, to_display, type_name] = members(object, KEYS)?;
            Ok(CheckedObject {
                address: required_text(object, to_display, "to_display")?,
                kind: text(kind, "kind")?,
                mode: text(mode, "mode")?,
                module: text(module, "module")?,
                name: text(name, "name")?,
                type_name: text(type_name, "type")?,
                status,
                instances: present(instances),
            })
        };
        parse(object).map_err(|error: plansift_core::error::Error| error.within("address"))
    }

    /// The instances, in document order.
    ///
    /// # Errors
    ///
    /// Fails if `instances` is not an array. An invalid instance is an error of the iterator.
    pub fn instances(&self) -> Result<impl Iterator<Item = Result<CheckInstance<'a>>> + use<'a>> {
        let elements = self.instances.map(Value::elements).transpose();
        let elements = elements.map_err(|error| error.within("instances"))?;
        let instances = elements.into_iter().flatten().filter(is_given);
        Ok(instances.map(|instance| {
            instance.and_then(CheckInstance::parse).map_err(|error| error.within("instances"))
        }))
    }
}

/// Whether an element is present. `null` counts as absent.
fn is_given(element: &Result<Value<'_>>) -> bool {
    element.as_ref().map_or(true, |element| !element.is_null())
}

impl<'a> CheckInstance<'a> {
    fn parse(element: Value<'a>) -> Result<CheckInstance<'a>> {
        let [address, status, problems] = members(element, ["address", "status", "problems"])?;
        let status = text(status, "status")?;
        let parse = || {
            const KEYS: [&str; 3] = ["instance_key", "module", "to_display"];
            let keys = present(address).map(|object| members(object, KEYS)).transpose()?;
            let [instance_key, module, to_display] = keys.unwrap_or_default();
            Ok(CheckInstance {
                address: text(to_display, "to_display")?,
                instance_key: present(instance_key).map(Index::parse).transpose()?,
                module: text(module, "module")?,
                status,
                problems: present(problems),
            })
        };
        parse().map_err(|error: plansift_core::error::Error| error.within("address"))
    }

    /// The messages of the failed conditions, in document order.
    ///
    /// # Errors
    ///
    /// Fails if `problems` is not an array. An invalid problem is an error of the iterator.
    pub fn problems(&self) -> Result<impl Iterator<Item = Result<Text<'a>>> + use<'a>> {
        let elements = self.problems.map(Value::elements).transpose();
        let elements = elements.map_err(|error| error.within("problems"))?;
        let problems = elements.into_iter().flatten().filter(is_given);
        Ok(problems.filter_map(|problem| {
            let parse = |problem| {
                let [message] = members(problem, ["message"])?;
                text(message, "message")
            };
            let message = problem.and_then(parse);
            message.map_err(|error| error.within("problems")).transpose()
        }))
    }
}
