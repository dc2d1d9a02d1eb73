//! Writes the findings of an audit as CSV for spreadsheets, one row for each entry.
//!
//! The last cell of the summary row has the numbers as JSON. Formulas and hidden characters are
//! escaped as in the CSV of records.

use std::io::Write;

use crate::audit::{Entry, Finding, Ledger};
use crate::error::Result;
use crate::inert;
use crate::sink::csv::{Formulas, csv_error};
use crate::sink::{BUFFER, write_error};

const COLUMNS: [&str; 15] = [
    "kind",
    "source",
    "section",
    "address",
    "name",
    "type",
    "provider_name",
    "path",
    "offset",
    "of_section",
    "of_address",
    "of_name",
    "of_path",
    "of_offset",
    "summary",
];

/// A ledger that writes entries as CSV.
pub struct Csv<W: Write> {
    out: ::csv::Writer<W>,
    formulas: Formulas,
    source: String,
    has_header: bool,
}

impl<W: Write> Csv<W> {
    /// Writes to `out`; `formulas` says how cells that look like formulas are escaped.
    pub fn new(out: W, formulas: Formulas) -> Csv<W> {
        let out = ::csv::WriterBuilder::new().buffer_capacity(BUFFER).from_writer(out);
        Csv { out, formulas, source: String::new(), has_header: false }
    }

    fn row(&mut self, cells: [&str; COLUMNS.len()]) -> Result<()> {
        if !std::mem::replace(&mut self.has_header, true) {
            self.out.write_record(COLUMNS).map_err(csv_error)?;
        }
        for (column, cell) in COLUMNS.into_iter().zip(cells) {
            let cell = match column {
                "path" | "of_path" | "summary" => inert::json(cell),
                _ => inert::text(cell),
            };
            self.out.write_field(self.formulas.cell(&cell).as_bytes()).map_err(csv_error)?;
        }
        self.out.write_record(None::<&[u8]>).map_err(csv_error)
    }

    fn finding(&mut self, finding: &Finding<'_>) -> Result<()> {
        let source = std::mem::take(&mut self.source);
        let offset = finding.offset.to_string();
        let of = finding.of.as_ref();
        let of_offset = of.map(|of| of.offset.to_string());
        let row = self.row([
            finding.kind.word(),
            &source,
            finding.section,
            finding.address.unwrap_or_default(),
            finding.name.unwrap_or_default(),
            finding.type_name.unwrap_or_default(),
            finding.provider_name.unwrap_or_default(),
            finding.path,
            &offset,
            of.map_or("", |of| of.section),
            of.and_then(|of| of.address.as_deref()).unwrap_or_default(),
            of.and_then(|of| of.name.as_deref()).unwrap_or_default(),
            of.and_then(|of| of.path.as_deref()).unwrap_or_default(),
            of_offset.as_deref().unwrap_or_default(),
            "",
        ]);
        self.source = source;
        row
    }
}

impl<W: Write> Ledger for Csv<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<()> {
        let mut cells = [""; COLUMNS.len()];
        match entry {
            Entry::Finding(finding) => self.finding(finding),
            Entry::Audit(head) => {
                head.source.clone_into(&mut self.source);
                (cells[0], cells[1]) = ("audit", head.source);
                self.row(cells)
            }
            Entry::Summary(summary) => {
                let source = std::mem::take(&mut self.source);
                let text = serde_json::to_string(summary).map_err(write_error)?;
                (cells[0], cells[1], cells[COLUMNS.len() - 1]) = ("summary", &source, &text);
                self.row(cells)
            }
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}
