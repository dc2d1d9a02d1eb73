//! Finds the values at steps that come in order.

use super::Step;
use crate::error::Result;
use crate::json::value::{Elements, Kind, Ordered, Value};

/// The contents of a value, from the last step that was taken on.
pub enum StepCursor<'a> {
    /// The members of an object.
    Object(Ordered<'a>),
    /// The rest of an array, and the index of its first element.
    Array(Elements<'a>, u32),
    /// There is no value, or it has no contents.
    Nothing,
}

impl<'a> StepCursor<'a> {
    /// Starts before the contents of a value.
    ///
    /// # Errors
    ///
    /// Fails if the value is malformed, or has a key twice.
    pub fn of(value: Option<Value<'a>>) -> Result<StepCursor<'a>> {
        let Some(value) = value else { return Ok(StepCursor::Nothing) };
        Ok(match value.kind()? {
            Kind::Object => StepCursor::Object(Ordered::of(Some(value))?),
            Kind::Array => StepCursor::Array(value.elements()?, 0),
            _ => StepCursor::Nothing,
        })
    }

    /// Skips the contents before `step`, and returns the value at `step`.
    ///
    /// # Errors
    ///
    /// Fails if the contents are malformed, or have a key twice.
    pub fn take(&mut self, step: Step<'_>) -> Result<Option<Value<'a>>> {
        match (self, step) {
            (StepCursor::Object(members), Step::Key(key)) => members.take_named(key),
            (StepCursor::Array(elements, next), Step::Index(index)) => {
                let skipped = index.saturating_sub(*next);
                *next = index.saturating_add(1);
                elements.nth(skipped as usize).transpose()
            }
            _ => Ok(None),
        }
    }
}
