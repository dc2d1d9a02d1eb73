//! Rewrites the documents of all inputs, in order, into one output.
//!
//! With two passes, the first pass detects a damaged document, and the output omits it. With one
//! pass, a part of a damaged document is written before the error is known. The run then stops. It
//! also stops if an element of an array is damaged, because the elements before it are written.

use std::fs::File;
use std::path::Path;

use super::args::{Echo, Plans, SecretArgs};
use super::exit::{Exit, ExitFacts};
use super::held_output::HeldOutput;
use super::inputs::Listed;
use super::messages::{fail, fail_named, say};
use super::output;
use super::reading::read_all;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_fleet::run::{Consumer, DocumentOutcome, Handler, Passes, RunCounts, Turn, Visited};
use plansift_plan::plan::{Document, Flow};
use plansift_plan::record::Label;
use plansift_redact::secret::{Collected, SecretOptions};

/// Returns the passes that a run needs: one pass with `--echo off`, otherwise `passes`.
pub fn passes(secrets: &SecretArgs, passes: Passes) -> Passes {
    match secrets.echo {
        Echo::Off => Passes::One,
        Echo::Equal | Echo::Contains | Echo::Encoded => passes,
    }
}

/// Where rewritten documents go.
#[derive(Clone, Copy)]
pub struct RewritingTarget<'a> {
    /// The file of the output. Without one it is the standard output.
    pub path: Option<&'a Path>,
    /// Whether the output appears only if an audit finds no suspects in it.
    pub is_audited: bool,
}

/// Rewrites all documents of all inputs; `each` writes one document. With two passes, `each` also
/// receives the secrets of the document. If the output was not finished, fails with the exit code
/// of the run.
pub fn write_all(
    plans: &Plans,
    listed: &Listed,
    target: RewritingTarget<'_>,
    passes: Passes,
    secrets: &SecretOptions,
    each: impl FnMut(&mut Turn<'_, '_>, Option<&Collected>, &mut File) -> Result<Document>,
) -> std::result::Result<Exit, Exit> {
    let RewritingTarget { path, is_audited } = target;
    let (mut out, output) = output::open(path)?;
    let mut held = None;
    if is_audited {
        let opened = HeldOutput::new(&output, out).and_then(|held| Ok((held.writer()?, held)));
        let (writer, opened) = opened.map_err(|error| fail(path, &error))?;
        (out, held) = (writer, Some(opened));
    }
    let mut rewriting =
        Rewriting { secrets, out, each, stop: None, sources: is_audited.then(Vec::new) };
    let ending =
        read_all(plans, listed, &secrets.read, Consumer::Documents(passes, &mut rewriting));
    if let Some((reason, source)) = &rewriting.stop {
        let part = match reason {
            StopReason::Changed => None,
            StopReason::OutputEnd => Some("this document"),
            StopReason::InArray => Some("this array"),
        };
        if let Some(part) = part {
            say(&format!(
                "{source}: a part of {part} was written before the error: the output ends"
            ));
        }
        return Err(Exit::Failed);
    }
    let sources = rewriting.sources.unwrap_or_default();
    let RunCounts { done, failed, .. } = ending.counts;
    if let Some(held) = held.as_ref().filter(|_| ending.read.is_ok() && done > 0) {
        let suspects = held.has_suspects(plans, &secrets.read, &sources);
        if suspects.map_err(|error| fail_named("the audit of the output", &error))? {
            say("the audit found these values, so --for-agent wrote nothing");
            let is_broken = Some(true);
            return Err(Exit::of(ExitFacts { done, failed, is_broken, ..ExitFacts::default() }));
        }
    }
    ending.end_at(path, output, move || held.map_or(Ok(()), HeldOutput::release))
}

struct Rewriting<'a, E> {
    secrets: &'a SecretOptions,
    out: File,
    each: E,
    /// The names of the documents that were written, for their audit.
    sources: Option<Vec<String>>,
    /// Why the remaining inputs cannot be rewritten, and the document that failed.
    stop: Option<(StopReason, String)>,
}

/// The reason why the remaining inputs cannot be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StopReason {
    /// An input changed while it was read. Its rest may belong to another document.
    Changed,
    /// A part of a damaged document was written.
    OutputEnd,
    /// An element of an array failed after other elements were written.
    InArray,
}

impl<E> Handler for Rewriting<'_, E>
where
    E: FnMut(&mut Turn<'_, '_>, Option<&Collected>, &mut File) -> Result<Document>,
{
    fn document(&mut self, mut turn: Turn<'_, '_>) -> Result<Visited> {
        let source = turn.label.source;
        let collected = match &mut turn.first {
            Some(first) => {
                let is_inside_array = turn.documents.is_inside_array();
                let collected = first.secrets.collect_before(turn.documents, self.secrets, None);
                Some(collected.inspect_err(|error| {
                    let reason = match error.kind() {
                        ErrorKind::Changed => Some(StopReason::Changed),
                        _ => is_inside_array.then_some(StopReason::InArray),
                    };
                    self.stop = reason.map(|reason| (reason, source.to_owned()));
                })?)
            }
            None => None,
        };
        let written = (self.each)(&mut turn, collected.as_ref(), &mut self.out);
        let document = written.inspect_err(|error| {
            if error.kind() != ErrorKind::Write {
                self.stop = Some((StopReason::OutputEnd, source.to_owned()));
            }
        })?;
        if let Some(sources) = &mut self.sources {
            sources.push(source.to_owned());
        }
        Ok(Visited::Done(DocumentOutcome::from(&document)))
    }

    fn failed(&mut self, _: Label<'_>, _: &Error) -> Result<Flow> {
        Ok(if self.stop.is_some() { Flow::Stop } else { Flow::Continue })
    }
}
