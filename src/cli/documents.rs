//! Reads the documents of all inputs, one after another, for the commands without worker threads.

use super::args::Plans;
use super::bar::{self, Bar, Watched};
use super::inputs::{self, Listed};
use super::messages::say;
use super::options::access;
use super::run_counts::RunCounts;
use crate::batch::documents::{DocumentTurn, Note, Visited, Visitor, numbered, visit_all};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::plan::{self, Accepts, Documents};
use crate::record::Label;
use crate::secret::Collecting;
use crate::source::{InputEntry, RereadableInput};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    One,
    /// Two passes: the first one collects the secrets of documents of these kinds.
    Two(Accepts),
    /// Like `Two` for plans and states. The first pass also makes the redaction cheaper.
    Redaction,
}

impl Passes {
    fn count(self) -> u64 {
        match self {
            Passes::One => 1,
            Passes::Two(_) | Passes::Redaction => 2,
        }
    }
}

pub type SecretPass = Collecting<Open, Watched<Input>>;

type Open = Box<dyn FnMut() -> Result<Watched<Input>>>;

/// A document that is about to be read.
pub struct Ready<'d> {
    pub label: Label<'d>,
    /// The reader, at the start of the document.
    pub documents: &'d mut Documents<Watched<Input>>,
    pub input: usize,
    /// The offset of the document, or of text before it.
    pub at: u64,
    /// With two passes: the first pass, and the input, which can be opened again.
    pub first: Option<(&'d mut SecretPass, &'d RereadableInput)>,
}

/// Processes the documents of a run for one command.
pub trait Work {
    /// Reads a document. An error of the kind [`ErrorKind::Write`] ends the run.
    fn read(&mut self, ready: Ready<'_>, counts: &mut RunCounts) -> Result<Visited>;

    /// Reports an input or a document that failed. An error ends the run.
    fn failed(&mut self, label: Label<'_>, error: &Error, counts: &mut RunCounts) -> Result<()> {
        counts.fail(label.source, error);
        Ok(())
    }
}

/// Reads all documents of all inputs. Fails only with an error that ends the run.
pub fn read_all(
    listed: &Listed,
    plans: &Plans,
    (read, passes): (&plan::PlanOptions, Passes),
    counts: &mut RunCounts,
    work: &mut impl Work,
) -> Result<()> {
    let entries = &listed.inputs.entries;
    let bytes = || entries.iter().map(inputs::len_of).sum();
    let all = || bar::of_inputs(plans, entries.len(), bytes(), passes.count());
    let all = (entries.len() > 1).then(all);
    let mut done = 0;
    for (input, entry) in entries.iter().enumerate() {
        match entry {
            Ok(entry) => {
                let (source, workspace) = (entry.source(), listed.workspace(entry));
                let label = Label { source: &source, workspace: workspace.as_deref() };
                match open(entry, plans, read, passes, all.as_ref()) {
                    Ok(Opened { mut documents, first }) => {
                        visit_all(&mut documents, &mut Each { label, input, first, counts, work })?;
                    }
                    Err(error) => work.failed(label, &error, counts)?,
                }
            }
            Err(unlisted) => {
                let label = Label { source: &unlisted.source, workspace: None };
                work.failed(label, &unlisted.error, counts)?;
            }
        }
        done += inputs::len_of(entry);
        if let Some(all) = &all {
            all.reach(input + 1, entries.len(), done);
        }
    }
    Ok(())
}

/// An input that is being read.
struct Opened {
    documents: Documents<Watched<Input>>,
    first: Option<(SecretPass, RereadableInput)>,
}

/// Opens an input. It reports its position to the bar of all inputs, or without one to its own.
fn open(
    entry: &InputEntry,
    plans: &Plans,
    read: &plan::PlanOptions,
    passes: Passes,
    all: Option<&Bar>,
) -> Result<Opened> {
    let bar = |len| match all {
        Some(all) => all.clone(),
        None => bar::of_input(plans, entry, len, passes.count()),
    };
    let accepts = match passes {
        Passes::One => {
            let input = entry.open(&access(plans, read))?;
            let input = bar::watched(input, bar(entry.len));
            return Ok(Opened { documents: Documents::new(input, read), first: None });
        }
        Passes::Two(accepts) => accepts,
        Passes::Redaction => Accepts::States,
    };
    let kept = entry.keep(&read.limits)?;
    let bar = bar(Some(kept.len()));
    let (documents, mut secrets) = open_twice(&kept, plans, read, bar, accepts)?;
    if passes == Passes::Redaction {
        secrets = secrets.for_redaction();
    }
    Ok(Opened { documents, first: Some((secrets, kept)) })
}

/// Opens an input that can be read twice, for both passes. The bar shows all passes.
pub fn open_twice(
    kept: &RereadableInput,
    plans: &Plans,
    read: &plan::PlanOptions,
    bar: Bar,
    accepts: Accepts,
) -> Result<(Documents<Watched<Input>>, SecretPass)> {
    let (kept, access) = (kept.clone(), access(plans, read));
    let mut open: Open = Box::new(move || Ok(bar::watched(kept.input(&access)?, bar.clone())));
    Ok((Documents::new(open()?, read), Collecting::new(open, accepts)))
}

struct Each<'a, K> {
    label: Label<'a>,
    input: usize,
    first: Option<(SecretPass, RereadableInput)>,
    counts: &'a mut RunCounts,
    work: &'a mut K,
}

impl<K: Work> Visitor<Watched<Input>> for Each<'_, K> {
    type End = Error;

    fn visit(&mut self, turn: DocumentTurn<'_, Watched<Input>>) -> Result<Visited> {
        let DocumentTurn { documents, number, at } = turn;
        let source = numbered(self.label.source, number);
        let workspace = self.label.workspace.map(|name| numbered(name, number));
        let label = Label { source: &source, workspace: workspace.as_deref() };
        let first = self.first.as_mut().map(|(secrets, kept)| (secrets, &*kept));
        let ready = Ready { label, documents, input: self.input, at, first };
        match self.work.read(ready, self.counts) {
            Err(error) if error.kind() != ErrorKind::Write => {
                self.work.failed(label, &error, self.counts)?;
                Ok(Visited::Failed(error.kind()))
            }
            visited => visited,
        }
    }

    fn note(&mut self, note: Note) {
        say(&format!("{}: {note}", self.label.source));
    }
}
