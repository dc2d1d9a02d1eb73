//! `plansift audit`: lists where documents contain secrets.

use std::fs::File;

use super::args::{self, Audit, FindingsFormat, Plans};
use super::auditing::{Auditing, SecretPass};
use super::bar::{self, Watched};
use super::ending::{Ending, Failure};
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::messages::{fail, say, warn};
use super::options::{formulas, options};
use super::output::Output;
use super::screen::screen;
use super::secrets::{secret_options, warn_of_names};
use super::tally::Tally;
use crate::audit::{Ledger, Options, audit};
use crate::batch::documents::{Note, Turn, Visited, Visitor, numbered, visit_all};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::plan::Accepts;
use crate::record::Warning;
use crate::sink::findings::{Csv, Ndjson, Table};
use crate::source::Entry;

/// Audits all inputs, in order, into one output.
pub fn run(arguments: &Audit) -> Exit {
    let (plans, path) = (&arguments.plans, arguments.output.as_deref());
    let read = match options(plans) {
        Ok(options) => options.read,
        Err(exit) => return exit,
    };
    if arguments.fail_on_echo && arguments.secrets.echo == args::Echo::Off {
        say("--fail-on-echo needs the search for echoes: leave --echo off out");
        return Exit::Usage;
    }
    let listed = match inputs::list(plans, Accepts::States, path, None) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    let opened = Output::open(path);
    let opened = opened.and_then(|output| Ok((ledger(arguments, output.writer()?), output)));
    let (mut ledger, output) = match opened {
        Ok(opened) => opened,
        Err(error) => return fail(path, &error),
    };
    let options = Options {
        secret: secret_options(&arguments.secrets, read),
        echoes: arguments.secrets.echo != args::Echo::Off,
        suspects: true,
    };
    let mut tally = Tally::new();
    let read = audit_all(&listed, plans, &options, ledger.as_mut(), &mut tally);
    let ending = Ending {
        is_broken: arguments.fail_on_echo.then_some(tally.echoes > 0),
        ..Ending::new(plans, &tally)
    };
    let failure = |error| Failure::of(path, error);
    let finish = || {
        let finished = ledger.finish();
        drop(ledger);
        finished.and_then(|()| output.finish()).map_err(failure)
    };
    let ended = ending.end(read.map_err(failure), finish);
    if !plans.quiet && tally.done > 0 {
        warn_of_names(options.secret.names.as_ref());
    }
    ended.unwrap_or_else(|exit| exit)
}

/// Audits all inputs. Fails only if the output fails; the tally prints and counts all other errors.
fn audit_all(
    listed: &Listed,
    plans: &Plans,
    options: &Options,
    ledger: &mut dyn Ledger,
    tally: &mut Tally,
) -> Result<()> {
    for entry in &listed.inputs.entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(unlisted) => {
                tally.fail(&unlisted.source, &unlisted.error);
                continue;
            }
        };
        let source = &*entry.source();
        match open(entry, plans, options) {
            Ok(Auditing { mut documents, mut collecting }) => {
                let collecting = &mut collecting;
                let mut each = Each { source, plans, options, collecting, ledger, tally };
                visit_all(&mut documents, &mut each)?;
            }
            Err(error) => tally.fail(source, &error),
        }
    }
    Ok(())
}

fn open(entry: &Entry, plans: &Plans, options: &Options) -> Result<Auditing> {
    let read = &options.secret.read;
    let kept = entry.keep(&read.limits)?;
    let bar = bar::of_input(plans, entry, Some(kept.len()));
    Auditing::open(&kept, plans, read, bar)
}

/// Audits each document of an input.
struct Each<'a> {
    /// The name of the input.
    source: &'a str,
    plans: &'a Plans,
    options: &'a Options,
    collecting: &'a mut SecretPass,
    ledger: &'a mut dyn Ledger,
    tally: &'a mut Tally,
}

impl Visitor<Watched<Input>> for Each<'_> {
    type End = Error;

    fn visit(&mut self, turn: Turn<'_, Watched<Input>>) -> Result<Visited> {
        let name = numbered(self.source, turn.number);
        match audit(turn.documents, self.collecting, &name, self.options, self.ledger) {
            Ok(audited) => {
                warn(self.plans, &name, Warning::of_text(&audited.document));
                self.tally.succeed(audited.document.bytes);
                self.tally.echoes += audited.summary.counts.echoes();
                Ok(Visited::Done)
            }
            Err(error) if error.kind() == ErrorKind::Write => Err(error),
            Err(error) => {
                self.tally.fail(&name, &error);
                Ok(Visited::Failed(error.kind()))
            }
        }
    }

    fn note(&mut self, note: Note) {
        say(&format!("{}: {note}", self.source));
    }
}

fn ledger(arguments: &Audit, out: File) -> Box<dyn Ledger> {
    match arguments.format {
        FindingsFormat::Table => {
            Box::new(Table::new(out, screen(arguments.plans.color, arguments.output.as_deref())))
        }
        FindingsFormat::Ndjson => Box::new(Ndjson::new(out)),
        FindingsFormat::Csv => Box::new(Csv::new(out, formulas(arguments.csv_raw))),
    }
}
