//! Records which bytes of a stretch stay when a selection removes some of its pieces.
//!
//! A stretch is the byte range that one lookahead worker redacts. A piece is one element in it,
//! such as a resource change.

use std::ops::Range;

use super::chunk::Chunk;
use super::selection::{Gone, Reason};

/// The parts of a stretch that stay, recorded piece by piece.
#[derive(Debug, Default)]
pub(super) struct KeptRanges {
    /// The parts, in order. A part is a run of consecutive pieces that stay. It begins at the end
    /// of the piece before the run, so it includes the comma before the run.
    parts: Vec<Part>,
    /// The end of the last piece; 0 before the first piece.
    end: u64,
    /// The offset of the comma before the first piece that stays. `None` if that piece is the first
    /// of the stretch.
    first_comma: Option<u64>,
    gone: Gone,
}

#[derive(Debug)]
struct Part {
    range: Range<u64>,
    /// The new offset of the first byte of the part.
    place: u64,
}

impl KeptRanges {
    /// Removes all content and keeps the memory.
    pub fn clear(&mut self) {
        self.parts.clear();
        (self.end, self.first_comma, self.gone) = (0, None, Gone::default());
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Leaves out the next piece, which ends at `end`.
    pub fn go(&mut self, end: u64, reason: Reason) {
        self.gone.count(reason);
        self.end = end;
    }

    /// Keeps the next piece, which ends at `end`. `comma` is the offset of the comma before it.
    pub fn stay(&mut self, end: u64, comma: Option<u64>) {
        match self.parts.last_mut().filter(|last| last.range.end == self.end) {
            Some(last) => last.range.end = end,
            None => {
                if self.parts.is_empty() {
                    self.first_comma = comma.filter(|_| self.end > 0);
                }
                self.parts.push(Part { range: self.end..end, place: 0 });
            }
        }
        self.end = end;
    }

    /// Copies the kept bytes to `chunk`, and moves the offsets of its edits and pieces accordingly.
    /// The first kept byte gets the offset of the stretch's start.
    pub fn take(&mut self, chunk: &mut Chunk, stretch: Range<u64>, text: &[u8]) {
        chunk.start = stretch.start;
        chunk.gone = self.gone;
        for part in &mut self.parts {
            part.range.start = part.range.start.max(stretch.start);
            part.place = chunk.end();
            let places = part.range.start as usize..part.range.end as usize;
            chunk.bytes.extend_from_slice(&text[places]);
        }
        chunk.first_comma = self.first_comma.map(|comma| self.place(comma));
        for edit in &mut chunk.edits {
            self.move_range(&mut edit.range);
        }
        for piece in &mut chunk.pieces {
            self.move_range(&mut piece.range);
            self.move_range(&mut piece.after);
        }
    }

    fn move_range(&self, range: &mut Range<u64>) {
        if !range.is_empty() {
            let start = self.place(range.start);
            *range = start..start + (range.end - range.start);
        }
    }

    /// The new offset of a position inside a part.
    fn place(&self, offset: u64) -> u64 {
        let after = self.parts.partition_point(|part| part.range.start <= offset);
        let part = &self.parts[after - 1];
        part.place + (offset - part.range.start)
    }
}
