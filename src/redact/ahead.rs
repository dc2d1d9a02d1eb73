//! Lookahead workers that redact stretches of a document: whole stretches, or only the changes that
//! stay.

use std::ops::Range;

use super::chunk::Chunk;
use super::kept_ranges::KeptRanges;
use super::masker::Masker;
use super::redactor::{Masks, Redactor};
use super::selection::{Judge, Verdict};
use super::{Counts, Options};
use crate::error::Result;
use crate::json::outline::Outline;
use crate::plan::lookahead::{LookaheadJob, Task};
use crate::plan::{Flow, LookaheadReader, Piece, PieceVisitor, ReadRange};
use crate::pool::Worker;
use crate::secret::Collected;

/// Maximum number of notes (edits and pieces) on one stretch. The walk redacts the rest of the
/// stretch itself.
const NOTES_MAX: usize = 8192;

/// Redacts stretches.
pub(super) struct StretchRedactor<'s> {
    masker: Masker<'s>,
    redactor: Redactor<'s, Chunk>,
    /// Decides which changes stay; `None` keeps everything.
    judge: Option<Judge>,
    kept: KeptRanges,
    /// Scratch space for pieces.
    outline: Outline,
}

impl<'s> StretchRedactor<'s> {
    /// Creates a worker. `known` is the result of an earlier pass. Without a judge everything
    /// stays.
    pub fn new(
        masker: Masker<'s>,
        known: Option<&'s Collected>,
        judge: Option<Judge>,
        options: &'s Options,
    ) -> Self {
        let redactor = Redactor::new(Chunk::default(), known, options);
        let (kept, outline) = (KeptRanges::default(), Outline::new());
        StretchRedactor { masker, redactor, judge, kept, outline }
    }

    /// Redacts the pieces that begin in a range.
    fn redact(
        &mut self,
        reader: &LookaheadReader,
        range: Range<u64>,
        job: &mut LookaheadJob<Chunk>,
    ) -> Option<ReadRange> {
        self.begin(job);
        let mut redacting = RedactingPieces(&mut self.redactor);
        let read = match &mut self.judge {
            None => reader.read(range, &mut self.outline, &mut redacting),
            Some(judge) => {
                self.kept.clear();
                let kept = &mut self.kept;
                let mut selecting = SelectingPieces { redacting, judge, kept, next: None };
                reader.read(range, &mut self.outline, &mut selecting)
            }
        };
        self.end(job);
        if let Some(read) = &read {
            match self.judge {
                None => job.found.take(read.range(), reader.text()),
                Some(_) => self.kept.take(&mut job.found, read.range(), reader.text()),
            }
            self.masker.work(&mut job.found);
        }
        read
    }

    /// Starts collecting notes and counts for a job.
    fn begin(&mut self, job: &mut LookaheadJob<Chunk>) {
        std::mem::swap(&mut self.redactor.masks.notes, &mut job.found);
        self.redactor.masks.counts = Counts::default();
    }

    fn end(&mut self, job: &mut LookaheadJob<Chunk>) {
        std::mem::swap(&mut self.redactor.masks.notes, &mut job.found);
        job.found.counts = self.redactor.masks.counts;
    }
}

impl Worker for StretchRedactor<'_> {
    type Job = LookaheadJob<Chunk>;

    fn work(&mut self, job: &mut LookaheadJob<Chunk>) {
        let Some(Task { reader, range }) = job.task() else { return };
        let read = self.redact(&reader, range, job);
        job.end(read);
    }
}

/// Redacts the pieces of a stretch.
struct RedactingPieces<'w, 's>(&'w mut Redactor<'s, Chunk>);

impl RedactingPieces<'_, '_> {
    fn is_full(&self) -> bool {
        let Chunk { edits, pieces, .. } = &self.0.masks.notes;
        edits.len() + pieces.len() >= NOTES_MAX
    }
}

impl PieceVisitor for RedactingPieces<'_, '_> {
    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        if self.is_full() {
            // The walk redacts the piece itself.
            return Ok(Flow::Stop);
        }
        let Masks { notes, counts, .. } = &self.0.masks;
        let before = (notes.edits.len(), notes.pieces.len(), *counts);
        let redacted = self.0.piece(piece).map(|()| Flow::Continue);
        if redacted.is_err() {
            let Masks { notes, counts, .. } = &mut self.0.masks;
            // The walk redacts the piece again.
            notes.edits.truncate(before.0);
            notes.pieces.truncate(before.1);
            *counts = before.2;
        }
        redacted
    }
}

/// Redacts the pieces of a stretch that stay.
struct SelectingPieces<'w, 's> {
    redacting: RedactingPieces<'w, 's>,
    judge: &'w mut Judge,
    kept: &'w mut KeptRanges,
    /// The offset of the comma before the next piece.
    next: Option<u64>,
}

impl PieceVisitor for SelectingPieces<'_, '_> {
    fn next(&mut self, at: u64) {
        self.next = Some(at);
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let end = piece.value.range().end;
        match (self.judge)(piece)? {
            Verdict::Goes(reason) => self.kept.go(end, reason),
            Verdict::Stays if self.kept.len() >= NOTES_MAX => return Ok(Flow::Stop),
            Verdict::Stays => {
                if self.redacting.piece(piece)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                self.kept.stay(end, self.next);
            }
        }
        Ok(Flow::Continue)
    }
}
