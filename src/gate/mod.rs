//! Rules that a plan must not break: a pipeline asks them before it applies.
//!
//! A gate stands before a sink and counts what the records tell. Each plan is asked on its own,
//! when its last record has come: one that cannot be read to its end has no answer, and whoever
//! runs it has an error anyway. What is kept is a number for each rule, and a few addresses.

mod rule;

pub use rule::Rule;

use crate::error::{Error, Result};
use crate::record::{Label, Record, Sink};

/// How many of what broke a rule are named.
pub const NAMED_MAX: usize = 3;

/// A rule that a plan breaks.
#[derive(Clone, Copy, Debug)]
pub struct Broken<'g> {
    /// The rule.
    pub rule: &'g Rule,
    /// The input that the plan came from.
    pub source: &'g str,
    /// How many there are of what the rule counts.
    pub count: u64,
    /// In how many records: one may tell several paths.
    pub records: u64,
    /// The addresses and names of the first few of them; none of what is true of a plan as a whole.
    pub first: &'g [String],
}

/// Asks the rules on the way to a sink.
pub struct Gate<'s, F> {
    sink: Box<dyn Sink + 's>,
    rules: Vec<Asked>,
    source: String,
    broken: F,
}

/// A rule, and what was counted of the plan so far.
struct Asked {
    rule: Rule,
    count: u64,
    records: u64,
    first: Vec<String>,
}

impl<'s, F: FnMut(&Broken<'_>)> Gate<'s, F> {
    /// A gate before a sink. `broken` is told each rule that a plan breaks, when the plan ends.
    pub fn new(rules: Vec<Rule>, sink: Box<dyn Sink + 's>, broken: F) -> Gate<'s, F> {
        let asked = |rule| Asked { rule, count: 0, records: 0, first: Vec::new() };
        let rules = rules.into_iter().map(asked).collect();
        Gate { sink, rules, source: String::new(), broken }
    }

    fn begin(&mut self, source: &str) {
        source.clone_into(&mut self.source);
        for asked in &mut self.rules {
            (asked.count, asked.records) = (0, 0);
            asked.first.clear();
        }
    }

    fn end(&mut self) {
        for Asked { rule, count, records, first } in &self.rules {
            let (source, count, records) = (self.source.as_str(), *count, *records);
            if count > rule.allowed() {
                (self.broken)(&Broken { rule, source, count, records, first });
            }
        }
    }
}

impl Asked {
    fn add(&mut self, count: u64, name: Option<&str>) {
        self.count += count;
        self.records += u64::from(count > 0);
        if count > 0 && self.first.len() < NAMED_MAX {
            self.first.extend(name.map(str::to_owned));
        }
    }
}

impl<F: FnMut(&Broken<'_>)> Sink for Gate<'_, F> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Plan(plan) => self.begin(plan.source),
            Record::Summary(summary) => {
                for asked in &mut self.rules {
                    asked.add(asked.rule.count_at_end(summary), None);
                }
                self.end();
            }
            record => {
                for asked in &mut self.rules {
                    asked.add(asked.rule.count(record), name(record));
                }
            }
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

/// What a record is about.
fn name<'r>(record: &'r Record<'_>) -> Option<&'r str> {
    match record {
        Record::ResourceChange(change)
        | Record::ResourceDrift(change)
        | Record::DeferredChange(change) => Some(&change.address),
        Record::OutputChange(output) => Some(&output.name),
        Record::Check(check) => Some(&check.address),
        Record::ActionInvocation(invoked) => Some(&invoked.address),
        Record::Plan(_) | Record::Summary(_) => None,
    }
}
