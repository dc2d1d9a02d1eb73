//! Leaves out the changes that both documents contain byte for byte. Most changes of two plans of
//! one configuration are such changes, and need no comparison.
//!
//! A first pass over the earlier document keeps a digest of each change ([`Recording`]). The pass
//! over the later document skips the changes with a known digest ([`Screen`]), and so does a second
//! pass over the earlier document. A digest that does not fit into memory is dropped; its change is
//! then compared like any other.

use std::sync::Arc;

use plansift_core::error::Result;
use plansift_plan::plan::{Flow, Piece, PieceKind, Visitor};
use plansift_plan::record::PieceChecker;

use super::meaning::{Digest, ValueKey};

/// Maximum number of digests. Each takes 16 bytes.
const DIGESTS_MAX: usize = 1 << 20;

/// Returns the digest of a change with its section; `None` for other pieces.
fn digest(piece: &Piece<'_>, key: &ValueKey) -> Option<Digest> {
    let kind = match piece.kind {
        PieceKind::ResourceChange => b'c',
        PieceKind::DeferredChange => b'd',
        _ => return None,
    };
    let mut hasher = key.hasher(kind);
    hasher.update(&[piece.section as u8]);
    hasher.update(piece.value.raw());
    Some(Digest::of(hasher.finalize()))
}

/// The digests of the changes in a document.
#[derive(Debug, Default)]
pub struct Digests {
    /// Sorted.
    sorted: Vec<Digest>,
    /// True if a digest was dropped, because the list was full.
    is_partial: bool,
}

impl Digests {
    fn find(&self, digest: &Digest) -> Option<u32> {
        self.sorted.binary_search(digest).ok().map(|index| index as u32)
    }
}

/// Records the digests of changes, and makes no record of them.
#[derive(Debug)]
pub struct Recording {
    key: ValueKey,
    found: Vec<Digest>,
    is_partial: bool,
}

impl Recording {
    /// Starts without a digest.
    pub fn new(key: &ValueKey) -> Recording {
        Recording { key: key.clone(), found: Vec::new(), is_partial: false }
    }

    fn add(&mut self, digests: &[Digest]) {
        let room = DIGESTS_MAX - self.found.len();
        self.is_partial |= digests.len() > room;
        self.found.extend_from_slice(&digests[..digests.len().min(room)]);
    }

    /// Returns the digests.
    pub fn digests(self) -> Digests {
        let Recording { mut found, is_partial, .. } = self;
        found.sort_unstable();
        found.dedup();
        Digests { sorted: found, is_partial }
    }
}

impl Visitor for Recording {
    fn piece(&mut self, _: &Piece<'_>) -> Result<Flow> {
        Ok(Flow::Continue)
    }
}

impl PieceChecker for Recording {
    fn skips(&mut self, piece: &Piece<'_>) -> bool {
        let digest = digest(piece, &self.key);
        digest.as_ref().into_iter().for_each(|digest| self.add(std::slice::from_ref(digest)));
        digest.is_some()
    }

    fn fresh(&self) -> Recording {
        Recording::new(&self.key)
    }

    fn append(&mut self, next: Recording) {
        self.is_partial |= next.is_partial;
        self.add(&next.found);
    }

    fn size(&self) -> u64 {
        size_of_val(&*self.found) as u64
    }
}

/// Skips the changes whose digests are known.
#[derive(Debug)]
pub struct Screen {
    key: ValueKey,
    digests: Arc<Digests>,
    /// Which digests the changes must have; `None` accepts all.
    matched: Option<Arc<Vec<bool>>>,
    /// The indexes of the digests of the skipped changes.
    skipped: Vec<u32>,
}

impl Screen {
    /// Skips the changes that the earlier document contains, too.
    pub fn of_new(key: &ValueKey, digests: Digests) -> Screen {
        let digests = Arc::new(digests);
        Screen { key: key.clone(), digests, matched: None, skipped: Vec::new() }
    }

    /// Returns the screen for the earlier document, which skips the changes that this screen has
    /// skipped in the later one. `None` if it would skip all changes.
    pub fn of_old(self) -> Option<Screen> {
        let Screen { key, digests, skipped, .. } = self;
        let mut matched = vec![false; digests.sorted.len()];
        for index in skipped {
            matched[index as usize] = true;
        }
        if !digests.is_partial && matched.iter().all(|is_matched| *is_matched) {
            return None;
        }
        let matched = Some(Arc::new(matched));
        Some(Screen { key, digests, matched, skipped: Vec::new() })
    }

    /// The number of changes that were skipped.
    pub fn len(&self) -> u64 {
        self.skipped.len() as u64
    }

    /// Whether no change was skipped.
    pub fn is_empty(&self) -> bool {
        self.skipped.is_empty()
    }
}

impl Visitor for Screen {
    fn piece(&mut self, _: &Piece<'_>) -> Result<Flow> {
        Ok(Flow::Continue)
    }
}

impl PieceChecker for Screen {
    fn skips(&mut self, piece: &Piece<'_>) -> bool {
        let found = digest(piece, &self.key).and_then(|digest| self.digests.find(&digest));
        let found = found.filter(|index| match &self.matched {
            Some(matched) => matched[*index as usize],
            None => true,
        });
        self.skipped.extend(found);
        found.is_some()
    }

    fn fresh(&self) -> Screen {
        Screen {
            key: self.key.clone(),
            digests: Arc::clone(&self.digests),
            matched: self.matched.clone(),
            skipped: Vec::new(),
        }
    }

    fn append(&mut self, next: Screen) {
        self.skipped.extend(next.skipped);
    }

    fn size(&self) -> u64 {
        size_of_val(&*self.skipped) as u64
    }
}
