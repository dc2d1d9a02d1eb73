//! Output formats for the findings of an audit, one file for each format that is not shared with
//! other records.

mod table;

use std::io::Write;

pub use self::table::Table;
use crate::audit::{AuditEntry, Ledger};
use crate::error::Result;
use crate::sink::Sink;
pub use crate::sink::csv::Csv;
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

impl<W: Write> Ledger for Csv<W> {
    fn entry(&mut self, entry: &AuditEntry<'_>) -> Result<()> {
        match entry {
            AuditEntry::Summary(summary) => self.summary(summary),
            _ => self.row(entry),
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.flush()
    }
}
