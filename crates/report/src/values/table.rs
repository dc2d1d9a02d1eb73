//! Draws rows as a table for a person.
//!
//! Rows are buffered and drawn in batches of [`BATCH`] rows, so memory is bounded. Each batch has
//! its own column widths. Most documents fit into one batch.

use std::io::Write;

use super::Rows;
use super::type_words::type_words;
use crate::cells::Row;
use crate::fleet::without_registry;
use crate::phrase::counted;
use crate::screen::{BOLD, DIM, STACKED, Screen, fit, padded, width};
use plansift_core::error::Result;
use plansift_core::inert::{self, visible};
use plansift_plan::record::{CheckResult, Output, Record, RowSummary, Sink, Variable};
use plansift_plan::sink::write_error;

const BATCH: usize = 1000;
/// Maximum width of a table column that is not the last, in screen columns.
const WIDEST: usize = 60;
/// Minimum width of a table column, in screen columns.
const NARROWEST: usize = 8;

/// Length of a text that no screen shows, in bytes.
const LONGEST: usize = STACKED * 4 * Screen::UNBOUNDED;

/// Maximum number of lines of the messages of a check.
const LINES_MAX: usize = 1000;

/// The fields that the table draws, without the selected values.
const FIELDS: [&str; 14] = [
    "kind",
    "name",
    "resources",
    "documents",
    "type",
    "value",
    "address",
    "check_kind",
    "status",
    "sensitive",
    "unknown",
    "ephemeral",
    "required",
    "default",
];

/// A sink that draws a table for each document.
pub struct Table<W: Write> {
    out: W,
    screen: Screen,
    headings: Vec<String>,
    /// The number of selected attributes, which are the last columns.
    selected: usize,
    /// The word for a row.
    noun: &'static str,
    /// The fields of the current record.
    fields: Row,
    /// The rows of the current batch.
    rows: Vec<Vec<String>>,
    title: String,
    has_title: bool,
    /// Number of documents that were drawn.
    drawn: u64,
}

impl<W: Write> Table<W> {
    /// Draws rows of one kind to `out`.
    pub fn new(out: W, screen: Screen, of: Rows<'_>) -> Table<W> {
        let (fixed, noun): (&[&str], _) = match of {
            Rows::Groups => (&["name", "resources", "documents"], "resource"),
            Rows::Resources(select) if select.is_empty() => {
                (&["address", "provider", "marks"], "resource")
            }
            Rows::Resources(_) => (&["address", "marks"], "resource"),
            Rows::Outputs => (&["name", "type", "marks", "value"], "output"),
            Rows::Variables => (&["name", "type", "marks", "value"], "variable"),
            Rows::Checks => (&["address", "kind", "status", "problems"], "check"),
        };
        let fixed = fixed.iter().map(|heading| (*heading).to_owned());
        let headings = fixed.chain(of.selected().iter().map(|text| visible(text))).collect();
        let (rows, title, selected) = (Vec::new(), String::new(), of.selected().len());
        let selected_fields = of.selected().iter().map(|text| format!("values.{text}"));
        let fields = Row::new(FIELDS.map(str::to_owned).into_iter().chain(selected_fields));
        let (has_title, drawn) = (false, 0);
        Table { out, screen, headings, selected, noun, fields, rows, title, has_title, drawn }
    }

    fn draw_rows(&mut self) -> std::io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        self.begin()?;
        // A column without any text is left out, unless the user asked for it.
        let fixed = self.headings.len() - self.selected;
        let has_text = |column: usize| rows.iter().any(|row| !row[column].is_empty());
        let columns: Vec<usize> =
            (0..self.headings.len()).filter(|&it| it >= fixed || has_text(it)).collect();
        let widths = self.widths(&rows, &columns);
        let heading: Vec<&str> = columns.iter().map(|&at| self.headings[at].as_str()).collect();
        let heading = line(&heading, &widths);
        writeln!(self.out, "{}", self.screen.paint(DIM, &heading))?;
        for row in &rows {
            let cells: Vec<&str> = columns.iter().map(|&at| row[at].as_str()).collect();
            writeln!(self.out, "{}", line(&cells, &widths))?;
        }
        Ok(())
    }

    /// Returns the widths of the columns. Together they fit the screen.
    fn widths(&self, rows: &[Vec<String>], columns: &[usize]) -> Vec<usize> {
        let widest = |&at: &usize| {
            let cells = rows.iter().map(|row| row[at].as_str());
            cells.chain([self.headings[at].as_str()]).map(width).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = columns.iter().map(widest).collect();
        let mut room = self.screen.width;
        let last = widths.len().saturating_sub(1);
        for (at, width) in widths.iter_mut().enumerate() {
            let rest = (last - at) * (NARROWEST + 2);
            let most = room.saturating_sub(rest + 2).max(NARROWEST);
            let is_cut = self.screen.width < Screen::UNBOUNDED && at < last;
            *width = (*width).min(most).min(if is_cut { WIDEST.max(most / 2) } else { most });
            room = room.saturating_sub(*width + 2);
        }
        widths
    }

    /// Draws the title of the document, unless it was drawn before.
    fn begin(&mut self) -> std::io::Result<()> {
        if self.has_title {
            return Ok(());
        }
        self.has_title = true;
        if self.drawn > 0 {
            writeln!(self.out)?;
        }
        self.drawn += 1;
        match self.title.is_empty() {
            true => Ok(()),
            false => writeln!(self.out, "{}", self.screen.paint(BOLD, &self.title)),
        }
    }

    fn end(&mut self, summary: &RowSummary) -> std::io::Result<()> {
        self.draw_rows()?;
        self.begin()?;
        let mut text = counted(summary.rows, self.noun);
        if let Some(documents) = summary.documents {
            text += &format!(" in {}", counted(documents, "document"));
        }
        if summary.hidden > 0 {
            text += &format!(", {} not shown", summary.hidden);
        }
        writeln!(self.out, "{}", self.screen.paint(DIM, &text))
    }

    /// Returns the rows of a record: one, or one for each line of the messages of a check. A record
    /// that is not a row has none.
    fn rows(&mut self, record: &Record<'_>) -> Result<Vec<Vec<String>>> {
        self.fields.fill(record)?;
        let Some(mut first) = self.row(record) else { return Ok(Vec::new()) };
        let Record::CheckResult(check) = record else { return Ok(vec![first]) };
        let problems = inert::lines(&problems(check)).replace('\t', "    ");
        let lines = problems.split('\n').map(|line| fit(line, Screen::UNBOUNDED));
        let more = problems.split('\n').nth(LINES_MAX).map(|_| "…".to_owned());
        let mut lines = lines.take(LINES_MAX).chain(more);
        let (columns, last) = (first.len(), first.len() - 1);
        first[last] = lines.next().unwrap_or_default();
        let more = lines.map(|line| {
            let mut row = vec![String::new(); columns];
            row[last] = line;
            row
        });
        Ok(std::iter::once(first).chain(more).collect())
    }

    /// Returns the cells of a row in the order of the columns, or `None` for a record that is not a
    /// row. The last cell of a check is empty.
    fn row(&self, record: &Record<'_>) -> Option<Vec<String>> {
        // A longer text would be cut on any screen.
        let text = |field: &str| fit(&visible(self.fields.get(field)), Screen::UNBOUNDED);
        let mut row = match record {
            Record::Group(group) => {
                let name = match (group.by, group.name) {
                    ("module", "") => "(root module)".to_owned(),
                    ("provider", name) => visible(without_registry(name)),
                    (_, name) => visible(name),
                };
                vec![name, text("resources"), text("documents")]
            }
            Record::Resource(resource) => {
                let provider = resource.resource.provider_name.as_deref().unwrap_or_default();
                let marked = resource.sensitive.len();
                let marks = [
                    resource.resource.deposed.as_ref().map(|key| format!("deposed {key}")),
                    resource.tainted.then(|| "tainted".to_owned()),
                    (marked > 0).then(|| format!("{marked} sensitive")),
                ];
                let marks: Vec<String> = marks.into_iter().flatten().collect();
                let mut row = vec![
                    visible(resource.resource.address.as_deref().unwrap_or_default()),
                    visible(&marks.join(", ")),
                ];
                if self.selected == 0 {
                    row.insert(1, visible(without_registry(provider)));
                }
                row
            }
            Record::Output(Output { type_name, deprecated, .. })
            | Record::Variable(Variable { type_name, deprecated, .. }) => {
                let words = type_name.as_ref().and_then(|json| type_words(json.get()));
                let words = words.map(|words| fit(&visible(&words), Screen::UNBOUNDED));
                let flags = ["sensitive", "unknown", "ephemeral", "required", "default"];
                let set = flags.into_iter().filter(|flag| !self.fields.get(flag).is_empty());
                let marks: Vec<&str> =
                    set.chain(deprecated.as_ref().map(|_| "deprecated")).collect();
                let words = words.unwrap_or_else(|| text("type"));
                vec![text("name"), words, marks.join(", "), text("value")]
            }
            Record::CheckResult(_) => vec![text("address"), text("check_kind"), text("status")],
            _ => return None,
        };
        if let Record::Resource(resource) = record {
            let selected = resource.values.iter().map(|(path, _)| text(&format!("values.{path}")));
            row.extend(selected);
        }
        row.resize(self.headings.len(), String::new());
        Some(row)
    }
}

/// Returns the problems of a check, up to a length that no screen has. A problem begins with the
/// address of its instance, if that differs from the address of the check. If a problem has several
/// lines, each problem begins a line.
fn problems(check: &CheckResult<'_>) -> String {
    let (mut text, mut has_lines) = (String::new(), false);
    // Only an input that another process modifies has an invalid instance or problem.
    for instance in check.instances.iter().flatten() {
        let address = instance.address.as_deref().filter(|address| *address != check.address);
        for problem in instance.problems.iter().flatten() {
            if text.len() > LONGEST {
                break;
            }
            if !text.is_empty() {
                text.push('\n');
            }
            address.iter().for_each(|address| text.extend([&*visible(address), ": "]));
            let problem = inert::trimmed(&problem[..problem.floor_char_boundary(LONGEST)]);
            has_lines |= problem.contains('\n');
            text.push_str(problem);
        }
    }
    if has_lines { text } else { text.replace('\n', "; ") }
}

/// Returns a line of cells, each padded or cut to its width.
fn line(cells: &[&str], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, &columns) in cells.iter().zip(widths) {
        line += &padded(&fit(cell, columns), columns + 2);
    }
    line.truncate(line.trim_end().len());
    line
}

impl<W: Write> Sink for Table<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        let drawn = match record {
            Record::Document(document) => {
                // Drops the rows of a document that failed before this one.
                self.rows.clear();
                self.has_title = false;
                self.title = match document.workspace {
                    Some(workspace) => visible(&format!("{workspace} ({})", document.source)),
                    None => visible(document.source),
                };
                Ok(())
            }
            Record::RowSummary(summary) => self.end(summary),
            row => {
                let rows = self.rows(row)?;
                self.rows.extend(rows);
                if self.rows.len() < BATCH { Ok(()) } else { self.draw_rows() }
            }
        };
        drawn.map_err(write_error)
    }

    fn finish(&mut self) -> Result<()> {
        self.out.flush().map_err(write_error)
    }
}
