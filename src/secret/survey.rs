//! What the first reading of a document found in the stretches that were read ahead of it, for the
//! second: of a stretch in which nothing is marked, that one needs to look for echoes alone.
//!
//! The text may be another by then. A digest of its bytes tells.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::quality::RandomState;

use crate::plan::{PieceKind, PieceStretch};

/// Stretches of a document, in order: all that the walk took, as long as there is room.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    digests: Digests,
    stretches: Vec<PieceStretch>,
    surveyed: Vec<Surveyed>,
    /// Memory of all of it, about, in bytes.
    size: usize,
}

/// What was found in a stretch.
#[derive(Clone, Debug)]
pub(crate) struct Surveyed {
    /// The pieces in which something is marked: what each is, and where it stands.
    pub marked: Box<[(PieceKind, Range<u64>)]>,
    /// How many of the others have values and no word on what is sensitive in them.
    pub unmarked: u64,
    /// A digest of its bytes.
    pub digest: u64,
}

/// Makes digests of stretches, keyed anew for each document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digests(RandomState);

impl Digests {
    /// The digest of a stretch.
    pub(crate) fn of(&self, bytes: &[u8]) -> u64 {
        self.0.hash_one(bytes)
    }
}

impl Survey {
    /// Most memory that it takes, in bytes: enough for some 14 GB of a plan that marks little.
    const SIZE_MAX: usize = 8 << 20;

    /// What digests are made with.
    pub(crate) fn digests(&self) -> &Digests {
        &self.digests
    }

    /// Takes note of the next stretch, if there is room.
    pub(crate) fn push(&mut self, stretch: &PieceStretch, surveyed: Surveyed) {
        self.size += stretch.size() + size_of::<Surveyed>() + size_of_val(&*surveyed.marked);
        if self.size <= Survey::SIZE_MAX {
            self.stretches.push(stretch.clone());
            self.surveyed.push(surveyed);
        }
    }

    /// The stretches, in order.
    pub(crate) fn stretches(&self) -> &[PieceStretch] {
        &self.stretches
    }

    /// What was found in one of them.
    pub(crate) fn get(&self, place: usize) -> (&PieceStretch, &Surveyed) {
        (&self.stretches[place], &self.surveyed[place])
    }
}
