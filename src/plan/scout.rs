//! Elements that somebody reads before the reader comes to them.
//!
//! A text that is in memory as a whole can be read by several threads, if they know where an
//! element begins. They guess: behind a comma, at an object whose first key is `address`. A guess
//! may be wrong (such an object may lie deeper, or in a string), so what was read from there counts
//! only if the reader, which guesses nothing, comes to the very same place between two elements.
//! From there on both would read the same bytes in the same way; so the reader takes what was found
//! and goes on behind it.
//!
//! What must not change: whatever is not simply right (an error, a limit) ends what is read here,
//! and the reader meets it itself.

use std::ops::Range;

use memchr::memmem;

use super::reader::Reader;
use super::section::Section;
use super::{Flow, Options, Visitor};
use crate::input::{SharedText, Slice, Source};
use crate::json::brackets::Brackets;
use crate::json::cursor::Cursor;
use crate::json::outline::Outline;

/// The key that comes first in an element, as the tools write it (docs/format/plan.md, section 3).
const FIRST_KEY: &[u8] = b"\"address\":";

/// A wrong guess takes the time of so many bytes, and of those that were read from there.
const WRONG: u64 = 4096;

/// A place before an element of a section of changes.
pub struct Frontier<'c> {
    pub(super) section: Section,
    pub(super) index: u64,
    pub(super) offset: u64,
    pub(super) open: &'c Brackets,
    pub(super) source: &'c dyn Source,
    pub(super) options: Options,
}

impl Frontier<'_> {
    /// The section.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Elements of the section before it.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Bytes from the start of the input: behind the comma before the element, or for the first
    /// where it begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the text behind what is there is still on its way from another thread.
    pub fn is_awaited(&self) -> bool {
        self.source.would_block()
    }

    /// Who can read on from here while the reader does; `None`: the text does not lie in memory.
    pub fn scout(&self) -> Option<Scout> {
        let whole = self.source.shared_text()?;
        Some(Scout { whole, section: self.section, open: self.open.clone(), options: self.options })
    }
}

/// Reads elements of one section, from guessed places on, on any thread.
#[derive(Clone)]
pub struct Scout {
    whole: SharedText,
    section: Section,
    open: Brackets,
    options: Options,
}

impl Scout {
    /// Length of the text, in bytes.
    pub fn text_len(&self) -> u64 {
        self.whole.text().len() as u64
    }

    /// The same with a limit of its own on one element, in bytes: longer ones are left to the
    /// reader.
    pub fn with_change_max(mut self, max: u64) -> Scout {
        self.options.limits.change = self.options.limits.change.min(max);
        self
    }

    /// Reads elements that begin in `range`, from the first that seems to be one on. Tells
    /// `visitor` of each as a reader would, up to one that it stops at or that is wrong, which do
    /// not count. Returns from where to where: from behind a comma to the end of an element.
    ///
    /// They are outlined in `outline`, one after the other.
    pub fn read(
        &self,
        range: Range<u64>,
        outline: &mut Outline,
        visitor: &mut impl Visitor,
    ) -> Option<Range<u64>> {
        let until = range.end;
        explore(self.whole.text(), range, |start| self.read_from(start, until, outline, visitor))
    }

    /// From where to where elements were read; how far it was read, if there is none.
    fn read_from(
        &self,
        start: u64,
        until: u64,
        outline: &mut Outline,
        visitor: &mut impl Visitor,
    ) -> std::result::Result<Range<u64>, u64> {
        let Options { isa, validation, limits, .. } = self.options;
        // What is longer is left to the reader, and so is what is cut off here: space, say, of
        // which there is no end.
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
            // One that begins at the end belongs to the next range.
            let cursor = reader.cursor();
            if !matches!(cursor.next_element(), Ok(true)) || cursor.offset() >= until {
                break;
            }
        }
        end.map(|end| start..end).ok_or(reader.cursor().offset())
    }
}

/// Reads from the first place in a range on where an element seems to begin and where `read` finds
/// one; else it says how far it came.
pub(super) fn explore<T>(
    text: &[u8],
    range: Range<u64>,
    mut read: impl FnMut(u64) -> std::result::Result<T, u64>,
) -> Option<T> {
    let (mut from, mut wasted) = (range.start, 0);
    // Whatever stands there, not much more is read than the range.
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

/// Where in a range an element seems to begin: behind the comma before it.
fn guess(text: &[u8], range: Range<usize>) -> Option<usize> {
    // What is before the first of them and behind the comma of the last may lie outside.
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

/// What ends with `}`, a comma, and the bracket of an object: where it goes on behind the comma.
fn begin(text: &[u8]) -> Option<usize> {
    let before = text.trim_ascii_end().strip_suffix(b"{")?.trim_ascii_end();
    before.strip_suffix(b",")?.trim_ascii_end().ends_with(b"}").then_some(before.len())
}
