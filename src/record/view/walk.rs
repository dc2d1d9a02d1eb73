//! A value, step by step. Nothing recurses.

use crate::error::Result;
use crate::json::value::{Elements, Kind, Members, Text, Value};

/// What is met.
#[derive(Clone, Copy, Debug)]
pub enum Met<'a> {
    /// The key of a member, before what it stands for.
    Key(Text<'a>),
    /// The index of an element, before it.
    Index(u32),
    /// An object or array that is entered.
    Open(Kind),
    /// The end of what was entered last.
    Close(Kind),
    /// A value that is not entered.
    Whole(Value<'a>, Kind),
}

/// Whether a value is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Enter,
    Pass,
}

enum Inside<'a> {
    Object(Members<'a>),
    Array(Elements<'a>, u32),
}

/// Tells what is at and below a value, in document order. `entry` is asked of every object and
/// array that has something in it; others are told whole.
///
/// # Errors
///
/// It is not well formed; what `each` says.
pub fn walk<'a>(
    root: Value<'a>,
    entry: impl Fn(Value<'a>) -> Entry,
    mut each: impl FnMut(Met<'a>) -> Result<()>,
) -> Result<()> {
    let mut open: Vec<Inside<'a>> = Vec::new();
    let mut next = Some(root);
    loop {
        if let Some(value) = next.take() {
            let kind = value.kind()?;
            match kind {
                Kind::Object if has_some(value.members()?) && entry(value) == Entry::Enter => {
                    open.push(Inside::Object(value.members()?));
                    each(Met::Open(kind))?;
                }
                Kind::Array if has_some(value.elements()?) && entry(value) == Entry::Enter => {
                    open.push(Inside::Array(value.elements()?, 0));
                    each(Met::Open(kind))?;
                }
                _ => each(Met::Whole(value, kind))?,
            }
        }
        next = match open.last_mut() {
            None => return Ok(()),
            Some(Inside::Object(members)) => match members.next().transpose()? {
                Some((key, value)) => {
                    each(Met::Key(key))?;
                    Some(value)
                }
                None => None,
            },
            Some(Inside::Array(elements, index)) => match elements.next().transpose()? {
                Some(value) => {
                    each(Met::Index(*index))?;
                    *index += 1;
                    Some(value)
                }
                None => None,
            },
        };
        if next.is_none() {
            each(Met::Close(match open.pop() {
                Some(Inside::Object(_)) => Kind::Object,
                _ => Kind::Array,
            }))?;
        }
    }
}

fn has_some<T>(mut list: impl Iterator<Item = T>) -> bool {
    list.next().is_some()
}
