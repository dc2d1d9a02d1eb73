//! The shape of one value: where its strings end and where its containers do.
//!
//! Written while the cursor passes over the value, from the masks it has anyway; afterwards every
//! part of the value is reached, skipped or compared without looking at a byte twice. Two bits for
//! each byte, and eight bytes for each object or array: for one element of a plan, never for a
//! plan.
//!
//! The trap: a position here counts from `Outline::origin`, the start of the 64-byte block in which
//! the value begins, not from the value. And the text may be a file that another process writes to:
//! positions were right for the bytes that were scanned, so every use is checked and none panics.

use std::ops::Range;

use super::value::Value;
use crate::error::{Error, Result};
use crate::limits::Limit;
use crate::scan::Block;

/// The shape of one value.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// Bytes from the start of the input to position 0.
    pub(super) origin: u64,
    /// The value's first byte.
    start: u32,
    /// Longest string that is decoded.
    string_max: u64,
    /// Two bits for each byte, by blocks of 64. Those of bytes around the value mean nothing.
    strings: Vec<Strings>,
    /// The containers in the order in which they open.
    containers: Vec<Container>,
    /// The innermost one that is open while the outline is written, plus one; the ones around it
    /// are linked through [`Container::close`], which has no other use yet.
    open: u32,
}

/// Where strings begin and end in 64 bytes, and what is escaped in them.
#[derive(Clone, Copy, Debug)]
struct Strings {
    /// Unescaped quotes.
    quotes: u64,
    /// Backslashes that escape.
    escapes: u64,
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

    pub(super) fn begin(&mut self, origin: u64, start: u32, string_max: u64) {
        self.origin = origin;
        self.start = start;
        self.string_max = string_max;
        self.strings.clear();
        self.containers.clear();
        self.open = 0;
    }

    #[inline]
    pub(super) fn open(&mut self) {
        self.containers.push(Container { close: self.open, next: 0 });
        self.open = self.containers.len() as u32;
    }

    /// The innermost container closes at that offset of the input.
    #[inline]
    pub(super) fn close(&mut self, offset: u64) {
        let close = (offset - self.origin) as u32;
        let next = self.containers.len() as u32;
        if let Some(container) = self.containers.get_mut((self.open as usize).wrapping_sub(1)) {
            self.open = std::mem::replace(container, Container { close, next }).close;
        }
    }

    /// The outlined value. `text` is the text from [`Outline::origin`] to the value's end.
    pub(super) fn value<'a>(&'a self, text: &'a [u8]) -> Value<'a> {
        Value::new(text, self, self.start..text.len() as u32, 0)
    }

    /// The first quote at or after a position.
    #[inline]
    pub(super) fn next_quote(&self, position: u32) -> Option<u32> {
        self.next(position, |strings| strings.quotes)
    }

    /// The first backslash that escapes, at or after a position.
    #[inline]
    pub(super) fn next_escape(&self, position: u32) -> Option<u32> {
        self.next(position, |strings| strings.escapes)
    }

    /// Where a text ends that begins at a position, if that is in its block or the one behind and
    /// nothing in it is escaped.
    #[inline(always)]
    pub(super) fn plain_end(&self, position: u32) -> Option<u32> {
        let (block, bit) = ((position / 64) as usize, position % 64);
        let strings = self.strings.get(block)?;
        let (mut quotes, mut escapes) = (strings.quotes >> bit, strings.escapes >> bit);
        let mut start = position;
        if quotes == 0 && escapes == 0 {
            let behind = self.strings.get(block + 1)?;
            (quotes, escapes) = (behind.quotes, behind.escapes);
            start = position - bit + 64;
        }
        let text = quotes ^ quotes.wrapping_sub(1);
        (quotes != 0 && escapes & text == 0).then(|| start + quotes.trailing_zeros())
    }

    #[inline(always)]
    fn next(&self, position: u32, mask: impl Fn(&Strings) -> u64) -> Option<u32> {
        let mut block = (position / 64) as usize;
        let mut bits = mask(self.strings.get(block)?) & (!0 << (position % 64));
        while bits == 0 {
            block += 1;
            bits = mask(self.strings.get(block)?);
        }
        Some(block as u32 * 64 + bits.trailing_zeros())
    }

    /// # Errors
    ///
    /// A string of that length is too long to be decoded.
    pub(super) fn hold_to_limit(&self, len: usize, offset: u64) -> Result<()> {
        if len as u64 > self.string_max {
            return Err(Error::limit(Limit::StringKept, self.string_max, offset));
        }
        Ok(())
    }

    /// Whether anything is escaped between two positions.
    #[inline]
    pub(super) fn has_escape(&self, range: Range<u32>) -> bool {
        let (first, last) = ((range.start / 64) as usize, (range.end / 64) as usize);
        let from = !0 << (range.start % 64);
        let to = !(!0 << (range.end % 64));
        match self.strings.get(first..=last) {
            Some([block]) => block.escapes & from & to != 0,
            Some([one, two]) => one.escapes & from != 0 || two.escapes & to != 0,
            Some([one, between @ .., two]) => {
                one.escapes & from != 0
                    || two.escapes & to != 0
                    || between.iter().any(|block| block.escapes != 0)
            }
            // The byte after the range may be the first after the text.
            _ => {
                let rest = self.strings.get(first..).unwrap_or_default();
                rest.iter().any(|block| block.escapes != 0)
            }
        }
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

/// Who is told of the structure that is passed over.
pub(super) trait Recorder {
    /// The next blocks. There may be more to the first and the last than belongs to the value.
    fn blocks(&mut self, blocks: &[Block]);
    /// A container opens.
    fn open(&mut self);
    /// The innermost container closes at that offset of the input.
    fn close(&mut self, offset: u64);
}

impl Recorder for &mut Outline {
    #[inline(always)]
    fn blocks(&mut self, blocks: &[Block]) {
        let strings = |block: &Block| Strings { quotes: block.quotes, escapes: block.escapes };
        self.strings.extend(blocks.iter().map(strings));
    }

    #[inline(always)]
    fn open(&mut self) {
        Outline::open(self);
    }

    #[inline(always)]
    fn close(&mut self, offset: u64) {
        Outline::close(self, offset);
    }
}

/// Nobody is.
pub(super) struct Unrecorded;

impl Recorder for Unrecorded {
    #[inline(always)]
    fn blocks(&mut self, _: &[Block]) {}
    #[inline(always)]
    fn open(&mut self) {}
    #[inline(always)]
    fn close(&mut self, _: u64) {}
}
