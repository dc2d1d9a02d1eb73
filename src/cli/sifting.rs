//! Inputs one after the other into one sink, and the plans of each, one after the other.
//!
//! What fails is said at once, with its source, and the others go on: only an output that cannot be
//! written ends the run.

use std::io::{self, IsTerminal};

use super::args::{self, Plans};
use super::exit::Exit;
use super::inputs::Listed;
use super::progress::{self, Watched};
use super::run::{access, say};
use super::stats::Stats;
use crate::batch::Entry;
use crate::batch::reading::{Note, Reader, has_changes, read_plans};
use crate::error::{Error, Result};
use crate::input::Input;
use crate::record::view::{Known, View};
use crate::record::{Label, Options, Sifted};
use crate::secret::{self, Collected, collect};
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
pub enum Attributes {
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
    attributes: &'a Attributes,
    /// What came of them.
    pub tally: Tally,
}

impl<'a> Sifting<'a> {
    /// Before the first.
    pub fn new(plans: &'a Plans, options: Options, sink: &'a mut dyn Sink) -> Sifting<'a> {
        let tally = Tally { done: 0, failed: 0, has_changes: false, stats: Stats::start() };
        Sifting { plans, options, sink, attributes: &Attributes::None, tally }
    }

    /// The same, with attributes of changes.
    pub fn with(self, attributes: &'a Attributes) -> Sifting<'a> {
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
        let (input, secrets) = match self.open(entry) {
            Ok(opened) => opened,
            Err(error) => return self.fail(label, &error),
        };
        let view = match (self.attributes, &secrets) {
            (Attributes::None, _) => None,
            (Attributes::Values { all, secrets: options }, Some(Ok(collected))) => {
                let known = Known { collected, options };
                Some(if *all { View::All(known) } else { View::Changed(known) })
            }
            _ => Some(View::Paths),
        };
        let failed = self.tally.failed;
        let options = self.options;
        if self.shows_progress(entry.len) {
            let bar = progress::bar(entry.len, &visible(&source));
            read_plans(Watched::new(input, bar), label, &options, view, self)?;
        } else {
            read_plans(input, label, &options, view, self)?;
        }
        // Where the plan itself could not be read, that was said.
        if let Some(Err(error)) = secrets
            && self.tally.failed == failed
        {
            say(&format!("{}: values are not shown: {error}", visible(&source)));
        }
        Ok(())
    }

    /// Opens an input, after its secrets were read from it, where values are to be shown.
    fn open(&self, entry: &Entry) -> Result<(Input, Option<Result<Collected>>)> {
        let access = access(self.plans, &self.options.read);
        let Attributes::Values { secrets: options, .. } = self.attributes else {
            return Ok((entry.open(&access)?, None));
        };
        let kept = entry.keep(&self.options.read.limits)?;
        let collected = collect(|| kept.input(&access), options);
        Ok((kept.input(&access)?, Some(collected)))
    }

    /// Takes note of what no plan comes of.
    fn fail(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.failed(label, error);
        self.sink.failed(label, error)
    }

    /// Whether progress is worth showing: on a terminal, for what takes more than a blink.
    fn shows_progress(&self, len: Option<u64>) -> bool {
        const SMALL: u64 = 256 << 20;
        match self.plans.progress {
            args::Progress::Always => true,
            args::Progress::Never => false,
            args::Progress::Auto => {
                let is_seen = !self.plans.quiet && io::stderr().is_terminal();
                is_seen && len.is_none_or(|len| len > SMALL)
            }
        }
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

    fn note(&mut self, input: Label<'_>, note: Note) {
        say(&format!("{}: {note}", visible(input.source)));
    }
}
