//! What of a stretch stays, where some of its pieces are left out.

use std::ops::Range;

use super::chunk::Chunk;
use super::cut::{Gone, Reason};

/// The parts of a stretch that stay, being noted piece by piece.
#[derive(Debug, Default)]
pub(super) struct Stays {
    /// In order, each with what stands between its first piece and the one before it.
    parts: Vec<Part>,
    /// Where the last piece ended; 0 before the first.
    end: u64,
    /// The comma before the first piece that stays, if that is not the first of all.
    first_comma: Option<u64>,
    gone: Gone,
}

#[derive(Debug)]
struct Part {
    range: Range<u64>,
    /// Where its first byte comes to stand.
    place: u64,
}

impl Stays {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.parts.clear();
        (self.end, self.first_comma, self.gone) = (0, None, Gone::default());
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// The next piece is left out; it ends there.
    pub fn go(&mut self, end: u64, reason: Reason) {
        self.gone.count(reason);
        self.end = end;
    }

    /// The next piece stays; it ends there, and so stands the comma before it.
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

    /// Takes the bytes of a stretch that stay, and moves what was noted of them to where they come
    /// to stand. The first of them comes to stand where the stretch begins.
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

    /// Where a place in one of the parts comes to stand.
    fn place(&self, offset: u64) -> u64 {
        let behind = self.parts.partition_point(|part| part.range.start <= offset);
        let part = &self.parts[behind - 1];
        part.place + (offset - part.range.start)
    }
}
