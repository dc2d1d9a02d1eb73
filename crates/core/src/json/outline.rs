//! A structural index of one value: the ends of its strings and of its containers.
//!
//! The cursor records its masks while it skips the value. Afterwards every part of the value can be
//! reached, skipped or compared without reading a byte twice. The first navigation of the value
//! computes the ends of containers, because most elements of a plan are never navigated.
//!
//! The index takes four bits for each byte of the value and eight bytes for each container. It
//! covers one element of a plan at a time. A long value may consist of brackets only. So the index
//! of a long value takes four bytes for each container (`Outline::nest_long`).
//!
//! A trap: a position counts from `Outline::origin`, the start of the 64-byte block that the value
//! begins in, not from the value. Another trap: if another process writes to a mapped file, a
//! position may no longer fit the text. So every use of a position is checked, and none panics.

use std::ops::Range;

use super::string;
use crate::error::{Error, Result};
use crate::limits::{Limit, Limits};
use crate::scan::{BLOCK, Block, Code, Isa};

/// The structural index of one value.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The instruction set for searching brackets.
    isa: Isa,
    /// Longest string that may be decoded.
    string_max: u64,
    /// Bytes from the start of the input to position 0.
    pub(super) origin: u64,
    /// The position of the value's first byte.
    start: u32,
    /// The position after its last byte.
    end: u32,
    /// The masks from position 0 on. Bits outside the value are undefined.
    pub(super) blocks: Vec<Marks>,
    /// The containers, in the order of their opening brackets.
    containers: Vec<Container>,
    /// Replaces `containers` in a long value: the closing bracket of each container.
    closes: Vec<u32>,
    /// In a long value, the number of containers that open before each block.
    opened: Vec<u32>,
    /// Whether the containers were computed.
    is_nested: bool,
}

/// The masks of a [`Block`] that the index needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    pub quotes: u64,
    pub escapes: u64,
    pub brackets: u64,
    pub opens: u64,
}

/// The end of a container.
#[derive(Clone, Copy, Debug)]
pub(super) struct Container {
    /// The position of the closing bracket.
    pub close: u32,
    /// The number of containers that open before `close`. It is also the index of the first
    /// container that opens after `close`.
    pub next: u32,
}

impl Outline {
    /// Longest text that can be outlined, in bytes.
    pub const LEN_MAX: u64 = Limits::CHANGE_MAX;

    /// Minimum number of blocks of a long value.
    const LONG: usize = (512 << 10) / BLOCK;

    /// An empty outline, for [`super::cursor::Cursor::outline`] to fill.
    pub fn new() -> Outline {
        Outline::default()
    }

    pub(super) fn begin(&mut self, isa: Isa, origin: u64, start: u32, string_max: u64) {
        self.isa = isa;
        self.origin = origin;
        self.start = start;
        self.string_max = string_max;
        if self.blocks.len() >= Outline::LONG {
            // Frees the memory of a long value, because long values are rare.
            (self.blocks, self.closes, self.opened) = Default::default();
        }
        self.blocks.clear();
        self.is_nested = false;
    }

    /// Ends the value before an offset of the input.
    pub(super) fn end(&mut self, offset: u64) {
        self.end = (offset - self.origin) as u32;
    }

    /// Bytes from the start of the input to the value's first byte.
    pub fn start(&self) -> u64 {
        self.origin + u64::from(self.start)
    }

    /// Computes the ends of the containers, if they are not known yet.
    pub(super) fn nest_once(&mut self) {
        if !self.is_nested {
            self.is_nested = true;
            self.isa.run(Nest(self));
        }
    }

    /// The offset of the value's first byte, from the origin.
    pub(super) fn start_in_text(&self) -> u32 {
        self.start
    }

    /// Computes the ends of the containers.
    #[inline(always)]
    fn nest(&mut self) {
        self.containers.clear();
        self.closes.clear();
        if self.blocks.len() >= Outline::LONG {
            return self.nest_long();
        }
        // `open` is the index of the innermost open container plus one, or 0. While a container is
        // open, its `close` has the value of `open` for the container around it.
        let mut open = 0;
        let mut visible = !0 << self.start;
        for (index, block) in self.blocks.iter().enumerate() {
            let start = index as u32 * BLOCK as u32;
            let mut brackets = block.brackets & visible;
            visible = !0;
            while brackets != 0 {
                let bit = brackets.trailing_zeros();
                brackets &= brackets - 1;
                let close = start + bit;
                if close >= self.end {
                    return;
                }
                if (block.opens >> bit) & 1 == 1 {
                    self.containers.push(Container { close: open, next: 0 });
                    open = self.containers.len() as u32;
                    continue;
                }
                let next = self.containers.len() as u32;
                if let Some(container) = self.containers.get_mut((open as usize).wrapping_sub(1)) {
                    open = std::mem::replace(container, Container { close, next }).close;
                }
            }
        }
    }

    /// Computes the ends of the containers of a long value. The field [`Container::next`] is not
    /// stored: it follows from `opened` and the brackets of the block in which the container ends.
    fn nest_long(&mut self) {
        self.containers = Vec::new();
        let opens = |block: &Marks| block.brackets & block.opens;
        let count: usize = self.blocks.iter().map(|block| opens(block).count_ones() as usize).sum();
        // Reserves the exact size: a growing `Vec` briefly needs three times its memory.
        self.closes.reserve_exact(count);
        self.opened.clear();
        self.opened.reserve_exact(self.blocks.len());
        // Open containers are linked as in `nest`, through `closes`.
        let mut open = 0;
        let mut visible = !0 << self.start;
        for (index, block) in self.blocks.iter().enumerate() {
            self.opened.push(self.closes.len() as u32);
            let mut brackets = block.brackets & std::mem::replace(&mut visible, !0);
            while brackets != 0 {
                let bit = brackets.trailing_zeros();
                brackets &= brackets - 1;
                let close = (index * BLOCK) as u32 + bit;
                if close >= self.end {
                    return;
                }
                if (block.opens >> bit) & 1 == 1 {
                    self.closes.push(open);
                    open = self.closes.len() as u32;
                } else if let Some(around) = self.closes.get_mut((open as usize).wrapping_sub(1)) {
                    open = std::mem::replace(around, close);
                }
            }
        }
    }

    #[cold]
    fn container_of_long(&self, index: u32) -> Option<Container> {
        let close = *self.closes.get(index as usize)?;
        let (block, bit) = ((close / 64) as usize, close % 64);
        let Marks { brackets, opens, .. } = self.blocks.get(block)?;
        let visible = if block == 0 { !0 << self.start } else { !0 };
        let before = brackets & opens & visible & !(!0 << bit);
        Some(Container { close, next: self.opened.get(block)? + before.count_ones() })
    }

    /// The first quote at or after a position.
    #[inline]
    pub(super) fn next_quote(&self, position: u32) -> Option<u32> {
        let mut block = (position / 64) as usize;
        let mut quotes = self.blocks.get(block)?.quotes & (!0 << (position % 64));
        while quotes == 0 {
            block += 1;
            quotes = self.blocks.get(block)?.quotes;
        }
        Some(block as u32 * 64 + quotes.trailing_zeros())
    }

    /// Returns the end of the string whose text starts at a position. Returns `None` if the text
    /// has an escape, or ends neither in the same block nor in the next one.
    #[inline(always)]
    pub(super) fn plain_end(&self, position: u32) -> Option<u32> {
        let (block, bit) = ((position / 64) as usize, position % 64);
        let strings = self.blocks.get(block)?;
        let (mut quotes, mut escapes) = (strings.quotes >> bit, strings.escapes >> bit);
        let mut start = position;
        if quotes == 0 && escapes == 0 {
            let behind = self.blocks.get(block + 1)?;
            (quotes, escapes) = (behind.quotes, behind.escapes);
            start = position - bit + 64;
        }
        let text = quotes ^ quotes.wrapping_sub(1);
        (quotes != 0 && escapes & text == 0).then(|| start + quotes.trailing_zeros())
    }

    /// Checks the length of a string before it is decoded. Fails if the length exceeds the limit.
    pub(super) fn check_string_limit(&self, len: usize, offset: u64) -> Result<()> {
        if len as u64 > self.string_max {
            return Err(Error::limit(Limit::StringKept, self.string_max, offset));
        }
        Ok(())
    }

    /// Whether there is an escape between two positions.
    #[inline]
    pub(super) fn has_escape(&self, range: Range<u32>) -> bool {
        let (first, last) = ((range.start / 64) as usize, (range.end / 64) as usize);
        let from = !0 << (range.start % 64);
        let to = !(!0 << (range.end % 64));
        match self.blocks.get(first..=last) {
            Some([block]) => block.escapes & from & to != 0,
            Some([one, two]) => one.escapes & from != 0 || two.escapes & to != 0,
            Some([one, between @ .., two]) => {
                one.escapes & from != 0
                    || two.escapes & to != 0
                    || between.iter().any(|block| block.escapes != 0)
            }
            // The end of the range may be in the block after the last one.
            _ => {
                let rest = self.blocks.get(first..).unwrap_or_default();
                rest.iter().any(|block| block.escapes != 0)
            }
        }
    }

    /// Checks the escapes in a range; `Err` has the position of the first bad one. `text` starts at
    /// position 0 and contains the range.
    pub(super) fn check_escapes(
        &self,
        text: &[u8],
        range: Range<u32>,
    ) -> std::result::Result<(), u32> {
        let text = text.get(..range.end as usize).ok_or(range.start)?;
        let Range { start: mut at, end } = range;
        let (first, last) = (at / 64, end.div_ceil(64));
        let blocks = self.blocks.get(first as usize..).unwrap_or_default();
        for (index, block) in (first..last).zip(blocks) {
            let mut escapes = block.escapes;
            while escapes != 0 {
                let escape = index * 64 + escapes.trailing_zeros();
                escapes &= escapes - 1;
                // This escape is before the range, or is the second half of a pair.
                if escape < at {
                    continue;
                }
                if escape >= end {
                    return Ok(());
                }
                let len = string::escape_len(&text[escape as usize..]).ok_or(escape)?;
                at = escape + len as u32;
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn container(&self, index: u32) -> Option<Container> {
        match self.containers.get(index as usize) {
            Some(container) => Some(*container),
            None => self.container_of_long(index),
        }
    }

    /// The depth of nesting among the containers of a range.
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

/// [`Outline::nest`], compiled for the scanner's instruction set.
struct Nest<'o>(&'o mut Outline);

impl Code for Nest<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.nest();
    }
}

/// Receives the blocks of a value that the cursor skips.
pub(super) trait Recorder {
    /// Takes the next blocks. The first and the last may have bytes that are not part of the value.
    fn blocks(&mut self, blocks: &[Block]);
}

impl Recorder for &mut Outline {
    #[inline(always)]
    fn blocks(&mut self, blocks: &[Block]) {
        self.blocks.extend(blocks.iter().map(|block| Marks {
            quotes: block.quotes,
            escapes: block.escapes,
            brackets: block.brackets,
            opens: block.opens,
        }));
    }
}

/// Ignores the blocks.
pub(super) struct Unrecorded;

impl Recorder for Unrecorded {
    #[inline(always)]
    fn blocks(&mut self, _: &[Block]) {}
}
