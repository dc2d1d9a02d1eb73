//! The bytes of a document that leave the window, on their way to the output.
//!
//! What is left out of the document is dropped here, before anyone looks at it. From then on
//! offsets count as if it had never been there: those of chunks, edits, pieces and cuts do, those
//! of removed stretches and of the window are the document's own ([`Outgoing::place`] is between
//! them).

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::rc::Rc;

use super::Counts;
use super::chunk::{Chunk, Edit, Masker, Notes, Span};
use super::mask::Mask;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{SharedText, Source};
use crate::limits::{Limit, Limits};
use crate::plan::piece_crew::Found as _;
use crate::pool::{Pool, Worker, scaled_for_fuzzing};

/// Bytes that are worth handing over.
const SIZE: u64 = scaled_for_fuzzing(256 << 10);

/// Bytes of the buffer that small stretches between edits are put together in.
const BUFFER: usize = 64 << 10;

/// Chunks that wait or are worked on, for each thread.
const CHUNKS: usize = 3;

/// A stretch of the document that is left out.
struct Removed {
    range: Range<u64>,
    /// How many bytes before it are left out.
    before: u64,
}

/// The end of a stretch whose end is not known yet.
const OPEN: u64 = u64::MAX;

/// The way out.
pub(super) struct Outgoing<'scope, 'env, 's> {
    /// Those who look for echoes; what needs no such look does not go through their hands.
    crew: Pool<'scope, 'env, Masker<'s>>,
    hire: Box<dyn Fn() -> Masker<'s> + 'scope>,
    /// For what this thread looks through itself.
    masker: Option<Masker<'s>>,
    has_echoes: bool,
    out: BufWriter<&'env mut dyn Write>,
    /// What is on its way, up to where the window begins.
    chunk: Chunk,
    /// Where it is to be cut, in order.
    cuts: VecDeque<u64>,
    /// The last of all cuts.
    cut: u64,
    /// The offset in the document up to which bytes were taken.
    taken: u64,
    /// What is left out and was not taken yet, in order.
    removed: VecDeque<Removed>,
    /// How many bytes are left out so far.
    removed_len: u64,
    /// Where the document ends, once that is known.
    end: u64,
    /// Where the last piece ended: in the document, and without what is left out.
    passed: (u64, u64),
    /// Most bytes behind it that may wait for the next one.
    gap_max: u64,
    spare: Vec<Chunk>,
    /// The mask that is written.
    mask: Vec<u8>,
    pub counts: Counts,
}

impl<'scope, 'env, 's: 'scope> Outgoing<'scope, 'env, 's> {
    pub fn new(
        crew: Pool<'scope, 'env, Masker<'s>>,
        hire: impl Fn() -> Masker<'s> + 'scope,
        has_echoes: bool,
        out: &'env mut dyn Write,
        limits: &Limits,
    ) -> Self {
        Outgoing {
            crew,
            hire: Box::new(hire),
            masker: None,
            has_echoes,
            out: BufWriter::with_capacity(BUFFER, out),
            mask: Vec::new(),
            chunk: Chunk::default(),
            cuts: VecDeque::new(),
            cut: 0,
            taken: 0,
            removed: VecDeque::new(),
            removed_len: 0,
            end: u64::MAX,
            passed: (0, 0),
            gap_max: limits.change,
            spare: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// The document begins there.
    pub fn begin(&mut self, start: u64) {
        self.chunk.start = start;
        self.cut = start;
        self.taken = start;
        self.passed = (start, start);
    }

    /// The document ends there.
    pub fn end(&mut self, end: u64) {
        self.end = end;
    }

    /// Replaces something in the document; whether there is anything left of it to replace.
    pub fn edit(&mut self, edit: Edit) -> bool {
        let range = self.places(edit.range);
        let is_there = !range.is_empty();
        if is_there {
            self.chunk.edits.push(Edit { range, mask: edit.mask });
        }
        is_there
    }

    /// Adds to the document what is not in it.
    pub fn add(&mut self, at: u64, text: &'static str) {
        let at = self.place(at);
        if !text.is_empty() {
            self.chunk.edits.push(Edit { range: at..at, mask: Mask::Added(text) });
        }
    }

    /// A piece, for the look at echoes in it.
    pub fn piece(&mut self, piece: Span) {
        if !self.has_echoes {
            return;
        }
        let Span { range, kind, after } = piece;
        let (range, after) = (self.places(range), self.places(after));
        if !range.is_empty() {
            self.chunk.pieces.push(Span { range, kind, after });
        }
    }

    /// A piece ends there, and what follows can be looked at on its own.
    pub fn passed(&mut self, offset: u64) {
        let end = self.place(offset);
        self.passed = (offset, end);
        if end - self.cut >= SIZE {
            self.cut = end;
            self.cuts.push_back(end);
        }
    }

    /// Leaves out a stretch of the document. It lies behind all that was left out before, and no
    /// piece that stays has ended since it began.
    pub fn remove(&mut self, range: Range<u64>) {
        // A separator may have left the window before it was known whether it stays.
        if range.start < self.taken {
            let at = (self.place(range.start) - self.chunk.start) as usize;
            let len = (self.taken.min(range.end) - range.start) as usize;
            self.chunk.bytes.drain(at..at + len);
        }
        match self.removed.back_mut().filter(|last| last.range.end == range.start) {
            Some(last) => last.range.end = range.end,
            None => {
                let before = self.removed_len;
                self.removed.push_back(Removed { range: range.clone(), before });
            }
        }
        self.removed_len += range.end - range.start;
    }

    /// Leaves out what comes from there on, up to where that ends ([`Outgoing::remove_to`]).
    pub fn remove_from(&mut self, start: u64) {
        self.remove(start..OPEN);
    }

    /// What is being left out ends there.
    pub fn remove_to(&mut self, end: u64) {
        if let Some(last) = self.removed.back_mut() {
            last.range.end = end;
            self.removed_len = last.before + (end - last.range.start);
        }
    }

    /// Where a place of the document is, without what is left out before it.
    fn place(&self, offset: u64) -> u64 {
        let next = self.removed.partition_point(|removed| removed.range.start < offset);
        match next.checked_sub(1).map(|last| &self.removed[last]) {
            Some(Removed { range, before }) => {
                range.start + offset.saturating_sub(range.end) - before
            }
            None => offset - self.removed.front().map_or(self.removed_len, |first| first.before),
        }
    }

    fn places(&self, range: Range<u64>) -> Range<u64> {
        if range.is_empty() { range } else { self.place(range.start)..self.place(range.end) }
    }

    /// Takes bytes that leave the window; the first of them has that offset.
    fn take(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        if offset > self.taken {
            return Err(Error::new(ErrorKind::Changed));
        }
        // What stands before the document and behind it is not written.
        let end = self.end.min(offset + bytes.len() as u64);
        while self.taken < end {
            let stays_to = match self.removed.front() {
                Some(Removed { range, .. }) if range.start <= self.taken => {
                    self.taken = range.end.clamp(self.taken, end);
                    if range.end <= self.taken {
                        self.removed.pop_front();
                    }
                    continue;
                }
                Some(Removed { range, .. }) => range.start.min(end),
                None => end,
            };
            let stays = (self.taken - offset) as usize..(stays_to - offset) as usize;
            self.append(&bytes[stays])?;
            self.taken = stays_to;
        }
        Ok(())
    }

    fn append(&mut self, mut bytes: &[u8]) -> Result<()> {
        let end = self.chunk.end() + bytes.len() as u64;
        while let Some(cut) = self.cuts.pop_front_if(|cut| *cut <= end) {
            let (before, behind) = bytes.split_at((cut - self.chunk.end()) as usize);
            // Copied also where nobody looks at it: the output may make it wait, and the file that
            // it stands in may be another by then.
            self.chunk.bytes.extend_from_slice(before);
            self.give(cut)?;
            bytes = behind;
        }
        let (offset, passed) = self.passed;
        if end.saturating_sub(passed) > self.gap_max {
            return Err(Error::limit(Limit::Change, self.gap_max, offset));
        }
        self.chunk.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Hands over what is on its way, which ends at `cut`.
    fn give(&mut self, cut: u64) -> Result<()> {
        let mut rest = self.spare.pop().unwrap_or_default();
        rest.start = cut;
        rest.edits.extend(self.chunk.edits.extract_if(.., |edit| edit.range.start >= cut));
        rest.pieces.extend(self.chunk.pieces.extract_if(.., |piece| piece.range.start >= cut));
        let chunk = std::mem::replace(&mut self.chunk, rest);
        if !self.has_echoes {
            return self.write(chunk);
        }
        self.crew.submit(chunk, &self.hire);
        while let Some(chunk) = self.crew.try_recv() {
            self.write(chunk)?;
        }
        while self.crew.pending() >= CHUNKS * self.crew.threads() || self.crew.threads() == 1 {
            let Some(chunk) = self.crew.recv() else { break };
            self.write(chunk)?;
        }
        Ok(())
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

    /// Writes a chunk that somebody else took from that range of the document, and what stands
    /// before it and was not taken yet. `text` is that of the whole input.
    pub fn through(&mut self, text: &[u8], range: Range<u64>, chunk: &mut Chunk) -> Result<()> {
        self.take(&text[self.taken as usize..range.start as usize], self.taken)?;
        let taken = self.taken;
        while self.removed.pop_front_if(|removed| removed.range.end <= taken).is_some() {}
        assert!(self.removed.is_empty(), "nothing behind the chunk's beginning is left out here");
        while let Some(earlier) = self.crew.recv() {
            self.write(earlier)?;
        }
        self.removed_len += range.end - range.start - chunk.bytes.len() as u64;
        let mut rest = self.spare.pop().unwrap_or_default();
        rest.start = range.end - self.removed_len;
        let mut before = std::mem::replace(&mut self.chunk, rest);
        // That is little, and not worth another thread.
        let masker = self.masker.get_or_insert_with(&self.hire);
        masker.work(&mut before);
        self.write(before)?;
        self.taken = range.end;
        self.cut = self.chunk.start;
        self.passed = (range.end, self.chunk.start);
        self.write_out(chunk)
    }

    /// Writes everything that is still on its way, what is left in the window included.
    pub fn finish(&mut self, source: &impl Source) -> Result<()> {
        self.take(source.window(), source.offset())?;
        if self.has_echoes && self.crew.is_unused() {
            // All that is left of the document is in one chunk: that is not worth a thread.
            let mut chunk = std::mem::take(&mut self.chunk);
            self.masker.get_or_insert_with(&self.hire).work(&mut chunk);
            self.write(chunk)?;
        } else {
            // With what is added behind the last byte.
            self.give(u64::MAX)?;
        }
        while let Some(chunk) = self.crew.recv() {
            self.write(chunk)?;
        }
        self.out.flush().map_err(|error| Error::io(ErrorKind::Write, error))
    }

    /// The document is wrong behind the last piece that ended. Writes everything up to there that
    /// is still on its way, so that what was written does not depend on windows or threads.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn finish_passed(&mut self, source: &impl Source) -> Result<()> {
        let (passed, end) = self.passed;
        if self.taken < passed {
            self.end = passed;
            self.take(source.window(), source.offset())?;
        }
        // More may have left the window than that.
        self.chunk.bytes.truncate(end.saturating_sub(self.chunk.start) as usize);
        self.give(end)?;
        while let Some(chunk) = self.crew.recv() {
            self.write(chunk)?;
        }
        self.out.flush().map_err(|error| Error::io(ErrorKind::Write, error))
    }
}

impl<'scope, 's: 'scope> Notes for Rc<RefCell<Outgoing<'scope, '_, 's>>> {
    fn edit(&mut self, edit: Edit) -> bool {
        self.borrow_mut().edit(edit)
    }

    fn piece(&mut self, piece: Span) {
        self.borrow_mut().piece(piece);
    }
}

/// A source whose bytes go out when they leave the window.
pub(super) struct Tee<'scope, 'env, 's, S> {
    pub source: S,
    pub outgoing: Rc<RefCell<Outgoing<'scope, 'env, 's>>>,
}

impl<'scope, 's: 'scope, S: Source> Source for Tee<'scope, '_, 's, S> {
    #[inline]
    fn window(&self) -> &[u8] {
        self.source.window()
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.source.offset()
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let (offset, window) = (self.source.offset(), self.source.window());
        let leaving = keep.saturating_sub(offset).min(window.len() as u64);
        self.outgoing.borrow_mut().take(&window[..leaving as usize], offset)?;
        self.source.fill(offset + leaving)
    }

    fn finish(&mut self) -> Result<()> {
        self.source.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }

    fn would_block(&self) -> bool {
        self.source.would_block()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.source.shared_text()
    }
}
