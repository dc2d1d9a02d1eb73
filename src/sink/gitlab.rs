//! Writes GitLab's report of a plan (`artifacts:reports:terraform`): the numbers of resources to
//! create, update and delete.
//!
//! A replacement counts as both a creation and a deletion, as in the command that GitLab's manual
//! gives. GitLab reads only these three numbers. If there are broken rules or failed checks, their
//! numbers come first, for people who read the file. The number of incomplete plans comes last.
//!
//! The format cannot express that the numbers are too small. If a plan could not be read, the
//! report stays empty. If planning failed or a plan has no list of changes, the report has the
//! numbers of such plans and none of the three that GitLab reads. In both cases GitLab says that
//! the report is invalid.

use std::io::Write;
use std::ops::Range;

use super::gate::{CountedRules, Rule};
use super::phrase::Warning;
use super::{Sink, write_error};
use crate::error::{Error, Result};
use crate::record::{Label, Record};

/// Counts the changes of all plans and writes the report at the end.
pub struct Gitlab<W: Write> {
    out: W,
    counted_rules: CountedRules,
    /// The numbers of broken rules, broken warnings, failed checks and plans with a warning, with
    /// their keys.
    faults: [(&'static str, u64); 6],
    create: u64,
    update: u64,
    delete: u64,
    has_failed: bool,
}

const BROKEN_RULES: usize = 0;
const BROKEN_WARNINGS: usize = 1;
const FAILED_CHECKS: usize = 2;
const ERRORED_PLANS: usize = 3;
const UNLISTED_PLANS: usize = 4;
const INCOMPLETE_PLANS: usize = 5;

impl<W: Write> Gitlab<W> {
    /// Writes the report to `out` at the end. It counts how often plans break `rules`.
    pub fn new(out: W, rules: &[Rule]) -> Gitlab<W> {
        let faults = [
            "broken_rules",
            "broken_warnings",
            "failed_checks",
            "errored_plans",
            "unlisted_plans",
            "incomplete_plans",
        ]
        .map(|name| (name, 0));
        let counted_rules = CountedRules::new(rules);
        Gitlab { out, counted_rules, faults, create: 0, update: 0, delete: 0, has_failed: false }
    }
}

impl<W: Write> Sink for Gitlab<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        match record {
            Record::ResourceChange(change) => {
                let has =
                    |word: &str| u64::from(change.actions.iter().any(|action| action == word));
                self.create += has("create");
                self.update += has("update");
                self.delete += has("delete");
            }
            Record::Check(check) => {
                self.faults[FAILED_CHECKS].1 += u64::from(check.has_failed());
            }
            Record::Summary(summary) => {
                for warning in Warning::of(summary) {
                    let fault = match warning {
                        Warning::Errored => ERRORED_PLANS,
                        Warning::Unlisted => UNLISTED_PLANS,
                        Warning::Incomplete | Warning::Deferred => INCOMPLETE_PLANS,
                    };
                    self.faults[fault].1 += 1;
                }
                for answer in self.counted_rules.broken() {
                    let fault = if answer.fails() { BROKEN_RULES } else { BROKEN_WARNINGS };
                    self.faults[fault].1 += 1;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, _: Label<'_>, _: &Error) -> Result<()> {
        self.has_failed = true;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let Gitlab { create, update, delete, has_failed, .. } = *self;
        if has_failed {
            return Ok(());
        }
        let members = |range: Range<usize>| {
            let faults = self.faults[range].iter().filter(|(_, count)| *count > 0);
            faults.map(|(name, count)| format!(r#""{name}":{count}"#)).collect::<Vec<_>>()
        };
        let has_all = self.faults[ERRORED_PLANS].1 + self.faults[UNLISTED_PLANS].1 == 0;
        let numbers = [("create", create), ("update", update), ("delete", delete)];
        let numbers = numbers.iter().filter(|_| has_all);
        let mut all = members(BROKEN_RULES..ERRORED_PLANS);
        all.extend(numbers.map(|(name, count)| format!(r#""{name}":{count}"#)));
        all.extend(members(ERRORED_PLANS..self.faults.len()));
        let all = all.join(",");
        writeln!(self.out, "{{{all}}}").and_then(|()| self.out.flush()).map_err(write_error)
    }
}
