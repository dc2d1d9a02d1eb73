//! Lays out values on lines.

use crate::phrase::stand_in;
use crate::screen::width;
use crate::wrap;
use plansift_core::inert;
use plansift_plan::record::Shown;

/// Whether a value is anything but a multi-line string.
pub(super) fn is_single_line(shown: &Shown) -> bool {
    match shown {
        Shown::Scalar(excerpt) => wrap::lines_of(excerpt).is_none(),
        _ => true,
    }
}

/// Returns the width of a value on one line, in columns.
pub(super) fn columns(shown: &Shown) -> usize {
    match shown {
        Shown::Scalar(excerpt) | Shown::Container(excerpt) => width(&inert::text(&excerpt.text)),
        shown => width(&stand_in(shown)),
    }
}
