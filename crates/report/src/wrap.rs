//! Wraps values that do not fit on one line.
//!
//! A multi-line string is written between `<<-EOT` and `EOT`. The members of an object and the
//! elements of an array get their own lines, unless the object or array fits on one line. Any other
//! long value continues on the next line:
//!
//! ```text
//! jsonencode({
//!   "Statement":[
//!     {"Action":"s3:GetObject","Effect":"Allow"},
//!     {"Action":"*","Effect":"Allow"}
//!   ]
//! })
//! ```
//!
//! Every line is escaped on its own, because a continued line could begin with a CI runner command.

use std::fmt::{self, Write};

use unicode_width::UnicodeWidthChar;

use super::phrase::counted;
use super::screen::{STACKED, width};
use plansift_core::inert::{self, visible};
use plansift_plan::record::{Excerpt, Line, Lines};

/// Indentation of each level, in columns.
pub(super) const INDENT: usize = 2;
/// Maximum indentation. Without it, a deep list of short elements would become a hundred times its
/// size.
const INDENT_MAX: usize = 40;

/// The lines before and after a multi-line string.
const HEREDOC: [&str; 2] = ["<<-EOT", "EOT"];

/// The columns that a value may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    /// The column where the first line begins.
    pub first: usize,
    /// The column where the other lines begin.
    pub others: usize,
    /// The column where lines must end.
    pub end: usize,
}

/// Writes the lines of a value, separated by newlines. All lines but the first are indented.
pub(super) fn value(out: &mut impl Write, excerpt: &Excerpt, columns: Columns) -> fmt::Result {
    match lines_of(excerpt) {
        Some(text) => {
            // A final line feed ends the last line. It does not begin another one.
            let text = text.strip_suffix('\n').unwrap_or(&text);
            heredoc(out, text.split('\n').map(line), columns)?;
        }
        None => structure(out, &inert::text(&excerpt.text), columns)?,
    }
    match excerpt.left_out {
        0 => Ok(()),
        bytes => out.write_str(&left_out(bytes)),
    }
}

/// Returns the remark after a value that is cut by this number of bytes.
pub(super) fn left_out(bytes: u64) -> String {
    format!(" … and about {bytes} bytes more (--full shows them)")
}

/// Decodes a multi-line string. Returns `None` for other values.
pub(super) fn lines_of(excerpt: &Excerpt) -> Option<String> {
    // Decodes only strings that may have several lines, which are rare.
    let may_be = excerpt.text.starts_with('"') && excerpt.text.contains("\\n");
    let text: String = may_be.then(|| serde_json::from_str(&excerpt.text).ok())??;
    text.trim_end_matches('\n').contains('\n').then_some(text)
}

/// Writes the differences between two strings, as a multi-line string with signs before its lines.
pub(super) fn lines(
    out: &mut impl Write,
    lines: &Lines,
    columns: Columns,
    paint: impl Fn(Line<'_>, String) -> String,
) -> fmt::Result {
    let shown = lines.iter().map(|line| {
        let text = match line {
            Line::Same(text) => format!("  {}", self::line(text)),
            Line::Removed(text) => format!("- {}", self::line(text)),
            Line::Added(text) => format!("+ {}", self::line(text)),
            Line::Skipped(count) => skipped(count),
        };
        paint(line, text)
    });
    let more = (lines.left_out > 0).then(|| differences(lines.left_out));
    heredoc(out, shown.chain(more), columns)
}

/// Makes hidden characters in a line visible. A tab becomes `\t`.
pub(super) fn line(text: &str) -> String {
    match text.contains('\t') {
        true => text.split('\t').map(visible).collect::<Vec<_>>().join("\\t"),
        false => visible(text),
    }
}

/// Returns the placeholder for `count` unchanged lines.
pub(super) fn skipped(count: u64) -> String {
    format!("… {}", counted(count, "unchanged line"))
}

/// Returns the placeholder for `count` differences that are not shown.
pub(super) fn differences(count: u64) -> String {
    format!("… and {} (--full shows them)", counted(count, "more difference"))
}

/// Writes lines between `<<-EOT` and `EOT`, one level inside.
fn heredoc(
    out: &mut impl Write,
    lines: impl Iterator<Item = String>,
    columns: Columns,
) -> fmt::Result {
    let [outer, inner] = [columns.others, columns.others + INDENT].map(|column| " ".repeat(column));
    out.write_str(HEREDOC[0])?;
    let mut text = String::new();
    for line in lines {
        text.clear();
        let space = if line.is_empty() { "" } else { &inner };
        ["\n", space, &line].iter().for_each(|part| text.push_str(part));
        out.write_str(&text)?;
    }
    write!(out, "\n{outer}{}", HEREDOC[1])
}

/// An open bracket whose content does not fit on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// The argument of a function call. It begins on the line of the function's name.
    Call,
    /// An object. Each member has its own line.
    Object,
    /// An array. Each element has its own line, but scalars share lines as far as they fit.
    Array,
}

/// Wraps JSON to several lines if it does not fit on one.
fn structure(out: &mut impl Write, text: &str, columns: Columns) -> fmt::Result {
    if fits(text, columns.end.saturating_sub(columns.first)) {
        return out.write_str(text);
    }
    let mut page = Page { out, used: columns.first, columns };
    let groups = groups(text);
    let (mut next_group, mut rest, mut level) = (0, text, 0);
    let mut open: Vec<Open> = Vec::new();
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        let mut len = first.len_utf8();
        match first {
            '{' | '[' | '(' => {
                let end = groups[next_group];
                next_group += 1;
                let has_comma = text[end..].starts_with(',');
                if page.has_room(&text[at..end + usize::from(has_comma)]) {
                    len = end - at;
                    next_group += inner_groups(&text[at + 1..end]);
                    page.push(&text[at..end])?;
                } else {
                    page.push(&rest[..1])?;
                    open.push(match first {
                        '(' => Open::Call,
                        '{' => Open::Object,
                        _ => Open::Array,
                    });
                    if first != '(' {
                        level += 1;
                        page.turn(level)?;
                    }
                }
            }
            '}' | ']' | ')' => {
                if matches!(open.pop(), Some(Open::Object | Open::Array)) {
                    level -= 1;
                    page.turn(level)?;
                }
                page.push(&rest[..1])?;
            }
            ',' => {
                page.push(",")?;
                let element = &rest[1..1 + scalar_len(&rest[1..])];
                let is_scalar = !element.is_empty();
                match open.last() {
                    Some(Open::Array) if is_scalar && page.has_room(element) => {}
                    Some(Open::Array | Open::Object) => page.turn(level)?,
                    Some(Open::Call) | None => {}
                }
            }
            '"' => {
                len = string_len(rest);
                page.make_room(&rest[..len], level + 1)?;
                page.push_long(&rest[..len], level + 1)?;
            }
            ':' => page.push(":")?,
            _ => {
                // A number, a word, or the name of a function.
                len = rest.find(|it| ",:\"()[]{}".contains(it)).unwrap_or(rest.len()).max(len);
                page.make_room(&rest[..len], level + 1)?;
                page.push_long(&rest[..len], level + 1)?;
            }
        }
        rest = &rest[len..];
    }
    Ok(())
}

/// The lines of a value.
struct Page<'o, W> {
    out: &'o mut W,
    /// Width of the last line, in columns.
    used: usize,
    columns: Columns,
}

impl<W: Write> Page<'_, W> {
    fn room(&self) -> usize {
        self.columns.end.saturating_sub(self.used)
    }

    fn has_room(&self, text: &str) -> bool {
        fits(text, self.room())
    }

    fn push(&mut self, text: &str) -> fmt::Result {
        self.used += width(text);
        self.out.write_str(text)
    }

    /// Returns the column where a line of this level begins.
    fn inside(&self, level: usize) -> usize {
        let Columns { others, end, .. } = self.columns;
        // Very deep levels share the same indentation.
        others + (level * INDENT).min(end.saturating_sub(others) / 2).min(INDENT_MAX)
    }

    /// Begins a new line of this level.
    fn turn(&mut self, level: usize) -> fmt::Result {
        self.used = self.inside(level);
        write!(self.out, "\n{:1$}", "", self.used)
    }

    /// Begins a new line if `text` fits on a new line but not on the current one.
    fn make_room(&mut self, text: &str, level: usize) -> fmt::Result {
        let room = self.columns.end.saturating_sub(self.inside(level));
        if !self.has_room(text) && fits(text, room) { self.turn(level) } else { Ok(()) }
    }

    /// Adds `text`. If it does not fit, it continues on further lines.
    fn push_long(&mut self, mut text: &str, level: usize) -> fmt::Result {
        while !self.has_room(text) {
            let (mut used, room) = (0, self.room());
            let (mut end, max_count) = (0, STACKED * room.max(1));
            for (count, character) in text.chars().enumerate() {
                used += character.width().unwrap_or(0);
                // A line takes at least one character, even without room for it.
                if (used > room || count == max_count) && count > 0 {
                    break;
                }
                end += character.len_utf8();
            }
            let (head, rest) = text.split_at(end);
            self.push(&visible(head))?;
            text = rest;
            if text.is_empty() {
                return Ok(());
            }
            self.turn(level)?;
        }
        self.push(&visible(text))
    }
}

/// Returns the ends of all groups of a text, in the order of their opening brackets. A group is a
/// bracket and everything up to the matching bracket. An unclosed group ends at the end of the
/// text.
fn groups(text: &str) -> Vec<usize> {
    // Allocates once, because a text may consist of brackets only.
    let (mut ends, mut open) = (Vec::with_capacity(inner_groups(text)), Vec::new());
    brackets(text, |at, byte| match byte {
        b'{' | b'[' | b'(' => {
            open.push(ends.len());
            ends.push(text.len());
        }
        _ => {
            if let Some(group) = open.pop() {
                ends[group] = at + 1;
            }
        }
    });
    ends
}

/// Counts the groups in a text.
fn inner_groups(text: &str) -> usize {
    let mut count = 0;
    brackets(text, |_, byte| count += usize::from(matches!(byte, b'{' | b'[' | b'(')));
    count
}

/// Calls `found` for each bracket outside strings, with its offset.
fn brackets(text: &str, mut found: impl FnMut(usize, u8)) {
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                at += string_len(&text[at..]);
                continue;
            }
            b'{' | b'[' | b'(' | b'}' | b']' | b')' => found(at, byte),
            _ => {}
        }
        at += 1;
    }
}

/// Returns the length of the JSON string at the start of a text, in bytes, including its quotes.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |end| end + 2)
}

/// Returns the length of the scalar at the start of a text, in bytes, including a comma after it.
/// Returns 0 if the text does not begin with a scalar.
fn scalar_len(text: &str) -> usize {
    let len = match text.as_bytes().first() {
        Some(b'"') => string_len(text),
        Some(b'{' | b'[') | None => return 0,
        Some(_) => text.find([',', ']', '}', '(']).unwrap_or(text.len()),
    };
    match text.as_bytes().get(len) {
        // A function call.
        Some(b'(') => 0,
        Some(b',') => len + 1,
        _ => len,
    }
}

fn fits(text: &str, columns: usize) -> bool {
    if text.len() <= columns {
        return true;
    }
    let mut used = 0;
    for (count, character) in text.chars().enumerate() {
        used += character.width().unwrap_or(0);
        if used > columns || count >= STACKED.saturating_mul(columns) {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(text: &str, columns: Columns) -> String {
        let mut out = String::new();
        structure(&mut out, text, columns).unwrap();
        out
    }

    fn wrapped(text: &str, columns: usize) -> Vec<String> {
        let columns = Columns { first: 0, others: 0, end: columns };
        laid_out(text, columns).split('\n').map(str::to_owned).collect()
    }

    #[test]
    fn values_that_fit_stay_on_one_line() {
        let text = r#"jsonencode({"a":[1,2],"b":{"c":"d, e"},"f":(sensitive value)})"#;
        assert_eq!(wrapped(text, 80), [text]);
        let expected = [
            "jsonencode({",
            r#"  "a":[1,2],"#,
            r#"  "b":{"c":"d, e"},"#,
            r#"  "f":(sensitive value)"#,
            "})",
        ];
        assert_eq!(wrapped(text, 30), expected);
        let expected = ["{", r#"  "a":["#, "    1,2", "  ],", r#"  "b":3"#, "}"];
        assert_eq!(wrapped(r#"{"a":[1,2],"b":3}"#, 9), expected);
        // A text that fits on its own line is not split.
        let columns = Columns { first: 20, others: 4, end: 30 };
        let below = "\n      \"0123456789abc\"";
        assert_eq!(laid_out(r#""0123456789abc""#, columns), below);
    }

    #[test]
    fn long_strings_wrap_onto_the_next_line() {
        assert_eq!(wrapped(r#""0123456789abc""#, 10), [r#""012345678"#, r#"  9abc""#]);
        assert_eq!(wrapped(r#""012345678::error::x""#, 10)[1], r"  \u{3a}:error:");
        let all = wrapped(&format!(r#"["{}"]"#, "é漢".repeat(40)), 12);
        assert!(all.iter().all(|line| width(line) <= 12), "{all:#?}");
        assert_eq!(all.concat().matches('漢').count(), 40);
        // Combining accents have no width.
        assert!(wrapped(&format!("\"a{}\"", "\u{301}".repeat(1000)), 40).len() > 4);
    }

    #[test]
    fn long_numbers_wrap_onto_the_next_line() {
        assert_eq!(wrapped("0123456789", 6), ["012345", "  6789"]);
        let expected = ["{", r#"  "a":012345"#, "    6789,", r#"  "b":true"#, "}"];
        assert_eq!(wrapped(r#"{"a":0123456789,"b":true}"#, 12), expected);
        // A number that fits on its own line is not split.
        let columns = Columns { first: 20, others: 4, end: 30 };
        assert_eq!(laid_out("0123456789abc", columns), "\n      0123456789abc");
    }

    #[test]
    fn truncated_and_deep_values_are_wrapped() {
        assert_eq!(wrapped(r#"{"a":["bcdefgh","#, 10).len(), 5);
        assert_eq!(wrapped(r#""ab\"cdefghijklm"#, 10).len(), 2);
        let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
        let lines = wrapped(&deep, 80);
        assert!(lines.iter().all(|line| width(line) <= 80));
        assert_eq!(lines.concat().replace(' ', ""), deep);
    }
}
