//! Output formats for the elements of a configuration, one file for each kind of format.

mod csv;
pub mod drawing;
mod table;

use std::io::Write;

pub use self::csv::Csv;
pub use self::table::Table;
use crate::config::ConfigurationEntry;
use crate::error::Result;
use crate::sink::Sink;
pub use crate::sink::json::Json;
pub use crate::sink::ndjson::Ndjson;

/// Receives the entries about the configurations of a run.
///
/// # Errors
///
/// All methods fail with [`crate::error::ErrorKind::Write`] if the output fails.
pub trait Listing {
    /// Writes an entry.
    fn entry(&mut self, entry: &ConfigurationEntry<'_>) -> Result<()>;

    /// Called after the last document.
    fn finish(&mut self) -> Result<()>;
}

/// Output without the `summary` entry is incomplete.
impl<W: Write> Listing for Ndjson<W> {
    fn entry(&mut self, entry: &ConfigurationEntry<'_>) -> Result<()> {
        self.line(entry)
    }

    fn finish(&mut self) -> Result<()> {
        Sink::finish(self)
    }
}

impl<W: Write> Listing for Json<W> {
    fn entry(&mut self, entry: &ConfigurationEntry<'_>) -> Result<()> {
        self.element(entry)
    }

    fn finish(&mut self) -> Result<()> {
        Sink::finish(self)
    }
}
