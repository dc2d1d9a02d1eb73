//! Escapes text from plans, so that terminals and CI logs print it without side effects.
//!
//! Two kinds of text are escaped. *Hidden* characters ([`is_hidden`]) move the cursor, change the
//! direction of a line, or cannot be seen. *Commands* of CI runners are lines that the runner obeys
//! instead of printing them:
//!
//! | runner | command | position |
//! | --- | --- | --- |
//! | GitHub Actions | `::error title=x::y` | at the start of a line, after any white space |
//! | GitHub Actions | `##[error]x` | anywhere in a line |
//! | Azure Pipelines | `##vso[task.setvariable]x`, `##[error]x` | anywhere in a line |
//! | TeamCity | `##teamcity[message]` | anywhere in a line |
//! | GitLab | `section_start:0:x`, between a carriage return and an escape sequence | anywhere |
//!
//! For people, [`visible`] writes a hidden character, or one character of a command, as `\u{…}`. It
//! writes a line feed, a carriage return and a tab as `\n`, `\r` and `\t`. [`lines`] keeps the line
//! feeds and tabs of a message. [`Json`] writes every such character as `\u…`. Every JSON parser
//! undoes this escape, so the JSON keeps its value.
//!
//! The trap: the caller may print several strings in a row, but [`visible`] sees only one. So
//! [`visible`] also escapes a string that could become a command together with the next one.

mod hidden;
mod json;

use std::borrow::Cow;

pub use hidden::is_hidden;
pub use json::{Json, json};

/// How much longer an escape is than its hidden character, in bytes.
const ESCAPE_GROWTH: usize = 5;

/// Escapes hidden characters and the starts of commands.
///
/// The function is idempotent.
pub fn visible(text: &str) -> String {
    self::text(text).into_owned()
}

/// Like [`visible`], but borrows a text that needs no escapes.
pub fn text(text: &str) -> Cow<'_, str> {
    let colon = leading_colon(text);
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'#';
    if colon.is_none() && text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    // Allocates once, because hidden characters may make a long text six times as long.
    let hidden = text.chars().filter(|&character| is_hidden(character)).count();
    let mut shown = String::with_capacity(text.len() + hidden * ESCAPE_GROWTH);
    let mut last = None;
    for (at, character) in text.char_indices() {
        let is_of_command = match character {
            ':' => colon == Some(at),
            '#' => last == Some('#') && opens_command(&text[at + 1..]),
            _ => false,
        };
        if is_of_command || is_hidden(character) {
            shown.push_str(&escaped(character));
        } else {
            shown.push(character);
        }
        last = Some(character);
    }
    Cow::Owned(shown)
}

/// Like [`visible`], but keeps the line feeds and tabs of a message, without the blank lines around
/// it. The caller must make sure that a line of the text cannot pass for a line of its own.
pub fn lines(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for (number, line) in trimmed(message).split('\n').enumerate() {
        if number > 0 {
            shown.push('\n');
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        for (number, part) in line.split('\t').enumerate() {
            if number > 0 {
                shown.push('\t');
            }
            shown.push_str(&self::text(part));
        }
    }
    shown
}

/// Like [`lines`], but as separate lines with spaces in place of tabs.
pub fn spaced_lines(message: &str) -> Vec<String> {
    lines(message).split('\n').map(|line| line.replace('\t', "    ")).collect()
}

/// Returns a message without the blank lines at its start and its end.
pub fn trimmed(message: &str) -> &str {
    let message = message.trim_end();
    let start = message.len() - message.trim_start().len();
    let line = message[..start].rfind('\n').map_or(0, |at| at + 1);
    &message[line..]
}

/// Returns the escape of a character: `\n`, `\r`, `\t` or `\u{…}`.
pub fn escaped(character: char) -> String {
    match character {
        '\n' | '\r' | '\t' => character.escape_default().collect(),
        other => other.escape_unicode().collect(),
    }
}

/// Returns the offset of the `::` at the start of a text, after any white space, in bytes.
fn leading_colon(text: &str) -> Option<usize> {
    let rest = text.trim_start();
    let is_leading = rest == ":" || rest.starts_with("::");
    is_leading.then_some(text.len() - rest.len())
}

/// Whether `text` turns the `##` before it into a command: it starts with `[`, or with a word and
/// `[`. The end of `text` counts as `[`, because the next string may begin with `[`.
fn opens_command(text: &str) -> bool {
    let is_of_word = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
    matches!(text.trim_start_matches(is_of_word).chars().next(), None | Some('['))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown() {
        for (text, shown) in [
            ("\u{1b}[31m", r"\u{1b}[31m"),
            ("a\r\n\tb", r"a\r\n\tb"),
            ("\u{9b}\u{7f}", r"\u{9b}\u{7f}"),
            ("a\u{202e}b\u{2066}", r"a\u{202e}b\u{2066}"),
            ("\u{e0041}\u{feff}", r"\u{e0041}\u{feff}"),
            ("módulo.a[\"😀\"] ", "módulo.a[\"😀\"] "),
            (r"\u{1b} \n", r"\u{1b} \n"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }

    #[test]
    fn commands_are_shown() {
        for (text, shown) in [
            ("::error::x", r"\u{3a}:error::x"),
            (" \u{3000} ::error::x", " \u{3000} \\u{3a}:error::x"),
            ("\t::error::x", r"\t\u{3a}:error::x"),
            (":", r"\u{3a}"),
            ("a ##[error]x", r"a #\u{23}[error]x"),
            ("##vso[task.x]##[y]", r"#\u{23}vso[task.x]#\u{23}[y]"),
            ("###[x]", r"##\u{23}[x]"),
            ("##teamcity[x]", r"#\u{23}teamcity[x]"),
            ("x##", r"x#\u{23}"),
            ("x##vso", r"x#\u{23}vso"),
            ("#\u{ad}#[x]", r"#\u{ad}#[x]"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
            assert_eq!(visible(shown), shown, "{text:?}");
        }
    }

    #[test]
    fn lines_are_kept_and_each_is_inert() {
        for (text, shown) in [
            ("a\n\n  b\r\nc\n\n", "a\n\n  b\nc"),
            ("a\rb\tc\u{1b}[1m", "a\\rb\tc\\u{1b}[1m"),
            ("a\n::error::x\n ##[y]", "a\n\\u{3a}:error::x\n #\\u{23}[y]"),
            ("\n", ""),
        ] {
            assert_eq!(lines(text), shown, "{text:?}");
        }
    }

    #[test]
    fn texts_that_only_resemble_commands_are_unchanged() {
        for text in [
            "",
            ":a",
            "arn:aws:s3:::bucket",
            "a ::error::x",
            "# a",
            "#[a]",
            "a#b[0]",
            "## Heading",
            "## [a](b)",
            "##!vso[",
            "#####  #",
        ] {
            assert_eq!(visible(text), text);
        }
    }
}
