//! GitLab's report of a plan (`artifacts:reports:terraform`): how much is created, updated and
//! deleted. As in the command that GitLab's manual has for it, a replacement counts as both. GitLab
//! reads these three numbers; before them stand those of broken rules and failed checks, if there
//! are any, for whoever reads the file.
//!
//! It has no word for a plan that could not be read: where there is one, the report is left empty,
//! and GitLab says that it cannot be read instead of showing smaller numbers.

use std::io::Write;

use super::gate::{Questions, Rule};
use super::{Sink, write_error};
use crate::error::{Error, Result};
use crate::record::{Label, Record};

/// Counts the changes of all plans.
pub struct Gitlab<W: Write> {
    out: W,
    questions: Questions,
    /// What is wrong, by name.
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
    /// Writes to `out`, at the end, with the number of these rules that plans break.
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
                let has = |word: &str| u64::from(change.actions.iter().any(|it| it == word));
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
                    let which = if answer.fails() { BROKEN_RULES } else { BROKEN_WARNINGS };
                    self.faults[which].1 += 1;
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
