//! Writes rows as CSV for spreadsheets.
//!
//! A list takes one cell, with one item per line. The `summary` row holds the counts as JSON.
//! Formulas and hidden characters are escaped as in the CSV of changes.

use std::borrow::Cow;
use std::io::Write;

use super::cells::{Cells, columns};
use crate::error::Result;
use crate::inert;
use crate::record::values::{Record, RowKind, Select, Sink};
use crate::sink::csv::{Formulas, Sheet};
use crate::sink::write_error;

/// Writes rows of one kind as CSV.
pub struct Csv<W: Write>(Sheet<W>);

impl<W: Write> Csv<W> {
    /// Writes to `out`.
    pub fn new(
        out: W,
        formulas: Formulas,
        (what, select, is_grouped): (RowKind, &Select, bool),
    ) -> Csv<W> {
        Csv(Sheet::new(out, formulas, columns(what, select, is_grouped)))
    }
}

impl<W: Write> Sink for Csv<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Document(document) => {
                self.0.begin(document.source, document.workspace);
                self.0.cells(&vec![("kind", "document".into())])
            }
            Record::Summary(summary) => {
                let text = serde_json::to_string(summary).map_err(write_error)?;
                self.0.cells(&vec![("kind", "summary".into()), ("summary", inert::json(&text))])
            }
            row => match Cells::of(row) {
                Some(cells) => self.0.row(|column| {
                    cells.get(column).map_or(Cow::Borrowed(""), |cell| cell.shown("\n"))
                }),
                None => Ok(()),
            },
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }
}
