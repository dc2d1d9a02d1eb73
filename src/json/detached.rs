//! Copies of outlined values, to use on another thread or after the window has moved.

use super::Validation;
use super::cursor::Cursor;
use super::outline::{Outline, Shape};
use super::value::Value;
use crate::error::Result;
use crate::input::Slice;
use crate::limits::Limits;
use crate::scan::Isa;

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
    /// The value that a text is, but for white space around it.
    ///
    /// # Errors
    ///
    /// The text is not one JSON value, or one beyond a limit.
    pub fn read(text: &[u8], limits: Limits) -> Result<Detached> {
        let mut cursor = Cursor::new(Slice(text), 0, Isa::best(), Validation::Grammar, limits);
        let (mut outline, mut read) = (Outline::new(), Detached::default());
        cursor.outline(&mut outline)?;
        read.push(cursor.outlined(&outline), &outline);
        match cursor.at_end()? {
            true => Ok(read),
            false => Err(cursor.expected("the end of the text")),
        }
    }

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
