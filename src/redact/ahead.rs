//! Stretches of a document that others redact ahead of the walk, where everything stays.

use std::ops::Range;

use super::chunk::{Chunk, Masker};
use super::redactor::{Held, Redactor};
use super::{Counts, Options};
use crate::crew::Worker;
use crate::error::{Error, Result};
use crate::limits::Limit;
use crate::plan::outriders::Foray;
use crate::plan::{Piece, PieceKind, PieceVisitor, Unchanged};
use crate::secret::Collected;

/// As many notes may be taken of a stretch; the rest of it is left to the walk.
const NOTES_MAX: usize = 8192;

/// Redacts stretches.
pub(super) struct Rider<'s> {
    masker: Masker<'s>,
    redactor: Redactor<'s, Chunk>,
    options: &'s Options,
}

impl<'s> Rider<'s> {
    /// `known` is what is known of the secrets from an earlier reading.
    pub fn new(masker: Masker<'s>, known: Option<&'s Collected>, options: &'s Options) -> Self {
        let held = match known {
            Some(collected) => Held::Before(collected),
            None => nothing(options),
        };
        let redactor = Redactor::new(Chunk::default(), held, options);
        Rider { masker, redactor, options }
    }
}

fn nothing(options: &Options) -> Held<'static> {
    Held::Meanwhile(Box::new(Collected::nothing(&options.secret)))
}

impl Worker for Rider<'_> {
    type Job = Foray<Chunk>;

    fn work(&mut self, ride: &mut Foray<Chunk>) {
        let Some((scout, range)) = ride.errand() else { return };
        std::mem::swap(&mut self.redactor.notes, &mut ride.found);
        self.redactor.counts = Counts::default();
        let marked = &mut ride.marked;
        let mut riding = Riding { redactor: &mut self.redactor, options: self.options, marked };
        let read = scout.read(range, &mut riding);
        std::mem::swap(&mut self.redactor.notes, &mut ride.found);
        if let Some(read) = &read {
            let (range, chunk) = (read.range(), &mut ride.found);
            chunk.start = range.start;
            chunk.counts = self.redactor.counts;
            chunk.bytes.extend_from_slice(&scout.text()[range.start as usize..range.end as usize]);
            self.masker.work(chunk);
        }
        ride.end(read);
    }
}

/// Redacts the pieces of a stretch.
struct Riding<'w, 's> {
    redactor: &'w mut Redactor<'s, Chunk>,
    options: &'s Options,
    marked: &'w mut Vec<(PieceKind, Range<u64>)>,
}

impl Riding<'_, '_> {
    fn is_full(&self) -> bool {
        let Chunk { edits, pieces, .. } = &self.redactor.notes;
        edits.len() + pieces.len() >= NOTES_MAX
    }
}

impl PieceVisitor for Riding<'_, '_> {
    fn unchanged(&mut self, unchanged: &Unchanged<'_>, range: Range<u64>) -> bool {
        !self.is_full() && self.redactor.unchanged(unchanged, range)
    }

    fn resource(&mut self, sensitive_values: &[u8], range: Range<u64>) -> bool {
        !self.is_full() && self.redactor.resource(sensitive_values, range)
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let offset = piece.value.offset();
        if self.is_full() {
            // Nobody is told: the walk comes to the piece, and takes it.
            return Err(Error::limit(Limit::Change, NOTES_MAX as u64, offset));
        }
        let Redactor { notes, counts, .. } = &*self.redactor;
        let before = (notes.edits.len(), notes.pieces.len(), *counts);
        let redacted = self.redactor.piece(piece);
        if redacted.is_err() {
            // The walk comes to it once more.
            let Redactor { notes, counts, .. } = &mut *self.redactor;
            notes.edits.truncate(before.0);
            notes.pieces.truncate(before.1);
            *counts = before.2;
        }
        if let Held::Meanwhile(collected) = &self.redactor.held
            && !collected.secrets.is_empty()
        {
            self.redactor.held = nothing(self.options);
            if redacted.is_ok() {
                self.marked.push((piece.kind, piece.value.range()));
            }
        }
        redacted
    }
}
