//! Iterates over the members of an object in the order of their keys, so that objects can be
//! merged.
//!
//! Terraform and OpenTofu write keys in order. The members of such an object are read in place,
//! without a list. Unordered members are sorted first ([`Sorted`]).

use std::cmp::Ordering;

use super::{Kind, Members, Sorted, Text, Value};
use crate::error::Result;

/// The members of an object in key order, with one member of lookahead.
#[derive(Debug)]
pub struct Ordered<'a> {
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
    /// The members of an object; empty if the value is absent or not an object. Fails if the object
    /// is malformed, or has a key twice.
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

    /// The members of an object. Members with one key are adjacent, in document order. Fails if the
    /// object is malformed.
    pub fn with_duplicates(object: Value<'a>) -> Result<Ordered<'a>> {
        let rest = match object.has_ordered_keys()? {
            true => Rest::InPlace(object.members()?),
            false => Rest::Sorted(Sorted::with_duplicates(object)?),
        };
        let mut ordered = Ordered { rest, next: None };
        ordered.pass()?;
        Ok(ordered)
    }

    /// Like [`Ordered::take`], but passes all members with the key, and returns the last value.
    pub fn take_last(&mut self, key: Text<'a>) -> Result<Option<Value<'a>>> {
        let mut last = None;
        while let Some(value) = self.take(key)? {
            last = Some(value);
        }
        Ok(last)
    }

    /// Returns the next member without moving past it.
    pub fn next(&self) -> Option<Member<'a>> {
        self.next
    }

    /// Moves past the next member.
    pub fn pass(&mut self) -> Result<()> {
        self.next = match &mut self.rest {
            Rest::InPlace(members) => members.next().transpose()?,
            Rest::Sorted(members) => members.next().transpose()?,
            Rest::None => None,
        };
        Ok(())
    }

    /// Moves past the members up to and including `key`, and returns the value of `key`.
    pub fn take(&mut self, key: Text<'a>) -> Result<Option<Value<'a>>> {
        self.take_with(|next| Ok(next.compare(key)))
    }

    /// Like [`Ordered::take`], for a decoded key.
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

fn compare(key: Text<'_>, text: &str) -> Result<Ordering> {
    Ok(match key.is_plain() {
        true => key.raw().cmp(text.as_bytes()),
        false => key.decode()?.as_str().cmp(text),
    })
}
