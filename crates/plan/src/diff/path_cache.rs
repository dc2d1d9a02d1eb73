//! A cache of path lists, keyed by the bytes of the overlays they come from.
//!
//! Most resources of a type have equal overlays, and a plan has few types. So most lists are
//! computed only once. A cached list is not copied: the cache swaps it with the caller's list, and
//! swaps it back at the next request.
//!
//! The table has a fixed number of slots. A hash of a few bytes of the overlays selects the slot. A
//! new list replaces the old list in its slot. A slot keeps at most 8 KiB of overlays, 8 KiB of
//! paths and 8 KiB of marks. So a table takes at most about 1.5 MiB, even for a hostile plan. A
//! [`super::Differ`] has two tables. The overlays in a plan by Terraform contain names, `true` and
//! `false`, but no values.
//!
//! **Trap.** While a list is lent, its slot contains the caller's previous list, which does not
//! belong to the slot's overlays. Only the caller's list is valid then. A caller that modifies a
//! lent list must call [`PathCache::disown`].

use super::overlay::may_mark;
use plansift_core::json::slot_hash::slot;
use plansift_core::path::Paths;

/// The bytes of up to two overlays of one change, which are the key of a cache entry.
pub(super) type Overlays<'a> = [Option<&'a [u8]>; 2];

/// The cache: the most recently computed list of each slot.
#[derive(Debug)]
pub(super) struct PathCache {
    /// [`SLOTS`] slots. They are on the heap, so that the owner of the cache is cheap to move.
    slots: Box<[Slot]>,
    /// The slot whose list is lent to the caller.
    lent: Option<usize>,
}

#[derive(Debug, Default)]
struct Slot {
    is_taken: bool,
    overlays: [Option<Vec<u8>>; 2],
    paths: Paths,
    marks: Vec<u64>,
}

const SLOTS: usize = 64;

/// Maximum number of bytes that a slot keeps of overlays, of paths, and of marks.
const SLOT_MAX: usize = 8 << 10;

impl Default for PathCache {
    fn default() -> Self {
        PathCache { slots: std::iter::repeat_with(Slot::default).take(SLOTS).collect(), lent: None }
    }
}

impl PathCache {
    /// Replaces the caller's lists with the lists for these overlays: the marked paths, and the
    /// offsets of the marks in the overlay. If the lists are not cached, empties both. The caller
    /// then fills them and calls [`PathCache::keep`].
    pub(super) fn look_up(
        &mut self,
        overlays: Overlays<'_>,
        paths: &mut Paths,
        marks: &mut Vec<u64>,
    ) -> CacheLookup {
        let is_trivial = !overlays.into_iter().flatten().any(may_mark);
        let slot = (!is_trivial).then(|| slot_of(overlays));
        let known = slot.filter(|&slot| self.slots[slot].is_of(overlays));
        if known.is_some() && self.lent == known {
            return CacheLookup::Whole;
        }
        if let Some(lent) = self.lent.take() {
            self.slots[lent].exchange(paths, marks);
        }
        if let Some(slot) = known {
            self.slots[slot].exchange(paths, marks);
            self.lent = known;
            return CacheLookup::Whole;
        }
        if paths.size() > SLOT_MAX as u64 {
            // Otherwise a slot would receive this large list at the next swap.
            (*paths, *marks) = Default::default();
        }
        paths.clear();
        marks.clear();
        if is_trivial { CacheLookup::Whole } else { CacheLookup::Empty }
    }

    /// Records that the caller modified the lent list, and removes the list's cache entry.
    pub(super) fn disown(&mut self) {
        if let Some(lent) = self.lent.take() {
            self.slots[lent].is_taken = false;
        }
    }

    /// Caches the lists that the caller computed from these overlays, unless they are too large.
    pub(super) fn keep(&mut self, overlays: Overlays<'_>, paths: &Paths, marks: &[u64]) {
        let size: usize = overlays.iter().flatten().map(|overlay| overlay.len()).sum();
        let lists_size = paths.size().max(size_of_val(marks) as u64);
        if size > SLOT_MAX || lists_size > SLOT_MAX as u64 {
            return;
        }
        let slot = slot_of(overlays);
        self.slots[slot].set(overlays);
        self.lent = Some(slot);
    }
}

/// The state of the caller's lists: complete, or empty so that the caller must fill them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CacheLookup {
    Whole,
    Empty,
}

impl Slot {
    fn is_of(&self, overlays: Overlays<'_>) -> bool {
        let mut both = self.overlays.iter().zip(overlays);
        self.is_taken && both.all(|(kept, given)| kept.as_deref() == given)
    }

    fn exchange(&mut self, paths: &mut Paths, marks: &mut Vec<u64>) {
        std::mem::swap(&mut self.paths, paths);
        std::mem::swap(&mut self.marks, marks);
    }

    fn set(&mut self, overlays: Overlays<'_>) {
        self.is_taken = true;
        for (kept, given) in self.overlays.iter_mut().zip(overlays) {
            match (kept, given) {
                (Some(kept), Some(given)) => {
                    kept.clear();
                    kept.extend_from_slice(given);
                }
                (kept, given) => *kept = given.map(<[u8]>::to_vec),
            }
        }
    }
}

/// Returns the index of the slot for these overlays.
fn slot_of(overlays: Overlays<'_>) -> usize {
    slot(overlays.into_iter().flatten(), SLOTS)
}
