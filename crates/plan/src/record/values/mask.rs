//! What the reader of values asks of a mask.

use super::SelectedPath;
use crate::plan::Piece;
use crate::record::MaskText;
use plansift_core::error::Result;
use plansift_core::json::value::Value;

/// Writes the values of pieces as compact JSON with secrets masked, one piece after the other.
pub trait MaskValues: MaskText {
    /// Starts a piece: finds its marked values. Returns whether the whole value of the piece is
    /// secret.
    ///
    /// # Errors
    ///
    /// Fails if the piece is malformed or has a key twice, or has too many marked places.
    fn begin(&mut self, piece: &Piece<'_>) -> Result<bool>;

    /// Appends the value at a path below `root`, a value of the current piece. Returns `false` if
    /// there is no such value. A string without a document in the syntax of the path has no value
    /// in it.
    ///
    /// # Errors
    ///
    /// Fails if the value is malformed.
    fn push_at(
        &mut self,
        root: Value<'_>,
        path: SelectedPath<'_>,
        json: &mut String,
    ) -> Result<bool>;

    /// Appends a value of the current piece.
    ///
    /// # Errors
    ///
    /// Fails if the value is malformed.
    fn push(&mut self, value: Value<'_>, json: &mut String) -> Result<()>;
}
