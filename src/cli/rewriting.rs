//! The documents of all inputs, one after the other, rewritten into one output.
//!
//! Where a document is read for its secrets first, one that cannot be read is told before anything
//! of it is written: it is left out, and the others are done. Where it is read once, what was
//! written of it is no document, and nothing may follow it.

use std::fs::File;
use std::path::Path;

use super::args::Plans;
use super::exit::Exit;
use super::inputs::Listed;
use super::output::Output;
use super::progress::{self, Watched};
use super::run::{access, end_of_output, fail, fail_of, say, warn};
use super::stats::Stats;
use crate::batch::Entry;
use crate::batch::reading::{find_next, numbered};
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Input, Rereadable};
use crate::plan::{Document, Documents};
use crate::record::Warning;
use crate::secret::{Collected, Collecting, Options, Takes};

/// How often a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Once.
    Once,
    /// For its secrets first, whatever is taken then.
    Twice(Takes),
}

/// A document that is about to be written.
pub struct Ready<'d> {
    /// Comes to it next.
    pub documents: &'d mut Documents<Watched<Input>>,
    /// Its secrets, where it was read for them.
    pub collected: Option<Collected>,
    /// Its name: the input's, and its number.
    pub name: &'d str,
    /// Which of the inputs it is in.
    pub input: usize,
    /// Where it begins, or text before it does.
    pub at: u64,
    /// What it can be read from again, where it is read twice.
    pub kept: Option<&'d Rereadable>,
}

/// Rewrites all documents of all inputs; `each` writes one. `Err`: not all of what could be written
/// was.
pub fn write_all(
    plans: &Plans,
    listed: &Listed,
    path: Option<&Path>,
    (reading, secrets): (Reading, &Options),
    each: impl FnMut(&mut Ready<'_>, &mut File) -> Result<Document>,
) -> std::result::Result<Exit, Exit> {
    let opened = Output::open(path).and_then(|output| Ok((output.writer()?, output)));
    let (out, output) = opened.map_err(|error| fail(path, &error))?;
    let mut rewriting = Rewriting {
        plans,
        reading,
        secrets,
        out,
        each,
        input: 0,
        done: 0,
        failed: 0,
        stats: Stats::start(),
    };
    for (input, entry) in listed.inputs.entries.iter().enumerate() {
        rewriting.input = input;
        let written = match entry {
            Ok(entry) => rewriting.rewrite(entry),
            Err(unlisted) => {
                rewriting.fail(&unlisted.source, &unlisted.error);
                Ok(())
            }
        };
        written.map_err(|end| match end {
            End::Torn => Exit::Failed,
            End::Output(error) => end_of_output(path, &error, rewriting.failed),
        })?;
    }
    let Rewriting { out, done, failed, stats, .. } = rewriting;
    if done == 0 {
        return Err(Exit::Failed);
    }
    drop(out);
    output.finish().map_err(|error| end_of_output(path, &error, failed))?;
    if plans.stats {
        say(&stats.line());
    }
    Ok(if failed > 0 { Exit::SomeFailed } else { Exit::Done })
}

struct Rewriting<'a, E> {
    plans: &'a Plans,
    reading: Reading,
    secrets: &'a Options,
    out: File,
    each: E,
    /// Which of the inputs is read.
    input: usize,
    done: u64,
    failed: u64,
    stats: Stats,
}

/// Why nothing more is written.
enum End {
    /// A document was written in part, or an input is another now; that was said.
    Torn,
    /// The output takes nothing.
    Output(Error),
}

impl<E: FnMut(&mut Ready<'_>, &mut File) -> Result<Document>> Rewriting<'_, E> {
    fn rewrite(&mut self, entry: &Entry) -> std::result::Result<(), End> {
        let access = access(self.plans, &self.secrets.read);
        let opened = match self.reading {
            Reading::Once => entry.open(&access).map(|input| {
                (Watched::new(input, progress::of_input(self.plans, entry, entry.len)), None)
            }),
            Reading::Twice(takes) => entry.keep(&self.secrets.read.limits).and_then(|kept| {
                let bar = progress::of_input(self.plans, entry, Some(kept.len()));
                let again = kept.clone();
                let open = move || Ok(Watched::new(again.input(&access)?, bar.clone()));
                let first = open()?;
                let collecting = Collecting::new(open, takes);
                // Of plans alone, parts are written.
                let collecting = match takes {
                    Takes::All => collecting.for_redaction(),
                    Takes::Plans => collecting,
                };
                Ok((first, Some((kept, collecting))))
            }),
        };
        let source = entry.source();
        match opened {
            Ok((input, first)) => {
                let (kept, mut collecting) = first.unzip();
                let documents = Documents::new(input, &self.secrets.read);
                self.documents(&source, documents, collecting.as_mut(), kept.as_ref())
            }
            Err(error) => {
                self.fail(&source, &error);
                Ok(())
            }
        }
    }

    fn documents<F: FnMut() -> Result<Watched<Input>>>(
        &mut self,
        source: &str,
        mut documents: Documents<Watched<Input>>,
        mut collecting: Option<&mut Collecting<F, Watched<Input>>>,
        kept: Option<&Rereadable>,
    ) -> std::result::Result<(), End> {
        let mut next = Some(0);
        for number in 1_u64.. {
            let Some(at) = next else { break };
            let name = &*numbered(source, number);
            let collected = collecting
                .as_mut()
                .map(|collecting| collecting.collect_before(&mut documents, self.secrets, None));
            let failed = match collected.transpose() {
                Ok(collected) => {
                    let (documents, input) = (&mut documents, self.input);
                    self.write(Ready { documents, collected, name, input, at, kept })?;
                    None
                }
                Err(error) => {
                    self.fail(name, &error);
                    if error.kind() == ErrorKind::Changed {
                        // What comes of the rest is nothing that ever was an input.
                        return Err(End::Torn);
                    }
                    Some(error.kind())
                }
            };
            let note;
            (next, note) = find_next(&mut documents, number, failed);
            if let Some(note) = note {
                say(&format!("{source}: {note}"));
            }
        }
        Ok(())
    }

    fn write(&mut self, mut ready: Ready<'_>) -> std::result::Result<(), End> {
        match (self.each)(&mut ready, &mut self.out) {
            Ok(document) => {
                warn(self.plans, ready.name, Warning::of_text(&document));
                self.done += 1;
                self.stats.add(document.bytes);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Write => Err(End::Output(error)),
            Err(error) => {
                self.fail(ready.name, &error);
                say(&format!("{}: it was being written: nothing follows it", ready.name));
                Err(End::Torn)
            }
        }
    }

    fn fail(&mut self, source: &str, error: &Error) {
        self.failed += 1;
        fail_of(source, error);
    }
}
