//! Rewrites the documents of all inputs, in order, into one output.
//!
//! With two passes, the first pass detects a damaged document, and the output omits it. With one
//! pass, a part of a damaged document is written before the error is known. The run then stops.

use std::fs::File;
use std::path::Path;

use super::args::{Echo, Plans, SecretArgs};
use super::bar::{self, Watched};
use super::ending::{Ending, Failure};
use super::exit::Exit;
use super::inputs::Listed;
use super::messages::{fail, say, warn};
use super::options::access;
use super::output::Output;
use super::tally::Tally;
use crate::batch::documents::{Note, Turn, Visited, Visitor, numbered, visit_all};
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::plan::{Accepts, Document, Documents};
use crate::record::Warning;
use crate::secret::{Collected, Collecting, Options};
use crate::source::{Entry, Kept};

/// How often a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    /// One pass, which writes.
    One,
    /// Two passes: the first collects the secrets of these documents, the second writes.
    Two(Accepts),
}

impl Passes {
    /// Returns the passes that the arguments about secrets need.
    pub fn of(secrets: &SecretArgs, accepts: Accepts) -> Passes {
        match secrets.echo {
            Echo::Off => Passes::One,
            Echo::Equal | Echo::Contains => Passes::Two(accepts),
        }
    }
}

/// A document that is about to be written.
pub struct Ready<'d> {
    /// The reader, at the start of the document.
    pub documents: &'d mut Documents<Watched<Input>>,
    /// The secrets of the document, if there are two passes.
    pub collected: Option<Collected>,
    /// The name of the input, with the number of the document.
    pub name: &'d str,
    /// The number of the input.
    pub input: usize,
    /// The offset of the document, or of text before it.
    pub at: u64,
    /// The input, to be read once more, if there are two passes.
    pub kept: Option<&'d Kept>,
}

/// Rewrites all documents of all inputs; `each` writes one document.
///
/// # Errors
///
/// Fails if the output was not finished, with the exit code of the run.
pub fn write_all(
    plans: &Plans,
    listed: &Listed,
    path: Option<&Path>,
    (passes, secrets): (Passes, &Options),
    each: impl FnMut(&mut Ready<'_>, &mut File) -> Result<Document>,
) -> std::result::Result<Exit, Exit> {
    let opened = Output::open(path).and_then(|output| Ok((output.writer()?, output)));
    let (out, output) = opened.map_err(|error| fail(path, &error))?;
    let tally = Tally::new();
    let mut rewriting = Rewriting { plans, passes, secrets, out, each, input: 0, tally };
    let failure = |error| Failure::of(path, error);
    let read = match rewriting.all(listed) {
        Ok(()) => Ok(()),
        Err(End::Torn) => return Err(Exit::Failed),
        Err(End::Output(error)) => Err(failure(error)),
    };
    let Rewriting { out, tally, .. } = rewriting;
    let ending = Ending::new(plans, &tally);
    ending.end(read, || {
        drop(out);
        output.finish().map_err(failure)
    })
}

struct Rewriting<'a, E> {
    plans: &'a Plans,
    passes: Passes,
    secrets: &'a Options,
    out: File,
    each: E,
    /// The number of the current input.
    input: usize,
    tally: Tally,
}

/// Why the run ends early.
enum End {
    /// A part of a damaged document was written, or an input changed while it was read. The error
    /// is printed already.
    Torn,
    /// The output failed.
    Output(Error),
}

impl<E: FnMut(&mut Ready<'_>, &mut File) -> Result<Document>> Rewriting<'_, E> {
    fn all(&mut self, listed: &Listed) -> std::result::Result<(), End> {
        for (input, entry) in listed.inputs.entries.iter().enumerate() {
            self.input = input;
            match entry {
                Ok(entry) => self.rewrite(entry)?,
                Err(unlisted) => self.tally.fail(&unlisted.source, &unlisted.error),
            }
        }
        Ok(())
    }

    fn rewrite(&mut self, entry: &Entry) -> std::result::Result<(), End> {
        let access = access(self.plans, &self.secrets.read);
        let opened = match self.passes {
            Passes::One => entry.open(&access).map(|input| {
                (bar::watched(input, bar::of_input(self.plans, entry, entry.len)), None)
            }),
            Passes::Two(accepts) => entry.keep(&self.secrets.read.limits).and_then(|kept| {
                let bar = bar::of_input(self.plans, entry, Some(kept.len()));
                let again = kept.clone();
                let open = move || Ok(bar::watched(again.input(&access)?, bar.clone()));
                let first = open()?;
                Ok((first, Some((kept, Collecting::new(open, accepts)))))
            }),
        };
        let source = &*entry.source();
        match opened {
            Ok((input, first)) => {
                let (kept, collecting) = first.unzip();
                let mut documents = Documents::new(input, &self.secrets.read);
                let kept = kept.as_ref();
                visit_all(&mut documents, &mut Each { rewriting: self, source, collecting, kept })
            }
            Err(error) => {
                self.tally.fail(source, &error);
                Ok(())
            }
        }
    }

    fn write(&mut self, mut ready: Ready<'_>) -> std::result::Result<(), End> {
        match (self.each)(&mut ready, &mut self.out) {
            Ok(document) => {
                warn(self.plans, ready.name, Warning::of_text(&document));
                self.tally.succeed(document.bytes);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Write => Err(End::Output(error)),
            Err(error) => {
                self.tally.fail(ready.name, &error);
                say(&format!(
                    "{}: a part of this document was written before the error: the output ends",
                    ready.name
                ));
                Err(End::Torn)
            }
        }
    }
}

/// Rewrites each document of an input.
struct Each<'r, 'a, E, F> {
    rewriting: &'r mut Rewriting<'a, E>,
    /// The name of the input.
    source: &'r str,
    /// The first pass, if there are two passes.
    collecting: Option<Collecting<F, Watched<Input>>>,
    kept: Option<&'r Kept>,
}

impl<E, F> Visitor<Watched<Input>> for Each<'_, '_, E, F>
where
    E: FnMut(&mut Ready<'_>, &mut File) -> Result<Document>,
    F: FnMut() -> Result<Watched<Input>>,
{
    type End = End;

    fn visit(&mut self, turn: Turn<'_, Watched<Input>>) -> std::result::Result<Visited, End> {
        let Turn { documents, number, at } = turn;
        let Each { rewriting, source, collecting, kept } = self;
        let name = &*numbered(source, number);
        let secrets = rewriting.secrets;
        let collected = collecting
            .as_mut()
            .map(|collecting| collecting.collect_before(documents, secrets, None));
        match collected.transpose() {
            Ok(collected) => {
                let (input, kept) = (rewriting.input, *kept);
                rewriting.write(Ready { documents, collected, name, input, at, kept })?;
                Ok(Visited::Done)
            }
            Err(error) => {
                rewriting.tally.fail(name, &error);
                match error.kind() {
                    // The rest of a changed file may belong to another document.
                    ErrorKind::Changed => Err(End::Torn),
                    kind => Ok(Visited::Failed(kind)),
                }
            }
        }
    }

    fn note(&mut self, note: Note) {
        say(&format!("{}: {note}", self.source));
    }
}
