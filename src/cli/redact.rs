//! `plansift redact`: documents without their secrets; and what others share with it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::args::{self, MaskArgs, Plans, Redact, SecretArgs};
use super::audit::Auditing;
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::output::{self, Output};
use super::progress::Bar;
use super::rewriting::{Reading, Ready, write_all};
use super::run::{fail, options, say};
use crate::audit::{self, Ledger, Look};
use crate::error::{Error, ErrorKind, Result};
use crate::plan::{self, Next};
use crate::redact::mask::{KEY_MIN, Key, Masking};
use crate::redact::{Counts, Options, redact};
use crate::secret::{self, EchoOf, Takes};
use crate::sink::findings::Ndjson;

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
    let listed = match inputs::list(
        plans,
        Takes::All,
        arguments.output.as_deref(),
        arguments.mask.key_file.clone(),
    ) {
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
    let (output, reading) = (arguments.output.as_deref(), reading(secrets, Takes::All));
    let reading = (reading, &options.secret);
    let exit = write_all(plans, &listed, output, reading, |ready, out| {
        let redacted = redact(ready.documents, ready.collected.as_ref(), &options, out)?;
        if let Some(report) = &mut report {
            report.write(ready, plans, &options)?;
        }
        if !plans.quiet {
            say(&format!("{}: {}", ready.name, masked(&redacted.counts)));
            warn(ready.name, &redacted.counts, secrets.echo);
        }
        Ok(redacted.document)
    });
    match (exit, report) {
        (Ok(exit), Some(report)) => match report.finish() {
            Ok(()) => exit,
            Err(error) => fail(arguments.report.as_deref(), &error),
        },
        // Of what was not written to its end there is no report.
        (Ok(exit) | Err(exit), _) => exit,
    }
}

/// What the arguments say of secrets.
pub(super) fn redact_options(
    plans: &Plans,
    secrets: &SecretArgs,
    mask: &MaskArgs,
) -> std::result::Result<Options, Exit> {
    let masking = masking(mask)?;
    let secret = secret_options(secrets, options(plans)?.read);
    Ok(Options { secret, masking })
}

/// Longest key, in bytes.
const KEY_MAX: u64 = 1 << 20;

fn masking(arguments: &MaskArgs) -> std::result::Result<Masking, Exit> {
    match (arguments.mask, &arguments.key_file) {
        (args::Mask::Text, None) => Ok(Masking::Text),
        (args::Mask::Null, None) => Ok(Masking::Null),
        (args::Mask::Hash, Some(path)) => {
            let mut bytes = Vec::new();
            File::open(path)
                .and_then(|file| file.take(KEY_MAX + 1).read_to_end(&mut bytes))
                .map_err(|error| fail(Some(path), &Error::io(ErrorKind::Read, error)))?;
            if bytes.len() as u64 > KEY_MAX {
                say(&format!("{}: a key has {KEY_MAX} bytes at most", path.display()));
                return Err(Exit::Usage);
            }
            Key::of(&bytes).map(Masking::Digest).ok_or_else(|| {
                say(&format!("{}: a key has {KEY_MIN} bytes at least", path.display()));
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

/// How often a document is read, where that much is asked for.
pub(super) fn reading(secrets: &SecretArgs, takes: Takes) -> Reading {
    match secrets.echo {
        args::Echo::Off => Reading::Once,
        args::Echo::Equal | args::Echo::Contains => Reading::Twice(takes),
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
    /// The input that is told of, and which one it is.
    auditing: Option<(usize, Auditing)>,
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
        let is_output = output::is_same(Some(path), output);
        if is_output || listed.reads(path) {
            say(&format!(
                "{}: this is an input or the output: name another file for --report",
                path.display()
            ));
            return Err(Exit::Usage);
        }
        let opened = Output::open(Some(path)).and_then(|output| {
            let ledger = Ndjson::new(output.writer()?);
            Ok(Report { ledger, output, auditing: None, failed: None })
        });
        opened.map_err(|error| fail(Some(path), &error))
    }

    /// Writes what was masked in a document. That this failed is told at the end.
    fn write(&mut self, ready: &Ready<'_>, plans: &Plans, options: &Options) -> Result<()> {
        let Some(kept) = ready.kept else { return Ok(()) };
        let options = audit::Options {
            secret: options.secret.clone(),
            echoes: Look::For,
            suspects: Look::Past,
        };
        let open = || Auditing::open(kept, plans, &options.secret.read, Bar::default());
        let auditing = match self.auditing.take() {
            Some((input, auditing)) if input == ready.input => auditing,
            _ => open()?,
        };
        let (_, auditing) = self.auditing.insert((ready.input, auditing));
        auditing.documents.follow(Next::Document(ready.at))?;
        match auditing.next(ready.name, &options, &mut self.ledger) {
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

/// What was masked.
pub(super) fn masked(counts: &Counts) -> String {
    let Counts { marked, echoes, named, equal, .. } = counts;
    format!(
        "masked {marked} marked values, {echoes} echoes, {named} values by name, \
         {equal} equal constants and identities"
    )
}

/// What to think of it.
pub(super) fn warn(name: &str, counts: &Counts, echo: args::Echo) {
    let Counts { unmarked, unknown, .. } = *counts;
    if unmarked > 0 {
        let masked = match echo {
            args::Echo::Off => "is not masked, and with --echo off no echo of it is",
            args::Echo::Equal | args::Echo::Contains => "is masked only where it is an echo",
        };
        say(&format!(
            "{name}: warning: {unmarked} elements say nothing of sensitive values, as those of \
             versions before 0.15: what is secret in them {masked}"
        ));
    }
    if unknown > 0 {
        say(&format!("{name}: warning: {unknown} parts of unknown sections were masked whole"));
    }
}
