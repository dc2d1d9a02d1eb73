//! The search for pieces that mark something, by others, before the walk comes to them. Nearly all
//! mark nothing; the walk looks again at those that do.

use std::ops::Range;

use regex::Regex;

use super::marks::Marks;
use super::parts::Parts;
use crate::crew::Worker;
use crate::error::Result;
use crate::plan::outriders::PieceErrand;
use crate::plan::vanguard::Errand;
use crate::plan::{Piece, PieceKind, PieceScout, PieceStretch, PieceVisitor, Unchanged};

/// A stretch that is searched, and the pieces in it that mark something.
#[derive(Default)]
pub(super) struct Search {
    errand: Option<(PieceScout, Range<u64>)>,
    /// What of it was read.
    pub read: Option<PieceStretch>,
    /// What each is, and where it stands.
    pub marked: Vec<(PieceKind, Range<u64>)>,
}

impl Errand for Search {
    fn read(&self) -> Option<Range<u64>> {
        self.read.as_ref().map(PieceStretch::range)
    }
}

impl PieceErrand for Search {
    fn send(&mut self, scout: PieceScout, range: Range<u64>) {
        self.errand = Some((scout, range));
    }

    fn stretch(&self) -> Option<&PieceStretch> {
        self.read.as_ref()
    }

    fn clear(&mut self) {
        (self.errand, self.read) = (None, None);
        self.marked.clear();
    }
}

/// Searches stretches.
pub(super) struct Searcher {
    marks: Marks,
}

impl Searcher {
    /// One to whom such names mark, too.
    pub(super) fn new(names: Option<Regex>) -> Searcher {
        Searcher { marks: Marks::new(names) }
    }
}

impl Worker for Searcher {
    type Job = Search;

    fn work(&mut self, search: &mut Search) {
        let Search { errand, read, marked } = search;
        if let Some((scout, range)) = errand.take() {
            *read = scout.read(range, &mut Searching { marks: &mut self.marks, marked });
        }
    }
}

struct Searching<'s> {
    marks: &'s mut Marks,
    marked: &'s mut Vec<(PieceKind, Range<u64>)>,
}

impl PieceVisitor for Searching<'_> {
    fn unchanged(&mut self, unchanged: &Unchanged<'_>, _: Range<u64>) -> bool {
        self.marks.is_quiet_change(unchanged)
    }

    fn resource(&mut self, sensitive_values: &[u8], _: Range<u64>) -> bool {
        self.marks.is_quiet_resource(sensitive_values)
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let mut is_marked = false;
        self.marks.find(Parts::of(piece)?.subject, |_| {
            is_marked = true;
            Ok(())
        })?;
        if is_marked {
            self.marked.push((piece.kind, piece.value.range()));
        }
        Ok(())
    }
}
