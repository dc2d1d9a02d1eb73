//! Writes rows as CSV for spreadsheets.
//!
//! A list takes one cell, with one item per line. The `summary` row holds the counts as JSON.
//! Formulas and hidden characters are escaped as in the CSV of changes.

use std::borrow::Cow;
use std::io::Write;

use super::cells::{Cells, columns};
use crate::error::Result;
use crate::inert;
use crate::record::values::{Record, Select, Sink, What};
use crate::sink::csv::{Formulas, csv_error};
use crate::sink::{BUFFER, Pace, write_error};

/// Writes rows of one kind as CSV.
pub struct Csv<W: Write> {
    out: ::csv::Writer<W>,
    pace: Pace,
    formulas: Formulas,
    columns: Vec<Cow<'static, str>>,
    source: String,
    workspace: String,
    has_header: bool,
}

impl<W: Write> Csv<W> {
    /// Writes to `out`.
    pub fn new(
        out: W,
        formulas: Formulas,
        (what, select, is_grouped): (What, &Select, bool),
    ) -> Csv<W> {
        let out = ::csv::WriterBuilder::new().buffer_capacity(BUFFER).from_writer(out);
        Csv {
            out,
            pace: Pace::new(),
            formulas,
            columns: columns(what, select, is_grouped),
            source: String::new(),
            workspace: String::new(),
            has_header: false,
        }
    }

    /// Writes a row, whose cells `cell` returns by column.
    fn row<'c>(&mut self, cell: impl Fn(&str) -> Cow<'c, str>) -> Result<()> {
        if !std::mem::replace(&mut self.has_header, true) {
            let header = self.columns.iter().map(|column| inert::json(column));
            let header: Vec<Cow<'_, str>> = header.collect();
            self.out
                .write_record(header.iter().map(|column| column.as_bytes()))
                .map_err(csv_error)?;
        }
        for column in &self.columns {
            let text = match &**column {
                "source" => Cow::Borrowed(self.source.as_str()),
                "workspace" => Cow::Borrowed(self.workspace.as_str()),
                column => cell(column),
            };
            self.out.write_field(self.formulas.cell(&text).as_bytes()).map_err(csv_error)?;
        }
        self.out.write_record(None::<&[u8]>).map_err(csv_error)?;
        if self.pace.is_due(1) { self.out.flush().map_err(write_error) } else { Ok(()) }
    }
}

impl<W: Write> Sink for Csv<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Document(document) => {
                self.source = inert::visible(document.source);
                self.workspace = inert::visible(document.workspace.unwrap_or_default());
                self.row(|column| Cow::Borrowed(if column == "kind" { "document" } else { "" }))
            }
            Record::Summary(summary) => {
                let text = serde_json::to_string(summary).map_err(write_error)?;
                let text = inert::json(&text);
                self.row(|column| match column {
                    "kind" => Cow::Borrowed("summary"),
                    "summary" => Cow::Borrowed(&*text),
                    _ => Cow::Borrowed(""),
                })
            }
            row => match Cells::of(row) {
                Some(cells) => self.row(|column| {
                    cells.get(column).map_or(Cow::Borrowed(""), |cell| cell.shown("\n"))
                }),
                None => Ok(()),
            },
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}
