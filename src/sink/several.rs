//! Several sinks as one: each takes every record.
//!
//! One whose reader has gone is left out from then on, as long as there are others.

use std::cell::Cell;
use std::io;

use super::Sink;
use crate::error::{Error, Result};
use crate::record::{Label, Record};

/// Sinks that are fed together.
pub struct Several<'s> {
    sinks: Vec<Box<dyn Sink + 's>>,
    /// Which of them are still fed, by their places.
    open: Vec<usize>,
    failed: &'s Cell<Option<usize>>,
}

impl<'s> Several<'s> {
    /// These sinks. Where one fails with what is returned, `failed` tells its place.
    pub fn new(sinks: Vec<Box<dyn Sink + 's>>, failed: &'s Cell<Option<usize>>) -> Several<'s> {
        let open = (0..sinks.len()).collect();
        Several { sinks, open, failed }
    }

    fn each(&mut self, mut feed: impl FnMut(&mut dyn Sink) -> Result<()>) -> Result<()> {
        let mut next = 0;
        while let Some(&place) = self.open.get(next) {
            match feed(self.sinks[place].as_mut()) {
                Ok(()) => next += 1,
                Err(error) if has_gone(&error) && self.open.len() > 1 => {
                    self.open.remove(next);
                }
                Err(error) => {
                    self.failed.set(Some(place));
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// Whether nobody reads on.
fn has_gone(error: &Error) -> bool {
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
