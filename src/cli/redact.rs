//! `plansift redact`: writes documents without their secrets, and a report of the masked places.

use std::fs::File;
use std::path::Path;

use super::args::{self, MaskArgs, Plans, Redact, SecretArgs};
use super::auditing::Auditing;
use super::bar::Bar;
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::messages::{fail, say};
use super::output::{self, Output};
use super::rewriting::{Passes, Ready, write_all};
use super::secrets::{ConfigurationNote, masked, redact_options, warn_of_masking, warn_of_names};
use crate::audit::{self, Ledger};
use crate::error::{Error, ErrorKind, Result};
use crate::plan::{Accepts, Next};
use crate::redact::{Options, redact};
use crate::sink::findings::Ndjson;

/// Redacts all inputs, in order, into one output.
pub fn run(arguments: &Redact) -> Exit {
    let Redact { secrets, mask, report, output, plans } = arguments;
    run_with(plans, (secrets, mask), report.as_deref(), output.as_deref())
}

/// Redacts all inputs, and writes a report if it has a path.
pub fn run_with(
    plans: &Plans,
    (secrets, mask): (&SecretArgs, &MaskArgs),
    report_path: Option<&Path>,
    output: Option<&Path>,
) -> Exit {
    let options = match redact_options(plans, secrets, mask) {
        Ok(options) => options,
        Err(exit) => return exit,
    };
    if report_path.is_some() && secrets.echo == args::Echo::Off {
        say("--report cannot be combined with --echo off: a report reads the input twice");
        return Exit::Usage;
    }
    let listed = match inputs::list(plans, Accepts::States, output, mask.key_file.clone()) {
        Ok(listed) => listed,
        Err(exit) => return exit,
    };
    let mut report = match report_path {
        None => None,
        Some(path) => match Report::open(path, output, &listed) {
            Ok(report) => Some(report),
            Err(exit) => return exit,
        },
    };
    let reading = (Passes::of(secrets, Accepts::States), &options.secret);
    let mut note = ConfigurationNote::default();
    let exit = write_all(plans, &listed, output, reading, |ready, out| {
        let redacted = redact(ready.documents, ready.collected.as_ref(), &options, out)?;
        if let Some(report) = &mut report {
            report.write(ready, plans, &options)?;
        }
        if !plans.quiet {
            say(&format!("{}: {}", ready.name, masked(&redacted.counts)));
            warn_of_masking(ready.name, &redacted.counts, secrets.echo);
            note.tell(ready.name, &redacted.counts);
        }
        Ok(redacted.document)
    });
    if !plans.quiet && matches!(exit, Ok(Exit::Done | Exit::SomeFailed)) {
        warn_of_names(options.secret.names.as_ref());
    }
    match (exit, report) {
        (Ok(exit), Some(report)) => match report.finish() {
            Ok(()) => exit,
            Err(error) => fail(report_path, &error),
        },
        // If the output was not finished, the report is dropped.
        (Ok(exit) | Err(exit), _) => exit,
    }
}

/// The report of masked places.
struct Report {
    ledger: Ndjson<File>,
    output: Output,
    /// The number of the current input, and its audit.
    auditing: Option<(usize, Auditing)>,
    /// The error that ended the report.
    failed: Option<Error>,
}

impl Report {
    /// Opens the file of the report. The path must not be an input or the output.
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

    /// Writes the masked places of a document. [`Report::finish`] returns write errors.
    fn write(&mut self, ready: &Ready<'_>, plans: &Plans, options: &Options) -> Result<()> {
        let Some(kept) = ready.kept else { return Ok(()) };
        let secret = options.secret.clone();
        let options = audit::Options { secret, echoes: true, suspects: false };
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
