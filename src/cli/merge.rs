//! `plansift merge`: one report of what `batch` wrote, or has written so far.

use std::io;

use super::args::{Merge, ReportFormat};
use super::batch::exit_of;
use super::exit::Exit;
use super::output::Output;
use super::run::{color, end_of_output, fail, say, shape};
use crate::batch::report::{Fleet, Missing, Shards};
use crate::error::{Error, ErrorKind, Result};

/// Writes the report of all folders.
pub fn run(arguments: &Merge) -> Exit {
    let missing = if arguments.partial { Missing::Told } else { Missing::Refused };
    let shards = match Shards::open(&arguments.folders, missing) {
        Ok(shards) => shards,
        Err((folder, error)) => return fail(Some(&folder), &error),
    };
    let fleet = match write(arguments, &shards) {
        Ok(fleet) => fleet,
        Err(error) => return end_of_output(arguments.output.as_deref(), &error, 0),
    };
    match fleet.totals.pending {
        0 => {}
        1 => say("1 input is not done yet"),
        many => say(&format!("{many} inputs are not done yet")),
    }
    exit_of(&fleet, arguments.detailed_exitcode)
}

fn write(arguments: &Merge, shards: &Shards) -> Result<Fleet> {
    let path = arguments.output.as_deref();
    let output = Output::open(path)?;
    let mut out = io::BufWriter::new(output.writer()?);
    let fleet = match arguments.format {
        ReportFormat::Ndjson => shards.write(&mut out)?,
        ReportFormat::Table => {
            let fleet = shards.write(&mut io::sink())?;
            let shape = shape(&arguments.table).unwrap_or_default();
            let table = fleet.totals.draw(&shape, color(arguments.color, path));
            io::Write::write_all(&mut out, table.as_bytes()).map_err(write_error)?;
            fleet
        }
    };
    io::Write::flush(&mut out).map_err(write_error)?;
    drop(out);
    output.finish()?;
    Ok(fleet)
}

fn write_error(error: io::Error) -> Error {
    Error::io(ErrorKind::Write, error)
}
