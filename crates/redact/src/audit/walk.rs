//! Turns offsets in a piece into paths.
//!
//! The offsets are sorted, and the piece is walked once. A value that contains no offset is skipped
//! in constant time. So a piece with a million hits takes as long as one with a single hit at its
//! end.

use plansift_core::error::Result;
use plansift_core::json::value::{Step, Value, WalkEvent};

/// A finding at an offset of the document: the first byte of a value, or the quote of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Hit {
    pub offset: u64,
    pub what: HitKind,
    /// The number of the secret, or 0 if it is unknown.
    pub number: u32,
}

/// The kind of a hit. Of several hits at one offset, the first in this order is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HitKind {
    /// Suppresses reports at and below this offset.
    Hidden,
    Marked,
    Named,
    Equal,
    Echo,
    /// A string with a document that contains copies.
    Document,
    Key,
    Suspect,
}

impl HitKind {
    /// Whether nothing below is reported.
    fn is_whole(self) -> bool {
        matches!(self, HitKind::Hidden | HitKind::Marked | HitKind::Named)
    }
}

/// Calls `each` with the path to each hit and the value there, or `None` for a key. The hits must
/// be sorted.
pub(super) fn walk<'a>(
    root: Value<'a>,
    hits: &[Hit],
    mut each: impl FnMut(&Hit, &[Step<'a>], Option<Value<'a>>) -> Result<()>,
) -> Result<()> {
    let mut remaining = Remaining(hits);
    let (mut path, mut walk) = (Vec::new(), root.walk());
    while !remaining.0.is_empty()
        && let Some(event) = walk.next().transpose()?
    {
        match event {
            WalkEvent::Key(key) => {
                path.push(Step::Key(key));
                if let Some(hit) = remaining.at(key.offset() - 1) {
                    each(hit, &path, None)?;
                }
            }
            WalkEvent::Index(index) => path.push(Step::Index(index)),
            WalkEvent::Open(_, value) | WalkEvent::Leaf(_, value) => {
                let range = value.range();
                if let Some(hit) = remaining.at(range.start) {
                    each(hit, &path, Some(value))?;
                    if hit.what.is_whole() {
                        remaining.skip_to(range.end);
                    }
                }
                if !remaining.is_before(range.end) || matches!(event, WalkEvent::Leaf(..)) {
                    walk.skip_value();
                    path.pop();
                }
            }
            WalkEvent::Close(_) => {
                path.pop();
            }
        }
        // Skips the value of a key or index that has no hits, before the walk enters it.
        if walk.value().is_some_and(|value| !remaining.is_before(value.range().end)) {
            walk.skip_value();
            path.pop();
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

    /// Whether the next hit is before an offset.
    fn is_before(&self, end: u64) -> bool {
        self.0.first().is_some_and(|hit| hit.offset < end)
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
