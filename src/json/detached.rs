//! Copies of outlined values, to use on another thread or after the window has moved.

use super::outline::{Outline, Shape};
use super::value::Value;

/// Outlined values and their texts. Reuses its memory after [`Detached::clear`].
#[derive(Debug, Default)]
pub struct Detached {
    texts: Vec<u8>,
    pieces: Vec<Piece>,
    /// The masks of all values.
    shapes: Outline,
    /// The outline of the value that was requested last.
    outline: Outline,
}

/// The end of a value's text in `texts`, and its shape.
#[derive(Clone, Copy, Debug)]
struct Piece {
    text_end: usize,
    shape: Shape,
}

impl Detached {
    /// Drops all values.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.pieces.clear();
        self.shapes.clear();
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Bytes of all texts.
    pub fn size(&self) -> usize {
        self.texts.len()
    }

    /// Copies a value. `text` is the text from [`Outline::origin`] to its end.
    pub(crate) fn push(&mut self, text: &[u8], outline: &Outline) {
        self.texts.extend_from_slice(text);
        let shape = self.shapes.push(outline);
        self.pieces.push(Piece { text_end: self.texts.len(), shape });
    }

    /// A value. It keeps the offset that it had in the input.
    ///
    /// # Panics
    ///
    /// If `index` is not less than [`Detached::len`].
    pub fn value(&mut self, index: usize) -> Value<'_> {
        let start = match index {
            0 => 0,
            _ => self.pieces[index - 1].text_end,
        };
        let Piece { text_end, shape } = self.pieces[index];
        self.outline.take(&self.shapes, shape);
        self.outline.value(&self.texts[start..text_end])
    }
}
