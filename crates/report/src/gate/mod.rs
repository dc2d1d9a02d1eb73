//! Checks plans against rules, for pipelines that must not apply certain changes.
//!
//! Each rule counts records of a plan. The result is known at the plan's last record. A plan that
//! fails before its end has no result; its error fails the run anyway. The memory for each rule is
//! a few numbers and the first few names.
//!
//! An assertion is a rule, too. Its failures arrive as one record.

mod fault;
mod rule;
mod strict;

pub use fault::RuleFault;
pub use rule::{Rule, Severity};
pub use strict::{patterns, with_strict_rules};

use std::borrow::Cow;

use crate::moves::Moves;
use crate::short::short;
use plansift_core::error::{Error, Result};
use plansift_core::inert::{lines, visible};
use plansift_core::path::{Pattern, document_strings};
use plansift_plan::record::{FailedAssertion, Finding, Label, Record, ResourceChange, Sink};

/// Maximum number of names kept for a rule.
pub const NAMED_MAX: usize = 20;

/// The rules, and their counts for the current plan.
#[derive(Clone, Debug)]
pub struct CountedRules {
    source: String,
    counted: Vec<CountedRule>,
    moves: Moves,
}

/// A rule, and its counts for the plan so far.
#[derive(Clone, Debug)]
struct CountedRule {
    rule: Rule,
    count: u64,
    records: u64,
    first: Vec<String>,
    findings: Vec<Finding>,
    is_unknown: bool,
}

/// The result of a rule for a plan.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'q> {
    /// The rule.
    pub rule: &'q Rule,
    /// The input that the plan came from.
    pub source: &'q str,
    /// The rule's count.
    pub count: u64,
    /// The number of records that the rule counts. It differs from `count` if a record has several
    /// counted paths.
    pub records: u64,
    /// The names of the first [`NAMED_MAX`] records. Empty if the rule is about the plan as a
    /// whole.
    pub first: &'q [String],
    /// The first failures of an assertion.
    pub findings: &'q [Finding],
    /// True if the rule counts changes to resources and the plan does not list them (the field
    /// `lacks_resource_changes` of its summary). The rule then counts as broken.
    pub is_unknown: bool,
}

/// Returns the patterns of rules that lead into documents in strings, for
/// [`RecordOptions::documents`](plansift_plan::record::RecordOptions::documents). Without this
/// option, such rules count nothing in documents.
pub fn document_patterns(rules: &[Rule]) -> Vec<Pattern> {
    rules.iter().filter_map(Rule::document_pattern).cloned().collect()
}

/// Returns the text of a rule with a path that it accepts in place of a path into a document: the
/// path of the string, or the path in the outer document. `None` if the path leads into no
/// document.
pub fn without_document(text: &str) -> Option<String> {
    let (_, text) = rule::severity(text.trim());
    let (text, _) = rule::with_message(text).ok()?;
    let head = &text[..rule::last_outside_quotes(text, '>').unwrap_or(text.len())];
    let start = rule::last_outside_quotes(head, ':')? + 1;
    let (before, path) = head.split_at(start);
    let strings = document_strings(path.trim_end());
    // `changed-path` leads into the outermost document.
    let levels = usize::from(before.starts_with("changed-path:"));
    let string = strings.get(strings.len().checked_sub(1 + levels)?)?;
    Some(format!("{before}{string}{}", &text[head.len()..]))
}

/// The words for an unknown count: the rule is about changes that the plan does not list.
const UNKNOWN: &str = "not known, as the plan does not list its changes";

impl Answer<'_> {
    /// Whether the plan breaks the rule.
    pub fn is_broken(&self) -> bool {
        self.is_unknown || self.count > self.rule.allowed()
    }

    /// Whether the plan breaks the rule and the rule's severity fails the run.
    pub fn fails(&self) -> bool {
        self.is_broken() && self.rule.severity() == Severity::Error
    }

    /// Returns the count in words, such as `4 in a, b and 2 more`. Lists the first `names` names,
    /// which `show` formats.
    pub fn words(&self, names: usize, show: impl Fn(&str) -> String) -> String {
        if self.is_unknown {
            return UNKNOWN.to_owned();
        }
        if self.rule.assertion().is_some() {
            return self.lines(names, show).join("; ");
        }
        let named: Vec<String> = self.first.iter().take(names).map(|name| show(name)).collect();
        let words = match named.is_empty() {
            true => return self.count.to_string(),
            false => format!("{} in {}", self.count, named.join(", ")),
        };
        match self.records - named.len() as u64 {
            0 => words,
            more => format!("{words} and {more} more"),
        }
    }

    /// Returns the sentence about a broken rule, with the count and the message.
    pub(super) fn sentence(&self) -> String {
        let start = match self.rule.assertion() {
            Some(_) => "The plan fails the assertion",
            None => "The plan breaks the rule",
        };
        let (rule, words) = (visible(self.rule.text()), self.words(usize::MAX, visible));
        let message = self.rule.message().map(|message| format!(": {}", lines(message)));
        format!("{start} {rule}: {words}{}", message.unwrap_or_default())
    }

    /// Returns the words as lines: one for each of the first `names` findings of an assertion, and
    /// a single line for any other rule.
    pub fn lines(&self, names: usize, show: impl Fn(&str) -> String) -> Vec<String> {
        if self.rule.assertion().is_none() {
            return vec![self.words(names, show)];
        }
        let findings = self.findings.iter().take(names);
        let mut lines: Vec<String> = findings.map(|finding| show(&finding.words())).collect();
        match self.count - lines.len() as u64 {
            0 => {}
            more => lines.push(format!("and {more} more")),
        }
        lines
    }
}

impl CountedRules {
    /// Creates counts of zero for `rules`.
    pub fn new(rules: &[Rule]) -> CountedRules {
        let counted = |rule: &Rule| {
            let (rule, first, findings) = (rule.clone(), Vec::new(), Vec::new());
            CountedRule { rule, count: 0, records: 0, first, findings, is_unknown: false }
        };
        let counted = rules.iter().map(counted).collect();
        CountedRules { source: String::new(), counted, moves: Moves::default() }
    }

    /// Counts a record. The first record of a plan resets the counts.
    pub fn note(&mut self, record: &Record<'_>) {
        let source = match record {
            Record::Plan(plan) => Some(plan.source),
            Record::Document(head) => Some(head.source),
            _ => None,
        };
        if let Some(source) = source {
            source.clone_into(&mut self.source);
        }
        if self.counted.is_empty() {
            return;
        }
        let Some(record) = self.moves.read(record) else { return };
        for entry in &mut self.counted {
            match &*record {
                Record::Plan(_) | Record::Document(_) => entry.begin(),
                Record::Summary(summary) => {
                    entry.add(entry.rule.count_at_end(summary), || None);
                    entry.is_unknown =
                        summary.plan.lacks_resource_changes && entry.rule.counts_resource_changes();
                }
                Record::FailedAssertion(failed) => entry.fail(failed),
                record => entry.add(entry.rule.count(record), || name(record)),
            }
        }
    }

    /// Returns the input that the plan came from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the rules that the plan breaks, errors first. Call after the plan's last record.
    pub fn broken(&self) -> impl Iterator<Item = Answer<'_>> {
        let of = |severity| {
            self.answers()
                .filter(move |answer| answer.is_broken() && answer.rule.severity() == severity)
        };
        of(Severity::Error).chain(of(Severity::Warning))
    }

    /// Returns the title of a list of the rules that the plan breaks. Call after the plan's last
    /// record.
    pub fn broken_title(&self) -> &'static str {
        let has = |is_assertion| {
            self.broken().any(|answer| answer.rule.assertion().is_some() == is_assertion)
        };
        title(has(false), has(true))
    }

    /// Returns the result of each rule. Call after the plan's last record.
    pub fn answers(&self) -> impl Iterator<Item = Answer<'_>> {
        self.counted.iter().map(|counted| {
            let CountedRule { rule, count, records, first, findings, is_unknown } = counted;
            let (count, records, is_unknown) = (*count, *records, *is_unknown);
            Answer { rule, source: &self.source, count, records, first, findings, is_unknown }
        })
    }
}

/// Returns the title of a list of broken rules, of failed assertions, or of both.
pub fn title(has_rules: bool, has_assertions: bool) -> &'static str {
    match (has_rules, has_assertions) {
        (_, false) => "Broken rules",
        (false, true) => "Failed assertions",
        (true, true) => "Broken rules and failed assertions",
    }
}

impl CountedRule {
    fn begin(&mut self) {
        (self.count, self.records, self.is_unknown) = (0, 0, false);
        self.first.clear();
        self.findings.clear();
    }

    fn fail(&mut self, failed: &FailedAssertion<'_>) {
        if self.rule.assertion() != Some(failed.index) {
            return;
        }
        (self.count, self.records) = (failed.failed, failed.failed);
        self.findings = failed.findings.to_vec();
        for finding in self.findings.iter().filter(|finding| !finding.place.is_empty()) {
            if !self.first.contains(&finding.place) {
                self.first.push(finding.place.clone());
            }
        }
    }

    fn add<'r>(&mut self, count: u64, name: impl FnOnce() -> Option<Cow<'r, str>>) {
        self.count += count;
        self.records += u64::from(count > 0);
        if count > 0 && self.first.len() < NAMED_MAX {
            self.first.extend(name().map(|name| short(&name).into_owned()));
        }
    }
}

fn name<'r>(record: &'r Record<'_>) -> Option<Cow<'r, str>> {
    let name = match record {
        Record::OutputChange(output) => &output.name,
        Record::Check(check) => &check.address,
        Record::CheckResult(check) => &check.address,
        Record::ActionInvocation(invoked) => &invoked.address,
        record => return record.resource().map(ResourceChange::full_name),
    };
    Some(Cow::Borrowed(name))
}

/// A sink that checks rules and passes every record on to another sink.
pub struct Gate<'s, F> {
    sink: Box<dyn Sink + 's>,
    counted_rules: CountedRules,
    broken: F,
}

impl<'s, F: FnMut(&Answer<'_>)> Gate<'s, F> {
    /// Creates a gate before `sink`. At the end of each plan, the gate calls `broken` for each
    /// broken rule.
    pub fn new(rules: &[Rule], sink: Box<dyn Sink + 's>, broken: F) -> Gate<'s, F> {
        Gate { sink, counted_rules: CountedRules::new(rules), broken }
    }
}

impl<F: FnMut(&Answer<'_>)> Sink for Gate<'_, F> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        if matches!(record, Record::Summary(_) | Record::RowSummary(_)) {
            self.counted_rules.broken().for_each(|answer| (self.broken)(&answer));
        }
        self.sink.record(record)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }
}
