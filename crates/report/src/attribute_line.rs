//! Writes an attribute as one line: its sign, its path and its values. Below it come the lines of a
//! text that differ.

use std::fmt::Write as _;

use crate::cut::{cut, shortened};
use crate::phrase::{remark, stand_in, suffices};
use crate::summary::{Action, sign};
use crate::view::Detail;
use crate::wrap;
use plansift_plan::record::{Attribute, Difference, Excerpt, Line, Shown};

/// The form of the line of an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineFormat {
    /// Begins each line.
    pub indent: &'static str,
    /// The sign of an attribute that changes.
    pub changed: &'static str,
    /// Maximum number of characters of the path.
    pub path_max: usize,
    /// Maximum number of characters of each side.
    pub value_max: usize,
    /// Maximum number of characters of each line of a text.
    pub text_max: usize,
    /// How much of each value is shown.
    pub detail: Detail,
}

/// Whether the values of an attribute fit into its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fits {
    Yes,
    No,
}

/// Appends an attribute as a line, and below it the lines of its text that differ.
pub(crate) fn line(
    attribute: &Attribute,
    action: Action,
    format: LineFormat,
    lines: &mut String,
) -> Fits {
    let LineFormat { indent, changed, path_max, value_max, detail, .. } = format;
    let sign = match sign(attribute, action).0 {
        "~" => changed,
        sign => sign,
    };
    let _ = write!(lines, "{indent}{sign} {}", cut(&attribute.path, path_max));
    let start = lines.len();
    let is_separated = !attribute.path.is_empty();
    lines.push_str(if is_separated { " = " } else { "" });
    let before = lines.len();
    let word = remark(attribute);
    let is_shown = !suffices(attribute.difference, detail);
    let mut fits = if attribute.path.len() > path_max { Fits::No } else { Fits::Yes };
    match (attribute.difference, &attribute.before, &attribute.after) {
        _ if !is_shown || attribute.lines.is_some() => {}
        (_, Shown::Withheld, Shown::Absent) => {}
        (Difference::Nothing, _, shown) => value(shown, 0, value_max, lines, &mut fits),
        (_, Shown::Absent | Shown::Withheld, shown) | (_, shown, Shown::Absent) => {
            value(shown, 0, value_max, lines, &mut fits);
        }
        (_, Shown::Sensitive, Shown::Sensitive) | (_, Shown::Echo, Shown::Echo) => {
            lines.push_str(&stand_in(&attribute.after));
        }
        (_, before, after) => {
            let skipped = alike(before, after, value_max);
            value(before, skipped, value_max, lines, &mut fits);
            lines.push_str(" -> ");
            value(after, skipped, value_max, lines, &mut fits);
        }
    }
    if !word.is_empty() {
        lines.push_str(if lines.len() > before { "  " } else { "" });
        lines.push_str(word);
    }
    if lines.len() == before {
        lines.truncate(start);
    }
    lines.push_str(if attribute.replaces { " # forces replacement\n" } else { "\n" });
    if is_shown {
        differences(attribute, format, lines);
    }
    fits
}

/// Appends the line-by-line difference of an attribute's values.
fn differences(attribute: &Attribute, format: LineFormat, lines: &mut String) {
    let Some(found) = &attribute.lines else { return };
    let LineFormat { indent, text_max, .. } = format;
    let text = |text| shortened(wrap::line(text), text_max, false);
    for line in found.iter() {
        let _ = match line {
            Line::Same(same) => writeln!(lines, "{indent}      {}", text(same)),
            Line::Removed(removed) => writeln!(lines, "{indent}-     {}", text(removed)),
            Line::Added(added) => writeln!(lines, "{indent}+     {}", text(added)),
            Line::Skipped(count) => writeln!(lines, "{indent}      {}", wrap::skipped(count)),
        };
    }
    if found.left_out > 0 {
        let _ = writeln!(lines, "{indent}      {}", wrap::differences(found.left_out));
    }
}

/// Returns the number of bytes to skip at the start of two long values that begin alike.
fn alike(before: &Shown, after: &Shown, value_max: usize) -> usize {
    let (
        Shown::Scalar(before) | Shown::Container(before),
        Shown::Scalar(after) | Shown::Container(after),
    ) = (before, after)
    else {
        return 0;
    };
    if before.text.len().max(after.text.len()) <= value_max {
        return 0;
    }
    let both = before.text.char_indices().zip(after.text.chars());
    let same: Vec<usize> =
        both.take_while(|((_, one), other)| one == other).map(|((at, _), _)| at).collect();
    // Keeps a little of the common start as context.
    if same.len() <= value_max / 2 { 0 } else { same[same.len() - value_max / 4] }
}

/// Appends up to `max` characters of a value, without its first `skipped` bytes.
fn value(shown: &Shown, skipped: usize, max: usize, line: &mut String, fits: &mut Fits) {
    match shown {
        Shown::Scalar(excerpt) | Shown::Container(excerpt) => {
            let Excerpt { text, left_out, .. } = excerpt;
            line.push_str(if skipped > 0 { "…" } else { "" });
            let rest = &text[skipped..];
            line.push_str(&cut(rest, max));
            if skipped > 0 || *left_out > 0 || rest.chars().nth(max).is_some() {
                *fits = Fits::No;
            }
        }
        shown => line.push_str(&stand_in(shown)),
    }
}
