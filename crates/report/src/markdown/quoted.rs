//! Quotes text from a plan for Markdown: in code spans and fences, where no host looks for markup,
//! links, mentions or issue numbers.

use crate::cut::{cut, shortened};

/// Maximum number of characters of an address, and of a path.
pub(crate) const NAME: usize = 200;

/// Returns `text` as a code span, cut to `max` characters. The span is safe in a table cell, too.
pub(crate) fn span(text: &str, max: usize) -> String {
    let shown = cut(text, max);
    let mut escaped = String::with_capacity(shown.len());
    for character in shown.chars() {
        match character {
            // Hosts disagree about how to escape these in a table cell.
            '`' | '|' => escaped.extend(character.escape_unicode()),
            other => escaped.push(other),
        }
    }
    // Markdown has no empty code span.
    let shown =
        if escaped.is_empty() { " ".to_owned() } else { shortened(escaped, max + 1, false) };
    format!("`{shown}`")
}

/// Returns `text` as a code span outside of a table, cut to `max` characters. Shows backticks and
/// vertical bars as they are, so that readers can copy commands from the text.
pub(crate) fn text_span(text: &str, max: usize) -> String {
    let mut shown = cut(text, max);
    if shown.is_empty() {
        shown.push(' ');
    }
    let fence = "`".repeat(longest_run(&shown) + 1);
    // Markdown removes one space at both ends if there is one at both ends.
    let is_padded = shown.starts_with(['`', ' ']) || shown.ends_with(['`', ' ']);
    let space = if is_padded && !shown.trim().is_empty() { " " } else { "" };
    format!("{fence}{space}{shown}{space}{fence}")
}

/// Returns the length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// Puts lines between fences. A fence is longer than any run of backticks in the lines.
pub(super) fn fence(language: &str, lines: &mut String) {
    let fence = "`".repeat(longest_run(lines).max(2) + 1);
    // Inserts the first fence, because a copy of long lines would take much memory.
    lines.insert_str(0, &format!("{fence}{language}\n"));
    lines.push_str(&fence);
    lines.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_a_valid_code_span() {
        for (text, expected) in [
            ("a.b", "`a.b`"),
            ("", "` `"),
            ("a`|", r"`a\u{60}\u{7…`"),
            ("`\n`", r"`\u{60}\n\u{…`"),
            ("\u{202e}@a", r"`\u{202e}@a`"),
            ("0123456789", "`0123456789`"),
            ("0123456789a", "`0123456789…`"),
            ("\u{202e}\u{202e}", r"`\u{202e}\u…`"),
        ] {
            assert_eq!(span(text, 10), expected, "{text:?}");
        }
    }

    #[test]
    fn any_text_becomes_a_code_span_that_can_be_copied() {
        for (text, expected) in [
            ("a.b", "`a.b`"),
            ("", "` `"),
            ("  ", "`  `"),
            (" a", "`  a `"),
            ("do `a | b`", "`` do `a | b` ``"),
            ("```", "```` ``` ````"),
            ("a\n`b", r"``a\n`b``"),
            ("0123456789a", "`0123456789…`"),
        ] {
            assert_eq!(text_span(text, 10), expected, "{text:?}");
        }
    }

    #[test]
    fn fences_are_longer_than_the_backticks_inside() {
        let fenced = |language, lines: &str| {
            let mut lines = lines.to_owned();
            fence(language, &mut lines);
            lines
        };
        assert_eq!(fenced("diff", "+ a\n"), "```diff\n+ a\n```\n");
        assert_eq!(fenced("", "````\n"), "`````\n````\n`````\n");
    }
}
