//! Paths into a value.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::msgpack;

/// A step of a path into a value. Names and keys are bytes, because a key may not be UTF-8.
///
/// Names sort before indices. A name and a key with the same bytes are equal, and so are all
/// elements of sets.
#[derive(Clone, Debug)]
pub enum Step<'a> {
    /// An attribute, or a nested block type.
    Name(Cow<'a, [u8]>),
    /// An element of a map.
    Key(Cow<'a, [u8]>),
    /// An element of a list.
    Index(i64),
    /// An element of a set, by its value if it is known.
    Element(Option<msgpack::Value<'a>>),
    /// Every element of a list or a map.
    Every,
}

/// A path into a value.
pub type Path = Vec<Step<'static>>;

impl<'a> Step<'a> {
    fn rank(&self) -> u8 {
        match self {
            Step::Name(_) | Step::Key(_) => 0,
            Step::Index(_) => 1,
            Step::Element(_) => 2,
            Step::Every => 3,
        }
    }

    /// Whether the step leads to a member of an object or a map.
    pub fn is_name(&self) -> bool {
        matches!(self, Step::Name(_) | Step::Key(_))
    }

    /// Converts an index or a map key to [`Step::Every`]. Other steps stay unchanged.
    pub fn to_every(&self) -> Step<'a> {
        match self {
            Step::Index(_) | Step::Key(_) => Step::Every,
            step => step.clone(),
        }
    }
}

impl Ord for Step<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Step::Name(a) | Step::Key(a), Step::Name(b) | Step::Key(b)) => a.cmp(b),
            (Step::Index(a), Step::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Step<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Step<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Step<'_> {}
