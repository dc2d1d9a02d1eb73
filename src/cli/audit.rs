//! `plansift audit`: where the secrets of documents are; and the same for `redact --report`.

use std::fs::File;

use super::args::{self, Audit, FindingsFormat, Plans};
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::output::Output;
use super::progress::{self, Bar, Watched};
use super::redact::secret_options;
use super::run::{access, closed_early, end_of_output, fail, fail_of, options, say, screen, warn};
use super::stats::Stats;
use crate::audit::{Audited, Ledger, Look, Options, audit};
use crate::batch::Entry;
use crate::batch::reading::{find_next, numbered};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input, Rereadable};
use crate::plan::{self, Documents};
use crate::record::Warning;
use crate::secret::{Collecting, Takes};
use crate::sink::csv::Formulas;
use crate::sink::findings::{Csv, Ndjson, Table};

/// Audits all inputs into one output, one after the other.
pub fn run(arguments: &Audit) -> Exit {
    let plans = &arguments.plans;
    let read = match options(plans) {
        Ok(options) => options.read,
        Err(exit) => return exit,
    };
    if arguments.fail_on_echo && arguments.secrets.echo == args::Echo::Off {
        say("--fail-on-echo: with --echo off no echo is looked for");
        return Exit::Usage;
    }
    let listed = match inputs::list(plans, Takes::All, arguments.output.as_deref(), None) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    let opened = Output::open(arguments.output.as_deref());
    let opened = opened.and_then(|output| Ok((ledger(arguments, output.writer()?), output)));
    let (mut ledger, output) = match opened {
        Ok(opened) => opened,
        Err(error) => return fail(arguments.output.as_deref(), &error),
    };
    let options = Options {
        secret: secret_options(&arguments.secrets, read),
        echoes: match arguments.secrets.echo {
            args::Echo::Off => Look::Past,
            args::Echo::Equal | args::Echo::Contains => Look::For,
        },
        suspects: Look::For,
    };
    let mut tally = Tally { done: 0, failed: 0, echoes: 0, stats: Stats::start() };
    let audited = audit_all(&listed, plans, &options, ledger.as_mut(), &mut tally);
    if let Err(error) = audited {
        return match end_of_output(arguments.output.as_deref(), &error, tally.failed) {
            Exit::Done if arguments.fail_on_echo => closed_early(tally.echoes > 0),
            exit => exit,
        };
    }
    if tally.done == 0 {
        return Exit::Failed;
    }
    let finished = ledger.finish();
    drop(ledger);
    if let Err(error) = finished.and_then(|()| output.finish()) {
        return match end_of_output(arguments.output.as_deref(), &error, tally.failed) {
            Exit::Done if arguments.fail_on_echo && tally.echoes > 0 => Exit::RuleBroken,
            exit => exit,
        };
    }
    if plans.stats {
        say(&tally.stats.line());
    }
    match (tally.failed, tally.echoes) {
        (0, 1..) if arguments.fail_on_echo => Exit::RuleBroken,
        (0, _) => Exit::Done,
        _ => Exit::SomeFailed,
    }
}

/// What became of the inputs.
struct Tally {
    done: u64,
    failed: u64,
    echoes: u64,
    stats: Stats,
}

impl Tally {
    fn fail(&mut self, source: &str, error: &Error) {
        self.failed += 1;
        fail_of(source, error);
    }
}

/// Audits all inputs, and says which of them failed. An error is one of the output.
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
        audit_input(entry, plans, options, ledger, tally)?;
    }
    Ok(())
}

/// The same for the documents of one input.
fn audit_input(
    entry: &Entry,
    plans: &Plans,
    options: &Options,
    ledger: &mut dyn Ledger,
    tally: &mut Tally,
) -> Result<()> {
    let source = entry.source();
    let read = &options.secret.read;
    let opened = entry.keep(&read.limits).and_then(|kept| {
        let bar = progress::of_input(plans, entry, Some(kept.len()));
        Auditing::open(&kept, plans, read, bar)
    });
    let mut auditing = match opened {
        Ok(auditing) => auditing,
        Err(error) => {
            tally.fail(&source, &error);
            return Ok(());
        }
    };
    for number in 1_u64.. {
        let name = numbered(&source, number);
        let failed = match auditing.next(&name, options, ledger) {
            Ok(audited) => {
                warn(plans, &name, Warning::of_text(&audited.document));
                tally.done += 1;
                tally.echoes += audited.summary.counts.echoes();
                tally.stats.add(audited.document.bytes);
                None
            }
            Err(error) if error.kind() == ErrorKind::Write => return Err(error),
            Err(error) => {
                tally.fail(&name, &error);
                Some(error.kind())
            }
        };
        let (next, note) = find_next(&mut auditing.documents, number, failed);
        if let Some(note) = note {
            say(&format!("{source}: {note}"));
        }
        if next.is_none() {
            break;
        }
    }
    Ok(())
}

/// An input whose documents are audited one after the other.
pub struct Auditing {
    /// Come to the next one.
    pub documents: Documents<Watched<Input>>,
    collecting: Collecting<Open, Watched<Input>>,
}

type Open = Box<dyn FnMut() -> Result<Watched<Input>>>;

impl Auditing {
    /// Opens an input that can be read again, with a bar for its readings.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn open(
        kept: &Rereadable,
        plans: &Plans,
        read: &plan::Options,
        bar: Bar,
    ) -> Result<Auditing> {
        let (kept, access) = (kept.clone(), access(plans, read));
        let mut open: Open = Box::new(move || Ok(Watched::new(kept.input(&access)?, bar.clone())));
        let documents = Documents::new(open()?, read);
        Ok(Auditing { documents, collecting: Collecting::new(open, Takes::All) })
    }

    /// Audits the next one.
    ///
    /// # Errors
    ///
    /// Those of [`audit`].
    pub fn next(
        &mut self,
        name: &str,
        options: &Options,
        ledger: &mut dyn Ledger,
    ) -> Result<Audited> {
        audit(&mut self.documents, &mut self.collecting, name, options, ledger)
    }
}

fn ledger(arguments: &Audit, out: File) -> Box<dyn Ledger> {
    let formulas = if arguments.csv_raw { Formulas::Raw } else { Formulas::Quoted };
    match arguments.format {
        FindingsFormat::Table => {
            Box::new(Table::new(out, screen(arguments.plans.color, arguments.output.as_deref())))
        }
        FindingsFormat::Ndjson => Box::new(Ndjson::new(out)),
        FindingsFormat::Csv => Box::new(Csv::new(out, formulas)),
    }
}
