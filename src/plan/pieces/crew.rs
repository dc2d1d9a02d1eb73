//! A crew that reads pieces ahead of the walk.

use std::ops::Range;
use std::thread::Scope;

use super::ahead::{PieceFrontier, PieceScout, PieceStretch};
use crate::plan::read_ahead::{ReadAhead, STRETCH, Sent};
use crate::pool::{Pool, Queue, Worker, scaled_for_fuzzing};

/// A longer piece, in bytes, is left to the walk.
const PIECE_MAX: u64 = scaled_for_fuzzing(256 << 10);

/// Who reads a stretch, and where it begins and ends.
pub(crate) struct Task {
    pub scout: PieceScout,
    pub range: Range<u64>,
    /// Which of the stretches it is that are known from an earlier reading.
    pub known: Option<usize>,
}

/// A stretch, and what came of it.
#[derive(Default)]
pub(crate) struct PieceJob<F> {
    task: Option<Task>,
    read: Option<PieceStretch>,
    /// What was made of it.
    pub found: F,
}

/// What is made of a stretch.
pub(crate) trait Found: Default + Send {
    /// Forgets everything and keeps the memory.
    fn clear(&mut self);
}

impl<F: Found> PieceJob<F> {
    /// What is to be done, once.
    pub(crate) fn task(&mut self) -> Option<Task> {
        self.task.take()
    }

    /// It was read so far.
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

/// The crew, and what it was sent for.
pub(crate) struct PieceCrew<'scope, 'env, W: Worker<Job = PieceJob<F>>, F: 'env> {
    crew: Pool<'scope, 'env, W>,
    hire: Box<dyn Fn() -> W + 'scope>,
    /// Stretches that are known from an earlier reading, in order. Others are guessed.
    known: &'scope [PieceStretch],
    ahead: ReadAhead<PieceJob<F>>,
    /// Who reads in the section that is walked.
    scout: Option<PieceScout>,
    spare: Vec<PieceJob<F>>,
}

impl<'scope, 'env, W, F> PieceCrew<'scope, 'env, W, F>
where
    W: Worker<Job = PieceJob<F>> + Send + 'scope,
    F: Found,
{
    /// With so many threads, this one included, each with what `hire` makes.
    pub(crate) fn new(
        scope: &'scope Scope<'scope, 'env>,
        desk: &'env Queue<PieceJob<F>>,
        threads: usize,
        hire: impl Fn() -> W + 'scope,
    ) -> Self {
        let crew = Pool::new(scope, desk, threads);
        let (known, ahead, scout, spare) = (&[], ReadAhead::default(), None, Vec::new());
        PieceCrew { crew, hire: Box::new(hire), known, ahead, scout, spare }
    }

    /// The same, to be sent to stretches that are known from an earlier reading.
    pub(crate) fn with_known(mut self, known: &'scope [PieceStretch]) -> Self {
        self.known = known;
        self
    }

    /// What was read from here on, if anything was ([`PieceCrew::take`]). Sends others to read on.
    pub(crate) fn find(&mut self, frontier: &PieceFrontier<'_>) -> Option<PieceStretch> {
        let PieceCrew { crew, hire, known, ahead, scout, spare } = self;
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
            crew.submit(job, &*hire);
        }
        let fits = |job: &PieceJob<F>| job.read.as_ref().is_some_and(|read| frontier.fits(read));
        ahead.find(offset, fits, || crew.recv(), |job| keep(spare, job))?;
        ahead.peek()?.read.clone()
    }

    /// What was found last, and who can read it again.
    pub(crate) fn take(&mut self) -> Option<(PieceJob<F>, &PieceScout)> {
        Some((self.ahead.take()?, self.scout.as_ref()?))
    }

    /// Takes back the memory of what was found.
    pub(crate) fn keep(&mut self, job: PieceJob<F>) {
        keep(&mut self.spare, job);
    }

    /// The section has come to its end: gives up what lies ahead.
    pub(crate) fn recall(&mut self) {
        let jobs = self.crew.drain().into_iter().chain(self.ahead.take());
        jobs.for_each(|job| keep(&mut self.spare, job));
        (self.scout, self.ahead) = (None, ReadAhead::default());
    }
}

/// The next stretch to send somebody to, and which of the known ones it is.
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
        // The text may be another one now, and shorter.
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
