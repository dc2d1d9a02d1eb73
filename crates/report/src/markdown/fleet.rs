//! Writes many plans as Markdown: the workspaces of a run, or the comparison of two runs.

use std::fmt::Write as _;

use super::quoted::{span, text_span};
use crate::fleet::{Failure, Workspace, Workspaces, capitalized};
use crate::overview::{ERROR, NAME};
use crate::phrase::counted;
use crate::screen::Screen;
use plansift_plan::record::{Column, Transition};

/// Maximum number of workspaces in the table, and of errors, by default. A comment has room for
/// them.
const LISTED: usize = 100;

/// Returns the text, with at most `top` workspaces and errors.
pub fn text(workspaces: &Workspaces<'_>, top: Option<usize>) -> String {
    let totals = workspaces.after;
    let top = top.unwrap_or(LISTED);
    let mut text = format!("## {}\n\n{}\n\n", totals.title(), totals.plan_line());
    for warning in workspaces.warnings(Screen::UNBOUNDED) {
        let _ = write!(text, "**Warning:** {warning}\n\n");
    }
    for sentence in workspaces.state_sentences() {
        let _ = writeln!(text, "{sentence}");
    }
    text += "\n| Workspaces | |\n| --- | ---: |\n";
    for (transition, number) in workspaces.transitions() {
        let _ = writeln!(text, "| {} | {number} |", capitalized(workspaces.words(transition)));
    }
    errors(workspaces, top, &mut text);
    table(workspaces, top, &mut text);
    text
}

/// Adds the list of plans that could not be read.
fn errors(workspaces: &Workspaces<'_>, top: usize, text: &mut String) {
    let totals = workspaces.after;
    if totals.failures.is_empty() {
        return;
    }
    let _ = write!(text, "\n**Not read: {}**\n\n", totals.inputs.failed);
    let listed = &totals.failures[..totals.failures.len().min(top)];
    for Failure { source, error, .. } in listed {
        let _ = writeln!(text, "- {}: {}", text_span(source, NAME), text_span(error, ERROR));
    }
    match totals.inputs.failed - listed.len() as u64 {
        0 => {}
        more => text.push_str(&format!("- … and {more} more\n")),
    }
}

/// Adds a row for each workspace that is not as it should be, or that differs.
fn table(workspaces: &Workspaces<'_>, top: usize, text: &mut String) {
    let is_listed = |row: &&Workspace<'_>| row.worst() != Transition::Unchanged;
    let rows: Vec<_> = workspaces.rows.iter().filter(is_listed).collect();
    if rows.is_empty() {
        return;
    }
    let columns = workspaces.columns();
    *text += "\n| Workspace |";
    for column in &columns {
        let _ = write!(text, " {} |", column.words()[2]);
    }
    let _ = writeln!(text, " State |\n| --- |{} --- |", " ---: |".repeat(columns.len()));
    for row in &rows[..rows.len().min(top)] {
        let _ = write!(text, "| {} |", span(row.name, NAME));
        for &column in &columns {
            let _ = write!(text, " {} |", row.cell(column));
        }
        let _ = writeln!(text, " {} |", workspaces.remarks(row));
    }
    let more = rows.len().saturating_sub(top) as u64;
    if more > 0 {
        let _ = writeln!(text, "\n… and {}", counted(more, "more workspace"));
    }
    if columns.contains(&Column::Replace) {
        *text += "\nReplacements are counted apart here.\n";
    }
}
