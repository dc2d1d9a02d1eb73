//! Writes a page about many plans: the workspaces of a run, or the comparison of two runs.
//!
//! The whole page is in its HTML: the numbers, the errors, and a row for each workspace. The script
//! adds the search and the filters, and shows the first rows only. So the page stays fast with tens
//! of thousands of workspaces.

use std::fmt::Write as _;

use super::frame::Frame;
use super::table::style as column_style;
use super::table::{REPLACED_APART, Table, digits, end, push_cells, push_total, types, unread};
use crate::fleet::{Column, Workspaces};
use crate::markup::escaped;
use crate::screen::Screen;
use plansift_plan::record::Transition;

const PAGE: &str = include_str!("page/fleet.html");

const FRAME: Frame = Frame {
    title: "Fleet report",
    style: concat!(
        include_str!("page/page.css"),
        include_str!("page/lists.css"),
        include_str!("page/fleet.css"),
    ),
    style_digest: "xG61iJEWrcbv7hASNoyVJ8R/w+Jyx3JmqxSLwLy5HGo=",
    script: concat!(
        include_str!("page/words.js"),
        include_str!("page/tables.js"),
        include_str!("page/fleet.js"),
    ),
    script_digest: "IN10Rp2XfQsLTYSYpcwGTayacycMguPqwkW8lsLThOc=",
};

/// The placeholders in the page: for the numbers, the errors and the tables.
const MARKS: [&str; 3] = ["<!-- head -->\n", "<!-- errors -->\n", "<!-- body -->\n"];

/// Returns the page.
pub fn page(workspaces: &Workspaces<'_>) -> String {
    let mut page = FRAME.head();
    let mut rest = FRAME.tail(PAGE);
    let mut failed = String::new();
    unread(workspaces.after, usize::MAX, &mut failed);
    for (mark, part) in MARKS.into_iter().zip([head(workspaces), failed, body(workspaces)]) {
        let (before, after) = rest.split_once(mark).unwrap_or((&rest, ""));
        page += before;
        page += &part;
        rest = after.to_owned();
    }
    page + &rest
}

/// Returns the title, the plan line, the numbers and the warnings.
fn head(workspaces: &Workspaces<'_>) -> String {
    let totals = workspaces.after;
    let mut text = format!("<h1 id=\"title\">{}</h1>\n", escaped(&totals.title()));
    let _ = writeln!(text, "<p id=\"line\" class=\"line\">{}</p>", escaped(&totals.plan_line()));
    text += "<ul id=\"numbers\" aria-label=\"Workspaces\">\n";
    for (transition, number) in workspaces.transitions() {
        let words = workspaces.words(transition);
        let _ = writeln!(
            text,
            "<li class=\"{}\" data-is=\"{}\"><span>{words}</span><b>{number}</b></li>",
            style(transition),
            class(words),
        );
    }
    text += "</ul>\n";
    for sentence in workspaces.state_sentences() {
        let _ = writeln!(text, "<p class=\"note\">{}</p>", escaped(&sentence));
    }
    let warnings = workspaces.warnings(Screen::UNBOUNDED);
    if warnings.is_empty() {
        return text;
    }
    text += "<ul id=\"warnings\" aria-label=\"Warnings\">\n";
    for warning in warnings {
        let _ = writeln!(text, "<li class=\"warning\">{}</li>", escaped(&warning));
    }
    text + "</ul>\n"
}

/// Returns the tables of workspaces and of types.
fn body(workspaces: &Workspaces<'_>) -> String {
    let mut text = String::new();
    if workspaces.rows.is_empty() {
        return text;
    }
    let columns = workspaces.columns();
    let headings: Vec<&str> = columns.iter().map(|column| column.words()[2]).collect();
    let table = Table { id: "plans", title: "Workspaces", name: "Workspace" };
    table.begin(&headings, Some("State"), &mut text);
    for row in &workspaces.rows {
        let words = row.transitions.iter().map(|it| class(workspaces.words(*it)));
        let _ = write!(text, "<tr data-is=\"{}\">", words.collect::<Vec<_>>().join(" "));
        let numbers = columns.iter().map(|&column| (column_style(column), row.cell(column)));
        push_cells(&mut text, row.name, numbers, Some(&workspaces.remarks(row)));
    }
    let counts = &workspaces.after.counts;
    let numbers = columns.iter().map(|&column| (column_style(column), digits(counts[column])));
    push_total(&mut text, numbers, Some(""));
    let note = columns.contains(&Column::Replace).then(|| REPLACED_APART.to_owned());
    end(&mut text, note.into_iter());
    types(workspaces.after, &mut text);
    text
}

/// Returns words as the name of a class of rows.
fn class(words: &str) -> String {
    words.replace(' ', "-")
}

/// Returns the class of a number, which gives it a colour.
fn style(transition: Transition) -> &'static str {
    match transition {
        Transition::NewFailure | Transition::NewDestroys | Transition::StillFailing => "delete",
        Transition::NewPlannedChanges => "update",
        Transition::NewDrift | Transition::Pending | Transition::New => "read",
        Transition::FewerChanges | Transition::Recovered => "create",
        Transition::Gone => "forget",
        Transition::Unchanged => "no-op",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_style_and_the_script() {
        super::super::frame::tests::check(&FRAME, PAGE, &MARKS);
    }
}
