//! What is passed over, by several threads at once.
//!
//! Half of a plan and more is of no interest: it is only held to its level of validation. Where the
//! text lies in memory as a whole, other threads do that from guessed places on ([`skim`]), a
//! stretch each; the reader passes over the little between them, and takes what they found where it
//! finds the guess right.

use std::ops::Range;
use std::thread::Scope;

use crate::crew::{Crew, Desk, Worker};
use crate::input::{Source, Whole};
use crate::json::skim::{Skimmed, skim};
use crate::scan::Isa;

/// Bytes of a value that are passed over before others help.
pub(super) const ALONE: u64 = 512 << 10;

/// Bytes that are passed over at a time. No string in them is longer than strings may be.
pub(super) const STRETCH: u64 = 512 << 10;

/// After so many stretches in a row of which nothing came, nobody helps any more.
const MISSED_MAX: u32 = 16;

/// A stretch for another thread, and what came of it.
pub(super) struct Stretch {
    whole: Whole,
    range: Range<usize>,
    skimmed: Option<Skimmed>,
}

/// Passes over stretches.
pub(super) struct Skimmer(Isa);

impl Worker for Skimmer {
    type Job = Stretch;

    fn work(&mut self, stretch: &mut Stretch) {
        let Stretch { whole, range, skimmed } = stretch;
        *skimmed = skim(whole.text(), range.clone(), self.0);
    }
}

/// Stretches of the text that others pass over.
pub(super) struct Skimming<'scope, 'env> {
    crew: Crew<'scope, 'env, Skimmer>,
    isa: Isa,
    /// The end of the last stretch that was given to somebody.
    end: u64,
    /// Stretches in a row of which nothing came.
    missed: u32,
}

impl<'scope, 'env> Skimming<'scope, 'env> {
    /// With so many threads, this one included.
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        desk: &'env Desk<Stretch>,
        threads: usize,
        isa: Isa,
    ) -> Self {
        Skimming { crew: Crew::new(scope, desk, threads), isa, end: 0, missed: 0 }
    }

    /// The next stretch at or behind an offset that was passed over; `None`: nobody helps.
    pub(super) fn next(&mut self, offset: u64, source: &dyn Source) -> Option<Skimmed> {
        if self.missed > MISSED_MAX {
            return None;
        }
        let whole = source.whole()?;
        loop {
            self.end = self.end.max(offset);
            let len = whole.text().len() as u64;
            while self.crew.has_room() && self.end < len {
                let range = self.end as usize..(self.end + STRETCH) as usize;
                self.end = range.end as u64;
                let isa = self.isa;
                let stretch = Stretch { whole: whole.clone(), range, skimmed: None };
                self.crew.give(stretch, || Skimmer(isa));
            }
            let skimmed = self.crew.wait()?.skimmed;
            self.missed += 1;
            match skimmed {
                Some(skimmed) if skimmed.start >= offset => return Some(skimmed),
                _ if self.missed > MISSED_MAX => return None,
                _ => {}
            }
        }
    }

    /// The stretch that was told last was what it was taken for.
    pub(super) fn hit(&mut self) {
        self.missed = 0;
    }

    /// Gives up what is on its way: the value has come to its end.
    pub(super) fn recall(&mut self) {
        self.crew.recall();
        self.end = 0;
    }
}
