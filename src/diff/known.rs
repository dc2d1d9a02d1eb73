//! Lists that were made of overlays before.
//!
//! The resources of one type mostly have the same overlays, and a plan has few types: so a list is
//! found by the bytes of its overlays, and most are made once. A list is not copied but lent to
//! whoever asks, until the next one is asked for.
//!
//! The table has a fixed number of slots, chosen by a few of the overlays' bytes; a list that falls
//! on a taken one replaces what was there. A slot takes at most 8 KiB of overlays, as much of paths
//! and half as much of marks: a table no more than some 1.5 MiB, however hostile the plan is, and
//! the two of a [`super::Differ`] twice that. Overlays of a plan that Terraform wrote hold names,
//! `true` and `false`, and no values.
//!
//! The trap: while a list is lent its slot holds what the borrower had before, which is no list of
//! these overlays. Only the slot that lent may take it for one. And who changes a borrowed list has
//! to say so ([`Known::disown`]).

use super::overlay::may_mark;
use crate::json::slot_hash::slot;
use crate::path::Paths;

/// The bytes of up to two overlays that lie on the same values.
pub(super) type Overlays<'a> = [Option<&'a [u8]>; 2];

/// The lists that were made last.
#[derive(Debug)]
pub(super) struct Known {
    /// [`SLOTS`], elsewhere: what has such a table is moved about.
    slots: Box<[Slot]>,
    /// The slot whose list is lent.
    lent: Option<usize>,
}

#[derive(Debug, Default)]
struct Slot {
    is_taken: bool,
    overlays: [Option<Vec<u8>>; 2],
    paths: Paths,
    marks: Vec<u64>,
    /// The number of paths, which are elsewhere while they are lent.
    count: usize,
}

const SLOTS: usize = 64;

/// Most that a slot keeps: of overlays, of paths, and of marks, in bytes.
const SLOT_MAX: usize = 8 << 10;

impl Default for Known {
    fn default() -> Self {
        Known { slots: std::iter::repeat_with(Slot::default).take(SLOTS).collect(), lent: None }
    }
}

impl Known {
    /// Changes the lists for those of the overlays: where something is marked, and where in the
    /// overlay's bytes that stands. Where the overlays are not known the lists are empty, to be
    /// filled and given to [`Known::keep`].
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
            // So much is not to stay with a slot later.
            (*paths, *marks) = Default::default();
        }
        paths.clear();
        marks.clear();
        if is_trivial { Recalled::Whole } else { Recalled::Empty }
    }

    /// Who borrows a list has changed it: it is not to be taken for that of its overlays.
    pub(super) fn disown(&mut self) {
        if let Some(lent) = self.lent.take() {
            self.slots[lent].is_taken = false;
        }
    }

    /// How many paths the list of these overlays has, if it is known.
    pub(super) fn count(&self, overlays: Overlays<'_>) -> Option<usize> {
        if !overlays.into_iter().flatten().any(may_mark) {
            return Some(0);
        }
        let slot = &self.slots[slot_of(overlays)];
        slot.is_of(overlays).then_some(slot.count)
    }

    /// The lists were filled from these overlays.
    pub(super) fn keep(&mut self, overlays: Overlays<'_>, paths: &Paths, marks: &[u64]) {
        let size: usize = overlays.iter().flatten().map(|overlay| overlay.len()).sum();
        let lists_size = paths.size().max(size_of_val(marks) as u64);
        if size > SLOT_MAX || lists_size > SLOT_MAX as u64 {
            return;
        }
        let slot = slot_of(overlays);
        self.slots[slot].set(overlays);
        self.slots[slot].count = paths.len();
        self.lent = Some(slot);
    }
}

/// Whether lists are those that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recalled {
    Whole,
    Empty,
}

impl Slot {
    fn is_of(&self, overlays: Overlays<'_>) -> bool {
        let mut both = self.overlays.iter().zip(overlays);
        self.is_taken && both.all(|(own, its)| own.as_deref() == its)
    }

    fn exchange(&mut self, paths: &mut Paths, marks: &mut Vec<u64>) {
        std::mem::swap(&mut self.paths, paths);
        std::mem::swap(&mut self.marks, marks);
    }

    fn set(&mut self, overlays: Overlays<'_>) {
        self.is_taken = true;
        for (own, its) in self.overlays.iter_mut().zip(overlays) {
            match (own, its) {
                (Some(own), Some(its)) => {
                    own.clear();
                    own.extend_from_slice(its);
                }
                (own, its) => *own = its.map(<[u8]>::to_vec),
            }
        }
    }
}

/// The slot of overlays.
fn slot_of(overlays: Overlays<'_>) -> usize {
    slot(overlays.into_iter().flatten(), SLOTS)
}
