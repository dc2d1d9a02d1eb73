//! Runs a batch: turns inputs into record files on several threads and commits them in groups.
//!
//! ```text
//! jobs ─▶ worker threads ─▶ unfinished record files ─▶ this thread: commit, progress, report
//! ```
//!
//! A faulty input or a panic becomes the outcome of that input. Only a fault of the output ends the
//! run. Each thread holds one plan in memory.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::folder::{Draft, Folder};
use super::outcome::PlanResult;
use super::settings::{OnFailure, Settings};
use super::work::{JobWork, Worked, unread};
use super::workers::run_tasks;
use super::{Job, Jobs, report};
use crate::source::Stop;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::record::FailedAssertion;

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Inputs that are done or have failed.
    pub inputs: u64,
    /// Inputs that have failed.
    pub failed: u64,
    /// Stored bytes that were read: a compressed input counts with its compressed size.
    pub bytes: u64,
}

/// A message to the user during a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// A plan failed: its name and the error.
    Failed(&'a str, &'a str),
    /// An assertion that a plan fails: the name of the plan, and the record.
    FailedAssertion(&'a str, &'a FailedAssertion<'static>),
    /// A warning: the name of the plan and the text.
    Warning(&'a str, &'a str),
    /// The progress so far, several times a second.
    Progress(Progress),
}

/// Runs a batch. A stop ends the run early without an error.
///
/// # Errors
///
/// Fails if the folder cannot be written. Committed results stay.
pub fn run(
    folder: &mut Folder,
    jobs: &Jobs,
    settings: &Settings,
    stop: &Stop,
    emit: &mut dyn FnMut(Event<'_>),
) -> Result<()> {
    let (path, read) = (folder.path().to_owned(), AtomicU64::new(0));
    let work = |index, job: Job<'_>, threads| {
        contained(&job, || {
            let draft = || Draft::new(&path, index);
            JobWork { job: &job, settings, threads, stop, read: &read }.finish(draft)
        })
    };
    run_with(folder, jobs, settings, stop, &read, work, emit)
}

/// Runs a batch in which `work` processes each job.
fn run_with(
    folder: &mut Folder,
    jobs: &Jobs,
    settings: &Settings,
    stop: &Stop,
    read: &AtomicU64,
    work: impl Fn(usize, Job<'_>, NonZeroUsize) -> Result<Worked> + Sync,
    emit: &mut dyn FnMut(Event<'_>),
) -> Result<()> {
    let (tasks, size) = (jobs.indexes().to_vec(), |index| jobs.size_of(index));
    let work = |index, threads| work(index, jobs.job(index), threads);
    let mut progress = Progress::default();
    let mut reports = Reports::begin(folder)?;
    run_tasks(tasks, size, settings.threads, stop, work, |group: Vec<Worked>| {
        let mut finished = Vec::with_capacity(group.len());
        for (one, warnings) in group {
            progress.inputs += 1;
            progress.failed += u64::from(one.outcome.has_failed());
            warnings.iter().for_each(|(source, text)| emit(Event::Warning(source, text)));
            for plan in &one.outcome.plans {
                match &plan.result {
                    PlanResult::Error(error) => emit(Event::Failed(&plan.source, error)),
                    PlanResult::Done(done) => done.failed_assertions.iter().for_each(|failed| {
                        emit(Event::FailedAssertion(&plan.source, failed));
                    }),
                }
            }
            finished.push(one);
        }
        if !finished.is_empty() {
            folder.commit(finished)?;
            reports.write_if_due(folder)?;
        }
        if progress.failed > 0 && settings.on_failure == OnFailure::Stop {
            stop.stop();
        }
        progress.bytes = read.load(Ordering::Relaxed);
        emit(Event::Progress(progress));
        Ok(())
    })
}

/// Rewrites the report from time to time.
struct Reports {
    written: Instant,
    /// How long the last report took to write.
    took: Duration,
}

impl Reports {
    /// Writes a report. The report in the folder may come from an earlier run with fewer inputs.
    fn begin(folder: &Folder) -> Result<Reports> {
        let written = Instant::now();
        report::update(folder)?;
        Ok(Reports { written, took: written.elapsed() })
    }

    /// Writes a report if the last one is older than 5 seconds and than 20 times the time it took
    /// to write.
    fn write_if_due(&mut self, folder: &Folder) -> Result<()> {
        const PAUSE: Duration = Duration::from_secs(5);
        if self.written.elapsed() > PAUSE.max(self.took * 20) {
            *self = Reports::begin(folder)?;
        }
        Ok(())
    }
}

/// Runs a job. A panic becomes the job's outcome.
fn contained(job: &Job<'_>, work: impl FnOnce() -> Result<Worked>) -> Result<Worked> {
    // Unwind safety: the job shares only a flag and a counter with other jobs.
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Ok(unread(job, &Error::new(ErrorKind::Panicked))))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::batch::Shard;
    use crate::batch::journal::tests::terms;
    use crate::source::{Inputs, Rule, Selection};
    use plansift_core::input;
    use plansift_plan::plan::DocumentFault;
    use plansift_plan::record::RecordOptions;
    use plansift_report::Form;

    /// More jobs than the threads can finish before the first result is gathered.
    const JOBS: usize = 400;

    fn settings(on_failure: OnFailure) -> Settings {
        let threads = NonZeroUsize::MIN.saturating_add(1);
        let (records, access) = (RecordOptions::default(), input::InputOptions::default());
        let (assertion_settings, form, memory) = (None, Form::Ndjson, u64::MAX);
        let digest = None;
        Settings { records, assertion_settings, digest, access, form, threads, memory, on_failure }
    }

    /// Jobs for files that do not exist.
    fn jobs() -> Jobs {
        let names = (0..JOBS).map(|number| number.to_string().into()).collect();
        let selection = Selection { names, ..Selection::default() };
        let inputs = Inputs::list(&selection, Rule::default());
        Jobs::of(inputs, Shard { number: 1, count: 1 }).expect("different names")
    }

    /// Processes jobs with `work` in a folder and returns the sorted errors of the plans.
    fn errors(
        path: &Path,
        on_failure: OnFailure,
        work: impl Fn(&Job<'_>) -> Result<Worked> + Sync,
    ) -> Result<Vec<String>> {
        let jobs = jobs();
        let mut folder = Folder::open(path, &terms(), "ndjson")?;
        folder.list(|| jobs.iter().map(|job| job.listed))?;
        let read = AtomicU64::new(0);
        let work = |_, job: Job<'_>, _| contained(&job, || work(&job));
        let mut said = Vec::new();
        let mut emit = |event: Event<'_>| {
            if let Event::Failed(source, error) = event {
                said.push(format!("{source}: {error}"));
            }
        };
        let (settings, stop) = (settings(on_failure), Stop::default());
        run_with(&mut folder, &jobs, &settings, &stop, &read, work, &mut emit)?;
        let fleet = report::write_into(&folder)?;
        assert_eq!(fleet.totals.inputs.failed, said.len() as u64);
        assert_eq!(fleet.totals.inputs.pending == 0, on_failure == OnFailure::GoOn);
        said.sort_unstable();
        Ok(said)
    }

    #[test]
    fn a_panic_is_the_outcome_of_its_input_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let work = |job: &Job<'_>| {
            assert!(job.listed.position % 7 != 3, "the words of a panic may quote an input");
            Ok(unread(job, &Error::new(DocumentFault::NoPlan)))
        };
        let errors = errors(folder.path(), OnFailure::GoOn, work).expect("it goes on");
        let is_of_panic = |error: &&String| error.contains("internal error");
        let of_panics: Vec<&String> = errors.iter().filter(is_of_panic).collect();
        assert_eq!((errors.len(), of_panics.len()), (JOBS, JOBS / 7), "{errors:?}");
        assert!(errors.iter().all(|error| !error.contains("quote")), "{errors:?}");
    }

    #[test]
    fn a_batch_can_stop_at_the_first_failure() {
        let folder = tempfile::tempdir().expect("a folder");
        let failure = |job: &Job<'_>| Ok(unread(job, &Error::new(DocumentFault::NoPlan)));
        let errors = errors(folder.path(), OnFailure::Stop, failure).expect("a stop is no error");
        assert!(!errors.is_empty() && errors.len() < JOBS, "{errors:?}");
    }

    #[test]
    fn a_write_error_ends_the_batch() {
        let folder = tempfile::tempdir().expect("a folder");
        let work = |job: &Job<'_>| match job.listed.position {
            11 => Err(Error::new(ErrorKind::Write)),
            _ => Ok(unread(job, &Error::new(DocumentFault::NoPlan))),
        };
        let error = errors(folder.path(), OnFailure::GoOn, work).expect_err("it ends");
        assert_eq!(error.kind(), ErrorKind::Write);
        // The folder is unlocked and intact.
        assert!(Folder::open(folder.path(), &terms(), "ndjson").is_ok());
    }
}
