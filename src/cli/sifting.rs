//! Inputs one after the other into one sink, and the plans of each, one after the other.
//!
//! What fails is said at once, with its source, and the others go on: only an output that cannot be
//! written ends the run.

use std::borrow::Cow;
use std::io::{self, IsTerminal};

use super::args::{self, Plans};
use super::inputs::Listed;
use super::progress::{self, Watched};
use super::run::{access, say};
use super::stats::Stats;
use crate::batch::Entry;
use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::plan::{Documents, Next};
use crate::record::counts::Summary;
use crate::record::{Label, Options, sift_next};
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

/// Reads inputs for a sink.
pub struct Sifting<'a> {
    plans: &'a Plans,
    options: Options,
    sink: &'a mut dyn Sink,
    /// What came of them.
    pub tally: Tally,
}

impl<'a> Sifting<'a> {
    /// Before the first.
    pub fn new(plans: &'a Plans, options: Options, sink: &'a mut dyn Sink) -> Sifting<'a> {
        let tally = Tally { done: 0, failed: 0, has_changes: false, stats: Stats::start() };
        Sifting { plans, options, sink, tally }
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
        let input = match entry.open(&access(self.plans, &self.options.read)) {
            Ok(input) => input,
            Err(error) => return self.fail(label, &error),
        };
        if self.shows_progress(entry.len) {
            let bar = progress::bar(entry.len, &visible(&source));
            self.documents(Watched::new(input, bar), label)
        } else {
            self.documents(input, label)
        }
    }

    /// Reads all plans of an input.
    fn documents(&mut self, source: impl Source, input: Label<'_>) -> Result<()> {
        let mut documents = Documents::new(source, &self.options.read);
        for number in 1_u64.. {
            let source = numbered(input.source, number);
            let workspace = input.workspace.map(|name| numbered(name, number));
            let label = Label { source: &source, workspace: workspace.as_deref() };
            let error = self.document(&mut documents, label)?;
            match (documents.find_next(), error) {
                (Next::Document(at), Some(_)) => say(&format!(
                    "{}: going on at byte {at}, where a line begins the next plan",
                    visible(input.source)
                )),
                (Next::Document(_), None) => {}
                // Of a single plan there is nothing more to say.
                (Next::Unknown, Some(error)) if number > 1 && error != ErrorKind::Truncated => {
                    say(&format!(
                        "{}: what follows plan {number} was not read: no line certainly begins \
                         the next one",
                        visible(input.source)
                    ));
                    break;
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Reads the next plan; says what it failed with, if it did.
    fn document<S: Source>(
        &mut self,
        documents: &mut Documents<S>,
        label: Label<'_>,
    ) -> Result<Option<ErrorKind>> {
        match sift_next(documents, label, &self.options, self.sink) {
            Ok(sifted) => {
                self.tally.done += 1;
                self.tally.has_changes |= sifted.has_changes || has_more(&sifted.summary);
                self.tally.stats.add(sifted.summary.bytes);
                for warning in sifted.warnings.iter().filter(|_| !self.plans.quiet) {
                    say(&format!("{}: warning: {warning}", visible(label.source)));
                }
                Ok(None)
            }
            Err(error) if error.kind() == ErrorKind::Write => Err(error),
            Err(error) => self.fail(label, &error).map(|()| Some(error.kind())),
        }
    }

    fn fail(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.tally.failed += 1;
        say(&format!("{}: {error}", visible(label.source)));
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

/// The name of one of several plans of an input.
fn numbered(name: &str, number: u64) -> Cow<'_, str> {
    if number == 1 { Cow::Borrowed(name) } else { Cow::Owned(format!("{name}#{number}")) }
}

/// Whether a plan without changes to resources has something to apply all the same, or did not get
/// as far as to know.
fn has_more(summary: &Summary) -> bool {
    summary.output_changes.keys().any(|action| action != "no-op")
        || summary.applyable == Some(true)
        || summary.complete == Some(false)
        || summary.errored == Some(true)
        || !summary.deferred_changes.is_empty()
}
