//! What the maker of records asks of a view: the attributes of changes, and masks for secrets.

use super::{Attributes, MaskText, ViewPaths, ViewSubject};
use crate::marks::steps::PieceMarkedPaths;
use crate::plan::Change;
use plansift_core::error::Result;
use plansift_core::limits::Limits;

/// Decides which attributes of changes the records contain.
pub trait View {
    /// Creates a viewer. Every thread has its own.
    fn viewer(&self, limits: &Limits) -> Box<dyn Viewer + '_>;
}

/// Builds the attributes of changes, one after the other, and recognizes the secrets of the plan.
pub trait Viewer: MaskText + Send {
    /// Whether a string is a secret or contains one.
    fn is_secret(&self, text: &[u8]) -> bool;

    /// Whether a number is a secret.
    fn is_secret_number(&self, number: &[u8]) -> bool;

    /// Whether a key repeats a secret, so that paths show a mask in its place.
    fn hides_key(&self, key: &str) -> bool;

    /// Whether the name of a key makes its values secret.
    fn is_name(&self, key: &str) -> bool;

    /// Returns the sorted paths of the secret values of a change. They are secret by a mark of the
    /// change or of its address, or by the name of a key. No path is below another.
    ///
    /// # Errors
    ///
    /// Fails if the change is malformed or has a key twice, or if the paths exceed a limit.
    fn secret_paths(
        &mut self,
        subject: ViewSubject<'_>,
        change: &Change<'_>,
    ) -> Result<PieceMarkedPaths>;

    /// Whether an output whose change has no overlays counts as declared sensitive.
    fn declares(&self, output: &str) -> bool;

    /// Returns the attributes of a change.
    ///
    /// # Errors
    ///
    /// Fails if the change is malformed or has a key twice.
    fn view(
        &mut self,
        subject: ViewSubject<'_>,
        change: &Change<'_>,
        view_paths: ViewPaths<'_>,
    ) -> Result<Attributes>;
}
