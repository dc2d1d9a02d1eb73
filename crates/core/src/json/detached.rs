//! A value that owns its text.

use super::Validation;
use super::cursor::Cursor;
use super::outline::Outline;
use super::value::Value;
use crate::error::Result;
use crate::input::Slice;
use crate::limits::Limits;
use crate::scan::Isa;

/// An outlined value and a copy of its text.
#[derive(Debug)]
pub struct Detached {
    text: Vec<u8>,
    outline: Outline,
}

impl Detached {
    /// Copies and outlines the only value of a text. White space around the value is allowed.
    ///
    /// # Errors
    ///
    /// Fails if the text is not one JSON value, or exceeds a limit.
    pub fn read(text: &[u8], limits: Limits) -> Result<Detached> {
        let mut cursor = Cursor::new(Slice(text), 0, Isa::best(), Validation::Grammar, limits);
        let mut outline = Outline::new();
        cursor.outline(&mut outline)?;
        let text = cursor.outlined(&outline).to_owned();
        match cursor.at_end()? {
            true => Ok(Detached { text, outline }),
            false => Err(cursor.expected("the end of the text")),
        }
    }

    /// Returns the value. Its offsets count from the start of the text that `read` received.
    pub fn value(&mut self) -> Value<'_> {
        self.outline.value(&self.text)
    }
}
