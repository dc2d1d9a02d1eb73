//! Walks a value, but not into all of its containers.

use super::value::{Value, WalkEvent};
use crate::error::Result;

/// Whether to enter an object or array, or to pass it as one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descent {
    /// Visit what the value contains.
    Enter,
    /// Go on after the value.
    Pass,
}

/// Calls `each` with the events of a value, in document order. `descent` decides whether to enter
/// an object or array that is not empty. A container that is not entered is a leaf.
pub fn walk<'a>(
    root: Value<'a>,
    descent: impl Fn(Value<'a>) -> Descent,
    mut each: impl FnMut(WalkEvent<'a>) -> Result<()>,
) -> Result<()> {
    let mut walk = root.walk();
    while let Some(mut event) = walk.next().transpose()? {
        if let WalkEvent::Open(kind, value) = event
            && (walk.is_at_end()? || descent(value) == Descent::Pass)
        {
            walk.skip_value();
            event = WalkEvent::Leaf(kind, value);
        }
        each(event)?;
    }
    Ok(())
}
