//! How values are laid out on lines.

use crate::inert;
use crate::record::Shown;
use crate::sink::phrase::stand_in;
use crate::sink::summary::width;
use crate::sink::wrap;

/// Puts a separator before values. The separator loses its trailing space if the values begin on a
/// new line.
pub(super) fn with_separator(separator: &str, mut values: String) -> String {
    let is_below = values.starts_with('\n');
    values.insert_str(0, if is_below { separator.trim_end() } else { separator });
    values
}

/// Whether a value is not a multi-line text.
pub(super) fn is_single_line(shown: &Shown) -> bool {
    match shown {
        Shown::Scalar(excerpt) => wrap::lines_of(excerpt).is_none(),
        _ => true,
    }
}

/// The width of a value on one line, in columns.
pub(super) fn columns(shown: &Shown) -> usize {
    match shown {
        Shown::Scalar(excerpt) | Shown::Container(excerpt) => width(&inert::text(&excerpt.text)),
        shown => stand_in(shown).len(),
    }
}
