//! Searches for marked pieces on lookahead workers. A worker records the secrets, and the walk
//! numbers them later.

use super::digest::Digester;
use super::first_pass_index::Digests;
use super::range_secrets::RangeSecrets;
use plansift_core::error::Result;
use plansift_core::json::value::Text;
use plansift_plan::marks::marked_paths::PathDigester;
use plansift_plan::marks::parts::Parts;
pub use plansift_plan::marks::{MarkSource, Marks};
use plansift_plan::plan::lookahead::{MapOutcome, PieceBatch, PieceMap};
use plansift_plan::plan::{Piece, ReadRange};

pub(super) struct Searcher {
    marks: Marks,
    digester: Digester,
    marked_paths: PathDigester,
    /// Computes the digests of ranges for an index; `None` without an index.
    digests: Option<Digests>,
    decoded: Vec<u8>,
    result: SearchResult,
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

impl PieceBatch for SearchResult {
    /// The record of the secrets knows where the next piece begins.
    type Position = ();

    fn position(&self) {}

    fn truncate(&mut self, (): ()) {
        self.found_secrets.drop_next();
    }

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
        let (decoded, result) = (Vec::new(), SearchResult::default());
        Searcher { marks, digester, marked_paths, digests, decoded, result }
    }
}

impl Searcher {
    /// Records the address of a resource without marks.
    fn address(&mut self, address: Text<'_>) -> Result<()> {
        if self.digests.is_some() {
            let digest = self.marked_paths.address(address, &mut self.decoded)?;
            self.result.addresses.push(digest as u32);
        }
        Ok(())
    }
}

impl PieceMap for Searcher {
    type Batch = SearchResult;

    fn batch(&mut self) -> &mut SearchResult {
        &mut self.result
    }

    fn map(&mut self, piece: &Piece<'_>) -> Result<MapOutcome> {
        let Searcher { marks, digester, marked_paths, decoded, result, .. } = self;
        let found_secrets = &mut result.found_secrets;
        let (parts, mut is_marked) = (Parts::of(piece)?, false);
        parts.subjects().try_for_each(|(identity, subject)| {
            let by = identity.is_none().then_some(&*marked_paths);
            marks.find_placed(subject, by, |marked| {
                is_marked = true;
                if let (MarkSource::Mark, Some(digests)) = (marked.by, marked.digests) {
                    found_secrets.add_path(digests);
                }
                let mut values = marked.sides.into_iter().flatten();
                values.try_for_each(|value| found_secrets.add(value, digester, decoded))
            })
        })?;
        if is_marked {
            let owner = parts.owner.as_ref().map(|of| marked_paths.owner(of, decoded));
            let owner = owner.transpose()?.unwrap_or_default();
            found_secrets.end(piece.kind, piece.value.range(), owner);
        } else {
            if let Some(address) = parts.address_elsewhere(piece.section) {
                self.address(address)?;
            }
            self.result.unmarked += u64::from(parts.is_unmarked(piece.kind));
        }
        Ok(MapOutcome::Added)
    }

    fn end(&mut self, range: &ReadRange, text: &[u8]) {
        if let Some(digests) = &self.digests {
            self.result.digest = digests.of(&text[range.indices()]);
        }
    }
}
