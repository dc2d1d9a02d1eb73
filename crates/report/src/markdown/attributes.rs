//! Renders the attributes of an entry: a fenced block with a line for each attribute, and below it
//! a folded section with the values that do not fit into a line.

use std::fmt::{self, Write};

use super::quoted::{NAME, cut, fence};
use crate::phrase::{remark, stand_in, suffices, unchanged};
use crate::summary::{Action, sign};
use crate::view::Detail;
use crate::wrap::{self, Columns};
use plansift_core::inert::visible;
use plansift_plan::record::{Attribute, Attributes, Difference, Excerpt, Line, Shown};

/// Maximum number of characters of each side of an attribute in its line.
pub(super) const VALUE: usize = 120;
/// Width of the folded values, in columns.
const WIDTH: usize = 100;

/// The rendered attributes, and whether they are complete.
#[derive(Debug)]
pub(super) struct RenderedAttributes {
    pub text: String,
    pub is_all: bool,
}

/// Renders attributes in about `max` bytes. The last line may end beyond that.
pub(super) fn render(
    attributes: &Attributes,
    action: Action,
    detail: Detail,
    max: usize,
) -> RenderedAttributes {
    let Attributes { list, left_out, .. } = attributes;
    let (mut lines, mut long) = (String::new(), Vec::new());
    let rendered = list.iter().take_while(|attribute| {
        let has_room = lines.len() <= max;
        if has_room && line(attribute, action, detail, &mut lines) == Fits::No {
            long.push(*attribute);
        }
        has_room
    });
    let left = (list.len() - rendered.count()) as u64;
    let (mut values, mut count) = (String::new(), 0_u64);
    for attribute in &long {
        let before = values.len();
        // Writing to a `String` cannot fail, here and elsewhere.
        let _ = in_full(attribute, &mut values);
        if values.len() > max.saturating_sub(lines.len()) {
            values.truncate(before);
            break;
        }
        count += 1;
    }
    let hidden = long.len() as u64 - count;
    if hidden > 0 {
        let _ = writeln!(lines, "  … the rest of {hidden} long values has no room");
    }
    if left + left_out > 0 {
        let _ = writeln!(lines, "  … and {} more", left + left_out);
    }
    // Without any lines, the count is left out.
    if attributes.unchanged > 0 && !lines.is_empty() {
        let _ = writeln!(lines, "  {}", unchanged(attributes));
    }
    let mut text = lines;
    if !text.is_empty() {
        fence("diff", &mut text);
        text.push('\n');
    }
    if count > 0 {
        fence("diff", &mut values);
        let _ = write!(text, "<details>\n<summary>Long values: {count}</summary>\n\n");
        // Inserts the lines, because a copy of long values would take much memory.
        values.insert_str(0, &text);
        values.push_str("\n</details>\n\n");
        text = values;
    }
    RenderedAttributes { text, is_all: left == 0 && hidden == 0 }
}

/// Whether the values of an attribute fit into its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fits {
    Yes,
    No,
}

/// Appends an attribute as a line of a `diff` block, and below it the lines of its text that
/// differ. In a `diff` block, `!` colours a change.
fn line(attribute: &Attribute, action: Action, detail: Detail, lines: &mut String) -> Fits {
    let sign = match sign(attribute, action).0 {
        "~" => "!",
        sign => sign,
    };
    let _ = write!(lines, "{sign} {}", cut(&attribute.path, NAME));
    let start = lines.len();
    let is_separated = !attribute.path.is_empty();
    lines.push_str(if is_separated { " = " } else { "" });
    let before = lines.len();
    let word = remark(attribute);
    let is_shown = !suffices(attribute.difference, detail);
    let mut fits = if attribute.path.len() > NAME { Fits::No } else { Fits::Yes };
    match (attribute.difference, &attribute.before, &attribute.after) {
        _ if !is_shown || attribute.lines.is_some() => {}
        (_, Shown::Withheld, Shown::Absent) => {}
        (Difference::Nothing, _, shown) => value(shown, 0, lines, &mut fits),
        (_, Shown::Absent | Shown::Withheld, shown) | (_, shown, Shown::Absent) => {
            value(shown, 0, lines, &mut fits);
        }
        (_, Shown::Sensitive, Shown::Sensitive) | (_, Shown::Echo, Shown::Echo) => {
            lines.push_str(stand_in(&attribute.after));
        }
        (_, before, after) => {
            let skipped = alike(before, after);
            value(before, skipped, lines, &mut fits);
            lines.push_str(" -> ");
            value(after, skipped, lines, &mut fits);
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
        differences(attribute, lines);
    }
    fits
}

/// Appends the line-by-line difference of an attribute's values.
fn differences(attribute: &Attribute, lines: &mut String) {
    let Some(found) = &attribute.lines else { return };
    for line in found.iter() {
        let _ = match line {
            Line::Same(text) => writeln!(lines, "      {}", wrap::line(text)),
            Line::Removed(text) => writeln!(lines, "-     {}", wrap::line(text)),
            Line::Added(text) => writeln!(lines, "+     {}", wrap::line(text)),
            Line::Skipped(count) => writeln!(lines, "      {}", wrap::skipped(count)),
        };
    }
    if found.left_out > 0 {
        let _ = writeln!(lines, "      {}", wrap::differences(found.left_out));
    }
}

/// Appends the values of an attribute in full, over several lines: before, then after.
fn in_full(attribute: &Attribute, lines: &mut String) -> fmt::Result {
    let Attribute { path, before, after, difference, .. } = attribute;
    let sides: &[_] = match difference {
        Difference::Nothing => &[(' ', after)],
        _ => &[('-', before), ('+', after)],
    };
    let path = visible(path);
    for (sign, shown) in sides {
        if matches!(shown, Shown::Absent | Shown::Withheld) {
            continue;
        }
        write!(lines, "{sign} {path}")?;
        let separator = if path.is_empty() { None } else { Some(" = ") };
        let mut out = Signed { lines, sign: *sign, separator };
        match shown {
            Shown::Scalar(excerpt) | Shown::Container(excerpt) => {
                let columns = Columns { first: path.len(), others: 0, end: WIDTH };
                wrap::value(&mut out, excerpt, columns)?;
            }
            shown => out.write_str(stand_in(shown))?,
        }
        lines.push('\n');
    }
    Ok(())
}

/// Appends text, and begins each further line with a sign.
struct Signed<'l> {
    lines: &'l mut String,
    sign: char,
    /// The text to append before the next text. It loses its trailing space if the next text begins
    /// on a new line.
    separator: Option<&'static str>,
}

impl fmt::Write for Signed<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let separator = self.separator.take().unwrap_or_default();
        self.lines.push_str(if text.starts_with('\n') { separator.trim_end() } else { separator });
        for (place, line) in text.split('\n').enumerate() {
            if place > 0 {
                write!(self.lines, "\n{} ", self.sign)?;
            }
            self.lines.push_str(line);
        }
        Ok(())
    }
}

/// Returns the number of bytes to skip at the start of two long values that begin alike.
fn alike(before: &Shown, after: &Shown) -> usize {
    let (
        Shown::Scalar(before) | Shown::Container(before),
        Shown::Scalar(after) | Shown::Container(after),
    ) = (before, after)
    else {
        return 0;
    };
    if before.text.len().max(after.text.len()) <= VALUE {
        return 0;
    }
    let both = before.text.char_indices().zip(after.text.chars());
    let same: Vec<usize> =
        both.take_while(|((_, one), other)| one == other).map(|((at, _), _)| at).collect();
    // Keeps a little of the common start as context.
    if same.len() <= VALUE / 2 { 0 } else { same[same.len() - VALUE / 4] }
}

/// Appends a value without its first `skipped` bytes.
fn value(shown: &Shown, skipped: usize, line: &mut String, fits: &mut Fits) {
    match shown {
        Shown::Scalar(excerpt) | Shown::Container(excerpt) => {
            let Excerpt { text, left_out, .. } = excerpt;
            line.push_str(if skipped > 0 { "…" } else { "" });
            let rest = &text[skipped..];
            line.push_str(&cut(rest, VALUE));
            if skipped > 0 || *left_out > 0 || rest.chars().nth(VALUE).is_some() {
                *fits = Fits::No;
            }
        }
        shown => line.push_str(stand_in(shown)),
    }
}
