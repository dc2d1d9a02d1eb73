//! Entries of documents as Go decodes them: names in any case, and a repeated object is merged into
//! the first.

use super::shape::is_named;
use crate::error::Result;
use crate::json::value::Value;
use crate::known::{Data, Found, Mask, key_of, text_of};

/// The change of a resource or an output.
#[derive(Clone, Debug, Default)]
pub(super) struct Change<'a> {
    pub actions: Vec<String>,
    before: Option<Value<'a>>,
    after: Option<Value<'a>>,
    after_unknown: Option<Value<'a>>,
    before_sensitive: Option<Value<'a>>,
    after_sensitive: Option<Value<'a>>,
}

impl<'a> Change<'a> {
    /// Reads a change; `None` if it is `null`.
    pub fn read(value: Value<'a>) -> Result<Option<Change<'a>>> {
        if value.is_null() {
            return Ok(None);
        }
        let mut change = Change::default();
        change.merge(value)?;
        Ok(Some(change))
    }

    fn merge(&mut self, value: Value<'a>) -> Result<()> {
        for member in value.members()? {
            let (name, value) = member?;
            let name = key_of(name);
            let field = match () {
                () if is_named(&name, "before") => &mut self.before,
                () if is_named(&name, "after") => &mut self.after,
                () if is_named(&name, "after_unknown") => &mut self.after_unknown,
                () if is_named(&name, "before_sensitive") => &mut self.before_sensitive,
                () if is_named(&name, "after_sensitive") => &mut self.after_sensitive,
                () if is_named(&name, "actions") => {
                    self.actions = actions(value)?;
                    continue;
                }
                () => continue,
            };
            *field = Some(value);
        }
        Ok(())
    }

    /// The value before the change.
    pub fn before(&self) -> Found<'a> {
        Found { data: Data::from(self.before), mask: Mask::from(self.before_sensitive) }
    }

    /// The planned value.
    pub fn after(&self) -> Found<'a> {
        Found { data: Data::from(self.after), mask: Mask::from(self.after_sensitive) }
    }

    /// Which parts of the planned value are unknown.
    pub fn after_unknown(&self) -> Found<'a> {
        Found::clear(self.after_unknown)
    }

    /// Which parts of the planned value are sensitive.
    pub fn after_sensitive(&self) -> Found<'a> {
        Found::clear(self.after_sensitive)
    }

    /// Whether the actions are exactly these.
    pub fn is(&self, actions: &[&str]) -> bool {
        self.actions == actions
    }

    /// The actions as Go prints them: `[delete create]`.
    pub fn printed_actions(&self) -> String {
        format!("[{}]", self.actions.join(" "))
    }
}

fn actions(value: Value<'_>) -> Result<Vec<String>> {
    match value.is_null() {
        true => Ok(Vec::new()),
        false => value.elements()?.map(|action| action.map(text_of)).collect(),
    }
}

/// An entry of the resource changes.
#[derive(Clone, Debug, Default)]
pub(super) struct ResourceChange<'a> {
    pub address: String,
    pub change: Option<Change<'a>>,
}

impl<'a> ResourceChange<'a> {
    /// Reads an entry; `None` if it is `null`.
    pub fn read(value: Value<'a>) -> Result<Option<ResourceChange<'a>>> {
        if value.is_null() {
            return Ok(None);
        }
        let mut entry = ResourceChange::default();
        entry.merge(value)?;
        Ok(Some(entry))
    }

    fn merge(&mut self, value: Value<'a>) -> Result<()> {
        for member in value.members()? {
            let (name, value) = member?;
            let name = key_of(name);
            if is_named(&name, "address") && !value.is_null() {
                self.address = text_of(value);
            } else if is_named(&name, "change") {
                match value.is_null() {
                    true => self.change = None,
                    false => self.change.get_or_insert_default().merge(value)?,
                }
            }
        }
        Ok(())
    }
}

/// An entry of the deferred changes.
#[derive(Clone, Debug, Default)]
pub(super) struct DeferredChange {
    pub reason: String,
    /// The address of the resource, if the entry has one.
    pub address: Option<String>,
}

impl DeferredChange {
    /// Reads an entry; `None` if it is `null`.
    pub fn read(value: Value<'_>) -> Result<Option<DeferredChange>> {
        if value.is_null() {
            return Ok(None);
        }
        let mut entry = DeferredChange::default();
        let mut resource: Option<ResourceChange<'_>> = None;
        for member in value.members()? {
            let (name, value) = member?;
            let name = key_of(name);
            if is_named(&name, "reason") && !value.is_null() {
                entry.reason = text_of(value);
            } else if is_named(&name, "resource_change") {
                match value.is_null() {
                    true => resource = None,
                    false => resource.get_or_insert_default().merge(value)?,
                }
            }
        }
        entry.address = resource.map(|resource| resource.address);
        Ok(Some(entry))
    }
}

/// A resource of a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Resource<'a> {
    pub address: String,
    values: Vec<Value<'a>>,
    /// The marks, `null` included.
    pub sensitive_values: Option<Value<'a>>,
    has_identity_schema: bool,
    identity: Vec<Value<'a>>,
}

impl<'a> Resource<'a> {
    /// Reads an entry; `None` if it is `null`.
    pub fn read(value: Value<'a>) -> Result<Option<Resource<'a>>> {
        if value.is_null() {
            return Ok(None);
        }
        let mut entry = Resource::default();
        for member in value.members()? {
            let (name, value) = member?;
            let name = key_of(name);
            if is_named(&name, "address") && !value.is_null() {
                entry.address = text_of(value);
            } else if is_named(&name, "values") {
                add(&mut entry.values, value);
            } else if is_named(&name, "sensitive_values") {
                entry.sensitive_values = Some(value);
            } else if is_named(&name, "identity_schema_version") {
                entry.has_identity_schema = !value.is_null();
            } else if is_named(&name, "identity") {
                add(&mut entry.identity, value);
            }
        }
        Ok(Some(entry))
    }

    /// The values of the attributes.
    pub fn values(&self) -> Found<'_> {
        Found { data: Data::Map(&self.values), mask: Mask::from(self.sensitive_values) }
    }

    /// The identity; `None` if it is empty or has no version.
    pub fn identity(&self) -> Result<Option<Found<'_>>> {
        let identity = Data::Map(&self.identity);
        let is_empty = identity.members()?.is_none_or(|members| members.is_empty());
        Ok((self.has_identity_schema && !is_empty).then_some(Found::clear(identity)))
    }
}

/// Adds the members of a map, or drops them all.
fn add<'a>(maps: &mut Vec<Value<'a>>, value: Value<'a>) {
    match value.is_null() {
        true => maps.clear(),
        false => maps.push(value),
    }
}

/// An output of a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Output<'a> {
    value: Option<Value<'a>>,
    is_sensitive: bool,
}

impl<'a> Output<'a> {
    /// Reads an output; `None` if it is `null`.
    pub fn read(value: Value<'a>) -> Result<Option<Output<'a>>> {
        if value.is_null() {
            return Ok(None);
        }
        let mut output = Output::default();
        for member in value.members()? {
            let (name, value) = member?;
            let name = key_of(name);
            if is_named(&name, "value") {
                output.value = Some(value);
            } else if is_named(&name, "sensitive") && !value.is_null() {
                output.is_sensitive = value.is_true();
            }
        }
        Ok(Some(output))
    }

    /// The value of the output.
    pub fn found(&self) -> Found<'a> {
        let mask = if self.is_sensitive { Mask::Marked } else { Mask::Clear };
        Found { data: Data::from(self.value), mask }
    }
}
