//! The end of a run: finishes the outputs and determines the exit code.

use std::path::{Path, PathBuf};

use super::args::Plans;
use super::exit::Exit;
use super::messages::{fail, say};
use super::output::{Output, is_closed_pipe};
use super::run_counts::RunCounts;
use super::unmatched;
use crate::error::Error;
use crate::record::watch::Watch;

pub struct Failure {
    /// The path of the output; `None` for standard output.
    path: Option<PathBuf>,
    error: Error,
}

impl Failure {
    /// Returns the error of the output at `path`.
    pub fn of(path: Option<&Path>, error: Error) -> Failure {
        Failure { path: path.map(Path::to_owned), error }
    }

    /// Returns the exit code. Prints the error, unless the reader closed the pipe.
    fn exit(&self, counts: &RunCounts) -> Exit {
        end_of_output(self.path.as_deref(), &self.error, counts.failed)
    }
}

/// A run whose inputs were read, or whose output failed.
pub struct Ending<'a> {
    pub plans: &'a Plans,
    pub counts: &'a RunCounts,
    /// Whether a plan broke a rule; `None` without rules.
    pub is_broken: Option<bool>,
    /// Whether the exit code says that there are changes (`--detailed-exitcode`).
    pub tells_changes: bool,
    /// Whether to finish the outputs even if no document could be read.
    pub is_written_empty: bool,
    /// Patterns of the arguments. A warning lists the patterns that match nothing.
    pub watch: Option<&'static Watch>,
}

impl<'a> Ending<'a> {
    /// Creates the ending of a run without rules. Its outputs appear only if at least one document
    /// was read.
    pub fn new(plans: &'a Plans, counts: &'a RunCounts) -> Ending<'a> {
        Ending {
            plans,
            counts,
            is_broken: None,
            tells_changes: false,
            is_written_empty: false,
            watch: None,
        }
    }

    /// Ends a run with one output. `read` is the result of reading the inputs. `finish` then writes
    /// the rest of the output. Fails like [`Ending::end`].
    pub fn end_at(
        self,
        path: Option<&Path>,
        read: crate::error::Result<()>,
        output: Output,
        finish: impl FnOnce() -> crate::error::Result<()>,
    ) -> Result<Exit, Exit> {
        let failure = |error| Failure::of(path, error);
        let finish = || finish().and_then(|()| output.finish()).map_err(failure);
        self.end(read.map_err(failure), finish)
    }

    /// Ends the run. `read` is the result of reading the inputs. `finish` then finishes the
    /// outputs. If the outputs were not finished, fails with the exit code of the run.
    pub fn end(
        self,
        read: Result<(), Failure>,
        finish: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Exit, Exit> {
        let Ending { plans, counts, is_broken, .. } = self;
        read.map_err(|failure| match (failure.exit(counts), is_broken) {
            (Exit::Done, Some(is_broken)) => closed_early(is_broken),
            (exit, _) => exit,
        })?;
        if counts.done == 0 && !self.is_written_empty {
            return Err(Exit::Failed);
        }
        finish().map_err(|failure| match (failure.exit(counts), is_broken) {
            (Exit::Done, Some(true)) => Exit::RuleBroken,
            (exit, _) => exit,
        })?;
        if !plans.quiet && counts.done > 0 {
            unmatched::warn_of(self.watch);
        }
        if plans.stats {
            say(&counts.stats.line());
        }
        Ok(counts.exit(is_broken == Some(true), self.tells_changes))
    }
}

/// Returns the exit code of a run with rules whose pipe was closed before all plans were checked.
fn closed_early(is_broken: bool) -> Exit {
    if is_broken {
        return Exit::RuleBroken;
    }
    say("the output was closed before all was read: whether a rule is broken is not known");
    Exit::Failed
}

/// Returns the exit code for an output that failed, and prints its error. A closed pipe is not an
/// error: then the exit code only says whether an input failed. `failed` is the number of failed
/// inputs.
pub fn end_of_output(output: Option<&Path>, error: &Error, failed: u64) -> Exit {
    match is_closed_pipe(error) {
        true if failed > 0 => Exit::SomeFailed,
        true => Exit::Done,
        false => fail(output, error),
    }
}
