//! The input of a view besides the values: the subject of a change, and its paths.

use crate::json::value::Text;
use crate::path::Paths;
use crate::plan::Section;

/// The paths of a change, as its record contains them.
#[derive(Clone, Copy, Debug)]
pub struct ViewPaths<'p> {
    /// The paths that change, sorted.
    pub changed: &'p Paths,
    /// The paths that are unknown until apply, sorted.
    pub unknown: &'p Paths,
    /// The paths that force the replacement of the resource.
    pub replace_paths: &'p Paths,
}

/// The subject of a change: a resource, an output or an action.
#[derive(Clone, Copy, Debug)]
pub enum ViewSubject<'a> {
    /// The output with this name.
    Output(&'a str),
    /// An action. Its configuration takes the place of a change.
    Action,
    /// A resource: the section of the change, and its address if it has one.
    Resource(Section, Option<Text<'a>>),
}
