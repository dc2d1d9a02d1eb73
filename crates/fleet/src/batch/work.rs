//! Processes one input of a batch: a [`DocumentLoop`] over its plans writes the records to an
//! unfinished file, and the outcome of each plan is kept.

use std::cell::Cell;
use std::fmt::Display;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Job;
use super::folder::{Draft, Finished};
use super::journal::Listed;
use super::outcome::{Done, JournaledPlan, Outcome, PlanResult};
use super::settings::{DigestSettings, Settings};
use crate::run::{
    AttributeContent, Consumer, DocumentLoop, DocumentOutcome, ElementPermit, Events, OpenInput,
    Opening, Passes, PlanReader, ReadProgress, Remark,
};
use crate::source::{InputEntry, Stop};
use plansift_compare::collect::{Collector, Facts};
use plansift_compare::digest::digest;
use plansift_compare::join::Objects;
use plansift_compare::meaning::ValueKey;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::{self, Mapping, Threads};
use plansift_plan::record::counts::Summary;
use plansift_plan::record::{CompareLevel, FailedAssertion, Label, Owned, Record, Rendered};
use plansift_plan::sink::Sink;
use plansift_report::fleet::PlanCounts;

/// The result of a job, and its warnings.
pub(super) type Worked = (Finished, Warnings);

/// Warnings, each with the name of its plan.
pub(super) type Warnings = Vec<(String, String)>;

/// Returns the result of a job whose input could not be read at all.
pub(super) fn unread(job: &Job<'_>, error: &Error) -> Worked {
    let Listed { name, source, workspace, identity, .. } = job.listed.clone();
    let result = PlanResult::Error(error.to_string());
    let plan = JournaledPlan { source: source.clone(), workspace: workspace.clone(), result };
    let outcome = Outcome { name, source, workspace, identity, records: None, plans: vec![plan] };
    (Finished { outcome, file: None }, Vec::new())
}

/// How to process one job.
pub(super) struct JobWork<'a> {
    pub job: &'a Job<'a>,
    pub settings: &'a Settings,
    pub threads: NonZeroUsize,
    pub stop: &'a Stop,
    /// Counts the stored bytes read, for all jobs.
    pub read: &'a AtomicU64,
}

impl JobWork<'_> {
    /// Reads the plans of the input and writes their records to the file that `draft` creates.
    /// Fails if the records cannot be written, or if the run was stopped.
    pub(super) fn finish(&self, draft: impl FnOnce() -> Result<Draft>) -> Result<Worked> {
        let unread = |error: &Error| Ok(unread(self.job, error));
        let entry = match self.job.input {
            Ok(entry) => entry,
            Err(unlisted) => return unread(&unlisted.error),
        };
        let Settings { assertion_settings, form, .. } = self.settings;
        let mut options = self.settings.records.clone();
        options.read.threads = Some(self.threads);
        // The order matters: the permit outlasts the input.
        let permit = ElementPermit::new(self.settings.memory_of_one());
        let progress = JobProgress { read: self.read, left: Cell::new(0) };
        let opening = Opening {
            stop: Some(self.stop),
            progress: Some(&progress),
            permit: Some(&permit),
            ..Opening::new(options.read, self.access(entry))
        };
        // An input without an identity, such as a pipe, yields its plans once.
        let passes = match self.job.listed.identity.is_some() && assertion_settings.is_some() {
            true => Passes::OneReopened,
            false => Passes::One,
        };
        let opened = match OpenInput::new(entry, &opening, passes) {
            Ok(opened) => opened,
            // The stop may have cancelled the open.
            Err(_) if self.stop.is_set() => return Err(Error::new(ErrorKind::Stopped)),
            Err(error) => return unread(&error),
        };
        let mut draft = match draft() {
            Ok(draft) => draft,
            Err(error) if is_out_of_handles(&error) => return unread(&error),
            Err(error) => return Err(error),
        };
        let assertions = assertion_settings.as_ref();
        let attributes = self.settings.attributes();
        let reader = PlanReader { options, attributes, assertions, impact: None };
        let (plans, warnings) = self.read(opened, reader, form.sink(&mut draft))?;
        drop(permit);
        let is_done = |plan: &JournaledPlan| matches!(plan.result, PlanResult::Done(_));
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

    /// Reads the plans of an open input and writes their records to `sink`. Returns the outcomes
    /// and the warnings.
    fn read(
        &self,
        opened: OpenInput<'_>,
        reader: PlanReader<'_>,
        sink: Box<dyn Sink + '_>,
    ) -> Result<(Vec<JournaledPlan>, Warnings)> {
        let Listed { source, workspace, .. } = &self.job.listed;
        let label = Label { source, workspace: workspace.as_deref() };
        let digests = self.settings.digest.as_ref().and_then(Digesting::new);
        let mut sink = Counted::new(sink, digests);
        let mut messages = Messages::default();
        let documents_max = reader.options.read.limits.plans;
        let mut run = DocumentLoop::new(Consumer::Records(reader, &mut sink), &mut messages);
        run.documents_max = documents_max;
        run.documents(label, opened)?;
        if self.stop.is_set() {
            // The stop may have left plans at the end of the input unread.
            return Err(Error::new(ErrorKind::Stopped));
        }
        sink.finish()?;
        let done = sink.plans.iter_mut().filter_map(|plan| match &mut plan.result {
            PlanResult::Done(done) => Some(done),
            PlanResult::Error(_) => None,
        });
        for (done, has_changes) in done.zip(messages.has_changes) {
            done.has_changes = has_changes;
        }
        Ok((sink.plans, messages.warnings))
    }
}

/// Whether too many files are open. A later run may not meet this limit.
fn is_out_of_handles(error: &Error) -> bool {
    const PROCESS_LIMIT: i32 = 24;
    const SYSTEM_LIMIT: i32 = 23;
    let code = error.io_error().and_then(io::Error::raw_os_error);
    cfg!(unix) && matches!(code, Some(PROCESS_LIMIT | SYSTEM_LIMIT))
}

/// Counts the stored bytes of one input.
struct JobProgress<'a> {
    /// The bytes read, for all jobs.
    read: &'a AtomicU64,
    /// The stored bytes of this input that are not counted yet. Decompressed text is longer.
    left: Cell<u64>,
}

impl ReadProgress for JobProgress<'_> {
    fn begin_input(&self, _: &InputEntry, len: Option<u64>, _: u64) {
        self.left.set(len.unwrap_or(0));
    }

    fn read(&self, bytes: u64) {
        let counted = bytes.min(self.left.get());
        self.left.set(self.left.get() - counted);
        self.read.fetch_add(counted, Ordering::Relaxed);
    }
}

impl Drop for JobProgress<'_> {
    fn drop(&mut self) {
        // Counts the unread rest of a failed input, so that the progress reaches the total.
        self.read.fetch_add(self.left.get(), Ordering::Relaxed);
    }
}

/// The messages of a run over one input.
#[derive(Default)]
struct Messages {
    /// Whether each plan that was read to its end changes anything.
    has_changes: Vec<bool>,
    warnings: Warnings,
}

impl Events for Messages {
    fn done(&mut self, label: Label<'_>, outcome: DocumentOutcome) {
        self.has_changes.push(outcome.has_changes);
        for warning in outcome.warnings {
            self.warnings.push((label.source.to_owned(), format!("warning: {warning}")));
        }
    }

    /// The sink keeps the error.
    fn failed(&mut self, _: Label<'_>, _: &dyn Display) {}

    fn remark(&mut self, input: &str, remark: Remark) {
        self.warnings.push((input.to_owned(), remark.to_string()));
    }
}

/// A sink that counts the records of each plan, and keeps the outcomes of the plans.
struct Counted<'a> {
    sink: Box<dyn Sink + 'a>,
    /// The names of the current plan.
    source: String,
    workspace: Option<String>,
    tally: PlanCounts,
    failed: Vec<FailedAssertion<'static>>,
    plans: Vec<JournaledPlan>,
    /// The index of the first plan that was read to its end. Its tally also takes the names of
    /// later plans.
    first: Option<usize>,
    /// Digests each plan, if the batch keeps digests.
    digests: Option<Digesting<'a>>,
}

/// Collects the objects of the current plan, to digest them.
struct Digesting<'a> {
    level: CompareLevel,
    key: &'a ValueKey,
    objects: Objects,
    spool_max: u64,
}

impl<'a> Digesting<'a> {
    fn new(settings: &'a DigestSettings) -> Option<Digesting<'a>> {
        let AttributeContent::Planned(key) = &settings.content else { return None };
        let spool_max = settings.spool_max;
        let objects = Objects::new(spool_max);
        Some(Digesting { level: settings.level, key, objects, spool_max })
    }

    /// Adds the object of a record.
    fn add(&mut self, record: &Record<'_>) -> Result<()> {
        let objects = &mut self.objects;
        let mut each = |planned| objects.push(planned);
        let mut facts = Facts::default();
        Collector::new(self.key, &[], &mut facts, &mut each).record(record)
    }

    /// Returns the objects so far, and starts anew.
    fn take(&mut self) -> Objects {
        std::mem::replace(&mut self.objects, Objects::new(self.spool_max))
    }

    /// Returns the digest of the objects so far, and starts anew.
    fn digest(&mut self) -> Result<String> {
        Ok(digest(self.take(), self.level, Vec::new())?.to_string())
    }
}

impl<'a> Counted<'a> {
    fn new(sink: Box<dyn Sink + 'a>, digests: Option<Digesting<'a>>) -> Counted<'a> {
        Counted {
            sink,
            source: String::new(),
            workspace: None,
            tally: PlanCounts::default(),
            failed: Vec::new(),
            plans: Vec::new(),
            first: None,
            digests,
        }
    }

    /// Keeps the outcome of the current plan, which was read to its end.
    fn keep(&mut self, summary: &Summary) -> Result<()> {
        let digest = self.digests.as_mut().map(Digesting::digest).transpose()?;
        let mut tally = std::mem::take(&mut self.tally);
        match self.first.map(|first| &mut self.plans[first].result) {
            Some(PlanResult::Done(first)) => first.tally.take_names(&mut tally),
            _ => self.first = Some(self.plans.len()),
        }
        let (summary, failed_assertions) = (summary.clone(), std::mem::take(&mut self.failed));
        let done = Done { has_changes: false, summary, failed_assertions, digest, tally };
        let (source, workspace) = (std::mem::take(&mut self.source), self.workspace.take());
        let result = PlanResult::Done(Box::new(done));
        self.plans.push(JournaledPlan { source, workspace, result });
        Ok(())
    }
}

impl Sink for Counted<'_> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if let Some(digests) = &mut self.digests {
            digests.add(record)?;
            // Only runs with a view have such records, and the records of a batch have none.
            if let Record::DeferredActionInvocation(_) = record {
                return Ok(());
            }
        }
        self.tally.count(record);
        self.sink.record(record)?;
        match record {
            Record::Plan(plan) => {
                self.source = plan.source.to_owned();
                self.workspace = plan.workspace.map(str::to_owned);
                self.failed.clear();
            }
            Record::FailedAssertion(failed) => self.failed.push(failed.owned()),
            Record::Summary(summary) => self.keep(summary)?,
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        // The objects of a plan that failed half-way do not count for the next one.
        drop(self.digests.as_mut().map(Digesting::take));
        let Label { source, workspace } = label;
        let (source, workspace) = (source.to_owned(), workspace.map(str::to_owned));
        let result = PlanResult::Error(error.to_string());
        self.plans.push(JournaledPlan { source, workspace, result });
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
