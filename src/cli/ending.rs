//! The end of a run: finishes the outputs, and prints the last messages.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::Plans;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::messages::{fail, say};
use super::output::{Output, is_closed_pipe, write_whole};
use super::stats::Stats;
use super::unmatched;
use plansift_core::error::{Error, Result};
use plansift_fleet::run::RunCounts;
use plansift_plan::record::patterns::UnmatchedPatterns;

/// An output that could not be written.
pub struct OutputFailure {
    /// The path of the output; `None` for standard output.
    path: Option<PathBuf>,
    error: Error,
}

impl OutputFailure {
    /// Returns the error of the output at `path`.
    pub fn of(path: Option<&Path>, error: Error) -> OutputFailure {
        OutputFailure { path: path.map(Path::to_owned), error }
    }

    /// Prints the error, and returns the exit code.
    fn end(&self, facts: ExitFacts) -> Exit {
        end_of_output(self.path.as_deref(), &self.error, facts)
    }
}

/// A run that has read its inputs, or whose output failed. The command sets the fields that differ
/// from those of [`read_all`](super::reading::read_all).
pub struct Ending<'a> {
    pub plans: &'a Plans,
    pub counts: RunCounts,
    /// The error of the output, if it failed.
    pub read: Result<()>,
    pub stats: Stats,
    /// Whether a plan broke a rule; `None` without rules.
    pub is_broken: Option<bool>,
    /// Whether the exit code says that there are changes (`--detailed-exitcode`).
    pub detailed_exitcode: bool,
    /// Whether to finish the outputs even if no document could be read.
    pub is_written_empty: bool,
    /// Patterns of the arguments. A message lists each pattern that matches nothing.
    pub patterns: Option<Arc<UnmatchedPatterns>>,
    /// Whether a report on the terminal has warnings about the patterns.
    pub shows_patterns: bool,
}

impl Ending<'_> {
    /// Ends a run with one output. `finish` writes the rest of the output. Fails like
    /// [`Ending::end`].
    pub fn end_at(
        self,
        path: Option<&Path>,
        output: Output,
        finish: impl FnOnce() -> Result<()>,
    ) -> std::result::Result<Exit, Exit> {
        let failure = |error| OutputFailure::of(path, error);
        self.end(path, || finish().and_then(|()| output.finish()).map_err(failure))
    }

    /// Ends the run. `path` is the output that failed while the inputs were read. `finish` finishes
    /// the outputs. If the outputs were not finished, fails with the exit code of the run.
    pub fn end(
        self,
        path: Option<&Path>,
        finish: impl FnOnce() -> std::result::Result<(), OutputFailure>,
    ) -> std::result::Result<Exit, Exit> {
        let Ending { plans, counts: RunCounts { done, failed, has_changes, .. }, .. } = self;
        let reports_changes = self.detailed_exitcode && has_changes;
        let at = |output, is_broken| ExitFacts { done, failed, reports_changes, is_broken, output };
        let read = self.read.map_err(|error| OutputFailure::of(path, error));
        read.map_err(|failure| failure.end(at(OutputEnd::ClosedEarly, self.is_broken)))?;
        if done == 0 && !self.is_written_empty {
            return Err(Exit::of(at(OutputEnd::Nothing, self.is_broken)));
        }
        let patterns = self.patterns.as_deref().filter(|_| done > 0);
        let is_broken = if unmatched::fails_of(patterns) { Some(true) } else { self.is_broken };
        finish().map_err(|failure| failure.end(at(OutputEnd::Closed, is_broken)))?;
        if !plans.quiet && !self.shows_patterns {
            unmatched::warn_of(patterns);
        }
        if plans.stats {
            say(&self.stats.line());
        }
        Ok(Exit::of(at(OutputEnd::Complete, is_broken)))
    }
}

/// Returns the exit code of a run whose output failed. Prints the error, unless the reader closed
/// the pipe; `facts` say when that was.
pub fn end_of_output(output: Option<&Path>, error: &Error, facts: ExitFacts) -> Exit {
    if !is_closed_pipe(error) {
        fail(output, error);
        return Exit::of(ExitFacts { output: OutputEnd::Failed, ..facts });
    }
    if (facts.output, facts.is_broken, facts.failed) == (OutputEnd::ClosedEarly, Some(false), 0) {
        say("the output was closed before all was read: whether a rule is broken is not known");
    }
    Exit::of(facts)
}

/// Writes a whole output after all inputs were read; `failed` of them failed. If the output fails,
/// returns the exit code, like [`end_of_output`].
pub fn write_last(
    output: Option<&Path>,
    text: &[u8],
    failed: u64,
) -> std::result::Result<(), Exit> {
    let facts = ExitFacts { failed, output: OutputEnd::Closed, ..ExitFacts::default() };
    write_whole(output, text).map_err(|error| end_of_output(output, &error, facts))
}
