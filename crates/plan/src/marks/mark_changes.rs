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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::MarkSource;
    use crate::plan::MarkReason;
    use plansift_core::json::detached::Detached;

    /// The change of marks at a path with `[before, after, unknown, old, new]`, where `null` means
    /// that the column is absent.
    fn change(text: &str) -> Option<MarkChange> {
        let mut list = Detached::read(text.as_bytes(), Limits::default()).unwrap();
        let columns = list.value().elements().unwrap().map(|value| value.unwrap());
        let columns: Vec<_> = columns.map(|it| Some(it).filter(|it| !it.is_null())).collect();
        let [before, after, unknown, old, new] = columns[..] else { panic!("{text}") };
        let (by, why) = (MarkSource::Mark, MarkReason::Whole);
        let (sides, overlays) = ([before, after], [old, new]);
        let marked = Marked { sides, unknown, overlays, path: &[], digests: None, by, why };
        MarkComparison::new(&Limits::default()).of(&marked).unwrap()
    }

    #[test]
    fn a_change_adds_or_removes_a_mark_of_a_value_on_both_sides() {
        for (text, expected) in [
            ("[1, 2, null, true, null]", Some(MarkChange::Removed)),
            ("[1, 2, null, null, true]", Some(MarkChange::Added)),
            ("[1, 2, null, null, null]", None),
            ("[1, 2, null, true, true]", None),
            // A side has no value.
            ("[null, 2, null, null, true]", None),
            ("[null, 2, true, null, true]", None),
            ("[1, null, null, true, null]", None),
            ("[1, null, false, true, null]", None),
            ("[1, null, {\"k\": true}, true, null]", None),
            // An unknown value is a value.
            ("[1, null, true, true, null]", Some(MarkChange::Removed)),
            ("[1, null, true, null, true]", Some(MarkChange::Added)),
        ] {
            assert_eq!(change(text), expected, "{text}");
        }
    }

    #[test]
    fn marks_on_everything_in_a_value_are_a_mark_on_the_value() {
        let [one, two] = [r#"{"k": [1, null]}"#, r#"{"k": [1, null], "l": 2}"#];
        for (value, marks, is_partial) in [
            (one, r#"{"k": true}"#, false),
            (one, r#"{"k": [true, false]}"#, false),
            (two, r#"{"k": true}"#, true),
            (two, r#"{"l": true}"#, true),
            (two, r#"{"k": true, "l": true}"#, false),
            ("[1, 2, 3]", "[true, true, false]", true),
            ("[1, 2, 3]", "[true, true, true]", false),
            ("[1, null, true]", "[true, false, true]", false),
        ] {
            let removed = format!("[{value}, {value}, null, true, {marks}]");
            assert_eq!(change(&removed), is_partial.then_some(MarkChange::Removed), "{removed}");
            let added = format!("[{value}, {value}, null, {marks}, true]");
            assert_eq!(change(&added), is_partial.then_some(MarkChange::Added), "{added}");
            // Both overlays mark parts.
            let parts = format!("[{value}, {value}, null, {marks}, {marks}]");
            assert_eq!(change(&parts), None, "{parts}");
        }
    }

    /// Only `true` says that a value is unknown.
    #[test]
    fn an_unknown_part_has_no_mark() {
        let marks = r#"true, {"k": true}"#;
        for (unknown, expected) in [
            (r#"{"l": true}"#, Some(MarkChange::Removed)),
            (r#"{"l": [true, false]}"#, Some(MarkChange::Removed)),
            (r#"{"l": false}"#, None),
            (r#"{"l": "x", "m": 1}"#, None),
            ("[]", None),
        ] {
            let text = format!(r#"[{{"k": 1}}, {{"k": 1}}, {unknown}, {marks}]"#);
            assert_eq!(change(&text), expected, "{text}");
        }
        let text = format!(r#"[{{"k": 1}}, null, true, {marks}]"#);
        assert_eq!(change(&text), Some(MarkChange::Removed));
    }
}
