//! Checks the pieces of a plan while its records are made.
//!
//! A lookahead worker checks the changes that it builds rows for. The reading thread appends the
//! checkers of the workers in document order.

use super::FailedAssertion;
use crate::plan::{Document, Flow, Piece, Visitor};
use plansift_core::error::Result;

/// Checks the pieces of a part of a plan, and keeps the results.
pub trait PieceChecker: Visitor + Send {
    /// Whether the run skips a piece: it makes no record of the piece, and does not check it.
    /// Called before the piece is parsed.
    fn skips(&mut self, _: &Piece<'_>) -> bool {
        false
    }

    /// Creates a checker without results, for another part of the plan.
    fn fresh(&self) -> Self;

    /// Adds the results for the next part of the plan.
    fn append(&mut self, next: Self);

    /// The memory of the results, in bytes.
    fn size(&self) -> u64;
}

/// A check of the pieces of a plan.
pub struct CheckRequest<'a, C> {
    /// The checker for the whole plan.
    pub checker: C,
    /// Returns the failed assertions, with secrets masked. Called at the end of the plan.
    pub failed: &'a mut dyn FnMut(C, &Document) -> Result<Vec<FailedAssertion<'a>>>,
}

/// The checker of a request without a check. This type has no values.
#[derive(Debug)]
pub enum NoChecker {}

impl Visitor for NoChecker {
    fn piece(&mut self, _: &Piece<'_>) -> Result<Flow> {
        match *self {}
    }
}

impl PieceChecker for NoChecker {
    fn fresh(&self) -> NoChecker {
        match *self {}
    }

    fn append(&mut self, _: NoChecker) {
        match *self {}
    }

    fn size(&self) -> u64 {
        match *self {}
    }
}
