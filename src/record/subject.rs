//! What a view is about: whose change it is, and the paths of the change.

use crate::json::value::Text;
use crate::path::Paths;
use crate::plan::Section;

/// The paths of a change, as its record contains them.
#[derive(Clone, Copy, Debug)]
pub struct Places<'p> {
    /// The paths that change, in order.
    pub changed: &'p Paths,
    /// The paths that are unknown until apply, in order.
    pub unknown: &'p Paths,
    /// The paths that force the replacement of the resource.
    pub replace_paths: &'p Paths,
}

/// The subject of a change.
#[derive(Clone, Copy, Debug)]
pub enum Whose<'a> {
    /// The output with this name.
    Output(&'a str),
    /// An action; the change is its configuration.
    Action,
    /// A resource: the section of the change, and its address if it has one.
    Resource(Section, Option<Text<'a>>),
}
