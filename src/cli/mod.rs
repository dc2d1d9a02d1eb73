//! The command line: arguments, what they set in motion, and how it ends. Policy lives here and
//! nowhere below: what is printed, where, and the exit code.

pub mod args;
mod audit;
mod auditing;
mod bar;
mod batch;
mod ending;
mod exit;
mod gates;
mod inputs;
#[cfg(target_os = "linux")]
mod interrupt;
mod merge;
mod messages;
mod options;
mod output;
mod pages;
mod progress;
mod records;
mod redact;
mod report;
mod rewriting;
mod run;
mod screen;
mod secrecy;
mod secrets;
mod sifting;
mod slim;
mod stats;
mod tally;
mod unmatched;

use std::ffi::OsString;
use std::process::ExitCode;

pub use exit::Exit;

/// Removes the output files that are not finished, where that can be done without waiting: for the
/// end of a run that has no memory left.
pub fn remove_unfinished() {
    #[cfg(target_os = "linux")]
    interrupt::remove_unfinished();
}

/// Runs the command with those arguments, the program's name first.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    secrecy::refuse_core_dumps();
    secrecy::tell_panics_without_words();
    let exit = match args::parse(args) {
        Ok(command) => run::run(&command),
        Err(refusal) => messages::refuse(&refusal),
    };
    exit.into()
}
