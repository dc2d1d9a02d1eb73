//! A value that was copied out of the window in which it stood: for another thread, or for later.

use super::outline::Outline;
use super::value::Value;

/// An outlined value and its text. Its memory is kept when another one is copied in.
#[derive(Debug, Default)]
pub struct Detached {
    text: Vec<u8>,
    outline: Outline,
}

impl Detached {
    /// Copies a value in. `text` is the text from [`Outline::origin`] to its end.
    pub(crate) fn set(&mut self, text: &[u8], outline: &Outline) {
        self.text.clear();
        self.text.extend_from_slice(text);
        self.outline.clone_from(outline);
    }

    /// The value, at the offset that it had.
    pub fn value(&mut self) -> Value<'_> {
        self.outline.value(&self.text)
    }
}
