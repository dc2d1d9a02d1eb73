//! Joins the members of up to three objects by key. Used if the keys of an object are not in order.

use std::iter::Peekable;

use plansift_core::error::Result;
use plansift_core::json::value::{Sorted, Text, Value};

/// A key, and its values in the objects.
pub(super) struct Member<'a> {
    pub key: Text<'a>,
    /// The member's values in `before`, `after` and `after_unknown`.
    pub sides: [Option<Value<'a>>; 3],
}

/// The members of three objects, in the order of their keys.
pub(super) struct Joined<'a>([Option<Peekable<Sorted<'a>>>; 3]);

impl<'a> Joined<'a> {
    /// Sorts the members of the objects. Fails if an object is malformed or has a key twice.
    pub fn of(objects: [Option<Value<'a>>; 3]) -> Result<Joined<'a>> {
        let sorted = |object: Option<Value<'a>>| {
            object.map(|object| Sorted::of(object).map(Iterator::peekable)).transpose()
        };
        let [before, after, unknown] = objects.map(sorted);
        Ok(Joined([before?, after?, unknown?]))
    }

    /// Returns the next member. Fails if the input was modified after the objects were sorted.
    pub fn next(&mut self) -> Result<Option<Member<'a>>> {
        let mut least: Option<Text<'a>> = None;
        for members in self.0.iter_mut().flatten() {
            if let Some(broken) = members.next_if(Result::is_err) {
                return broken.map(|_| None);
            }
            if let Some(Ok((key, _))) = members.peek()
                && least.is_none_or(|least| key.compare(least).is_lt())
            {
                least = Some(*key);
            }
        }
        let Some(key) = least else { return Ok(None) };
        let mut sides = [None; 3];
        for (side, members) in sides.iter_mut().zip(&mut self.0) {
            let next = members.as_mut().and_then(|members| {
                members.next_if(|next| next.as_ref().is_ok_and(|next| next.0.compare(key).is_eq()))
            });
            *side = next.transpose()?.map(|(_, value)| value);
        }
        Ok(Some(Member { key, sides }))
    }
}
