//! Aligns two lists of different lengths, so that a report need not show both lists whole.
//!
//! Elements with equal bytes are anchors, as equal lines are in a text (`lines`). Between two
//! anchors, strings are paired in order: each pair is a string that changes in place. All other
//! elements are removed or added. The comparison has the bounds of `lines` and `sets`.

use std::ops::Range;

use super::Listing;
use super::lines::edits;
use super::sets::{ELEMENTS_MAX, Unmatched};
use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Value};

/// Length in bytes from which a string is long. Such a string is shown by the part that changes.
const LONG: usize = 160;

/// Two lists, element by element.
pub(super) struct Aligned<'a> {
    /// The strings that change in place: the index in the second list, and both strings.
    pub pairs: Vec<(u32, [Value<'a>; 2])>,
    /// All other elements.
    pub rest: Unmatched<'a>,
}

/// Aligns two arrays, if that shows them better than a comparison as sets or as whole values: a
/// value in them is hidden, or a long text changes in place. Returns `None` otherwise, and for
/// lists that are too long or have too little in common.
///
/// `open` as in [`unmatched`](super::sets::unmatched).
pub(super) fn aligned<'a>(
    sides: [Value<'a>; 2],
    open: &[Option<u32>],
    listing: &mut Listing<'_, '_>,
) -> Result<Option<Aligned<'a>>> {
    let hides = sides.into_iter().any(|side| listing.renderer.hides_within(side));
    let len = sides[0].raw().len() + sides[1].raw().len();
    if !hides && !sides.into_iter().all(is_long) {
        return Ok(None);
    }
    let Some(room) = listing.sizes.set_room.checked_sub(len) else { return Ok(None) };
    let Some(aligned) = in_order(sides, open)? else { return Ok(None) };
    let has_long_pair = aligned.pairs.iter().any(|(_, pair)| pair.iter().all(|it| is_long(*it)));
    if aligned.rest.len() == 0 || !hides && !has_long_pair {
        return Ok(None);
    }
    listing.sizes.set_room = room;
    Ok(Some(aligned))
}

/// Compares two arrays, found to be different by a comparison as sets. If their common elements are
/// not in the same order, the arrays are no sets, and moved elements are removed and added. Returns
/// `None` if the lists have too little in common.
pub(super) fn set_or_list<'a>(
    set: Unmatched<'a>,
    sides: [Value<'a>; 2],
    open: &[Option<u32>],
) -> Result<Option<Aligned<'a>>> {
    if has_one_order(&set, sides)? {
        return Ok(Some(Aligned { pairs: Vec::new(), rest: set }));
    }
    in_order(sides, open)
}

/// Whether the common elements of two lists are in the same order.
fn has_one_order(set: &Unmatched<'_>, [before, _]: [Value<'_>; 2]) -> Result<bool> {
    let mut removed = set.removed.iter().map(|(index, _)| *index).peekable();
    let mut shared = set.shared.iter();
    for (index, element) in (0..).zip(before.elements()?) {
        let element = element?;
        if removed.next_if_eq(&index).is_none()
            && shared.next().is_none_or(|(_, after)| after.raw() != element.raw())
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Aligns two arrays. Returns `None` if they are too long or have too little in common.
fn in_order<'a>(sides: [Value<'a>; 2], open: &[Option<u32>]) -> Result<Option<Aligned<'a>>> {
    let [Some(before), Some(after)] = [elements(sides[0])?, elements(sides[1])?] else {
        return Ok(None);
    };
    Ok(align(&before, &after, open))
}

/// Whether a text is long, or has several lines.
fn is_long(text: Value<'_>) -> bool {
    text.raw().len() >= LONG || text.raw().windows(2).any(|bytes| bytes == b"\\n")
}

/// Returns the elements of an array. `None` if there are too many.
fn elements(list: Value<'_>) -> Result<Option<Vec<Value<'_>>>> {
    let mut elements = Vec::new();
    for element in list.elements()? {
        if elements.len() == ELEMENTS_MAX {
            return Ok(None);
        }
        elements.push(element?);
    }
    Ok(Some(elements))
}

fn align<'a>(
    before: &[Value<'a>],
    after: &[Value<'a>],
    open: &[Option<u32>],
) -> Option<Aligned<'a>> {
    // An element with an unknown value equals no other element.
    let is_open = |index: u32| open.binary_search(&Some(index)).is_ok();
    let old: Vec<_> = before.iter().map(|element| Some(element.raw())).collect();
    let new = (0..).zip(after).map(|(index, it)| Some(it.raw()).filter(|_| !is_open(index)));
    let new: Vec<_> = new.collect();
    let mut aligned = Aligned { pairs: Vec::new(), rest: Unmatched::default() };
    let Aligned { pairs, rest } = &mut aligned;
    let mut next = 0;
    for edit in edits(&old, &new)? {
        rest.shared.extend(numbered(after, next..edit.after.start));
        next = edit.after.end;
        let mut removed = numbered(before, edit.before);
        for (index, element) in numbered(after, edit.after) {
            let is_text = |it: &Value<'_>| matches!(it.kind(), Ok(Kind::String));
            match removed.next() {
                Some((_, old)) if is_text(&old) && is_text(&element) && !is_open(index) => {
                    pairs.push((index, [old, element]));
                }
                old => {
                    rest.removed.extend(old);
                    rest.added.push((index, element));
                }
            }
        }
        rest.removed.extend(removed);
    }
    rest.shared.extend(numbered(after, next..after.len()));
    Some(aligned)
}

/// Returns a range of elements with their indexes.
fn numbered<'a>(
    elements: &[Value<'a>],
    range: Range<usize>,
) -> impl Iterator<Item = (u32, Value<'a>)> {
    (range.start as u32..).zip(elements[range].iter().copied())
}
