//! Renders the attributes of an entry: a fenced block with a line for each attribute, and below it
//! a folded section with the values that do not fit into a line.

use std::fmt::{self, Write};

use super::quoted::{NAME, fence};
use crate::attribute_line::{Fits, LineFormat, line};
use crate::phrase::{stand_in, unchanged};
use crate::summary::Action;
use crate::view::Detail;
use crate::wrap::{self, Columns};
use plansift_core::inert::visible;
use plansift_plan::record::{Attribute, Attributes, Difference, Shown};

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
    // In a `diff` block, `!` colours a change.
    let format = LineFormat {
        indent: "",
        changed: "!",
        path_max: NAME,
        value_max: VALUE,
        text_max: usize::MAX,
        detail,
    };
    let rendered = list.iter().take_while(|attribute| {
        let has_room = lines.len() <= max;
        if has_room && line(attribute, action, format, &mut lines) == Fits::No {
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
            shown => out.write_str(&stand_in(shown))?,
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
