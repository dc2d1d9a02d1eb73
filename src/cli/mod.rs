//! The command line: arguments, commands and exit codes. Only this module prints.
//!
//! [`main`] parses the arguments and calls the module of the command. A command lists its inputs
//! (`inputs`), reads them with a [`run`](plansift_fleet::run) (`reading`), and ends with an exit
//! code (`ending`, `exit`). Every file imports only files below it:
//!
//! ```text
//!  main ─▶ records, report, assert, compare, batch, merge, redact, slim, audit, values, config,
//!          show, blocks, wire, mcp
//!           ─▶ rewriting, secrets, pages, gates, assertions, progress, sources, tables, pairing,
//!              type_sets
//!                ─▶ reading, held_output ─▶ ending ─▶ unmatched
//!                     ─▶ inputs, options, output, screen ─▶ messages ─▶ bar ─▶ exit, args
//! ```

mod approve;
pub mod args;
mod assert;
mod assertions;
mod audit;
mod bar;
mod batch;
mod blocks;
mod compare;
mod config;
mod digest;
mod documents;
mod ending;
mod exit;
mod gates;
mod held_output;
mod hyperlinks;
mod inputs;
#[cfg(target_os = "linux")]
mod interrupt;
#[cfg_attr(not(feature = "mcp"), path = "no_mcp.rs")]
mod mcp;
mod merge;
mod messages;
mod options;
mod output;
mod pages;
mod pairing;
mod progress;
mod reading;
mod records;
mod redact;
mod report;
mod rewriting;
mod screen;
mod secrecy;
mod secrets;
mod show;
mod slim;
mod sources;
mod stats;
#[cfg_attr(not(feature = "tables"), path = "no_tables.rs")]
mod tables;
mod type_sets;
mod unmatched;
mod values;
mod version;
mod wire;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use self::args::{Assert, Command, Schema, SchemaOf};
use self::messages::{fail, usage};
use plansift_core::error::Error;
use plansift_core::input::Mapping;
use plansift_plan::record::schemas;

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
    #[cfg(target_os = "linux")]
    interrupt::report_oversized_files();
    let args: Vec<OsString> = args.into_iter().collect();
    if let Err(exit) = type_sets::install(&args) {
        return exit.into();
    }
    let command = match args::parse(args) {
        Ok(command) => command,
        Err(refusal) => return messages::refuse(&refusal).into(),
    };
    // `Ok` and `Err` both hold the exit code.
    let exit = match &command {
        Command::Summary(summary) => {
            records::summary(summary).and_then(records::RecordCommand::run)
        }
        Command::Changes(changes) => records::changes(changes).run(),
        Command::Report(arguments) => report::run(arguments),
        Command::Assert(Assert { print_pack: Some(pack), .. }) => Ok(print(pack.text.as_bytes())),
        Command::Assert(arguments) => assert::run(arguments),
        Command::Compare(arguments) => compare::run(arguments),
        Command::Approve(arguments) => approve::run(arguments),
        Command::Digest(arguments) => digest::run(arguments),
        Command::Batch(arguments) => batch::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Resources(arguments) => values::resources(arguments),
        Command::Outputs(arguments) => values::outputs(arguments),
        Command::Variables(arguments) => values::variables(arguments),
        Command::Checks(arguments) => values::checks(arguments),
        Command::Redact(arguments) => redact::run(arguments),
        Command::Audit(arguments) => audit::run(arguments),
        Command::Slim(arguments) => slim::run(arguments),
        Command::Config(arguments) => config::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Blocks(arguments) => blocks::run(arguments),
        Command::Wire(arguments) => wire::run(arguments),
        Command::Mcp(arguments) => mcp::run(arguments),
        Command::Schema(schema) => Ok(print(schema_of(schema).as_bytes())),
        Command::Completions(completions) => Ok(print(&args::completions(completions.shell))),
        Command::Man(man) if man.list => Ok(print(args::pages().as_bytes())),
        Command::Man(man) => match args::manual(man.command.as_deref()) {
            Some(page) => Ok(print(&page)),
            None => {
                Err(usage("there is no command of this name: `plansift man --list` lists them"))
            }
        },
    };
    let exit = exit.unwrap_or_else(|exit| exit);
    // A run with wrong arguments may not have parsed all patterns.
    if exit != Exit::Usage && !command.is_quiet() {
        type_sets::warn_of_misnamed();
    }
    exit.into()
}

fn schema_of(schema: &Schema) -> &'static str {
    match schema.of {
        SchemaOf::Records => schemas::CHANGES,
        SchemaOf::Audit => schemas::AUDIT,
        SchemaOf::Report => schemas::BATCH,
        SchemaOf::Resources | SchemaOf::Outputs | SchemaOf::Variables | SchemaOf::Checks => {
            schemas::CONTENTS
        }
        SchemaOf::Config => schemas::CONFIGURATION,
        SchemaOf::Comparison => schemas::COMPARISON,
        SchemaOf::Fleet => schemas::REPORT,
        SchemaOf::Summary => schemas::SUMMARY,
        SchemaOf::Assertions => plansift_check::assertion::SCHEMA,
        SchemaOf::AssertResults => schemas::ASSERTIONS,
    }
}

/// Writes bytes to standard output. A closed pipe is no error.
fn print(text: &[u8]) -> Exit {
    match io::stdout().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(None, &Error::write(error)),
        _ => Exit::Done,
    }
}
