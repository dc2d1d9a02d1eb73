//! A chunk of a document on its way to the output: its bytes, and the edits to make in them.
//!
//! A chunk begins and ends between pieces, so any thread can process it on its own. The parse of
//! the pieces yields the edits for marked values. A masker adds the edits for echoes.

use std::cmp::Reverse;
use std::io::Write;
use std::ops::Range;

use super::Counts;
use super::mask::Mask;
use super::selection::RemovedPieces;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::plan::PieceKind;
use plansift_plan::plan::lookahead::PieceBatch;

/// A replacement. Offsets count from the start of the input.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub range: Range<u64>,
    pub mask: Mask,
}

impl Edit {
    pub fn order(&self) -> (u64, Reverse<u64>) {
        (self.range.start, Reverse(self.range.end))
    }
}

/// A piece of the document.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub range: Range<u64>,
    pub kind: PieceKind,
    /// The range of its `after` if that differs from `before`; otherwise empty.
    pub after: Range<u64>,
}

/// Receives the findings in the pieces of a document.
pub(super) trait Notes {
    /// Records a replacement. Returns `false` if the range is not part of the output.
    fn edit(&mut self, edit: Edit) -> bool;

    fn piece(&mut self, piece: Span);
}

#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// The offset of its first byte.
    pub start: u64,
    pub bytes: Vec<u8>,
    /// The replacements of marked values.
    pub edits: Vec<Edit>,
    /// The replacements of echoes, in order. An echo may lie inside another edit.
    pub echoes: Vec<Edit>,
    /// The pieces in the chunk, in order.
    pub pieces: Vec<Span>,
    pub counts: Counts,
    /// Counts of the pieces left out.
    pub removed: RemovedPieces,
    /// The offset of the comma before the chunk's first piece, if earlier pieces of the range are
    /// left out.
    pub first_comma: Option<u64>,
    pub failed: Option<Error>,
}

impl Chunk {
    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Copies a range of `text`, which is the whole input.
    pub fn take(&mut self, range: Range<u64>, text: &[u8]) {
        self.start = range.start;
        self.bytes.extend_from_slice(&text[range.start as usize..range.end as usize]);
    }

    /// Removes the byte at offset `at`.
    pub fn remove_byte(&mut self, at: u64) {
        self.edits.push(Edit { range: at..at + 1, mask: Mask::Added("") });
    }

    /// Writes the chunk with its edits. Of nested edits, only the outer one counts.
    pub fn write(&mut self, out: &mut impl Write, mask: &mut Vec<u8>) -> Result<()> {
        let write_error = |error| Error::io(ErrorKind::Write, error);
        // A stable sort: of two edits with the same range, the first counts.
        self.edits.sort_by_key(Edit::order);
        let mut written = self.start;
        let (mut edits, mut echoes) = (self.edits.iter().peekable(), self.echoes.iter().peekable());
        loop {
            let of_edits = match (edits.peek(), echoes.peek()) {
                (Some(edit), Some(echo)) => edit.order() <= echo.order(),
                (edit, _) => edit.is_some(),
            };
            let next = if of_edits { edits.next() } else { echoes.next() };
            let Some(edit) = next else { break };
            if edit.range.start < written {
                continue;
            }
            self.counts.echoes += u64::from(!of_edits);
            out.write_all(self.text(written..edit.range.start)).map_err(write_error)?;
            mask.clear();
            edit.mask.write(mask);
            out.write_all(mask).map_err(write_error)?;
            written = edit.range.end;
        }
        out.write_all(self.text(written..self.end())).map_err(write_error)
    }

    pub fn text(&self, range: Range<u64>) -> &[u8] {
        &self.bytes[(range.start - self.start) as usize..(range.end - self.start) as usize]
    }
}

impl PieceBatch for Chunk {
    /// Numbers of edits and pieces.
    type Position = [usize; 2];

    fn position(&self) -> [usize; 2] {
        [self.edits.len(), self.pieces.len()]
    }

    fn truncate(&mut self, [edits, pieces]: [usize; 2]) {
        self.edits.truncate(edits);
        self.pieces.truncate(pieces);
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.edits.clear();
        self.echoes.clear();
        self.pieces.clear();
        self.counts = Counts::default();
        self.removed = RemovedPieces::default();
        self.first_comma = None;
        self.failed = None;
    }
}

impl Notes for Chunk {
    fn edit(&mut self, edit: Edit) -> bool {
        self.edits.push(edit);
        true
    }

    fn piece(&mut self, piece: Span) {
        self.pieces.push(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: Range<u64>, text: &'static str) -> Edit {
        Edit { range, mask: Mask::Added(text) }
    }

    fn written(chunk: &mut Chunk) -> String {
        let mut out = Vec::new();
        chunk.write(&mut out, &mut Vec::new()).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// A chunk with the offsets 2 to 12.
    fn digits() -> Chunk {
        let mut chunk = Chunk::default();
        chunk.take(2..12, b"..0123456789..");
        chunk
    }

    #[test]
    fn edits_are_written_in_order_and_the_outer_one_counts() {
        let mut chunk = digits();
        assert_eq!((chunk.start, chunk.end(), written(&mut chunk)), (2, 12, "0123456789".into()));
        chunk.edits = vec![edit(8..10, "c"), edit(4..5, "in"), edit(4..6, "a"), edit(6..8, "b")];
        chunk.echoes = vec![edit(5..6, "in"), edit(8..10, "same"), edit(10..11, "e")];
        chunk.remove_byte(11);
        assert_eq!(written(&mut chunk), "01abce");
        assert_eq!(chunk.counts.echoes, 1);
        chunk.echoes = vec![edit(2..2, "x"), edit(2..3, "y"), edit(3..12, "z")];
        assert_eq!(written(&mut chunk), "xyz");
        assert_eq!(chunk.counts.echoes, 4);
    }

    #[test]
    fn a_chunk_goes_back_to_an_earlier_position() {
        let mut chunk = digits();
        let after = 0..0;
        chunk.edit(edit(4..6, "a"));
        chunk.piece(Span { range: 3..7, kind: PieceKind::ResourceChange, after: after.clone() });
        let position = chunk.position();
        assert!(chunk.edit(edit(8..9, "b")));
        assert!(chunk.edit(edit(9..10, "c")));
        chunk.piece(Span { range: 7..11, kind: PieceKind::ResourceChange, after });
        chunk.truncate(position);
        assert_eq!((chunk.edits.len(), chunk.pieces.len()), (1, 1));
        assert_eq!(written(&mut chunk), "01a456789");
        chunk.clear();
        assert_eq!((chunk.position(), written(&mut chunk)), ([0, 0], String::new()));
    }
}
