//! Lists whose order means nothing: which elements are on one side only.
//!
//! Sets of a provider are lists in a plan, in an order of its own. Elements are the same if their
//! bytes are: both sides were written by the same hand.

use std::collections::HashMap;

use crate::error::Result;
use crate::json::value::Value;

/// Longest list that is looked at, in elements.
const ELEMENTS_MAX: usize = 10_000;

/// What two lists do not share.
#[derive(Debug, Default)]
pub(super) struct Unmatched<'a> {
    /// The elements of the first one that are not in the second, with their indexes.
    pub removed: Vec<(u32, Value<'a>)>,
    /// The elements of the second one that are not in the first, with their indexes.
    pub added: Vec<(u32, Value<'a>)>,
    /// The elements that they share, with their indexes in the second one.
    pub shared: Vec<(u32, Value<'a>)>,
}

impl Unmatched<'_> {
    /// How many elements are on one side only.
    pub fn len(&self) -> usize {
        self.removed.len() + self.added.len()
    }
}

/// What two arrays do not share; `None`: they are too long. `open`: elements of the second one that
/// are not known as a whole, and so are no others, in order.
///
/// # Errors
///
/// One is no array, or not well formed.
pub(super) fn unmatched<'a>(
    before: Value<'a>,
    after: Value<'a>,
    open: &[Option<u32>],
) -> Result<Option<Unmatched<'a>>> {
    let mut places: HashMap<&'a [u8], Vec<(u32, Value<'a>)>> = HashMap::new();
    for (index, element) in (0..).zip(before.elements()?) {
        if index as usize == ELEMENTS_MAX {
            return Ok(None);
        }
        let element = element?;
        places.entry(element.raw()).or_default().push((index, element));
    }
    places.values_mut().for_each(|same| same.reverse());
    let mut found = Unmatched::default();
    for (index, element) in (0..).zip(after.elements()?) {
        if index as usize == ELEMENTS_MAX {
            return Ok(None);
        }
        let element = element?;
        let is_open = open.binary_search(&Some(index)).is_ok();
        match places.get_mut(element.raw()).filter(|_| !is_open).and_then(Vec::pop) {
            Some(_) => found.shared.push((index, element)),
            None => found.added.push((index, element)),
        }
    }
    found.removed = places.into_values().flatten().collect();
    found.removed.sort_by_key(|(index, _)| *index);
    Ok(Some(found))
}
