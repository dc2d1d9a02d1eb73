//! Inputs one after the other into one sink, and the plans of each, one after the other.
//!
//! What fails is said at once, with its source, and the others go on: only an output that cannot be
//! written ends the run.

use super::args::Plans;
use super::exit::Exit;
use super::inputs::Listed;
use super::progress::{self, Watched};
use super::run::{access, say};
use super::stats::Stats;
use crate::batch::Entry;
use crate::batch::reading::{Attributes, Note, Reader, Values, has_changes, read_plans};
use crate::error::{Error, Result};
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
    plans: &'a Plans,
    options: Options,
    sink: &'a mut dyn Sink,
    attributes: &'a Wanted,
    /// What came of them.
    pub tally: Tally,
}

impl<'a> Sifting<'a> {
    /// Before the first.
    pub fn new(plans: &'a Plans, options: Options, sink: &'a mut dyn Sink) -> Sifting<'a> {
        let tally = Tally { done: 0, failed: 0, has_changes: false, stats: Stats::start() };
        Sifting { plans, options, sink, attributes: &Wanted::None, tally }
    }

    /// The same, with attributes of changes.
    pub fn with(self, attributes: &'a Wanted) -> Sifting<'a> {
        Sifting { attributes, ..self }
    }

    /// Reads all inputs in their order.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn all(&mut self, listed: &Listed) -> Result<()> {
        for entry in &listed.inputs.entries {
            match entry {
                Ok(entry) => self.input(entry, listed.workspace(entry).as_deref())?,
                Err(unlisted) => {
                    let (source, workspace) = (unlisted.source.as_str(), None);
                    self.fail(Label { source, workspace }, &unlisted.error)?;
                }
            }
        }
        Ok(())
    }

    fn input(&mut self, entry: &Entry, workspace: Option<&str>) -> Result<()> {
        let source = entry.source();
        let label = Label { source: &source, workspace };
        let access = access(self.plans, &self.options.read);
        let Wanted::Values { all, secrets: options } = self.attributes else {
            let input = match entry.open(&access) {
                Ok(input) => Watched::new(input, progress::of_input(self.plans, entry, entry.len)),
                Err(error) => return self.fail(label, &error),
            };
            let attributes = match self.attributes {
                Wanted::None => Attributes::None,
                _ => Attributes::Paths,
            };
            return read_plans(input, label, &self.options.clone(), attributes, self);
        };
        // Each plan is read for its secrets first.
        let kept = match entry.keep(&self.options.read.limits) {
            Ok(kept) => kept,
            Err(error) => return self.fail(label, &error),
        };
        let bar = progress::of_input(self.plans, entry, Some(kept.len()));
        let open = || Ok(Watched::new(kept.input(&access)?, bar.clone()));
        let mut collecting = Collecting::new(open, Takes::All);
        let collect = &mut |at| collecting.collect(at, options);
        let values = Attributes::Values(Values { all: *all, options, collect });
        match open() {
            Ok(input) => read_plans(input, label, &self.options.clone(), values, self),
            Err(error) => self.fail(label, &error),
        }
    }

    /// Takes note of what no plan comes of.
    fn fail(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.failed(label, error);
        self.sink.failed(label, error)
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
        for warning in sifted.warnings.iter().filter(|_| !self.plans.quiet) {
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
