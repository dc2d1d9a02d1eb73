//! Checks assertions while the records of a plan are built.
//!
//! A lookahead worker checks the assertions on the changes that it builds rows for. The reading
//! thread appends the results of the workers in document order.

use std::borrow::Cow;

use super::failed_assertion::{FailedAssertion, Finding};
use crate::assertion::{self, Assertions, Outcome, Run};
use crate::error::Result;
use crate::plan::{Document, Piece, Visitor};

pub(super) use crate::assertion::PartialResults;

/// The assertions to check, and a function that masks secrets in their results.
pub struct AssertionRequest<'a> {
    /// The assertions.
    pub assertions: &'a Assertions,
    /// Masks the secrets in outcomes. Called at most once, and only if a finding quotes the plan.
    pub mask: &'a mut dyn FnMut(&mut [Outcome]) -> Result<()>,
}

/// Checks assertions on the pieces of a plan.
pub(super) struct AssertionChecker<'a> {
    assertions: &'a Assertions,
    run: Run<'a>,
}

impl<'a> AssertionChecker<'a> {
    pub fn new(AssertionRequest { assertions, .. }: &AssertionRequest<'a>) -> AssertionChecker<'a> {
        AssertionChecker { assertions, run: Run::new(assertions) }
    }

    /// Creates a checker with the same assertions and no results, for another thread.
    pub fn fresh(&self) -> AssertionChecker<'a> {
        AssertionChecker { assertions: self.assertions, run: Run::new(self.assertions) }
    }

    pub fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        self.run.piece(piece).map(drop)
    }

    /// Checks the assertions on a piece, and adds the results to `results`.
    pub fn piece_into(&mut self, piece: &Piece<'_>, results: &mut PartialResults) -> Result<()> {
        if results.is_empty() {
            results.reset(self.assertions.list().len());
        }
        std::mem::swap(&mut self.run.results, results);
        let checked = self.run.piece(piece).map(drop);
        std::mem::swap(&mut self.run.results, results);
        checked
    }

    /// Appends the results of another thread.
    pub fn append(&mut self, results: &mut PartialResults) {
        self.run.results.append(results);
    }

    /// Records that the document is a state.
    pub fn note_state(&mut self) {
        self.run.note_state();
    }

    /// Passes each failed assertion to `send`.
    pub fn finish(
        self,
        document: &Document,
        mask: &mut dyn FnMut(&mut [Outcome]) -> Result<()>,
        send: &mut dyn FnMut(FailedAssertion<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut outcomes = self.run.finish(document).outcomes;
        if outcomes.iter().any(Outcome::quotes) {
            mask(&mut outcomes)?;
        }
        for (index, (assertion, outcome)) in
            self.assertions.list().iter().zip(&outcomes).enumerate()
        {
            if outcome.holds() {
                continue;
            }
            send(FailedAssertion {
                index,
                name: Cow::Borrowed(&assertion.name),
                file: Cow::Borrowed(&assertion.file),
                line: assertion.line as u64,
                severity: Cow::Borrowed(assertion.severity.word()),
                message: assertion.message.as_deref().map(Cow::Borrowed),
                failed: outcome.failed,
                findings: outcome.findings.iter().map(Finding::from).collect(),
            })?;
        }
        Ok(())
    }
}

impl From<&assertion::Finding> for Finding {
    fn from(finding: &assertion::Finding) -> Finding {
        let assertion::Finding { place, path, expected, found, .. } = finding;
        let [place, path, expected, found] = [place, path, expected, found].map(String::clone);
        Finding { place, path, expected, found }
    }
}
