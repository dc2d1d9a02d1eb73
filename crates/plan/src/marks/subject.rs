//! A value with its overlays.

use crate::plan::Change;
use plansift_core::json::value::Value;

/// Values, and the overlays that mark them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// `before` and `after`; a single value is the second side.
    pub sides: [Option<Value<'a>>; 2],
    /// The sensitivity overlay of each side.
    pub overlays: [Option<Value<'a>>; 2],
    /// The overlay of unknown values in the second side.
    pub unknown: Option<Value<'a>>,
    /// True if a name or a declaration marks the whole subject.
    pub named: bool,
}

impl<'a> Subject<'a> {
    /// Returns the two sides of a change.
    pub fn of_change(change: &Change<'a>) -> Subject<'a> {
        Subject {
            sides: [change.before, change.after],
            overlays: [change.before_sensitive, change.after_sensitive],
            unknown: change.after_unknown,
            named: false,
        }
    }

    /// Returns a value with its overlay.
    pub fn of_value(value: Option<Value<'a>>, overlay: Option<Value<'a>>) -> Subject<'a> {
        Subject { sides: [None, value], overlays: [None, overlay], ..Subject::default() }
    }

    /// The offset of one of the values or overlays.
    pub(super) fn offset(&self) -> u64 {
        self.sides.into_iter().chain(self.overlays).flatten().next().map_or(0, Value::offset)
    }

    /// Whether an overlay says what is sensitive.
    pub fn has_overlays(&self) -> bool {
        self.overlays.iter().flatten().any(|overlay| !overlay.is_null())
    }
}
