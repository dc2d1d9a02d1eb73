//! Skips values with several threads.
//!
//! Most of a plan is of no interest and is only validated. If the text lies in memory as a whole,
//! other threads validate ranges of it from guessed offsets on ([`prescan`]). The reader skips the
//! gaps between their results, and uses a result if its guess turns out right.

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

/// Length of the range that a thread skips, in bytes. It is at most the limit on a string, so no
/// string inside a range exceeds that limit.
const STRETCH: u64 = scaled_for_fuzzing(512 << 10);

/// A job: a range to skip, and its result.
pub(super) struct Stretch {
    whole: SharedText,
    range: Range<usize>,
    skimmed: Option<Prescanned>,
}

/// Skips ranges.
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

/// Results of the threads that skip ahead of the reader.
pub(super) struct Skimming<'scope, 'env> {
    crew: Pool<'scope, 'env, Skimmer>,
    skimmer: Skimmer,
    /// End of the last range handed to a thread.
    end: u64,
    /// Failed ranges in a row.
    missed: u32,
}

/// Calls `read` with the help of other threads, if `options` allows any.
pub(super) fn with_others<T>(
    options: &Options,
    read: impl FnOnce(Option<&mut Skimming<'_, '_>>) -> T,
) -> T {
    let threads = options.threads.map_or(1, NonZeroUsize::get);
    // A thread does not check the limit on a string inside its range.
    if threads == 1 || options.limits.string_skipped < STRETCH {
        return read(None);
    }
    let desk = Queue::new();
    let skimmer = Skimmer { isa: options.isa, validation: options.validation };
    std::thread::scope(|scope| read(Some(&mut Skimming::new(scope, &desk, threads, skimmer))))
}

/// Skips the value at a cursor.
///
/// # Errors
///
/// The errors of [`Cursor::skip`].
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
        // A result after the end of the value is not a failed guess.
        if ended || cursor.jump_over(&mut skip, &skimmed) {
            skimming.hit();
        }
    }
    skimming.recall();
    Ok(())
}

impl<'scope, 'env> Skimming<'scope, 'env> {
    /// Uses up to `threads` threads, the calling thread included.
    fn new(
        scope: &'scope Scope<'scope, 'env>,
        desk: &'env Queue<Stretch>,
        threads: usize,
        skimmer: Skimmer,
    ) -> Self {
        Skimming { crew: Pool::new(scope, desk, threads), skimmer, end: 0, missed: 0 }
    }

    /// The next result that starts at or after an offset; `None` if there will be no more.
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

    /// Records that the guess of the last result was right.
    fn hit(&mut self) {
        self.missed = 0;
    }

    /// Drops all outstanding results: the value has ended.
    fn recall(&mut self) {
        self.crew.drain();
        self.end = 0;
    }
}
