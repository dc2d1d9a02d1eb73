//! A stretch of a document on its way out: its bytes, and what is to be replaced in them.
//!
//! A stretch begins and ends between pieces, so that each can be looked at on its own, by any
//! thread. What is marked was found when it was read; its echoes are found here.

use std::io::Write;
use std::ops::Range;

use super::Counts;
use super::look::Looks;
use super::mask::{Mask, Masking};
use crate::crew::Worker;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::plan::PieceKind;
use crate::scan::Isa;
use crate::secret::echo::{Echo, EchoKind, Echoes, Sought};
use crate::secret::is_attribute_name;

/// Something to replace. Offsets count from the start of the input.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub range: Range<u64>,
    pub mask: Mask,
}

/// A piece of the document.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub range: Range<u64>,
    pub kind: PieceKind,
    /// Its `after`, where `before` is another value; else empty.
    pub after: Range<u64>,
}

/// A stretch of a document.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// The offset of its first byte.
    pub start: u64,
    pub bytes: Vec<u8>,
    /// What is to be replaced: when it was worked on, in order, and none in another.
    pub edits: Vec<Edit>,
    /// The pieces in it, in order.
    pub pieces: Vec<Span>,
    pub counts: Counts,
    pub failed: Option<Error>,
}

impl Chunk {
    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.edits.clear();
        self.pieces.clear();
        self.counts = Counts::default();
    }

    pub fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Writes it with its edits.
    pub fn write(&self, out: &mut impl Write, mask: &mut Vec<u8>) -> Result<()> {
        let write_error = |error| Error::io(ErrorKind::Write, error);
        let mut written = self.start;
        for edit in &self.edits {
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

/// Finds echoes.
pub(super) struct Masker<'s> {
    what: Sought<'s>,
    masking: &'s Masking,
    echoes: Echoes,
    looks: Looks,
    found: Vec<Echo>,
}

impl<'s> Masker<'s> {
    pub fn new(what: Sought<'s>, masking: &'s Masking, isa: Isa, limits: Limits) -> Self {
        let (echoes, looks) = (Echoes::new(isa), Looks::new(isa, limits));
        Masker { what, masking, echoes, looks, found: Vec::new() }
    }

    fn mask(&mut self, chunk: &mut Chunk) -> Result<()> {
        self.found.clear();
        let found = &mut self.found;
        self.echoes.find(&chunk.bytes, &self.what, &mut |echo| found.push(echo))?;
        let marked = chunk.edits.len();
        self.looks.clear();
        let mut pieces = chunk.pieces.iter().peekable();
        for echo in self.found.drain(..) {
            let [start, end] = [echo.range.start, echo.range.end].map(|at| chunk.start + at as u64);
            while pieces.next_if(|piece| piece.range.end <= start).is_some() {}
            let piece = pieces.peek().copied().filter(|piece| piece.range.start <= start);
            let raw = &chunk.bytes[echo.range];
            let mask = match (echo.kind, piece) {
                // Between pieces there are names that the configuration gave.
                (EchoKind::Key, None) => continue,
                (EchoKind::Key, Some(_)) if is_attribute_name(&raw[1..raw.len() - 1]) => continue,
                (EchoKind::Key, Some(_)) => Mask::Key(echo.number),
                (kind, None) => self.masking.of_echo(raw, kind, false)?,
                (kind, Some(piece)) => {
                    if self.looks.is_word(chunk, piece, start)? {
                        continue;
                    }
                    let is_changed = self.looks.is_changed(chunk, piece, start)?;
                    self.masking.of_echo(raw, kind, is_changed)?
                }
            };
            chunk.edits.push(Edit { range: start..end, mask });
        }
        chunk.counts.echoes += put_in_order(&mut chunk.edits, marked);
        Ok(())
    }
}

impl Worker for Masker<'_> {
    type Job = Chunk;

    fn work(&mut self, chunk: &mut Chunk) {
        chunk.failed = self.mask(chunk).err();
    }
}

/// Puts edits in order and leaves out those that lie in another, and says how many of those from
/// `first` on are left.
fn put_in_order(edits: &mut Vec<Edit>, first: usize) -> u64 {
    let mut order: Vec<(usize, Edit)> = edits.drain(..).enumerate().collect();
    order
        .sort_by_key(|(place, edit)| (edit.range.start, std::cmp::Reverse(edit.range.end), *place));
    let mut end = 0;
    let mut left = 0;
    for (place, edit) in order {
        if edit.range.start >= end {
            end = edit.range.end;
            left += u64::from(place >= first);
            edits.push(edit);
        }
    }
    left
}
