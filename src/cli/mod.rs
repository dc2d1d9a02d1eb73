//! The command line: arguments, commands and exit codes. Only this module prints.
//!
//! `run` dispatches to one file for each command. The commands share `inputs`, `options`,
//! `sifting` or `rewriting`, and `ending`. Every file imports only files below it:
//!
//! ```text
//!  run ─▶ records, report, assert, batch, merge, redact, slim, audit, values, config, show, blocks
//!           ─▶ sifting, rewriting, auditing, secrets, pages, gates, assertions, progress, sources
//!                ─▶ ending ─▶ tally, unmatched
//!                     ─▶ inputs, options, output, screen ─▶ messages ─▶ bar ─▶ args
//! ```

pub mod args;
mod assert;
mod assertions;
mod audit;
mod auditing;
mod bar;
mod batch;
mod blocks;
mod config;
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
mod show;
mod sifting;
mod slim;
mod sources;
mod stats;
mod tally;
mod unmatched;
mod values;
mod version;
mod wire;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::input::Mapping;

pub use exit::Exit;

/// Removes unfinished output files without waiting for a lock. Called when memory runs out.
pub fn remove_unfinished() {
    #[cfg(target_os = "linux")]
    interrupt::remove_unfinished();
}

/// Runs a command. The first argument is the name of the program. `mapping` says whether the
/// command may map files.
pub fn main(args: impl IntoIterator<Item = OsString>, mapping: Mapping) -> ExitCode {
    options::set_mapping(mapping);
    secrecy::refuse_core_dumps();
    secrecy::print_panics_without_messages();
    let exit = match args::parse(args) {
        Ok(command) => run::run(&command),
        Err(refusal) => messages::refuse(&refusal),
    };
    exit.into()
}
