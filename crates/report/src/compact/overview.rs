//! The first part of the text. Lists that do not fit are cut.

use crate::cut::cut;
use crate::fit::{Measure, fitting};
use crate::gate::{self, Severity};
use crate::overview::{BrokenRule, ERROR, NAME, Overview, PlanTable, number, problem};
use crate::phrase::counted;
use plansift_plan::record::FleetRow;

/// Returns the overview as text, at most `room` long.
pub(super) fn text(overview: &Overview, made_by: Option<&str>, room: u64) -> String {
    let made_by = made_by.filter(|_| overview.plans() == 1);
    let made_by = made_by.map(|tool| format!(", made by {tool}")).unwrap_or_default();
    let plans = match overview.plans_sentence() {
        Some(sentence) => sentence.trim_end_matches('.').to_owned(),
        None => counted(overview.plans(), "plan"),
    };
    let mut text = format!(
        "plansift {}: {plans}{made_by}\n{}\n",
        env!("CARGO_PKG_VERSION"),
        overview.heading()
    );
    if let Some(words) = overview.hidden() {
        text += &(words + "\n");
    }
    text += &warnings(overview, (room / 2).saturating_sub(text.len() as u64));
    let mut room = room.saturating_sub(text.len() as u64);
    let errors = errors(overview, room / 2);
    let mut add = |part: String| {
        room = room.saturating_sub(part.len() as u64);
        text += &part;
        room
    };
    let room = add(errors);
    let room = add(broken_rules(overview, room / 2));
    add(plans_of(overview, room / 2));
    text
}

fn warnings(overview: &Overview, room: u64) -> String {
    let warnings = overview.warnings();
    let count = warnings.len() as u64;
    let lines = warnings.into_iter().map(|(_, words)| format!("! {words}\n"));
    list("", count, "! ", lines, room)
}

/// Returns the list of plans that could not be read.
fn errors(overview: &Overview, room: u64) -> String {
    let count = overview.errors_count();
    let lines = overview
        .errors()
        .map(|(name, error)| format!("  {}: {}\n", cut(name, NAME), cut(error, ERROR)));
    list(&format!("\nNot read: {count}\n"), count, "  ", lines, room)
}

fn broken_rules(overview: &Overview, room: u64) -> String {
    let broken = &overview.broken;
    let [has_rules, has_assertions] = broken.kinds;
    let count = broken.rules.len() as u64 + broken.more;
    let title = format!("\n{}: {count}\n", gate::title(has_rules, has_assertions));
    let line = |broken: &BrokenRule| {
        let BrokenRule { severity, rule, words, plan, message, .. } = broken;
        let level = if *severity == Severity::Error { "" } else { "warning: " };
        let colon = if message.is_empty() { "" } else { ": " };
        format!("  {level}{rule}: {words} ({plan}){colon}{}\n", message.join(" "))
    };
    list(&title, count, "  ", broken.rules.iter().map(line), room)
}

/// Returns a line for each plan that changes something, if there are several plans.
fn plans_of(overview: &Overview, room: u64) -> String {
    let table = overview.table().filter(|_| overview.plans() > 1);
    let Some(PlanTable { columns, rows, .. }) = table else { return String::new() };
    let line = |row: &&FleetRow| {
        let numbers = columns.iter().map(|&column| (number(row, column), column.words()[0]));
        let numbers = numbers.filter(|(number, _)| *number > 0);
        let words = numbers.map(|(number, word)| format!("{number} {word}"));
        let problem = Some(problem(row)).filter(|words| !words.is_empty()).map(str::to_owned);
        let words: Vec<String> = words.chain(problem).collect();
        format!("  {}: {}\n", cut(&row.name, NAME), words.join(", "))
    };
    let count = rows.len() as u64;
    let title = format!("\nPlans with changes: {count}\n");
    list(&title, count, "  ", rows.iter().map(line), room)
}

/// Returns a titled list with as many `lines` as fit, and the number of other items of `count`.
/// Empty without items.
fn list(
    title: &str,
    count: u64,
    indent: &str,
    lines: impl Iterator<Item = String>,
    room: u64,
) -> String {
    let more = |shown: usize| match count - shown as u64 {
        0 => String::new(),
        count => format!("{indent}… and {count} more\n"),
    };
    let room = room.checked_sub((title.len() + more(0).len()) as u64);
    let Some(room) = room.filter(|_| count > 0) else { return String::new() };
    let (lines, shown) = fitting(lines, Measure::Bytes, room);
    title.to_owned() + &lines + &more(shown)
}
