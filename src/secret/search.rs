//! Lookahead workers that search for marked pieces. A worker records the secrets, and the walk
//! numbers them later.

use super::digest::Digester;
use super::marks::{By, Marks};
use super::parts::Parts;
use super::places::{OwnerDigests, PlaceDigests};
use super::range_secrets::RangeSecrets;
use crate::error::Result;
use crate::json::outline::Outline;
use crate::plan::lookahead::{LookaheadJob, Task};
use crate::plan::{Flow, Piece, PieceVisitor};
use crate::pool::Worker;

/// Searches stretches for marks.
pub(super) struct Searcher {
    marks: Marks,
    digester: Digester,
    places: PlaceDigests,
    decoded: Vec<u8>,
    /// Scratch space for pieces.
    outline: Outline,
}

impl Searcher {
    /// Creates a worker.
    pub(super) fn new(marks: Marks, digester: Digester, places: PlaceDigests) -> Searcher {
        let (decoded, outline) = (Vec::new(), Outline::new());
        Searcher { marks, digester, places, decoded, outline }
    }
}

impl Worker for Searcher {
    type Job = LookaheadJob<RangeSecrets>;

    fn work(&mut self, job: &mut LookaheadJob<RangeSecrets>) {
        let Some(Task { reader, range }) = job.task() else { return };
        let mut outline = std::mem::take(&mut self.outline);
        let mut searching = Searching { searcher: self, found: &mut job.found };
        let read = reader.read(range, &mut outline, &mut searching);
        self.outline = outline;
        job.end(read);
    }
}

struct Searching<'s> {
    searcher: &'s mut Searcher,
    found: &'s mut RangeSecrets,
}

impl PieceVisitor for Searching<'_> {
    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let Searching { searcher: Searcher { marks, digester, places, decoded, .. }, found } = self;
        let (parts, mut is_marked) = (Parts::of(piece)?, false);
        let mut searched = parts.subjects().try_for_each(|(identity, subject)| {
            let by = identity.is_none().then_some(&*places);
            marks.find_placed(subject, by, |marked| {
                is_marked = true;
                if let (By::Mark, Some(place)) = (marked.by, marked.place) {
                    found.add_path(place);
                }
                let mut values = marked.sides.into_iter().flatten();
                values.try_for_each(|value| found.add(value, digester, decoded))
            })
        });
        let mut owner = OwnerDigests::default();
        if let (Ok(()), true, Some(of)) = (&searched, is_marked, &parts.owner) {
            searched = places.owner(of, decoded).map(|digests| owner = digests);
        }
        if searched.is_err() {
            // The walk meets the same error, and reports it.
            found.forget_next();
        } else if is_marked {
            found.end(piece.kind, piece.value.range(), owner);
        }
        searched.map(|()| Flow::Continue)
    }
}
