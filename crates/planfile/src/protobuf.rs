//! Reads protobuf without a schema: the fields of a message, one after the other.
//!
//! A message is a sequence of fields, each with a number and a wire type. A field is decoded on
//! access, and every length is checked against the remaining bytes. Groups do not occur in plan
//! files and are skipped.

use std::ops::Range;

use super::fault::PlanFileFault;
use plansift_core::error::{Error, Result};
use plansift_core::path::ResourceAddress;

/// The deepest nesting of groups.
const GROUPS_MAX: usize = 100;

/// The longest head of a field in bytes: its tag, and its number or length.
pub(super) const HEAD_MAX: usize = 20;

/// Parses the address of a resource instance that was read at `offset`.
pub(super) fn resource_address(text: &str, offset: u64) -> Result<ResourceAddress<'_>> {
    ResourceAddress::parse(text).ok_or_else(|| Error::at(PlanFileFault::Address, offset))
}

/// The head of a field: the bytes before its payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub number: u32,
    pub wire: Wire,
    /// The length of the head in bytes.
    pub len: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    Varint(u64),
    Fixed64,
    /// Bytes, a string or a message, with the length of the payload.
    Bytes(u64),
    GroupStart,
    GroupEnd,
    Fixed32,
}

impl Wire {
    /// Returns the length of the payload after the head, in bytes.
    pub(super) fn payload(self) -> u64 {
        match self {
            Wire::Bytes(len) => len,
            Wire::Fixed64 => 8,
            Wire::Fixed32 => 4,
            Wire::Varint(_) | Wire::GroupStart | Wire::GroupEnd => 0,
        }
    }
}

/// Reads the head of a field at the start of `bytes`, `offset` bytes from the start of the member.
pub(super) fn head(bytes: &[u8], offset: u64) -> Result<Head> {
    let (tag, tag_len) = varint(bytes, offset)?;
    let field_error = || Error::at(PlanFileFault::Field, offset);
    let number = u32::try_from(tag >> 3).map_err(|_| field_error())?;
    if number == 0 || number > 0x1fff_ffff {
        return Err(field_error());
    }
    let number_at = |len: usize| varint(&bytes[len..], offset + len as u64);
    let (wire, len) = match tag & 7 {
        0 => {
            let (value, len) = number_at(tag_len)?;
            (Wire::Varint(value), tag_len + len)
        }
        1 => (Wire::Fixed64, tag_len),
        2 => {
            let (value, len) = number_at(tag_len)?;
            (Wire::Bytes(value), tag_len + len)
        }
        3 => (Wire::GroupStart, tag_len),
        4 => (Wire::GroupEnd, tag_len),
        5 => (Wire::Fixed32, tag_len),
        _ => return Err(field_error()),
    };
    Ok(Head { number, wire, len })
}

/// Reads a varint. Returns the number and its encoded length in bytes.
fn varint(bytes: &[u8], offset: u64) -> Result<(u64, usize)> {
    let mut number = 0;
    for (place, byte) in bytes.iter().enumerate().take(10) {
        let bits = u64::from(byte & 0x7f);
        if place == 9 && bits > 1 {
            break;
        }
        number |= bits << (7 * place);
        if byte & 0x80 == 0 {
            return Ok((number, place + 1));
        }
    }
    let cut = if bytes.len() < 10 { PlanFileFault::Length } else { PlanFileFault::Varint };
    Err(Error::at(cut, offset))
}

/// The groups that are open. Fields inside a group are skipped.
#[derive(Debug, Default)]
pub(super) struct Groups(Vec<u32>);

impl Groups {
    /// Updates the open groups with the next head. Returns whether the field belongs to the message
    /// itself, not to a group.
    pub(super) fn pass(&mut self, head: &Head, offset: u64) -> Result<bool> {
        match head.wire {
            Wire::GroupStart if self.0.len() < GROUPS_MAX => self.0.push(head.number),
            Wire::GroupStart => return Err(Error::at(PlanFileFault::Field, offset)),
            Wire::GroupEnd if self.0.pop() == Some(head.number) => {}
            Wire::GroupEnd => return Err(Error::at(PlanFileFault::Field, offset)),
            _ => return Ok(self.0.is_empty()),
        }
        Ok(false)
    }

    /// Checks that no group is open at the end of the message.
    pub(super) fn end(&self, offset: u64) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::at(PlanFileFault::Length, offset)) }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub bytes: &'a [u8],
    pub offset: u64,
}

impl<'a> Message<'a> {
    pub(super) fn range(self) -> Range<u64> {
        self.offset..self.offset + self.bytes.len() as u64
    }

    /// The fields of the message, in order.
    pub(super) fn fields(self) -> Fields<'a> {
        Fields { message: self, at: 0, groups: Groups::default() }
    }

    /// Returns the field with this number. A repeated field is an error.
    pub(super) fn only(self, number: u32) -> Result<Option<Field<'a>>> {
        let mut only = None;
        for field in self.fields() {
            let field = field?;
            if field.number == number {
                field.once(&mut only, field)?;
            }
        }
        Ok(only)
    }

    /// Returns the enumeration in the field with this number; 0 without such a field. A repeated
    /// field is an error.
    pub(super) fn only_enumeration(self, number: u32) -> Result<u64> {
        self.only(number)?.map_or(Ok(0), |field| field.enumeration())
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub number: u32,
    pub wire: Wire,
    pub message: Message<'a>,
}

impl<'a> Field<'a> {
    pub(super) fn is_varint(&self) -> bool {
        matches!(self.wire, Wire::Varint(_))
    }

    pub(super) fn varint(&self) -> Result<u64> {
        match self.wire {
            Wire::Varint(value) => Ok(value),
            _ => Err(Error::at(PlanFileFault::FieldType, self.message.offset)),
        }
    }

    /// Returns the number of an enumeration. Protocol Buffers keep only its lower 32 bits.
    pub(super) fn enumeration(&self) -> Result<u64> {
        Ok(self.varint()? & u64::from(u32::MAX))
    }

    pub(super) fn message(&self) -> Result<Message<'a>> {
        match self.wire {
            Wire::Bytes(_) => Ok(self.message),
            _ => Err(Error::at(PlanFileFault::FieldType, self.message.offset)),
        }
    }

    pub(super) fn text(&self) -> Result<&'a str> {
        let text = std::str::from_utf8(self.message()?.bytes);
        text.map_err(|_| Error::at(PlanFileFault::Text, self.message.offset))
    }

    /// Stores the value of this field in `slot`. A second value is an error: a message has the
    /// field at most once.
    pub(super) fn once<T>(&self, slot: &mut Option<T>, value: T) -> Result<()> {
        match slot.replace(value) {
            None => Ok(()),
            Some(_) => Err(Error::at(PlanFileFault::FieldTwice, self.message.offset)),
        }
    }
}

/// The fields of a message in memory. The iterator is fused after an error.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    message: Message<'a>,
    at: usize,
    groups: Groups,
}

impl<'a> Fields<'a> {
    fn read(&mut self) -> Result<Option<Field<'a>>> {
        loop {
            let Message { bytes, offset } = self.message;
            let rest = &bytes[self.at..];
            let at = offset + self.at as u64;
            if rest.is_empty() {
                self.groups.end(at)?;
                return Ok(None);
            }
            let head = head(rest, at)?;
            let payload = usize::try_from(head.wire.payload()).ok();
            let payload = payload.and_then(|len| rest[head.len..].get(..len));
            let payload = payload.ok_or_else(|| Error::at(PlanFileFault::Length, at))?;
            self.at += head.len + payload.len();
            if self.groups.pass(&head, at)? {
                let message = Message { bytes: payload, offset: at + head.len as u64 };
                return Ok(Some(Field { number: head.number, wire: head.wire, message }));
            }
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>>;

    fn next(&mut self) -> Option<Result<Field<'a>>> {
        let read = self.read().transpose();
        if !matches!(read, Some(Ok(_))) {
            self.at = self.message.bytes.len();
            self.groups = Groups::default();
        }
        read
    }
}
