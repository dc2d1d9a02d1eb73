//! `plansift resources`, `outputs`, `variables` and `checks`: write one row for each element of the
//! documents to one sink.
//!
//! Rows with values or messages need the secrets of the document, so its input is read twice.

use std::cell::Cell;
use std::io::BufWriter;

use super::args::{Checks, GateArgs, Outputs, Resources, RowArgs, RowFormat, Variables};
use super::exit::Exit;
use super::gates;
use super::inputs::{self, Wanted};
use super::messages::usage;
use super::options::{formulas, options};
use super::output::{Output, open_sink};
use super::reading::read_all;
use super::screen::screen;
use super::secrets::{secret_options, warn_of_names};
use super::tables::{self, Family};
use super::unmatched;
use plansift_core::path;
use plansift_fleet::run::{Consumer, ValuesReader};
use plansift_plan::plan::Accepts;
use plansift_plan::record::Sink;
use plansift_plan::record::state_counts::GroupKey;
use plansift_plan::record::values::{RowKind, Select, ValuesOptions, ValuesSource};
use plansift_plan::sink::json::Json;
use plansift_plan::sink::ndjson::Ndjson;
use plansift_report::csv::Csv;
use plansift_report::values::{Grouping, Rows, Table};

/// Lists or counts the resources of all inputs.
pub fn resources(arguments: &Resources) -> std::result::Result<Exit, Exit> {
    let Resources { of, select, only, all, group_by, rows } = arguments;
    let (mut selected, mut paths) = (Select::default(), Vec::new());
    for path in select {
        let parsed = selected.push(path).and_then(|()| path::Pattern::parse(path));
        paths.push(parsed.map_err(|error| usage(&format!("--select: {error}")))?);
    }
    let options = |options: ValuesOptions| ValuesOptions {
        of: *of,
        only: only.clone(),
        all: *all,
        select: selected,
        patterns: unmatched::resources(only, &paths),
        ..options
    };
    let shows_values = !select.is_empty();
    let request = Request { rows, shows_values, by: *group_by, gate: None };
    run(request, RowKind::Resources, options)
}

pub fn outputs(arguments: &Outputs) -> std::result::Result<Exit, Exit> {
    let Outputs { of, values, rows } = arguments;
    let options = |options: ValuesOptions| ValuesOptions { of: *of, ..options };
    run(Request { rows, shows_values: *values, by: None, gate: None }, RowKind::Outputs, options)
}

pub fn variables(arguments: &Variables) -> std::result::Result<Exit, Exit> {
    let Variables { values, rows } = arguments;
    run(Request { rows, shows_values: *values, by: None, gate: None }, RowKind::Variables, |it| it)
}

pub fn checks(arguments: &Checks) -> std::result::Result<Exit, Exit> {
    let Checks { gate, rows } = arguments;
    // The messages of checks may repeat secrets.
    let request = Request { rows, shows_values: true, by: None, gate: Some(gate) };
    run(request, RowKind::Checks, |options| options)
}

/// The arguments that all of these commands share.
struct Request<'a> {
    rows: &'a RowArgs,
    /// Whether rows have values or messages, which may be secret.
    shows_values: bool,
    by: Option<GroupKey>,
    gate: Option<&'a GateArgs>,
}

/// Writes the rows of all inputs. `fill` sets the options of one command.
fn run(
    request: Request<'_>,
    what: RowKind,
    fill: impl FnOnce(ValuesOptions) -> ValuesOptions,
) -> std::result::Result<Exit, Exit> {
    let Request { rows: arguments, shows_values, by, gate } = request;
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let file = path.filter(|_| arguments.format != RowFormat::Parquet);
    let accepts = if what == RowKind::Variables { Accepts::Plans } else { Accepts::States };
    let rules = gate.map_or(Ok(Vec::new()), gates::rules)?;
    let files = gate.into_iter().flat_map(GateArgs::files);
    let is_strict = gate.is_some_and(|gate| gate.strict_rules);
    let wanted = Wanted::from(accepts).strict(is_strict);
    let listed = inputs::list(plans, wanted, file, files)?;
    listed.warn_of_shared_workspaces(plans);
    let read = options(plans)?.read;
    if let Some(rule) = rules.iter().find(|rule| !rule.is_of_checks()) {
        let text = format!("--fail-on: the rule '{}' is not about checks", rule.text());
        return Err(usage(&text));
    }
    let (of, only, select) = (ValuesSource::Auto, Vec::new(), Select::default());
    let options = fill(ValuesOptions {
        read,
        what,
        of,
        only,
        all: false,
        select,
        patterns: unmatched::rules(&rules, is_strict),
    });
    let secrets = shows_values.then(|| secret_options(&arguments.secrets, read));
    let (sink, output) = open(arguments, &options, by)?;
    let is_broken = Cell::new(false);
    let mut sink = gates::before(sink, &rules, &is_broken);
    let (options, secrets) = (&options, secrets.as_ref());
    let mut reader = ValuesReader { options, secrets, sink: sink.as_mut() };
    let work = Consumer::Documents(reader.passes(), &mut reader);
    let mut ending = read_all(plans, &listed, &read, work);
    let done = ending.counts.done;
    ending.is_broken = (!rules.is_empty()).then(|| is_broken.get());
    ending.patterns = options.patterns.clone();
    let ended = ending.end_at(path, output, move || sink.finish());
    if let Some(secrets) = secrets.filter(|_| !plans.quiet && done > 0) {
        warn_of_names(secrets.names.as_ref());
    }
    ended
}

/// Opens the output, and the sink of the rows.
fn open(
    arguments: &RowArgs,
    options: &ValuesOptions,
    by: Option<GroupKey>,
) -> std::result::Result<(Box<dyn Sink>, Output), Exit> {
    let rows = match options.what {
        RowKind::Resources if by.is_some() => Rows::Groups,
        RowKind::Resources => Rows::Resources(&options.select),
        RowKind::Outputs => Rows::Outputs,
        RowKind::Variables => Rows::Variables,
        RowKind::Checks => Rows::Checks,
    };
    let path = arguments.output.as_deref();
    let screen = || screen(arguments.plans.color, path);
    let (sink, output) = match arguments.format {
        RowFormat::Table => {
            open_sink(path, |out| Box::new(Table::new(BufWriter::new(out), screen(), rows)))?
        }
        RowFormat::Ndjson => open_sink(path, |out| Box::new(Ndjson::new(out)))?,
        RowFormat::Json => open_sink(path, |out| Box::new(Json::new(out)))?,
        RowFormat::Csv => {
            open_sink(path, |out| Box::new(Csv::values(out, formulas(arguments.csv_raw), rows)))?
        }
        RowFormat::Parquet => tables::open(path, Family::Contents, |table| match table {
            "documents" => true,
            "groups" => matches!(rows, Rows::Groups),
            "resources" => matches!(rows, Rows::Resources(_)),
            "output_values" => matches!(rows, Rows::Outputs),
            "variables" => matches!(rows, Rows::Variables),
            _ => matches!(rows, Rows::Checks),
        })?,
    };
    let sink = match by {
        Some(by) => Box::new(Grouping::new(by, sink)),
        None => sink,
    };
    Ok((sink, output))
}
