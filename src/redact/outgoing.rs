//! The bytes of a document that leave the window, on their way to the output.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{BufWriter, Write};
use std::rc::Rc;

use super::Counts;
use super::chunk::{Chunk, Edit, Masker, Span};
use crate::crew::Crew;
use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;

/// Bytes that are worth handing over.
const SIZE: u64 = 256 << 10;

/// Bytes of the buffer that small stretches between edits are put together in.
const BUFFER: usize = 64 << 10;

/// Chunks that wait or are worked on, for each thread.
const CHUNKS: usize = 3;

/// The way out.
pub(super) struct Outgoing<'scope, 'env, 's> {
    crew: Crew<'scope, 'env, Masker<'s>>,
    hire: Box<dyn Fn() -> Masker<'s> + 'scope>,
    out: BufWriter<&'env mut dyn Write>,
    /// What is on its way, up to where the window begins.
    chunk: Chunk,
    /// Where it is to be cut, in order.
    cuts: VecDeque<u64>,
    /// The last of all cuts.
    cut: u64,
    /// Where the document ends, once that is known.
    end: u64,
    spare: Vec<Chunk>,
    /// The mask that is written.
    mask: Vec<u8>,
    pub counts: Counts,
}

impl<'scope, 'env, 's: 'scope> Outgoing<'scope, 'env, 's> {
    pub fn new(
        crew: Crew<'scope, 'env, Masker<'s>>,
        hire: impl Fn() -> Masker<'s> + 'scope,
        out: &'env mut dyn Write,
    ) -> Self {
        Outgoing {
            crew,
            hire: Box::new(hire),
            out: BufWriter::with_capacity(BUFFER, out),
            mask: Vec::new(),
            chunk: Chunk::default(),
            cuts: VecDeque::new(),
            cut: 0,
            end: u64::MAX,
            spare: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// The document begins there.
    pub fn begin(&mut self, start: u64) {
        self.chunk.start = start;
        self.cut = start;
    }

    /// The document ends there.
    pub fn end(&mut self, end: u64) {
        self.end = end;
    }

    pub fn edit(&mut self, edit: Edit) {
        self.chunk.edits.push(edit);
    }

    pub fn piece(&mut self, piece: Span) {
        self.chunk.pieces.push(piece);
    }

    /// A piece ends there, and what follows can be looked at on its own.
    pub fn passed(&mut self, end: u64) {
        if end - self.cut >= SIZE {
            self.cut = end;
            self.cuts.push_back(end);
        }
    }

    /// Takes bytes that leave the window; the first of them has that offset.
    fn take(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        if offset > self.chunk.end() {
            return Err(Error::new(ErrorKind::Changed));
        }
        // What stands before the document and behind it is not written.
        let end = self.end.min(offset + bytes.len() as u64);
        let append = |chunk: &mut Chunk, to: u64| {
            let from = chunk.end();
            if from < to {
                chunk
                    .bytes
                    .extend_from_slice(&bytes[(from - offset) as usize..(to - offset) as usize]);
            }
        };
        while let Some(cut) = self.cuts.pop_front_if(|cut| *cut <= end) {
            append(&mut self.chunk, cut);
            self.give(cut)?;
        }
        append(&mut self.chunk, end);
        Ok(())
    }

    /// Hands over what is on its way, which ends at `cut`.
    fn give(&mut self, cut: u64) -> Result<()> {
        let mut rest = self.spare.pop().unwrap_or_default();
        rest.start = cut;
        rest.edits.extend(self.chunk.edits.extract_if(.., |edit| edit.range.start >= cut));
        rest.pieces.extend(self.chunk.pieces.extract_if(.., |piece| piece.range.start >= cut));
        let chunk = std::mem::replace(&mut self.chunk, rest);
        self.crew.give(chunk, &self.hire);
        while let Some(chunk) = self.crew.take() {
            self.write(chunk)?;
        }
        while self.crew.out() >= CHUNKS * self.crew.threads() || self.crew.threads() == 1 {
            let Some(chunk) = self.crew.wait() else { break };
            self.write(chunk)?;
        }
        Ok(())
    }

    fn write(&mut self, mut chunk: Chunk) -> Result<()> {
        if let Some(error) = chunk.failed.take() {
            return Err(error);
        }
        chunk.write(&mut self.out, &mut self.mask)?;
        self.counts.add(&chunk.counts);
        chunk.clear();
        self.spare.push(chunk);
        Ok(())
    }

    /// Writes everything that is still on its way.
    fn finish(&mut self) -> Result<()> {
        self.give(self.chunk.end())?;
        while let Some(chunk) = self.crew.wait() {
            self.write(chunk)?;
        }
        self.out.flush().map_err(|error| Error::io(ErrorKind::Write, error))
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
        self.source.finish()?;
        let mut outgoing = self.outgoing.borrow_mut();
        outgoing.take(self.source.window(), self.source.offset())?;
        outgoing.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }
}
