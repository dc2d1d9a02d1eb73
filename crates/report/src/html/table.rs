//! The tables and lists of the pages that need no script.
//!
//! Everything that comes from a plan passes through [`escaped`].

use std::fmt::Write as _;

use crate::fleet::{Column, Failure, FleetGrouping, Sort, Totals};
use crate::markup::escaped;
use crate::overview::ERROR;
use crate::phrase::counted;

/// Maximum number of rows of a table.
pub(crate) const ROWS_MAX: usize = 1000;
/// Maximum number of characters of a name.
pub(crate) const NAME: usize = 200;
/// A note below a table with a column for replacements.
pub(super) const REPLACED_APART: &str = "Replacements are counted apart here.";

/// Cuts a string to a number of characters. [`escaped`] quotes it when it is written.
pub(crate) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Adds the list of plans that could not be read, up to `max`.
pub(super) fn unread(totals: &Totals, max: usize, text: &mut String) {
    let failures = totals.failures.iter().take(max);
    let failures = failures.map(|Failure { source, error, .. }| (&**source, &**error));
    errors("Not read", totals.inputs.failed, failures, text);
}

/// Adds a list of errors, each with the name of its input. There are `count` errors in all.
pub(crate) fn errors<'e>(
    title: &str,
    count: u64,
    failures: impl ExactSizeIterator<Item = (&'e str, &'e str)>,
    text: &mut String,
) {
    if count == 0 {
        return;
    }
    let _ = write!(
        text,
        "<section id=\"errors\" aria-labelledby=\"errors-title\">\n\
         <h2 id=\"errors-title\">{title}: {count}</h2>\n<ul>\n"
    );
    let more = count - failures.len() as u64;
    for (name, error) in failures {
        let [name, error] = [cut(name, NAME), cut(error, ERROR)].map(|text| escaped(&text));
        let _ = writeln!(text, "<li><code>{name}</code>: {error}</li>");
    }
    if more > 0 {
        let _ = writeln!(text, "<li>… and {more} more</li>");
    }
    *text += "</ul>\n</section>\n";
}

/// Adds the table of changes by type.
pub(super) fn types(totals: &Totals, text: &mut String) {
    let rows = totals.sorted(FleetGrouping::Type, Sort::Changes);
    let sum = |column| rows.iter().map(|row| row.counts[column]).sum::<u64>();
    let sums = Column::ALL.map(|column| (column, sum(column)));
    let sums: Vec<(Column, u64)> = sums.into_iter().filter(|(_, sum)| *sum > 0).collect();
    if sums.is_empty() {
        return;
    }
    let headings: Vec<&str> = sums.iter().map(|(column, _)| column.words()[2]).collect();
    let table = Table { id: "types", title: "Changes by type", name: "Type" };
    table.begin(&headings, None, text);
    for row in rows.iter().take(ROWS_MAX) {
        let numbers = sums.iter().map(|&(column, _)| (style(column), digits(row.counts[column])));
        push_row(text, &row.name, numbers, None);
    }
    let more = rows.len().saturating_sub(ROWS_MAX) as u64;
    let more = (more > 0).then(|| format!("… and {}.", counted(more, "more type")));
    if rows.len() > 1 {
        push_total(text, sums.iter().map(|&(column, sum)| (style(column), digits(sum))), None);
    }
    let note = sums.iter().any(|(column, _)| *column == Column::Replace);
    let note = note.then(|| REPLACED_APART.to_owned());
    end(text, more.into_iter().chain(note));
}

/// The head of a section with a table.
pub(crate) struct Table<'t> {
    pub id: &'t str,
    pub title: &'t str,
    /// The heading of the names.
    pub name: &'t str,
}

impl Table<'_> {
    /// Begins the section.
    pub fn begin(&self, columns: &[&str], last: Option<&str>, text: &mut String) {
        let Table { id, title, name } = self;
        let _ = write!(
            text,
            "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n\
         <h2 id=\"{id}-title\">{title}</h2>\n\
         <div class=\"scroll\" role=\"group\" aria-labelledby=\"{id}-title\" tabindex=\"0\">\
         <table>\n<thead><tr>"
        );
        for heading in [name].into_iter().chain(columns).copied().chain(last) {
            let _ = write!(text, "<th scope=\"col\">{heading}</th>");
        }
        *text += "</tr></thead>\n<tbody>\n";
    }
}

/// Returns a number in a cell. A zero becomes a dot.
pub(crate) fn digits(number: u64) -> String {
    match number {
        0 => "·".to_owned(),
        number => number.to_string(),
    }
}

/// Adds a row of numbers, each with its class.
pub(super) fn push_row(
    text: &mut String,
    name: &str,
    numbers: impl Iterator<Item = (&'static str, String)>,
    last: Option<&str>,
) {
    *text += "<tr>";
    push_cells(text, name, numbers, last);
}

/// Adds the cells of a row, and its end.
pub(crate) fn push_cells(
    text: &mut String,
    name: &str,
    numbers: impl Iterator<Item = (&'static str, String)>,
    last: Option<&str>,
) {
    let _ = write!(text, "<th scope=\"row\" class=\"name\">{}</th>", escaped(name));
    for (class, number) in numbers {
        let _ = write!(text, "<td class=\"{class}\">{number}</td>");
    }
    if let Some(last) = last {
        let _ = write!(text, "<td class=\"problem\">{}</td>", escaped(last));
    }
    *text += "</tr>\n";
}

/// Adds the row of sums.
pub(super) fn push_total(
    text: &mut String,
    numbers: impl Iterator<Item = (&'static str, String)>,
    last: Option<&str>,
) {
    *text += "</tbody>\n<tbody class=\"total\">\n";
    push_row(text, "total", numbers, last);
}

/// Ends a section with sentences below the table.
pub(crate) fn end(text: &mut String, notes: impl Iterator<Item = String>) {
    *text += "</tbody>\n</table></div>\n";
    for note in notes.filter(|note| !note.is_empty()) {
        let _ = writeln!(text, "<p class=\"note\">{}</p>", escaped(&note));
    }
    *text += "</section>\n";
}

/// Returns the class of a column's numbers, which gives them a colour.
pub(super) fn style(column: Column) -> &'static str {
    match column {
        Column::Add => "create",
        Column::Change => "update",
        Column::Destroy | Column::Checks | Column::Errors => "delete",
        Column::Replace => "replace",
        Column::Forget => "forget",
        Column::Import | Column::Move | Column::Drift => "read",
    }
}
