//! Writes GitLab's report of a plan (`artifacts:reports:terraform`): the numbers of resources to
//! create, update and delete.
//!
//! A replacement counts as both a creation and a deletion, as in the command that GitLab's manual
//! gives. GitLab reads only these three numbers. If there are broken rules or failed checks, their
//! numbers come first, for people who read the file.
//!
//! The format cannot express that a plan could not be read. In that case the report stays empty:
//! GitLab then says that the report is invalid instead of showing numbers that are too small.

use std::io::Write;

use super::gate::{Questions, Rule};
use super::{Sink, write_error};
use crate::error::{Error, Result};
use crate::record::{Label, Record};

/// Counts the changes of all plans and writes the report at the end.
pub struct Gitlab<W: Write> {
    out: W,
    questions: Questions,
    /// The numbers of broken rules, broken warnings and failed checks, with their keys.
    faults: [(&'static str, u64); 3],
    create: u64,
    update: u64,
    delete: u64,
    has_failed: bool,
}

const BROKEN_RULES: usize = 0;
const BROKEN_WARNINGS: usize = 1;
const FAILED_CHECKS: usize = 2;

impl<W: Write> Gitlab<W> {
    /// Writes the report to `out` at the end. It counts how often plans break `rules`.
    pub fn new(out: W, rules: &[Rule]) -> Gitlab<W> {
        let faults = ["broken_rules", "broken_warnings", "failed_checks"].map(|name| (name, 0));
        let questions = Questions::new(rules);
        Gitlab { out, questions, faults, create: 0, update: 0, delete: 0, has_failed: false }
    }
}

impl<W: Write> Sink for Gitlab<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.questions.note(record);
        match record {
            Record::ResourceChange(change) => {
                let has =
                    |word: &str| u64::from(change.actions.iter().any(|action| action == word));
                self.create += has("create");
                self.update += has("update");
                self.delete += has("delete");
            }
            Record::Check(check) => {
                let has_failed = matches!(&*check.status, "fail" | "error");
                self.faults[FAILED_CHECKS].1 += u64::from(has_failed);
            }
            Record::Summary(_) => {
                for answer in self.questions.broken() {
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
        let faults = self.faults.iter().filter(|(_, count)| *count > 0);
        let faults: String = faults.map(|(name, count)| format!(r#""{name}":{count},"#)).collect();
        writeln!(self.out, r#"{{{faults}"create":{create},"update":{update},"delete":{delete}}}"#)
            .and_then(|()| self.out.flush())
            .map_err(write_error)
    }
}
