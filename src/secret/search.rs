//! The search for pieces that mark something, by others, before the walk comes to them. Nearly all
//! mark nothing; the walk looks again at those that do.

use std::ops::Range;

use regex::Regex;

use super::marks::Marks;
use super::parts::Parts;
use super::survey::Digests;
use crate::crew::Worker;
use crate::error::Result;
use crate::plan::piece_crew::{Found, PieceJob, Task};
use crate::plan::{Piece, PieceKind, PieceVisitor, Unchanged};

/// Searches stretches.
pub(super) struct Searcher {
    marks: Marks,
    /// What digests of what is read are made with, if they are wanted.
    digests: Option<Digests>,
}

/// What is found in a stretch beside what is marked.
#[derive(Default)]
pub(super) struct Rest {
    /// How many pieces have values and no word on what is sensitive in them.
    pub unmarked: u64,
    /// A digest of the stretch.
    pub digest: u64,
}

impl Found for Rest {
    fn clear(&mut self) {
        *self = Rest::default();
    }
}

impl Searcher {
    /// One to whom such names mark, too.
    pub(super) fn new(names: Option<Regex>, digests: Option<Digests>) -> Searcher {
        Searcher { marks: Marks::new(names), digests }
    }
}

impl Worker for Searcher {
    type Job = PieceJob<Rest>;

    fn work(&mut self, job: &mut PieceJob<Rest>) {
        let Some(Task { scout, range, .. }) = job.task() else { return };
        let (marks, marked) = (&mut self.marks, &mut job.marked);
        let mut searching = Searching { marks, marked, unmarked: 0 };
        let read = scout.read(range, &mut searching);
        job.found.unmarked = searching.unmarked;
        if let (Some(read), Some(digests)) = (&read, &self.digests) {
            job.found.digest = digests.of(&scout.text()[read.places()]);
        }
        job.end(read);
    }
}

struct Searching<'s> {
    marks: &'s mut Marks,
    marked: &'s mut Vec<(PieceKind, Range<u64>)>,
    unmarked: u64,
}

impl PieceVisitor for Searching<'_> {
    fn unchanged(&mut self, unchanged: &Unchanged<'_>, _: Range<u64>) -> bool {
        self.marks.is_quiet_change(unchanged)
    }

    fn resource(&mut self, sensitive_values: &[u8], _: Range<u64>) -> bool {
        self.marks.is_quiet_resource(sensitive_values)
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let (parts, mut is_marked) = (Parts::of(piece)?, false);
        self.marks.find(parts.subject, |_| {
            is_marked = true;
            Ok(())
        })?;
        if is_marked {
            self.marked.push((piece.kind, piece.value.range()));
        } else {
            self.unmarked += u64::from(parts.is_unmarked(piece.kind));
        }
        Ok(())
    }
}
