//! The messages of a plan: changes of resources and outputs.

use super::action::{Action, Sides};
use super::fault::PlanFileFault;
use super::path::{Paths, dynamic_value};
use super::protobuf::{Field, Message};
use plansift_core::error::{Error, Result};
use plansift_core::limits::Limits;
use plansift_cty::msgpack::Value;

#[derive(Debug)]
pub(super) struct ResourceChange<'a> {
    pub address: &'a str,
    /// The address before a move; empty if the address is unchanged.
    pub previous_address: &'a str,
    pub deposed: &'a str,
    /// The address of the provider's configuration.
    pub provider: &'a str,
    pub change: Change<'a>,
    pub replace_paths: Paths<'a>,
    pub reason: u64,
}

/// The two sides of a change.
#[derive(Debug)]
pub(super) struct Change<'a> {
    pub action: Action,
    pub before: Option<Value<'a>>,
    pub after: Option<Value<'a>>,
    pub before_marks: Paths<'a>,
    pub after_marks: Paths<'a>,
    pub importing: Option<Importing<'a>>,
    pub generated_config: &'a str,
    pub before_identity: Option<Value<'a>>,
    pub after_identity: Option<Value<'a>>,
    pub offset: u64,
}

/// The ID or the identity of an imported object.
#[derive(Debug, Default)]
pub(super) struct Importing<'a> {
    pub id: &'a str,
    pub is_unknown: bool,
    pub identity: Option<Value<'a>>,
}

impl<'a> ResourceChange<'a> {
    /// Reads a record of `resource_changes` or `resource_drift`.
    pub(super) fn read(message: Message<'a>, limits: &Limits) -> Result<ResourceChange<'a>> {
        let (mut address, mut previous, mut deposed) = (None, None, None);
        let (mut provider, mut change, mut reason) = (None, None, None);
        let mut replace_paths = Paths::default();
        for field in message.fields() {
            let field = field?;
            match field.number {
                7 => field.once(&mut deposed, field.text()?)?,
                8 => field.once(&mut provider, field.text()?)?,
                9 => field.once(&mut change, field.message()?)?,
                11 => replace_paths.read(field.message()?, limits)?,
                12 => field.once(&mut reason, field.enumeration()?)?,
                13 => field.once(&mut address, field.text()?)?,
                14 => field.once(&mut previous, field.text()?)?,
                _ => {}
            }
        }
        let address = address.filter(|address| !address.is_empty());
        let change = change.unwrap_or(Message { bytes: &[], offset: message.offset });
        Ok(ResourceChange {
            address: address.ok_or_else(|| Error::at(PlanFileFault::NoAddress, message.offset))?,
            previous_address: previous.unwrap_or_default(),
            deposed: deposed.unwrap_or_default(),
            provider: provider.unwrap_or_default(),
            change: Change::read(change, limits)?,
            replace_paths,
            reason: reason.unwrap_or_default(),
        })
    }
}

impl<'a> Change<'a> {
    pub(super) fn read(message: Message<'a>, limits: &Limits) -> Result<Change<'a>> {
        let (mut action, mut importing, mut config) = (None, None, None);
        let (mut before_identity, mut after_identity) = (None, None);
        let (mut before_marks, mut after_marks) = (Paths::default(), Paths::default());
        let mut values = [None, None];
        let mut count = 0;
        for field in message.fields() {
            let field = field?;
            match field.number {
                1 => field.once(&mut action, field.enumeration()?)?,
                2 => {
                    if let Some(slot) = values.get_mut(count) {
                        *slot = Some(dynamic_value(field.message()?)?);
                    }
                    count += 1;
                }
                3 => before_marks.read(field.message()?, limits)?,
                4 => after_marks.read(field.message()?, limits)?,
                5 => field.once(&mut importing, Importing::read(field.message()?)?)?,
                6 => field.once(&mut config, field.text()?)?,
                7 => field.once(&mut before_identity, dynamic_value(field.message()?)?)?,
                8 => field.once(&mut after_identity, dynamic_value(field.message()?)?)?,
                _ => {}
            }
        }
        let action = Action::read(action.unwrap_or_default());
        let action = action.map_err(|error| Error::at(error, message.offset))?;
        let sides = action.sides();
        let expected: u8 = if sides == Sides::Both { 2 } else { 1 };
        if count != usize::from(expected) {
            return Err(Error::at(PlanFileFault::Values { expected }, message.offset));
        }
        let [first, second] = values;
        let (before, after) = match sides {
            Sides::Same => (first, first),
            Sides::Before => (first, None),
            Sides::After => (None, first),
            Sides::Both => (first, second),
        };
        Ok(Change {
            action,
            before,
            after,
            before_marks,
            after_marks,
            importing,
            generated_config: config.unwrap_or_default(),
            before_identity,
            after_identity,
            offset: message.offset,
        })
    }
}

impl<'a> Importing<'a> {
    fn read(message: Message<'a>) -> Result<Importing<'a>> {
        let (mut id, mut unknown, mut identity) = (None, None, None);
        for field in message.fields() {
            let field: Field<'a> = field?;
            match field.number {
                1 => field.once(&mut id, field.text()?)?,
                // Terraform and OpenTofu use this field number for different fields with different
                // wire types.
                2 if field.is_varint() => field.once(&mut unknown, field.varint()? != 0)?,
                2 | 3 => field.once(&mut identity, dynamic_value(field.message()?)?)?,
                _ => {}
            }
        }
        Ok(Importing {
            id: id.unwrap_or_default(),
            is_unknown: unknown.unwrap_or_default(),
            identity,
        })
    }
}

#[derive(Debug)]
pub(super) struct OutputChange<'a> {
    pub name: &'a str,
    pub change: Change<'a>,
    pub is_sensitive: bool,
}

impl<'a> OutputChange<'a> {
    /// Reads a record of `output_changes`.
    pub(super) fn read(message: Message<'a>, limits: &Limits) -> Result<OutputChange<'a>> {
        let (mut name, mut change, mut sensitive) = (None, None, None);
        for field in message.fields() {
            let field = field?;
            match field.number {
                1 => field.once(&mut name, field.text()?)?,
                2 => field.once(&mut change, field.message()?)?,
                3 => field.once(&mut sensitive, field.varint()? != 0)?,
                _ => {}
            }
        }
        let change = change.unwrap_or(Message { bytes: &[], offset: message.offset });
        Ok(OutputChange {
            name: name.unwrap_or_default(),
            change: Change::read(change, limits)?,
            is_sensitive: sensitive.unwrap_or_default(),
        })
    }
}
