//! Walks a value in document order, without recursion.

use crate::error::Result;
use crate::json::value::{Elements, Kind, Members, Text, Value};

#[derive(Clone, Copy, Debug)]
pub enum WalkEvent<'a> {
    /// The key of a member, before its value.
    Key(Text<'a>),
    /// The index of an element, before its value.
    Index(u32),
    /// An object or array that is entered, before its contents.
    Open(Value<'a>, Kind),
    /// The end of the innermost entered object or array.
    Close(Kind),
    /// A value that is not entered: a scalar, an empty container, or a container with
    /// [`Descent::Pass`].
    Whole(Value<'a>, Kind),
}

/// Whether to enter an object or array, or to pass it as one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descent {
    Enter,
    Pass,
}

enum Inside<'a> {
    Object(Members<'a>),
    Array(Elements<'a>, u32),
}

/// Calls `each` with the events of a value, in document order. `descent` decides whether to enter
/// an object or array; it is not called for empty ones.
pub fn walk<'a>(
    root: Value<'a>,
    descent: impl Fn(Value<'a>) -> Descent,
    mut each: impl FnMut(WalkEvent<'a>) -> Result<()>,
) -> Result<()> {
    let mut open: Vec<Inside<'a>> = Vec::new();
    let mut next = Some(root);
    loop {
        if let Some(value) = next.take() {
            let kind = value.kind()?;
            match kind {
                Kind::Object if has_some(value.members()?) && descent(value) == Descent::Enter => {
                    open.push(Inside::Object(value.members()?));
                    each(WalkEvent::Open(value, kind))?;
                }
                Kind::Array if has_some(value.elements()?) && descent(value) == Descent::Enter => {
                    open.push(Inside::Array(value.elements()?, 0));
                    each(WalkEvent::Open(value, kind))?;
                }
                _ => each(WalkEvent::Whole(value, kind))?,
            }
        }
        next = match open.last_mut() {
            None => return Ok(()),
            Some(Inside::Object(members)) => match members.next().transpose()? {
                Some((key, value)) => {
                    each(WalkEvent::Key(key))?;
                    Some(value)
                }
                None => None,
            },
            Some(Inside::Array(elements, index)) => match elements.next().transpose()? {
                Some(value) => {
                    each(WalkEvent::Index(*index))?;
                    *index += 1;
                    Some(value)
                }
                None => None,
            },
        };
        if next.is_none() {
            each(WalkEvent::Close(match open.pop() {
                Some(Inside::Object(_)) => Kind::Object,
                _ => Kind::Array,
            }))?;
        }
    }
}

fn has_some<T>(mut list: impl Iterator<Item = T>) -> bool {
    list.next().is_some()
}
