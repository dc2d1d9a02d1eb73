//! `plansift merge`: one report from the folders that `batch` wrote.

use std::io::{self, BufWriter, Write};

use super::args::{Merge, ReportFormat};
use super::batch::{facts_of, refuse_output};
use super::ending::end_of_output;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::messages::{fail, say};
use super::output::{Output, write_whole};
use super::screen::screen;
use plansift_core::error::{Error, Result};
use plansift_fleet::batch::report::{Fleet, Shards};

/// Writes the report of all folders.
pub fn run(arguments: &Merge) -> std::result::Result<Exit, Exit> {
    let output = arguments.output.as_deref();
    arguments.folders.iter().try_for_each(|folder| refuse_output(output, folder))?;
    let shards = Shards::open(&arguments.folders);
    let shards = shards.map_err(|(folder, error)| fail(Some(&folder), &error))?;
    if !arguments.partial
        && let Some(missing) = missing(&shards)
    {
        let folder = arguments.folders[0].display();
        say(&format!(
            "{folder}: shards are missing: {missing}: name their folders as well, or merge the \
             others with --partial"
        ));
        return Err(Exit::Failed);
    }
    let fleet = write(arguments, &shards).map_err(|error| {
        // The exit code counts all failures, even if the reader closed the pipe early.
        let counted = shards.write(&mut io::sink());
        let failed = counted.map_or(1, |fleet| facts_of(&fleet, false).failed);
        end_of_output(
            output,
            &error,
            ExitFacts { failed, output: OutputEnd::Closed, ..ExitFacts::default() },
        )
    })?;
    match fleet.totals.inputs.pending {
        0 => {}
        1 => say("1 input is not done yet"),
        many => say(&format!("{many} inputs are not done yet")),
    }
    Ok(Exit::of(facts_of(&fleet, arguments.detailed_exitcode)))
}

/// Names the first missing shards, in the syntax of `batch --shard`. `None` if none is missing.
fn missing(shards: &Shards) -> Option<String> {
    const NAMED: usize = 20;
    let (numbers, count) = shards.missing();
    let named = numbers.iter().take(NAMED).map(|number| format!("{number}/{count}"));
    let named = named.collect::<Vec<_>>().join(", ");
    match numbers.len() {
        0 => None,
        1..=NAMED => Some(named),
        len => Some(format!("{named} and {} more", len - NAMED)),
    }
}

fn write(arguments: &Merge, shards: &Shards) -> Result<Fleet> {
    let path = arguments.output.as_deref();
    if arguments.format == ReportFormat::Table {
        let fleet = shards.write(&mut io::sink())?;
        let screen = screen(arguments.color, path);
        let table = fleet.totals.draw(&arguments.table.shape(), screen);
        return write_whole(path, table.as_bytes()).map(|()| fleet);
    }
    let output = Output::open(path)?;
    let mut out = BufWriter::new(output.writer()?);
    let fleet = shards.write(&mut out)?;
    out.flush().map_err(Error::write)?;
    drop(out);
    output.finish().map(|()| fleet)
}
