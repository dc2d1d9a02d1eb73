//! Lays out values on lines.

use crate::inert;
use crate::record::Shown;
use crate::sink::phrase::stand_in;
use crate::sink::screen::width;
use crate::sink::wrap;

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
        shown => stand_in(shown).len(),
    }
}
