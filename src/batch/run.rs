//! A batch as it runs: inputs to record files, on several threads, committed in groups.
//!
//! ```text
//! jobs ─▶ spread over threads ─▶ records in the making ─▶ this thread: commit, progress, report
//! ```
//!
//! What is wrong with an input is its outcome, and so is a panic; only what is wrong with the
//! output ends the run. Memory is that of so many plans as there are threads.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::folder::{Draft, Finished, Folder};
use super::outcome::PlanResult;
use super::spread::spread;
use super::stop::Stop;
use super::work::{Work, Worked, failed};
use super::{Job, Jobs, report};
use crate::error::{Error, ErrorKind, Result};
use crate::input;
use crate::record::Options;
use crate::sink::Form;

/// Memory that a thread with its input is taken to need, in bytes. Most need 5 MiB; plans with
/// single changes of many MiB, or compressed with large windows, need more than this.
const THREAD_MEMORY: u64 = 16 << 20;
/// What a thread needs that reads small elements.
const SMALL_MEMORY: u64 = 5 << 20;
/// Memory that is needed besides, in bytes.
const BASE_MEMORY: u64 = 16 << 20;

/// How many threads that much memory holds, in bytes; one at least.
pub fn threads_in(memory: u64) -> NonZeroUsize {
    let threads = memory.saturating_sub(BASE_MEMORY) / THREAD_MEMORY;
    usize::try_from(threads).ok().and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN)
}

/// How to do a batch.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How to sift a plan; its threads are those that are free.
    pub sift: Options,
    /// How to open inputs; with several threads where several are free.
    pub access: input::Options,
    /// The form of the records.
    pub form: Form,
    /// Threads, each with an input of its own as long as there are enough.
    pub threads: NonZeroUsize,
    /// Memory that the batch may take, in bytes.
    pub memory: u64,
    /// What to do when an input fails.
    pub on_failure: OnFailure,
}

impl Settings {
    /// Memory that one large element may take, in bytes: what small ones leave.
    pub(super) fn memory_of_one(&self) -> u64 {
        let small = BASE_MEMORY + self.threads.get() as u64 * SMALL_MEMORY;
        self.memory.saturating_sub(small).max(THREAD_MEMORY)
    }
}

/// What to do when an input fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// The others are done.
    GoOn,
    /// The run stops.
    Stop,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Inputs that are done, or have failed.
    pub inputs: u64,
    /// Those of them that have failed.
    pub failed: u64,
    /// Bytes of inputs that were read, as they are stored.
    pub bytes: u64,
}

/// What is to be said while a run goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// A plan failed.
    Failed(&'a str, &'a str),
    /// Something else about a plan.
    Warning(&'a str, &'a str),
    /// How far it has come; several times a second.
    Progress(Progress),
}

/// Does a batch. A stop ends it early, and is no error.
///
/// # Errors
///
/// The folder cannot be written to. What was committed stays.
pub fn run(
    folder: &mut Folder,
    jobs: &Jobs,
    settings: &Settings,
    stop: &Stop,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<()> {
    let (path, read) = (folder.path().to_owned(), AtomicU64::new(0));
    let work = |index, job: Job<'_>, threads| {
        contained(&job, || {
            let draft = || Draft::new(&path, index);
            Work { job: &job, settings, threads, stop, read: &read }.finish(draft)
        })
    };
    run_with(folder, jobs, settings, stop, &read, work, tell)
}

/// Does a batch whose jobs are done like that.
fn run_with(
    folder: &mut Folder,
    jobs: &Jobs,
    settings: &Settings,
    stop: &Stop,
    read: &AtomicU64,
    work: impl Fn(usize, Job<'_>, NonZeroUsize) -> Result<Worked> + Sync,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<()> {
    let (tasks, size) = (jobs.indexes().to_vec(), |index| jobs.size_of(index));
    let work = |index, threads| work(index, jobs.job(index), threads);
    let mut progress = Progress::default();
    let mut reports = Reports::begin(folder)?;
    spread(tasks, size, settings.threads, stop, work, |group: Vec<Worked>| {
        let mut finished = Vec::with_capacity(group.len());
        for (one, warnings) in group {
            progress.inputs += 1;
            progress.failed += u64::from(one.outcome.has_failed());
            warnings.iter().for_each(|(source, text)| tell(Event::Warning(source, text)));
            for plan in &one.outcome.plans {
                if let PlanResult::Error(error) = &plan.result {
                    tell(Event::Failed(&plan.source, error));
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
        tell(Event::Progress(progress));
        Ok(())
    })
}

/// Writes the report now and then.
struct Reports {
    written: Instant,
    /// How long the last one took.
    took: Duration,
}

impl Reports {
    /// Writes the first one: what is in the folder may be of a run with fewer inputs.
    fn begin(folder: &Folder) -> Result<Reports> {
        let written = Instant::now();
        report::update(folder)?;
        Ok(Reports { written, took: written.elapsed() })
    }

    /// One every few seconds, and more rarely where that takes long.
    fn write_if_due(&mut self, folder: &Folder) -> Result<()> {
        const PAUSE: Duration = Duration::from_secs(5);
        if self.written.elapsed() > PAUSE.max(self.took * 20) {
            *self = Reports::begin(folder)?;
        }
        Ok(())
    }
}

/// Does a job; a panic is its outcome.
fn contained(job: &Job<'_>, work: impl FnOnce() -> Result<Worked>) -> Result<Worked> {
    // What the job shares with others are a flag and a number.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let outcome = failed(job, &Error::new(ErrorKind::Panicked));
        Ok((Finished { outcome, file: None }, Vec::new()))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::batch::journal::{Terms, VERSION};
    use crate::batch::{Inputs, Rule, Selection, Shard};

    /// More than can be done before the first is gathered.
    const JOBS: usize = 400;

    fn terms() -> Terms {
        let (plansift, format, shard) = ["0.0.0", "ndjson", "1/1"].map(str::to_owned).into();
        Terms {
            version: VERSION,
            plansift,
            format,
            all: false,
            check: "grammar".to_owned(),
            strict: false,
            shard,
        }
    }

    fn settings(on_failure: OnFailure) -> Settings {
        let threads = NonZeroUsize::MIN.saturating_add(1);
        let (sift, access) = (Options::default(), input::Options::default());
        Settings { sift, access, form: Form::Ndjson, threads, memory: u64::MAX, on_failure }
    }

    /// Jobs of files that are not there.
    fn jobs() -> Jobs {
        let names = (0..JOBS).map(|number| number.to_string().into()).collect();
        let selection = Selection { names, ..Selection::default() };
        let inputs = Inputs::list(&selection, Rule::default());
        Jobs::of(inputs, Shard { number: 1, count: 1 }).expect("different names")
    }

    /// Runs jobs done like that in a folder, and tells the errors of the plans in its report.
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
        let mut tell = |event: Event<'_>| {
            if let Event::Failed(source, error) = event {
                said.push(format!("{source}: {error}"));
            }
        };
        let (settings, stop) = (settings(on_failure), Stop::default());
        run_with(&mut folder, &jobs, &settings, &stop, &read, work, &mut tell)?;
        let fleet = report::write_into(&folder)?;
        assert_eq!(fleet.totals.failed, said.len() as u64);
        assert_eq!(fleet.totals.pending == 0, on_failure == OnFailure::GoOn);
        said.sort_unstable();
        Ok(said)
    }

    #[test]
    fn a_panic_is_the_outcome_of_its_input_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let work = |job: &Job<'_>| {
            assert!(job.listed.position % 7 != 3, "the words of a panic may quote an input");
            let outcome = failed(job, &Error::new(ErrorKind::NoPlan));
            Ok((Finished { outcome, file: None }, Vec::new()))
        };
        let errors = errors(folder.path(), OnFailure::GoOn, work).expect("it goes on");
        let is_of_panic = |error: &&String| error.contains("internal error");
        let of_panics: Vec<&String> = errors.iter().filter(is_of_panic).collect();
        assert_eq!((errors.len(), of_panics.len()), (JOBS, JOBS / 7), "{errors:?}");
        assert!(errors.iter().all(|error| !error.contains("quote")), "{errors:?}");
    }

    #[test]
    fn the_first_failure_stops_where_that_was_asked_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let failure = |job: &Job<'_>| {
            let outcome = failed(job, &Error::new(ErrorKind::NoPlan));
            Ok((Finished { outcome, file: None }, Vec::new()))
        };
        let errors = errors(folder.path(), OnFailure::Stop, failure).expect("a stop is no error");
        assert!(!errors.is_empty() && errors.len() < JOBS, "{errors:?}");
    }

    #[test]
    fn what_cannot_be_written_ends_the_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let work = |job: &Job<'_>| match job.listed.position {
            11 => Err(Error::new(ErrorKind::Write)),
            _ => {
                let outcome = failed(job, &Error::new(ErrorKind::NoPlan));
                Ok((Finished { outcome, file: None }, Vec::new()))
            }
        };
        let error = errors(folder.path(), OnFailure::GoOn, work).expect_err("it ends");
        assert_eq!(error.kind(), ErrorKind::Write);
        // Unlocked again, and as it was.
        assert!(Folder::open(folder.path(), &terms(), "ndjson").is_ok());
    }

    #[test]
    fn memory_bounds_the_threads() {
        for (memory, threads) in [(0, 1), (16 << 20, 1), (47 << 20, 1), (48 << 20, 2)] {
            assert_eq!(threads_in(memory).get(), threads, "{memory}");
        }
        assert_eq!(threads_in(256 << 20).get(), 15);
    }
}
