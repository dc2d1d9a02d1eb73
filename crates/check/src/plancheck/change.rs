//! Entries of documents, decoded like in Go: names match in any case, and a repeated object is
//! merged into the first one.

use super::shape::folded;
use crate::known::{Data, Mask, MaskedValue, key_of, text_of};
use plansift_core::error::Result;
use plansift_core::json::value::Value;

/// The counterpart of a Go struct, decoded from an object.
pub(super) trait GoStruct<'a>: Default {
    /// Sets the field with this name. The name is in lower case.
    fn set(&mut self, name: &str, value: Value<'a>) -> Result<()>;

    /// Reads an entry. Returns `None` if it is `null`.
    fn read(value: Value<'a>) -> Result<Option<Self>> {
        let mut entry = None;
        merge(&mut entry, value)?;
        Ok(entry)
    }
}

/// Adds the members of an object to an entry. `null` drops the entry.
fn merge<'a, T: GoStruct<'a>>(entry: &mut Option<T>, value: Value<'a>) -> Result<()> {
    if value.is_null() {
        *entry = None;
        return Ok(());
    }
    let entry = entry.get_or_insert_default();
    for member in value.members()? {
        let (name, value) = member?;
        entry.set(&folded(&key_of(name)), value)?;
    }
    Ok(())
}

/// The change of a resource or an output.
#[derive(Debug, Default)]
pub(super) struct Change<'a> {
    pub actions: Vec<String>,
    before: Option<Value<'a>>,
    after: Option<Value<'a>>,
    after_unknown: Option<Value<'a>>,
    before_sensitive: Option<Value<'a>>,
    after_sensitive: Option<Value<'a>>,
}

impl<'a> GoStruct<'a> for Change<'a> {
    fn set(&mut self, name: &str, value: Value<'a>) -> Result<()> {
        let field = match name {
            "before" => &mut self.before,
            "after" => &mut self.after,
            "after_unknown" => &mut self.after_unknown,
            "before_sensitive" => &mut self.before_sensitive,
            "after_sensitive" => &mut self.after_sensitive,
            "actions" => {
                self.actions = match value.is_null() {
                    true => Vec::new(),
                    false => value.elements()?.map(|it| it.map(text_of)).collect::<Result<_>>()?,
                };
                return Ok(());
            }
            _ => return Ok(()),
        };
        *field = Some(value);
        Ok(())
    }
}

impl<'a> Change<'a> {
    pub fn before(&self) -> MaskedValue<'a> {
        MaskedValue { data: Data::from(self.before), mask: Mask::from(self.before_sensitive) }
    }

    pub fn after(&self) -> MaskedValue<'a> {
        MaskedValue { data: Data::from(self.after), mask: Mask::from(self.after_sensitive) }
    }

    /// Which parts of the planned value are unknown.
    pub fn after_unknown(&self) -> MaskedValue<'a> {
        MaskedValue::clear(self.after_unknown)
    }

    /// Which parts of the planned value are sensitive.
    pub fn after_sensitive(&self) -> MaskedValue<'a> {
        MaskedValue::clear(self.after_sensitive)
    }

    /// Whether the change has exactly these actions.
    pub fn is(&self, actions: &[&str]) -> bool {
        self.actions == actions
    }

    /// Returns the actions as Go prints them, such as `[delete create]`.
    pub fn printed_actions(&self) -> String {
        format!("[{}]", self.actions.join(" "))
    }
}

/// An element of `resource_changes`.
#[derive(Debug, Default)]
pub(super) struct ResourceChange<'a> {
    pub address: String,
    pub change: Option<Change<'a>>,
}

impl<'a> GoStruct<'a> for ResourceChange<'a> {
    fn set(&mut self, name: &str, value: Value<'a>) -> Result<()> {
        match name {
            "address" if !value.is_null() => self.address = text_of(value),
            "change" => merge(&mut self.change, value)?,
            _ => {}
        }
        Ok(())
    }
}

/// An element of `deferred_changes`.
#[derive(Debug, Default)]
pub(super) struct DeferredChange<'a> {
    pub reason: String,
    pub resource: Option<ResourceChange<'a>>,
}

impl<'a> GoStruct<'a> for DeferredChange<'a> {
    fn set(&mut self, name: &str, value: Value<'a>) -> Result<()> {
        match name {
            "reason" if !value.is_null() => self.reason = text_of(value),
            "resource_change" => merge(&mut self.resource, value)?,
            _ => {}
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
pub(super) struct Resource<'a> {
    pub address: String,
    values: Vec<Value<'a>>,
    /// The sensitivity marks. `Some` if they are `null`.
    pub sensitive_values: Option<Value<'a>>,
    has_identity_schema: bool,
    identity: Vec<Value<'a>>,
}

impl<'a> GoStruct<'a> for Resource<'a> {
    fn set(&mut self, name: &str, value: Value<'a>) -> Result<()> {
        match name {
            "address" if !value.is_null() => self.address = text_of(value),
            "values" => add(&mut self.values, value),
            "sensitive_values" => self.sensitive_values = Some(value),
            "identity_schema_version" => self.has_identity_schema = !value.is_null(),
            "identity" => add(&mut self.identity, value),
            _ => {}
        }
        Ok(())
    }
}

impl Resource<'_> {
    pub fn values(&self) -> MaskedValue<'_> {
        MaskedValue { data: Data::Map(&self.values), mask: Mask::from(self.sensitive_values) }
    }

    /// Returns the identity. Returns `None` if it is empty or has no schema version.
    pub fn identity(&self) -> Result<Option<MaskedValue<'_>>> {
        let identity = Data::Map(&self.identity);
        let is_empty = identity.members()?.is_none_or(|members| members.is_empty());
        Ok((self.has_identity_schema && !is_empty).then_some(MaskedValue::clear(identity)))
    }
}

/// Adds the members of a map. If the value is `null`, drops all members instead.
fn add<'a>(maps: &mut Vec<Value<'a>>, value: Value<'a>) {
    match value.is_null() {
        true => maps.clear(),
        false => maps.push(value),
    }
}

#[derive(Debug, Default)]
pub(super) struct Output<'a> {
    value: Option<Value<'a>>,
    is_sensitive: bool,
}

impl<'a> GoStruct<'a> for Output<'a> {
    fn set(&mut self, name: &str, value: Value<'a>) -> Result<()> {
        match name {
            "value" => self.value = Some(value),
            "sensitive" if !value.is_null() => self.is_sensitive = value.is_true(),
            _ => {}
        }
        Ok(())
    }
}

impl<'a> Output<'a> {
    pub fn found(&self) -> MaskedValue<'a> {
        let mask = if self.is_sensitive { Mask::Marked } else { Mask::Clear };
        MaskedValue { data: Data::from(self.value), mask }
    }
}
