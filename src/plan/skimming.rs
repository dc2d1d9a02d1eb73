//! What is passed over, by several threads at once.
//!
//! Half of a plan and more is of no interest: it is only held to its level of validation. Where the
//! text lies in memory as a whole, other threads do that from guessed places on ([`skim`]), a
//! stretch each; the reader passes over the little between them, and takes what they found where it
//! finds the guess right.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::thread::Scope;

use super::Options;
use super::read_ahead::{ALONE, MISSED_MAX};
use crate::error::Result;
use crate::input::{SharedText, Source};
use crate::json::Validation;
use crate::json::cursor::Cursor;
use crate::json::prescan::{Prescanned, prescan};
use crate::pool::{Pool, Queue, Worker, scaled_for_fuzzing};
use crate::scan::Isa;

/// Bytes that are passed over at a time. No string in them is longer than strings may be.
const STRETCH: u64 = scaled_for_fuzzing(512 << 10);

/// A stretch for another thread, and what came of it.
pub(super) struct Stretch {
    whole: SharedText,
    range: Range<usize>,
    skimmed: Option<Prescanned>,
}

/// Passes over stretches.
#[derive(Clone, Copy)]
pub(super) struct Skimmer {
    isa: Isa,
    validation: Validation,
}

impl Worker for Skimmer {
    type Job = Stretch;

    fn work(&mut self, stretch: &mut Stretch) {
        let Stretch { whole, range, skimmed } = stretch;
        *skimmed = prescan(whole.text(), range.clone(), self.isa, self.validation);
    }
}

/// Stretches of the text that others pass over.
pub(super) struct Skimming<'scope, 'env> {
    crew: Pool<'scope, 'env, Skimmer>,
    skimmer: Skimmer,
    /// The end of the last stretch that was given to somebody.
    end: u64,
    /// Stretches in a row of which nothing came.
    missed: u32,
}

/// Reads something with the help of others, where there are any.
pub(super) fn with_others<T>(
    options: &Options,
    read: impl FnOnce(Option<&mut Skimming<'_, '_>>) -> T,
) -> T {
    let threads = options.threads.map_or(1, NonZeroUsize::get);
    // Strings are not held to their limit in a stretch.
    if threads == 1 || options.limits.string_skipped < STRETCH {
        return read(None);
    }
    let desk = Queue::new();
    let skimmer = Skimmer { isa: options.isa, validation: options.validation };
    std::thread::scope(|scope| read(Some(&mut Skimming::new(scope, &desk, threads, skimmer))))
}

/// Passes over the value that stands at a cursor.
///
/// # Errors
///
/// As [`Cursor::skip`].
pub(super) fn skip<S: Source>(
    cursor: &mut Cursor<S>,
    others: Option<&mut Skimming<'_, '_>>,
) -> Result<()> {
    let Some(skimming) = others else { return cursor.skip() };
    let Some(mut skip) = cursor.begin_skip()? else { return Ok(()) };
    let mut ended = cursor.skip_some(&mut skip, ALONE)?;
    while !ended {
        let Some(skimmed) = skimming.next(cursor.offset(), cursor.source()) else {
            ended = cursor.skip_some(&mut skip, u64::MAX)?;
            continue;
        };
        ended = cursor.skip_to(&mut skip, skimmed.start)?;
        // One behind the end of the value is no miss.
        if ended || cursor.jump_over(&mut skip, &skimmed) {
            skimming.hit();
        }
    }
    skimming.recall();
    Ok(())
}

impl<'scope, 'env> Skimming<'scope, 'env> {
    /// With so many threads, this one included.
    fn new(
        scope: &'scope Scope<'scope, 'env>,
        desk: &'env Queue<Stretch>,
        threads: usize,
        skimmer: Skimmer,
    ) -> Self {
        Skimming { crew: Pool::new(scope, desk, threads), skimmer, end: 0, missed: 0 }
    }

    /// The next stretch at or behind an offset that was passed over; `None`: nobody helps.
    fn next(&mut self, offset: u64, source: &dyn Source) -> Option<Prescanned> {
        if self.missed > MISSED_MAX {
            return None;
        }
        let whole = source.shared_text()?;
        loop {
            self.end = self.end.max(offset);
            let len = whole.text().len() as u64;
            while self.crew.has_room() && self.end < len {
                let range = self.end as usize..(self.end + STRETCH) as usize;
                self.end = range.end as u64;
                let skimmer = self.skimmer;
                let stretch = Stretch { whole: whole.clone(), range, skimmed: None };
                self.crew.submit(stretch, || skimmer);
            }
            let skimmed = self.crew.recv()?.skimmed;
            self.missed += 1;
            match skimmed {
                Some(skimmed) if skimmed.start >= offset => return Some(skimmed),
                _ if self.missed > MISSED_MAX => return None,
                _ => {}
            }
        }
    }

    /// The stretch that was told last was what it was taken for.
    fn hit(&mut self) {
        self.missed = 0;
    }

    /// Gives up what is on its way: the value has come to its end.
    fn recall(&mut self) {
        self.crew.drain();
        self.end = 0;
    }
}
