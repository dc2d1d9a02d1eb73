//! Unknown values and their refinements.

use super::number::Number;

/// The refinements of an unknown value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unknown {
    /// True if the value is not null.
    pub is_not_null: bool,
    /// The refinement that depends on the type of the value.
    pub range: Range,
}

/// The refinement of an unknown value, apart from nullness.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Range {
    /// No refinement.
    #[default]
    Any,
    /// A known prefix of a string.
    Prefix(Vec<u8>),
    /// The bounds of a number.
    Bounds {
        /// The lower bound.
        min: Option<Bound>,
        /// The upper bound.
        max: Option<Bound>,
    },
    /// The minimum and the maximum number of elements.
    Length {
        /// The minimum.
        min: i64,
        /// The maximum; [`LENGTH_ANY`] if unlimited.
        max: i64,
    },
}

/// The maximum number of elements if no maximum is known.
pub const LENGTH_ANY: i64 = i64::MAX;

/// A bound of a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The number.
    pub number: Number,
    /// True if the value may equal the bound.
    pub is_inclusive: bool,
}
