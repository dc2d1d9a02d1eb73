//! Reads a MessagePack or JSON value as a sequence of events, and writes one of its two forms in
//! plan JSON: the known values, or the tree of unknown values.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::limits::{Limit, Limits};
use crate::wire::json_string::write_string;

#[derive(Debug)]
pub(super) enum ValueEvent<'a> {
    Object,
    Array,
    Key(Cow<'a, [u8]>),
    /// An object or an array ends.
    Close,
    Null,
    Unknown(Shape),
    /// A string, a number or a boolean.
    Leaf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    Array,
    Leaf,
    /// The type is not known.
    Any,
}

/// Yields the events of a value, with keys in ascending order.
pub(super) trait Walk<'a> {
    fn next(&mut self) -> Result<ValueEvent<'a>>;

    /// Appends the last leaf as JSON, if JSON can express it. May stop when `out` is longer than
    /// `max` bytes.
    fn write_leaf(&self, max: usize, out: &mut Vec<u8>) -> Result<()>;

    /// The offset of the value, for errors.
    fn offset(&self) -> u64;

    /// Skips the rest of a value after its first event.
    fn skip(&mut self, first: &ValueEvent<'_>) -> Result<()> {
        let mut depth = usize::from(matches!(first, ValueEvent::Object | ValueEvent::Array));
        while depth > 0 {
            match self.next()? {
                ValueEvent::Object | ValueEvent::Array => depth += 1,
                ValueEvent::Close => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }
}

/// The form in which plan JSON writes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    /// The known values. An unknown member is left out. An unknown element, or a value that is
    /// unknown as a whole, is null.
    Known,
    /// The tree of unknown values: true for an unknown value, and false for any other leaf. Members
    /// that are false are left out.
    Unknown,
}

/// Checks that the JSON text of an element is within [`Limits::change`].
pub(super) fn check_len(out: &[u8], limits: &Limits, offset: u64) -> Result<()> {
    if out.len() as u64 > limits.change {
        return Err(Error::limit(Limit::Change, limits.change, offset));
    }
    Ok(())
}

/// Appends a value in the form `text`.
pub(super) fn write<'a>(
    walk: &mut impl Walk<'a>,
    text: Text,
    limits: &Limits,
    out: &mut Vec<u8>,
) -> Result<()> {
    let max = usize::try_from(limits.change).unwrap_or(usize::MAX);
    // The closing brackets of the open containers.
    let mut closes = Vec::new();
    let mut is_first = true;
    loop {
        check_len(out, limits, walk.offset())?;
        let mut event = walk.next()?;
        if let ValueEvent::Close = event {
            out.extend(closes.pop());
            is_first = false;
        } else {
            let key = match event {
                ValueEvent::Key(key) => {
                    event = walk.next()?;
                    Some(key)
                }
                _ => None,
            };
            let is_omitted = match text {
                Text::Known => matches!(event, ValueEvent::Unknown(_)),
                Text::Unknown => matches!(event, ValueEvent::Null | ValueEvent::Leaf),
            };
            if key.is_some() && is_omitted {
                continue;
            }
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            if let Some(key) = key {
                write_string(&key, out);
                out.push(b':');
            }
            is_first = matches!(event, ValueEvent::Object | ValueEvent::Array);
            match (&event, text) {
                (ValueEvent::Object, _) => {
                    out.push(b'{');
                    closes.push(b'}');
                }
                (ValueEvent::Array, _) => {
                    out.push(b'[');
                    closes.push(b']');
                }
                (ValueEvent::Leaf, Text::Known) => walk.write_leaf(max, out)?,
                (_, Text::Known) => out.extend_from_slice(b"null"),
                (ValueEvent::Unknown(_), Text::Unknown) => out.extend_from_slice(b"true"),
                (_, Text::Unknown) => out.extend_from_slice(b"false"),
            }
        }
        if closes.is_empty() {
            return check_len(out, limits, walk.offset());
        }
    }
}
