//! Leaves out the changes that both documents contain byte for byte. Most changes of two plans of
//! one configuration are such changes, and need no comparison.
//!
//! A first pass over the earlier document keeps a hash of each change ([`Recording`]). The pass
//! over the later document skips the changes with a known hash ([`Screen`]). A second pass over the
//! earlier document skips the same changes ([`Matched`]). A hash that does not fit into memory is
//! dropped; its change is then compared like any other.

use std::sync::Arc;

use highway::{HighwayHash, HighwayHasher, Key};

use plansift_core::error::Result;
use plansift_plan::plan::{Deferred, Flow, Piece, PieceKind, ResourceChange, Visitor};
use plansift_plan::record::PieceChecker;
use plansift_plan::record::action::{self, Action};

use super::meaning::ValueKey;

/// Maximum number of hashes. Each takes 24 bytes.
const HASHES_MAX: usize = 1 << 20;

/// Number of bits in a word of [`Screen::skipped`].
const BITS: usize = u64::BITS as usize;

/// Whether the screen is about a piece.
fn is_change(piece: &Piece<'_>) -> bool {
    matches!(piece.kind, PieceKind::ResourceChange | PieceKind::DeferredChange)
}

/// Hashes changes. Without the key, nobody can find two changes with one hash.
#[derive(Clone, Copy, Debug)]
struct ChangeHasher(Key);

impl ChangeHasher {
    fn new(key: &ValueKey) -> ChangeHasher {
        let (words, _) = key.bytes().as_chunks();
        let mut words = words.iter().copied().map(u64::from_le_bytes);
        ChangeHasher(Key(std::array::from_fn(|_| words.next().unwrap_or_default())))
    }

    /// Returns the hash of a change and its section.
    fn hash(self, piece: &Piece<'_>) -> [u64; 2] {
        let mut hasher = HighwayHasher::new(self.0);
        hasher.append(piece.value.raw());
        hasher.append(&[piece.section as u8]);
        hasher.finalize128()
    }
}

/// The hashes and offsets of the changes in a document, sorted by hash.
#[derive(Debug, Default)]
pub struct Hashes {
    sorted: Vec<([u64; 2], u64)>,
    /// True if a hash was dropped, because the list was full.
    is_partial: bool,
}

/// Records the hashes of changes, and makes no record of them.
#[derive(Debug)]
pub struct Recording {
    hasher: ChangeHasher,
    found: Vec<([u64; 2], u64)>,
    is_partial: bool,
}

impl Recording {
    /// Starts without a hash. The key must be random.
    pub fn new(key: &ValueKey) -> Recording {
        Recording { hasher: ChangeHasher::new(key), found: Vec::new(), is_partial: false }
    }

    fn add(&mut self, hashes: &[([u64; 2], u64)]) {
        let room = HASHES_MAX - self.found.len();
        self.is_partial |= hashes.len() > room;
        self.found.extend_from_slice(&hashes[..hashes.len().min(room)]);
    }

    /// Returns the hashes.
    pub fn hashes(self) -> Hashes {
        let Recording { found: mut sorted, is_partial, .. } = self;
        sorted.sort_unstable();
        Hashes { sorted, is_partial }
    }
}

impl Visitor for Recording {
    fn piece(&mut self, _: &Piece<'_>) -> Result<Flow> {
        Ok(Flow::Continue)
    }
}

impl PieceChecker for Recording {
    fn skips(&mut self, piece: &Piece<'_>) -> bool {
        if is_change(piece) {
            self.add(&[(self.hasher.hash(piece), piece.value.offset())]);
        }
        is_change(piece)
    }

    fn fresh(&self) -> Recording {
        Recording { hasher: self.hasher, found: Vec::new(), is_partial: false }
    }

    fn append(&mut self, next: Recording) {
        self.is_partial |= next.is_partial;
        self.add(&next.found);
    }

    fn size(&self) -> u64 {
        size_of_val(&*self.found) as u64
    }
}

/// Skips the changes whose hashes are known.
#[derive(Debug)]
pub struct Screen {
    hasher: ChangeHasher,
    hashes: Arc<Hashes>,
    /// The hashes of the skipped changes, one bit for each hash. Empty before the first one.
    skipped: Vec<u64>,
    /// Number of skipped changes that do something.
    alike: u64,
}

/// Whether a change leaves its object as it is. An invalid change does something.
fn is_settled(piece: &Piece<'_>) -> bool {
    let settled = |change: ResourceChange<'_>| {
        let action = Action::of(&change.change)?.known_word();
        Ok(action::is_settled(action, change.moved_from(), change.change.importing))
    };
    let change = match piece.kind {
        PieceKind::DeferredChange => Deferred::parse(piece.value).map(|it| it.resource_change),
        _ => ResourceChange::parse(piece.section, piece.value),
    };
    change.and_then(settled).unwrap_or(false)
}

impl Screen {
    /// Skips the changes with these hashes, which were made with the same key.
    pub fn new(key: &ValueKey, hashes: Hashes) -> Screen {
        let hashes = Arc::new(hashes);
        Screen { hasher: ChangeHasher::new(key), hashes, skipped: Vec::new(), alike: 0 }
    }

    /// Returns what skips the same changes in the earlier document. `None` if it would skip all
    /// changes.
    pub fn matched(self) -> Option<Matched> {
        let Screen { hashes, skipped, .. } = self;
        let hash = |index: usize| hashes.sorted.get(index).map(|(hash, _)| *hash);
        let is_skipped = |index: usize| {
            skipped.get(index / BITS).is_some_and(|bits| bits >> (index % BITS) & 1 == 1)
        };
        let mut is_matched = vec![false; hashes.sorted.len()];
        for index in 0..hashes.sorted.len() {
            // A document may contain a change twice. Only the first one was found.
            let is_again = index > 0 && hash(index - 1) == hash(index);
            is_matched[index] = if is_again { is_matched[index - 1] } else { is_skipped(index) };
        }
        if !hashes.is_partial && is_matched.iter().all(|is_matched| *is_matched) {
            return None;
        }
        let matched = hashes.sorted.iter().zip(is_matched).filter(|(_, is_matched)| *is_matched);
        let mut offsets: Vec<u64> = matched.map(|((_, offset), _)| *offset).collect();
        offsets.sort_unstable();
        Some(Matched(Arc::new(offsets)))
    }

    /// Records that a change with the hash at an index was skipped.
    fn mark(&mut self, index: usize) {
        self.skipped.resize(self.hashes.sorted.len().div_ceil(BITS), 0);
        self.skipped[index / BITS] |= 1 << (index % BITS);
    }

    /// Number of skipped changes that do something.
    pub fn alike(&self) -> u64 {
        self.alike
    }
}

impl Visitor for Screen {
    fn piece(&mut self, _: &Piece<'_>) -> Result<Flow> {
        Ok(Flow::Continue)
    }
}

impl PieceChecker for Screen {
    fn skips(&mut self, piece: &Piece<'_>) -> bool {
        if !is_change(piece) {
            return false;
        }
        let (hash, sorted) = (self.hasher.hash(piece), &self.hashes.sorted);
        let index = sorted.partition_point(|(known, _)| *known < hash);
        let is_known = sorted.get(index).is_some_and(|(known, _)| *known == hash);
        if is_known {
            self.mark(index);
            self.alike += u64::from(!is_settled(piece));
        }
        is_known
    }

    fn fresh(&self) -> Screen {
        let hashes = Arc::clone(&self.hashes);
        Screen { hasher: self.hasher, hashes, skipped: Vec::new(), alike: 0 }
    }

    fn append(&mut self, next: Screen) {
        match self.skipped.is_empty() {
            true => self.skipped = next.skipped,
            false => self.skipped.iter_mut().zip(next.skipped).for_each(|(it, bits)| *it |= bits),
        }
        self.alike += next.alike;
    }

    fn size(&self) -> u64 {
        size_of_val(&*self.skipped) as u64
    }
}

/// Skips the changes at these offsets, which are sorted.
#[derive(Debug)]
pub struct Matched(Arc<Vec<u64>>);

impl Visitor for Matched {
    fn piece(&mut self, _: &Piece<'_>) -> Result<Flow> {
        Ok(Flow::Continue)
    }
}

impl PieceChecker for Matched {
    fn skips(&mut self, piece: &Piece<'_>) -> bool {
        is_change(piece) && self.0.binary_search(&piece.value.offset()).is_ok()
    }

    fn fresh(&self) -> Matched {
        Matched(Arc::clone(&self.0))
    }

    fn append(&mut self, _: Matched) {}

    fn size(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A screen for changes with these hashes, each at ten times its index.
    fn screen(hashes: &[u64]) -> Screen {
        let sorted = hashes.iter().zip(0..).map(|(hash, at)| ([*hash, 0], 10 * at)).collect();
        Screen::new(&ValueKey::public(), Hashes { sorted, is_partial: false })
    }

    #[test]
    fn the_memory_of_a_screen_does_not_grow_with_the_later_document() {
        let hashes: Vec<u64> = (0..100).collect();
        let mut screen = screen(&hashes);
        assert_eq!(screen.size(), 0);
        (0..10_000).for_each(|number| screen.mark(number % 100));
        assert_eq!(screen.size(), 16);
        assert!(screen.matched().is_none());
    }

    #[test]
    fn what_the_parts_of_a_document_skip_is_skipped_in_the_earlier_one() {
        // The first hash and the last one occur twice.
        let mut whole = screen(&[1, 1, 2, 3, 4, 4]);
        for marked in [None, Some(0), None, Some(4), Some(0), Some(3)] {
            let mut part = whole.fresh();
            marked.into_iter().for_each(|index| part.mark(index));
            part.alike = 1;
            whole.append(part);
        }
        assert_eq!(whole.alike(), 6);
        let matched = whole.matched().expect("one change is in the earlier document only");
        assert_eq!(*matched.0, [0, 10, 30, 40, 50]);
    }
}
