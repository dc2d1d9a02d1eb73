//! Stretches of a document that others redact ahead of the walk, where everything stays.

use std::ops::Range;

use super::chunk::{Chunk, Masker};
use super::redactor::{Held, Redactor};
use super::{Counts, Options};
use crate::crew::Worker;
use crate::error::Result;
use crate::plan::outriders::PieceErrand;
use crate::plan::vanguard::Errand;
use crate::plan::{Piece, PieceKind, PieceScout, PieceStretch, PieceVisitor, Unchanged};
use crate::secret::Collected;

/// A stretch, and what became of it.
#[derive(Default)]
pub(super) struct Ride {
    errand: Option<(PieceScout, Range<u64>)>,
    /// What of it was read.
    pub read: Option<PieceStretch>,
    /// The same on its way out.
    pub chunk: Chunk,
    /// The pieces in it that mark something, where secrets are noted as they come: what each is,
    /// and where it stands.
    pub marked: Vec<(PieceKind, Range<u64>)>,
}

impl Errand for Ride {
    fn read(&self) -> Option<Range<u64>> {
        self.read.as_ref().map(PieceStretch::range)
    }
}

impl PieceErrand for Ride {
    fn send(&mut self, scout: PieceScout, range: Range<u64>) {
        self.errand = Some((scout, range));
    }

    fn stretch(&self) -> Option<&PieceStretch> {
        self.read.as_ref()
    }

    fn clear(&mut self) {
        (self.errand, self.read) = (None, None);
        self.chunk.clear();
        self.marked.clear();
    }
}

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
    type Job = Ride;

    fn work(&mut self, ride: &mut Ride) {
        let Some((scout, range)) = ride.errand.take() else { return };
        std::mem::swap(&mut self.redactor.notes, &mut ride.chunk);
        self.redactor.counts = Counts::default();
        let marked = &mut ride.marked;
        let mut riding = Riding { redactor: &mut self.redactor, options: self.options, marked };
        ride.read = scout.read(range, &mut riding);
        std::mem::swap(&mut self.redactor.notes, &mut ride.chunk);
        let Some(read) = &ride.read else { return };
        let (range, chunk) = (read.range(), &mut ride.chunk);
        chunk.start = range.start;
        chunk.counts = self.redactor.counts;
        chunk.bytes.extend_from_slice(&scout.text()[range.start as usize..range.end as usize]);
        self.masker.work(chunk);
    }
}

/// Redacts the pieces of a stretch.
struct Riding<'w, 's> {
    redactor: &'w mut Redactor<'s, Chunk>,
    options: &'s Options,
    marked: &'w mut Vec<(PieceKind, Range<u64>)>,
}

impl PieceVisitor for Riding<'_, '_> {
    fn unchanged(&mut self, unchanged: &Unchanged<'_>, range: Range<u64>) -> bool {
        self.redactor.unchanged(unchanged, range)
    }

    fn resource(&mut self, sensitive_values: &[u8], range: Range<u64>) -> bool {
        self.redactor.resource(sensitive_values, range)
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let Redactor { notes, counts, .. } = &*self.redactor;
        let before = (notes.edits.len(), notes.pieces.len(), *counts);
        let redacted = self.redactor.piece(piece);
        if redacted.is_err() {
            // The walk comes to it once more.
            let Redactor { notes, counts, .. } = &mut *self.redactor;
            notes.edits.truncate(before.0);
            notes.pieces.truncate(before.1);
            *counts = before.2;
        } else if let Held::Meanwhile(collected) = &self.redactor.held
            && !collected.secrets.is_empty()
        {
            self.marked.push((piece.kind, piece.value.range()));
            self.redactor.held = nothing(self.options);
        }
        redacted
    }
}
