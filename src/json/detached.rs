//! A value with a text of its own.

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
    /// Copies and outlines the value that a text consists of. White space around it is allowed.
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

    /// The value. Its offsets count from the start of the text it was read from.
    pub fn value(&mut self) -> Value<'_> {
        self.outline.value(&self.text)
    }
}
