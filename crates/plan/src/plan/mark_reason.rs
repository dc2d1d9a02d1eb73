//! Whether an overlay marks a value as a whole (docs/format/plan.md, section 5).

use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Value};

/// Why a whole path is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkReason {
    /// An overlay marks parts of one side, and the other side has a different kind.
    OtherKind,
    /// An overlay does not fit its own value.
    Misfit,
    /// The overlay, or the name, marks the whole path.
    Whole,
}

impl MarkReason {
    /// Why an overlay marks its own value and the other side as a whole; `None` if it marks only
    /// parts of them. The overlay must contain a mark. The values must not be `null`.
    pub fn of(
        overlay: Value<'_>,
        own: Option<Value<'_>>,
        other: Option<Value<'_>>,
    ) -> Result<Option<MarkReason>> {
        let kind = overlay.kind()?;
        if kind == Kind::True {
            return Ok(Some(MarkReason::Whole));
        }
        if !matches!(kind, Kind::Object | Kind::Array) {
            return Ok(Some(MarkReason::Misfit));
        }
        let is_other = |value: Value<'_>| Ok(value.kind()? != kind);
        if let Some(own) = own
            && (is_other(own)?
                || kind == Kind::Array && own.elements()?.count() != overlay.elements()?.count())
        {
            return Ok(Some(MarkReason::Misfit));
        }
        Ok(match other.map_or(Ok(false), is_other)? {
            false => None,
            true if own.is_none() => Some(MarkReason::Misfit),
            true => Some(MarkReason::OtherKind),
        })
    }
}
