//! A copy of an outlined value that outlives the window.

use super::outline::Outline;
use super::value::Value;

/// An outlined value and its text.
#[derive(Debug)]
pub struct Detached {
    text: Vec<u8>,
    outline: Outline,
}

impl Detached {
    /// Copies a value. `text` is the text from [`Outline::origin`] to its end.
    pub(crate) fn new(text: &[u8], outline: Outline) -> Detached {
        Detached { text: text.to_owned(), outline }
    }

    /// The value. It keeps the offset that it had in the input.
    pub fn value(&mut self) -> Value<'_> {
        self.outline.value(&self.text)
    }
}
