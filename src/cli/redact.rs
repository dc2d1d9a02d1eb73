//! `plansift redact`: documents without their secrets; and what `slim` shares with it.

use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;

use super::args::{self, MaskArgs, Plans, Redact, SecretArgs};
use super::audit::audit_kept;
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::output::{self, Output};
use super::run::{access, end_of_output, fail, fail_of, named, options, say, threads};
use super::stats::Stats;
use crate::audit::{self, Ledger, Look};
use crate::batch::{Entry, Location};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input, Kept};
use crate::plan;
use crate::redact::mask::{KEY_MIN, Key, Masking};
use crate::redact::{Counts, Options, redact};
use crate::secret::{self, Collected, EchoOf, collect};
use crate::sink::findings::Ndjson;
use crate::sink::summary::visible;

/// Redacts all inputs into one output, one after the other.
pub fn run(arguments: &Redact) -> Exit {
    let (plans, secrets) = (&arguments.plans, &arguments.secrets);
    let options = match redact_options(plans, secrets, &arguments.mask) {
        Ok(options) => options,
        Err(exit) => return exit,
    };
    if arguments.report.is_some() && secrets.echo == args::Echo::Off {
        say("--report: a report reads the input again: leave --echo off out");
        return Exit::Usage;
    }
    let listed = match inputs::list(plans, arguments.output.as_deref()) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    let mut report = match arguments.report.as_deref() {
        None => None,
        Some(path) => match Report::open(path, arguments.output.as_deref(), &listed) {
            Ok(report) => Some(report),
            Err(exit) => return exit,
        },
    };
    let exit = write_all(plans, arguments.output.as_deref(), &listed, |entry, out| {
        let ready = ready(entry, plans, secrets, &options)?;
        let redacted = redact(ready.input, ready.collected.as_ref(), &options, out)?;
        if let (Some(report), Some(kept)) = (&mut report, &ready.kept) {
            report.write(kept, &entry.source(), plans, &options)?;
        }
        if !plans.quiet {
            let name = visible(&entry.source());
            say(&format!("{name}: {}", masked(&redacted.counts)));
            warn(&name, &redacted.counts);
        }
        Ok(redacted.document.bytes)
    });
    // Of what was not written to its end there is no report.
    let is_whole = |report: &Report| report.inputs == listed.inputs.entries.len();
    match report.filter(|report| exit == Exit::Done && is_whole(report)).map(Report::finish) {
        Some(Err(error)) => fail(arguments.report.as_deref(), &error),
        _ => exit,
    }
}

/// Writes something of each input into one output. `each` says how many bytes it has read.
pub(super) fn write_all(
    plans: &Plans,
    path: Option<&Path>,
    listed: &Listed,
    mut each: impl FnMut(&Entry, &mut File) -> Result<u64>,
) -> Exit {
    let opened = Output::open(path);
    let (mut out, output) = match opened.and_then(|output| Ok((output.writer()?, output))) {
        Ok(opened) => opened,
        Err(error) => return fail(path, &error),
    };
    let mut stats = Stats::start();
    for entry in &listed.inputs.entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(unlisted) => return fail_of(&unlisted.source, &unlisted.error),
        };
        match each(entry, &mut out) {
            Ok(bytes) => stats.add(bytes),
            Err(error) if error.kind() == ErrorKind::Write => {
                return end_of_output(path, &error, 0);
            }
            // What was written of it is no document, and nothing may follow it.
            Err(error) => return fail_of(&entry.source(), &error),
        }
    }
    drop(out);
    if let Err(error) = output.finish() {
        return end_of_output(path, &error, 0);
    }
    if plans.stats {
        say(&stats.line());
    }
    Exit::Done
}

/// What the arguments say of secrets.
pub(super) fn redact_options(
    plans: &Plans,
    secrets: &SecretArgs,
    mask: &MaskArgs,
) -> std::result::Result<Options, Exit> {
    let masking = masking(mask)?;
    let secret = secret_options(secrets, options(plans)?.read);
    Ok(Options { secret, masking, threads: threads(plans).unwrap_or(NonZeroUsize::MIN) })
}

fn masking(arguments: &MaskArgs) -> std::result::Result<Masking, Exit> {
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

/// An input whose secrets are known as far as they are asked for.
pub(super) struct Ready {
    pub input: Input,
    /// Its secrets, and what it can be read from again; none where it is read once.
    pub collected: Option<Collected>,
    pub kept: Option<Kept>,
}

/// Opens an input, once its secrets are known as far as they are asked for.
///
/// # Errors
///
/// It cannot be read, or is no plan or state.
pub(super) fn ready(
    entry: &Entry,
    plans: &Plans,
    secrets: &SecretArgs,
    options: &Options,
) -> Result<Ready> {
    let access = access(plans, &options.secret.read);
    if secrets.echo == args::Echo::Off {
        return Ok(Ready { input: entry.open(&access)?, collected: None, kept: None });
    }
    let kept = entry.keep(&options.secret.read.limits)?;
    let collected = collect(|| kept.input(&access), &options.secret)?;
    Ok(Ready { input: kept.input(&access)?, collected: Some(collected), kept: Some(kept) })
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
    /// How many inputs are in it.
    inputs: usize,
    /// Why it could not be written.
    failed: Option<Error>,
}

impl Report {
    /// Opens its file, which is none of the others.
    fn open(
        path: &Path,
        output: Option<&Path>,
        listed: &Listed,
    ) -> std::result::Result<Report, Exit> {
        let is_output =
            output.is_some_and(|output| output == path || output::replaces(path, output));
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
            Ok(Report { ledger: Ndjson::new(output.writer()?), output, inputs: 0, failed: None })
        });
        opened.map_err(|error| fail(Some(path), &error))
    }

    /// Writes what was masked in an input. That this failed is told at the end.
    fn write(&mut self, kept: &Kept, name: &str, plans: &Plans, options: &Options) -> Result<()> {
        let options = audit::Options {
            secret: options.secret.clone(),
            echoes: Look::For,
            suspects: Look::Past,
        };
        match audit_kept(kept, name, plans, &options, &mut self.ledger) {
            Err(error) if error.kind() == ErrorKind::Write => self.failed = Some(error),
            audited => drop(audited?),
        }
        self.inputs += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.failed.map_or(Ok(()), Err)?;
        self.ledger.finish()?;
        drop(self.ledger);
        self.output.finish()
    }
}

/// What was masked.
pub(super) fn masked(counts: &Counts) -> String {
    let Counts { marked, echoes, named, equal, .. } = counts;
    format!(
        "masked {marked} marked values, {echoes} echoes, {named} values by name, \
         {equal} equal constants and identities"
    )
}

/// What to think of it.
pub(super) fn warn(name: &str, counts: &Counts) {
    let Counts { unmarked, unknown, .. } = *counts;
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
