//! Speculative parsing of elements ahead of the reader.
//!
//! Several threads can parse a text that lies in memory as a whole, if they know where an element
//! begins. They guess: after a comma, at an object whose first key is `address`. A guess may be
//! wrong, because such an object may lie deeper or inside a string. So a result counts only if the
//! reader, which never guesses, arrives between two elements at exactly the offset where the result
//! starts. From there both parse the same bytes in the same way, and the reader jumps to the end of
//! the result.
//!
//! Invariant: anything unusual (an error, a limit) ends a result before it, and the reader meets it
//! itself.

use std::ops::Range;

use memchr::memmem;

use super::reader::Reader;
use super::section::Section;
use super::{Flow, Options, Visitor};
use crate::input::{SharedText, Slice, Source};
use crate::json::brackets::Brackets;
use crate::json::cursor::Cursor;
use crate::json::outline::Outline;

/// The first key of an element, as the tools write it (docs/format/plan.md, section 3).
const FIRST_KEY: &[u8] = b"\"address\":";

/// Cost of a wrong guess, in bytes, on top of the bytes it parsed.
const WRONG: u64 = 4096;

/// The reader's position before an element of a section of changes.
pub struct Frontier<'c> {
    pub(super) section: Section,
    pub(super) index: u64,
    pub(super) offset: u64,
    pub(super) open: &'c Brackets,
    pub(super) source: &'c dyn Source,
    pub(super) options: Options,
}

impl Frontier<'_> {
    /// The section that the reader is in.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Number of elements of the section before this position.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Bytes from the start of the input: right after the comma before the element, or where the
    /// first element begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether another thread is still producing the text after the window.
    pub fn is_awaited(&self) -> bool {
        self.source.would_block()
    }

    /// Returns a parser that can run ahead of the reader; `None` if the text does not lie in
    /// memory.
    pub fn scout(&self) -> Option<Scout> {
        let whole = self.source.shared_text()?;
        Some(Scout { whole, section: self.section, open: self.open.clone(), options: self.options })
    }
}

/// Parses elements of one section from guessed starts, on any thread.
#[derive(Clone)]
pub struct Scout {
    whole: SharedText,
    section: Section,
    open: Brackets,
    options: Options,
}

impl Scout {
    /// Length of the text in bytes.
    pub fn text_len(&self) -> u64 {
        self.whole.text().len() as u64
    }

    /// Lowers the limit on one element, in bytes. Longer elements are left to the reader.
    pub fn with_change_max(mut self, max: u64) -> Scout {
        self.options.limits.change = self.options.limits.change.min(max);
        self
    }

    /// Parses the elements that begin in `range`, from the first guess that holds, and sends them
    /// to `visitor` like a reader. An element that is invalid, or at which the visitor stops, ends
    /// the result and is not part of it.
    ///
    /// Returns the parsed range: from after a comma to the end of an element. `outline` is reused
    /// for each element.
    pub fn read(
        &self,
        range: Range<u64>,
        outline: &mut Outline,
        visitor: &mut impl Visitor,
    ) -> Option<Range<u64>> {
        let until = range.end;
        explore(self.whole.text(), range, |start| self.read_from(start, until, outline, visitor))
    }

    /// Parses elements from `start` on. Returns the parsed range or, if there is no element, the
    /// offset that the attempt reached.
    fn read_from(
        &self,
        start: u64,
        until: u64,
        outline: &mut Outline,
        visitor: &mut impl Visitor,
    ) -> std::result::Result<Range<u64>, u64> {
        let Options { isa, validation, limits, .. } = self.options;
        // The text is cut here, so that an endless element or endless white space is left to the
        // reader.
        let end = until.saturating_add(limits.change).min(self.text_len());
        let text = Slice(&self.whole.text()[..end as usize]);
        let cursor = Cursor::between(text, start, &self.open, isa, validation, limits);
        let mut reader = Reader::of_elements(cursor, &self.options, outline, visitor);
        let mut end = None;
        for index in 0.. {
            match reader.element(self.section, index) {
                Ok(Flow::Continue) => end = Some(reader.cursor().offset()),
                Ok(Flow::Stop) | Err(_) => break,
            }
            // An element that begins at `until` belongs to the next range.
            let cursor = reader.cursor();
            if !matches!(cursor.next_element(), Ok(true)) || cursor.offset() >= until {
                break;
            }
        }
        end.map(|end| start..end).ok_or(reader.cursor().offset())
    }
}

/// Calls `read` with each guessed start of an element in a range, until one succeeds. A failed
/// `read` returns the offset it reached.
pub(super) fn explore<T>(
    text: &[u8],
    range: Range<u64>,
    mut read: impl FnMut(u64) -> std::result::Result<T, u64>,
) -> Option<T> {
    let (mut from, mut wasted) = (range.start, 0);
    // Bounds the wasted work, whatever the text holds, to about the length of the range.
    while wasted < range.end - range.start {
        let start = guess(text, from as usize..range.end as usize)? as u64;
        match read(start) {
            Ok(found) => return Some(found),
            Err(reached) => wasted += reached - start + WRONG,
        }
        from = start + 1;
    }
    None
}

/// Guesses where in a range an element begins: right after the comma before it.
fn guess(text: &[u8], range: Range<usize>) -> Option<usize> {
    // The comma before a key may lie before the range, and the key of the last comma after it.
    const AROUND: usize = 256;
    let Range { start, end } = range;
    let before = start.saturating_sub(AROUND);
    let behind = text.len().min(end.saturating_add(AROUND));
    let mut keys = memmem::find_iter(text.get(start..behind)?, FIRST_KEY);
    keys.find_map(|key| {
        let place = before + begin(&text[before..start + key])?;
        (start..end).contains(&place).then_some(place)
    })
}

/// If a text ends with `}`, a comma and the brace of an object, returns the length up to the comma.
fn begin(text: &[u8]) -> Option<usize> {
    let before = text.trim_ascii_end().strip_suffix(b"{")?.trim_ascii_end();
    before.strip_suffix(b",")?.trim_ascii_end().ends_with(b"}").then_some(before.len())
}
