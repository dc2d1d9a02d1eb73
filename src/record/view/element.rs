//! How an element of a list that goes or comes is shown: as a whole.

use std::collections::HashSet;
use std::sync::Arc;

use crate::path::{Path, Step};

/// How an element of a list is shown as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    /// The keys whose `null` is shown. All other members with `null` are left out. `None` means all
    /// keys.
    pub nulls: Option<Arc<HashSet<String>>>,
    /// The members that are not known yet, with their texts, in the order of the keys.
    pub unknown: Vec<(String, &'static str)>,
}

/// A member of a list element: the index of the element, and the key.
pub(super) type Member = (u32, String);

/// The member of an element at a path. The first `depth` steps lead to the list.
pub(super) fn member(path: Path<'_>, depth: usize) -> Option<Member> {
    match (path.step(depth), path.step(depth + 1)) {
        (Some(Step::Index(index)), Some(Step::Key(key))) if path.steps().len() == depth + 2 => {
            Some((index, key.to_owned()))
        }
        _ => None,
    }
}
