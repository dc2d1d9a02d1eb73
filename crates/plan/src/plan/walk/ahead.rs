//! Worker threads that map pieces ahead of the walk.
//!
//! A consumer gives a [`PieceMap`], which adds the results for pieces to a [`PieceBatch`] on a
//! worker. It folds the batches on the walking thread, in document order ([`Lookahead::fold`]).
//!
//! A batch ends before a piece that the map leaves to the walk: the piece is unusual, or the batch
//! is full. The walk then maps that piece itself, so errors and limits have one code path.

use std::ops::Range;

use super::lookahead::{Boundary, LookaheadReader, ReadRange};
use crate::plan::range_queue::{HasRange, RANGE_LEN, RangeQueue};
use crate::plan::{Flow, Piece, Section, Visitor};
use plansift_core::error::Result;
use plansift_core::json::outline::Outline;
use plansift_core::pool::{Pool, Queue, Spawn, Worker, scaled_for_fuzzing};

/// Maximum length of a piece in bytes. The walk parses longer pieces itself.
const PIECE_MAX: u64 = scaled_for_fuzzing(256 << 10);

/// Maps pieces on a worker. Every thread has its own map, with its own scratch space.
pub trait PieceMap: Send {
    /// The results for the pieces of a range.
    type Batch: PieceBatch;

    /// Whether the map must examine every value ([`Visitor::examines_all`]).
    const EXAMINES_ALL: bool = true;

    /// The batch that the map adds to.
    fn batch(&mut self) -> &mut Self::Batch;

    /// Adds the results for a piece to the batch.
    ///
    /// # Errors
    ///
    /// Fails if the walk also fails at this piece. The piece is then left to the walk.
    fn map(&mut self, piece: &Piece<'_>) -> Result<MapOutcome>;

    /// Completes the batch for a range. `text` is the whole input.
    fn end(&mut self, range: &ReadRange, text: &[u8]) {
        let _ = (range, text);
    }

    /// Maps a range that an earlier pass indexed, without parsing all its pieces. `index` is the
    /// index of the range among the known ranges. Returns `None` if the index does not suffice.
    fn map_known(
        &mut self,
        reader: &LookaheadReader,
        index: usize,
        outline: &mut Outline,
    ) -> Option<ReadRange> {
        let _ = (reader, index, outline);
        None
    }
}

/// What a map did with a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapOutcome {
    /// The map added the results for the piece to the batch.
    Added,
    /// The map leaves the piece to the walk. The batch may contain a part of the results.
    Left,
}

/// The results for the pieces of a range, in document order.
pub trait PieceBatch: Default + Send {
    /// A position between the results for two pieces.
    type Position: Copy;

    /// The position after the last piece.
    fn position(&self) -> Self::Position;

    /// Removes the results after a position, which is the position after the last piece that was
    /// not left to the walk.
    fn truncate(&mut self, position: Self::Position);

    /// Removes all results and keeps the memory.
    fn clear(&mut self);
}

/// A job: a range to map, and its batch.
#[derive(Default)]
pub struct MapJob<B> {
    task: Option<Task>,
    read: Option<ReadRange>,
    batch: B,
}

/// The input of a job: a parser and the range to parse.
struct Task {
    reader: LookaheadReader,
    range: Range<u64>,
    /// The index of the range among those known from an earlier pass.
    known: Option<usize>,
}

impl<B> HasRange for MapJob<B> {
    fn read(&self) -> Option<Range<u64>> {
        self.read.as_ref().map(ReadRange::range)
    }
}

/// Runs the map of one thread.
struct Mapper<M> {
    map: M,
    /// Scratch space for pieces.
    outline: Outline,
}

impl<M: PieceMap> Worker for Mapper<M> {
    type Job = MapJob<M::Batch>;

    fn work(&mut self, job: &mut MapJob<M::Batch>) {
        let Some(Task { reader, range, known }) = job.task.take() else { return };
        let Mapper { map, outline } = self;
        std::mem::swap(map.batch(), &mut job.batch);
        let known = known.and_then(|index| map.map_known(&reader, index, outline));
        job.read = known.or_else(|| {
            map.batch().clear();
            let read = reader.read(range, outline, &mut MappingVisitor(map))?;
            map.end(&read, reader.text());
            Some(read)
        });
        std::mem::swap(map.batch(), &mut job.batch);
    }
}

/// Passes the pieces of a range to a map, up to the first piece that is left to the walk.
struct MappingVisitor<'w, M>(&'w mut M);

impl<M: PieceMap> Visitor for MappingVisitor<'_, M> {
    fn examines_all(&self) -> bool {
        M::EXAMINES_ALL
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let before = self.0.batch().position();
        if let Ok(MapOutcome::Added) = self.0.map(piece) {
            return Ok(Flow::Continue);
        }
        self.0.batch().truncate(before);
        Ok(Flow::Stop)
    }
}

/// The worker threads and their outstanding jobs.
pub struct Lookahead<'scope, M: PieceMap<Batch: 'scope>> {
    /// `None` if lookahead is off.
    pool: Option<Pool<'scope, Mapper<M>>>,
    /// The ranges known from an earlier pass, in document order. Without them, starts are guessed.
    known: &'scope [ReadRange],
    ahead: RangeQueue<MapJob<M::Batch>>,
    /// The section being walked, and the parser for it.
    section: Option<Section>,
    reader: Option<LookaheadReader>,
    spare: Vec<MapJob<M::Batch>>,
}

impl<'scope, M: PieceMap<Batch: 'scope> + 'scope> Lookahead<'scope, M> {
    /// Uses up to `threads` threads, including the calling thread. `None` turns lookahead off.
    pub fn new(
        scope: &'scope dyn Spawn<'scope>,
        queue: &'scope Queue<MapJob<M::Batch>>,
        threads: Option<usize>,
    ) -> Self {
        Lookahead {
            pool: threads.map(|threads| Pool::new(scope, queue, threads)),
            known: &[],
            ahead: RangeQueue::default(),
            section: None,
            reader: None,
            spare: Vec::new(),
        }
    }

    /// Reuses the ranges of an earlier pass, in the place of guessed starts.
    pub fn with_known(mut self, known: &'scope [ReadRange]) -> Self {
        self.known = known;
        self
    }

    /// Finds a range that a worker has mapped and that starts at this position.
    /// [`Lookahead::fold`] then passes its batch on. Also submits further jobs. `new_map` makes the
    /// map of each new thread.
    pub fn find(
        &mut self,
        boundary: &Boundary<'_>,
        mut new_map: impl FnMut() -> M,
    ) -> Option<ReadRange> {
        if self.section.replace(boundary.section) != Some(boundary.section) {
            self.cancel();
        }
        let Lookahead { pool, known, ahead, reader, spare, .. } = self;
        let pool = pool.as_mut()?;
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
            pool.submit(job, || Mapper { map: new_map(), outline: Outline::new() });
        }
        let fits =
            |job: &MapJob<M::Batch>| job.read.as_ref().is_some_and(|read| boundary.fits(read));
        ahead.find(offset, fits, || pool.recv(), |job| keep(spare, job))?;
        ahead.peek()?.read.clone()
    }

    /// Passes the batch that `find` found last to `fold`, with a parser that can read the pieces of
    /// the batch again.
    ///
    /// # Errors
    ///
    /// Fails if `fold` fails.
    pub fn fold(
        &mut self,
        fold: impl FnOnce(&mut M::Batch, &LookaheadReader) -> Result<()>,
    ) -> Result<()> {
        if let (Some(mut job), Some(reader)) = (self.ahead.take(), &self.reader) {
            fold(&mut job.batch, reader)?;
            keep(&mut self.spare, job);
        }
        Ok(())
    }

    /// Drops all outstanding jobs.
    pub fn cancel(&mut self) {
        let jobs = self.pool.iter_mut().flat_map(Pool::drain).chain(self.ahead.take());
        jobs.for_each(|job| keep(&mut self.spare, job));
        (self.reader, self.ahead) = (None, RangeQueue::default());
    }
}

/// Reserves the next range for a worker. Returns the range, and its index among the known ranges if
/// an earlier pass knows it.
fn send<B>(
    ahead: &mut RangeQueue<MapJob<B>>,
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

/// Keeps the memory of a job for reuse.
fn keep<B: PieceBatch>(spare: &mut Vec<MapJob<B>>, mut job: MapJob<B>) {
    (job.task, job.read) = (None, None);
    job.batch.clear();
    spare.push(job);
}
