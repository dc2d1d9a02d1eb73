//! The members of an object sorted by key, for objects whose keys are not in order.
//!
//! The list stores the position of each member, and parses the member again when it is needed. It
//! takes twelve bytes for each member, and six more during the sort.
//!
//! A trap: another process may change a mapped file at any moment, so two comparisons of the same
//! keys may differ. The sort of the standard library may panic then. The sort of this module ends
//! with some order, and a check of that order finds the change.

use std::cmp::Ordering;

use super::inside::{MemberSpan, Members};
use super::{Text, Value};
use crate::error::{Error, ErrorKind, Result};

/// The members of an object, sorted by their keys.
#[derive(Debug)]
pub(crate) struct Sorted<'a> {
    object: Members<'a>,
    starts: std::vec::IntoIter<MemberStart>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Duplicates {
    Refused,
    Kept,
}

#[derive(Clone, Copy, Debug)]
struct MemberStart {
    /// The first four bytes of the key as a number; 0 for all members if a key has escapes.
    head: u32,
    at: u32,
    container: u32,
}

impl<'a> Sorted<'a> {
    /// Sorts the members of an object. Fails if the value is not an object, is invalid, or has
    /// duplicate keys.
    pub fn of(object: Value<'a>) -> Result<Sorted<'a>> {
        Sorted::with(object, Duplicates::Refused)
    }

    /// Like [`Sorted::of`], but keeps members with one key, in document order.
    pub fn with_duplicates(object: Value<'a>) -> Result<Sorted<'a>> {
        Sorted::with(object, Duplicates::Kept)
    }

    fn with(object: Value<'a>, duplicates: Duplicates) -> Result<Sorted<'a>> {
        let object = object.members()?;
        // Reserves the exact size: a growing `Vec` briefly needs three times its memory.
        let mut starts = Vec::with_capacity(object.clone().count());
        let (mut members, mut is_plain) = (object.clone(), true);
        while let Some(span) = members.peek()? {
            is_plain &= members.key(span).is_plain();
            let (at, container) = span.begin();
            starts.push(MemberStart { head: (members.key_head(span) >> 32) as u32, at, container });
            members.pass(span);
        }
        if !is_plain {
            starts.iter_mut().for_each(|start| start.head = 0);
        }
        let changed = || Error::at(ErrorKind::Changed, object.offset());
        match sort_distinct(&mut starts, |one, two| order(&object, one, two)) {
            Ok(()) => {}
            Err(Disorder::Duplicate(_)) if duplicates == Duplicates::Kept => {}
            Err(Disorder::Duplicate(start)) => {
                let (members, span) = span(&object, start).ok_or_else(changed)?;
                let offset = members.key(span).offset() - 1;
                return Err(Error::at(ErrorKind::DuplicateKey, offset));
            }
            Err(Disorder::Changed) => return Err(changed()),
        }
        Ok(Sorted { object, starts: starts.into_iter() })
    }
}

impl<'a> Iterator for Sorted<'a> {
    type Item = Result<(Text<'a>, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.starts.next()?;
        let member = span(&self.object, start)
            .map(|(members, span)| (members.key(span), members.value(span)))
            .ok_or_else(|| Error::at(ErrorKind::Changed, self.object.offset()));
        Some(member)
    }
}

/// The member at a position; `None` if the text has changed.
fn span<'a>(object: &Members<'a>, start: MemberStart) -> Option<(Members<'a>, MemberSpan)> {
    let members = object.starting_at(start.at, start.container);
    let span = members.peek().ok()??;
    Some((members, span))
}

/// Compares the keys at two positions.
fn order(object: &Members<'_>, one: &MemberStart, two: &MemberStart) -> Ordering {
    one.head.cmp(&two.head).then_with(|| {
        let key =
            |start: &MemberStart| span(object, *start).map(|(members, span)| members.key(span));
        match (key(one), key(two)) {
            (Some(one), Some(two)) => one.compare(two),
            (one, two) => one.is_some().cmp(&two.is_some()),
        }
    })
}

/// Why a list of items cannot be sorted.
#[derive(Debug, PartialEq, Eq)]
enum Disorder<T> {
    /// This item equals the one before it.
    Duplicate(T),
    /// Two comparisons of the same items differed.
    Changed,
}

/// Sorts items, no two of which may be equal.
fn sort_distinct<T: Copy>(
    items: &mut [T],
    order: impl Fn(&T, &T) -> Ordering,
) -> std::result::Result<(), Disorder<T>> {
    let room = if items.len() > SMALL { items.len() / 2 } else { 0 };
    sort(items, &mut Vec::with_capacity(room), &order);
    items.array_windows().try_for_each(|[one, two]| match order(one, two) {
        Ordering::Less => Ok(()),
        Ordering::Equal => Err(Disorder::Duplicate(*two)),
        Ordering::Greater => Err(Disorder::Changed),
    })
}

/// Maximum number of items that are sorted by insertion.
const SMALL: usize = 16;

/// A stable merge sort. Even with an inconsistent `order` it ends and keeps each item.
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
    // The number of items written equals the number taken, so no item of the right half is
    // overwritten before it is taken.
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

    /// Pseudo-random numbers.
    fn numbers(count: usize) -> Vec<u64> {
        let mut state = 1_u64;
        let mut next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 33
        };
        (0..count).map(&mut next).collect()
    }

    #[test]
    fn the_sort_is_correct_and_stable() {
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
    fn a_duplicate_is_an_error() {
        let twice = |mut items: Vec<(u64, char)>| sort_distinct(&mut items, |a, b| a.0.cmp(&b.0));
        assert_eq!(twice(vec![(2, 'a'), (1, 'b'), (3, 'c')]), Ok(()));
        let expected = Err(Disorder::Duplicate((2, 'c')));
        assert_eq!(twice(vec![(2, 'a'), (1, 'b'), (2, 'c'), (0, 'd')]), expected);
    }

    #[test]
    fn an_inconsistent_order_is_an_error_and_no_panic() {
        for count in [2, 3, SMALL, SMALL + 1, 50, 100, 1000, 5000] {
            let chance = numbers(1 << 17);
            for kind in 0..4 {
                let mut items: Vec<usize> = (0..count).collect();
                let asked = Cell::new(0);
                let order = |one: &usize, two: &usize| {
                    asked.set(asked.get() + 1);
                    match kind {
                        // Inconsistent orders: random, every item less than any other, cyclic, and
                        // one that reverses during the sort.
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
