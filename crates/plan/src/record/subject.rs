//! The input of a view besides the values: the subject of a change, and its paths.

use crate::marks::mark_changes::MarkChange;
use crate::plan::Section;
use crate::record::ChangePaths;
use crate::record::Difference;
use plansift_core::json::value::Text;
use plansift_core::path::Path;
use plansift_core::path::Paths;

/// The paths of a change, as its record contains them.
#[derive(Clone, Copy, Debug)]
pub struct ViewPaths<'p> {
    /// The paths that change, sorted.
    pub changed: &'p Paths,
    /// The paths that are unknown until apply, sorted.
    pub unknown: &'p Paths,
    /// The paths that are marked as sensitive only after the change, sorted.
    pub sensitive_added: &'p Paths,
    /// The paths that are marked as sensitive only before the change, sorted.
    pub sensitive_removed: &'p Paths,
    /// The paths that force the replacement of the resource.
    pub replace_paths: &'p Paths,
}

impl<'p> ViewPaths<'p> {
    /// Returns the paths of a change.
    pub(super) fn of(paths: &'p ChangePaths<'_>, replace_paths: &'p Paths) -> ViewPaths<'p> {
        let ChangePaths { changed, unknown, sensitive: _, sensitive_added, sensitive_removed } =
            paths;
        ViewPaths { changed, unknown, sensitive_added, sensitive_removed, replace_paths }
    }

    /// Returns the paths of the attributes: all paths but those that force a replacement. Sorted. A
    /// path occurs once for each list that contains it.
    pub fn shown(&self) -> Paths {
        let ViewPaths { changed, unknown, sensitive_added, sensitive_removed, .. } = self;
        let mut paths = (*changed).clone();
        for list in [unknown, sensitive_added, sensitive_removed] {
            list.iter().for_each(|path| paths.push(path.steps()));
        }
        paths.sort();
        paths
    }

    /// Returns how the change marks or unmarks a path.
    pub fn mark_change(&self, path: Path<'_>) -> Option<MarkChange> {
        let lists = [
            (self.sensitive_removed, MarkChange::Removed),
            (self.sensitive_added, MarkChange::Added),
        ];
        let found = lists.into_iter().find(|(paths, _)| paths.first_below(path) == Some(path));
        found.map(|(_, change)| change)
    }

    /// Returns how the values at a path differ. If they differ, the result is `difference`.
    pub fn difference(&self, path: Path<'_>, difference: Difference) -> Difference {
        // A list whose length changes is a changed path above its elements.
        let differs = self.changed.has_above(path) || self.unknown.has_above(path);
        match self.mark_change(path) {
            Some(_) if !differs => Difference::Mark,
            _ => difference,
        }
    }
}

/// The subject of a change: a resource, an output or an action.
#[derive(Clone, Copy, Debug)]
pub enum ViewSubject<'a> {
    /// An output.
    Output {
        /// The name of the output.
        name: &'a str,
        /// Whether the plan declares the output sensitive, and has no marks for its value.
        is_declared: bool,
    },
    /// An action. Its configuration takes the place of a change.
    Action,
    /// A resource: the section of the change, and its address if it has one.
    Resource(Section, Option<Text<'a>>),
}
