//! Counts resources instead of writing them, and writes the counts at the end of the run.

use plansift_core::error::{Error, Result};
use plansift_plan::record::state_counts::{GroupKey, Groups};
use plansift_plan::record::{Label, Record, RowSummary, Sink};

/// A sink that writes one row for each group of resources to another sink.
pub struct Grouping<'s> {
    sink: Box<dyn Sink + 's>,
    by: GroupKey,
    all: Groups,
    document: Groups,
    summary: RowSummary,
}

impl<'s> Grouping<'s> {
    /// Groups resources by `by`. Writes the groups to `sink`.
    pub fn new(by: GroupKey, sink: Box<dyn Sink + 's>) -> Grouping<'s> {
        let (all, document, summary) = (Groups::new(by), Groups::new(by), RowSummary::default());
        Grouping { sink, by, all, document, summary }
    }
}

impl Sink for Grouping<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Document(_) => self.document = Groups::new(self.by),
            Record::Resource(resource) => self.document.add(resource.group(self.by)),
            Record::RowSummary(summary) => {
                self.all.take(&mut self.document);
                let all = &mut self.summary;
                all.documents = Some(all.documents.unwrap_or_default() + 1);
                all.bytes += summary.bytes;
                all.rows += summary.rows;
                all.hidden += summary.hidden;
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn finish(&mut self) -> Result<()> {
        for group in self.all.largest_first() {
            self.sink.record(&Record::Group(group))?;
        }
        self.sink.record(&Record::RowSummary(self.summary.clone()))?;
        self.sink.finish()
    }
}
