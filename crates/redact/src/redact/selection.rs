//! Decides which parts of a document stay.

use std::ops::Range;

use plansift_core::error::Result;
use plansift_plan::plan::{Piece, Section, StateKind};

/// Whether a piece of a document stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The piece stays.
    Kept,
    /// The piece is left out.
    Removed(Reason),
}

/// Why a piece is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The change is a no-op.
    NoOp,
    /// The address or type does not match the selection.
    Unwanted,
}

/// Number of pieces that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RemovedPieces {
    /// Pieces left out for [`Reason::NoOp`].
    pub no_ops: u64,
    /// Pieces left out for [`Reason::Unwanted`].
    pub unwanted: u64,
}

impl RemovedPieces {
    pub(super) fn count(&mut self, reason: Reason) {
        match reason {
            Reason::NoOp => self.no_ops += 1,
            Reason::Unwanted => self.unwanted += 1,
        }
    }

    pub(super) fn add(&mut self, other: &RemovedPieces) {
        self.no_ops += other.no_ops;
        self.unwanted += other.unwanted;
    }
}

/// Creates judges, one per thread.
pub type Judges = Box<dyn Fn() -> Judge>;

/// Decides on a lookahead worker whether a resource change stays, like [`Selection::piece`]. A
/// judge makes no cuts in a change that stays.
pub type Judge = Box<dyn FnMut(&Piece<'_>) -> Result<Verdict> + Send>;

/// Selects the parts of a document to write. By default everything stays.
pub trait Selection {
    /// The text to write before and after the document.
    fn around(&self) -> [&'static str; 2] {
        [""; 2]
    }

    /// Whether everything stays, regardless of the document's content.
    fn is_everything(&self) -> bool {
        false
    }

    /// Judges that can decide on resource changes and drift in place of this selection; `None` if
    /// lookahead workers cannot decide.
    fn judges(&self) -> Option<Judges> {
        None
    }

    /// Whether a top-level key stays. `format_version` must stay.
    fn section(&mut self, section: Section, key: &str) -> bool {
        let _ = (section, key);
        true
    }

    /// Decides on a piece. If it stays, adds the ranges to cut from it to `cuts`, in order.
    ///
    /// # Errors
    ///
    /// Fails if the piece does not have the form of its kind.
    fn piece(&mut self, piece: &Piece<'_>, cuts: &mut Vec<Range<u64>>) -> Result<Verdict> {
        let _ = (piece, cuts);
        Ok(Verdict::Kept)
    }

    /// Called if the document is the JSON of a state.
    ///
    /// # Errors
    ///
    /// Fails if the selection does not accept states.
    fn state(&mut self, kind: StateKind) -> Result<()> {
        let _ = kind;
        Ok(())
    }

    /// Returns text to add after the last member of the document. Called at the end of the
    /// document.
    fn missing(&mut self) -> &'static str {
        ""
    }

    /// Called when the document is written, with the number of pieces left out.
    fn add_removed(&mut self, removed: &RemovedPieces) {
        let _ = removed;
    }
}

pub(super) struct Everything;

impl Selection for Everything {
    fn is_everything(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_pieces_are_counted_by_their_reason() {
        let mut removed = RemovedPieces::default();
        for reason in [Reason::NoOp, Reason::Unwanted, Reason::Unwanted] {
            removed.count(reason);
        }
        assert_eq!(removed, RemovedPieces { no_ops: 1, unwanted: 2 });
        removed.add(&RemovedPieces { no_ops: 30, unwanted: 500 });
        assert_eq!(removed, RemovedPieces { no_ops: 31, unwanted: 502 });
    }
}
