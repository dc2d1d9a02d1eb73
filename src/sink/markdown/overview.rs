//! The first part of the report: the plan line, warnings, broken rules, possible losses and a row
//! for each plan. Lists that do not fit are cut.

use crate::sink::fleet::InputTotals;
use crate::sink::fleet::TotalGroups;
use std::fmt::Write as _;

use super::fit::{Measure, fitting};
use super::losses::Losses;
use super::quoted::span;
use crate::record::{Hidden, Record};
use crate::sink::fleet::{Column, PlanCounts, Row, Totals};
use crate::sink::gate::{self, Answer, CountedRules};
use crate::sink::phrase::{self, PlanCount, Warning, counted, plan_line};
use crate::sink::tool::{Clues, Tool};

/// Maximum number of characters of a name, and of an error.
const NAME: usize = 80;
const ERROR: usize = 200;
/// Maximum number of characters of a rule's message.
const MESSAGE: usize = 500;
/// Maximum number of names listed with a broken rule.
const NAMED: usize = 3;
/// Maximum number of broken rules that are listed. The rest is counted.
const BROKEN_MAX: usize = 1000;

#[derive(Default)]
pub(super) struct Overview {
    totals: Totals,
    /// The counts of the current plan.
    plan: PlanCounts,
    line: String,
    name: String,
    broken: Broken,
    hidden: Hidden,
    /// The number of plans that each warning applies to.
    warnings: [u64; Warning::ALL.len()],
    clues: Clues,
    tool: Option<Tool>,
    /// The addresses that are destroyed, replaced or forgotten.
    pub losses: Losses,
    /// A hash of the plans' names that does not depend on their order. It identifies the report.
    key: u64,
}

/// Rules that plans break and assertions that they fail.
#[derive(Default)]
struct Broken {
    lines: Vec<String>,
    more: u64,
    /// Whether plans break rules, and whether they fail assertions.
    kinds: [bool; 2],
}

impl Overview {
    /// Counts a record. The caller passes the record to `counted_rules` first.
    pub fn note(&mut self, record: &Record<'_>, counted_rules: &CountedRules) {
        self.clues.note(record);
        match record {
            Record::Plan(plan) => {
                plan.workspace.unwrap_or(plan.source).clone_into(&mut self.name);
                self.plan.count(record);
            }
            Record::ActionInvocation(_) => self.plan.count(record),
            Record::Summary(summary) => {
                let name = std::mem::take(&mut self.name);
                self.add_to_key(&name);
                self.line = plan_line(summary, self.plan.invocations);
                let tool = self.clues.tool(summary);
                self.tool = Some(self.tool.map_or(tool, |others| others.and(tool)));
                for (count, warning) in self.warnings.iter_mut().zip(Warning::ALL) {
                    *count += u64::from(warning.holds(summary));
                }
                self.totals.add(&name, std::mem::take(&mut self.plan), summary);
                for answer in counted_rules.broken() {
                    self.break_rule(&name, &answer);
                }
            }
            _ => {}
        }
    }

    /// Returns the tool that made the plans.
    pub fn tool(&self) -> Tool {
        self.tool.unwrap_or_default()
    }

    /// Counts the records and attributes of a plan that the filter hides.
    pub fn hide(&mut self, hidden: &Hidden) {
        self.hidden.changes += hidden.changes;
        self.hidden.failed_checks += hidden.failed_checks;
        self.hidden.others += hidden.others;
        self.hidden.attributes += hidden.attributes;
    }

    fn break_rule(&mut self, name: &str, answer: &Answer<'_>) {
        let is_assertion = answer.rule.assertion().is_some();
        self.broken.kinds[usize::from(is_assertion)] = true;
        if self.broken.lines.len() == BROKEN_MAX {
            self.broken.more += 1;
            return;
        }
        let width = if is_assertion { MESSAGE } else { NAME };
        let words = answer.words(NAMED, |name| span(name, width));
        let rule = span(answer.rule.text(), NAME);
        let level = if answer.fails() { "" } else { "warning: " };
        let message = answer.rule.message();
        let message = message.map(|message| format!(": {}", span(message, MESSAGE)));
        let message = message.unwrap_or_default();
        self.broken
            .lines
            .push(format!("- {level}{rule}: {words} ({}){message}\n", span(name, NAME)));
    }

    /// Counts a plan that could not be read.
    pub fn fail(&mut self, name: &str, error: &str) {
        self.add_to_key(name);
        self.totals.fail(name, error);
    }

    fn add_to_key(&mut self, name: &str) {
        let digest = *blake3::hash(name.as_bytes()).as_bytes();
        let [a, b, c, d, e, f, g, h, ..] = digest;
        self.key = self.key.wrapping_add(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
    }

    /// Returns an invisible comment. Programs use it to find this report among other comments.
    pub fn marker(&self, part: &str) -> String {
        format!("<!-- plansift:report {:016x}{part} -->\n", self.key)
    }

    /// Returns the text of the overview, at most `room` long.
    pub fn text(&self, measure: Measure, room: u64) -> String {
        let mut text = format!("## {}\n\n", self.heading());
        let mut room = room.saturating_sub(measure.of(&text));
        let mut add = |part: String| {
            room = room.saturating_sub(measure.of(&part));
            text += &part;
            room
        };
        let room = add(self.plans());
        let room = add(self.broken_rules(measure, room / 2));
        let room = add(self.losses.text(measure, room / 2));
        add(self.table(measure, room));
        text
    }

    fn heading(&self) -> String {
        match (self.totals.inputs.plans, self.totals.inputs.failed) {
            (1, 0) => self.line.clone(),
            _ => self.totals.plan_line(),
        }
    }

    /// Returns the number of plans, and the warnings.
    fn plans(&self) -> String {
        let Totals {
            inputs: InputTotals { plans, failed, .. },
            groups: TotalGroups { workspaces, .. },
            counts,
            ..
        } = &self.totals;
        let mut text = String::new();
        if plans + failed > 1 {
            let quiet = workspaces.rows().filter(|row| row.plans > 0 && !row.has_changes());
            let quiet: u64 = quiet.map(|row| row.plans).sum();
            let _ = match quiet {
                0 => write!(text, "{} plans.\n\n", plans + failed),
                _ => write!(text, "{} plans, {quiet} without changes.\n\n", plans + failed),
            };
        }
        let of =
            |count| if plans + failed == 1 { PlanCount::This } else { PlanCount::Several(count) };
        let unread = (*failed > 0).then(|| phrase::unread(of(*failed)));
        let warnings = Warning::ALL.into_iter().zip(self.warnings).filter(|(_, count)| *count > 0);
        let warnings = warnings.map(|(warning, count)| warning.words(of(count)));
        let checks = counts[Column::Checks];
        let checks = (checks > 0).then(|| format!("{} failed.", counted(checks, "check")));
        for warning in unread.into_iter().chain(checks).chain(warnings) {
            let _ = write!(text, "**Warning:** {warning}\n\n");
        }
        if let Some(words) = phrase::hidden(&self.hidden) {
            let _ = write!(text, "{words}\n\n");
        }
        text
    }

    fn broken_rules(&self, measure: Measure, room: u64) -> String {
        if self.broken.lines.is_empty() {
            return String::new();
        }
        let [has_rules, has_assertions] = self.broken.kinds;
        let title = format!("**{}:**\n\n", gate::title(has_rules, has_assertions));
        let more = |shown: usize| match (self.broken.lines.len() - shown) as u64 + self.broken.more
        {
            0 => "\n".to_owned(),
            count => format!("- … and {count} more\n\n"),
        };
        let room = room.saturating_sub(measure.of(&title) + measure.of(&more(0)));
        let (lines, shown) = fitting(self.broken.lines.iter().cloned(), measure, room);
        title + &lines + &more(shown)
    }

    /// Returns a table with a row for each plan that changes something. Counts the rows that do not
    /// fit.
    fn table(&self, measure: Measure, room: u64) -> String {
        let Totals {
            groups: TotalGroups { workspaces, .. },
            counts,
            inputs: InputTotals { failed, errored, unlisted, .. },
            ..
        } = &self.totals;
        let mut rows: Vec<&Row> = workspaces.rows().filter(|row| !row.is_quiet()).collect();
        // An empty row of a single plan has no information.
        let is_empty = |row: &Row| row.counts.is_zero() && row.error.is_none() && row.plans <= 1;
        if rows.is_empty() || matches!(rows[..], [row] if is_empty(row)) {
            return String::new();
        }
        rows.sort_by_key(|row| {
            let weight = (row.counts[Column::Errors], row.is_errored, row.counts.changes());
            (std::cmp::Reverse(weight), &row.name)
        });
        let is_shown = |column: &Column| match column {
            Column::Add | Column::Change | Column::Destroy => true,
            Column::Errors => false,
            Column::Forget => self.totals.line.forget > 0,
            column => counts[*column] > 0,
        };
        let columns: Vec<Column> = Column::ALL.into_iter().filter(is_shown).collect();
        // For a single plan, the warnings above the table are enough.
        let is_failed = *failed > 0 || self.totals.inputs.plans > 1 && errored + unlisted > 0;
        let line = |name: &str, row: &Row| {
            let mut line = format!("| {name} |");
            for &column in &columns {
                let _ = match number(row, column) {
                    0 => write!(line, " · |"),
                    number => write!(line, " {number} |"),
                };
            }
            if is_failed {
                let _ = write!(line, " {}|", problem(row));
            }
            line + "\n"
        };
        let heading = heading(&columns, is_failed);
        let all = Row { counts: *counts, line: self.totals.line, ..Row::default() };
        let is_drawn = |column| columns.contains(&column);
        let includes = match [Column::Replace, Column::Forget].map(is_drawn) {
            [false, _] => "",
            [true, false] => "\nAdd and Destroy count replacements as the plan line does.\n",
            [true, true] => "\nAdd, Destroy and Forget count replacements as the plan line does.\n",
        };
        let end = |left: usize| {
            let more = match left as u64 {
                0 => String::new(),
                left => format!("\n… and {}\n", counted(left, "more plan")),
            };
            let total = if rows.len() > 1 { line("**Total**", &all) } else { String::new() };
            total + &more + includes + "\n"
        };
        let room = room.saturating_sub(measure.of(&heading) + measure.of(&end(rows.len())));
        let lines = rows.iter().map(|row| line(&span(&row.name, NAME), row));
        match fitting(lines, measure, room) {
            (_, 0) => String::new(),
            (lines, shown) => heading + &lines + &end(rows.len() - shown),
        }
    }
}

/// Returns the cell in the column `Error` of a row.
fn problem(row: &Row) -> String {
    match &row.error {
        // Errors quote commands in backticks, which a code span cannot contain.
        Some(error) => span(&error.replace('`', "'"), ERROR) + " ",
        None if row.is_errored => "planning failed ".to_owned(),
        None if row.is_unlisted => "no list of changes ".to_owned(),
        None => String::new(),
    }
}

/// Returns the number in a column of a row. Prefers the number of the plan line, if it has one.
fn number(row: &Row, column: Column) -> u64 {
    match column {
        Column::Add => row.line.add,
        Column::Change => row.line.change,
        Column::Destroy => row.line.destroy,
        Column::Forget => row.line.forget,
        column => row.counts[column],
    }
}

fn heading(columns: &[Column], is_failed: bool) -> String {
    let mut text = "| Plan |".to_owned();
    let mut rule = "| --- |".to_owned();
    for column in columns {
        let _ = write!(text, " {} |", column.words()[2]);
        rule += " ---: |";
    }
    if is_failed {
        text += " Error |";
        rule += " --- |";
    }
    format!("{text}\n{rule}\n")
}
