//! Findings of the first pass over a document, which make a second pass that redacts cheaper.
//!
//! The index lists ranges of the document with their marked pieces. In such a range, the second
//! pass parses only the marked pieces, and searches the rest for echoes. The file may change
//! between the passes. A digest of the bytes of each range detects that.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::quality::RandomState;

use super::{Names, SecretOptions};
use plansift_core::json::Validation;
use plansift_core::limits::Limits;
use plansift_plan::plan::{self, PieceKind, ReadRange};

/// The indexed ranges of a document, in order. A range is indexed if the walk used the result of a
/// worker for it, if at most half of it is marked, and if it fits into the memory of the index.
#[derive(Debug, Default)]
pub(crate) struct FirstPassIndex {
    options: Option<IndexOptions>,
    digests: Digests,
    ranges: Vec<ReadRange>,
    indexed: Vec<IndexedRange>,
    /// Approximate memory in bytes.
    size: usize,
}

/// The options that determine findings and errors.
#[derive(Clone, Debug, PartialEq, Eq)]
struct IndexOptions {
    names: Option<Names>,
    validation: Validation,
    limits: Limits,
}

impl IndexOptions {
    fn new(options: &SecretOptions, read: &plan::PlanOptions) -> IndexOptions {
        let names = options.names.clone();
        IndexOptions { names, validation: read.validation, limits: read.limits }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct IndexedRange {
    /// The kinds and byte ranges of the pieces with marks.
    pub marked: Box<[(PieceKind, Range<u64>)]>,
    /// Digest halves of the addresses of the other pieces, which changes may mark elsewhere
    /// ([`super::marked_paths`]).
    pub addresses: Box<[u32]>,
    /// Number of other pieces with values but no overlay that says which are sensitive.
    pub unmarked: u64,
    pub digest: u64,
}

/// Computes digests of ranges, with a random key for each document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digests(RandomState);

impl Digests {
    pub(crate) fn of(&self, bytes: &[u8]) -> u64 {
        self.0.hash_one(bytes)
    }
}

impl FirstPassIndex {
    /// Maximum memory in bytes, enough for several gigabytes of a plan with few marks.
    const SIZE_MAX: usize = 8 << 20;

    pub(crate) fn new(options: &SecretOptions) -> FirstPassIndex {
        let options = IndexOptions::new(options, &options.read);
        FirstPassIndex { options: Some(options), ..FirstPassIndex::default() }
    }

    /// Returns what computes digests that match those of the index.
    pub(crate) fn digests(&self) -> &Digests {
        &self.digests
    }

    /// Records the next range, if it fits into the memory of the index.
    pub(crate) fn push(&mut self, range: &ReadRange, indexed: IndexedRange) {
        self.size += range.size()
            + size_of::<IndexedRange>()
            + size_of_val(&*indexed.marked)
            + size_of_val(&*indexed.addresses);
        if self.size <= FirstPassIndex::SIZE_MAX {
            self.ranges.push(range.clone());
            self.indexed.push(indexed);
        }
    }

    /// Returns the ranges in order, or no range if a pass with these options would find something
    /// different.
    pub(crate) fn ranges(&self, options: &SecretOptions, read: &plan::PlanOptions) -> &[ReadRange] {
        let is_same = self.options == Some(IndexOptions::new(options, read));
        if is_same { &self.ranges } else { &[] }
    }

    pub(crate) fn get(&self, place: usize) -> (&ReadRange, &IndexedRange) {
        (&self.ranges[place], &self.indexed[place])
    }
}
