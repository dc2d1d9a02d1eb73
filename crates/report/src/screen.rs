//! The screen that a page is drawn for.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use plansift_core::inert::visible;

pub(super) const PLAIN: &str = "";
pub(super) const BOLD: &str = "\x1b[1m";
pub(super) const DIM: &str = "\x1b[2m";
pub(super) const RED: &str = "\x1b[31m";
pub(super) const GREEN: &str = "\x1b[32m";
pub(super) const YELLOW: &str = "\x1b[33m";
pub(super) const CYAN: &str = "\x1b[36m";
pub(super) const RESET: &str = "\x1b[0m";

/// Whether to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Colours by escape sequences of a terminal.
    Terminal,
    /// No colours.
    None,
}

/// The column where the names of attributes begin.
pub(super) const NAMES: usize = 10;

/// The screen that a page is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Whether the screen shows colours.
    pub color: Color,
    /// The width in columns. Longer names are cut.
    pub width: usize,
}

impl Screen {
    /// Width of a file or a pipe, in columns. Only names of unusual length are cut.
    pub const UNBOUNDED: usize = 1000;
    /// Minimum width of a page, in columns.
    pub const NARROWEST: usize = 60;

    /// The screen of a file or a pipe.
    pub const FILE: Screen = Screen { color: Color::None, width: Screen::UNBOUNDED };

    /// Returns `text` in a style. Only [`Color::Terminal`] adds escape sequences.
    pub(super) fn paint(self, style: &str, text: &str) -> String {
        match self.color {
            Color::Terminal if !style.is_empty() => format!("{style}{text}{RESET}"),
            _ => text.to_owned(),
        }
    }

    /// Returns `text`, whose width is `columns`. It follows `used` columns on the same line if it
    /// fits, and otherwise begins a new line below the names of attributes.
    pub(super) fn beside(self, used: usize, columns: usize, text: &str) -> String {
        match used + 2 + columns <= self.width {
            true => format!("  {text}"),
            false => format!("\n{}{text}", " ".repeat(NAMES)),
        }
    }

    /// Returns a phrase that follows `used` columns on the same line if it fits, and otherwise is
    /// wrapped into lines below the names of attributes. Also returns the columns that its last
    /// line uses.
    pub(super) fn phrase(self, mut used: usize, phrase: &str) -> (String, usize) {
        if phrase.is_empty() {
            return (String::new(), used);
        }
        if used + 2 + width(phrase) <= self.width {
            return (format!("  {}", self.paint(DIM, phrase)), used + 2 + width(phrase));
        }
        let mut text = String::new();
        for line in wrapped(phrase, self.width.saturating_sub(NAMES)) {
            // Each line is escaped again, because its start could be a CI runner command.
            let line = visible(line);
            used = NAMES + width(&line);
            text += &format!("\n{}{}", " ".repeat(NAMES), self.paint(DIM, &line));
        }
        (text, used)
    }

    /// Wraps a sentence into lines.
    pub(super) fn sentence(self, style: &str, text: &str) -> String {
        let (mark, text) = match text.strip_prefix("! ") {
            Some(text) => ("! ", text),
            None => ("", text),
        };
        let lines = wrapped(text, self.width.saturating_sub(mark.len())).into_iter();
        let space = " ".repeat(mark.len());
        let lines = lines.enumerate().map(|(index, line)| match index {
            0 => self.paint(style, &format!("{mark}{line}")) + "\n",
            _ => format!("{space}{}\n", self.paint(style, line)),
        });
        lines.collect()
    }

    /// Wraps a note below a table into lines.
    pub(super) fn note(self, text: &str) -> String {
        let lines = wrapped(text, self.width - 2).into_iter();
        lines.map(|line| format!("  {}\n", self.paint(DIM, line))).collect()
    }

    /// Formats a number for a column of a table. A zero becomes a dot.
    pub(super) fn number(self, style: &str, number: u64, columns: usize) -> String {
        match number {
            0 => self.paint(DIM, &format!("{:>columns$}", "·")),
            _ => self.paint(style, &format!("{number:>columns$}")),
        }
    }
}

/// Pads `text` with spaces to a width in columns.
pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Splits a sentence at spaces into lines of at most `columns` columns, where it has spaces.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<&str> {
    // The last space of the line, and the columns up to the character after it.
    let (mut lines, mut start, mut used, mut space) = (Vec::new(), 0, 0, None);
    for (at, character) in text.char_indices() {
        if character == ' ' {
            space = Some((at, used + 1));
        }
        used += character.width().unwrap_or(0);
        if character != ' '
            && used > columns
            && let Some((end, columns)) = space.take()
        {
            lines.push(&text[start..end]);
            (start, used) = (end + 1, used - columns);
        }
    }
    lines.push(&text[start..]);
    lines
}

/// Removes the escape sequences of styles. Text from a plan has no escape sequences, because its
/// hidden characters are made visible first.
pub(super) fn unpainted(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest)));
    Cow::Owned(plain)
}

/// Returns the width of a text, in columns.
pub(super) fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.len();
    }
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

/// Maximum number of characters in one column: a letter and its combining marks.
pub(super) const STACKED: usize = 4;

/// Cuts the end of a text that is wider than `columns`.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let characters = STACKED * columns;
    if width(text) <= columns && text.chars().nth(characters).is_none() {
        return text.to_owned();
    }
    let mut used = 0;
    let mut cut: String = text
        .chars()
        .take(characters)
        .take_while(|character| {
            used += character.width().unwrap_or(0);
            used < columns
        })
        .collect();
    cut.push('…');
    cut
}

/// Cuts the beginning of a text that is wider than `columns`.
pub(super) fn fit_end(text: &str, columns: usize) -> String {
    let reversed: String = text.chars().rev().collect();
    fit(&reversed, columns).chars().rev().collect()
}
