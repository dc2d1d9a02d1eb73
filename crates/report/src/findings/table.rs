//! Draws a page that shows a person where the secrets are, as wide as the screen.
//!
//! The page is drawn at the document's summary. Until then, findings are counted, and the first few
//! echoes and suspects are stored. `ROWS_MAX` and `LISTED` limit the memory.

use std::collections::HashMap;
use std::io::{self, Write};

use foldhash::fast::RandomState;

use crate::screen::{BOLD, DIM, PLAIN, RED, Screen, YELLOW, fit, fit_end, padded, width};
use crate::short::short_group;
use plansift_core::error::Result;
use plansift_core::inert::visible;
use plansift_plan::record::{
    AuditFinding, AuditSummary, FindingCounts, FindingKind, Record, SecretOrigin, Sink,
};
use plansift_plan::sink::write_error;

/// Maximum number of sections, types or providers with a row of their own.
const ROWS_MAX: usize = 10_000;
const ROWS_SHOWN: usize = 12;
/// Maximum number of findings listed of each kind.
const LISTED: usize = 10;
/// Width of a number, in columns.
const NUMBER: usize = 9;

/// A sink that draws a page for each document.
pub struct Table<W: Write> {
    out: W,
    screen: Screen,
    page: Page,
    drawn: u64,
}

/// The findings of the document so far.
#[derive(Debug, Default)]
struct Page {
    title: String,
    sections: Rows,
    types: Rows,
    providers: Rows,
    echoes: Vec<Listed>,
    suspects: Vec<Listed>,
}

/// A finding as the page lists it.
#[derive(Debug)]
struct Listed {
    piece: String,
    path: String,
    of: Option<String>,
}

/// FindingCounts of findings, grouped by a name, in the order of first occurrence.
#[derive(Debug, Default)]
struct Rows {
    indexes: HashMap<String, usize, RandomState>,
    rows: Vec<(String, FindingCounts)>,
}

impl Rows {
    fn add(&mut self, name: &str, kind: FindingKind) {
        let name = &*short_group(name);
        let full = self.rows.len() >= ROWS_MAX && !self.indexes.contains_key(name);
        let name = if full { "(others)" } else { name };
        let index = match self.indexes.get(name) {
            Some(&index) => index,
            None => {
                self.rows.push((visible(name), FindingCounts::default()));
                self.indexes.insert(name.to_owned(), self.rows.len() - 1);
                self.rows.len() - 1
            }
        };
        self.rows[index].1.add(kind);
    }

    /// Returns the rows to show: the first rows, and the sum of the rest.
    fn shown(mut self) -> Vec<(String, FindingCounts)> {
        if self.rows.len() > ROWS_SHOWN {
            let rest = self.rows.split_off(ROWS_SHOWN - 1);
            let mut counts = FindingCounts::default();
            rest.iter().for_each(|(_, more)| counts.add_all(more));
            self.rows.push((format!("and {} more", rest.len()), counts));
        }
        self.rows
    }

    /// Returns the rows, sorted so that those with the most findings come first.
    fn by_number(mut self) -> Rows {
        self.rows.sort_by(|a, b| (b.1.total(), &a.0).cmp(&(a.1.total(), &b.0)));
        self
    }
}

impl<W: Write> Table<W> {
    /// Creates a sink that draws to `out`.
    pub fn new(out: W, screen: Screen) -> Table<W> {
        Table { out, screen, page: Page::default(), drawn: 0 }
    }

    fn draw(&mut self, summary: &AuditSummary) -> io::Result<()> {
        let page = std::mem::take(&mut self.page);
        if self.drawn > 0 {
            writeln!(self.out)?;
        }
        self.drawn += 1;
        writeln!(
            self.out,
            "{}",
            self.screen.paint(BOLD, &fit_end(&page.title, self.screen.width))
        )?;
        if summary.unmarked > 0 {
            let warning = format!(
                "! {} elements do not say what is sensitive in them, as before version 0.15.",
                summary.unmarked
            );
            write!(self.out, "{}", self.screen.sentence(RED, &warning))?;
        }
        let counts = &summary.counts;
        write!(self.out, "\n{}", self.screen.sentence(BOLD, &headline(summary)))?;
        let kinds: Vec<FindingKind> =
            FindingKind::ALL.into_iter().filter(|kind| counts.of(*kind) > 0).collect();
        self.table("section", &page.sections.shown(), &kinds)?;
        self.table("type", &page.types.by_number().shown(), &kinds)?;
        self.table("provider", &page.providers.by_number().shown(), &kinds)?;
        let title = "Echoes: marked values in places without a mark";
        self.list(title, RED, &page.echoes, counts.echoes())?;
        let title = "Suspects: keys that look secret and are not marked";
        self.list(title, YELLOW, &page.suspects, counts.suspect)
    }

    fn table(
        &mut self,
        title: &str,
        rows: &[(String, FindingCounts)],
        kinds: &[FindingKind],
    ) -> io::Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let room = self.screen.width - 2 - NUMBER * kinds.len();
        let longest = rows.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
        let room = longest.max(title.len()).min(room);
        let mut heading = format!("  {title:<room$}");
        kinds.iter().for_each(|kind| heading += &format!("{:>NUMBER$}", kind.word()));
        writeln!(self.out, "\n{}", self.screen.paint(DIM, &heading))?;
        for (name, counts) in rows {
            // The end of a long name is more specific.
            let mut line = format!("  {}", padded(&fit_end(name, room), room));
            for &kind in kinds {
                line += &self.screen.number(style(kind), counts.of(kind), NUMBER);
            }
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    fn list(&mut self, title: &str, style: &str, list: &[Listed], count: u64) -> io::Result<()> {
        if count == 0 {
            return Ok(());
        }
        writeln!(self.out, "\n{}", self.screen.paint(BOLD, &format!("{title} ({count})")))?;
        let mut piece = "";
        for listed in list {
            if std::mem::replace(&mut piece, &listed.piece) != listed.piece {
                writeln!(self.out, "  {}", fit_end(piece, self.screen.width - 2))?;
            }
            writeln!(
                self.out,
                "    {}",
                self.screen.paint(style, &fit_end(&listed.path, self.screen.width - 4))
            )?;
            if let Some(of) = &listed.of {
                writeln!(
                    self.out,
                    "      {}",
                    self.screen.paint(DIM, &fit(of, self.screen.width - 6))
                )?;
            }
        }
        let rest = count - list.len() as u64;
        if rest > 0 {
            writeln!(self.out, "  {}", self.screen.paint(DIM, &format!("and {rest} more")))?;
        }
        Ok(())
    }
}

impl Page {
    fn add(&mut self, finding: &AuditFinding<'_>) {
        let kind = finding.kind;
        self.sections.add(finding.section, kind);
        if let Some(name) = finding.type_name {
            self.types.add(name, kind);
        }
        if let Some(name) = finding.provider_name {
            self.providers.add(name, kind);
        }
        let (list, is_echo) = match kind {
            FindingKind::Echo | FindingKind::Key => (&mut self.echoes, true),
            FindingKind::Suspect => (&mut self.suspects, false),
            FindingKind::Marked | FindingKind::Equal | FindingKind::Name => return,
        };
        if list.len() < LISTED {
            let label = finding.address.or(finding.name);
            let path = match finding.path {
                "" => "(all of it)",
                path => path,
            };
            let of = match &finding.of {
                Some(of) => format!("of {}", origin(of)),
                None => "contains a secret".to_owned(),
            };
            list.push(Listed {
                piece: words(&[finding.section, label.unwrap_or_default()]),
                path: visible(path),
                of: is_echo.then_some(of),
            });
        }
    }
}

fn style(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Echo | FindingKind::Key => RED,
        FindingKind::Suspect => YELLOW,
        FindingKind::Marked | FindingKind::Equal | FindingKind::Name => PLAIN,
    }
}

fn origin(of: &SecretOrigin) -> String {
    let label = of.address.as_deref().or(of.name.as_deref());
    let byte = format!("byte {}", of.offset);
    words(&[of.section, label.unwrap_or_default(), of.path.as_deref().unwrap_or(&byte)])
}

/// Joins strings from a document with spaces, and makes hidden characters visible.
fn words(parts: &[&str]) -> String {
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts.map(|part| visible(part)).collect::<Vec<_>>().join(" ")
}

fn headline(summary: &AuditSummary) -> String {
    let counts = &summary.counts;
    let counted = |number: u64, one: &str, more: &str| {
        let word = if number == 1 { one } else { more };
        (number > 0).then(|| format!("{number} {word}"))
    };
    let parts = [
        counted(counts.marked, "marked value", "marked values"),
        counted(counts.echo, "echo", "echoes"),
        counted(counts.key, "key", "keys"),
        counted(counts.equal, "equal constant or identity", "equal constants and identities"),
        counted(counts.name, "by name", "by name"),
        counted(counts.suspect, "suspect", "suspects"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => "Found no unmasked secret: no unmasked value is marked, and no name looks secret. \
                 If this document was redacted, also audit the original with --echo encoded: \
                 copies inside longer texts cannot be found here."
            .to_owned(),
        false => format!("{}.", parts.join(", ")),
    }
}

impl<W: Write> Sink for Table<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Audit(head) => {
                // Drops the findings of a document that failed before this one.
                self.page = Page { title: visible(head.source), ..Page::default() };
                Ok(())
            }
            Record::Finding(finding) => {
                self.page.add(finding);
                Ok(())
            }
            Record::AuditSummary(summary) => self.draw(summary).map_err(write_error),
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}
