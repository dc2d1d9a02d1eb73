//! Adds to each resource change its block in the configuration.

use super::Sink;
use plansift_core::error::{Error, Result};
use plansift_plan::config::Blocks;
use plansift_plan::record::{Hidden, Label, Record};

/// A sink that adds blocks to the resource changes of one plan, and passes all records on.
pub struct Joined<'s> {
    sink: &'s mut dyn Sink,
    blocks: &'s Blocks,
}

impl<'s> Joined<'s> {
    /// Wraps `sink`. The `blocks` must come from the plan whose records follow.
    pub fn new(sink: &'s mut dyn Sink, blocks: &'s Blocks) -> Joined<'s> {
        Joined { sink, blocks }
    }
}

impl Sink for Joined<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let Some(change) = record.resource() else { return self.sink.record(record) };
        let address = change.label();
        let address = match (&change.resource.address, &change.resource.module_address) {
            // Drift of Terraform 1.0 has no address.
            (None, Some(module)) => format!("{module}.{address}").into(),
            _ => address,
        };
        let block = self.blocks.block(&address);
        let mut record = record.clone();
        if let Some(change) = record.resource_mut() {
            change.block = Some(Box::new(block));
        }
        self.sink.record(&record)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.sink.unseen(record)
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        self.sink.hidden(hidden)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }

    fn waiting_max(&self) -> u64 {
        self.sink.waiting_max()
    }
}
