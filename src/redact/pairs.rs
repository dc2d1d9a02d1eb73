//! Scalars that stand at the same place of `before` and `after` and are not the same.
//!
//! Two texts that are masked look alike; where they were not, the mask has to say so, or a change
//! would be lost.

use crate::error::Result;
use crate::json::number;
use crate::json::value::{Kind, Value};
use crate::secret::marks::sorted;

/// The offsets of those of `after`, in order.
///
/// # Errors
///
/// A value is not well formed, or has a key twice.
pub(super) fn changed_scalars(before: Value<'_>, after: Value<'_>) -> Result<Vec<u64>> {
    let mut changed = Vec::new();
    let mut waiting = vec![(before, after)];
    while let Some((before, after)) = waiting.pop() {
        if before.raw() == after.raw() {
            continue;
        }
        match (before.kind()?, after.kind()?) {
            (Kind::Object, Kind::Object) => {
                let mut befores = sorted(Some(before))?.into_iter().peekable();
                for (key, after) in sorted(Some(after))? {
                    while befores.next_if(|(other, _)| other.compare(key).is_lt()).is_some() {}
                    if let Some((_, before)) =
                        befores.next_if(|(other, _)| other.compare(key).is_eq())
                    {
                        waiting.push((before, after));
                    }
                }
            }
            (Kind::Array, Kind::Array) => {
                if before.elements()?.count() != after.elements()?.count() {
                    continue;
                }
                for (before, after) in before.elements()?.zip(after.elements()?) {
                    waiting.push((before?, after?));
                }
            }
            (Kind::String, Kind::String) if before.is_same_string(after)? => {}
            (Kind::Number, Kind::Number) if number::equal(before.raw(), after.raw()) => {}
            (Kind::String | Kind::Number, Kind::String | Kind::Number) => {
                changed.push(after.offset());
            }
            _ => {}
        }
    }
    changed.sort_unstable();
    Ok(changed)
}
