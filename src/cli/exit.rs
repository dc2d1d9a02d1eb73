//! The exit codes, described in docs/exit-codes.md. [`Exit`] defines their numbers.
//!
//! * [`Exit::of`] decides between the codes of a run over inputs.
//! * Wrong arguments are [`Exit::Usage`]: see `messages::usage` and `messages::refuse`.
//! * A command that cannot start or go on prints an error, and returns [`Exit::Failed`]. So do
//!   `blocks --check` and `wire check` if they find errors.
//! * `show`, `wire`, `mcp`, and the commands that print help or another constant text are no runs
//!   over inputs. They return [`Exit::Done`] if no error ends them.
//!
//! Two places call `_exit(1)`, because no other code may run there: the allocator in `src/main.rs`
//! when memory runs out, and the handler of SIGBUS in `crates/core/src/input/mapped.rs` when a file
//! shrank and the system has no memory to replace its page. A signal that ends the process has no
//! code here: `interrupt` leaves it to the default action.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The run is complete, with or without changes, or the reader closed the pipe.
    Done = 0,
    /// No input could be read, or an output could not be written.
    Failed = 1,
    /// There are changes, with `--detailed-exitcode`.
    Changes = 2,
    RuleBroken = 3,
    /// Some inputs failed; the others are done.
    SomeFailed = 4,
    Usage = 64,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// What became of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputEnd {
    /// It is complete.
    #[default]
    Complete,
    /// Its reader closed the pipe before all inputs were read.
    ClosedEarly,
    /// Its reader closed the pipe after that.
    Closed,
    /// It could not be written.
    Failed,
    /// It was not written, because no document could be read.
    Nothing,
}

/// The facts from which the exit code follows.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExitFacts {
    /// Plans that were read to their end.
    pub done: u64,
    /// Plans and inputs that failed, or were not read yet.
    pub failed: u64,
    /// Whether there are changes, and `--detailed-exitcode` asked for them.
    pub reports_changes: bool,
    /// Whether a plan broke a rule, or failed an assertion; `None` without rules and assertions.
    pub is_broken: Option<bool>,
    pub output: OutputEnd,
}

impl Exit {
    /// Returns the exit code of a run.
    pub fn of(facts: ExitFacts) -> Exit {
        let ExitFacts { done, failed, reports_changes, is_broken, output } = facts;
        match (output, failed, is_broken) {
            (OutputEnd::Failed | OutputEnd::Nothing, ..) => Exit::Failed,
            (OutputEnd::Complete, 1.., _) if done == 0 => Exit::Failed,
            (_, 1.., _) => Exit::SomeFailed,
            (_, 0, Some(true)) => Exit::RuleBroken,
            // Whether a rule is broken is not known.
            (OutputEnd::ClosedEarly, 0, Some(false)) => Exit::Failed,
            (OutputEnd::Complete, ..) if reports_changes => Exit::Changes,
            _ => Exit::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_follows_from_the_facts() {
        let complete = |done, failed, is_broken, reports_changes| {
            let output = OutputEnd::Complete;
            Exit::of(ExitFacts { done, failed, is_broken, reports_changes, output })
        };
        assert_eq!(complete(1, 0, None, false), Exit::Done);
        assert_eq!(complete(1, 0, Some(false), true), Exit::Changes);
        assert_eq!(complete(1, 0, Some(true), true), Exit::RuleBroken);
        assert_eq!(complete(1, 1, Some(true), true), Exit::SomeFailed);
        assert_eq!(complete(0, 1, Some(true), true), Exit::Failed);
        let closed = |failed, is_broken, output| {
            Exit::of(ExitFacts { failed, is_broken, output, reports_changes: true, done: 0 })
        };
        assert_eq!(closed(0, None, OutputEnd::ClosedEarly), Exit::Done);
        assert_eq!(closed(0, Some(false), OutputEnd::ClosedEarly), Exit::Failed);
        assert_eq!(closed(0, Some(false), OutputEnd::Closed), Exit::Done);
        assert_eq!(closed(0, Some(true), OutputEnd::Closed), Exit::RuleBroken);
        assert_eq!(closed(1, Some(true), OutputEnd::Closed), Exit::SomeFailed);
        assert_eq!(closed(1, Some(true), OutputEnd::Failed), Exit::Failed);
        assert_eq!(closed(0, None, OutputEnd::Nothing), Exit::Failed);
    }
}
