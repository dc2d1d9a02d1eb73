//! The options of [`write_records`](super::write_records).

use std::sync::Arc;

use super::patterns::UnmatchedPatterns;
use crate::plan::{self, Accepts};
use plansift_core::path::Pattern;

/// Which changes become records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Only resources that change, move or are imported, outputs that change, and checks that do
    /// not pass.
    #[default]
    Changes,
    /// Also unchanged resources and outputs, and passed checks.
    All,
}

/// How much of a change the records contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// The actions, and all paths: those that change, are unknown, are sensitive or force a
    /// replacement.
    #[default]
    Paths,
    /// The actions only. Values and overlays are skipped, unless the change has an import.
    /// [`plansift_core::json::Validation`] decides how far skipped JSON is checked.
    Actions,
}

/// Options of [`write_records`](super::write_records).
#[derive(Clone, Debug, Default)]
pub struct RecordOptions {
    /// How to read the plan.
    pub read: plan::PlanOptions,
    /// Which changes to write.
    pub show: Show,
    /// How much of each change to write.
    pub extent: Extent,
    /// Whether elements of `relevant_attributes` become records.
    pub relevant: bool,
    /// Whether states are accepted, too. A state has no records. The sink receives its counts
    /// instead ([`Sink::state`](super::Sink::state)).
    pub accepts: Accepts,
    /// Patterns of paths into the documents in strings, such as `jsondecode(policy).Statement`.
    /// Records of changes then contain the changes in the documents in these strings
    /// ([`ResourceChange::documents`](super::ResourceChange::documents)).
    pub documents: Vec<Pattern>,
    /// Records which patterns of the user match something. All threads share it.
    pub patterns: Option<Arc<UnmatchedPatterns>>,
}
