//! `plansift redact`: writes documents without their secrets, and a report that lists the masked
//! values.

use std::fs::File;
use std::path::Path;

use super::args::{self, MaskArgs, Plans, Redact, SecretArgs};
use super::exit::Exit;
use super::inputs::{self, Listed};
use super::messages::{fail, say, usage};
use super::output::{self, Output};
use super::rewriting::{RewritingTarget, passes, write_all};
use super::secrets::{ConfigurationNote, masked, redact_options, warn_of_masking, warn_of_names};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_fleet::output::is_same;
use plansift_fleet::run::{Passes, Turn};
use plansift_plan::plan::Accepts;
use plansift_plan::sink::Sink;
use plansift_plan::sink::ndjson::Ndjson;
use plansift_redact::audit::{self, audit};
use plansift_redact::redact::{RedactOptions, redact};

/// Redacts all inputs, in order, into one output.
pub fn run(arguments: &Redact) -> std::result::Result<Exit, Exit> {
    let Redact { secrets, mask, report, output, plans } = arguments;
    run_with(plans, secrets, mask, report.as_deref(), output.as_deref())
}

/// Redacts all inputs, and writes a report to `report_path`, if it is given.
pub fn run_with(
    plans: &Plans,
    secrets: &SecretArgs,
    mask: &MaskArgs,
    report_path: Option<&Path>,
    output: Option<&Path>,
) -> std::result::Result<Exit, Exit> {
    let options = redact_options(plans, secrets, mask)?;
    if report_path.is_some() && secrets.echo == args::Echo::Off {
        let text = "--report cannot be combined with --echo off: a report reads the input twice";
        return Err(usage(text));
    }
    let listed = inputs::list(plans, Accepts::States, output, mask.key_file.clone())?;
    let mut report = report_path.map(|path| Report::open(path, output, &listed)).transpose()?;
    let (passes, secret) = (passes(secrets, Passes::Redaction), &options.secret);
    let mut note = ConfigurationNote::default();
    let target = RewritingTarget { path: output, is_audited: mask.for_agent };
    let exit = write_all(plans, &listed, target, passes, secret, |turn, collected, out| {
        let redacted = redact(turn.documents, collected, &options, out)?;
        if let Some(report) = &mut report {
            report.write(turn, &options)?;
        }
        if !plans.quiet {
            let (name, counts) = (turn.label.source, &redacted.counts);
            say(&format!("{name}: {}", masked(counts)));
            warn_of_masking(name, counts, secrets.echo);
            note.print_once(name, counts);
        }
        Ok(redacted.document)
    });
    if !plans.quiet && matches!(exit, Ok(Exit::Done | Exit::SomeFailed)) {
        warn_of_names(options.secret.names.as_ref());
    }
    // If the output was not finished, the report is dropped.
    let exit = exit?;
    if let Some(report) = report {
        report.finish().map_err(|error| fail(report_path, &error))?;
    }
    Ok(exit)
}

/// The report that lists the masked values, by their paths.
struct Report {
    sink: Ndjson<File>,
    output: Output,
    failed: Option<Error>,
}

impl Report {
    /// Opens the file of the report. The path must not be an input or the output.
    fn open(
        path: &Path,
        output: Option<&Path>,
        listed: &Listed,
    ) -> std::result::Result<Report, Exit> {
        let is_output = is_same(Some(path), output);
        if is_output || listed.reads(path) {
            return Err(usage(&format!(
                "{}: this is an input or the output: name another file for --report",
                path.display()
            )));
        }
        let (out, output) = output::open(Some(path))?;
        Ok(Report { sink: Ndjson::new(out), output, failed: None })
    }

    /// Adds the masked values of a document to the report. [`Report::finish`] returns write errors.
    fn write(&mut self, turn: &mut Turn<'_, '_>, options: &RedactOptions) -> Result<()> {
        let Some(first) = &mut turn.first else { return Ok(()) };
        let secret = options.secret.clone();
        let options = audit::AuditOptions { secret, echoes: true, suspects: false };
        let (documents, secrets) = first.audit(turn.at)?;
        match audit(documents, secrets, turn.label, &options, &mut self.sink) {
            Err(error) if error.kind() == ErrorKind::Write => self.failed = Some(error),
            audited => drop(audited?),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.failed.map_or(Ok(()), Err)?;
        self.sink.finish()?;
        drop(self.sink);
        self.output.finish()
    }
}
