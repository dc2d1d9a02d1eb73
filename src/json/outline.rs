//! The shape of one value: where its strings end and where its containers do.
//!
//! Written while the cursor passes over the value, from the masks it has anyway; afterwards every
//! part of the value is reached, skipped or compared without looking at a byte twice. Two bits for
//! each byte, and eight bytes for each object or array: for one element of a plan, never for a plan.
//!
//! The trap: a position here counts from [`Outline::origin`], the start of the 64-byte block in which
//! the value begins, not from the value. And the text may be a file that another process writes to:
//! positions were right for the bytes that were scanned, so every use is checked and none panics.

use std::ops::Range;

use super::value::Value;

/// The shape of one value.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Bytes from the start of the input to position 0.
    pub(super) origin: u64,
    /// The value's first byte.
    start: u32,
    /// A bit for each byte: unescaped quotes.
    quotes: Vec<u64>,
    /// A bit for each byte: backslashes that escape.
    escapes: Vec<u64>,
    /// The containers in the order in which they open.
    containers: Vec<Container>,
    /// Those that are open while the outline is written.
    open: Vec<u32>,
}

/// Where a container ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Container {
    /// Its closing bracket.
    pub close: u32,
    /// The number of containers that open before its end: the first one after it.
    pub next: u32,
}

impl Outline {
    /// Longest text that can be outlined, in bytes.
    pub const LEN_MAX: u64 = u32::MAX as u64 - (1 << 16);

    /// An outline of nothing, to be written by [`super::cursor::Cursor::outline`].
    pub fn new() -> Outline {
        Outline::default()
    }

    pub(super) fn begin(&mut self, origin: u64, start: u32) {
        self.origin = origin;
        self.start = start;
        self.quotes.clear();
        self.escapes.clear();
        self.containers.clear();
        self.open.clear();
    }

    #[inline]
    pub(super) fn push_block(&mut self, quotes: u64, escapes: u64) {
        self.quotes.push(quotes);
        self.escapes.push(escapes);
    }

    #[inline]
    pub(super) fn open(&mut self) {
        self.open.push(self.containers.len() as u32);
        self.containers.push(Container { close: 0, next: 0 });
    }

    /// The innermost container closes at that offset of the input.
    #[inline]
    pub(super) fn close(&mut self, offset: u64) {
        let position = (offset - self.origin) as u32;
        let next = self.containers.len() as u32;
        if let Some(container) = self.open.pop() {
            self.containers[container as usize] = Container { close: position, next };
        }
    }

    /// The outlined value. `text` is the text from [`Outline::origin`] to the value's end.
    pub(super) fn value<'a>(&'a self, text: &'a [u8]) -> Value<'a> {
        Value::new(text, self, self.start..text.len() as u32, 0)
    }

    /// The first quote at or after a position.
    #[inline]
    pub(super) fn next_quote(&self, position: u32) -> Option<u32> {
        let mut word = (position / 64) as usize;
        let mut bits = self.quotes.get(word)? & (!0 << (position % 64));
        while bits == 0 {
            word += 1;
            bits = *self.quotes.get(word)?;
        }
        Some(word as u32 * 64 + bits.trailing_zeros())
    }

    /// Whether anything is escaped between two positions.
    #[inline]
    pub(super) fn has_escape(&self, range: Range<u32>) -> bool {
        let (first, last) = ((range.start / 64) as usize, (range.end / 64) as usize);
        let from = !0 << (range.start % 64);
        let to = !(!0 << (range.end % 64));
        let words = self.escapes.get(first..=last.min(self.escapes.len().saturating_sub(1))).unwrap_or_default();
        words.iter().enumerate().any(|(place, word)| {
            let from = if place == 0 { from } else { !0 };
            let to = if first + place == last { to } else { !0 };
            word & from & to != 0
        })
    }

    #[inline]
    pub(super) fn container(&self, index: u32) -> Option<Container> {
        self.containers.get(index as usize).copied()
    }

    /// How deep the containers of that range are nested.
    pub(super) fn depth(&self, range: Range<u32>) -> u32 {
        let mut open = Vec::new();
        let mut deepest = 0;
        for index in range {
            while open.last().is_some_and(|&next| next <= index) {
                open.pop();
            }
            open.push(self.container(index).map_or(index, |container| container.next));
            deepest = deepest.max(open.len() as u32);
        }
        deepest
    }
}
