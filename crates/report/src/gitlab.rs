//! Writes GitLab's report of a plan (`artifacts:reports:terraform`): the numbers of resources to
//! create, update and delete.
//!
//! A replacement counts as both a creation and a deletion, as in the command that GitLab's manual
//! gives. GitLab reads only these three numbers. If there are broken rules or failed checks, their
//! numbers come first, for people who read the file. The number of incomplete plans comes last.
//!
//! The format cannot express that the numbers are too small. If a plan could not be read, the
//! report stays empty. If planning failed or a plan has no list of changes, the report has the
//! number of such plans, and leaves out the three numbers that GitLab reads. In both cases, GitLab
//! shows that the report is invalid.

use std::collections::BTreeMap;
use std::io::Write;

use super::gate::{CountedRules, Rule};
use super::phrase::Warning;
use super::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_plan::record::{Label, Record};

/// The keys of the report. GitLab reads `create`, `update` and `delete`.
const KEYS: [&str; 9] = [
    "broken_rules",
    "broken_warnings",
    "failed_checks",
    "create",
    "update",
    "delete",
    "errored_plans",
    "unlisted_plans",
    "incomplete_plans",
];

/// Counts the changes of all plans and writes the report at the end.
pub struct Gitlab<W: Write> {
    out: W,
    counted_rules: CountedRules,
    /// The numbers of the report by key.
    counts: BTreeMap<&'static str, u64>,
    has_failed: bool,
}

impl<W: Write> Gitlab<W> {
    /// Writes the report to `out` at the end. It counts how often plans break `rules`.
    pub fn new(out: W, rules: &[Rule]) -> Gitlab<W> {
        let (counted_rules, counts) = (CountedRules::new(rules), BTreeMap::new());
        Gitlab { out, counted_rules, counts, has_failed: false }
    }
}

impl<W: Write> Sink for Gitlab<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        let mut count = |key| *self.counts.entry(key).or_default() += 1;
        match record {
            Record::ResourceChange(change) => {
                let has = |word: &&str| change.actions.iter().any(|action| action == *word);
                ["create", "update", "delete"].into_iter().filter(has).for_each(&mut count);
            }
            Record::Check(check) if check.has_failed() => count("failed_checks"),
            Record::Summary(summary) => {
                for warning in Warning::of(summary) {
                    count(match warning {
                        Warning::Errored => "errored_plans",
                        Warning::Unlisted => "unlisted_plans",
                        Warning::Incomplete | Warning::Deferred => "incomplete_plans",
                    });
                }
                for answer in self.counted_rules.broken() {
                    count(if answer.fails() { "broken_rules" } else { "broken_warnings" });
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
        if self.has_failed {
            return Ok(());
        }
        let count = |key: &str| self.counts.get(key).copied().unwrap_or(0);
        let has_all = count("errored_plans") + count("unlisted_plans") == 0;
        let is_shown = |key: &&str| match *key {
            "create" | "update" | "delete" => has_all,
            fault => count(fault) > 0,
        };
        let members = KEYS.into_iter().filter(is_shown);
        let members = members.map(|key| format!(r#""{key}":{}"#, count(key)));
        let all = members.collect::<Vec<_>>().join(",");
        writeln!(self.out, "{{{all}}}").and_then(|()| self.out.flush()).map_err(write_error)
    }
}
