//! `plansift audit`: where the secrets of documents are; and the same for `redact --report`.

use std::fs::File;

use super::args::{self, Audit, FindingsFormat, Plans};
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::output::Output;
use super::redact::secret_options;
use super::run::{access, closed_early, color, end_of_output, fail, fail_of, options, say};
use super::stats::Stats;
use crate::audit::{Audited, Ledger, Look, Options, audit};
use crate::batch::Entry;
use crate::error::{ErrorKind, Result};
use crate::input::Kept;
use crate::sink::csv::Formulas;
use crate::sink::findings::{Csv, Ndjson, Table};

/// Audits all inputs into one output, one after the other.
pub fn run(arguments: &Audit) -> Exit {
    let plans = &arguments.plans;
    let read = match options(plans) {
        Ok(options) => options.read,
        Err(exit) => return exit,
    };
    let listed = match inputs::list(plans, arguments.output.as_deref()) {
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
                fail_of(&unlisted.source, &unlisted.error);
                tally.failed += 1;
                continue;
            }
        };
        match audit_one(entry, plans, options, ledger) {
            Ok(audited) => {
                tally.done += 1;
                tally.echoes += audited.summary.counts.echoes();
                tally.stats.add(audited.document.bytes);
            }
            Err(error) if error.kind() == ErrorKind::Write => return Err(error),
            Err(error) => {
                fail_of(&entry.source(), &error);
                tally.failed += 1;
            }
        }
    }
    Ok(())
}

fn ledger(arguments: &Audit, out: File) -> Box<dyn Ledger> {
    let formulas = if arguments.csv_raw { Formulas::Raw } else { Formulas::Quoted };
    match arguments.format {
        FindingsFormat::Table => {
            Box::new(Table::new(out, color(arguments.plans.color, arguments.output.as_deref())))
        }
        FindingsFormat::Ndjson => Box::new(Ndjson::new(out)),
        FindingsFormat::Csv => Box::new(Csv::new(out, formulas)),
    }
}

fn audit_one(
    entry: &Entry,
    plans: &Plans,
    options: &Options,
    ledger: &mut dyn Ledger,
) -> Result<Audited> {
    let kept = entry.keep(&options.secret.read.limits)?;
    audit_kept(&kept, &entry.source(), plans, options, ledger)
}

/// Audits an input that can be read again.
pub fn audit_kept(
    kept: &Kept,
    name: &str,
    plans: &Plans,
    options: &Options,
    ledger: &mut dyn Ledger,
) -> Result<Audited> {
    let access = access(plans, &options.secret.read);
    audit(|| kept.input(&access), name, options, ledger)
}
