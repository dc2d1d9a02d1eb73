//! `plansift merge`: one report of what `batch` wrote, or has written so far.

use std::io::{self, BufWriter, Write};

use super::args::{Merge, ReportFormat};
use super::batch::exit_of;
use super::exit::Exit;
use super::output::{Output, write_whole};
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
    if arguments.format == ReportFormat::Table {
        let fleet = shards.write(&mut io::sink())?;
        let shape = shape(&arguments.table).unwrap_or_default();
        let table = fleet.totals.draw(&shape, color(arguments.color, path));
        return write_whole(path, table.as_bytes()).map(|()| fleet);
    }
    let output = Output::open(path)?;
    let mut out = BufWriter::new(output.writer()?);
    let fleet = shards.write(&mut out)?;
    out.flush().map_err(|error| Error::io(ErrorKind::Write, error))?;
    drop(out);
    output.finish().map(|()| fleet)
}
