//! `plansift audit`: lists where documents contain secrets.

use std::fs::File;

use super::args::{self, Audit, FindingsFormat, Plans};
use super::documents::{Passes, Ready, Work, read_all};
use super::ending::Ending;
use super::exit::Exit;
use super::inputs;
use super::messages::usage;
use super::options::{formulas, options};
use super::output;
use super::run_counts::RunCounts;
use super::screen::screen;
use super::secrets::{secret_options, warn_of_names};
use crate::audit::{AuditOptions, audit};
use crate::batch::documents::Visited;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::Accepts;
use crate::record::Sink;
use crate::sink::csv::Csv;
use crate::sink::findings::Table;
use crate::sink::ndjson::Ndjson;

/// Audits all inputs, in order, into one output.
pub fn run(arguments: &Audit) -> std::result::Result<Exit, Exit> {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let read = options(plans)?.read;
    let echoes = arguments.secrets.echo != args::Echo::Off;
    if arguments.fail_on_echo && !echoes {
        return Err(usage("--fail-on-echo needs the search for echoes: leave --echo off out"));
    }
    let listed = inputs::list(plans, Accepts::States, path, None)?;
    let (out, output) = output::open(path)?;
    let secret = secret_options(&arguments.secrets, read);
    let options = AuditOptions { secret, echoes, suspects: true };
    let mut counts = RunCounts::new();
    let mut auditing = Auditing { plans, options, sink: sink(arguments, out) };
    let how = (&read, Passes::Two(Accepts::States));
    let read = read_all(&listed, plans, how, &mut counts, &mut auditing);
    let Auditing { options, mut sink, .. } = auditing;
    let ending = Ending {
        is_broken: arguments.fail_on_echo.then_some(counts.echoes > 0),
        ..Ending::new(plans, &counts)
    };
    let ended = ending.end_at(path, read, output, move || sink.finish());
    if !plans.quiet && counts.done > 0 {
        warn_of_names(options.secret.names.as_ref());
    }
    ended
}

struct Auditing<'a> {
    plans: &'a Plans,
    options: AuditOptions,
    sink: Box<dyn Sink>,
}

impl Work for Auditing<'_> {
    fn read(&mut self, ready: Ready<'_>, counts: &mut RunCounts) -> Result<Visited> {
        let Ready { label, documents, first, .. } = ready;
        // Without a first pass, no secret would be found.
        let (secrets, _) = first.ok_or(Error::new(ErrorKind::Spool))?;
        let (name, sink) = (label.source, &mut *self.sink);
        let audited = audit(documents, secrets, name, &self.options, sink)?;
        counts.echoes += audited.summary.counts.echoes();
        Ok(counts.read(self.plans, name, &audited.document))
    }
}

fn sink(arguments: &Audit, out: File) -> Box<dyn Sink> {
    match arguments.format {
        FindingsFormat::Table => {
            Box::new(Table::new(out, screen(arguments.plans.color, arguments.output.as_deref())))
        }
        FindingsFormat::Ndjson => Box::new(Ndjson::new(out)),
        FindingsFormat::Csv => Box::new(Csv::findings(out, formulas(arguments.csv_raw))),
    }
}
