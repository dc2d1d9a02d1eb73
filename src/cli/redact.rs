//! `plansift redact`: documents without their secrets.

use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use super::args::{self, Plans, Redact, SecretArgs};
use super::audit::audit_kept;
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::output::{self, Output};
use super::run::{access, end_of_output, fail, named, options, say, threads};
use super::stats::Stats;
use crate::audit::{self, Ledger, Look};
use crate::batch::{Entry, Location};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input, Kept};
use crate::limits::Limits;
use crate::plan;
use crate::redact::mask::{KEY_MIN, Key, Masking};
use crate::redact::{Counts, Options, Redacted, redact};
use crate::secret::{self, EchoOf, collect};
use crate::sink::findings::Ndjson;

/// Redacts all inputs into one output, one after the other.
pub fn run(arguments: &Redact) -> Exit {
    let plans = &arguments.plans;
    let masking = match masking(arguments) {
        Ok(masking) => masking,
        Err(exit) => return exit,
    };
    let read = match options(plans) {
        Ok(options) => options.read,
        Err(exit) => return exit,
    };
    if arguments.report.is_some() && arguments.secrets.echo == args::Echo::Off {
        say("--report: a report reads the input again: leave --echo off out");
        return Exit::Usage;
    }
    let secret = secret_options(&arguments.secrets, read);
    let threads = threads(plans).unwrap_or(NonZeroUsize::MIN);
    let options = Options { secret, masking, threads };
    let listed = match inputs::list(plans) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    let mut report = match arguments.report.as_deref() {
        None => None,
        Some(path) => match Report::open(path, plans, &listed) {
            Ok(report) => Some(report),
            Err(exit) => return exit,
        },
    };
    let opened = Output::open(plans.output.as_deref());
    let (mut out, output) = match opened.and_then(|output| Ok((output.writer()?, output))) {
        Ok(opened) => opened,
        Err(error) => return fail(plans.output.as_deref(), &error),
    };
    let mut stats = Stats::start();
    for entry in &listed.inputs.entries {
        let input = match entry {
            Ok(Entry { location: Location::File(path), .. }) => path,
            Ok(_) => Path::new("-"),
            Err(unlisted) => return fail(Some(Path::new(&unlisted.source)), &unlisted.error),
        };
        match redact_one(input, arguments, &options, &mut out, report.as_mut()) {
            Ok(redacted) => {
                stats.add(redacted.document.bytes);
                if !plans.quiet {
                    tell(input, &redacted);
                }
            }
            Err(error) if error.kind() == ErrorKind::Write => {
                return end_of_output(plans, &error, 0);
            }
            // What was written of it is no document, and nothing may follow it.
            Err(error) => return fail(Some(input), &error),
        }
    }
    drop(out);
    if let Err(error) = output.finish() {
        return end_of_output(plans, &error, 0);
    }
    if let Some(report) = report
        && let Err(error) = report.finish()
    {
        return fail(arguments.report.as_deref(), &error);
    }
    if plans.stats {
        say(&stats.line());
    }
    Exit::Done
}

fn masking(arguments: &Redact) -> std::result::Result<Masking, Exit> {
    match (arguments.mask, &arguments.key_file) {
        (args::Mask::Text, None) => Ok(Masking::Text),
        (args::Mask::Null, None) => Ok(Masking::Null),
        (args::Mask::Hash, Some(path)) => {
            let bytes = std::fs::read(path)
                .map_err(|error| fail(Some(path), &Error::io(ErrorKind::Read, error)))?;
            Key::of(&bytes).map(Masking::Digest).ok_or_else(|| {
                say(&format!("{}: a key has {KEY_MIN} bytes at least", named(path)));
                Exit::Usage
            })
        }
        (args::Mask::Hash, None) => {
            say("--mask hash: name a file with a key: --key-file FILE");
            Err(Exit::Usage)
        }
        (_, Some(_)) => {
            say("--key-file: only --mask hash has a key");
            Err(Exit::Usage)
        }
    }
}

fn redact_one(
    path: &Path,
    arguments: &Redact,
    options: &Options,
    out: &mut impl Write,
    report: Option<&mut Report>,
) -> Result<Redacted> {
    let plans = &arguments.plans;
    let access = access(plans, &options.secret.read);
    if arguments.secrets.echo == args::Echo::Off {
        let input = match path == Path::new("-") {
            true => Input::from_stdin(&access)?,
            false => Input::open_file(path, &access)?,
        };
        return redact(input, None, options, out);
    }
    let kept = keep(path, &options.secret.read.limits)?;
    let open = || kept.input(&access);
    let collected = collect(open, &options.secret)?;
    let redacted = redact(open()?, Some(&collected), options, out)?;
    match report {
        Some(report) => report.write(&kept, path, plans, options).map(|()| redacted),
        None => Ok(redacted),
    }
}

/// An input that can be read again.
pub(super) fn keep(path: &Path, limits: &Limits) -> Result<Kept> {
    match path == Path::new("-") {
        true => Kept::from_stdin(limits),
        false => Kept::open_file(path, limits),
    }
}

/// What is secret.
pub(super) fn secret_options(secrets: &SecretArgs, read: plan::Options) -> secret::Options {
    secret::Options {
        read,
        echo: match secrets.echo {
            args::Echo::Contains => EchoOf::Part,
            args::Echo::Equal | args::Echo::Off => EchoOf::Whole,
        },
        echo_min: secrets.echo_min.get(),
        names: secrets.also_names.clone(),
    }
}

/// The report of what was masked.
struct Report {
    ledger: Ndjson<File>,
    output: Output,
    /// Why it could not be written.
    failed: Option<Error>,
}

impl Report {
    /// Opens its file, which is none of the others.
    fn open(path: &Path, plans: &Plans, listed: &Listed) -> std::result::Result<Report, Exit> {
        let is_output = plans
            .output
            .as_ref()
            .is_some_and(|output| output == path || output::replaces(path, output));
        let is_input = |entry: &Entry| match &entry.location {
            Location::File(input) => output::replaces(path, input),
            _ => false,
        };
        if is_output || listed.inputs.entries.iter().flatten().any(is_input) {
            say(&format!(
                "{}: this is an input or the output: name another file for --report",
                named(path)
            ));
            return Err(Exit::Usage);
        }
        let opened = Output::open(Some(path)).and_then(|output| {
            Ok(Report { ledger: Ndjson::new(output.writer()?), output, failed: None })
        });
        opened.map_err(|error| fail(Some(path), &error))
    }

    /// Writes what was masked in an input. That this failed is told at the end.
    fn write(&mut self, kept: &Kept, path: &Path, plans: &Plans, options: &Options) -> Result<()> {
        let options = audit::Options {
            secret: options.secret.clone(),
            echoes: Look::For,
            suspects: Look::Past,
        };
        match audit_kept(kept, path, plans, &options, &mut self.ledger) {
            Err(error) if error.kind() == ErrorKind::Write => self.failed = Some(error),
            audited => drop(audited?),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.failed.map_or(Ok(()), Err)?;
        self.ledger.finish()?;
        drop(self.ledger);
        self.output.finish()
    }
}

/// What was masked, and what to think of it.
fn tell(path: &Path, redacted: &Redacted) {
    let Counts { marked, echoes, named: by_name, equal, unmarked, unknown } = redacted.counts;
    let name = named(path);
    say(&format!(
        "{name}: masked {marked} marked values, {echoes} echoes, {by_name} values by name, \
         {equal} equal constants and identities"
    ));
    if unmarked > 0 {
        say(&format!(
            "{name}: warning: {unmarked} elements say nothing of sensitive values, as those of \
             versions before 0.15: what is secret in them is masked only where it is an echo"
        ));
    }
    if unknown > 0 {
        say(&format!("{name}: warning: {unknown} parts of unknown sections were masked whole"));
    }
}
