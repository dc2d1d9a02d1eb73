//! A cache of path lists, keyed by the bytes of the overlays they come from.
//!
//! The resources of one type mostly have equal overlays, and a plan has few types, so most lists
//! are computed once. A cached list is not copied: the cache swaps it into the caller's list, and
//! swaps it back at the next request.
//!
//! The table has a fixed number of slots, and a few bytes of the overlays choose the slot. A list
//! for an occupied slot replaces the old one. A slot keeps at most 8 KiB each of overlays, paths
//! and marks. A table thus takes at most about 1.5 MiB, and the two tables of a [`super::Differ`]
//! twice that, however hostile the plan is. The overlays in a plan by Terraform consist of names,
//! `true` and `false`, and hold no values.
//!
//! The trap: while a list is lent, its slot holds the caller's previous list, which does not belong
//! to the slot's overlays. Only the caller's list is valid then. A caller that modifies a lent list
//! must call [`Known::disown`].

use super::overlay::may_mark;
use crate::json::slot_hash::slot;
use crate::path::Paths;

/// The bytes of up to two overlays on the same value.
pub(super) type Overlays<'a> = [Option<&'a [u8]>; 2];

/// The most recently computed lists.
#[derive(Debug)]
pub(super) struct Known {
    /// [`SLOTS`] slots on the heap, so that the owner of the table stays cheap to move.
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

impl Default for Known {
    fn default() -> Self {
        Known { slots: std::iter::repeat_with(Slot::default).take(SLOTS).collect(), lent: None }
    }
}

impl Known {
    /// Replaces the caller's lists with the lists of these overlays: the marked paths, and the
    /// offsets of the marks in the overlay. If the lists are not cached, both are empty; the caller
    /// fills them and calls [`Known::keep`].
    pub(super) fn recall(
        &mut self,
        overlays: Overlays<'_>,
        paths: &mut Paths,
        marks: &mut Vec<u64>,
    ) -> Recalled {
        let is_trivial = !overlays.into_iter().flatten().any(may_mark);
        let slot = (!is_trivial).then(|| slot_of(overlays));
        let known = slot.filter(|&slot| self.slots[slot].is_of(overlays));
        if known.is_some() && self.lent == known {
            return Recalled::Whole;
        }
        if let Some(lent) = self.lent.take() {
            self.slots[lent].exchange(paths, marks);
        }
        if let Some(slot) = known {
            self.slots[slot].exchange(paths, marks);
            self.lent = known;
            return Recalled::Whole;
        }
        if paths.size() > SLOT_MAX as u64 {
            // A slot must not receive so large a list at the next swap.
            (*paths, *marks) = Default::default();
        }
        paths.clear();
        marks.clear();
        if is_trivial { Recalled::Whole } else { Recalled::Empty }
    }

    /// Records that the caller modified the lent list, which no longer matches its overlays.
    pub(super) fn disown(&mut self) {
        if let Some(lent) = self.lent.take() {
            self.slots[lent].is_taken = false;
        }
    }

    /// Caches the lists that the caller computed from these overlays.
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

/// Whether the caller's lists are complete, or empty and to be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recalled {
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

/// The slot for these overlays.
fn slot_of(overlays: Overlays<'_>) -> usize {
    slot(overlays.into_iter().flatten(), SLOTS)
}
