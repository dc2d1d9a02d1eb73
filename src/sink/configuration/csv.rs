//! Writes the entries about a configuration as CSV for spreadsheets, one row for each entry.
//!
//! A list takes one cell, with one item per line. Formulas and hidden characters are escaped as in
//! the CSV of records.

use std::borrow::Cow;
use std::io::Write;

use super::Listing;
use crate::config::{ConfigurationEntry, Element, Lines, LocatedElement, Location};
use crate::error::Result;
use crate::inert;
use crate::sink::csv::{Cells, Formulas, Sheet, split_header};
use crate::sink::write_error;

const HEADER: &str = "\
    kind,source,workspace,address,module_address,config_address,mode,type,name,\
    provider_config_key,full_name,alias,module_source,version_constraint,sensitive,required,\
    provisioners,depends_on,references,element,path,distance,through,summary,file,line,\
    column,end_line";

/// Writes entries as CSV.
pub struct Csv<W: Write>(Sheet<W>);

impl<W: Write> Csv<W> {
    /// Writes to `out`.
    pub fn new(out: W, formulas: Formulas) -> Csv<W> {
        Csv(Sheet::new(out, formulas, split_header(HEADER).collect()))
    }
}

fn element_cells(element: &Element) -> Cells<'_> {
    let mut cells: Cells<'_> = vec![("kind", element.kind.word().into())];
    cells.push(("address", inert::text(&element.address)));
    let texts = [
        ("module_address", &element.names.module_address),
        ("config_address", &element.names.config_address),
        ("mode", &element.names.mode),
        ("type", &element.names.type_name),
        ("name", &element.names.name),
        ("provider_config_key", &element.names.provider_config_key),
        ("full_name", &element.names.full_name),
        ("alias", &element.names.alias),
        ("module_source", &element.source),
        ("version_constraint", &element.version_constraint),
    ];
    for (column, text) in texts {
        cells.extend(text.as_deref().map(|text| (column, inert::text(text))));
    }
    let flags = [("sensitive", element.sensitive), ("required", element.required)];
    cells
        .extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| (*name, "true".into())));
    let lines = |list: &[String]| -> Cow<'_, str> {
        let lines: Vec<_> = list.iter().map(|item| inert::text(item)).collect();
        lines.join("\n").into()
    };
    cells.push(("provisioners", lines(&element.provisioners)));
    cells.push(("depends_on", lines(&element.depends_on)));
    let references = element.expressions.iter().flat_map(|expression| {
        let path = inert::json(&expression.path);
        let line = move |reference: &String| format!("{path}: {}", inert::text(reference));
        expression.references.iter().map(line)
    });
    cells.push(("references", references.collect::<Vec<_>>().join("\n").into()));
    cells
}

impl<W: Write> Listing for Csv<W> {
    fn entry(&mut self, entry: &ConfigurationEntry<'_>) -> Result<()> {
        let cells = match entry {
            ConfigurationEntry::Configuration(head) => {
                self.0.begin(head.source, head.workspace);
                vec![("kind", "configuration".into())]
            }
            ConfigurationEntry::Element(LocatedElement { element, source }) => {
                let mut cells = element_cells(element);
                if let Some(Lines { location, .. }) = source {
                    let Location { file, line, column, end_line } = location;
                    let numbers = [("line", line), ("column", column), ("end_line", end_line)];
                    cells.push(("file", inert::text(file)));
                    cells.extend(numbers.map(|(name, number)| (name, number.to_string().into())));
                }
                cells
            }
            ConfigurationEntry::User(user) => vec![
                ("kind", "reference".into()),
                ("address", inert::text(&user.address)),
                ("element", user.element.word().into()),
                ("path", inert::json(&user.path)),
                ("references", inert::text(&user.reference)),
            ],
            ConfigurationEntry::Dependent(dependent) => vec![
                ("kind", "dependent".into()),
                ("address", inert::text(dependent.address)),
                ("element", dependent.element.word().into()),
                ("distance", dependent.distance.to_string().into()),
                ("through", inert::text(dependent.through)),
            ],
            ConfigurationEntry::Summary(summary) => {
                let text = serde_json::to_string(summary).map_err(write_error)?;
                vec![("kind", "summary".into()), ("summary", text.into())]
            }
        };
        self.0.cells(&cells)
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }
}
