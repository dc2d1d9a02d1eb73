//! `plansift merge`: reports from the folders that `batch` wrote, of one run or of two.

use std::cell::Cell;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use super::args::{Merge, ReportFormat, Target};
use super::batch::{facts_of, refuse_output};
use super::ending::end_of_output;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::messages::{fail, say};
use super::output::Output;
use super::report::refuse_collisions;
use super::screen::screen;
use plansift_core::error::{Error, Result};
use plansift_fleet::batch::report::{Fleet, REPORT_VERSION, Shards};
use plansift_plan::sink::{NullSink, Sink};
use plansift_report::fleet::Workspaces;
use plansift_report::json::Json;
use plansift_report::ndjson::Ndjson;
use plansift_report::several::Several;
use plansift_report::{html, markdown};

/// Writes the reports of all folders.
pub fn run(arguments: &Merge) -> std::result::Result<Exit, Exit> {
    let targets = arguments.targets();
    refuse_collisions(&targets)?;
    for folder in arguments.folders.iter().chain(&arguments.since) {
        targets.iter().try_for_each(|target| refuse_output(target.file.as_deref(), folder))?;
    }
    let shards = open(&arguments.folders, arguments)?;
    let earlier = match arguments.since.is_empty() {
        true => None,
        false => Some(open(&arguments.since, arguments)?),
    };
    let failed_at = Cell::new(None);
    let merged =
        write(arguments, &targets, Runs { shards: &shards, earlier: earlier.as_ref() }, &failed_at);
    let Merged { fleet, has_news } = merged.map_err(|error| {
        // The exit code counts all failures, even if the reader closed the pipe early.
        let counted = shards.write(&mut NullSink);
        let failed = counted.map_or(1, |fleet| facts_of(&fleet, false).failed);
        let target = failed_at.get().and_then(|index: usize| targets.get(index));
        end_of_output(
            target.or(targets.first()).and_then(|target| target.file.as_deref()),
            &error,
            ExitFacts { failed, output: OutputEnd::Closed, ..ExitFacts::default() },
        )
    })?;
    match fleet.totals.inputs.pending {
        0 => {}
        1 => say("1 input is not done yet"),
        many => say(&format!("{many} inputs are not done yet")),
    }
    let facts = facts_of(&fleet, arguments.detailed_exitcode);
    let reports_changes = match has_news {
        Some(has_news) => has_news && arguments.detailed_exitcode,
        None => facts.reports_changes,
    };
    Ok(Exit::of(ExitFacts { reports_changes, ..facts }))
}

/// Opens the folders of one run. Refuses missing shards, unless the user accepts them.
fn open(folders: &[PathBuf], arguments: &Merge) -> std::result::Result<Shards, Exit> {
    let shards = Shards::open(folders);
    let shards = shards.map_err(|(folder, error)| fail(Some(&folder), &error))?;
    if !arguments.partial
        && let Some(missing) = missing(&shards)
    {
        let folder = folders[0].display();
        say(&format!(
            "{folder}: shards are missing: {missing}: name their folders as well, or merge the \
             others with --partial"
        ));
        return Err(Exit::Failed);
    }
    Ok(shards)
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

/// The folders of a run, and of an earlier run, if there is one.
struct Runs<'a> {
    shards: &'a Shards,
    earlier: Option<&'a Shards>,
}

/// The totals of a run, and whether it has news since an earlier run, if there is one.
struct Merged {
    fleet: Fleet,
    has_news: Option<bool>,
}

/// Writes all reports of a run, or of its comparison with an earlier run. `failed_at` receives the
/// index of the target that failed.
fn write(
    arguments: &Merge,
    targets: &[Target<ReportFormat>],
    runs: Runs<'_>,
    failed_at: &Cell<Option<usize>>,
) -> Result<Merged> {
    let Runs { shards, earlier } = runs;
    let (mut outputs, mut sinks) = (Vec::new(), Vec::new());
    for (index, target) in targets.iter().enumerate() {
        failed_at.set(Some(index));
        outputs.push(Output::open(target.file.as_deref())?);
        sinks.push(sink(target.format, &outputs[index])?);
    }
    failed_at.set(None);
    let mut records = Several::new(sinks, failed_at);
    let earlier = earlier.map(|earlier| earlier.write(&mut NullSink)).transpose()?;
    let fleet = match &earlier {
        None => shards.write(&mut records)?,
        Some(_) => shards.write(&mut NullSink)?,
    };
    let workspaces = match &earlier {
        Some(earlier) => Workspaces::since(&earlier.totals, &fleet.totals),
        None => Workspaces::of(&fleet.totals),
    };
    if earlier.is_some() {
        workspaces.write(REPORT_VERSION, &mut records)?;
        records.finish()?;
    }
    drop(records);
    let has_news = earlier.is_some().then(|| workspaces.has_news());
    for (index, (target, output)) in targets.iter().zip(outputs).enumerate() {
        failed_at.set(Some(index));
        let text = text(arguments, target, &workspaces, &fleet);
        output.writer()?.write_all(text.as_bytes()).map_err(Error::write)?;
        output.finish()?;
    }
    Ok(Merged { fleet, has_news })
}

/// Returns a sink for the records of a run. A format without records drops them.
fn sink(format: ReportFormat, output: &Output) -> Result<Box<dyn Sink>> {
    Ok(match format {
        ReportFormat::Ndjson => Box::new(Ndjson::new(BufWriter::new(output.writer()?))),
        ReportFormat::Json => Box::new(Json::new(BufWriter::new(output.writer()?))),
        ReportFormat::Table | ReportFormat::Markdown | ReportFormat::Html => Box::new(NullSink),
    })
}

/// Returns the text of a report for a person. Empty for a format of records.
fn text(
    arguments: &Merge,
    target: &Target<ReportFormat>,
    workspaces: &Workspaces<'_>,
    fleet: &Fleet,
) -> String {
    let shape = arguments.table.shape();
    let screen = screen(arguments.color, target.file.as_deref());
    match target.format {
        ReportFormat::Table if arguments.since.is_empty() => fleet.totals.draw(&shape, screen),
        ReportFormat::Table => workspaces.draw(&shape, screen),
        ReportFormat::Markdown => markdown::fleet::text(workspaces, shape.top),
        ReportFormat::Html => html::fleet::page(workspaces),
        ReportFormat::Ndjson | ReportFormat::Json => String::new(),
    }
}
