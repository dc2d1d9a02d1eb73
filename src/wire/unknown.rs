//! What is known of an unknown value.

use super::number::Number;

/// What is known of an unknown value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unknown {
    /// True if the value is not null.
    pub is_not_null: bool,
    /// What else is known, by the type of the value.
    pub range: Range,
}

/// What is known beside nullness.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Range {
    /// Nothing.
    #[default]
    Any,
    /// The beginning of a string.
    Prefix(Vec<u8>),
    /// The bounds of a number.
    Bounds {
        /// The lower bound.
        min: Option<Bound>,
        /// The upper bound.
        max: Option<Bound>,
    },
    /// The least and the greatest number of elements.
    Length {
        /// The least.
        min: i64,
        /// The greatest, [`LENGTH_ANY`] if there is none.
        max: i64,
    },
}

/// The greatest number of elements where none is known.
pub const LENGTH_ANY: i64 = i64::MAX;

/// A bound of a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// The number.
    pub number: Number,
    /// True if the bound itself is possible.
    pub is_inclusive: bool,
}
