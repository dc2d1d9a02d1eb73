//! Lookahead workers that build rows of resource changes ahead of the reading thread.
//!
//! For each change, a worker produces the facts for the summary and the row. A batch ends before a
//! change that is unusual: it causes an error, exceeds a limit, or has a row too large to wait in
//! memory. The reading thread then processes that change itself, so errors and limits have one code
//! path.

use super::checker::PieceChecker;
use super::counts::Facts;
use super::options::RecordOptions;
use super::pending::owned;
use super::record_writer::RecordWriter;
use super::row_builder::RowBuilder;
use super::viewer::{View, Viewer};
use super::{ChangePaths, Record, Renderer};
use crate::plan::lookahead::{MapOutcome, PieceBatch, PieceMap};
use crate::plan::{Piece, PieceKind, ResourceChange, Section};
use plansift_core::error::Result;

/// Maximum memory for the paths of a row in a batch, in bytes.
const PATHS_MAX: u64 = 64 << 10;

/// Bytes of rendered rows after which a batch ends.
const TEXT_MAX: usize = 256 << 10;

/// Memory of unrendered rows after which a batch ends, in bytes.
const ROWS_MAX: u64 = 1 << 20;

/// Estimated memory of the strings of a row, without paths and attributes, in bytes.
const TEXTS: u64 = 256;

/// The rows of the changes in a range.
pub(super) struct RowBatch<C> {
    /// The results, one for each change.
    built: Vec<BuiltRow>,
    /// The rendered rows, one after the other.
    text: Vec<u8>,
    /// The checker of these changes; `None` before the first change, and for a plan without a
    /// check.
    checker: Option<C>,
    /// Memory of `built`, in bytes.
    size: u64,
}

/// The result of a worker for one change.
enum BuiltRow {
    /// The checker skips the change.
    Skipped,
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
                let documents = change.documents.as_ref().map_or(0, |it| it.size());
                let attributes = change.attributes.size();
                size_of_val(row.as_ref()) as u64 + TEXTS + paths + documents + attributes
            }),
            _ => 0,
        };
        size_of::<BuiltRow>() as u64 + row
    }
}

impl<C> Default for RowBatch<C> {
    fn default() -> RowBatch<C> {
        RowBatch { built: Vec::new(), text: Vec::new(), checker: None, size: 0 }
    }
}

impl<C: PieceChecker> RowBatch<C> {
    fn is_full(&self) -> bool {
        let results = self.checker.as_ref().map_or(0, C::size);
        self.text.len() >= TEXT_MAX || self.size >= ROWS_MAX || results >= ROWS_MAX
    }

    /// Counts and writes the rows, up to the first error. `index` is the index of the first change
    /// in its section.
    pub(super) fn write(
        &mut self,
        index: u64,
        writer: &mut RecordWriter<'_>,
        checker: Option<&mut C>,
    ) -> Result<()> {
        // The rendered rows that were counted: their end as an offset in `text`, and their number.
        let (mut text_end, mut rows) = (0, 0);
        let written = self.built.drain(..).zip(index..).try_for_each(|(built, index)| {
            let counted = match built {
                BuiltRow::Skipped => Ok(()),
                BuiltRow::Nothing(facts) => writer.count(&facts),
                BuiltRow::Text(facts, end) => {
                    writer.count(&facts).map(|()| (text_end, rows) = (end, rows + 1))
                }
                BuiltRow::Row(facts, row) => {
                    writer.count(&facts).and_then(|()| writer.record(&row))
                }
            };
            counted.map_err(|error| error.within(&format!("[{index}]")))
        });
        writer.text(&self.text[..text_end], rows)?;
        if let (Some(checker), Some(next)) = (checker, self.checker.take()) {
            checker.append(next);
        }
        written
    }
}

impl<C: PieceChecker> PieceBatch for RowBatch<C> {
    /// The length of `text`. A change that is left to the walk adds nothing else.
    type Position = usize;

    fn position(&self) -> usize {
        self.text.len()
    }

    fn truncate(&mut self, text_len: usize) {
        self.text.truncate(text_len);
    }

    fn clear(&mut self) {
        self.built.clear();
        self.text.clear();
        self.checker = None;
        self.size = 0;
    }
}

/// Builds the rows of changes on a worker.
pub(super) struct RowWorker<'v, C> {
    builder: RowBuilder,
    /// Builds the attributes of changes; `None` if rows have no attributes.
    viewer: Option<Box<dyn Viewer + 'v>>,
    /// Renders rows; `None` if the sink accepts only records.
    renderer: Option<Box<dyn Renderer>>,
    /// Makes the checker of each batch; `None` for a plan without a check.
    checker: Option<C>,
    batch: RowBatch<C>,
}

impl<'v, C: PieceChecker> RowWorker<'v, C> {
    pub(super) fn new(
        mut options: RecordOptions,
        view: Option<&'v dyn View>,
        renderer: Option<Box<dyn Renderer>>,
        checker: Option<C>,
    ) -> Self {
        let limits = &mut options.read.limits;
        limits.paths = limits.paths.min(PATHS_MAX);
        let viewer = view.map(|view| view.viewer(limits));
        let (builder, batch) = (RowBuilder::new(options), RowBatch::default());
        RowWorker { builder, viewer, renderer, checker, batch }
    }

    /// Builds the row of a change. Returns `None` if the reading thread must process the change.
    ///
    /// # Errors
    ///
    /// Fails if the change is malformed or exceeds a limit.
    fn make(&mut self, section: Section, change: &ResourceChange<'_>) -> Result<Option<BuiltRow>> {
        let viewer = self.viewer.as_deref_mut().map(|viewer| viewer as &mut dyn Viewer);
        let (facts, row) = self.builder.build(section, change, None, viewer)?;
        let Some(mut row) = row else { return Ok(Some(BuiltRow::Nothing(facts))) };
        if let Some(renderer) = &mut self.renderer {
            let text = &mut self.batch.text;
            renderer.render(&row, text)?;
            return Ok(Some(BuiltRow::Text(facts, text.len())));
        }
        // The copy takes the attributes, which may be large.
        let attributes = row.resource_mut().map(|row| std::mem::take(&mut row.attributes));
        let Some(mut owned) = owned(&row) else { return Ok(None) };
        if let (Some(row), Some(attributes)) = (owned.resource_mut(), attributes) {
            row.attributes = attributes;
        }
        Ok(Some(BuiltRow::Row(facts, Box::new(owned))))
    }
}

impl<C: PieceChecker> PieceMap for RowWorker<'_, C> {
    type Batch = RowBatch<C>;

    const EXAMINES_ALL: bool = false;

    fn batch(&mut self) -> &mut RowBatch<C> {
        &mut self.batch
    }

    fn map(&mut self, piece: &Piece<'_>) -> Result<MapOutcome> {
        if piece.kind != PieceKind::ResourceChange || self.batch.is_full() {
            return Ok(MapOutcome::Left);
        }
        if let Some(checker) = &self.checker
            && self.batch.checker.get_or_insert_with(|| checker.fresh()).skips(piece)
        {
            self.batch.size += BuiltRow::Skipped.size();
            self.batch.built.push(BuiltRow::Skipped);
            return Ok(MapOutcome::Added);
        }
        let change = ResourceChange::parse(piece.section, piece.value)?;
        let Some(row) = self.make(piece.section, &change)? else { return Ok(MapOutcome::Left) };
        if let Some(checker) = &self.checker {
            self.batch.checker.get_or_insert_with(|| checker.fresh()).piece(piece)?;
        }
        self.batch.size += row.size();
        self.batch.built.push(row);
        Ok(MapOutcome::Added)
    }
}
