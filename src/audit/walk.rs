//! Turns offsets in a piece into paths.
//!
//! The offsets are sorted, and the piece is walked once. Values without any of the offsets are
//! skipped in constant time, so a piece with a million hits takes as long as one with a single hit
//! at its end.

use crate::error::Result;
use crate::json::value::{Elements, Members, Value};
use crate::secret::marks::Step;

/// A finding at an offset of the document: the first byte of a value, or the quote of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    pub offset: u64,
    pub what: What,
    /// The number of the secret, or 0 if it is unknown.
    pub number: u32,
}

/// The kind of a hit. Of several hits at one offset, the first in this order is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// Reports nothing here or below.
    Hidden,
    Marked,
    Named,
    Equal,
    Echo,
    Key,
    Suspect,
}

impl What {
    /// Whether nothing below is reported.
    fn is_whole(self) -> bool {
        matches!(self, What::Hidden | What::Marked | What::Named)
    }
}

enum Open<'a> {
    Object(Members<'a>),
    Array(Elements<'a>, u32),
}

/// Calls `each` with the path to each hit and the value there, or `None` for a key. The hits must
/// be sorted.
///
/// # Errors
///
/// Fails if an entered value is malformed, or if `each` fails.
pub(super) fn walk<'a>(
    root: Value<'a>,
    hits: &[Hit],
    mut each: impl FnMut(&Hit, &[Step<'a>], Option<Value<'a>>) -> Result<()>,
) -> Result<()> {
    let mut remaining = Remaining(hits);
    let mut path = Vec::new();
    let mut open = Vec::new();
    let mut next = Some(root);
    while !remaining.0.is_empty() {
        if let Some(value) = next.take() {
            let range = value.range();
            if let Some(hit) = remaining.at(range.start) {
                each(hit, &path, Some(value))?;
                if hit.what.is_whole() {
                    remaining.skip_to(range.end);
                }
            }
            let is_entered = remaining.0.first().is_some_and(|hit| hit.offset < range.end);
            match value.raw().first() {
                Some(b'{') if is_entered => open.push(Open::Object(value.members()?)),
                Some(b'[') if is_entered => open.push(Open::Array(value.elements()?, 0)),
                _ => {
                    path.pop();
                }
            }
        }
        let below = match open.last_mut() {
            None => return Ok(()),
            Some(Open::Object(members)) => members.next().transpose()?.map(|(key, value)| {
                path.push(Step::Key(key));
                (Some(key.offset() - 1), value)
            }),
            Some(Open::Array(elements, index)) => elements.next().transpose()?.map(|value| {
                path.push(Step::Index(*index));
                *index += 1;
                (None, value)
            }),
        };
        match below {
            Some((key, value)) => {
                if let Some(hit) = key.and_then(|quote| remaining.at(quote)) {
                    each(hit, &path, None)?;
                }
                next = Some(value);
            }
            None => {
                open.pop();
                path.pop();
            }
        }
    }
    Ok(())
}

/// The hits that the walk has not passed yet.
struct Remaining<'h>(&'h [Hit]);

impl<'h> Remaining<'h> {
    /// The first hit at an offset. Drops all hits up to that offset.
    fn at(&mut self, offset: u64) -> Option<&'h Hit> {
        self.skip_to(offset);
        let hit = self.0.first().filter(|hit| hit.offset == offset)?;
        self.skip_to(offset + 1);
        Some(hit)
    }

    /// Drops the hits before an offset.
    fn skip_to(&mut self, end: u64) {
        while let [hit, rest @ ..] = self.0
            && hit.offset < end
        {
            self.0 = rest;
        }
    }
}
