//! Inputs one after the other into one sink, and the plans of each, one after the other.
//!
//! What fails is said at once, with its source, and the others go on: only an output that cannot be
//! written ends the run.

use std::num::NonZeroUsize;

use super::args::{Plans, RecordArgs};
use super::exit::Exit;
use super::inputs::Listed;
use super::progress::{self, Bar, Watched};
use super::run::{access, say, warn};
use super::stats::Stats;
use crate::batch::reading::{Attributes, Note, Reader, Values, has_changes, read_plans};
use crate::batch::script::Script;
use crate::batch::{Entry, Unlisted};
use crate::error::{Error, Result};
use crate::input::{self, Mapping, Threads};
use crate::pool::{Pool, Queue, Worker};
use crate::record::view::Detail;
use crate::record::{Label, Options, Sifted};
use crate::secret::{self, Collecting, Takes};
use crate::sink::Sink;

/// What came of the plans so far.
pub struct Tally {
    /// Plans that were read to their end.
    pub done: u64,
    /// Plans, and what was named in vain.
    pub failed: u64,
    /// Whether a plan changes anything.
    pub has_changes: bool,
    /// What it took.
    pub stats: Stats,
}

impl Tally {
    /// How a run ends that came to its end.
    pub fn exit(&self, is_broken: bool, records: &RecordArgs) -> Exit {
        match self.failed {
            0 if is_broken => Exit::RuleBroken,
            0 if self.has_changes && records.detailed_exitcode => Exit::Changes,
            0 => Exit::Done,
            _ if self.done == 0 => Exit::Failed,
            _ => Exit::SomeFailed,
        }
    }
}

/// What records hold of the attributes of changes.
pub enum Wanted {
    /// Nothing.
    None,
    /// Paths.
    Paths,
    /// Values, of all attributes or of those that change, how much of each, and how secrets are
    /// told.
    Values { all: bool, detail: Detail, secrets: Box<secret::Options> },
}

/// Reads inputs for a sink.
pub struct Sifting<'a> {
    reading: Reading<'a>,
    sink: &'a mut dyn Sink,
    /// What came of them.
    pub tally: Tally,
}

impl<'a> Sifting<'a> {
    /// Before the first.
    pub fn new(plans: &'a Plans, options: Options, sink: &'a mut dyn Sink) -> Sifting<'a> {
        let access = access(plans, &options.read);
        let reading = Reading { plans, options, access, attributes: &Wanted::None, bar: None };
        let tally = Tally { done: 0, failed: 0, has_changes: false, stats: Stats::start() };
        Sifting { reading, sink, tally }
    }

    /// The same, with attributes of changes.
    pub fn with(mut self, attributes: &'a Wanted) -> Sifting<'a> {
        self.reading.attributes = attributes;
        self
    }

    /// Reads all inputs in their order. Small ones that follow each other may be read by several
    /// threads.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn all(&mut self, listed: &Listed) -> Result<()> {
        let entries = &listed.inputs.entries;
        let bar = self.reading.bar_of(entries);
        let reading = Reading { bar: bar.as_ref(), ..self.reading };
        let desk = Queue::new();
        std::thread::scope(|scope| {
            let mut crew = Pool::new(scope, &desk, reading.threads());
            // How many inputs the crew was given, or come before; how many bytes are done.
            let (mut given, mut done) = (0, 0);
            for (place, input) in entries.iter().enumerate() {
                given = given.max(place);
                while done >= ALONE
                    && crew.threads() > 1
                    && crew.has_room()
                    && let Some(Ok(entry)) = entries.get(given)
                    && entry.is_small()
                {
                    let workspace = listed.workspace(entry);
                    crew.submit(Ahead { entry, workspace, script: None }, || reading.of_one());
                    given += 1;
                }
                let ahead = if place < given { crew.recv() } else { None };
                match (ahead.and_then(|ahead| ahead.script), input) {
                    (Some(script), _) => script.tell(self)?,
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
                    bar.reach(place + 1, entries.len(), done * reading.times());
                }
            }
            Ok(())
        })
    }
}

/// Bytes of an input, where they are known.
fn len_of(input: &std::result::Result<Entry, Unlisted>) -> u64 {
    input.as_ref().ok().and_then(|entry| entry.len).unwrap_or(0)
}

/// As many bytes of inputs are read before any are read ahead: a few are not worth a thread.
const ALONE: u64 = 512 << 10;

/// Bytes of a document that one of several threads reads, which may have been compressed.
const SMALL: u64 = 4 << 20;

/// Secrets, and marked places, of a document that one of several threads reads.
const SECRETS: u64 = 10_000;

/// How inputs are read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    plans: &'a Plans,
    options: Options,
    access: input::Options,
    attributes: &'a Wanted,
    /// The bar of all inputs; `None`: each has its own.
    bar: Option<&'a Bar>,
}

impl Reading<'_> {
    /// How many threads there may be.
    fn threads(&self) -> usize {
        self.options.read.threads.map_or(1, NonZeroUsize::get)
    }

    /// How many times a plan is read.
    fn times(&self) -> u64 {
        if matches!(self.attributes, Wanted::Values { .. }) { 2 } else { 1 }
    }

    /// One bar for several inputs.
    fn bar_of(&self, inputs: &[std::result::Result<Entry, Unlisted>]) -> Option<Bar> {
        let bytes: u64 = inputs.iter().map(len_of).sum();
        let bar = || progress::of_inputs(self.plans, inputs.len(), bytes * self.times());
        (inputs.len() > 1).then(bar)
    }

    /// The same for one of several threads that have small inputs of their own.
    fn of_one(mut self) -> Self {
        static UNSEEN: Bar = Bar::NONE;
        self.options.read.threads = None;
        // As much as this may be in the memory of each thread.
        let limits = &mut self.options.read.limits;
        limits.document = limits.document.min(SMALL);
        limits.string_kept = limits.string_kept.min(SMALL / 8);
        limits.secrets = limits.secrets.min(SECRETS);
        limits.document_marks = limits.document_marks.min(SECRETS);
        self.access.limits = *limits;
        self.access.threads = Threads::One;
        self.access.mapping = Mapping::Never;
        self.bar = Some(&UNSEEN);
        self
    }

    /// Where it is shown how far the readings of an input have come.
    fn bar(&self, entry: &Entry, len: Option<u64>) -> Bar {
        let own = || progress::of_input(self.plans, entry, len);
        self.bar.cloned().unwrap_or_else(own)
    }

    /// Reads an input for a reader.
    ///
    /// # Errors
    ///
    /// Those of [`read_plans`].
    fn input(&self, entry: &Entry, label: Label<'_>, reader: &mut impl Reader) -> Result<()> {
        let Reading { options, access, attributes, .. } = self;
        let Wanted::Values { all, detail, secrets } = attributes else {
            let input = match entry.open(access) {
                Ok(input) => Watched::new(input, self.bar(entry, entry.len)),
                Err(error) => return reader.refuse(label, &error),
            };
            let attributes = match attributes {
                Wanted::None => Attributes::None,
                _ => Attributes::Paths,
            };
            return read_plans(input, label, options, attributes, reader);
        };
        // Each plan is read for its secrets first.
        let kept = match entry.keep(&options.read.limits) {
            Ok(kept) => kept,
            Err(error) => return reader.refuse(label, &error),
        };
        let bar = self.bar(entry, Some(kept.len()));
        let open = || Ok(Watched::new(kept.input(access)?, bar.clone()));
        let mut collecting = Collecting::new(open, Takes::All);
        let collect = &mut |at| collecting.collect(at, secrets);
        let (all, detail) = (*all, *detail);
        let values = Attributes::Values(Values { all, detail, options: secrets, collect });
        match open() {
            Ok(input) => read_plans(input, label, options, values, reader),
            Err(error) => reader.refuse(label, &error),
        }
    }
}

/// An input that is read before its turn.
struct Ahead<'a> {
    entry: &'a Entry,
    workspace: Option<String>,
    /// What came of it; `None`: it is to be read in its turn.
    script: Option<Script>,
}

impl<'a> Worker for Reading<'a> {
    type Job = Ahead<'a>;

    fn work(&mut self, job: &mut Ahead<'a>) {
        let Ahead { entry, workspace, script } = job;
        let source = entry.source();
        let label = Label { source: &source, workspace: workspace.as_deref() };
        *script = Script::of(|script| self.input(entry, label, script));
    }
}

impl Reader for Sifting<'_> {
    fn sink(&mut self) -> &mut dyn Sink {
        self.sink
    }

    fn done(&mut self, label: Label<'_>, sifted: &Sifted) {
        self.tally.done += 1;
        self.tally.has_changes |= has_changes(sifted);
        self.tally.stats.add(sifted.summary.bytes);
        warn(self.reading.plans, label.source, sifted.warnings.iter().copied());
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) {
        self.tally.failed += 1;
        say(&format!("{}: {error}", label.source));
    }

    fn note(&mut self, input: Label<'_>, note: Note) {
        say(&format!("{}: {note}", input.source));
    }
}
