//! Writes totals of all plans as variables, one per line, for `source` in a shell and for GitLab's
//! `artifacts:reports:dotenv`.

use std::io::Write;

use super::figures::Figures;
use super::gate::Rule;
use super::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_plan::record::{Label, Record};

/// Writes the totals as variables.
pub struct Variables<W: Write> {
    out: W,
    figures: Figures,
}

impl<W: Write> Variables<W> {
    /// Writes to `out` at the end. The totals include how often plans break `rules`.
    pub fn new(out: W, rules: &[Rule]) -> Variables<W> {
        Variables { out, figures: Figures::new(rules) }
    }
}

impl<W: Write> Sink for Variables<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.figures.note(record);
        Ok(())
    }

    fn failed(&mut self, _: Label<'_>, _: &Error) -> Result<()> {
        self.figures.fail();
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let mut lines = String::new();
        for (name, figure) in self.figures.list() {
            let name = name.to_ascii_uppercase().replace('-', "_");
            lines += &format!("PLANSIFT_{name}={figure}\n");
        }
        self.out.write_all(lines.as_bytes()).and_then(|()| self.out.flush()).map_err(write_error)
    }
}
