//! Finds the marks that a change adds or removes (docs/format/records.md, section 9).

use super::subject::Subject;
use super::walk::{Marked, Marks};
use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Value, WalkEvent};
use plansift_core::limits::Limits;

/// How a change marks or unmarks a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarkChange {
    /// The path is marked only after the change.
    Added,
    /// The path is marked only before the change.
    Removed,
}

/// Compares the marks of both sides at marked paths.
#[derive(Debug)]
pub struct MarkComparison {
    /// Finds the marks inside a value.
    inside: Marks,
}

impl MarkComparison {
    /// Creates a comparison for values within these limits.
    pub fn new(limits: &Limits) -> MarkComparison {
        MarkComparison { inside: Marks::new(None, limits) }
    }

    /// Returns how the change of a marked path changes its marks. Returns `None` if a side has no
    /// value there, or if both sides have the same marks. An unknown value is a value.
    ///
    /// # Errors
    ///
    /// Fails if a value or an overlay is malformed.
    pub fn of(&mut self, marked: &Marked<'_, '_>) -> Result<Option<MarkChange>> {
        let [before, after] = marked.sides;
        let is_unknown = marked.unknown.is_some_and(Value::is_true);
        if before.is_none() || (after.is_none() && !is_unknown) {
            return Ok(None);
        }
        let (old, new) = match marked.overlays {
            [Some(_), None] => return Ok(Some(MarkChange::Removed)),
            [None, Some(_)] => return Ok(Some(MarkChange::Added)),
            [Some(old), Some(new)] => (old, new),
            [None, None] => return Ok(None),
        };
        Ok(match (old.kind()?.is_mark(), new.kind()?.is_mark()) {
            (true, false) => {
                // A mark on everything inside the value is a mark on the value.
                let is_partial = self.is_partial(after, new)? || has_unknown(marked.unknown)?;
                is_partial.then_some(MarkChange::Removed)
            }
            (false, true) => self.is_partial(before, old)?.then_some(MarkChange::Added),
            _ => None,
        })
    }

    /// Whether an overlay leaves a scalar other than `null` in a value unmarked.
    fn is_partial(&mut self, value: Option<Value<'_>>, overlay: Value<'_>) -> Result<bool> {
        let Some(value) = value else { return Ok(true) };
        let mut marked = 0;
        self.inside.find(Subject::of_value(Some(value), Some(overlay)), |found| {
            for side in found.sides.into_iter().flatten() {
                marked += scalars(side)?;
            }
            Ok(())
        })?;
        Ok(marked < scalars(value)?)
    }
}

/// Counts the scalars other than `null` at and below a value.
fn scalars(value: Value<'_>) -> Result<u64> {
    let mut count = 0;
    for event in value.walk() {
        count += u64::from(matches!(event?, WalkEvent::Leaf(kind, _) if kind != Kind::Null));
    }
    Ok(count)
}

/// Whether an overlay of unknown values contains a `true`. Only `true` says that a value is
/// unknown, unlike in an overlay of sensitive values ([`Kind::is_mark`]).
fn has_unknown(overlay: Option<Value<'_>>) -> Result<bool> {
    let mut has_unknown = false;
    for event in overlay.into_iter().flat_map(Value::walk) {
        has_unknown |= matches!(event?, WalkEvent::Leaf(Kind::True, _));
    }
    Ok(has_unknown)
}
