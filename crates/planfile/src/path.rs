//! Paths into a value: to its sensitive parts, and to the attributes that force a replacement.

use std::mem::size_of;

use super::fault::PlanFileFault;
use super::packed::ValueWriter;
use super::protobuf::Message;
use plansift_core::error::{Error, Result};
use plansift_core::limits::{Limit, Limits};
use plansift_cty::json_string;
use plansift_cty::msgpack::{Number, Token, Value};
use plansift_cty::path::Step;

/// Reads a step from its message, which has either a name or a key.
fn read_step(message: Message<'_>) -> Result<Step<'_>> {
    let mut step = None;
    for field in message.fields() {
        let field = field?;
        match field.number {
            1 => field.once(&mut step, Step::Name(field.text()?.as_bytes().into()))?,
            2 => field.once(&mut step, key(dynamic_value(field.message()?)?))?,
            _ => {}
        }
    }
    step.ok_or_else(|| Error::at(PlanFileFault::Step, message.offset))
}

/// Several paths, with their steps in one list.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths<'a> {
    steps: Vec<Step<'a>>,
    /// The end of each path in `steps`.
    ends: Vec<usize>,
}

impl<'a> Paths<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of paths.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, path: usize) -> &[Step<'a>] {
        let start = if path == 0 { 0 } else { self.ends[path - 1] };
        &self.steps[start..self.ends[path]]
    }

    /// The paths, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Step<'a>]> {
        (0..self.ends.len()).map(|path| self.get(path))
    }

    pub(super) fn push(&mut self, step: Step<'a>, limits: &Limits, offset: u64) -> Result<()> {
        self.check(limits, offset)?;
        self.steps.push(step);
        Ok(())
    }

    pub(super) fn end(&mut self, limits: &Limits, offset: u64) -> Result<()> {
        self.check(limits, offset)?;
        self.ends.push(self.steps.len());
        Ok(())
    }

    pub(super) fn add(&mut self, path: impl IntoIterator<Item = Step<'a>>) {
        self.steps.extend(path);
        self.ends.push(self.steps.len());
    }

    fn check(&self, limits: &Limits, offset: u64) -> Result<()> {
        let len = self.steps.len() * size_of::<Step<'_>>() + self.ends.len() * size_of::<usize>();
        if len as u64 >= limits.paths {
            return Err(Error::limit(Limit::Paths, limits.paths, offset));
        }
        Ok(())
    }

    /// Reads a path from its message, and appends it.
    pub(super) fn read(&mut self, path: Message<'a>, limits: &Limits) -> Result<()> {
        for field in path.fields() {
            let field = field?;
            if field.number != 1 {
                continue;
            }
            let message = field.message()?;
            self.push(read_step(message)?, limits, message.offset)?;
        }
        self.end(limits, path.offset)
    }
}

/// Converts a key of a map, a list or a set to a step.
fn key(value: Value<'_>) -> Step<'_> {
    let index = match value.token() {
        Token::Str(key) | Token::Bin(key) => return Step::Key(key.into()),
        Token::Number(Number::Int(number)) => Some(number),
        Token::Number(Number::Uint(number)) => i64::try_from(number).ok(),
        _ => None,
    };
    index.map_or(Step::Element(Some(value)), Step::Index)
}

/// Reads the value in a message `DynamicValue`.
pub(super) fn dynamic_value(message: Message<'_>) -> Result<Value<'_>> {
    let bytes = message.only(1)?.ok_or_else(|| Error::at(PlanFileFault::Value, message.offset))?;
    let message = bytes.message()?;
    let at = |offset| Error::at(PlanFileFault::Value, message.offset + offset as u64);
    let read = Value::read(message.bytes);
    let (value, rest) = read.map_err(|error| at(error.offset().unwrap_or_default()))?;
    if rest.is_empty() { Ok(value) } else { Err(at(message.bytes.len() - rest.len())) }
}

/// Appends a path as a JSON array of its steps.
pub(super) fn write_path(
    path: &[Step<'_>],
    values: ValueWriter<'_>,
    offset: u64,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.push(b'[');
    for (place, step) in path.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        match step {
            Step::Name(name) | Step::Key(name) => json_string::write_string(name, out),
            Step::Index(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Step::Element(Some(value)) => values.value(value, None, offset, out)?,
            Step::Element(None) | Step::Every => out.extend_from_slice(b"null"),
        }
    }
    out.push(b']');
    Ok(())
}
