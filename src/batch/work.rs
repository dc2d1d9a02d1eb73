//! Processes one input of a batch: reads its plans, writes their records to an unfinished file and
//! collects the outcome of each plan.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU64;

use super::Job;
use super::documents::Note;
use super::folder::{Draft, Finished};
use super::journal::Listed;
use super::large::{JobPermit, LargeElementHook};
use super::outcome::{Done, Outcome, PlanOutcome, PlanResult};
use super::reading::{Attributes, Reader, has_changes, read_plans};
use super::settings::Settings;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{self, Hooked, Mapping, Source, Threads};
use crate::plan::Accepts;
use crate::record::{FailedAssertion, Label, Record, Rendered, Sifted};
use crate::secret::{Collected, Collecting};
use crate::sink::Sink;
use crate::sink::fleet::PlanCounts;
use crate::source::InputEntry;
use crate::source::{Stop, Stopping};

/// Counts bytes that are read a second time, which the progress does not show.
static UNSHOWN: AtomicU64 = AtomicU64::new(0);

/// The result of a job, and its warnings.
pub(super) type Worked = (Finished, Warnings);

/// Warnings, each with the name of its plan.
pub(super) type Warnings = Vec<(String, String)>;

/// Returns the result of a job whose input could not be read at all.
pub(super) fn unread(job: &Job<'_>, error: &Error) -> Worked {
    let Listed { name, source, workspace, identity, .. } = job.listed.clone();
    let result = PlanResult::Error(error.to_string());
    let plan = PlanOutcome { source: source.clone(), workspace: workspace.clone(), result };
    let outcome = Outcome { name, source, workspace, identity, records: None, plans: vec![plan] };
    (Finished { outcome, file: None }, Vec::new())
}

pub(super) struct Work<'a> {
    pub job: &'a Job<'a>,
    pub settings: &'a Settings,
    pub threads: NonZeroUsize,
    pub stop: &'a Stop,
    /// Counts the stored bytes read, for all jobs.
    pub read: &'a AtomicU64,
}

impl Work<'_> {
    /// Reads the plans of the input and writes their records to the file that `draft` creates.
    /// Fails if the records cannot be written, or if the run was stopped.
    pub(super) fn finish(&self, draft: impl FnOnce() -> Result<Draft>) -> Result<Worked> {
        let unread = |error: &Error| Ok(unread(self.job, error));
        let entry = match self.job.input {
            Ok(entry) => entry,
            Err(unlisted) => return unread(&unlisted.error),
        };
        let source = match entry.open_until(&self.access(entry), self.stop) {
            Ok(source) => source,
            // The stop may have cancelled the open.
            Err(_) if self.stop.is_set() => return Err(Error::new(ErrorKind::Stopped)),
            Err(error) => return unread(&error),
        };
        let mut draft = match draft() {
            Ok(draft) => draft,
            Err(error) if is_out_of_handles(&error) => return unread(&error),
            Err(error) => return Err(error),
        };
        let stopping = Stopping::new(entry.len.unwrap_or(0), self.stop, self.read);
        let mut permit = JobPermit::default();
        let hook = LargeElementHook::new(self.settings.memory_of_one(), &mut permit);
        let source = Hooked::new(Hooked::new(source, stopping), hook);
        let (plans, warnings) = self.read(entry, source, &mut draft)?;
        drop(permit);
        let is_done = |plan: &PlanOutcome| matches!(plan.result, PlanResult::Done(_));
        let (file, records) = match plans.iter().any(is_done) {
            true => draft.finish().map(|(file, written)| (Some(file), Some(written)))?,
            false => (None, None),
        };
        let Listed { name, source, workspace, identity, .. } = self.job.listed.clone();
        let outcome = Outcome { name, source, workspace, identity, records, plans };
        Ok((Finished { outcome, file }, warnings))
    }

    fn access(&self, entry: &InputEntry) -> input::InputOptions {
        let threads = if self.threads.get() > 1 { Threads::Several } else { Threads::One };
        let mapping = match entry.is_small() {
            true => Mapping::NEVER,
            false => self.settings.access.mapping,
        };
        input::InputOptions { threads, mapping, ..self.settings.access }
    }

    /// Reads the plans of a source and writes their records to `out`. Returns the outcomes and the
    /// warnings.
    fn read(
        &self,
        entry: &InputEntry,
        source: impl Source,
        out: &mut Draft,
    ) -> Result<(Vec<PlanOutcome>, Warnings)> {
        let Listed { source: input, workspace, .. } = &self.job.listed;
        let label = Label { source: input, workspace: workspace.as_deref() };
        let mut options = self.settings.sift;
        options.read.threads = Some(self.threads);
        let plans_max = options.read.limits.plans;
        let mut reading = Reading::new(self.settings.form.sink(out), plans_max);
        let open = || {
            let source = entry.open_until(&self.access(entry), self.stop)?;
            Ok(Hooked::new(source, Stopping::new(0, self.stop, &UNSHOWN)))
        };
        let mut collecting = Collecting::new(open, Accepts::Plans);
        let assertion_settings = self.settings.assertion_settings.as_ref();
        let collect = &mut |at| match assertion_settings {
            Some(assertion_settings) => {
                let mut secrets = assertion_settings.secrets.clone();
                secrets.read.threads = options.read.threads;
                collecting.collect(at, &secrets)
            }
            None => Err(Error::new(ErrorKind::Stopped)),
        };
        // An input without an identity, such as a pipe, yields its plans once.
        let collect: Option<&mut dyn FnMut(u64) -> Result<Collected>> =
            if self.job.listed.identity.is_some() { Some(collect) } else { None };
        let plan_assertions = assertion_settings.map(|settings| settings.of_plan(collect));
        read_plans(source, label, &options, Attributes::None, plan_assertions, &mut reading)?;
        if self.stop.is_set() {
            // The stop may have left plans at the end of the input unread.
            return Err(Error::new(ErrorKind::Stopped));
        }
        reading.sink.finish()?;
        Ok((reading.plans, reading.warnings))
    }
}

/// Whether too many files are open. A later run may not meet this limit.
fn is_out_of_handles(error: &Error) -> bool {
    const PROCESS_LIMIT: i32 = 24;
    const SYSTEM_LIMIT: i32 = 23;
    let code = error.io_error().and_then(io::Error::raw_os_error);
    cfg!(unix) && matches!(code, Some(PROCESS_LIMIT | SYSTEM_LIMIT))
}

/// Receives the records of an input and collects the outcomes of its plans.
struct Reading<'a> {
    sink: Counted<'a>,
    plans: Vec<PlanOutcome>,
    /// The index of the first plan that was read to its end. Its tally also takes the names of
    /// later plans.
    first: Option<usize>,
    /// The maximum number of plans, because each outcome takes memory.
    plans_max: u64,
    warnings: Warnings,
}

/// A sink that counts the records of the current plan.
struct Counted<'a> {
    sink: Box<dyn Sink + 'a>,
    tally: PlanCounts,
    failed: Vec<FailedAssertion<'static>>,
}

impl<'a> Reading<'a> {
    fn new(sink: Box<dyn Sink + 'a>, plans_max: u64) -> Reading<'a> {
        let sink = Counted { sink, tally: PlanCounts::default(), failed: Vec::new() };
        Reading { sink, plans: Vec::new(), first: None, plans_max, warnings: Vec::new() }
    }

    fn push(&mut self, label: Label<'_>, result: PlanResult) {
        let workspace = label.workspace.map(str::to_owned);
        self.plans.push(PlanOutcome { source: label.source.to_owned(), workspace, result });
    }
}

impl Reader for Reading<'_> {
    fn sink(&mut self) -> &mut dyn Sink {
        &mut self.sink
    }

    fn done(&mut self, label: Label<'_>, sifted: &Sifted) {
        for warning in &sifted.warnings {
            self.warnings.push((label.source.to_owned(), format!("warning: {warning}")));
        }
        let mut tally = std::mem::take(&mut self.sink.tally);
        let failed_assertions = std::mem::take(&mut self.sink.failed);
        match self.first.map(|first| &mut self.plans[first].result) {
            Some(PlanResult::Done(first)) => first.tally.take_names(&mut tally),
            _ => self.first = Some(self.plans.len()),
        }
        let (has_changes, summary) = (has_changes(sifted), sifted.summary.clone());
        let done = Done { has_changes, summary, failed_assertions, tally };
        self.push(label, PlanResult::Done(Box::new(done)));
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) {
        self.push(label, PlanResult::Error(error.to_string()));
    }

    fn plans_max(&self) -> u64 {
        self.plans_max
    }

    fn note(&mut self, input: Label<'_>, note: Note) {
        self.warnings.push((input.source.to_owned(), note.to_string()));
    }
}

impl Sink for Counted<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.tally.count(record);
        match record {
            Record::Plan(_) => self.failed.clear(),
            Record::FailedAssertion(failed) => self.failed.push(failed.owned()),
            _ => {}
        }
        self.sink.record(record)
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)
    }

    fn finish(&mut self) -> Result<()> {
        self.sink.finish()
    }

    /// `None`: this sink must see each record to count it, so no other thread may render records.
    fn as_rendered(&mut self) -> Option<&mut dyn Rendered> {
        None
    }
}
