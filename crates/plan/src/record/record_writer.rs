//! Counts changes and writes records, in document order.
//!
//! Records are written as soon as they are built, with one exception. The `plan` record comes first
//! and contains two versions. In a document with sorted keys, `terraform_version` follows the
//! changes. So the other records wait until both versions are known, or until they reach a memory
//! limit.

use super::counts::{Facts, Summary};
use super::options::RecordOptions;
use super::pending::PendingRecords;
use super::state_counts::StateCounts;
use super::subject::{ViewPaths, ViewSubject};
use super::viewer::{View, Viewer};
use super::{Attributes, Label, Plan, Record, Renderer, SCHEMA_VERSION, Sink};
use crate::plan::{Change, Document, Section};
use plansift_core::error::Result;

/// Writes the records of one plan to the sink, and keeps its counts.
pub(super) struct RecordWriter<'a> {
    sink: &'a mut dyn Sink,
    /// Builds the attributes of changes; `None` without a view.
    pub(super) viewer: Option<Box<dyn Viewer + 'a>>,
    label: Label<'a>,
    pub(super) options: &'a RecordOptions,
    pub(super) format_version: Option<String>,
    pub(super) terraform_version: Option<String>,
    /// Whether the `plan` record was written.
    pub(super) begun: bool,
    pending: PendingRecords,
    pub(super) summary: Summary,
    /// True if the plan changes, moves or imports a resource, or invokes an action.
    pub(super) has_changes: bool,
}

impl<'a> RecordWriter<'a> {
    pub(super) fn new(
        label: Label<'a>,
        options: &'a RecordOptions,
        view: Option<&'a dyn View>,
        sink: &'a mut dyn Sink,
    ) -> RecordWriter<'a> {
        RecordWriter {
            sink,
            viewer: view.map(|view| view.viewer(&options.read.limits)),
            label,
            options,
            format_version: None,
            terraform_version: None,
            begun: false,
            pending: PendingRecords::default(),
            summary: Summary::with(options.extent),
            has_changes: false,
        }
    }

    /// Reports the counts of a state, which has no records but those of its checks.
    pub(super) fn state(&mut self, state_counts: &mut StateCounts) -> Result<()> {
        // The checks may come before the versions.
        if !self.begun && !self.pending.is_empty() {
            self.begin()?;
        }
        let late = self.summary.plan.terraform_version.take();
        state_counts.terraform_version = late.or_else(|| self.terraform_version.take());
        self.sink.state(self.label, state_counts)
    }

    /// Counts a change to a resource. Fails if there are too many different action words.
    pub(super) fn count(&mut self, facts: &Facts) -> Result<()> {
        self.has_changes |= facts.section == Section::ResourceChanges && !facts.is_settled;
        self.summary.add(facts, &self.options.read.limits)
    }

    /// Writes a record. Before the `plan` record is written, keeps a copy instead, if the record
    /// can wait.
    pub(super) fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.begin_if_known()?;
        if !self.begun {
            if self.pending.push(record, self.sink.waiting_max()) {
                return Ok(());
            }
            self.begin()?;
        }
        self.sink.record(record)
    }

    /// Returns the attributes of a change; empty without a view.
    pub(super) fn view(
        &mut self,
        subject: ViewSubject<'_>,
        change: &Change<'_>,
        view_paths: ViewPaths<'_>,
    ) -> Result<Attributes> {
        match &mut self.viewer {
            Some(viewer) => viewer.view(subject, change, view_paths),
            None => Ok(Attributes::default()),
        }
    }

    /// Writes `text`, which consists of `rows` rendered rows.
    pub(super) fn text(&mut self, text: &[u8], rows: usize) -> Result<()> {
        match self.sink.as_rendered() {
            Some(sink) if rows > 0 => sink.write(text, rows),
            _ => Ok(()),
        }
    }

    /// Creates a renderer for the rows of this plan; `None` if the sink accepts only records.
    pub(super) fn renderer(&mut self) -> Option<Box<dyn Renderer>> {
        self.sink.as_rendered().map(|sink| sink.renderer())
    }

    /// Writes the `plan` record if both versions are known.
    pub(super) fn begin_if_known(&mut self) -> Result<()> {
        if !self.begun && self.format_version.is_some() && self.terraform_version.is_some() {
            self.begin()?;
        }
        Ok(())
    }

    /// Writes the `plan` record with the versions known so far, then the waiting records.
    fn begin(&mut self) -> Result<()> {
        self.begun = true;
        self.sink.record(&Record::Plan(Plan {
            schema_version: SCHEMA_VERSION,
            source: self.label.source,
            workspace: self.label.workspace,
            format_version: self.format_version.as_deref(),
            terraform_version: self.terraform_version.as_deref(),
        }))?;
        self.pending.release(self.sink)
    }

    /// Writes the `summary` record. Writes the `plan` record first, if it is still missing.
    pub(super) fn end(&mut self, document: &Document) -> Result<()> {
        if !self.begun {
            self.begin()?;
        }
        self.summary.bytes = document.bytes;
        self.summary.plan.lacks_resource_changes = document.lacks_changes;
        self.sink.record(&Record::Summary(&self.summary))
    }
}
