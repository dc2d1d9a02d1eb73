//! Collects what a report says first: the plan line, warnings, broken rules, errors, possible
//! losses and a row for each plan. Markdown and HTML lay it out.
//!
//! A format quotes strings from plans with its [`Quote`] as they arrive, so the overview keeps only
//! text that the format can print.

mod class;

pub(super) use self::class::Class;

use crate::change_list::ChangeList;
use crate::fleet::{Failure, PlanCounts, TotalGroups, Totals};
use crate::gate::{Answer, CountedRules, Severity};
use crate::loss;
use crate::phrase::{self, PlanCount, Warning, plan_line};
use crate::tool::{Clues, Tool};
use plansift_core::inert::trimmed;
use plansift_plan::record::patterns::{Unmatched, UnmatchedPatterns};
use plansift_plan::record::{Column, FleetRow, Hidden, InputTotals, Label, Record, ResourceChange};

/// Maximum number of characters of a name.
pub(super) const NAME: usize = 80;
/// Maximum number of characters of an error.
pub(super) const ERROR: usize = 500;
/// Maximum number of characters of a rule's message.
const MESSAGE: usize = 500;
/// Maximum number of lines of a rule's message.
const MESSAGE_LINES: usize = 20;
/// Maximum number of names listed with a broken rule.
const NAMED: usize = 3;
/// Maximum number of broken rules that are listed. The rest is counted.
const BROKEN_MAX: usize = 1000;

/// Quotes a string from a plan, and cuts it to a number of characters.
pub(super) type Quote = fn(&str, usize) -> String;

/// What a report says first.
pub(super) struct Overview {
    quote: Quote,
    pub totals: Totals,
    /// The counts of the current plan.
    plan: PlanCounts,
    line: String,
    name: String,
    pub broken: Broken,
    hidden: Hidden,
    /// The number of plans that each warning applies to.
    warnings: [u64; Warning::ALL.len()],
    clues: Clues,
    tool: Option<Tool>,
    /// The changes that destroy, replace or forget something, by [`loss::rank`].
    pub losses: ChangeList,
    /// Sentences about the patterns that match nothing in any plan.
    unmatched: Vec<(Severity, String)>,
}

/// Rules that plans break and assertions that they fail.
#[derive(Default)]
pub(super) struct Broken {
    /// The first broken rules of each plan, in the order of the plans.
    pub rules: Vec<BrokenRule>,
    /// The number of broken rules beyond [`BROKEN_MAX`].
    pub more: u64,
    /// Whether plans break rules, and whether they fail assertions.
    pub kinds: [bool; 2],
}

/// A rule that a plan breaks, in quoted words.
pub(super) struct BrokenRule {
    pub severity: Severity,
    pub is_assertion: bool,
    pub rule: String,
    /// The number of matching records and the first names.
    pub words: String,
    pub plan: String,
    pub message: Vec<String>,
}

/// The table of the plans that change something.
pub(super) struct PlanTable<'o> {
    pub columns: Vec<Column>,
    /// The rows. Plans whose planning failed come first, then those with the most changes.
    pub rows: Vec<&'o FleetRow>,
    /// The sums of all rows. `None` for a single row.
    pub total: Option<FleetRow>,
    /// Whether a column for [`problem`] is needed.
    pub has_problems: bool,
    /// A sentence about the columns. Empty if they need none.
    pub note: &'static str,
}

impl Overview {
    /// Creates an empty overview that names up to `listed` losses.
    pub fn new(quote: Quote, listed: usize) -> Overview {
        Overview {
            quote,
            totals: Totals::default(),
            plan: PlanCounts::default(),
            line: String::new(),
            name: String::new(),
            broken: Broken::default(),
            hidden: Hidden::default(),
            warnings: Default::default(),
            clues: Clues::default(),
            tool: None,
            losses: ChangeList::new(&loss::maxes(loss::DATA_LISTED, listed)),
            unmatched: Vec::new(),
        }
    }

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
                self.losses.mark();
            }
            _ => {}
        }
    }

    /// Counts the type of a change, for a format that shows the changes by type.
    pub fn note_type(&mut self, change: &ResourceChange<'_>) {
        self.plan.count_type(change);
    }

    /// Counts the type, the module, the provider and the action of a change, for a format that
    /// shows the changes by them.
    pub fn note_groups(&mut self, record: &Record<'_>) {
        if matches!(record, Record::ResourceChange(_) | Record::ResourceDrift(_)) {
            self.plan.count(record);
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
        if self.broken.rules.len() == BROKEN_MAX {
            self.broken.more += 1;
            return;
        }
        let width = if is_assertion { MESSAGE } else { NAME };
        self.broken.rules.push(BrokenRule {
            severity: answer.rule.severity(),
            is_assertion,
            rule: (self.quote)(answer.rule.text(), NAME),
            words: answer.words(NAMED, |name| (self.quote)(name, width)),
            plan: (self.quote)(name, NAME),
            message: answer.rule.message().map(|message| self.message(message)).unwrap_or_default(),
        });
    }

    /// Returns the quoted lines of a message. An empty line stays empty.
    fn message(&self, message: &str) -> Vec<String> {
        let lines = trimmed(message).lines().take(MESSAGE_LINES);
        let quoted = lines.map(|line| match line.trim().is_empty() {
            true => String::new(),
            false => (self.quote)(&line.replace('\t', "    "), MESSAGE),
        });
        quoted.collect()
    }

    /// Counts a plan that could not be read.
    pub fn fail(&mut self, label: Label<'_>, error: &str) {
        self.losses.forget();
        self.totals.fail(label, error);
    }

    /// Ends the last plan. Notes the `patterns` that matched nothing.
    pub fn end(&mut self, patterns: Option<&UnmatchedPatterns>) {
        if self.totals.inputs.plans > 0 {
            let words = |pattern: Unmatched<'_>| {
                let severity = if pattern.fails { Severity::Error } else { Severity::Warning };
                (severity, pattern.sentence(|text| (self.quote)(text, NAME)))
            };
            let unmatched = patterns.into_iter().flat_map(UnmatchedPatterns::unmatched);
            self.unmatched = unmatched.map(words).collect();
        }
    }

    /// Returns the number of plans, including those that could not be read.
    pub fn plans(&self) -> u64 {
        self.totals.inputs.plans + self.totals.inputs.failed
    }

    /// Returns the plan line of the only plan, or of all plans.
    pub fn heading(&self) -> String {
        match (self.totals.inputs.plans, self.totals.inputs.failed) {
            (1, 0) => self.line.clone(),
            _ => self.totals.plan_line(),
        }
    }

    /// Returns the number of plans in a sentence. `None` for a single plan.
    pub fn plans_sentence(&self) -> Option<String> {
        let workspaces = &self.totals.groups.workspaces;
        let quiet = workspaces.rows().filter(|row| row.plans > 0 && !row.has_changes());
        let plans = self.plans();
        (plans > 1).then(|| match quiet.map(|row| row.plans).sum() {
            0 => format!("{plans} plans."),
            quiet @ 1.. => format!("{plans} plans, {quiet} without changes."),
        })
    }

    /// Returns the warnings about the plans as sentences, without the broken rules.
    pub fn warnings(&self) -> Vec<(Severity, String)> {
        let of = |count| match self.plans() {
            1 => PlanCount::This,
            _ => PlanCount::Several(count),
        };
        let failed = self.totals.inputs.failed;
        let unread = (failed > 0).then(|| (Severity::Error, phrase::unread(of(failed))));
        let checks = phrase::failed_checks(self.totals.counts[Column::Checks]);
        let checks = checks.map(|words| (Severity::Error, words));
        let warnings = Warning::ALL.into_iter().zip(self.warnings).filter(|(_, count)| *count > 0);
        let warnings = warnings.map(|(warning, count)| {
            let severity = if warning.is_error() { Severity::Error } else { Severity::Warning };
            (severity, warning.words(of(count)))
        });
        let warnings = unread.into_iter().chain(checks).chain(warnings);
        warnings.chain(self.unmatched.iter().cloned()).collect()
    }

    /// Returns the number of hidden records and attributes, in words. `None` if nothing is hidden.
    pub fn hidden(&self) -> Option<String> {
        phrase::hidden(&self.hidden)
    }

    /// Returns the number of plans that could not be read.
    pub fn errors_count(&self) -> u64 {
        self.totals.inputs.failed
    }

    /// Returns the names of the inputs with the first plans that could not be read, and the errors.
    pub fn errors(&self) -> impl Iterator<Item = (&str, &str)> {
        self.totals.failures.iter().map(|Failure { source, error, .. }| (&**source, &**error))
    }

    /// Returns the table of the plans that change something. `None` if it would say nothing.
    pub fn table(&self) -> Option<PlanTable<'_>> {
        let Totals {
            groups: TotalGroups { workspaces, .. },
            counts,
            inputs: InputTotals { errored, unlisted, plans, .. },
            line,
            ..
        } = &self.totals;
        let is_shown = |row: &&FleetRow| !row.is_quiet() && !row.is_unread();
        let mut rows: Vec<&FleetRow> = workspaces.rows().filter(is_shown).collect();
        // An empty row of a single plan has no information.
        let is_empty = |row: &FleetRow| row.counts.is_zero() && row.plans <= 1;
        if rows.is_empty() || matches!(rows[..], [row] if is_empty(row)) {
            return None;
        }
        rows.sort_by_key(|row| {
            let weight = (row.is_errored, row.counts.changes());
            (std::cmp::Reverse(weight), &row.name)
        });
        let is_shown = |column: &Column| match column {
            Column::Add | Column::Change | Column::Destroy => true,
            Column::Errors => false,
            Column::Forget => line.forget > 0,
            column => counts[*column] > 0,
        };
        let columns: Vec<Column> = Column::ALL.into_iter().filter(is_shown).collect();
        let note = match [Column::Replace, Column::Forget].map(|column| columns.contains(&column)) {
            [false, _] => "",
            [true, false] => "Add and Destroy count replacements as the plan line does.",
            [true, true] => "Add, Destroy and Forget count replacements as the plan line does.",
        };
        let total = (rows.len() > 1).then(|| FleetRow {
            counts: *counts,
            line: *line,
            ..FleetRow::default()
        });
        // For a single plan, the warnings above the table are enough.
        let has_problems = *plans > 1 && errored + unlisted > 0;
        Some(PlanTable { columns, rows, total, has_problems, note })
    }
}

/// Returns what is wrong with the plans of a row that were read. Empty if nothing is.
pub(super) fn problem(row: &FleetRow) -> &'static str {
    match row {
        FleetRow { is_errored: true, .. } => "planning failed",
        FleetRow { is_unlisted: true, .. } => "no list of changes",
        _ => "",
    }
}

/// Returns the number in a column of a row of plans. Prefers the number of the plan line, if it has
/// one.
pub(super) fn number(row: &FleetRow, column: Column) -> u64 {
    match column {
        Column::Add => row.line.add,
        Column::Change => row.line.change,
        Column::Destroy => row.line.destroy,
        Column::Forget => row.line.forget,
        column => row.counts[column],
    }
}
