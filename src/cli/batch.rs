//! `plansift batch`: a record file for each input, and a report of all inputs.

use std::num::NonZeroUsize;
use std::path::Path;

use super::args::{AssertionArgs, Batch, SecretArgs};
use super::assertions;
use super::ending::write_last;
use super::exit::{Exit, ExitFacts, OutputEnd};
use super::gates;
use super::inputs::{self, Wanted};
#[cfg(target_os = "linux")]
use super::interrupt::Interrupts;
use super::messages::{fail, say, usage};
use super::options::{access, form, options, threads};
use super::output::lies_in;
use super::progress::Meter;
use super::screen::screen;
use super::secrets::{digest_key, secret_options};
use super::stats::Stats;
use super::tables::PartFiles;
use super::type_sets;
use plansift_check::assertion::Assertions;
use plansift_core::error::Result;
use plansift_core::json::Validation;
use plansift_fleet::batch::Jobs;
use plansift_fleet::batch::folder::{Folder, Standing};
use plansift_fleet::batch::journal::{self, AssertionTerms, Terms};
use plansift_fleet::batch::report::{self, Fleet};
use plansift_fleet::batch::run::{Event, Progress, run as run_jobs};
use plansift_fleet::batch::settings::{DigestSettings, OnFailure, Settings, threads_in};
use plansift_fleet::run::AttributeContent;
use plansift_fleet::run::assertions::AssertionSettings;
use plansift_fleet::source::Stop;
use plansift_plan::plan::Accepts;
use plansift_plan::record::{FailedAssertion, RecordOptions, Show};
use plansift_planfile::SchemaFiles;
use plansift_report::Form;
use plansift_report::csv::Formulas;

/// Processes the missing inputs of a batch, and draws the table of all inputs.
pub fn run(arguments: &Batch) -> std::result::Result<Exit, Exit> {
    let plans = &arguments.plans;
    if arguments.out.is_file() {
        let name = arguments.out.display();
        let text = format!("{name}: this is a file: --out takes a folder, and --output a file");
        return Err(usage(&text));
    }
    let also = arguments.assertions.assert.iter().chain(&arguments.key_file).cloned();
    let part_files = PartFiles::of(arguments)?;
    let wanted = Wanted::from(Accepts::Plans).strict(arguments.strict_rules);
    let listed = inputs::list(plans, wanted, arguments.output.as_deref(), also)?;
    let (settings, digest) = settings(arguments)?;
    listed.warn_of_shared_workspaces(plans);
    let terms = terms(arguments, &settings, &listed.schemas, digest);
    let terms = terms.map_err(|error| fail(plans.more.schema_cache.as_deref(), &error))?;
    if let Some(output) = arguments.output.as_deref() {
        // `refuse_output` needs an existing folder. If the folder cannot be created, `Folder::open`
        // reports the error.
        let _ = std::fs::create_dir_all(&arguments.out);
        refuse_output(Some(output), &arguments.out)?;
    }
    let stop = Stop::with(listed.stores);
    let jobs = Jobs::of(listed.inputs, arguments.shard).map_err(|source| {
        usage(&format!("{source}: two inputs have this name: batch them in two folders"))
    })?;
    #[cfg(target_os = "linux")]
    let interrupted = Interrupts::hold().map(|interrupts| interrupts.stop(stop.clone()));
    let (mut progress, mut stats) = (Progress::default(), Stats::start());
    let done = do_missing(arguments, jobs, &settings, &terms, &stop, &mut progress);
    let done = done.map_err(|error| fail(Some(&arguments.out), &error));
    let done = done.and_then(|(fleet, folder)| {
        let files = part_files.filter(|_| !stop.is_set());
        files.map_or(Ok(()), |files| files.write(&folder)).map(|()| fleet)
    });
    #[cfg(target_os = "linux")]
    if let Some(interrupted) = interrupted.filter(|interrupted| interrupted.is_set()) {
        interrupted.end();
    }
    let fleet = done?;
    if stop.is_set() {
        return Err(Exit::Failed);
    }
    stats.add(progress.bytes);
    draw(arguments, &fleet, &stats)
}

/// Refuses to write the table into the folder of a batch.
pub fn refuse_output(output: Option<&Path>, folder: &Path) -> std::result::Result<(), Exit> {
    let Some(output) = output.filter(|output| lies_in(output, folder)) else { return Ok(()) };
    let name = output.display();
    Err(usage(&format!("{name}: this is in the folder of a batch: name another file")))
}

/// Returns the settings of the batch, and the digest of the files of assertions, if there are any.
fn settings(arguments: &Batch) -> std::result::Result<(Settings, Option<String>), Exit> {
    let plans = &arguments.plans;
    let AssertionArgs { assert, packs } = &arguments.assertions;
    let assertions::Files { assertions, digest } = assertions::in_files("--assert", assert, packs)?;
    let records = RecordOptions { show: arguments.records.show(), ..options(plans)? };
    let wanted = arguments.jobs.or_else(|| threads(plans)).unwrap_or(NonZeroUsize::MIN);
    let fitting = threads_in(arguments.memory);
    if fitting < wanted && arguments.jobs.is_some() && !plans.quiet {
        let jobs = if fitting.get() == 1 { "job" } else { "jobs" };
        say(&format!("--memory has room for {fitting} {jobs}, not for {wanted}"));
    }
    let assertions = Assertions::from(assertions).strict(arguments.strict_rules);
    let has_assertions = !assertions.list().is_empty();
    let secrets = secret_options(&SecretArgs::default(), records.read);
    let key = arguments.digest.map(|level| {
        digest_key("--digest", level, arguments.key_file.as_deref()).map(|key| (level, key))
    });
    let digest_settings = key.transpose()?.map(|(level, key)| DigestSettings {
        level,
        content: AttributeContent::Planned(key),
        spool_max: records.read.limits.spool,
    });
    let settings = Settings {
        digest: digest_settings,
        assertion_settings: has_assertions.then_some(AssertionSettings { assertions, secrets }),
        access: access(plans, &records.read),
        records,
        form: form(arguments.form.format, arguments.form.csv_raw),
        threads: wanted.min(fitting),
        memory: arguments.memory,
        on_failure: if arguments.fail_fast { OnFailure::Stop } else { OnFailure::GoOn },
    };
    Ok((settings, has_assertions.then_some(digest)))
}

fn terms(
    arguments: &Batch,
    settings: &Settings,
    schemas: &SchemaFiles,
    assertions: Option<String>,
) -> Result<Terms> {
    let format = match settings.form {
        Form::Csv(Formulas::Raw) => "csv-raw",
        form => form.extension(),
    };
    let assertions = assertions.map(|digest| AssertionTerms {
        files: Some(digest),
        type_sets: type_sets::digest(),
        strict_rules: arguments.strict_rules,
    });
    Ok(Terms {
        version: journal::VERSION,
        plansift: env!("CARGO_PKG_VERSION").to_owned(),
        format: format.to_owned(),
        all: settings.records.show == Show::All,
        check: match settings.records.read.validation {
            Validation::Structure => "structure".to_owned(),
            Validation::Grammar => "grammar".to_owned(),
        },
        strict: arguments.plans.strict,
        schemas: schemas.named_digest(),
        schema_cache: schemas.folder_digest()?,
        assertions: assertions.unwrap_or_default(),
        digest: settings.digest.as_ref().map(DigestSettings::name),
        shard: arguments.shard.to_string(),
    })
}

/// Processes the missing inputs. A stop by the user is not an error. Returns the folder, which is
/// still locked against other runs.
fn do_missing(
    arguments: &Batch,
    mut jobs: Jobs,
    settings: &Settings,
    terms: &Terms,
    stop: &Stop,
    progress: &mut Progress,
) -> Result<(Fleet, Folder)> {
    let (plans, form) = (&arguments.plans, settings.form);
    let mut folder = Folder::open(&arguments.out, terms, form.extension())?;
    let all = jobs.len();
    folder.list(|| jobs.iter().map(|job| job.listed))?;
    keep_missing(&mut jobs, &folder, plans.quiet)?;
    if !plans.quiet {
        print_done_before(&folder, all - jobs.len())?;
    }
    let mut meter = Meter::new(plans, jobs.len() as u64, jobs.size());
    let ran = run_jobs(&mut folder, &jobs, settings, stop, &mut |event| match event {
        Event::Failed(source, error) => say(&format!("{source}: {error}")),
        Event::FailedAssertion(source, failed) => say(&line_of(source, failed)),
        Event::Warning(..) if plans.quiet => {}
        Event::Warning(source, text) => say(&format!("{source}: {text}")),
        Event::Progress(now) => {
            meter.update(&now);
            *progress = now;
        }
    });
    meter.finish();
    // Free the memory of the inputs for the table.
    drop(jobs);
    let written = ran.and_then(|()| report::write_into(&folder));
    if written.is_err() || stop.is_set() {
        let listed = folder.journal().listed().into_iter().flatten().flatten();
        // An unreadable record file counts as missing.
        let done = listed.filter(|input| folder.has(input).unwrap_or(false)).count();
        if done < all {
            say(&format!(
                "stopped: {done} of {all} inputs are done; the same command goes on from here"
            ));
        }
    }
    written.map(|fleet| (fleet, folder))
}

/// Returns the message about an assertion that a plan fails.
fn line_of(source: &str, failed: &FailedAssertion<'_>) -> String {
    let level = if failed.is_error() { "" } else { "warning: " };
    let findings = failed.findings.iter().take(gates::NAMED);
    let mut words: Vec<String> = findings.map(|finding| finding.words()).collect();
    let more = failed.failed - words.len() as u64;
    words.extend((more > 0).then(|| format!("and {more} more")));
    let mut line =
        format!("{source}: {level}assertion failed: {}: {}", failed.name, words.join("; "));
    line.extend(failed.message.as_deref().map(|message| format!(": {message}")));
    line
}

/// Keeps the jobs that no earlier run finished. A job whose record file was edited since then is
/// kept as well, with a message.
fn keep_missing(jobs: &mut Jobs, folder: &Folder, is_quiet: bool) -> Result<()> {
    jobs.retain(|job| {
        let standing = folder.standing(&job.listed)?;
        if let (Standing::Altered(name), false) = (&standing, is_quiet) {
            let source = &job.listed.source;
            say(&format!(
                "{name}: this file was modified after it was written: {source} is processed again"
            ));
        }
        Ok(standing != Standing::Done)
    })
}

/// Prints how many inputs an earlier run processed.
fn print_done_before(folder: &Folder, done: usize) -> Result<()> {
    match done {
        0 => {}
        1 => say("1 input was done before"),
        many => say(&format!("{many} inputs were done before")),
    }
    match folder.journal().unlisted()? {
        0 => {}
        1 => say("1 input of an earlier run is no longer named: its records stay"),
        many => {
            say(&format!("{many} inputs of earlier runs are no longer named: their records stay"))
        }
    }
    Ok(())
}

/// Draws the table, and returns the exit code.
fn draw(arguments: &Batch, fleet: &Fleet, stats: &Stats) -> std::result::Result<Exit, Exit> {
    let plans = &arguments.plans;
    let (totals, output) = (&fleet.totals, arguments.output.as_deref());
    let table = totals.draw(&arguments.table.shape(), screen(plans.color, output));
    let facts = facts_of(fleet, arguments.records.detailed_exitcode);
    write_last(output, table.as_bytes(), totals.inputs.failed)?;
    if plans.stats {
        say(&stats.line());
    }
    Ok(Exit::of(facts))
}

/// Returns the facts about a fleet. `detailed` is true with `--detailed-exitcode`.
pub fn facts_of(fleet: &Fleet, detailed: bool) -> ExitFacts {
    let inputs = &fleet.totals.inputs;
    ExitFacts {
        done: inputs.plans,
        failed: inputs.failed + inputs.pending,
        reports_changes: detailed && fleet.changed > 0,
        is_broken: Some(inputs.failed_assertions > 0),
        output: OutputEnd::Complete,
    }
}
