//! Output formats for the elements of a configuration, one file for each kind of format.

pub mod drawing;
mod table;

use std::io::Write;

pub use self::table::Table;
use crate::config::ConfigurationEntry;
use crate::error::Result;
use crate::inert;
use crate::sink::Sink;
pub use crate::sink::csv::Csv;
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

impl<W: Write> Listing for Csv<W> {
    fn entry(&mut self, entry: &ConfigurationEntry<'_>) -> Result<()> {
        match entry {
            ConfigurationEntry::Summary(summary) => self.summary(summary),
            ConfigurationEntry::Element(located) => self.row_with(entry, |row| {
                let lines = located.element.expressions.iter().flat_map(|expression| {
                    let path = inert::json(&expression.path);
                    let line = move |text: &String| format!("{path}: {}", inert::text(text));
                    expression.references.iter().map(line)
                });
                row.set("references", lines);
            }),
            _ => self.row(entry),
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.flush()
    }
}
