//! Names as patterns compare them.

use std::borrow::Cow;

use crate::marks::ECHO;
use crate::record::viewer::Viewer;
use plansift_core::inert::visible;
use plansift_core::path::{Paths, Step};

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

    /// Returns paths, cut at the paths of secret values. `secret` must be sorted, and none of its
    /// paths may be below another.
    pub fn paths<'p>(self, paths: &'p Paths, secret: Option<&Paths>) -> Cow<'p, Paths> {
        if !self.are_masked() {
            return Cow::Borrowed(paths);
        }
        let mut paths = paths.clone();
        paths.cut_at(secret.unwrap_or(&Paths::new()));
        let mut shown = Paths::new();
        for path in paths.iter() {
            for step in path.steps() {
                let Step::Key(key) = step else {
                    shown.push_step(step);
                    continue;
                };
                shown.push_step(Step::Key(&self.key(key)));
                if self.hides_below(key) {
                    break;
                }
            }
            shown.end();
        }
        Cow::Owned(shown)
    }
}
