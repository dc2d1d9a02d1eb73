//! Writes the findings of an audit as CSV for spreadsheets, one row for each entry.
//!
//! The last cell of the summary row has the numbers as JSON. Formulas and hidden characters are
//! escaped as in the CSV of records.

use std::io::Write;

use crate::audit::{AuditEntry, Finding, Ledger};
use crate::error::Result;
use crate::inert;
use crate::sink::csv::{Cells, Formulas, Sheet, split_header};
use crate::sink::write_error;

const HEADER: &str = "\
    kind,source,section,address,name,type,provider_name,path,offset,of_section,of_address,\
    of_name,of_path,of_offset,summary";

/// A ledger that writes entries as CSV.
pub struct Csv<W: Write>(Sheet<W>);

impl<W: Write> Csv<W> {
    /// Writes to `out`; `formulas` says how cells that look like formulas are escaped.
    pub fn new(out: W, formulas: Formulas) -> Csv<W> {
        Csv(Sheet::new(out, formulas, split_header(HEADER).collect()))
    }
}

fn finding_cells<'a>(finding: &'a Finding<'_>) -> Cells<'a> {
    let mut cells = vec![
        ("kind", finding.kind.word().into()),
        ("section", inert::text(finding.section)),
        ("path", inert::json(finding.path)),
        ("offset", finding.offset.to_string().into()),
    ];
    let mut texts = vec![
        ("address", finding.address),
        ("name", finding.name),
        ("type", finding.type_name),
        ("provider_name", finding.provider_name),
    ];
    if let Some(of) = &finding.of {
        texts.extend([("of_address", of.address.as_deref()), ("of_name", of.name.as_deref())]);
        cells.push(("of_section", inert::text(of.section)));
        cells.extend(of.path.as_deref().map(|path| ("of_path", inert::json(path))));
        cells.push(("of_offset", of.offset.to_string().into()));
    }
    cells.extend(texts.into_iter().filter_map(|(name, text)| Some((name, inert::text(text?)))));
    cells
}

impl<W: Write> Ledger for Csv<W> {
    fn entry(&mut self, entry: &AuditEntry<'_>) -> Result<()> {
        match entry {
            AuditEntry::Finding(finding) => self.0.cells(&finding_cells(finding)),
            AuditEntry::Audit(head) => {
                self.0.begin(head.source, None);
                self.0.cells(&vec![("kind", "audit".into())])
            }
            AuditEntry::Summary(summary) => {
                let text = serde_json::to_string(summary).map_err(write_error)?;
                self.0.cells(&vec![("kind", "summary".into()), ("summary", inert::json(&text))])
            }
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }
}
