//! Worker threads that parse pieces ahead of the walk.

use std::ops::Range;

use super::lookahead::{Boundary, LookaheadReader, ReadRange};
use crate::plan::range_queue::{HasRange, RANGE_LEN, RangeQueue};
use crate::pool::{Pool, Queue, Spawn, Worker, scaled_for_fuzzing};

/// Maximum length of a piece in bytes. The walk parses longer pieces itself.
const PIECE_MAX: u64 = scaled_for_fuzzing(256 << 10);

/// The input of a job: a parser and the range to parse.
pub(crate) struct Task {
    pub reader: LookaheadReader,
    pub range: Range<u64>,
    /// The index of the range among those known from an earlier pass.
    pub known: Option<usize>,
}

/// A job: a range to parse, and its result.
#[derive(Default)]
pub(crate) struct LookaheadJob<F> {
    task: Option<Task>,
    read: Option<ReadRange>,
    /// The result that the worker computed from the pieces.
    pub result: F,
}

/// The result that a worker computes from the pieces of a range.
pub(crate) trait LookaheadResult: Default + Send {
    /// Removes all content and keeps the memory.
    fn clear(&mut self);
}

impl<F: LookaheadResult> LookaheadJob<F> {
    pub(crate) fn task(&mut self) -> Option<Task> {
        self.task.take()
    }

    /// Stores the range that the worker parsed.
    pub(crate) fn end(&mut self, read: Option<ReadRange>) {
        self.read = read;
    }

    fn clear(&mut self) {
        (self.task, self.read) = (None, None);
        self.result.clear();
    }
}

impl<F> HasRange for LookaheadJob<F> {
    fn read(&self) -> Option<Range<u64>> {
        self.read.as_ref().map(ReadRange::range)
    }
}

/// The worker threads and their outstanding jobs.
pub(crate) struct Lookahead<'scope, W: Worker<Job = LookaheadJob<F>>, F: 'scope> {
    pool: Pool<'scope, W>,
    /// The ranges known from an earlier pass, in document order. Without them, starts are guessed.
    known: &'scope [ReadRange],
    ahead: RangeQueue<LookaheadJob<F>>,
    /// The parser for the section being walked.
    reader: Option<LookaheadReader>,
    spare: Vec<LookaheadJob<F>>,
}

impl<'scope, W, F> Lookahead<'scope, W, F>
where
    W: Worker<Job = LookaheadJob<F>> + Send + 'scope,
    F: LookaheadResult,
{
    /// Uses up to `threads` threads, including the calling thread.
    pub(crate) fn new(
        scope: &'scope dyn Spawn<'scope>,
        queue: &'scope Queue<LookaheadJob<F>>,
        threads: usize,
    ) -> Self {
        let pool = Pool::new(scope, queue, threads);
        let (known, ahead, reader, spare) = (&[], RangeQueue::default(), None, Vec::new());
        Lookahead { pool, known, ahead, reader, spare }
    }

    /// Reuses the ranges of an earlier pass, in the place of guessed starts.
    pub(crate) fn with_known(mut self, known: &'scope [ReadRange]) -> Self {
        self.known = known;
        self
    }

    /// Finds a range that a worker has parsed and that starts at this position. [`Lookahead::take`]
    /// then returns its job. Also submits further jobs. `new_worker` makes the worker of each new
    /// thread.
    pub(crate) fn find(
        &mut self,
        boundary: &Boundary<'_>,
        mut new_worker: impl FnMut() -> W,
    ) -> Option<ReadRange> {
        let Lookahead { pool, known, ahead, reader, spare } = self;
        let offset = boundary.offset();
        if !ahead.is_worth_it(offset) || ahead.is_lost() {
            return None;
        }
        if reader.is_none() {
            *reader = boundary.reader().map(|reader| reader.with_change_max(PIECE_MAX));
        }
        let reader = reader.as_ref()?;
        let text_len = reader.text().len() as u64;
        while pool.has_room()
            && let Some((range, known)) = send(ahead, known, boundary, text_len)
        {
            let mut job = spare.pop().unwrap_or_default();
            job.task = Some(Task { reader: reader.clone(), range, known });
            pool.submit(job, &mut new_worker);
        }
        let fits =
            |job: &LookaheadJob<F>| job.read.as_ref().is_some_and(|read| boundary.fits(read));
        ahead.find(offset, fits, || pool.recv(), |job| keep(spare, job))?;
        ahead.peek()?.read.clone()
    }

    /// Takes the job that `find` found last. Also returns a parser that can read the pieces of the
    /// job again.
    pub(crate) fn take(&mut self) -> Option<(LookaheadJob<F>, &LookaheadReader)> {
        Some((self.ahead.take()?, self.reader.as_ref()?))
    }

    /// Returns the memory of a job for reuse.
    pub(crate) fn keep(&mut self, job: LookaheadJob<F>) {
        keep(&mut self.spare, job);
    }

    /// Drops all outstanding jobs, because the section has ended.
    pub(crate) fn recall(&mut self) {
        let jobs = self.pool.drain().into_iter().chain(self.ahead.take());
        jobs.for_each(|job| keep(&mut self.spare, job));
        (self.reader, self.ahead) = (None, RangeQueue::default());
    }
}

/// Reserves the next range for a worker. Returns the range, and its index among the known ranges if
/// an earlier pass knows it.
fn send<F>(
    ahead: &mut RangeQueue<LookaheadJob<F>>,
    known: &[ReadRange],
    boundary: &Boundary<'_>,
    text_len: u64,
) -> Option<(Range<u64>, Option<usize>)> {
    let from = ahead.from(boundary.offset());
    let next = known.partition_point(|range| range.range().start < from);
    if let Some(found) = known.get(next) {
        let range = found.range();
        let is_next = found.section() == boundary.section && range.start - from < RANGE_LEN;
        // The text may have changed and become shorter since the earlier pass.
        let is_there = range.end <= text_len;
        if is_next && is_there {
            return Some((ahead.send_to(range), Some(next)));
        }
    }
    ahead.send(from, text_len).map(|range| (range, None))
}

fn keep<F: LookaheadResult>(spare: &mut Vec<LookaheadJob<F>>, mut job: LookaheadJob<F>) {
    job.clear();
    spare.push(job);
}
