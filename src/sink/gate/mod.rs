//! Rules that a plan must not break: a pipeline asks them before it applies.
//!
//! What the records tell is counted for each rule. Each plan is asked on its own, when its last
//! record has come: one that cannot be read to its end has no answer, and whoever runs it has an
//! error anyway. What is kept is a number for each rule, and the first few names.

mod rule;

pub use rule::{Rule, Severity};

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::record::{Label, Record, ResourceChange, Sink};
use crate::sink::short::short;

/// How many of what breaks a rule are named.
pub const NAMED_MAX: usize = 20;

/// Rules that are asked of one plan after the other.
#[derive(Clone, Debug)]
pub struct Questions {
    source: String,
    asked: Vec<Asked>,
}

/// A rule, and what was counted of the plan so far.
#[derive(Clone, Debug)]
struct Asked {
    rule: Rule,
    count: u64,
    records: u64,
    first: Vec<String>,
}

/// What a plan has to say to a rule.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'q> {
    /// The rule.
    pub rule: &'q Rule,
    /// The input that the plan came from.
    pub source: &'q str,
    /// How many there are of what the rule counts.
    pub count: u64,
    /// In how many records: one may tell several paths.
    pub records: u64,
    /// The names of the first [`NAMED_MAX`] of them; none of what is true of a plan
    /// as a whole.
    pub first: &'q [String],
}

impl Answer<'_> {
    /// Whether the plan breaks the rule.
    pub fn is_broken(&self) -> bool {
        self.count > self.rule.allowed()
    }

    /// Whether the plan breaks a rule that lets the run fail.
    pub fn fails(&self) -> bool {
        self.is_broken() && self.rule.severity() == Severity::Error
    }

    /// What is counted, in words, with the first `names` names as `show` writes them: `4 in a, b
    /// and 2 more`.
    pub fn words(&self, names: usize, show: impl Fn(&str) -> String) -> String {
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
}

impl Questions {
    /// These rules.
    pub fn new(rules: &[Rule]) -> Questions {
        let asked = |rule: &Rule| {
            let (rule, first) = (rule.clone(), Vec::new());
            Asked { rule, count: 0, records: 0, first }
        };
        Questions { source: String::new(), asked: rules.iter().map(asked).collect() }
    }

    /// Takes note of a record. With the first one of a plan, those of the plan before are
    /// forgotten.
    pub fn note(&mut self, record: &Record<'_>) {
        if let Record::Plan(plan) = record {
            plan.source.clone_into(&mut self.source);
        }
        for asked in &mut self.asked {
            match record {
                Record::Plan(_) => asked.begin(),
                Record::Summary(summary) => asked.add(asked.rule.count_at_end(summary), || None),
                record => asked.add(asked.rule.count(record), || name(record)),
            }
        }
    }

    /// The input that the plan came from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The rules that the plan breaks, once its last record has come: errors first.
    pub fn broken(&self) -> impl Iterator<Item = Answer<'_>> {
        let of = |severity| {
            self.answers().filter(move |it| it.is_broken() && it.rule.severity() == severity)
        };
        of(Severity::Error).chain(of(Severity::Warning))
    }

    /// What the plan has to say to each rule, once its last record has come.
    pub fn answers(&self) -> impl Iterator<Item = Answer<'_>> {
        self.asked.iter().map(|Asked { rule, count, records, first }| Answer {
            rule,
            source: &self.source,
            count: *count,
            records: *records,
            first,
        })
    }
}

impl Asked {
    fn begin(&mut self) {
        (self.count, self.records) = (0, 0);
        self.first.clear();
    }

    fn add<'r>(&mut self, count: u64, name: impl FnOnce() -> Option<Cow<'r, str>>) {
        self.count += count;
        self.records += u64::from(count > 0);
        if count > 0 && self.first.len() < NAMED_MAX {
            self.first.extend(name().map(|name| short(&name).into_owned()));
        }
    }
}

/// What a record is about.
fn name<'r>(record: &'r Record<'_>) -> Option<Cow<'r, str>> {
    let name = match record {
        Record::OutputChange(output) => &output.name,
        Record::Check(check) => &check.address,
        Record::ActionInvocation(invoked) => &invoked.address,
        record => return record.resource().map(ResourceChange::full_name),
    };
    Some(Cow::Borrowed(name))
}

/// Asks rules on the way to a sink.
pub struct Gate<'s, F> {
    sink: Box<dyn Sink + 's>,
    questions: Questions,
    broken: F,
}

impl<'s, F: FnMut(&Answer<'_>)> Gate<'s, F> {
    /// A gate before a sink. `broken` is told each rule that a plan breaks, when the plan ends.
    pub fn new(rules: &[Rule], sink: Box<dyn Sink + 's>, broken: F) -> Gate<'s, F> {
        Gate { sink, questions: Questions::new(rules), broken }
    }
}

impl<F: FnMut(&Answer<'_>)> Sink for Gate<'_, F> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.questions.note(record);
        if matches!(record, Record::Summary(_)) {
            self.questions.broken().for_each(|it| (self.broken)(&it));
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
