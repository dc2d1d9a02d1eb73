//! Cuts text from plans to a number of characters, and makes its hidden characters visible.

use plansift_core::inert::{lines, visible};

/// Makes hidden characters in `text` visible, and cuts it to `max` characters.
pub(crate) fn cut(text: &str, max: usize) -> String {
    // Cut first, to save work: a character never becomes shorter when it is made visible.
    let end = text.char_indices().nth(max).map_or(text.len(), |(at, _)| at);
    shortened(visible(&text[..end]), max, end < text.len())
}

/// Like [`cut`], but keeps the line feeds of a message.
pub(crate) fn cut_lines(text: &str, max: usize) -> String {
    let end = text.char_indices().nth(max).map_or(text.len(), |(at, _)| at);
    shortened(lines(&text[..end]), max, end < text.len())
}

/// Cuts `text` to `max` characters. `is_cut` says that it was longer.
pub(crate) fn shortened(mut text: String, max: usize, is_cut: bool) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => text.truncate(at),
        None if !is_cut => return text,
        None => {}
    }
    text.push('…');
    text
}
