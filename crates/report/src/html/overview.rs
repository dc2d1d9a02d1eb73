//! The part of the page that needs no script: the plan line, the warnings, the tables, and the
//! first changes. The script turns names in the tables into buttons, and replaces the list of
//! changes by one with filters.
//!
//! Everything that comes from a plan passes through [`escaped`].

use std::fmt::Write as _;

use crate::fleet::{Column, FleetGrouping, Sort};
use crate::gate::Severity;
use crate::loss;
use crate::markup::escaped;
use crate::overview::{
    BrokenRule, ChangeList, Class, ERROR, ListedChange, Overview, PlanTable, number, problem,
};
use crate::phrase::{self, Tense, counted};
use crate::summary::symbol;
use plansift_plan::record::ResourceChange;

/// Maximum number of rows of a table.
const ROWS_MAX: usize = 1000;
/// Maximum number of losses, and of other changes of each class.
pub(super) const LISTED: usize = 100;
/// Maximum number of broken rules in the list of warnings.
const BROKEN_MAX: usize = 100;
/// Maximum number of characters of a name.
const NAME: usize = 200;

/// The changes that lose nothing, most severe first.
const OTHERS: [Class; 5] = [Class::Other, Class::Update, Class::Create, Class::Read, Class::Move];

/// Cuts a string to a number of characters. [`escaped`] quotes it when it is written.
pub(super) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// Returns an empty list of the changes that lose nothing.
pub(super) fn others() -> ChangeList {
    let maxes: Vec<usize> = (1..=OTHERS.len()).map(|classes| classes * LISTED).collect();
    ChangeList::new(&maxes)
}

/// Adds a change to the losses of `overview`, or to `others`. A change that keeps its resource as
/// it is belongs to neither.
pub(super) fn note(
    change: &ResourceChange<'_>,
    plan: Option<&str>,
    overview: &mut Overview,
    others: &mut ChangeList,
) {
    let listed = || ListedChange {
        plan: plan.map(|plan| cut(plan, NAME)),
        symbol: symbol(change),
        name: cut(&change.full_name(), NAME),
        phrase: phrase::description(Tense::Planned, change, |_, text| cut(text, NAME)),
    };
    let class = Class::of(change);
    if let Some(rank) = loss::rank(change) {
        overview.losses.note(rank, listed);
    } else if let Some(rank) = OTHERS.iter().position(|other| *other == class) {
        others.note(rank, listed);
    }
}

/// Returns the title, the plan line and the warnings.
pub(super) fn head(overview: &Overview) -> String {
    let workspaces = &overview.totals.groups.workspaces;
    let title = match (overview.plans(), workspaces.rows().next()) {
        (0, _) | (_, None) => "No plans".to_owned(),
        (1, Some(row)) => row.name.to_string(),
        (plans, _) => counted(plans, "plan"),
    };
    let line = if overview.plans() == 0 { String::new() } else { overview.heading() };
    let mut text = format!("<h1 id=\"title\">{}</h1>\n", escaped(&title));
    let _ = writeln!(text, "<p id=\"line\" class=\"line\">{}</p>", escaped(&line));
    let broken = &overview.broken;
    let rules = broken.rules.iter().take(BROKEN_MAX);
    let mut warnings: Vec<_> = rules.map(|rule| broken_rule(rule, overview.plans())).collect();
    let more = broken.rules.len().saturating_sub(BROKEN_MAX) as u64 + broken.more;
    warnings.extend((more > 0).then(|| (Severity::Error, format!("… and {more} more."))));
    warnings.extend(overview.warnings());
    warnings.extend(overview.hidden().map(|words| (Severity::Warning, words)));
    if warnings.is_empty() {
        return text;
    }
    text += "<ul id=\"warnings\" aria-label=\"Warnings\">\n";
    for (severity, words) in warnings {
        let mild = if severity == Severity::Warning { " mild" } else { "" };
        let _ = writeln!(text, "<li class=\"warning{mild}\">{}</li>", broken_lines(&words));
    }
    text + "</ul>\n"
}

/// Returns a text as HTML, with its line feeds as line breaks.
fn broken_lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("<br>")
}

/// Returns a broken rule or a failed assertion as a sentence.
fn broken_rule(broken: &BrokenRule, plans: u64) -> (Severity, String) {
    let BrokenRule { severity, is_assertion, rule, words, plan, message } = broken;
    let title = match (severity, is_assertion) {
        (Severity::Error, false) => "Rule broken",
        (Severity::Error, true) => "Assertion failed",
        (Severity::Warning, false) => "Warning, rule broken",
        (Severity::Warning, true) => "Warning, assertion failed",
    };
    let plan = if plans > 1 { format!(" ({plan})") } else { String::new() };
    let colon = if message.is_empty() { "" } else { ": " };
    (*severity, format!("{title}: {rule}: {words}{plan}{colon}{}", message.join("\n")))
}

/// Returns the errors, the first losses, the tables, and the first other changes.
pub(super) fn body(overview: &Overview, others: &ChangeList) -> String {
    let mut text = String::new();
    errors(overview, &mut text);
    changes(loss::TITLE, &overview.losses, &mut text);
    if overview.plans() > 1 {
        plans(overview, &mut text);
    }
    types(overview, &mut text);
    changes("Other changes", others, &mut text);
    text + UNSCRIPTED
}

fn errors(overview: &Overview, text: &mut String) {
    let count = overview.errors_count();
    if count == 0 {
        return;
    }
    let _ = write!(
        text,
        "<section id=\"errors\" aria-labelledby=\"errors-title\">\n\
         <h2 id=\"errors-title\">Not read: {count}</h2>\n<ul>\n"
    );
    for (name, error) in overview.errors().take(ROWS_MAX) {
        let [name, error] = [cut(name, NAME), cut(error, ERROR)].map(|text| escaped(&text));
        let _ = writeln!(text, "<li><code>{name}</code>: {error}</li>");
    }
    let more = count - overview.errors().take(ROWS_MAX).count() as u64;
    if more > 0 {
        let _ = writeln!(text, "<li>… and {more} more</li>");
    }
    *text += "</ul>\n</section>\n";
}

fn plans(overview: &Overview, text: &mut String) {
    let Some(PlanTable { columns, rows, total, has_problems, note }) = overview.table() else {
        return;
    };
    let headings: Vec<&str> = columns.iter().map(|column| column.words()[2]).collect();
    begin(text, "plans", "Plans", "Plan", &headings, has_problems.then_some("Problem"));
    for row in rows.iter().copied().take(ROWS_MAX) {
        let numbers = columns.iter().map(|&column| (column, number(row, column)));
        push_row(text, &row.name, numbers, has_problems.then(|| problem(row)));
    }
    let more = rows.len().saturating_sub(ROWS_MAX) as u64;
    let more = (more > 0).then(|| format!("… and {}.", counted(more, "more plan")));
    if let Some(total) = total {
        let numbers = columns.iter().map(|&column| (column, number(&total, column)));
        push_total(text, numbers);
    }
    end(text, more.into_iter().chain(overview.plans_sentence()).chain([note.to_owned()]));
}

fn types(overview: &Overview, text: &mut String) {
    let rows = overview.totals.sorted(FleetGrouping::Type, Sort::Changes);
    let sum = |column| rows.iter().map(|row| row.counts[column]).sum::<u64>();
    let sums = Column::ALL.map(|column| (column, sum(column)));
    let sums: Vec<(Column, u64)> = sums.into_iter().filter(|(_, sum)| *sum > 0).collect();
    if sums.is_empty() {
        return;
    }
    let headings: Vec<&str> = sums.iter().map(|(column, _)| column.words()[2]).collect();
    begin(text, "types", "Changes by type", "Type", &headings, None);
    for row in rows.iter().take(ROWS_MAX) {
        let numbers = sums.iter().map(|&(column, _)| (column, row.counts[column]));
        push_row(text, &row.name, numbers, None);
    }
    let more = rows.len().saturating_sub(ROWS_MAX) as u64;
    let more = (more > 0).then(|| format!("… and {}.", counted(more, "more type")));
    if rows.len() > 1 {
        push_total(text, sums.iter().map(|&(column, sum)| (column, sum)));
    }
    let counts_replacements = sums.iter().any(|(column, _)| *column == Column::Replace);
    let note = counts_replacements.then(|| "Replacements are counted apart here.".to_owned());
    end(text, more.into_iter().chain(note));
}

/// Begins a section with a table.
fn begin(
    text: &mut String,
    id: &str,
    title: &str,
    name: &str,
    columns: &[&str],
    last: Option<&str>,
) {
    let _ = write!(
        text,
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n\
         <h2 id=\"{id}-title\">{title}</h2>\n<div class=\"scroll\"><table>\n<thead><tr>"
    );
    for heading in [name].iter().chain(columns).copied().chain(last) {
        let _ = write!(text, "<th scope=\"col\">{heading}</th>");
    }
    *text += "</tr></thead>\n<tbody>\n";
}

/// Adds a row of numbers.
fn push_row(
    text: &mut String,
    name: &str,
    numbers: impl Iterator<Item = (Column, u64)>,
    last: Option<&str>,
) {
    let _ = write!(text, "<tr><th scope=\"row\" class=\"name\">{}</th>", escaped(name));
    for (column, number) in numbers {
        let number = match number {
            0 => "·".to_owned(),
            number => number.to_string(),
        };
        let _ = write!(text, "<td class=\"{}\">{number}</td>", style(column));
    }
    if let Some(last) = last {
        let _ = write!(text, "<td class=\"problem\">{}</td>", escaped(last));
    }
    *text += "</tr>\n";
}

/// Adds the row of sums.
fn push_total(text: &mut String, numbers: impl Iterator<Item = (Column, u64)>) {
    *text += "</tbody>\n<tbody class=\"total\">\n";
    push_row(text, "total", numbers, None);
}

/// Ends a section with sentences below the table.
fn end(text: &mut String, notes: impl Iterator<Item = String>) {
    *text += "</tbody>\n</table></div>\n";
    for note in notes.filter(|note| !note.is_empty()) {
        let _ = writeln!(text, "<p class=\"note\">{}</p>", escaped(&note));
    }
    *text += "</section>\n";
}

/// Returns the class of a column's numbers, which gives them a colour.
fn style(column: Column) -> &'static str {
    match column {
        Column::Add => "create",
        Column::Change => "update",
        Column::Destroy | Column::Checks | Column::Errors => "delete",
        Column::Replace => "replace",
        Column::Forget => "forget",
        Column::Import | Column::Move | Column::Drift => "read",
    }
}

/// Adds a list of changes. The script replaces it.
fn changes(title: &str, list: &ChangeList, text: &mut String) {
    if list.count() == 0 {
        return;
    }
    let count = list.count();
    let _ = write!(text, "<section class=\"unscripted\">\n<h2>{title}: {count}</h2>\n<ul>\n");
    for ListedChange { plan, symbol, name, phrase } in list.changes() {
        let plan = plan.as_ref().map(|plan| format!("{}: ", escaped(plan))).unwrap_or_default();
        let [symbol, name, phrase] = [symbol.trim(), name, phrase].map(escaped);
        let _ = writeln!(text, "<li>{plan}<code>{symbol} {name}</code> {phrase}</li>");
    }
    let more = count - list.changes().count() as u64;
    if more > 0 {
        let _ = writeln!(text, "<li>… and {more} more</li>");
    }
    *text += "</ul>\n</section>\n";
}

/// What the page says if its script does not run.
const UNSCRIPTED: &str = "<p class=\"unscripted note\">Scripts are off. To see all changes with \
     their values, and to filter and search them, save this page and open it in a browser that \
     runs scripts. The page fetches nothing.</p>\n";
