//! Asks assertions of a plan while its records are built.
//!
//! Lookahead workers ask the assertions of the changes that they build rows of. The reading thread
//! appends their tallies in document order.

use std::borrow::Cow;

use super::failed_assertion::{FailedAssertion, Finding};
use crate::assertion::{self, Assertions, Outcome, Run};
use crate::error::Result;
use crate::limits::Limits;
use crate::plan::{Document, Piece, PieceVisitor};

pub(super) use crate::assertion::Tally;

/// Assertions for a plan, and how to mask what their failures quote.
pub struct Questions<'a> {
    /// The assertions.
    pub assertions: &'a Assertions,
    /// Masks the secrets in outcomes. Called once, if a finding quotes the plan.
    pub mask: &'a mut dyn FnMut(&mut [Outcome]) -> Result<()>,
}

/// Asks assertions of the pieces of a plan.
pub(super) struct Asker<'a> {
    assertions: &'a Assertions,
    run: Run<'a>,
}

impl<'a> Asker<'a> {
    pub fn new(Questions { assertions, .. }: &Questions<'a>, limits: &Limits) -> Asker<'a> {
        Asker { assertions, run: Run::new(assertions, limits) }
    }

    /// An asker of the same assertions for another thread, which was asked nothing.
    pub fn fresh(&self, limits: &Limits) -> Asker<'a> {
        Asker { assertions: self.assertions, run: Run::new(self.assertions, limits) }
    }

    /// Asks the assertions of a piece.
    pub fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        self.run.piece(piece).map(drop)
    }

    /// Asks the assertions of a piece, for a tally of its own.
    pub fn piece_into(&mut self, piece: &Piece<'_>, tally: &mut Tally) -> Result<()> {
        std::mem::swap(&mut self.run.tally, tally);
        let asked = self.run.piece(piece).map(drop);
        std::mem::swap(&mut self.run.tally, tally);
        asked
    }

    /// Appends the tally of another thread.
    pub fn append(&mut self, tally: &mut Tally) {
        self.run.tally.append(tally);
    }

    /// Makes room in an empty tally.
    pub fn prepare(&self, tally: &mut Tally) {
        tally.reset(self.assertions.list().len());
    }

    /// The document is a state.
    pub fn note_state(&mut self) {
        self.run.note_state();
    }

    /// Sends the assertions that the plan fails.
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
        let assertion::Finding { place, path, expected, found, .. } = finding.clone();
        Finding { place, path, expected, found }
    }
}
