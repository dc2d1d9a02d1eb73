//! The part of the page that needs no script: the plan line, the warnings, the tables, and the
//! first changes. The script turns names in the tables into buttons, and replaces the list of
//! changes by one with filters.
//!
//! Everything that comes from a plan passes through [`escaped`].

use std::fmt::Write as _;

use super::table::{
    NAME, ROWS_MAX, Table, cut, digits, end, push_row, push_total, style, types, unread,
};
use crate::change_list::{ChangeList, ListedChange};
use crate::gate::Severity;
use crate::loss;
use crate::markup::escaped;
use crate::overview::{BrokenRule, Class, Overview, PlanTable, number, problem};
use crate::phrase::{self, Tense, counted};
use crate::summary::symbol;
use plansift_plan::record::ResourceChange;

/// Maximum number of losses, and of other changes of each class.
pub(crate) const LISTED: usize = 100;
/// Maximum number of broken rules in the list of warnings.
const BROKEN_MAX: usize = 100;

/// The changes that lose nothing, most severe first.
const OTHERS: [Class; 5] = [Class::Other, Class::Update, Class::Create, Class::Read, Class::Move];

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
    unread(&overview.totals, ROWS_MAX, &mut text);
    changes(loss::TITLE, &overview.losses, &mut text);
    if overview.plans() > 1 {
        plans(overview, &mut text);
    }
    types(&overview.totals, &mut text);
    changes("Other changes", others, &mut text);
    text + UNSCRIPTED
}

fn plans(overview: &Overview, text: &mut String) {
    let Some(PlanTable { columns, rows, total, has_problems, note }) = overview.table() else {
        return;
    };
    let headings: Vec<&str> = columns.iter().map(|column| column.words()[2]).collect();
    let table = Table { id: "plans", title: "Plans", name: "Plan" };
    table.begin(&headings, has_problems.then_some("Problem"), text);
    for row in rows.iter().copied().take(ROWS_MAX) {
        let numbers = columns.iter().map(|&column| (style(column), digits(number(row, column))));
        push_row(text, &row.name, numbers, has_problems.then(|| problem(row)));
    }
    let more = rows.len().saturating_sub(ROWS_MAX) as u64;
    let more = (more > 0).then(|| format!("… and {}.", counted(more, "more plan")));
    if let Some(total) = total {
        let numbers = columns.iter().map(|&column| (style(column), digits(number(&total, column))));
        push_total(text, numbers, None);
    }
    end(text, more.into_iter().chain(overview.plans_sentence()).chain([note.to_owned()]));
}

/// Adds a list of changes. The script replaces it.
pub(crate) fn changes(title: &str, list: &ChangeList, text: &mut String) {
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
pub(crate) const UNSCRIPTED: &str = "<p class=\"unscripted note\">Scripts are off. To see all \
     changes with their values, and to filter and search them, save this page and open it in a \
     browser that runs scripts. The page fetches nothing.</p>\n";
