//! Bounds of counts and lengths.

/// A range of numbers. A missing bound is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The lower bound, inclusive.
    pub min: Option<u64>,
    /// The upper bound, inclusive.
    pub max: Option<u64>,
}

impl Bounds {
    /// Whether a number lies within the bounds.
    pub fn holds(self, number: u64) -> bool {
        self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
    }

    /// The bounds in words.
    pub fn words(self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => format!("exactly {min}"),
            (Some(min), Some(max)) => format!("from {min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => "any number".to_owned(),
        }
    }
}
