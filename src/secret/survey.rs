//! What the first reading of a document found in the stretches that were read ahead of it, for the
//! second: of a stretch in which nothing is marked, that one needs to look for echoes alone.
//!
//! The text may be another by then. A digest of its bytes tells.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::quality::RandomState;

use super::Options;
use crate::json::Validation;
use crate::limits::Limits;
use crate::plan::{self, PieceKind, PieceStretch};

/// Stretches of a document, in order: those that the walk took and that are not marked for
/// the most part, as long as there is room.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    of: Option<Of>,
    digests: Digests,
    stretches: Vec<PieceStretch>,
    surveyed: Vec<Surveyed>,
    /// Memory of all of it, about, in bytes.
    size: usize,
}

/// What decides on what is found and on what is an error.
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

/// What was found in a stretch.
#[derive(Clone, Debug)]
pub(crate) struct Surveyed {
    /// The pieces in which something is marked: what each is, and where it stands.
    pub marked: Box<[(PieceKind, Range<u64>)]>,
    /// Halves of the digests of the addresses of the others, where changes may mark them elsewhere
    /// ([`super::places`]).
    pub addresses: Box<[u32]>,
    /// How many of the others have values and no word on what is sensitive in them.
    pub unmarked: u64,
    /// A digest of its bytes.
    pub digest: u64,
}

/// A hash whose key is drawn anew for each document.
pub(crate) type Keyed = RandomState;

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
    /// Most memory that it takes, in bytes: enough for some gigabytes of a plan that marks little.
    const SIZE_MAX: usize = 8 << 20;

    /// One that is made with such options.
    pub(crate) fn new(options: &Options) -> Survey {
        let of = Of::new(options, &options.read);
        Survey { of: Some(of), ..Survey::default() }
    }

    /// What digests are made with.
    pub(crate) fn digests(&self) -> &Digests {
        &self.digests
    }

    /// Takes note of the next stretch, if there is room.
    pub(crate) fn push(&mut self, stretch: &PieceStretch, surveyed: Surveyed) {
        self.size += stretch.size()
            + size_of::<Surveyed>()
            + size_of_val(&*surveyed.marked)
            + size_of_val(&*surveyed.addresses);
        if self.size <= Survey::SIZE_MAX {
            self.stretches.push(stretch.clone());
            self.surveyed.push(surveyed);
        }
    }

    /// The stretches, in order, if another reading by such options would find the same in them.
    pub(crate) fn stretches(&self, options: &Options, read: &plan::Options) -> &[PieceStretch] {
        let is_same = self.of == Some(Of::new(options, read));
        if is_same { &self.stretches } else { &[] }
    }

    /// What was found in one of them.
    pub(crate) fn get(&self, place: usize) -> (&PieceStretch, &Surveyed) {
        (&self.stretches[place], &self.surveyed[place])
    }
}
