//! Objects side by side: the members of the same key, one key after the other.
//!
//! The tools write keys in order. Then no member is listed, however many there are. The members of
//! an object with keys in another order are sorted ([`Sorted`]).

use std::cmp::Ordering;

use crate::error::Result;
use crate::json::value::{Kind, Members, Sorted, Text, Value};

/// The members of an object in the order of their keys, the next one at hand.
#[derive(Debug)]
pub(crate) struct Ordered<'a> {
    rest: Rest<'a>,
    next: Option<Member<'a>>,
}

type Member<'a> = (Text<'a>, Value<'a>);

#[derive(Debug)]
enum Rest<'a> {
    InPlace(Members<'a>),
    Sorted(Sorted<'a>),
    None,
}

impl<'a> Ordered<'a> {
    /// Those of an object; none where there is no object.
    ///
    /// # Errors
    ///
    /// It is not well formed, or has a key twice.
    pub fn of(object: Option<Value<'a>>) -> Result<Ordered<'a>> {
        let object = object.filter(|object| object.kind().is_ok_and(|kind| kind == Kind::Object));
        let rest = match object {
            None => Rest::None,
            Some(object) if object.has_ordered_keys()? => Rest::InPlace(object.members()?),
            Some(object) => Rest::Sorted(Sorted::of(object)?),
        };
        let mut ordered = Ordered { rest, next: None };
        ordered.pass()?;
        Ok(ordered)
    }

    /// The next member, which stays the next one.
    pub fn next(&self) -> Option<Member<'a>> {
        self.next
    }

    /// Passes the next member.
    ///
    /// # Errors
    ///
    /// The one behind it is not well formed.
    pub fn pass(&mut self) -> Result<()> {
        self.next = match &mut self.rest {
            Rest::InPlace(members) => members.next().transpose()?,
            Rest::Sorted(members) => members.next().transpose()?,
            Rest::None => None,
        };
        Ok(())
    }

    /// Passes the members up to that key, and the one of that key, which is its answer.
    ///
    /// # Errors
    ///
    /// As [`Ordered::pass`].
    pub fn take(&mut self, key: Text<'a>) -> Result<Option<Value<'a>>> {
        self.take_with(|next| Ok(next.compare(key)))
    }

    /// The same, by the decoded text of the key.
    ///
    /// # Errors
    ///
    /// As [`Ordered::pass`].
    pub fn take_named(&mut self, key: &str) -> Result<Option<Value<'a>>> {
        self.take_with(|next| compare(next, key))
    }

    fn take_with(
        &mut self,
        order: impl Fn(Text<'a>) -> Result<Ordering>,
    ) -> Result<Option<Value<'a>>> {
        while let Some((next, value)) = self.next {
            let order = order(next)?;
            if order.is_gt() {
                break;
            }
            self.pass()?;
            if order.is_eq() {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }
}

/// The order of a key and a decoded text.
fn compare(key: Text<'_>, text: &str) -> Result<Ordering> {
    Ok(match key.is_plain() {
        true => key.raw().cmp(text.as_bytes()),
        false => key.decode()?.as_str().cmp(text),
    })
}
