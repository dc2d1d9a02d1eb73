//! The command line: arguments, what they set in motion, and how it ends. Policy lives here and
//! nowhere below: what is printed, where, and the exit code.

pub mod args;
mod audit;
mod batch;
mod exit;
mod gates;
mod inputs;
#[cfg(target_os = "linux")]
mod interrupt;
mod merge;
mod output;
mod pages;
mod progress;
mod redact;
mod report;
mod rewriting;
mod run;
mod secrecy;
mod sifting;
mod slim;
mod stats;

use std::ffi::OsString;
use std::process::ExitCode;

pub use exit::Exit;

/// Runs the command with those arguments, the program's name first.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    secrecy::refuse_core_dumps();
    secrecy::tell_panics_without_words();
    let exit = match args::parse(args) {
        Ok(command) => run::run(command),
        Err(refusal) => run::refuse(&refusal),
    };
    exit.into()
}
