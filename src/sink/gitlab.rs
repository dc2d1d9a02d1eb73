//! GitLab's report of a plan (`artifacts:reports:terraform`): how much is created, updated and
//! deleted. As in the command that GitLab's manual has for it, a replacement counts as both.
//!
//! It has no word for a plan that could not be read: where there is one, the report is left empty,
//! and GitLab says that it cannot be read instead of showing smaller numbers.

use std::io::Write;

use super::{Sink, write_error};
use crate::error::{Error, Result};
use crate::record::{Label, Record};

/// Counts the changes of all plans.
pub struct Gitlab<W: Write> {
    out: W,
    create: u64,
    update: u64,
    delete: u64,
    has_failed: bool,
}

impl<W: Write> Gitlab<W> {
    /// Writes to `out`, at the end.
    pub fn new(out: W) -> Gitlab<W> {
        Gitlab { out, create: 0, update: 0, delete: 0, has_failed: false }
    }
}

impl<W: Write> Sink for Gitlab<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if let Record::ResourceChange(change) = record {
            let has = |word: &str| u64::from(change.actions.iter().any(|action| action == word));
            self.create += has("create");
            self.update += has("update");
            self.delete += has("delete");
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
        writeln!(self.out, r#"{{"create":{create},"update":{update},"delete":{delete}}}"#)
            .and_then(|()| self.out.flush())
            .map_err(write_error)
    }
}
