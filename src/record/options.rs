//! The options of [`sift`](super::sift()).

use super::watch::Watch;
use crate::plan::{self, Accepts};

/// Which changes become records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Resources that change, move or are imported, outputs that change, and checks that do not
    /// pass.
    #[default]
    Changes,
    /// Also unchanged resources and outputs, and passed checks.
    All,
}

/// How much of a change the records contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// The actions, and the paths that change, are unknown, are sensitive or force a replacement.
    #[default]
    Paths,
    /// The actions only. Values and overlays are skipped, except for an import; skipped text is
    /// checked as [`crate::json::Validation`] says.
    Actions,
}

/// Options of [`sift`](super::sift()).
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How to read the plan.
    pub read: plan::Options,
    /// Which changes to write.
    pub show: Show,
    /// How much of each change to write.
    pub extent: Extent,
    /// Whether elements of `relevant_attributes` become records.
    pub relevant: bool,
    /// Whether states are read, too. A state has no records: the sink gets what it holds
    /// ([`Sink::state`](super::Sink::state)).
    pub accepts: Accepts,
    /// Records which patterns match something. Static, because all threads use it.
    pub watch: Option<&'static Watch>,
}
