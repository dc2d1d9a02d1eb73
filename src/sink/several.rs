//! Several sinks as one: each takes every record.

use super::Sink;
use crate::error::{Error, Result};
use crate::record::{Hidden, Label, Record};

/// Sinks that are fed together.
pub struct Several<'s>(Vec<Box<dyn Sink + 's>>);

impl<'s> Several<'s> {
    /// These sinks.
    pub fn new(sinks: Vec<Box<dyn Sink + 's>>) -> Several<'s> {
        Several(sinks)
    }
}

impl Sink for Several<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.0.iter_mut().try_for_each(|sink| sink.record(record))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.0.iter_mut().try_for_each(|sink| sink.failed(label, error))
    }

    fn unseen(&mut self, record: &Record<'_>) -> Result<()> {
        self.0.iter_mut().try_for_each(|sink| sink.unseen(record))
    }

    fn hidden(&mut self, hidden: &Hidden) -> Result<()> {
        self.0.iter_mut().try_for_each(|sink| sink.hidden(hidden))
    }

    fn finish(&mut self) -> Result<()> {
        self.0.iter_mut().try_for_each(|sink| sink.finish())
    }
}
