//! Where records go: one format, one file.

use crate::error::Result;
use crate::record::Record;

/// Takes the records of one run in order.
///
/// Driven by the run: for each plan one [`Record::Plan`], then its rows, then one
/// [`Record::Summary`]; after the last plan [`Sink::finish`]. A plan that fails half-way has no
/// summary.
pub trait Sink {
    /// Writes one record.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Write`].
    fn record(&mut self, record: &Record<'_>) -> Result<()>;

    /// Writes what closes the output, and flushes it.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Write`].
    fn finish(&mut self) -> Result<()>;
}
