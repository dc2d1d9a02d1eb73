//! Records which bytes of a read range stay when a selection removes some of its pieces.
//!
//! A read range is the byte range that one lookahead worker redacts. A piece is one element in it,
//! such as a resource change.

use std::ops::Range;

use super::chunk::Chunk;
use super::selection::{Reason, RemovedPieces};

/// The parts of a read range that stay, recorded piece by piece.
#[derive(Debug, Default)]
pub(super) struct KeptRanges {
    /// The kept ranges, in order. A kept range is a run of consecutive pieces that stay. It begins
    /// at the end of the piece before the run, so it includes the comma before the run.
    ranges: Vec<KeptRange>,
    /// The end of the last piece; 0 before the first piece.
    end: u64,
    /// The offset of the comma before the first piece that stays. `None` if that piece is the first
    /// of the read range.
    first_comma: Option<u64>,
    removed: RemovedPieces,
}

#[derive(Debug)]
struct KeptRange {
    range: Range<u64>,
    /// The new offset of the first byte of the kept range.
    new_start: u64,
}

impl KeptRanges {
    /// Removes all content and keeps the memory.
    pub fn clear(&mut self) {
        self.ranges.clear();
        (self.end, self.first_comma, self.removed) = (0, None, RemovedPieces::default());
    }

    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Leaves out the next piece, which ends at `end`.
    pub fn go(&mut self, end: u64, reason: Reason) {
        self.removed.count(reason);
        self.end = end;
    }

    /// Keeps the next piece, which ends at `end`. `comma` is the offset of the comma before it.
    pub fn stay(&mut self, end: u64, comma: Option<u64>) {
        match self.ranges.last_mut().filter(|last| last.range.end == self.end) {
            Some(last) => last.range.end = end,
            None => {
                if self.ranges.is_empty() {
                    self.first_comma = comma.filter(|_| self.end > 0);
                }
                self.ranges.push(KeptRange { range: self.end..end, new_start: 0 });
            }
        }
        self.end = end;
    }

    /// Copies the kept bytes to `chunk`, and moves the offsets of its edits and pieces accordingly.
    /// The first kept byte gets the offset of the read range's start.
    pub fn take(&mut self, chunk: &mut Chunk, read: Range<u64>, text: &[u8]) {
        chunk.start = read.start;
        chunk.removed = self.removed;
        for kept in &mut self.ranges {
            kept.range.start = kept.range.start.max(read.start);
            kept.new_start = chunk.end();
            let range = kept.range.start as usize..kept.range.end as usize;
            chunk.bytes.extend_from_slice(&text[range]);
        }
        chunk.first_comma = self.first_comma.map(|comma| self.new_offset(comma));
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
            let start = self.new_offset(range.start);
            *range = start..start + (range.end - range.start);
        }
    }

    /// The new offset of a position inside a kept range.
    fn new_offset(&self, offset: u64) -> u64 {
        let after = self.ranges.partition_point(|kept| kept.range.start <= offset);
        let kept = &self.ranges[after - 1];
        kept.new_start + (offset - kept.range.start)
    }
}
