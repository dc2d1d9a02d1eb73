//! Skips values with several threads.
//!
//! No consumer needs most of a plan, so most values are only validated. If the whole text is in
//! memory, workers validate ranges of it ahead of the reader ([`prescan`]). Each worker guesses an
//! offset to start from. The reader jumps over a range if the guess was right, and skips the bytes
//! between the ranges itself.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::PlanOptions;
use super::range_queue::{ALONE, MISSED_MAX};
use plansift_core::error::Result;
use plansift_core::input::{SharedText, Source};
use plansift_core::json::Validation;
use plansift_core::json::cursor::Cursor;
use plansift_core::json::prescan::{Prescanned, prescan};
use plansift_core::pool::{Pool, Queue, Spawn, Worker, scaled_for_fuzzing};
use plansift_core::scan::Isa;

/// Length of the range of a worker, in bytes. It is at most the limit on the length of a string, so
/// no string inside a range exceeds that limit.
const RANGE_LEN: u64 = scaled_for_fuzzing(512 << 10);

/// A job: a range to skip, and its result.
pub(super) struct SkipRange {
    whole: SharedText,
    range: Range<usize>,
    prescanned: Option<Prescanned>,
}

#[derive(Clone, Copy)]
pub(super) struct SkipWorker {
    isa: Isa,
    validation: Validation,
}

impl Worker for SkipWorker {
    type Job = SkipRange;

    fn work(&mut self, range: &mut SkipRange) {
        let SkipRange { whole, range, prescanned } = range;
        *prescanned = prescan(whole.text(), range.clone(), self.isa, self.validation);
    }
}

/// Results of the workers that skip ahead of the reader.
pub(super) struct ParallelSkip<'scope> {
    pool: Pool<'scope, SkipWorker>,
    worker: SkipWorker,
    /// End of the last range handed to a worker.
    end: u64,
    /// Failed ranges in a row.
    missed: u32,
}

/// Calls `read`, with workers if `options` allows several threads.
pub(super) fn with_others<T>(
    options: &PlanOptions,
    read: impl FnOnce(Option<&mut ParallelSkip<'_>>) -> T,
) -> T {
    let threads = options.threads.map_or(1, NonZeroUsize::get);
    // A worker does not check the length of strings inside its range.
    if threads == 1 || options.limits.string_skipped < RANGE_LEN {
        return read(None);
    }
    let queue = Queue::default();
    let worker = SkipWorker { isa: options.isa, validation: options.validation };
    std::thread::scope(|scope| read(Some(&mut ParallelSkip::new(scope, &queue, threads, worker))))
}

/// Skips the value at a cursor.
pub(super) fn skip<S: Source>(
    cursor: &mut Cursor<S>,
    others: Option<&mut ParallelSkip<'_>>,
) -> Result<()> {
    let Some(others) = others else { return cursor.skip() };
    let Some(mut skip) = cursor.begin_skip()? else { return Ok(()) };
    let mut ended = cursor.skip_some(&mut skip, ALONE)?;
    while !ended {
        let Some(prescanned) = others.next(cursor.offset(), cursor.source()) else {
            ended = cursor.skip_some(&mut skip, u64::MAX)?;
            continue;
        };
        ended = cursor.skip_to(&mut skip, prescanned.start)?;
        // A result after the end of the value is not a failed guess.
        if ended || cursor.jump_over(&mut skip, &prescanned) {
            others.missed = 0;
        }
    }
    // The value has ended: drops all outstanding results.
    others.pool.drain();
    others.end = 0;
    Ok(())
}

impl<'scope> ParallelSkip<'scope> {
    /// Uses up to `threads` threads, including the calling thread.
    fn new(
        scope: &'scope dyn Spawn<'scope>,
        queue: &'scope Queue<SkipRange>,
        threads: usize,
        worker: SkipWorker,
    ) -> Self {
        ParallelSkip { pool: Pool::new(scope, queue, threads), worker, end: 0, missed: 0 }
    }

    /// Returns the next result that starts at or after an offset; `None` if there are no more
    /// results.
    fn next(&mut self, offset: u64, source: &dyn Source) -> Option<Prescanned> {
        if self.missed > MISSED_MAX {
            return None;
        }
        let whole = source.shared_text()?;
        loop {
            self.end = self.end.max(offset);
            let len = whole.text().len() as u64;
            while self.pool.has_room() && self.end < len {
                let range = self.end as usize..(self.end + RANGE_LEN) as usize;
                self.end = range.end as u64;
                let worker = self.worker;
                let range = SkipRange { whole: whole.clone(), range, prescanned: None };
                self.pool.submit(range, || worker);
            }
            let prescanned = self.pool.recv()?.prescanned;
            self.missed += 1;
            match prescanned {
                Some(prescanned) if prescanned.start >= offset => return Some(prescanned),
                _ if self.missed > MISSED_MAX => return None,
                _ => {}
            }
        }
    }
}
