//! Rewrites the documents of all inputs, in order, into one output.
//!
//! With two passes, the first pass detects a damaged document, and the output omits it. With one
//! pass, a part of a damaged document is written before the error is known. The run then stops. It
//! also stops if an element of an array is damaged, because the elements before it are written.

use std::fs::File;
use std::path::Path;

use super::args::{Echo, Plans, SecretArgs};
use super::documents::{Passes, Ready, Work, read_all};
use super::ending::Ending;
use super::exit::Exit;
use super::inputs::Listed;
use super::messages::say;
use super::output;
use super::run_counts::RunCounts;
use crate::batch::documents::Visited;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::Document;
use crate::record::Label;
use crate::secret::{Collected, SecretOptions};

/// Returns the passes that a run needs: one pass with `--echo off`, otherwise `passes`.
pub fn passes(secrets: &SecretArgs, passes: Passes) -> Passes {
    match secrets.echo {
        Echo::Off => Passes::One,
        Echo::Equal | Echo::Contains => passes,
    }
}

/// Rewrites all documents of all inputs; `each` writes one document. With two passes, `each` also
/// receives the secrets of the document. If the output was not finished, fails with the exit code
/// of the run.
pub fn write_all(
    plans: &Plans,
    listed: &Listed,
    path: Option<&Path>,
    (passes, secrets): (Passes, &SecretOptions),
    each: impl FnMut(&mut Ready<'_>, Option<&Collected>, &mut File) -> Result<Document>,
) -> std::result::Result<Exit, Exit> {
    let (out, output) = output::open(path)?;
    let mut counts = RunCounts::new();
    let mut rewriting = Rewriting { plans, secrets, out, each, stop_reason: StopReason::Not };
    let read = read_all(listed, plans, (&secrets.read, passes), &mut counts, &mut rewriting);
    if rewriting.stop_reason != StopReason::Not {
        return Err(Exit::Failed);
    }
    Ending::new(plans, &counts).end_at(path, read, output, move || {
        drop(rewriting);
        Ok(())
    })
}

struct Rewriting<'a, E> {
    plans: &'a Plans,
    secrets: &'a SecretOptions,
    out: File,
    each: E,
    stop_reason: StopReason,
}

/// The reason why the remaining inputs cannot be rewritten, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StopReason {
    Not,
    /// An input changed while it was read. Its rest may belong to another document.
    Changed,
    /// A part of a damaged document was written.
    Written,
    /// An element of an array failed after other elements were written.
    InArray,
}

impl<E> Work for Rewriting<'_, E>
where
    E: FnMut(&mut Ready<'_>, Option<&Collected>, &mut File) -> Result<Document>,
{
    fn read(&mut self, mut ready: Ready<'_>, counts: &mut RunCounts) -> Result<Visited> {
        let collected = match &mut ready.first {
            Some((collecting, _)) => {
                let is_inside_array = ready.documents.is_inside_array();
                let collected = collecting.collect_before(ready.documents, self.secrets, None);
                Some(collected.inspect_err(|error| {
                    if error.kind() == ErrorKind::Changed {
                        self.stop_reason = StopReason::Changed;
                    } else if is_inside_array {
                        self.stop_reason = StopReason::InArray;
                    }
                })?)
            }
            None => None,
        };
        let written = (self.each)(&mut ready, collected.as_ref(), &mut self.out);
        let document = written.inspect_err(|error| {
            if error.kind() != ErrorKind::Write {
                self.stop_reason = StopReason::Written;
            }
        })?;
        Ok(counts.read(self.plans, ready.label.source, &document))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error, counts: &mut RunCounts) -> Result<()> {
        counts.fail(label.source, error);
        let part = match self.stop_reason {
            StopReason::Not => return Ok(()),
            StopReason::Changed => return Err(Error::new(ErrorKind::Stopped)),
            StopReason::Written => "this document",
            StopReason::InArray => "this array",
        };
        say(&format!(
            "{}: a part of {part} was written before the error: the output ends",
            label.source
        ));
        Err(Error::new(ErrorKind::Stopped))
    }
}
