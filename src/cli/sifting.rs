//! Inputs one after the other into one sink, and the plans of each, one after the other.
//!
//! What fails is said at once, with its source, and the others go on: only an output that cannot be
//! written ends the run.

use std::num::NonZeroUsize;

use super::args::Plans;
use super::exit::Exit;
use super::inputs::Listed;
use super::progress::{self, Watched};
use super::run::{access, say};
use super::stats::Stats;
use crate::batch::Entry;
use crate::batch::reading::{Attributes, Note, Reader, Values, has_changes, read_plans};
use crate::batch::script::Script;
use crate::crew::{Crew, Desk, Worker};
use crate::error::{Error, Result};
use crate::input::{self, Mapping, Threads};
use crate::record::{Label, Options, Sifted};
use crate::secret::{self, Collecting, Takes};
use crate::sink::Sink;
use crate::sink::summary::visible;

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
    pub fn exit(&self, is_broken: bool, plans: &Plans) -> Exit {
        match self.failed {
            0 if is_broken => Exit::RuleBroken,
            0 if self.has_changes && plans.detailed_exitcode => Exit::Changes,
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
    /// Values, of all attributes or of those that change, and how secrets are told.
    Values { all: bool, secrets: secret::Options },
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
        let reading = Reading { plans, options, access, attributes: &Wanted::None };
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
        let reading = self.reading;
        let entries = &listed.inputs.entries;
        let desk = Desk::new();
        std::thread::scope(|scope| {
            let mut crew = Crew::new(scope, &desk, reading.threads());
            // How many inputs were given to the crew or read, and bytes of those read without it.
            let (mut next, mut alone) = (0, 0);
            for (place, entry) in entries.iter().enumerate() {
                next = next.max(place);
                while alone >= ALONE
                    && crew.threads() > 1
                    && crew.has_room()
                    && let Some(Ok(entry)) = entries.get(next)
                    && entry.is_small()
                {
                    let workspace = listed.workspace(entry);
                    crew.give(Ahead { entry, workspace, script: None }, || reading.of_one());
                    next += 1;
                }
                if place < next
                    && let Some(Ahead { script: Some(script), .. }) = crew.wait()
                {
                    script.tell(self)?;
                    continue;
                }
                match entry {
                    Ok(entry) => {
                        let (source, workspace) = (entry.source(), listed.workspace(entry));
                        let label = Label { source: &source, workspace: workspace.as_deref() };
                        reading.input(entry, label, self)?;
                        alone += entry.len.unwrap_or(0);
                    }
                    Err(unlisted) => {
                        let (source, workspace) = (unlisted.source.as_str(), None);
                        self.refuse(Label { source, workspace }, &unlisted.error)?;
                    }
                }
            }
            Ok(())
        })
    }
}

/// As many bytes of inputs are read before any are read ahead: a few are not worth a thread.
const ALONE: u64 = 512 << 10;

/// How inputs are read.
#[derive(Clone, Copy)]
struct Reading<'a> {
    plans: &'a Plans,
    options: Options,
    access: input::Options,
    attributes: &'a Wanted,
}

impl Reading<'_> {
    /// How many threads there may be.
    fn threads(&self) -> usize {
        self.options.read.threads.map_or(1, NonZeroUsize::get)
    }

    /// The same for one of several threads that have small inputs of their own.
    fn of_one(mut self) -> Self {
        self.options.read.threads = None;
        self.access.threads = Threads::One;
        self.access.mapping = Mapping::Never;
        self
    }

    /// Reads an input for a reader.
    ///
    /// # Errors
    ///
    /// Those of [`read_plans`].
    fn input(&self, entry: &Entry, label: Label<'_>, reader: &mut impl Reader) -> Result<()> {
        let Reading { plans, options, access, attributes } = self;
        let Wanted::Values { all, secrets } = attributes else {
            let input = match entry.open(access) {
                Ok(input) => Watched::new(input, progress::of_input(plans, entry, entry.len)),
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
        let bar = progress::of_input(plans, entry, Some(kept.len()));
        let open = || Ok(Watched::new(kept.input(access)?, bar.clone()));
        let mut collecting = Collecting::new(open, Takes::All);
        let collect = &mut |at| collecting.collect(at, secrets);
        let values = Attributes::Values(Values { all: *all, options: secrets, collect });
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
        for warning in sifted.warnings.iter().filter(|_| !self.reading.plans.quiet) {
            say(&format!("{}: warning: {warning}", visible(label.source)));
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) {
        self.tally.failed += 1;
        say(&format!("{}: {error}", visible(label.source)));
    }

    fn hidden(&mut self, label: Label<'_>, error: &Error) {
        say(&format!("{}: values are not shown: {error}", visible(label.source)));
    }

    fn note(&mut self, input: Label<'_>, note: Note) {
        say(&format!("{}: {note}", visible(input.source)));
    }
}
