//! `plansift audit`: lists where documents contain secrets.

use std::path::Path;

use super::args::{self, Audit, FindingsFormat};
use super::exit::Exit;
use super::inputs;
use super::messages::usage;
use super::options::{formulas, options};
use super::output::{Output, open_sink};
use super::reading::read_all;
use super::screen::screen;
use super::secrets::{secret_options, warn_of_names};
use super::tables::{self, Family};
use plansift_fleet::run::{AuditReader, Consumer, RunCounts};
use plansift_plan::plan::Accepts;
use plansift_plan::record::Sink;
use plansift_plan::sink::ndjson::Ndjson;
use plansift_redact::audit::AuditOptions;
use plansift_report::csv::Csv;
use plansift_report::findings::Table;

/// Audits all inputs, in order, into one output.
pub fn run(arguments: &Audit) -> std::result::Result<Exit, Exit> {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let read = options(plans)?.read;
    let echoes = arguments.secrets.echo != args::Echo::Off;
    if arguments.fail_on_echo && !echoes {
        return Err(usage("--fail-on-echo needs the search for echoes: leave --echo off out"));
    }
    let file = path.filter(|_| arguments.format != FindingsFormat::Parquet);
    let listed = inputs::list(plans, Accepts::States, file, None)?;
    let (mut sink, output) = open(arguments, path)?;
    let secret = secret_options(&arguments.secrets, read);
    let options = AuditOptions { secret, echoes, suspects: true };
    let mut reader = AuditReader { options: &options, sink: sink.as_mut() };
    let work = Consumer::Documents(AuditReader::PASSES, &mut reader);
    let mut ending = read_all(plans, &listed, &read, work);
    let RunCounts { done, echoes, .. } = ending.counts;
    ending.is_broken = arguments.fail_on_echo.then_some(echoes > 0);
    let ended = ending.end_at(path, output, move || sink.finish());
    if !plans.quiet && done > 0 {
        warn_of_names(options.secret.names.as_ref());
    }
    ended
}

/// Opens the output, and the sink of the findings.
fn open(
    arguments: &Audit,
    path: Option<&Path>,
) -> std::result::Result<(Box<dyn Sink>, Output), Exit> {
    match arguments.format {
        FindingsFormat::Table => {
            open_sink(path, |out| Box::new(Table::new(out, screen(arguments.plans.color, path))))
        }
        FindingsFormat::Ndjson => open_sink(path, |out| Box::new(Ndjson::new(out))),
        FindingsFormat::Csv => {
            open_sink(path, |out| Box::new(Csv::findings(out, formulas(arguments.csv_raw))))
        }
        FindingsFormat::Parquet => tables::open(path, Family::Audit, |_| true),
    }
}
