//! Lookahead workers that build rows of resource changes ahead of the reading thread.
//!
//! For each change, a worker produces the facts for the summary and the row. A batch ends before a
//! change that is unusual: it causes an error, exceeds a limit, or has a row too large to wait in
//! memory. The reading thread then processes that change itself, so errors and limits have one code
//! path.

use super::assertions::{AssertionChecker, PartialResults};
use super::counts::Facts;
use super::options::{RecordOptions, Show};
use super::pending;
use super::row_builder::RowBuilder;
use super::view::{View, ViewPaths, ViewSubject, Viewer};
use super::{ChangePaths, Record, Renderer};
use crate::error::Result;
use crate::json::outline::Outline;
use crate::json::value::Text;
use crate::plan::lookahead::{LookaheadJob, LookaheadResult, Task};
use crate::plan::{Flow, Piece, PieceKind, ResourceChange, Section, Visitor};
use crate::pool::Worker;

/// Maximum memory for the paths of a row in a batch, in bytes.
const PATHS_MAX: u64 = 64 << 10;

/// Bytes of rendered rows after which a batch ends.
const TEXT_MAX: usize = 256 << 10;

/// Memory of unrendered rows after which a batch ends, in bytes.
const ROWS_MAX: u64 = 1 << 20;

/// Estimated memory of the strings of a row, without paths and attributes, in bytes.
const TEXTS: u64 = 256;

#[derive(Default)]
pub(super) struct RowBatch {
    /// The results, one for each change.
    pub built: Vec<BuiltRow>,
    /// The rendered rows, one after the other.
    pub text: Vec<u8>,
    /// The results of the assertions for these changes.
    pub results: PartialResults,
    /// Memory of `built`, in bytes.
    size: u64,
}

/// The result of a worker for one change.
pub(super) enum BuiltRow {
    /// The change has no row.
    Nothing(Facts),
    /// The row is rendered and ends at this offset of [`RowBatch::text`].
    Text(Facts, usize),
    /// The row is not rendered.
    Row(Facts, Box<Record<'static>>),
}

impl BuiltRow {
    /// Estimates the memory of the entry, in bytes.
    fn size(&self) -> u64 {
        let row = match self {
            BuiltRow::Row(_, row) => row.resource().map_or(0, |change| {
                let ChangePaths { changed, unknown, sensitive, .. } = &change.paths;
                let ChangePaths { sensitive_added, sensitive_removed, .. } = &change.paths;
                let paths = [changed, unknown, sensitive, sensitive_added, sensitive_removed];
                let paths: u64 = paths.iter().map(|paths| paths.size()).sum();
                size_of_val(row.as_ref()) as u64 + TEXTS + paths + change.attributes.size()
            }),
            _ => 0,
        };
        size_of::<BuiltRow>() as u64 + row
    }
}

impl LookaheadResult for RowBatch {
    fn clear(&mut self) {
        self.built.clear();
        self.text.clear();
        self.size = 0;
    }
}

/// A lookahead worker that builds rows.
pub(super) struct RowWorker<'v> {
    builder: RowBuilder,
    /// Builds the attributes of changes; `None` if rows have no attributes.
    viewer: Option<Viewer<'v>>,
    show: Show,
    /// Renders rows; `None` if the sink accepts only records.
    renderer: Option<Box<dyn Renderer>>,
    checker: Option<AssertionChecker<'v>>,
    /// Scratch space for changes.
    outline: Outline,
}

impl<'v> RowWorker<'v> {
    pub(super) fn new(
        mut options: RecordOptions,
        view: Option<View<'v>>,
        renderer: Option<Box<dyn Renderer>>,
        checker: Option<AssertionChecker<'v>>,
    ) -> Self {
        let limits = &mut options.read.limits;
        limits.paths = limits.paths.min(PATHS_MAX);
        let viewer = view.map(|view| Viewer::new(view, limits));
        let (builder, outline) = (RowBuilder::new(options), Outline::new());
        RowWorker { builder, viewer, show: options.show, renderer, checker, outline }
    }

    /// Builds the row of a change. Returns `None` if the reading thread must process the change.
    ///
    /// # Errors
    ///
    /// Fails if the change is malformed or exceeds a limit.
    fn make(
        &mut self,
        section: Section,
        change: &ResourceChange<'_>,
        reason: Option<Text<'_>>,
        text: &mut Vec<u8>,
    ) -> Result<Option<BuiltRow>> {
        let facts = self.builder.facts(section, change)?;
        if self.show.hides(&facts) {
            return Ok(Some(BuiltRow::Nothing(facts)));
        }
        let row = self.builder.row(&facts, change, reason, self.viewer.as_ref())?;
        if let Some(renderer) = &mut self.renderer {
            renderer.render(&row, text)?;
            return Ok(Some(BuiltRow::Text(facts, text.len())));
        }
        let Some(mut owned) = pending::owned(&row) else { return Ok(None) };
        if let (Some(viewer), Some(row)) = (&mut self.viewer, owned.resource_mut()) {
            let view_paths = ViewPaths::of(&row.paths);
            let subject = ViewSubject::Resource(section, change.address);
            row.attributes = viewer.view(subject, &change.change, view_paths)?;
        }
        Ok(Some(BuiltRow::Row(facts, Box::new(owned))))
    }
}

impl Worker for RowWorker<'_> {
    type Job = LookaheadJob<RowBatch>;

    fn work(&mut self, job: &mut LookaheadJob<RowBatch>) {
        let Some(Task { reader, range, .. }) = job.task() else { return };
        let mut outline = std::mem::take(&mut self.outline);
        if let Some(checker) = &self.checker {
            checker.prepare(&mut job.result.results);
        }
        let mut changes = Changes { worker: self, batch: &mut job.result };
        let read = reader.read(range, &mut outline, &mut changes);
        self.outline = outline;
        job.end(read);
    }
}

/// Builds the rows of the changes in one byte range.
struct Changes<'w, 'v> {
    worker: &'w mut RowWorker<'v>,
    batch: &'w mut RowBatch,
}

impl Visitor for Changes<'_, '_> {
    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let RowBatch { built, text, results, size } = &mut *self.batch;
        let is_full = text.len() >= TEXT_MAX || *size >= ROWS_MAX || results.size() >= ROWS_MAX;
        if piece.kind != PieceKind::ResourceChange || is_full {
            return Ok(Flow::Stop);
        }
        let (section, text_len) = (piece.section, text.len());
        let row = ResourceChange::parse(section, piece.value)
            .and_then(|change| self.worker.make(section, &change, None, text));
        // Without a row, the reading thread processes the change and checks its assertions.
        let checked = |row: Option<BuiltRow>| match (&row, &mut self.worker.checker) {
            (Some(_), Some(checker)) => checker.piece_into(piece, results).map(|()| row),
            _ => Ok(row),
        };
        match row.and_then(checked) {
            Ok(Some(row)) => {
                *size += row.size();
                built.push(row);
                Ok(Flow::Continue)
            }
            Ok(None) | Err(_) => {
                text.truncate(text_len);
                Ok(Flow::Stop)
            }
        }
    }
}
