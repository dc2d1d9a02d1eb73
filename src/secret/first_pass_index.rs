//! Findings of the first pass over a document, for the second pass. In a stretch without marks, the
//! second pass only has to search for echoes.
//!
//! The file may change between the passes. A digest of the bytes of each stretch detects that.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::quality::RandomState;

use super::Options;
use crate::json::Validation;
use crate::limits::Limits;
use crate::plan::{self, PieceKind, ReadRange};

/// Stretches of a document, in order: those that the walk used, that are not mostly marked, and
/// that fit in memory.
#[derive(Debug, Default)]
pub(crate) struct FirstPassIndex {
    of: Option<Of>,
    digests: Digests,
    stretches: Vec<ReadRange>,
    indexed: Vec<IndexedRange>,
    /// Approximate memory in bytes.
    size: usize,
}

/// The options that determine findings and errors.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Of {
    names: Option<String>,
    validation: Validation,
    limits: Limits,
}

impl Of {
    fn new(options: &Options, read: &plan::Options) -> Of {
        let names = options.names.as_ref().map(|names| names.as_str().to_owned());
        Of { names, validation: read.validation, limits: read.limits }
    }
}

/// The findings in a stretch.
#[derive(Clone, Debug)]
pub(crate) struct IndexedRange {
    /// The kinds and byte ranges of the pieces with marks.
    pub marked: Box<[(PieceKind, Range<u64>)]>,
    /// Digest halves of the addresses of the other pieces, which changes may mark elsewhere
    /// ([`super::places`]).
    pub addresses: Box<[u32]>,
    /// Number of other pieces with values but no overlay that says which are sensitive.
    pub unmarked: u64,
    /// The digest of the stretch's bytes.
    pub digest: u64,
}

/// Computes digests of stretches, with a random key per document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digests(RandomState);

impl Digests {
    /// The digest of a stretch.
    pub(crate) fn of(&self, bytes: &[u8]) -> u64 {
        self.0.hash_one(bytes)
    }
}

impl FirstPassIndex {
    /// Maximum memory in bytes, enough for several gigabytes of a plan with few marks.
    const SIZE_MAX: usize = 8 << 20;

    /// An empty index for these options.
    pub(crate) fn new(options: &Options) -> FirstPassIndex {
        let of = Of::new(options, &options.read);
        FirstPassIndex { of: Some(of), ..FirstPassIndex::default() }
    }

    /// Computes digests that match those of the index.
    pub(crate) fn digests(&self) -> &Digests {
        &self.digests
    }

    /// Records the next stretch, if it fits in memory.
    pub(crate) fn push(&mut self, stretch: &ReadRange, indexed: IndexedRange) {
        self.size += stretch.size()
            + size_of::<IndexedRange>()
            + size_of_val(&*indexed.marked)
            + size_of_val(&*indexed.addresses);
        if self.size <= FirstPassIndex::SIZE_MAX {
            self.stretches.push(stretch.clone());
            self.indexed.push(indexed);
        }
    }

    /// The stretches, in order. Empty if a pass with these options would find something different.
    pub(crate) fn stretches(&self, options: &Options, read: &plan::Options) -> &[ReadRange] {
        let is_same = self.of == Some(Of::new(options, read));
        if is_same { &self.stretches } else { &[] }
    }

    /// A stretch and its findings.
    pub(crate) fn get(&self, place: usize) -> (&ReadRange, &IndexedRange) {
        (&self.stretches[place], &self.indexed[place])
    }
}
