//! Runs the command that the arguments name.

use std::io::{self, Write};

use super::args::{self, Command, Schema, SchemaOf};
use super::exit::Exit;
use super::messages::{fail, say};
use super::{
    assert, audit, batch, blocks, config, merge, records, redact, report, show, slim, values, wire,
};
use crate::error::{Error, ErrorKind};

/// Runs a command and prints its messages.
pub fn run(command: &Command) -> Exit {
    match command {
        Command::Summary(summary) => records::summary(summary),
        Command::Changes(changes) => records::changes(changes),
        Command::Report(arguments) => report::run(arguments),
        Command::Assert(arguments) => assert::run(arguments),
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
        Command::Schema(schema) => print(schema_of(schema).as_bytes()),
        Command::Completions(completions) => print(&args::completions(completions.shell)),
        Command::Man(man) => match args::manual(man.command.as_deref()) {
            Some(page) => print(&page),
            None => {
                say("there is no command of this name: `plansift help` lists them");
                Exit::Usage
            }
        },
    }
}

fn schema_of(schema: &Schema) -> &'static str {
    match schema.of {
        SchemaOf::Records => crate::record::schema::SCHEMA,
        SchemaOf::Audit => crate::audit::SCHEMA,
        SchemaOf::Report => crate::batch::report::SCHEMA,
        SchemaOf::Resources | SchemaOf::Outputs | SchemaOf::Variables | SchemaOf::Checks => {
            crate::record::values::SCHEMA
        }
        SchemaOf::Config => crate::config::schema::SCHEMA,
        SchemaOf::Fleet => crate::sink::fleet::document::SCHEMA,
        SchemaOf::Assertions => crate::assertion::SCHEMA,
        SchemaOf::AssertResults => crate::sink::assertions::SCHEMA,
    }
}

/// Prints a text to standard output. A closed pipe is no error.
fn print(text: &[u8]) -> Exit {
    match io::stdout().write_all(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            fail(None, &Error::io(ErrorKind::Write, error))
        }
        _ => Exit::Done,
    }
}
