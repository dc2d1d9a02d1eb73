//! Names as patterns compare them.

use std::borrow::Cow;

use crate::marks::ECHO;
use crate::record::viewer::Viewer;
use plansift_core::inert::visible;
use plansift_core::path::{Path, Paths, Step};

/// Returns names as the document has them, or as a viewer shows them. A reader who sees only shown
/// names must not learn from a pattern what a masked name is.
#[derive(Clone, Copy)]
pub(super) struct Shown<'v>(pub Option<&'v (dyn Viewer + 'v)>);

impl Shown<'_> {
    /// Whether the names are those that a viewer shows.
    pub fn are_masked(self) -> bool {
        self.0.is_some()
    }

    /// Returns an address, a type or another name.
    pub fn name(self, name: String) -> String {
        match self.0 {
            None => name,
            Some(viewer) => visible(&viewer.mask(name)),
        }
    }

    /// Returns a key of a path.
    pub fn key<'k>(self, key: &'k str) -> Cow<'k, str> {
        match self.0 {
            None => Cow::Borrowed(key),
            Some(viewer) if viewer.hides_key(key) => Cow::Borrowed(ECHO),
            Some(_) => Cow::Owned(visible(key)),
        }
    }

    /// Whether the viewer hides everything below a key because of its name.
    pub fn hides_below(self, key: &str) -> bool {
        self.0.is_some_and(|viewer| viewer.is_name(key))
    }

    /// Returns the text of a path.
    pub fn path(self, path: Path<'_>) -> String {
        if !self.are_masked() {
            return path.to_string();
        }
        let mut shown = Paths::new();
        for step in path.steps() {
            match step {
                Step::Key(key) => shown.push_step(Step::Key(&self.key(key))),
                step => shown.push_step(step),
            }
        }
        shown.end();
        shown.iter().map(|path| path.to_string()).collect()
    }
}
