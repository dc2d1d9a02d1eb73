//! Lists a configuration for a person, one line for each element, as wide as the screen.
//!
//! Lines are buffered and aligned in batches of [`ROWS`] lines, so the memory does not grow with
//! the configuration. A document that fails in its first batch leaves no lines.

use std::io::{self, BufWriter, Write};

use crate::phrase::counted;
use crate::screen::{BOLD, DIM, Screen, fit, fit_end, padded, width};
use plansift_core::error::Result;
use plansift_core::inert::visible;
use plansift_plan::config::{
    BlockLocation, ConfigurationSummary, Element, ElementKind, LocatedElement, Location,
};
use plansift_plan::record::{Record, Sink};
use plansift_plan::sink::write_error;

/// Maximum number of lines in a batch, whose columns are aligned.
const ROWS: usize = 200;
/// Maximum width of the column of addresses.
const ADDRESS_MAX: usize = 60;
/// Maximum number of references that a line lists. Further references are counted.
const NAMED: usize = 4;

/// Lists configurations as tables.
pub struct Table<W: Write> {
    out: BufWriter<W>,
    screen: Screen,
    rows: Vec<[String; 3]>,
    /// The name of the input, until its first lines are written.
    title: Option<String>,
    documents: u64,
    listed: u64,
}

impl<W: Write> Table<W> {
    /// Writes to `out`.
    pub fn new(out: W, screen: Screen) -> Table<W> {
        let (out, rows) = (BufWriter::new(out), Vec::new());
        Table { out, screen, rows, title: None, documents: 0, listed: 0 }
    }

    fn push(&mut self, kind: &str, address: &str, details: &str) -> io::Result<()> {
        self.listed += 1;
        // The end of a long name is more specific.
        let address = fit_end(&visible(address), self.screen.width);
        let details = fit(&visible(details), self.screen.width);
        self.rows.push([kind.to_owned(), address, details]);
        if self.rows.len() < ROWS { Ok(()) } else { self.draw() }
    }

    /// Writes the buffered lines.
    fn draw(&mut self) -> io::Result<()> {
        if let Some(title) = self.title.take() {
            if self.documents > 0 {
                writeln!(self.out)?;
            }
            self.documents += 1;
            writeln!(self.out, "{}\n", self.screen.paint(BOLD, &title))?;
        }
        let rows = std::mem::take(&mut self.rows);
        let longest = |column: usize| rows.iter().map(|row| width(&row[column])).max().unwrap_or(0);
        let (kinds, addresses) = (longest(0), longest(1).min(ADDRESS_MAX));
        for [kind, address, details] in &rows {
            let room = addresses.min(self.screen.width.saturating_sub(kinds + 4));
            let kind = self.screen.paint(DIM, &format!("{kind:<kinds$}"));
            if details.is_empty() {
                let room = self.screen.width.saturating_sub(kinds + 4);
                writeln!(self.out, "  {kind}  {}", fit_end(address, room))?;
                continue;
            }
            let address = padded(&fit_end(address, room), room);
            let room = self.screen.width.saturating_sub(kinds + room + 6);
            writeln!(self.out, "  {kind}  {address}  {}", fit(details, room))?;
        }
        Ok(())
    }

    fn begin(&mut self, source: &str) {
        // Lines of a document that failed are not written.
        self.rows.clear();
        self.listed = 0;
        self.title = Some(fit_end(&visible(source), self.screen.width));
    }

    fn end(&mut self, summary: &ConfigurationSummary) -> io::Result<()> {
        self.draw()?;
        if self.listed == 0 {
            writeln!(self.out, "  nothing")?;
        }
        let counts = ElementKind::ALL.into_iter().filter(|kind| summary.of(*kind) > 0);
        let word = |kind: ElementKind| {
            if kind == ElementKind::ModuleCall { "module call" } else { kind.word() }
        };
        let counts: Vec<String> =
            counts.map(|kind| counted(summary.of(kind), word(kind))).collect();
        let counts = match counts.len() {
            0 => "nothing".to_owned(),
            _ => counts.join(", "),
        };
        writeln!(self.out, "\nThe configuration has {counts}.")
    }

    fn write(&mut self, record: &Record<'_>) -> io::Result<()> {
        match record {
            Record::Configuration(head) => {
                self.begin(head.source);
                Ok(())
            }
            Record::Element(LocatedElement { element, source }) => {
                let mut parts = details(element);
                if let Some(BlockLocation { location: Location { file, line, .. }, .. }) = source {
                    parts.insert(0, format!("{file}:{line}"));
                }
                self.push(kind_of(element), &element.address, &parts.join("; "))
            }
            Record::Reference(user) => {
                let details = format!("{} uses {}", user.path, user.reference);
                self.push(word(user.element), &user.address, &details)
            }
            Record::Dependent(dependent) => {
                let details = format!("through {}", dependent.through);
                self.push(word(dependent.element), dependent.address, &details)
            }
            Record::ConfigurationSummary(summary) => self.end(summary),
            _ => Ok(()),
        }
    }
}

/// Returns the word for an element's kind in a line.
fn kind_of(element: &Element) -> &str {
    match element.names.mode.as_deref() {
        Some("data") => "data source",
        Some("ephemeral") => "ephemeral",
        _ => word(element.kind),
    }
}

fn word(kind: ElementKind) -> &'static str {
    if kind == ElementKind::ModuleCall { "module" } else { kind.word() }
}

/// Returns the details of an element that follow its address in a line.
fn details(element: &Element) -> Vec<String> {
    let mut parts = Vec::new();
    match element.kind {
        ElementKind::Provider => {
            parts.extend(element.names.full_name.clone().or(element.names.name.clone()))
        }
        ElementKind::ModuleCall => parts.extend(element.source.clone()),
        _ => {
            parts.extend(
                element.names.provider_config_key.as_ref().map(|key| format!("provider {key}")),
            );
        }
    }
    parts.extend(element.version_constraint.clone());
    parts.extend(element.required.then(|| "required".to_owned()));
    parts.extend(element.sensitive.then(|| "sensitive".to_owned()));
    let mut used: Vec<&str> = Vec::new();
    let mut more = 0;
    for reference in element.references().flat_map(|(_, list)| list) {
        // For one reference, the tools list both `t.n.id` and `t.n`.
        let is_named = used.iter().any(|used| used.starts_with(reference.as_str()));
        match used.len() {
            _ if is_named => {}
            ..NAMED => used.push(reference),
            _ => more += 1,
        }
    }
    if !used.is_empty() {
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        parts.push(format!("uses {}{more}", used.join(", ")));
    }
    parts
}

impl<W: Write> Sink for Table<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.write(record).map_err(write_error)
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}
