//! Output formats for the contents of documents ([`crate::record::values`]), one file for each
//! format that is not shared with other records.

mod cells;
mod csv;
mod grouping;
mod table;
mod type_words;

use std::io::Write;

pub use self::csv::Csv;
pub use self::grouping::Grouping;
pub use self::table::Table;
use crate::error::Result;
use crate::record::values::{Record, Sink};
use crate::sink::json::Json;
use crate::sink::ndjson::Ndjson;

impl<W: Write> Sink for Ndjson<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.line(record)
    }

    fn finish(&mut self) -> Result<()> {
        crate::sink::Sink::finish(self)
    }
}

impl<W: Write> Sink for Json<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.element(record)
    }

    fn finish(&mut self) -> Result<()> {
        crate::sink::Sink::finish(self)
    }
}
