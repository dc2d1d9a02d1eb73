//! Output formats for the findings of an audit, one file for each format that is not shared with
//! other records.

mod csv;
mod table;

use std::io::Write;

pub use self::csv::Csv;
pub use self::table::Table;
use crate::audit::{AuditEntry, Ledger};
use crate::error::Result;
use crate::sink::Sink;
pub use crate::sink::ndjson::Ndjson;

/// A stream without its `summary` line is incomplete.
impl<W: Write> Ledger for Ndjson<W> {
    fn entry(&mut self, entry: &AuditEntry<'_>) -> Result<()> {
        self.line(entry)
    }

    fn finish(&mut self) -> Result<()> {
        Sink::finish(self)
    }
}
