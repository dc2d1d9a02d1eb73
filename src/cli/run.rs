//! Runs the command that the arguments name.

use std::io::{self, Write};

use super::args::{Command, Schema, SchemaOf};
use super::exit::Exit;
use super::messages::fail;
use super::{audit, batch, merge, records, redact, report, slim};
use crate::error::{Error, ErrorKind};

/// Runs a command and prints its messages.
pub fn run(command: &Command) -> Exit {
    match command {
        Command::Summary(summary) => records::summary(summary),
        Command::Changes(changes) => records::changes(changes),
        Command::Report(arguments) => report::run(arguments),
        Command::Batch(arguments) => batch::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Redact(arguments) => redact::run(arguments),
        Command::Audit(arguments) => audit::run(arguments),
        Command::Slim(arguments) => slim::run(arguments),
        Command::Schema(schema) => print_schema(schema),
    }
}

fn print_schema(schema: &Schema) -> Exit {
    let text = match schema.of {
        SchemaOf::Records => crate::record::schema::SCHEMA,
        SchemaOf::Audit => crate::audit::SCHEMA,
        SchemaOf::Report => crate::batch::report::SCHEMA,
        SchemaOf::Fleet => crate::sink::fleet::document::SCHEMA,
    };
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            fail(None, &Error::io(ErrorKind::Write, error))
        }
        _ => Exit::Done,
    }
}
