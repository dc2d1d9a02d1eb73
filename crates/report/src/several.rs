//! Combines several sinks into one that passes every record to each of them.
//!
//! A sink whose pipe is closed is dropped, unless it is the last one.

use std::cell::Cell;
use std::io;

use super::Sink;
use plansift_core::error::{Error, Result};
use plansift_plan::record::{Label, Record};

/// Passes every record to several sinks.
pub struct Several<'s> {
    sinks: Vec<Box<dyn Sink + 's>>,
    /// Indexes of the sinks that are still in use.
    open: Vec<usize>,
    /// Receives the index of the sink that failed.
    failed: &'s Cell<Option<usize>>,
}

impl<'s> Several<'s> {
    /// Combines `sinks`. If a call returns the error of a sink, `failed` holds the index of that
    /// sink.
    pub fn new(sinks: Vec<Box<dyn Sink + 's>>, failed: &'s Cell<Option<usize>>) -> Several<'s> {
        let open = (0..sinks.len()).collect();
        Several { sinks, open, failed }
    }

    fn each(&mut self, mut call: impl FnMut(&mut dyn Sink) -> Result<()>) -> Result<()> {
        let mut next = 0;
        while let Some(&index) = self.open.get(next) {
            match call(self.sinks[index].as_mut()) {
                Ok(()) => next += 1,
                Err(error) if is_closed_pipe(&error) && self.open.len() > 1 => {
                    self.open.remove(next);
                }
                Err(error) => {
                    self.failed.set(Some(index));
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// Whether the reader has closed its end of the pipe.
fn is_closed_pipe(error: &Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

impl Sink for Several<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.each(|sink| sink.record(record))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.each(|sink| sink.failed(label, error))
    }

    fn finish(&mut self) -> Result<()> {
        self.each(|sink| sink.finish())
    }
}
