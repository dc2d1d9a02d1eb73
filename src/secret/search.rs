//! The search for pieces that mark something, by others, before the walk comes to them. What they
//! mark is taken down, for the walk to number it.

use std::ops::Range;

use super::digest::Digester;
use super::learned::Learned;
use super::marks::Marks;
use super::parts::Parts;
use super::survey::Digests;
use crate::crew::Worker;
use crate::error::Result;
use crate::json::outline::Outline;
use crate::plan::piece_crew::{Found, PieceJob, Task};
use crate::plan::{Piece, PieceVisitor, Unchanged};

/// Searches stretches.
pub(super) struct Searcher {
    marks: Marks,
    digester: Digester,
    /// What digests of what is read are made with, if they are wanted.
    digests: Option<Digests>,
    decoded: Vec<u8>,
    /// Where pieces are outlined.
    outline: Outline,
}

/// What is found in a stretch.
#[derive(Default)]
pub(super) struct Searched {
    /// What is marked.
    pub learned: Learned,
    /// How many pieces have values and no word on what is sensitive in them.
    pub unmarked: u64,
    /// A digest of the stretch.
    pub digest: u64,
}

impl Found for Searched {
    fn clear(&mut self) {
        self.learned.clear();
        (self.unmarked, self.digest) = (0, 0);
    }
}

impl Searcher {
    /// One that finds what is marked with those.
    pub(super) fn new(marks: Marks, digester: Digester, digests: Option<Digests>) -> Searcher {
        let (decoded, outline) = (Vec::new(), Outline::new());
        Searcher { marks, digester, digests, decoded, outline }
    }
}

impl Worker for Searcher {
    type Job = PieceJob<Searched>;

    fn work(&mut self, job: &mut PieceJob<Searched>) {
        let Some(Task { scout, range, .. }) = job.task() else { return };
        let mut outline = std::mem::take(&mut self.outline);
        let mut searching = Searching { searcher: self, found: &mut job.found };
        let read = scout.read(range, &mut outline, &mut searching);
        self.outline = outline;
        if let (Some(read), Some(digests)) = (&read, &self.digests) {
            job.found.digest = digests.of(&scout.text()[read.places()]);
        }
        job.end(read);
    }
}

struct Searching<'s> {
    searcher: &'s mut Searcher,
    found: &'s mut Searched,
}

impl PieceVisitor for Searching<'_> {
    fn unchanged(&mut self, unchanged: &Unchanged<'_>, _: Range<u64>) -> bool {
        self.searcher.marks.is_quiet_change(unchanged)
    }

    fn resource(&mut self, sensitive_values: &[u8], _: Range<u64>) -> bool {
        self.searcher.marks.is_quiet_resource(sensitive_values)
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let Searcher { marks, digester, decoded, .. } = &mut *self.searcher;
        let learned = &mut self.found.learned;
        let (parts, mut is_marked) = (Parts::of(piece)?, false);
        let found = marks.find(parts.subject, |marked| {
            is_marked = true;
            let mut values = marked.sides.into_iter().flatten();
            values.try_for_each(|value| learned.add(value, digester, decoded))
        });
        if found.is_err() {
            // The walk comes to it once more.
            learned.forget_next();
        } else if is_marked {
            learned.end(piece.kind, piece.value.range());
        } else {
            self.found.unmarked += u64::from(parts.is_unmarked(piece.kind));
        }
        found
    }
}
