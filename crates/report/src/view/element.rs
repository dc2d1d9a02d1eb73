//! How to show a removed or added list element, which is shown as one value.

use std::collections::HashSet;
use std::sync::Arc;

use super::Listing;
use plansift_core::path::{Path, Paths, Step};
use plansift_plan::marks::MASK;
use plansift_plan::record::UNKNOWN;

/// How to show a list element as one value.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    /// The keys that are shown even if their value is `null`. `None` means all keys.
    pub nulls: Option<Arc<HashSet<String>>>,
    /// The members that are not known yet, sorted by key. Each has the text to show as its value.
    pub unknown: Vec<(String, &'static str)>,
}

/// A member of a list element: the index of the element, and the key.
pub(super) type Member = (u32, String);

/// Returns the member of an element that a path leads to. The first `depth` steps of the path lead
/// to the list.
pub(super) fn member(path: Path<'_>, depth: usize) -> Option<Member> {
    match (path.step(depth), path.step(depth + 1)) {
        (Some(Step::Index(index)), Some(Step::Key(key))) if path.steps().len() == depth + 2 => {
            Some((index, key.to_owned()))
        }
        _ => None,
    }
}

/// Returns the unknown members of the element at `index`, each with the text to show as its value.
/// `members` holds the unknown members of all elements, sorted.
pub(super) fn texts_of(
    members: &[Member],
    path: Path<'_>,
    depth: usize,
    index: u32,
    listing: &Listing<'_, '_>,
) -> Vec<(String, &'static str)> {
    let first = members.partition_point(|member| member.0 < index);
    let of_element = members[first..].iter().take_while(|member| member.0 == index);
    let mut place = Paths::new();
    of_element
        .map(|(_, key)| {
            place.clear();
            place.push(path.steps().take(depth).chain([Step::Index(index), Step::Key(key)]));
            let is_marked = place.get(0).is_some_and(|path| listing.marked.has_above(path));
            (key.clone(), if is_marked { MASK } else { UNKNOWN })
        })
        .collect()
}
