//! The first part of the report. Lists that do not fit are cut.

use std::fmt::Write as _;

use super::quoted::{span, text_span};
use crate::change_list::ListedChange;
use crate::fit::{Measure, fitting};
use crate::gate::{self, Severity};
use crate::loss;
use crate::overview::{BrokenRule, ERROR, NAME, Overview, PlanTable, number, problem};
use crate::phrase::counted;
use plansift_plan::record::{Column, FleetRow};

/// Maximum number of losses that are listed, if they are not of data.
pub(super) const LISTED: usize = 10;

/// Returns the overview as text, at most `room` long.
pub(super) fn text(overview: &Overview, measure: Measure, room: u64) -> String {
    let mut text = format!("## {}\n\n", overview.heading());
    let mut room = room.saturating_sub(measure.of(&text));
    let mut add = |part: String| {
        room = room.saturating_sub(measure.of(&part));
        text += &part;
        room
    };
    let room = add(plans(overview));
    let room = add(errors(overview, measure, room / 2));
    let room = add(broken_rules(overview, measure, room / 2));
    let room = add(losses(overview, measure, room / 2));
    add(table(overview, measure, room));
    text
}

/// Returns the number of plans, and the warnings.
fn plans(overview: &Overview) -> String {
    let plans = overview.plans_sentence();
    let warnings = overview.warnings();
    let warnings = warnings.into_iter().map(|(_, words)| format!("**Warning:** {words}"));
    let paragraphs = plans.into_iter().chain(warnings).chain(overview.hidden());
    paragraphs.map(|words| words + "\n\n").collect()
}

/// Returns the list of plans that could not be read.
fn errors(overview: &Overview, measure: Measure, room: u64) -> String {
    let count = overview.errors_count();
    if count == 0 {
        return String::new();
    }
    let line =
        |(name, error)| format!("- {}: {}\n", text_span(name, NAME), text_span(error, ERROR));
    let lines = overview.errors().map(line);
    list(&format!("Not read: {count}"), count, lines, measure, room)
}

fn broken_rules(overview: &Overview, measure: Measure, room: u64) -> String {
    let broken = &overview.broken;
    if broken.rules.is_empty() {
        return String::new();
    }
    let [has_rules, has_assertions] = broken.kinds;
    let title = gate::title(has_rules, has_assertions);
    let line = |broken: &BrokenRule| {
        let BrokenRule { severity, rule, words, plan, message, .. } = broken;
        let level = if *severity == Severity::Error { "" } else { "warning: " };
        let colon = if message.is_empty() { "" } else { ": " };
        format!("- {level}{rule}: {words} ({plan}){colon}{}\n", message.join("<br>"))
    };
    let count = broken.rules.len() as u64 + broken.more;
    list(&format!("{title}:"), count, broken.rules.iter().map(line), measure, room)
}

/// Returns the list of possible losses. It is not folded, so a reviewer sees them without opening a
/// section.
fn losses(overview: &Overview, measure: Measure, room: u64) -> String {
    let losses = &overview.losses;
    if losses.count() == 0 {
        return String::new();
    }
    let title = format!("{}: {}", loss::TITLE, losses.count());
    let line = |change: &ListedChange| {
        let ListedChange { plan, symbol, name, phrase } = change;
        let plan = plan.as_ref().map(|plan| format!("{plan}: ")).unwrap_or_default();
        format!("- {plan}`{}` **{name}** {phrase}\n", symbol.trim())
    };
    list(&title, losses.count(), losses.changes().map(line), measure, room)
}

/// Returns a titled list with as many `lines` as fit, and the number of other items of `count`.
pub(crate) fn list(
    title: &str,
    count: u64,
    lines: impl Iterator<Item = String>,
    measure: Measure,
    room: u64,
) -> String {
    let title = format!("**{title}**\n\n");
    let more = |shown: usize| match count - shown as u64 {
        0 => "\n".to_owned(),
        count => format!("- … and {count} more\n\n"),
    };
    let room = room.saturating_sub(measure.of(&title) + measure.of(&more(0)));
    let (lines, shown) = fitting(lines, measure, room);
    title + &lines + &more(shown)
}

/// Returns a table with a row for each plan that changes something. Counts the rows that do not
/// fit.
fn table(overview: &Overview, measure: Measure, room: u64) -> String {
    let Some(PlanTable { columns, rows, total, has_problems, note }) = overview.table() else {
        return String::new();
    };
    let line = |name: &str, row: &FleetRow| {
        let mut line = format!("| {name} |");
        for &column in &columns {
            let _ = match number(row, column) {
                0 => write!(line, " · |"),
                number => write!(line, " {number} |"),
            };
        }
        if has_problems {
            let space = if problem(row).is_empty() { "" } else { " " };
            let _ = write!(line, " {}{space}|", problem(row));
        }
        line + "\n"
    };
    let heading = heading(&columns, has_problems);
    let end = |left: usize| {
        let more = match left as u64 {
            0 => String::new(),
            left => format!("\n… and {}\n", counted(left, "more plan")),
        };
        let total = total.as_ref().map(|total| line("**Total**", total)).unwrap_or_default();
        let note = if note.is_empty() { String::new() } else { format!("\n{note}\n") };
        total + &more + &note + "\n"
    };
    let room = room.saturating_sub(measure.of(&heading) + measure.of(&end(rows.len())));
    let lines = rows.iter().map(|row| line(&span(&row.name, NAME), row));
    match fitting(lines, measure, room) {
        (_, 0) => String::new(),
        (lines, shown) => heading + &lines + &end(rows.len() - shown),
    }
}

fn heading(columns: &[Column], has_problems: bool) -> String {
    let mut text = "| Plan |".to_owned();
    let mut rule = "| --- |".to_owned();
    for column in columns {
        let _ = write!(text, " {} |", column.words()[2]);
        rule += " ---: |";
    }
    if has_problems {
        text += " Problem |";
        rule += " --- |";
    }
    format!("{text}\n{rule}\n")
}
