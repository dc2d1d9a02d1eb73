//! The search for pieces that mark something, by others, before the walk comes to them. Nearly all
//! mark nothing; the walk looks again at those that do.

use std::ops::Range;

use regex::Regex;

use super::marks::Marks;
use super::parts::Parts;
use crate::crew::Worker;
use crate::error::Result;
use crate::plan::outriders::Foray;
use crate::plan::{Piece, PieceKind, PieceVisitor, Unchanged};

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
    type Job = Foray<()>;

    fn work(&mut self, foray: &mut Foray<()>) {
        if let Some((scout, range)) = foray.errand() {
            let (marks, marked) = (&mut self.marks, &mut foray.marked);
            let read = scout.read(range, &mut Searching { marks, marked });
            foray.end(read);
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
