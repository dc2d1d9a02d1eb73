//! Compares lists as sets: finds the elements that are in only one of two lists.
//!
//! A plan writes a set as a list, in an order chosen by the tool. Two elements are equal if their
//! bytes are equal, because the same tool wrote both lists.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use plansift_core::error::Result;
use plansift_core::json::descent::{Descent, walk};
use plansift_core::json::value::{Kind, Value, WalkEvent};

/// Maximum length of a list that is compared, in elements.
pub(super) const ELEMENTS_MAX: usize = 10_000;

/// The result of comparing two lists as sets.
#[derive(Debug, Default)]
pub(super) struct Unmatched<'a> {
    /// The elements of the first list that are not in the second, with their indexes.
    pub removed: Vec<(u32, Value<'a>)>,
    /// The elements of the second list that are not in the first, with their indexes.
    pub added: Vec<(u32, Value<'a>)>,
    /// The common elements, with their indexes in the second list.
    pub shared: Vec<(u32, Value<'a>)>,
}

impl Unmatched<'_> {
    /// Returns the number of elements that are in only one of the lists.
    pub fn len(&self) -> usize {
        self.removed.len() + self.added.len()
    }
}

/// Compares two arrays as sets. Returns `None` if one has more than [`ELEMENTS_MAX`] elements.
///
/// `open` holds the sorted indexes of the elements of `after` that contain unknown values. Such an
/// element equals no element of `before`.
pub(super) fn unmatched<'a>(
    before: Value<'a>,
    after: Value<'a>,
    open: &[Option<u32>],
) -> Result<Option<Unmatched<'a>>> {
    let mut by_bytes: HashMap<&'a [u8], Vec<(u32, Value<'a>)>> = HashMap::new();
    for (index, element) in (0..).zip(before.elements()?) {
        if index as usize == ELEMENTS_MAX {
            return Ok(None);
        }
        let element = element?;
        by_bytes.entry(element.raw()).or_default().push((index, element));
    }
    by_bytes.values_mut().for_each(|same| same.reverse());
    let mut found = Unmatched::default();
    for (index, element) in (0..).zip(after.elements()?) {
        if index as usize == ELEMENTS_MAX {
            return Ok(None);
        }
        let element = element?;
        let is_open = open.binary_search(&Some(index)).is_ok();
        match by_bytes.get_mut(element.raw()).filter(|_| !is_open).and_then(Vec::pop) {
            Some(_) => found.shared.push((index, element)),
            None => found.added.push((index, element)),
        }
    }
    found.removed = by_bytes.into_values().flatten().collect();
    found.removed.sort_by_key(|(index, _)| *index);
    Ok(Some(found))
}

/// Whether a list is not empty and contains only objects and lists.
pub(super) fn has_only_parts(list: Value<'_>) -> Result<bool> {
    let mut elements = list.elements()?.peekable();
    if elements.peek().is_none() {
        return Ok(false);
    }
    for element in elements {
        if !matches!(element?.kind()?, Kind::Object | Kind::Array) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the keys that are shown even if their value is `null`.
///
/// These are the keys with a value other than `null` in at least one removed or added element, and
/// the keys of each object without any other value. If a removed element would look like an added
/// one without the remaining keys, returns all keys.
pub(super) fn shown_nulls(set: &Unmatched<'_>) -> Result<HashSet<String>> {
    let (mut shown, mut hidden) = (HashSet::new(), HashSet::new());
    let mut seen = [HashSet::new(), HashSet::new()];
    for (list, seen) in [&set.removed, &set.added].into_iter().zip(&mut seen) {
        for (_, element) in list {
            let mut key: Option<String> = None;
            let mut open: Vec<Inside> = Vec::new();
            let mut hasher = DefaultHasher::new();
            walk(
                *element,
                |_| Descent::Enter,
                |met| {
                    match met {
                        WalkEvent::Key(next) => key = Some(next.decode()?),
                        WalkEvent::Leaf(_, value) if value.is_null() => {
                            let nulls = open.last_mut().map(|inside| &mut inside.nulls);
                            nulls.into_iter().for_each(|nulls| nulls.extend(key.take()));
                        }
                        WalkEvent::Open(..) | WalkEvent::Leaf(..) => {
                            if let WalkEvent::Leaf(_, value) = met {
                                (&key, value.raw()).hash(&mut hasher);
                            }
                            shown.extend(key.take());
                            open.iter_mut().next_back().into_iter().for_each(|inside| {
                                inside.has_value = true;
                            });
                            if matches!(met, WalkEvent::Open(..)) {
                                open.push(Inside::default());
                            }
                        }
                        WalkEvent::Close(_) => match open.pop() {
                            Some(Inside { nulls, has_value: true }) => hidden.extend(nulls),
                            inside => shown.extend(inside.into_iter().flat_map(|it| it.nulls)),
                        },
                        WalkEvent::Index(_) => {}
                    }
                    Ok(())
                },
            )?;
            seen.insert(hasher.finish());
        }
    }
    if seen[0].intersection(&seen[1]).next().is_some() {
        shown.extend(hidden);
    }
    Ok(shown)
}

/// What an entered object or array contains so far.
#[derive(Default)]
struct Inside {
    /// The keys whose value is `null`.
    nulls: Vec<String>,
    /// True if there is any other value.
    has_value: bool,
}
