//! Values that were copied out of the window in which they stood: for another thread, or for later.

use super::outline::{Outline, Shape};
use super::value::Value;

/// Outlined values and their texts. The memory is kept when others take their place.
#[derive(Debug, Default)]
pub struct Detached {
    texts: Vec<u8>,
    pieces: Vec<Piece>,
    /// The shapes of all of them.
    shapes: Outline,
    /// The shape of the one that is looked at.
    outline: Outline,
}

/// Where a value's text ends, and its shape.
#[derive(Clone, Copy, Debug)]
struct Piece {
    text_end: usize,
    shape: Shape,
}

impl Detached {
    /// Forgets all values.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.pieces.clear();
        self.shapes.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The bytes of all of their texts.
    pub fn size(&self) -> usize {
        self.texts.len()
    }

    /// Copies a value. `text` is the text from [`Outline::origin`] to its end.
    pub(crate) fn push(&mut self, text: &[u8], outline: &Outline) {
        self.texts.extend_from_slice(text);
        let shape = self.shapes.push(outline);
        self.pieces.push(Piece { text_end: self.texts.len(), shape });
    }

    /// A value, at the offset that it had.
    ///
    /// # Panics
    ///
    /// If there are not so many.
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
