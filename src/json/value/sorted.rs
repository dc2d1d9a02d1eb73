//! The members of an object sorted by key, for objects whose keys are not in order.
//!
//! The list stores positions and finds each member again. It takes twelve bytes for each member,
//! about as many as the shortest member has in the document.

use std::cmp::Ordering;

use super::inside::{MemberSpan, Members};
use super::{Text, Value};
use crate::error::{Error, ErrorKind, Result};

/// The members of an object, sorted by their keys.
#[derive(Debug)]
pub(crate) struct Sorted<'a> {
    object: Members<'a>,
    places: std::vec::IntoIter<Place>,
}

/// The position of a member.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The first four bytes of the key as a number; 0 for all members if a key has escapes.
    head: u32,
    at: u32,
    container: u32,
}

impl<'a> Sorted<'a> {
    /// Sorts the members of an object.
    ///
    /// # Errors
    ///
    /// The value is not an object, is invalid, or has duplicate keys.
    pub fn of(object: Value<'a>) -> Result<Sorted<'a>> {
        let object = object.members()?;
        // Reserves the exact size: a growing `Vec` briefly needs three times its memory.
        let mut places = Vec::with_capacity(object.clone().count());
        let (mut members, mut is_plain) = (object.clone(), true);
        while let Some(span) = members.peek()? {
            is_plain &= members.key(span).is_plain();
            let (at, container) = span.begin();
            places.push(Place { head: (members.key_head(span) >> 32) as u32, at, container });
            members.pass(span);
        }
        if !is_plain {
            places.iter_mut().for_each(|place| place.head = 0);
        }
        let order = |one: &Place, two: &Place| order(&object, one, two);
        places.sort_unstable_by(|one, two| order(one, two).then(one.at.cmp(&two.at)));
        if let Some([_, twice]) = places.array_windows().find(|[one, two]| order(one, two).is_eq())
        {
            let offset =
                span(&object, *twice).map_or(0, |(members, span)| members.key(span).offset() - 1);
            return Err(Error::at(ErrorKind::DuplicateKey, offset));
        }
        Ok(Sorted { object, places: places.into_iter() })
    }
}

impl<'a> Iterator for Sorted<'a> {
    type Item = Result<(Text<'a>, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.places.next()?;
        let member = span(&self.object, place)
            .map(|(members, span)| (members.key(span), members.value(span)))
            .ok_or_else(|| Error::at(ErrorKind::Changed, self.object.offset()));
        Some(member)
    }
}

/// The member at a position; `None` if the text has changed.
fn span<'a>(object: &Members<'a>, place: Place) -> Option<(Members<'a>, MemberSpan)> {
    let members = object.starting_at(place.at, place.container);
    let span = members.peek().ok()??;
    Some((members, span))
}

/// Compares the keys at two positions.
fn order(object: &Members<'_>, one: &Place, two: &Place) -> Ordering {
    one.head.cmp(&two.head).then_with(|| {
        let key = |place: &Place| span(object, *place).map(|(members, span)| members.key(span));
        match (key(one), key(two)) {
            (Some(one), Some(two)) => one.compare(two),
            (one, two) => one.is_some().cmp(&two.is_some()),
        }
    })
}
