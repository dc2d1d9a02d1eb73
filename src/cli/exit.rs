//! The exit codes, described in docs/exit-codes.md. No other file defines one.

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
