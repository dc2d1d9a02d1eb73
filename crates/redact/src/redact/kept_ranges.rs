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
    removed: RemovedPieces,
}

#[derive(Debug)]
struct KeptRange {
    range: Range<u64>,
    /// The new offset of the first byte of the kept range.
    new_start: u64,
}

impl KeptRange {
    /// The bytes of the range. `text` is the whole input.
    fn text<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        &text[self.range.start as usize..self.range.end as usize]
    }
}

impl KeptRanges {
    /// Leaves out the next piece, which ends at `end`.
    pub fn remove(&mut self, end: u64, reason: Reason) {
        self.removed.count(reason);
        self.end = end;
    }

    /// Keeps the next piece, which ends at `end`.
    pub fn keep(&mut self, end: u64) {
        match self.ranges.last_mut().filter(|last| last.range.end == self.end) {
            Some(last) => last.range.end = end,
            None => self.ranges.push(KeptRange { range: self.end..end, new_start: 0 }),
        }
        self.end = end;
    }

    /// Copies the kept bytes to `chunk`, and moves the offsets of its edits and pieces accordingly.
    /// The first kept byte gets the offset of the read range's start. Then forgets the kept ranges,
    /// but keeps their memory.
    pub fn take(&mut self, chunk: &mut Chunk, read: Range<u64>, text: &[u8]) {
        chunk.start = read.start;
        chunk.removed = std::mem::take(&mut self.removed);
        for kept in &mut self.ranges {
            kept.range.start = kept.range.start.max(read.start);
            kept.new_start = chunk.end();
            chunk.bytes.extend_from_slice(kept.text(text));
        }
        // Only white space precedes the comma.
        let first = self.ranges.first().filter(|first| first.range.start > read.start);
        chunk.first_comma = first
            .and_then(|first| first.text(text).iter().position(|byte| *byte == b','))
            .map(|comma| read.start + comma as u64);
        for edit in &mut chunk.edits {
            self.move_range(&mut edit.range);
        }
        for piece in &mut chunk.pieces {
            self.move_range(&mut piece.range);
            self.move_range(&mut piece.after);
        }
        self.ranges.clear();
        self.end = 0;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::chunk::{Edit, Span};
    use crate::redact::mask::Mask;
    use plansift_plan::plan::PieceKind;

    #[test]
    fn edits_and_pieces_move_with_the_bytes_that_stay() {
        let text = b"[aa,bb ,cc,dd]";
        let mut kept = KeptRanges::default();
        // The memory is used again.
        for _ in 0..2 {
            kept.remove(3, Reason::NoOp);
            kept.keep(6);
            kept.remove(10, Reason::Unwanted);
            kept.keep(13);
            assert_eq!(kept.ranges.len(), 2);
            let spans = [(4..6, 0..0), (11..13, 12..13)];
            let span = |(range, after)| Span { range, kind: PieceKind::ResourceChange, after };
            let mut chunk = Chunk {
                edits: [4..6, 11..13].map(|range| Edit { range, mask: Mask::Text }).into(),
                pieces: spans.map(span).into(),
                ..Chunk::default()
            };
            kept.take(&mut chunk, 1..13, text);
            assert_eq!((chunk.start, &*chunk.bytes), (1, &b",bb,dd"[..]));
            assert_eq!(chunk.first_comma, Some(1));
            assert_eq!([&chunk.edits[0].range, &chunk.edits[1].range], [&(2..4), &(5..7)]);
            assert_eq!([&chunk.pieces[0].range, &chunk.pieces[1].range], [&(2..4), &(5..7)]);
            assert_eq!([&chunk.pieces[0].after, &chunk.pieces[1].after], [&(0..0), &(6..7)]);
            assert_eq!(chunk.removed, RemovedPieces { no_ops: 1, unwanted: 1 });
            assert_eq!(kept.ranges.len(), 0);
        }
    }

    #[test]
    fn a_first_piece_that_stays_has_no_comma() {
        let mut kept = KeptRanges::default();
        kept.keep(3);
        kept.keep(6);
        assert_eq!(kept.ranges.len(), 1);
        let mut chunk = Chunk::default();
        kept.take(&mut chunk, 1..6, b"[aa,bb]");
        assert_eq!((&*chunk.bytes, chunk.first_comma), (&b"aa,bb"[..], None));
        kept.remove(3, Reason::NoOp);
        kept.keep(7);
        let mut chunk = Chunk::default();
        kept.take(&mut chunk, 1..7, b"[aa ,bb]");
        assert_eq!((&*chunk.bytes, chunk.first_comma), (&b" ,bb"[..], Some(2)));
    }
}
