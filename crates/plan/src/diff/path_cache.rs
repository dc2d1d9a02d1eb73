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

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::path::Step;

    /// A cache, and the lists of its caller.
    #[derive(Default)]
    struct Caller {
        cache: PathCache,
        paths: Paths,
        marks: Vec<u64>,
    }

    impl Caller {
        /// Asks for the lists of an overlay, and makes them if the cache lacks them. Returns
        /// whether the cache had them.
        fn ask(&mut self, overlay: &[u8], key: &str, marks: &[u64]) -> bool {
            let overlays = [Some(overlay), None];
            let found = self.cache.look_up(overlays, &mut self.paths, &mut self.marks);
            if found == CacheLookup::Empty {
                assert!(self.paths.is_empty() && self.marks.is_empty());
                self.paths.push([Step::Key(key)]);
                self.marks.extend_from_slice(marks);
                self.cache.keep(overlays, &self.paths, &self.marks);
            }
            let mut expected = Paths::new();
            expected.push([Step::Key(key)]);
            assert!(self.paths.iter().eq(expected.iter()), "{key}");
            assert_eq!(self.marks, marks, "{key}");
            found == CacheLookup::Whole
        }
    }

    #[test]
    fn lists_are_computed_once() {
        let mut caller = Caller::default();
        let overlays = ["one", "two", "three"].map(|key| (format!(r#"{{"{key}":true}}"#), key));
        for is_known in [false, true, true] {
            for (overlay, key) in &overlays {
                let asked = [(); 2].map(|()| caller.ask(overlay.as_bytes(), key, &[7]));
                assert_eq!(asked, [is_known, true], "{key}");
            }
        }
        // A list that the caller has modified is computed again.
        caller.cache.disown();
        caller.paths.push([Step::Index(1)]);
        assert!(!caller.ask(overlays[2].0.as_bytes(), "three", &[7]));
        assert!(caller.ask(overlays[0].0.as_bytes(), "one", &[7]));
    }

    #[test]
    fn an_overlay_without_marks_has_empty_lists() {
        let mut caller = Caller::default();
        assert!(!caller.ask(br#"{"a":true}"#, "a", &[5]));
        for overlay in [&b"{}"[..], b"[]", b"false"] {
            let overlays = [Some(overlay), None];
            let found = caller.cache.look_up(overlays, &mut caller.paths, &mut caller.marks);
            assert_eq!(found, CacheLookup::Whole);
            assert!(caller.paths.is_empty() && caller.marks.is_empty());
        }
        assert!(may_mark(b"true") && may_mark(br#"{"a":false}"#));
        assert!(caller.ask(br#"{"a":true}"#, "a", &[5]));
    }

    #[test]
    fn large_lists_are_not_kept() {
        // The size of a path without its key.
        let mut path = Paths::new();
        path.push([Step::Key("")]);
        let key = |size: usize| "k".repeat(size - path.size() as usize);
        let overlay = |len: usize| format!(r#"{{"{}":true}}"#, "o".repeat(len - 9)).into_bytes();
        for (overlay, key, marks, is_kept) in [
            (overlay(SLOT_MAX), key(SLOT_MAX), vec![1; SLOT_MAX / 8], true),
            (overlay(SLOT_MAX + 1), key(100), vec![], false),
            (overlay(100), key(SLOT_MAX + 1), vec![], false),
            (overlay(100), key(100), vec![1; SLOT_MAX / 8 + 1], false),
            (overlay(3 * SLOT_MAX), key(3 * SLOT_MAX), vec![], false),
        ] {
            let mut caller = Caller::default();
            assert!(!caller.ask(&overlay, &key, &marks));
            assert_eq!(caller.ask(&overlay, &key, &marks), is_kept, "{}", overlay.len());
        }
    }
}
