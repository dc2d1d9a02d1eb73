//! Reads all plans of all inputs, in order, into one sink.
//!
//! The error of a plan is printed at once, and the run goes on with the next plan. Only an output
//! that cannot be written ends the run.

use std::num::NonZeroUsize;

use super::args::Plans;
use super::bar::{self, Bar};
use super::inputs::{Listed, len_of};
use super::messages::{say, warn};
use super::options::access;
use super::run_counts::RunCounts;
use crate::batch::buffered_records::BufferedRecords;
use crate::batch::documents::Note;
use crate::batch::plan_assertions::AssertionSettings;
use crate::batch::reading::{Attributes, Reader, Values, has_changes, read_plans};
use crate::config::Blocks;
use crate::error::{Error, Result};
use crate::input::{self, Mapping, Source, Threads};
use crate::plan::{self, Accepts, Documents, NextDocument};
use crate::pool::{Pool, Queue, Worker};
use crate::record::view::Detail;
use crate::record::{Label, RecordOptions, Sifted};
use crate::secret::{self, Collecting};
use crate::sink::Sink;
use crate::source::{InputEntry, Unlisted};

/// Which parts of the attributes of changes the records contain.
pub enum Wanted {
    /// No attributes.
    None,
    /// The paths of attributes.
    Paths,
    /// The values of all attributes or only of changed ones, in this detail. `secrets` says which
    /// values are secret.
    Values { all: bool, detail: Detail, secrets: Box<secret::SecretOptions> },
    /// No attributes, but the configuration blocks of the resources.
    Blocks,
}

/// Reads inputs for a sink.
pub struct Sifting<'a> {
    reading: Reading<'a>,
    sink: &'a mut dyn Sink,
    pub counts: RunCounts,
}

impl<'a> Sifting<'a> {
    /// Creates a reader that has read no input yet. `assertion_settings` holds the assertions to
    /// check against each plan.
    pub fn new(
        plans: &'a Plans,
        options: RecordOptions,
        attributes: &'a Wanted,
        assertion_settings: Option<&'a AssertionSettings>,
        sink: &'a mut dyn Sink,
    ) -> Sifting<'a> {
        let access = access(plans, &options.read);
        let reading = Reading { plans, options, access, attributes, assertion_settings, bar: None };
        Sifting { reading, sink, counts: RunCounts::new() }
    }

    /// Reads all inputs in order. Worker threads may read small inputs ahead. Fails if the output
    /// cannot be written.
    pub fn all(&mut self, listed: &Listed) -> Result<()> {
        let entries = &listed.inputs.entries;
        let bar = self.reading.bar_of(entries);
        let reading = Reading { bar: bar.as_ref(), ..self.reading };
        let threads = reading.options.read.threads.map_or(1, NonZeroUsize::get);
        let queue = Queue::new();
        std::thread::scope(|scope| {
            let mut pool = Pool::new(scope, &queue, threads);
            // The index of the next input to submit, and the bytes read so far.
            let (mut submitted, mut done) = (0, 0);
            for (index, input) in entries.iter().enumerate() {
                submitted = submitted.max(index);
                while done >= ALONE
                    && pool.threads() > 1
                    && pool.has_room()
                    && let Some(Ok(entry)) = entries.get(submitted)
                    && entry.is_small()
                {
                    let workspace = listed.workspace(entry);
                    pool.submit(Ahead { entry, workspace, buffered: None }, || {
                        reading.new_worker()
                    });
                    submitted += 1;
                }
                let ahead = if index < submitted { pool.recv() } else { None };
                match (ahead.and_then(|ahead| ahead.buffered), input) {
                    (Some(buffered), _) => buffered.replay(self)?,
                    (None, Ok(entry)) => {
                        let (source, workspace) = (entry.source(), listed.workspace(entry));
                        let label = Label { source: &source, workspace: workspace.as_deref() };
                        reading.input(entry, label, self)?;
                    }
                    (None, Err(unlisted)) => {
                        let label = Label { source: &unlisted.source, workspace: None };
                        self.refuse(label, &unlisted.error)?;
                    }
                }
                done += len_of(input);
                if let Some(bar) = &bar {
                    bar.reach(index + 1, entries.len(), done);
                }
            }
            Ok(())
        })
    }
}

/// Bytes to read before worker threads start. A run with fewer bytes is faster without them.
const ALONE: u64 = 512 << 10;

/// Maximum number of bytes of a document that a worker reads, counted after decompression.
const SMALL: u64 = 4 << 20;

/// Maximum number of secrets, and of marked paths, of a document that a worker reads.
const SECRETS: u64 = 10_000;

#[derive(Clone, Copy)]
struct Reading<'a> {
    plans: &'a Plans,
    options: RecordOptions,
    access: input::InputOptions,
    attributes: &'a Wanted,
    assertion_settings: Option<&'a AssertionSettings>,
    /// The bar of all inputs; `None` if each input has its own bar.
    bar: Option<&'a Bar>,
}

impl Reading<'_> {
    fn passes(&self) -> u64 {
        match self.attributes {
            Wanted::Values { .. } | Wanted::Blocks => 2,
            Wanted::None | Wanted::Paths => 1,
        }
    }

    /// Returns one bar for several inputs; `None` for a single input.
    fn bar_of(&self, inputs: &[std::result::Result<InputEntry, Unlisted>]) -> Option<Bar> {
        let bytes: u64 = inputs.iter().map(len_of).sum();
        let bar = || bar::of_inputs(self.plans, inputs.len(), bytes, self.passes());
        (inputs.len() > 1).then(bar)
    }

    /// Makes a worker that reads small inputs on its own.
    fn new_worker(mut self) -> Self {
        static HIDDEN: Bar = Bar::NONE;
        self.options.read.threads = None;
        // These limits bound the memory of each worker.
        let limits = &mut self.options.read.limits;
        limits.document = limits.document.min(SMALL);
        limits.string_kept = limits.string_kept.min(SMALL / 8);
        limits.secrets = limits.secrets.min(SECRETS);
        limits.document_marks = limits.document_marks.min(SECRETS);
        self.access.limits = *limits;
        self.access.threads = Threads::One;
        self.access.mapping = Mapping::NEVER;
        self.bar = Some(&HIDDEN);
        self
    }

    /// Returns the bar that shows the progress of an input.
    fn bar(&self, entry: &InputEntry, len: Option<u64>) -> Bar {
        let own = || bar::of_input(self.plans, entry, len, self.passes());
        self.bar.cloned().unwrap_or_else(own)
    }

    /// Reads an input, and reports its records and errors to `reader`. Fails like [`read_plans`].
    fn input(&self, entry: &InputEntry, label: Label<'_>, reader: &mut impl Reader) -> Result<()> {
        let Reading { options, access, attributes, assertion_settings, .. } = self;
        let one_pass = match attributes {
            Wanted::None => Some(Attributes::None),
            Wanted::Paths => Some(Attributes::Paths),
            Wanted::Values { .. } | Wanted::Blocks => None,
        };
        let one_pass = match (one_pass, assertion_settings) {
            (Some(attributes), None) => {
                let input = match entry.open(access) {
                    Ok(input) => bar::watched(input, self.bar(entry, entry.len)),
                    Err(error) => return reader.refuse(label, &error),
                };
                return read_plans(input, label, options, attributes, None, reader);
            }
            (one_pass, _) => one_pass,
        };
        // The first pass collects the secrets of each plan, or indexes its configuration. Without
        // such a pass, secrets are collected only if a failed assertion quotes a value.
        let kept = match entry.keep(&options.read.limits) {
            Ok(kept) => kept,
            Err(error) => return reader.refuse(label, &error),
        };
        let bar = self.bar(entry, Some(kept.len()));
        let open = || Ok(bar::watched(kept.input(access)?, bar.clone()));
        let input = match open() {
            Ok(input) => input,
            Err(error) => return reader.refuse(label, &error),
        };
        let plan_assertions = assertion_settings.map(|settings| settings.of_plan(None));
        match (attributes, one_pass, assertion_settings) {
            (Wanted::Values { all, detail, secrets }, ..) => {
                let mut collecting = Collecting::new(open, Accepts::States);
                let collect = &mut |at| collecting.collect(at, secrets);
                let (all, detail) = (*all, *detail);
                let values = Attributes::Values(Values { all, detail, options: secrets, collect });
                read_plans(input, label, options, values, plan_assertions, reader)
            }
            (_, Some(attributes), Some(settings)) => {
                let mut collecting = Collecting::new(open, Accepts::States);
                let collect: &mut dyn FnMut(u64) -> Result<_> =
                    &mut |at| collecting.collect(at, &settings.secrets);
                let plan_assertions = settings.of_plan(Some(collect));
                read_plans(input, label, options, attributes, Some(plan_assertions), reader)
            }
            _ => {
                let mut first = None;
                let mut index = |at| blocks_at(&mut first, at, open, &options.read);
                let blocks = Attributes::Blocks(&mut index);
                read_plans(input, label, options, blocks, None, reader)
            }
        }
    }
}

/// Indexes the configuration of the plan at an offset. `documents` is the reader of the first pass;
/// `None` until the first call.
fn blocks_at<S: Source>(
    documents: &mut Option<Documents<S>>,
    at: u64,
    open: impl FnOnce() -> Result<S>,
    options: &plan::PlanOptions,
) -> Result<Blocks> {
    let opened = match documents.take() {
        Some(opened) => opened,
        None => Documents::new(open()?, options),
    };
    let documents = documents.insert(opened);
    documents.follow(NextDocument::Document(at))?;
    Blocks::read(documents)
}

/// A job: an input that a worker reads ahead.
struct Ahead<'a> {
    entry: &'a InputEntry,
    workspace: Option<String>,
    /// The recorded events; `None` if the main thread must read the input again.
    buffered: Option<BufferedRecords>,
}

impl<'a> Worker for Reading<'a> {
    type Job = Ahead<'a>;

    fn work(&mut self, job: &mut Ahead<'a>) {
        let Ahead { entry, workspace, buffered } = job;
        let source = entry.source();
        let label = Label { source: &source, workspace: workspace.as_deref() };
        *buffered = BufferedRecords::of(|buffered| self.input(entry, label, buffered));
    }
}

impl Reader for Sifting<'_> {
    fn sink(&mut self) -> &mut dyn Sink {
        self.sink
    }

    fn done(&mut self, label: Label<'_>, sifted: &Sifted) {
        self.counts.succeed(sifted.summary.bytes);
        self.counts.has_changes |= has_changes(sifted);
        warn(self.reading.plans, label.source, sifted.warnings.iter().copied());
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) {
        self.counts.fail(label.source, error);
    }

    fn note(&mut self, input: Label<'_>, note: Note) {
        say(&format!("{}: {note}", input.source));
    }
}
