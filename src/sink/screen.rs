//! The screen that a page is drawn for.

use std::borrow::Cow;

/// Whether to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Colours by escape sequences of a terminal.
    Terminal,
    /// No colours.
    None,
}

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
}

/// Splits an ASCII sentence at spaces into lines of at most `columns` columns.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), text);
    while rest.len() > columns
        && let Some(space) = rest.get(..=columns).and_then(|line| line.rfind(' '))
    {
        lines.push(&rest[..space]);
        rest = &rest[space + 1..];
    }
    lines.push(rest);
    lines
}

/// A text without the escape sequences of styles. Text of a plan has no escape sequences here.
pub(super) fn unpainted(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('\u{1b}');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest)));
    Cow::Owned(plain)
}
