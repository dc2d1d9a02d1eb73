//! Lookahead workers that search for marked pieces. A worker records the secrets, and the walk
//! numbers them later.

use super::digest::Digester;
use super::first_pass_index::Digests;
use super::marked_paths::{OwnerDigests, PathDigester};
use super::marks::{MarkSource, Marks};
use super::parts::Parts;
use super::range_secrets::RangeSecrets;
use crate::error::Result;
use crate::json::outline::Outline;
use crate::json::value::Text;
use crate::plan::lookahead::{LookaheadJob, LookaheadResult, Task};
use crate::plan::{Flow, Piece, Visitor};
use crate::pool::Worker;

pub(super) struct Searcher {
    marks: Marks,
    digester: Digester,
    marked_paths: PathDigester,
    /// Computes the digests of ranges for an index; `None` without an index.
    digests: Option<Digests>,
    decoded: Vec<u8>,
    /// Scratch space for pieces.
    outline: Outline,
}

#[derive(Default)]
pub(super) struct SearchResult {
    /// The marked pieces and their secrets.
    pub found_secrets: RangeSecrets,
    /// Number of pieces with values but no overlay that says which are sensitive.
    pub unmarked: u64,
    /// Digest halves of the addresses of resources without marks of their own, which changes may
    /// mark elsewhere. Empty without an index.
    pub addresses: Vec<u32>,
    /// The digest of the range's bytes.
    pub digest: u64,
}

impl LookaheadResult for SearchResult {
    fn clear(&mut self) {
        self.found_secrets.clear();
        self.addresses.clear();
        (self.unmarked, self.digest) = (0, 0);
    }
}

impl Searcher {
    pub(super) fn new(
        marks: Marks,
        digester: Digester,
        marked_paths: PathDigester,
        digests: Option<Digests>,
    ) -> Searcher {
        let (decoded, outline) = (Vec::new(), Outline::new());
        Searcher { marks, digester, marked_paths, digests, decoded, outline }
    }
}

impl Worker for Searcher {
    type Job = LookaheadJob<SearchResult>;

    fn work(&mut self, job: &mut LookaheadJob<SearchResult>) {
        let Some(Task { reader, range, .. }) = job.task() else { return };
        let mut outline = std::mem::take(&mut self.outline);
        let mut searching = Searching { searcher: self, result: &mut job.result };
        let read = reader.read(range, &mut outline, &mut searching);
        self.outline = outline;
        if let (Some(read), Some(digests)) = (&read, &self.digests) {
            job.result.digest = digests.of(&reader.text()[read.indices()]);
        }
        job.end(read);
    }
}

struct Searching<'s> {
    searcher: &'s mut Searcher,
    result: &'s mut SearchResult,
}

impl Searching<'_> {
    /// Records the address of a resource without marks.
    fn address(&mut self, address: Text<'_>) -> Result<()> {
        let Searcher { marked_paths, digests, decoded, .. } = &mut *self.searcher;
        if digests.is_some() {
            self.result.addresses.push(marked_paths.address(address, decoded)? as u32);
        }
        Ok(())
    }
}

impl Visitor for Searching<'_> {
    fn examines_all(&self) -> bool {
        true
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let Searcher { marks, digester, marked_paths, decoded, .. } = &mut *self.searcher;
        let found_secrets = &mut self.result.found_secrets;
        let (parts, mut is_marked) = (Parts::of(piece)?, false);
        let mut found = parts.subjects().try_for_each(|(identity, subject)| {
            let by = identity.is_none().then_some(&*marked_paths);
            marks.find_placed(subject, by, |marked| {
                is_marked = true;
                if let (MarkSource::Mark, Some(digests)) = (marked.by, marked.digests) {
                    found_secrets.add_path(digests);
                }
                let mut values = marked.sides.into_iter().flatten();
                values.try_for_each(|value| found_secrets.add(value, digester, decoded))
            })
        });
        let mut owner = OwnerDigests::default();
        if let (Ok(()), true, Some(of)) = (&found, is_marked, &parts.owner) {
            found = marked_paths.owner(of, decoded).map(|digests| owner = digests);
        }
        if found.is_err() {
            // The walk meets the same error, and reports it.
            found_secrets.forget_next();
        } else if is_marked {
            found_secrets.end(piece.kind, piece.value.range(), owner);
        } else {
            self.result.unmarked += u64::from(parts.is_unmarked(piece.kind));
            if let Some(address) = parts.address_elsewhere(piece.section) {
                self.address(address)?;
            }
        }
        found.map(|()| Flow::Continue)
    }
}
