//! Worker threads that parse pieces ahead of the walk.

use std::ops::Range;
use std::thread::Scope;

use super::ahead::{PieceFrontier, PieceScout, PieceStretch};
use crate::plan::read_ahead::{ReadAhead, STRETCH, Sent};
use crate::pool::{Pool, Queue, Worker, scaled_for_fuzzing};

/// Longer pieces, in bytes, are left to the walk.
const PIECE_MAX: u64 = scaled_for_fuzzing(256 << 10);

/// What a worker needs to parse a stretch.
pub(crate) struct Task {
    pub scout: PieceScout,
    pub range: Range<u64>,
    /// Index of the stretch among those known from an earlier pass.
    pub known: Option<usize>,
}

/// A job: a stretch to parse, and its result.
#[derive(Default)]
pub(crate) struct PieceJob<F> {
    task: Option<Task>,
    read: Option<PieceStretch>,
    /// What the worker computed from the pieces.
    pub found: F,
}

/// What a worker computes from the pieces of a stretch.
pub(crate) trait Found: Default + Send {
    /// Removes all content and keeps the memory.
    fn clear(&mut self);
}

impl<F: Found> PieceJob<F> {
    /// Takes the task out of the job.
    pub(crate) fn task(&mut self) -> Option<Task> {
        self.task.take()
    }

    /// Stores the stretch that was parsed.
    pub(crate) fn end(&mut self, read: Option<PieceStretch>) {
        self.read = read;
    }

    fn clear(&mut self) {
        (self.task, self.read) = (None, None);
        self.found.clear();
    }
}

impl<F> Sent for PieceJob<F> {
    fn read(&self) -> Option<Range<u64>> {
        self.read.as_ref().map(PieceStretch::range)
    }
}

/// The worker threads and their outstanding jobs.
pub(crate) struct PieceCrew<'scope, 'env, W: Worker<Job = PieceJob<F>>, F: 'env> {
    crew: Pool<'scope, 'env, W>,
    /// The stretches known from an earlier pass, in document order. All other starts are guessed.
    known: &'scope [PieceStretch],
    ahead: ReadAhead<PieceJob<F>>,
    /// The parser for the section being walked.
    scout: Option<PieceScout>,
    spare: Vec<PieceJob<F>>,
}

impl<'scope, 'env, W, F> PieceCrew<'scope, 'env, W, F>
where
    W: Worker<Job = PieceJob<F>> + Send + 'scope,
    F: Found,
{
    /// Uses up to `threads` threads, the calling thread included.
    pub(crate) fn new(
        scope: &'scope Scope<'scope, 'env>,
        desk: &'env Queue<PieceJob<F>>,
        threads: usize,
    ) -> Self {
        let crew = Pool::new(scope, desk, threads);
        let (known, ahead, scout, spare) = (&[], ReadAhead::default(), None, Vec::new());
        PieceCrew { crew, known, ahead, scout, spare }
    }

    /// Reuses the stretches of an earlier pass instead of guessing.
    pub(crate) fn with_known(mut self, known: &'scope [PieceStretch]) -> Self {
        self.known = known;
        self
    }

    /// Returns the stretch that was parsed from this position on, if there is one;
    /// [`PieceCrew::take`] then returns its job. Hands out further jobs; `new_worker` makes the
    /// worker of a thread that starts.
    pub(crate) fn find(
        &mut self,
        frontier: &PieceFrontier<'_>,
        mut new_worker: impl FnMut() -> W,
    ) -> Option<PieceStretch> {
        let PieceCrew { crew, known, ahead, scout, spare } = self;
        let offset = frontier.offset();
        if !ahead.is_worth_it(offset) || ahead.is_lost() {
            return None;
        }
        if scout.is_none() {
            *scout = frontier.scout().map(|scout| scout.with_change_max(PIECE_MAX));
        }
        let scout = scout.as_ref()?;
        let text_len = scout.text().len() as u64;
        while crew.has_room()
            && let Some((range, known)) = send(ahead, known, frontier, text_len)
        {
            let mut job = spare.pop().unwrap_or_default();
            job.task = Some(Task { scout: scout.clone(), range, known });
            crew.submit(job, &mut new_worker);
        }
        let fits = |job: &PieceJob<F>| job.read.as_ref().is_some_and(|read| frontier.fits(read));
        ahead.find(offset, fits, || crew.recv(), |job| keep(spare, job))?;
        ahead.peek()?.read.clone()
    }

    /// Takes the job that `find` found last, with a parser that can read its pieces again.
    pub(crate) fn take(&mut self) -> Option<(PieceJob<F>, &PieceScout)> {
        Some((self.ahead.take()?, self.scout.as_ref()?))
    }

    /// Returns the memory of a job for reuse.
    pub(crate) fn keep(&mut self, job: PieceJob<F>) {
        keep(&mut self.spare, job);
    }

    /// Drops all outstanding jobs: the section has ended.
    pub(crate) fn recall(&mut self) {
        let jobs = self.crew.drain().into_iter().chain(self.ahead.take());
        jobs.for_each(|job| keep(&mut self.spare, job));
        (self.scout, self.ahead) = (None, ReadAhead::default());
    }
}

/// Reserves the next range for a worker, and the index of its known stretch if it has one.
fn send<F>(
    ahead: &mut ReadAhead<PieceJob<F>>,
    known: &[PieceStretch],
    frontier: &PieceFrontier<'_>,
    text_len: u64,
) -> Option<(Range<u64>, Option<usize>)> {
    let from = ahead.from(frontier.offset());
    let next = known.partition_point(|stretch| stretch.range().start < from);
    if let Some(stretch) = known.get(next) {
        let range = stretch.range();
        let is_next = stretch.section() == frontier.section && range.start - from < STRETCH;
        // The text may have changed and become shorter since the earlier pass.
        let is_there = range.end <= text_len;
        if is_next && is_there {
            return Some((ahead.send_to(range), Some(next)));
        }
    }
    ahead.send(from, text_len).map(|range| (range, None))
}

fn keep<F: Found>(spare: &mut Vec<PieceJob<F>>, mut job: PieceJob<F>) {
    job.clear();
    spare.push(job);
}
