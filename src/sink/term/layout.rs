//! Lays out values on lines.

use crate::inert;
use crate::record::{Attribute, Difference, Shown};
use crate::sink::phrase::stand_in;
use crate::sink::screen::{GREEN, PLAIN, RED, YELLOW, width};
use crate::sink::summary::Action;
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

/// Returns the sign of an attribute (`+`, `-`, `~` or a space) and its style.
pub(in crate::sink) fn sign(attribute: &Attribute, action: Action) -> (&'static str, &'static str) {
    match (&attribute.before, &attribute.after) {
        _ if attribute.difference == Difference::Nothing => (" ", PLAIN),
        (Shown::Absent, _) if action == Action::Read => (" ", PLAIN),
        (Shown::Absent, _) => ("+", GREEN),
        (_, Shown::Absent) if action == Action::Forget => (" ", PLAIN),
        (_, Shown::Absent) => ("-", RED),
        _ => ("~", YELLOW),
    }
}
