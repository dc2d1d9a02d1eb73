//! The turn of one document: what a handler gets, and what it returns.

use std::borrow::Cow;

use super::counts::{DocumentOutcome, Remark};
use super::opening::{FirstPass, RunSource};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::Source;
use plansift_plan::plan::{Documents, Flow, NextDocument};
use plansift_plan::record::Label;

/// A document that is about to be read.
pub struct Turn<'t, 'r> {
    /// The name of the document.
    pub label: Label<'t>,
    /// The reader, at the start of the document.
    pub documents: &'t mut Documents<RunSource<'r>>,
    /// The offset of the document, or of text before it.
    pub at: u64,
    /// The first pass over the input; `None` if the run has one pass.
    pub first: Option<&'t mut FirstPass<'r>>,
}

/// Processes the documents of a run for one command.
pub trait Handler {
    /// Reads one document.
    ///
    /// # Errors
    ///
    /// Fails if the document fails. An error of the output or a stop ends the run. Any other error
    /// fails only this document.
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited>;

    /// Called when a document or an input has failed, before the run reports the error.
    /// [`Flow::Stop`] ends the run after the report.
    ///
    /// # Errors
    ///
    /// Fails if the run must end at once, because the output failed.
    fn failed(&mut self, _label: Label<'_>, _error: &Error) -> Result<Flow> {
        Ok(Flow::Continue)
    }
}

/// The result of a turn.
#[derive(Debug)]
pub enum Visited {
    /// The document was read to its end.
    Done(DocumentOutcome),
    /// The document was read to its end, but the command cannot use it. The text says why.
    Refused(String),
    /// The handler takes no more documents of this input, and has not read this one.
    Enough,
}

/// Whether an error ends the run. Any other error only fails the document.
pub(super) fn ends_run(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Write | ErrorKind::Stopped)
}

/// Finds the start of the next document. `failed` is the error of document `number`, if it failed.
pub(super) fn find_next<S: Source>(
    documents: &mut Documents<S>,
    number: u64,
    failed: Option<ErrorKind>,
) -> (Option<u64>, Option<Remark>) {
    match (documents.find_next(), failed) {
        (NextDocument::Document(at), Some(_)) => (Some(at), Some(Remark::GoesOn(at))),
        (NextDocument::Document(at), None) => (Some(at), None),
        (NextDocument::Unknown { seems_more }, Some(error)) if error != ErrorKind::Truncated => {
            // A single document needs no remark: its error says enough.
            let is_one_of_several = number > 1 || seems_more;
            (None, is_one_of_several.then_some(Remark::Lost(number)))
        }
        _ => (None, None),
    }
}

/// The names of one document: those of its input. From the second document on, `#` and the number
/// follow.
pub(super) struct Numbered<'n> {
    source: Cow<'n, str>,
    workspace: Option<Cow<'n, str>>,
}

impl<'n> Numbered<'n> {
    pub(super) fn new(input: Label<'n>, number: u64) -> Numbered<'n> {
        let numbered = |name: &'n str| match number {
            1 => Cow::Borrowed(name),
            _ => Cow::Owned(format!("{name}#{number}")),
        };
        Numbered { source: numbered(input.source), workspace: input.workspace.map(numbered) }
    }

    pub(super) fn label(&self) -> Label<'_> {
        Label { source: &self.source, workspace: self.workspace.as_deref() }
    }
}
