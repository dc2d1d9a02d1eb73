//! The exit codes (docs/exit-codes.md). The only list of them.

use std::process::ExitCode;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, whatever the plan holds; a closed pipe too.
    Done = 0,
    /// Unreadable, invalid or incomplete input; output that could not be written.
    Failed = 1,
    /// There are changes, and `--detailed-exitcode` asked for it.
    Changes = 2,
    /// A rule that the user set is broken.
    RuleBroken = 3,
    /// Some inputs of several failed, the others are done.
    SomeFailed = 4,
    /// The arguments make no sense.
    Usage = 64,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
