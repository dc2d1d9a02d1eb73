//! Moves the bytes of a document from the window to the output.
//!
//! Parts that are left out of the document are dropped here, before the search for echoes. Two
//! kinds of offsets exist. Removed ranges and the window have offsets in the document. Chunks,
//! edits, pieces and cuts have offsets that do not count removed bytes. [`OutputBuffer::place`]
//! converts a document offset to an offset without removed bytes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::rc::Rc;

use super::Counts;
use super::chunk::{Chunk, Edit, Notes, Span};
use super::mask::Mask;
use super::masker::Masker;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::{Hook, Source};
use plansift_core::limits::{Limit, Limits};
use plansift_core::pool::{Pool, Worker, scaled_for_fuzzing};
use plansift_plan::plan::lookahead::PieceBatch as _;

/// Minimum size of a chunk in bytes. A smaller chunk is not worth another thread.
const SIZE: u64 = scaled_for_fuzzing(256 << 10);

/// Size of the buffer that joins small writes, in bytes.
const BUFFER: usize = 64 << 10;

/// Maximum number of chunks per thread that wait or are being processed.
const CHUNKS: usize = 3;

/// A range of the document that is left out.
struct Removed {
    range: Range<u64>,
    /// Number of bytes left out before it.
    before: u64,
}

/// The placeholder for the end of a range, while the end is unknown.
const OPEN: u64 = u64::MAX;

/// Cuts the bytes of a document into chunks, has their secrets masked, and writes them in order.
pub(super) struct OutputBuffer<'scope> {
    /// Workers that search for echoes. Chunks that need no search bypass them.
    pool: Pool<'scope, Masker<'scope>>,
    /// Creates maskers, for the workers and this thread.
    new_masker: Box<dyn Fn() -> Masker<'scope> + 'scope>,
    /// Searches the chunks that this thread processes itself.
    masker: Option<Masker<'scope>>,
    has_echoes: bool,
    out: BufWriter<&'scope mut dyn Write>,
    /// The bytes of the chunk being filled, up to the start of the window.
    chunk: Chunk,
    /// The edits and pieces of this chunk and of the rest of the window, which may become many
    /// chunks.
    found: Found,
    offsets: Offsets,
    spare: Vec<Chunk>,
    /// Scratch space for the mask being written.
    mask: Vec<u8>,
    pub counts: Counts,
}

/// Edits and pieces that no chunk has yet.
#[derive(Default)]
struct Found {
    edits: Vec<Edit>,
    pieces: Vec<Span>,
}

impl Found {
    /// Moves the edits and pieces that begin before `cut` to a chunk.
    fn give(&mut self, chunk: &mut Chunk, cut: u64) {
        move_if(&mut self.edits, &mut chunk.edits, |edit| edit.range.start < cut);
        move_if(&mut self.pieces, &mut chunk.pieces, |piece| piece.range.start < cut);
    }
}

/// Moves elements to the end of another list. If all of them move, no second list takes memory.
fn move_if<T>(from: &mut Vec<T>, to: &mut Vec<T>, is_moved: impl Fn(&T) -> bool) {
    // A list with much room would keep it in the chunk.
    let is_tight = from.capacity() <= 2 * from.len();
    if to.is_empty() && is_tight && from.iter().all(&is_moved) {
        std::mem::swap(from, to);
    } else {
        to.extend(from.extract_if(.., |element| is_moved(element)));
    }
}

/// The bytes taken from the document, the ranges left out, and the ends of the next chunks.
struct Offsets {
    /// The ends of the next chunks, in ascending order.
    cuts: VecDeque<u64>,
    /// The end of the last chunk in `cuts` so far.
    cut: u64,
    /// The document offset up to which bytes were taken.
    taken: u64,
    /// Ranges left out and not yet reached, in ascending order.
    removed: VecDeque<Removed>,
    /// Number of bytes left out so far.
    removed_len: u64,
    /// The end of the document, once known.
    end: u64,
    /// The end of the last piece, as an offset in the document and as an offset without removed
    /// bytes.
    passed: (u64, u64),
    /// Maximum number of bytes between the last piece that ended and the end of the buffered bytes.
    gap_max: u64,
}

impl<'scope> OutputBuffer<'scope> {
    pub fn new(
        pool: Pool<'scope, Masker<'scope>>,
        new_masker: impl Fn() -> Masker<'scope> + 'scope,
        has_echoes: bool,
        out: &'scope mut dyn Write,
        limits: &Limits,
    ) -> Self {
        OutputBuffer {
            pool,
            new_masker: Box::new(new_masker),
            masker: None,
            has_echoes,
            out: BufWriter::with_capacity(BUFFER, out),
            mask: Vec::new(),
            chunk: Chunk::default(),
            found: Found::default(),
            offsets: Offsets {
                cuts: VecDeque::new(),
                cut: 0,
                taken: 0,
                removed: VecDeque::new(),
                removed_len: 0,
                end: u64::MAX,
                passed: (0, 0),
                gap_max: limits.change,
            },
            spare: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Begins a document at the offset `start`.
    pub fn begin(&mut self, start: u64) {
        self.chunk.start = start;
        self.offsets.cut = start;
        self.offsets.taken = start;
        self.offsets.passed = (start, start);
    }

    /// Ends the document at the offset `end`.
    pub fn end(&mut self, end: u64) {
        self.offsets.end = end;
    }

    /// Inserts text at an offset of the document.
    pub fn add(&mut self, at: u64, text: &'static str) {
        let at = self.place(at);
        if !text.is_empty() {
            self.found.edits.push(Edit { range: at..at, mask: Mask::Added(text) });
        }
    }

    /// Records that a piece ends at `offset`, where the next chunk may begin.
    pub fn passed(&mut self, offset: u64) {
        let end = self.place(offset);
        self.offsets.passed = (offset, end);
        if end - self.offsets.cut >= SIZE {
            self.offsets.cut = end;
            self.offsets.cuts.push_back(end);
        }
    }

    /// Leaves out a range of the document. The range must follow all ranges left out before. No
    /// piece that stays may have ended after the start of the range.
    pub fn remove(&mut self, range: Range<u64>) {
        // A comma may have left the window before the selection decided whether it stays.
        if range.start < self.offsets.taken {
            let at = (self.place(range.start) - self.chunk.start) as usize;
            let len = (self.offsets.taken.min(range.end) - range.start) as usize;
            self.chunk.bytes.drain(at..at + len);
        }
        match self.offsets.removed.back_mut().filter(|last| last.range.end == range.start) {
            Some(last) => last.range.end = range.end,
            None => {
                let before = self.offsets.removed_len;
                self.offsets.removed.push_back(Removed { range: range.clone(), before });
            }
        }
        self.offsets.removed_len += range.end - range.start;
    }

    /// Leaves out everything from `start` until [`OutputBuffer::remove_to`].
    pub fn remove_from(&mut self, start: u64) {
        self.remove(start..OPEN);
    }

    /// Ends the range begun by [`OutputBuffer::remove_from`].
    pub fn remove_to(&mut self, end: u64) {
        if let Some(last) = self.offsets.removed.back_mut() {
            last.range.end = end;
            self.offsets.removed_len = last.before + (end - last.range.start);
        }
    }

    /// Converts an offset of the document to one without removed bytes.
    fn place(&self, offset: u64) -> u64 {
        let next = self.offsets.removed.partition_point(|removed| removed.range.start < offset);
        match next.checked_sub(1).map(|last| &self.offsets.removed[last]) {
            Some(Removed { range, before }) => {
                range.start + offset.saturating_sub(range.end) - before
            }
            None => {
                offset
                    - self
                        .offsets
                        .removed
                        .front()
                        .map_or(self.offsets.removed_len, |first| first.before)
            }
        }
    }

    fn places(&self, range: Range<u64>) -> Range<u64> {
        if range.is_empty() { range } else { self.place(range.start)..self.place(range.end) }
    }

    /// Takes the bytes that leave the window. `offset` is the offset of the first byte.
    fn take(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        if offset > self.offsets.taken {
            return Err(Error::new(ErrorKind::Changed));
        }
        // Text before and after the document is not written.
        let end = self.offsets.end.min(offset + bytes.len() as u64);
        while self.offsets.taken < end {
            let stays_to = match self.offsets.removed.front() {
                Some(Removed { range, .. }) if range.start <= self.offsets.taken => {
                    self.offsets.taken = range.end.clamp(self.offsets.taken, end);
                    if range.end <= self.offsets.taken {
                        self.offsets.removed.pop_front();
                    }
                    continue;
                }
                Some(Removed { range, .. }) => range.start.min(end),
                None => end,
            };
            let stays = (self.offsets.taken - offset) as usize..(stays_to - offset) as usize;
            self.append(&bytes[stays])?;
            self.offsets.taken = stays_to;
        }
        Ok(())
    }

    fn append(&mut self, mut bytes: &[u8]) -> Result<()> {
        let end = self.chunk.end() + bytes.len() as u64;
        while let Some(cut) = self.offsets.cuts.pop_front_if(|cut| *cut <= end) {
            let (before, behind) = bytes.split_at((cut - self.chunk.end()) as usize);
            // Copies the bytes even if no search follows. A slow output may delay the write, and a
            // mapped file may change in the meantime.
            self.chunk.bytes.extend_from_slice(before);
            self.give(cut)?;
            bytes = behind;
        }
        let (offset, passed) = self.offsets.passed;
        if end.saturating_sub(passed) > self.offsets.gap_max {
            return Err(Error::limit(Limit::Change, self.offsets.gap_max, offset));
        }
        self.chunk.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Passes the current chunk, which ends at `cut`, to the workers or the output.
    fn give(&mut self, cut: u64) -> Result<()> {
        let chunk = self.next_chunk(cut);
        if !self.has_echoes {
            return self.write(chunk);
        }
        self.pool.submit(chunk, &self.new_masker);
        while let Some(chunk) = self.pool.try_recv() {
            self.write(chunk)?;
        }
        while self.pool.pending() >= CHUNKS * self.pool.threads() || self.pool.threads() == 1 {
            let Some(chunk) = self.pool.recv() else { break };
            self.write(chunk)?;
        }
        Ok(())
    }

    /// Returns the current chunk with its edits and pieces, and begins the next one at `start`.
    fn next_chunk(&mut self, start: u64) -> Chunk {
        let mut next = self.spare.pop().unwrap_or_default();
        next.start = start;
        let mut chunk = std::mem::replace(&mut self.chunk, next);
        self.found.give(&mut chunk, start);
        chunk
    }

    fn write(&mut self, mut chunk: Chunk) -> Result<()> {
        self.write_out(&mut chunk)?;
        chunk.clear();
        self.spare.push(chunk);
        Ok(())
    }

    fn write_out(&mut self, chunk: &mut Chunk) -> Result<()> {
        if let Some(error) = chunk.failed.take() {
            return Err(error);
        }
        chunk.write(&mut self.out, &mut self.mask)?;
        self.counts.add(&chunk.counts);
        Ok(())
    }

    /// Writes the bytes before `range`, and then the chunk that a lookahead worker made from
    /// `range`. `text` is the whole input.
    pub fn through(&mut self, text: &[u8], range: Range<u64>, chunk: &mut Chunk) -> Result<()> {
        self.take(&text[self.offsets.taken as usize..range.start as usize], self.offsets.taken)?;
        let taken = self.offsets.taken;
        while self.offsets.removed.pop_front_if(|removed| removed.range.end <= taken).is_some() {}
        assert!(
            self.offsets.removed.is_empty(),
            "nothing behind the chunk's beginning is left out here"
        );
        while let Some(earlier) = self.pool.recv() {
            self.write(earlier)?;
        }
        self.offsets.removed_len += range.end - range.start - chunk.bytes.len() as u64;
        let mut before = self.next_chunk(range.end - self.offsets.removed_len);
        // A small chunk, not worth another thread.
        let masker = self.masker.get_or_insert_with(&self.new_masker);
        masker.work(&mut before);
        self.write(before)?;
        self.offsets.taken = range.end;
        self.offsets.cut = self.chunk.start;
        self.offsets.passed = (range.end, self.chunk.start);
        self.write_out(chunk)
    }

    /// Writes everything that is left, including the rest of the window.
    pub fn finish(&mut self, source: &impl Source) -> Result<()> {
        self.take(source.window(), source.offset())?;
        if self.has_echoes && self.pool.is_unused() {
            // The rest of the document is one chunk, not worth another thread.
            let mut chunk = self.next_chunk(u64::MAX);
            self.masker.get_or_insert_with(&self.new_masker).work(&mut chunk);
            self.write(chunk)?;
        } else {
            // The last chunk includes text that `add` inserts after the last byte.
            self.give(u64::MAX)?;
        }
        while let Some(chunk) = self.pool.recv() {
            self.write(chunk)?;
        }
        self.out.flush().map_err(|error| Error::io(ErrorKind::Write, error))
    }

    /// Writes everything up to the end of the last valid piece, after an error in the document. The
    /// output then does not depend on windows or threads.
    pub fn finish_passed(&mut self, source: &impl Source) -> Result<()> {
        let (passed, end) = self.offsets.passed;
        if self.offsets.taken < passed {
            self.offsets.end = passed;
            self.take(source.window(), source.offset())?;
        }
        // Drops the bytes after that piece that have already left the window.
        self.chunk.bytes.truncate(end.saturating_sub(self.chunk.start) as usize);
        self.give(end)?;
        while let Some(chunk) = self.pool.recv() {
            self.write(chunk)?;
        }
        self.out.flush().map_err(|error| Error::io(ErrorKind::Write, error))
    }
}

impl<'scope> Notes for Rc<RefCell<OutputBuffer<'scope>>> {
    fn edit(&mut self, edit: Edit) -> bool {
        let mut output = self.borrow_mut();
        let range = output.places(edit.range);
        let is_there = !range.is_empty();
        if is_there {
            output.found.edits.push(Edit { range, mask: edit.mask });
        }
        is_there
    }

    fn piece(&mut self, Span { range, kind, after }: Span) {
        let mut output = self.borrow_mut();
        // Only the search for echoes needs the pieces.
        if !output.has_echoes {
            return;
        }
        let (range, after) = (output.places(range), output.places(after));
        if !range.is_empty() {
            output.found.pieces.push(Span { range, kind, after });
        }
    }
}

/// Passes the bytes that leave the window of a source to the output.
pub(super) struct Tee<'scope>(pub Rc<RefCell<OutputBuffer<'scope>>>);

impl<'scope> Hook for Tee<'scope> {
    fn fill(&mut self, source: &mut impl Source, keep: u64) -> Result<bool> {
        let (offset, window) = (source.offset(), source.window());
        let leaving = keep.saturating_sub(offset).min(window.len() as u64);
        self.0.borrow_mut().take(&window[..leaving as usize], offset)?;
        source.fill(offset + leaving)
    }
}

#[cfg(test)]
mod tests;
