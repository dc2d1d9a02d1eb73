//! The members of an object in the order of their keys, where the document has another order.
//!
//! A member is found again by its position. So the list takes twelve bytes for each member, which
//! is about as long as the shortest one is in the document, and while it is sorted six more.
//!
//! The trap: another process may change a mapped file at any moment, so two comparisons of the same
//! keys may differ. The sort of the standard library may panic then. The sort of this module ends
//! with some order, and a check of that order finds the change.

use std::cmp::Ordering;

use super::inside::{Members, Spot};
use super::{Text, Value};
use crate::error::{Error, ErrorKind, Result};

/// The members of an object, sorted by their keys.
#[derive(Debug)]
pub(crate) struct Sorted<'a> {
    object: Members<'a>,
    places: std::vec::IntoIter<Place>,
}

/// A member, by where it begins.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first four bytes of the key as a number; 0 in an object that has an escape in a key.
    head: u32,
    at: u32,
    container: u32,
}

impl<'a> Sorted<'a> {
    /// Sorts the members of an object.
    ///
    /// # Errors
    ///
    /// The value is no object, is not well formed, or has a key twice.
    pub fn of(object: Value<'a>) -> Result<Sorted<'a>> {
        let object = object.members()?;
        // Reserved exactly: a list that doubles takes three times its memory for a moment.
        let mut places = Vec::with_capacity(object.clone().count());
        let (mut members, mut is_plain) = (object.clone(), true);
        while let Some(spot) = members.look()? {
            is_plain &= members.key(spot).is_plain();
            let (at, container) = spot.begin();
            places.push(Place { head: (members.key_head(spot) >> 32) as u32, at, container });
            members.pass(spot);
        }
        if !is_plain {
            places.iter_mut().for_each(|place| place.head = 0);
        }
        let changed = || Error::at(ErrorKind::Changed, object.offset());
        match sort_distinct(&mut places, |one, two| order(&object, one, two)) {
            Ok(()) => {}
            Err(Disorder::Twice(place)) => {
                let (members, spot) = spot(&object, place).ok_or_else(changed)?;
                let offset = members.key(spot).offset() - 1;
                return Err(Error::at(ErrorKind::DuplicateKey, offset));
            }
            Err(Disorder::Changed) => return Err(changed()),
        }
        Ok(Sorted { object, places: places.into_iter() })
    }
}

impl<'a> Iterator for Sorted<'a> {
    type Item = Result<(Text<'a>, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.places.next()?;
        let member = spot(&self.object, place)
            .map(|(members, spot)| (members.key(spot), members.value(spot)))
            .ok_or_else(|| Error::at(ErrorKind::Changed, self.object.offset()));
        Some(member)
    }
}

/// The member at a place; `None`: the text is another one now.
fn spot<'a>(object: &Members<'a>, place: Place) -> Option<(Members<'a>, Spot)> {
    let members = object.starting_at(place.at, place.container);
    let spot = members.look().ok()??;
    Some((members, spot))
}

/// The order of the keys at two places.
fn order(object: &Members<'_>, one: &Place, two: &Place) -> Ordering {
    one.head.cmp(&two.head).then_with(|| {
        let key = |place: &Place| spot(object, *place).map(|(members, spot)| members.key(spot));
        match (key(one), key(two)) {
            (Some(one), Some(two)) => one.compare(two),
            (one, two) => one.is_some().cmp(&two.is_some()),
        }
    })
}

/// Why items are not sorted.
#[derive(Debug, PartialEq, Eq)]
enum Disorder<T> {
    /// This one equals the one before it.
    Twice(T),
    /// Their order changed meanwhile.
    Changed,
}

/// Sorts items that are all different.
fn sort_distinct<T: Copy>(
    items: &mut [T],
    order: impl Fn(&T, &T) -> Ordering,
) -> std::result::Result<(), Disorder<T>> {
    let room = if items.len() > SMALL { items.len() / 2 } else { 0 };
    sort(items, &mut Vec::with_capacity(room), &order);
    items.array_windows().try_for_each(|[one, two]| match order(one, two) {
        Ordering::Less => Ok(()),
        Ordering::Equal => Err(Disorder::Twice(*two)),
        Ordering::Greater => Err(Disorder::Changed),
    })
}

/// So few items are sorted by insertion.
const SMALL: usize = 16;

/// A stable merge sort. Whatever `order` says, it ends, and each item is there once.
fn sort<T: Copy>(items: &mut [T], left: &mut Vec<T>, order: &impl Fn(&T, &T) -> Ordering) {
    if items.len() <= SMALL {
        return insert(items, order);
    }
    let middle = items.len() / 2;
    sort(&mut items[..middle], left, order);
    sort(&mut items[middle..], left, order);
    if order(&items[middle - 1], &items[middle]).is_le() {
        return;
    }
    if order(&items[items.len() - 1], &items[0]).is_lt() {
        return items.rotate_left(middle);
    }
    left.clear();
    left.extend_from_slice(&items[..middle]);
    // As many items are written as were taken, so what is taken of the right half is not written
    // over before.
    let (mut taken, mut right) = (0, middle);
    while let Some(first) = left.get(taken) {
        let to = taken + right - middle;
        match items.get(right) {
            Some(second) if order(second, first).is_lt() => {
                items[to] = *second;
                right += 1;
            }
            _ => {
                items[to] = *first;
                taken += 1;
            }
        }
    }
}

fn insert<T: Copy>(items: &mut [T], order: &impl Fn(&T, &T) -> Ordering) {
    for end in 1..items.len() {
        let item = items[end];
        let before = items[..end].iter().rposition(|other| order(other, &item).is_le());
        let to = before.map_or(0, |before| before + 1);
        items.copy_within(to..end, to + 1);
        items[to] = item;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Numbers that look like chance.
    fn numbers(count: usize) -> Vec<u64> {
        let mut state = 1_u64;
        let mut next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 33
        };
        (0..count).map(&mut next).collect()
    }

    #[test]
    fn items_are_sorted_and_keep_their_order_where_they_are_alike() {
        for count in (0..70).chain([1000, 1023, 1025]) {
            let chance = numbers(count);
            let up: Vec<u64> = (0..count as u64).collect();
            let down = up.iter().rev().copied().collect();
            for numbers in [chance, up, down] {
                for alike in [1, 7, u64::MAX] {
                    let numbers = numbers.iter().map(|it| it % alike);
                    let mut items: Vec<(u64, usize)> = numbers.zip(0..).collect();
                    let mut expected = items.clone();
                    expected.sort();
                    sort(&mut items, &mut Vec::new(), &|a, b| a.0.cmp(&b.0));
                    assert_eq!(items, expected);
                }
            }
        }
    }

    #[test]
    fn what_is_there_twice_is_told() {
        let twice = |mut items: Vec<(u64, char)>| sort_distinct(&mut items, |a, b| a.0.cmp(&b.0));
        assert_eq!(twice(vec![(2, 'a'), (1, 'b'), (3, 'c')]), Ok(()));
        let expected = Err(Disorder::Twice((2, 'c')));
        assert_eq!(twice(vec![(2, 'a'), (1, 'b'), (2, 'c'), (0, 'd')]), expected);
    }

    #[test]
    fn an_order_that_changes_is_no_panic_but_an_error() {
        for count in [2, 3, SMALL, SMALL + 1, 50, 100, 1000, 5000] {
            let chance = numbers(1 << 17);
            for kind in 0..4 {
                let mut items: Vec<usize> = (0..count).collect();
                let asked = Cell::new(0);
                let order = |one: &usize, two: &usize| {
                    asked.set(asked.get() + 1);
                    match kind {
                        // By chance, each less than all others, in a circle, turned round once.
                        0 => chance[asked.get() % chance.len()].cmp(&(1 << 30)),
                        1 => Ordering::Less,
                        2 => ((two + count - one) % count).cmp(&(count / 2)),
                        _ if asked.get() < count => one.cmp(two),
                        _ => two.cmp(one),
                    }
                };
                let sorted = sort_distinct(&mut items, order);
                assert!(kind != 3 || sorted == Err(Disorder::Changed), "{count}: {sorted:?}");
                items.sort_unstable();
                assert!(items.into_iter().eq(0..count), "{count} {kind}");
            }
        }
    }
}
