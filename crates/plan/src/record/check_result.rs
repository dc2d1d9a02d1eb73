//! The records of `plansift checks`. A check may have very many instances and messages. They stay
//! in the document, and a record reads them when it is written.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{Error as _, SerializeSeq, Serializer};

use super::JsonText;
use super::texts::{decoded, index};
use crate::plan;
use plansift_core::error::Result;
use plansift_core::json::value::Value;

/// A checkable object of the configuration, with the results of its instances.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckResult<'a> {
    /// The address of the checkable object.
    pub address: Cow<'a, str>,
    /// The kind of the object: `resource`, `output_value`, `check` or `var`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_kind: Option<Cow<'a, str>>,
    /// The address of the module that contains the object. Absent in the root module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<Cow<'a, str>>,
    /// The mode of a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Cow<'a, str>>,
    /// The type of a resource.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<Cow<'a, str>>,
    /// The name of the object in the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    /// `pass`, `fail`, `error` or `unknown`.
    pub status: Cow<'a, str>,
    /// The instances of the object.
    #[serde(skip_serializing_if = "Instances::is_empty")]
    #[cfg_attr(test, schemars(with = "Vec<CheckInstance<'_>>"))]
    pub instances: Instances<'a>,
}

/// The result of a check for one instance of its object.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckInstance<'a> {
    /// The address of the instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Cow<'a, str>>,
    /// The key of the instance, from `count` or `for_each`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(extend("type" = ["string", "number"])))]
    pub instance_key: Option<JsonText<'a>>,
    /// The address of the module instance that contains the instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<Cow<'a, str>>,
    /// `pass`, `fail`, `error` or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Cow<'a, str>>,
    /// The messages of the failed conditions, with secrets masked.
    #[serde(skip_serializing_if = "Problems::is_empty")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub problems: Problems<'a>,
}

/// Masks the secrets in a message of a document.
pub trait MaskText: std::fmt::Debug + Sync {
    /// Returns the message with its secrets masked.
    fn mask(&self, text: String) -> String;
}

/// The instances of a check, in document order.
#[derive(Clone, Copy, Debug)]
pub struct Instances<'a> {
    object: plan::CheckedObject<'a>,
    mask: Option<&'a dyn MaskText>,
}

/// The messages of the failed conditions of an instance, in document order. Secrets are masked.
#[derive(Clone, Copy, Debug)]
pub struct Problems<'a> {
    instance: plan::CheckInstance<'a>,
    mask: Option<&'a dyn MaskText>,
}

impl<'a> CheckResult<'a> {
    /// Creates the row of a check. `masked` masks the secrets in its messages.
    pub(super) fn of(
        element: Value<'a>,
        mask: Option<&'a dyn MaskText>,
    ) -> Result<CheckResult<'a>> {
        let object = plan::CheckedObject::parse(element)?;
        let instances = Instances { object, mask };
        // A record is written whole or not at all.
        for instance in instances.iter() {
            instance?.problems.iter().try_for_each(|problem| problem.map(drop))?;
        }
        Ok(CheckResult {
            address: object.address.decode()?.into(),
            check_kind: decoded(object.kind)?,
            module: decoded(object.module)?,
            mode: decoded(object.mode)?,
            type_name: decoded(object.type_name)?,
            name: decoded(object.name)?,
            status: object.status.decode()?.into(),
            instances,
        })
    }
}

impl<'a> Instances<'a> {
    /// The instances. Only an input that another process modifies has an invalid one.
    pub fn iter(&self) -> impl Iterator<Item = Result<CheckInstance<'a>>> + use<'a> {
        let mask = self.mask;
        items(self.object.instances()).map(move |instance| {
            let instance: plan::CheckInstance<'a> = instance?;
            Ok(CheckInstance {
                address: decoded(instance.address)?,
                instance_key: index(instance.instance_key)?,
                module: decoded(instance.module)?,
                status: decoded(instance.status)?,
                problems: Problems { instance, mask },
            })
        })
    }

    fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl<'a> Problems<'a> {
    /// The messages. Only an input that another process modifies has an invalid one.
    pub fn iter(&self) -> impl Iterator<Item = Result<String>> + use<'a> {
        let mask = self.mask;
        items(self.instance.problems()).map(move |problem| {
            let problem = problem?.decode()?;
            Ok(match mask {
                Some(mask) => mask.mask(problem),
                None => problem,
            })
        })
    }

    fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

/// Returns the items of a list, or its error as the only item.
fn items<T>(list: Result<impl Iterator<Item = Result<T>>>) -> impl Iterator<Item = Result<T>> {
    let (list, error) = match list {
        Ok(list) => (Some(list), None),
        Err(error) => (None, Some(Err(error))),
    };
    list.into_iter().flatten().chain(error)
}

/// Serializes items as an array.
fn sequence<T: Serialize, S: Serializer>(
    items: impl Iterator<Item = Result<T>>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    let mut sequence = serializer.serialize_seq(None)?;
    for item in items {
        sequence.serialize_element(&item.map_err(S::Error::custom)?)?;
    }
    sequence.end()
}

impl Serialize for Instances<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        sequence(self.iter(), serializer)
    }
}

impl Serialize for Problems<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        sequence(self.iter(), serializer)
    }
}
