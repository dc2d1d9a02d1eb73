//! Where the nodes of a document are in its text, and how to write in their place.
//!
//! A text inside a node has other offsets than the node's source: escapes, doubled quotes,
//! indentation and folded lines lie between them. `Style::positions` walks both at once. White
//! space with a line break in it corresponds as a whole, because only white space is folded.

use std::ops::Range;

pub use super::nodes::Style;
use super::nodes::{Node, Nodes};
use crate::json::string;

/// The source of a node.
#[derive(Clone, Debug)]
pub struct Place {
    /// The range of the node in the text, in bytes.
    pub range: Range<usize>,
    /// How the node is written.
    pub style: Style,
}

/// Where the nodes of a document are in its text.
#[derive(Debug, Default)]
pub struct Places {
    /// The start of the document in the text, after the byte order mark.
    pub(super) start: usize,
    /// The nodes of a YAML document; `None` for JSON.
    pub(super) nodes: Option<Nodes>,
}

impl Places {
    /// Returns the source of the value or key at a range of the JSON text. Returns `None` for a
    /// value without a source, such as the list of several documents.
    pub fn of(&self, json: Range<u64>) -> Option<Place> {
        let place = |start: usize, end: usize, style| {
            Some(Place { range: self.start + start..self.start + end, style })
        };
        let Some(nodes) = &self.nodes else {
            return place(json.start as usize, json.end as usize, Style::Json);
        };
        let Node { start, end, style, .. } = nodes.at(json.start)?;
        place(start as usize, end as usize, style)
    }

    /// Returns the ranges of the comments of a YAML document, without their `#`.
    pub fn comments(&self, text: &[u8]) -> Vec<Range<usize>> {
        let (mut comments, mut from) = (Vec::new(), 0);
        let nodes = self.nodes.iter().flat_map(Nodes::iter).filter(|node| !node.is_container);
        let gaps = nodes.map(|node| (node.start as usize, node.end as usize));
        let text = &text[self.start..];
        for (start, end) in gaps.chain([(text.len(), text.len())]) {
            while let Some(sign) = memchr::memchr(b'#', text.get(from..start).unwrap_or_default()) {
                let sign = from + sign;
                from = sign + 1;
                if sign == 0 || text[sign - 1].is_ascii_whitespace() {
                    let line = &text[from..];
                    let len = memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len());
                    comments.push(self.start + from..self.start + from + len);
                    from += len;
                }
            }
            from = from.max(end);
        }
        comments
    }
}

impl Style {
    /// Returns what stands in place of a node whose value is `text`, or `null` for `None`. The text
    /// has no quotes, no backslashes and no line breaks.
    pub fn token(self, text: Option<&str>) -> String {
        let lead = if self == Style::Dashes { " " } else { "" };
        match (self, text) {
            (_, None) => format!("{lead}null"),
            (Style::Json | Style::Double, Some(text)) => format!("\"{text}\""),
            (Style::Block, Some(text)) => text.to_owned(),
            // A comma ends a plain scalar between brackets.
            (Style::Plain | Style::Dashes, Some(text)) if !text.contains(',') => {
                format!("{lead}{text}")
            }
            (_, Some(text)) => format!("{lead}'{text}'"),
        }
    }

    /// Returns the source of `text` inside a node.
    pub fn escaped(self, text: &str) -> String {
        match self {
            Style::Json | Style::Double => text.replace('\\', "\\\\").replace('"', "\\\""),
            Style::Single => text.replace('\'', "''"),
            Style::Plain | Style::Block | Style::Dashes => text.to_owned(),
        }
    }

    /// Returns the range of the node's text in its source: the source without quotes.
    pub fn inside(self, source: Range<usize>) -> Option<Range<usize>> {
        let inside = match self {
            Style::Json | Style::Single | Style::Double => source.start + 1..source.end.max(1) - 1,
            Style::Plain | Style::Block | Style::Dashes => source,
        };
        (inside.start <= inside.end).then_some(inside)
    }

    /// Converts offsets in the decoded text of a node to offsets in its source (without quotes).
    /// The offsets must be in ascending order, and not inside white space. Returns `None` if the
    /// source does not spell the text.
    fn positions(
        self,
        source: &[u8],
        text: &[u8],
        offsets: impl IntoIterator<Item = usize>,
    ) -> Option<Vec<usize>> {
        let skipped = |bytes: &[u8]| bytes.len() - bytes.trim_ascii_start().len();
        // The source of a block scalar begins with its first line that is not empty.
        let mut at = if self == Style::Block { skipped(source) } else { 0 };
        let mut place = if self == Style::Block { skipped(text) } else { 0 };
        let mut positions = Vec::new();
        for offset in offsets {
            while place < offset {
                let (source_len, len) = self.step(&source[at..], &text[place..])?;
                (at, place) = (at + source_len, place + len);
            }
            if place > offset {
                return None;
            }
            positions.push(at);
        }
        Some(positions)
    }

    /// Converts ranges in the decoded text of a node to ranges in its source, like
    /// `Style::positions`.
    pub fn spelled(
        self,
        source: &[u8],
        text: &[u8],
        ranges: impl IntoIterator<Item = Range<usize>>,
    ) -> Option<Vec<Range<usize>>> {
        let offsets = ranges.into_iter().flat_map(|range| [range.start, range.end]);
        let positions = self.positions(source, text, offsets)?;
        Some(positions.as_chunks::<2>().0.iter().map(|&[start, end]| start..end).collect())
    }

    /// Returns the lengths of the next part of the source, and of the same part of the text.
    fn step(self, source: &[u8], text: &[u8]) -> Option<(usize, usize)> {
        let &first = source.first()?;
        let escape = match (self, first) {
            (Style::Json, b'\\') => Some(string::escape(source)?),
            (Style::Double, b'\\') if !matches!(source.get(1), Some(b'\n' | b'\r')) => {
                Some(yaml_escape(source)?)
            }
            (Style::Single, b'\'') => Some(('\'', 2)),
            _ => None,
        };
        if let Some((character, len)) = escape {
            let mut spelled = [0; 4];
            let spelled = character.encode_utf8(&mut spelled).as_bytes();
            return text.starts_with(spelled).then_some((len, spelled.len()));
        }
        let is_space =
            |byte: &u8| byte.is_ascii_whitespace() || (self == Style::Double && *byte == b'\\');
        if self != Style::Json && is_space(&first) {
            let run = source.iter().position(|byte| !is_space(byte)).unwrap_or(source.len());
            if source[..run].contains(&b'\n') || source[..run].contains(&b'\r') {
                let folded = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                return Some((run, folded));
            }
        }
        (text.first() == Some(&first)).then_some((1, 1))
    }
}

/// Decodes the escape of a double-quoted YAML scalar that `text` begins with. Returns the character
/// and the length of the escape. `None` if YAML has no such escape.
pub fn yaml_escape(text: &[u8]) -> Option<(char, usize)> {
    let simple = match text.get(1)? {
        b'0' => '\0',
        b'a' => '\u{7}',
        b't' | b'\t' => '\t',
        b'v' => '\u{b}',
        b'e' => '\u{1b}',
        b' ' => ' ',
        b'N' => '\u{85}',
        b'_' => '\u{a0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        b'x' => return hexadecimal(text, 2),
        b'U' => return hexadecimal(text, 8),
        b'u' => return hexadecimal(text, 4),
        _ => return string::escape(text),
    };
    Some((simple, 2))
}

fn hexadecimal(text: &[u8], digits: usize) -> Option<(char, usize)> {
    let value = text.get(2..2 + digits)?.iter().try_fold(0, |value: u32, &digit| {
        Some(value.checked_mul(16)? + char::from(digit).to_digit(16)?)
    })?;
    Some((char::from_u32(value)?, 2 + digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(style: Style, source: &str, text: &str, word: &str) -> Option<String> {
        let start = text.find(word).unwrap();
        let offsets = [start, start + word.len()];
        let positions = style.positions(source.as_bytes(), text.as_bytes(), offsets)?;
        Some(source[positions[0]..positions[1]].to_owned())
    }

    #[test]
    fn words_are_found_in_the_source_of_a_node() {
        for (style, source, text, spelled) in [
            (Style::Json, r#"a\"\u00e9 word\n"#, "a\"\u{e9} word\n", "word"),
            (Style::Json, r"\ud83d\ude00w\u006frd", "\u{1f600}word", r"w\u006frd"),
            (Style::Plain, "a b\n    word", "a b word", "word"),
            (Style::Single, "it''s\n\n  word'' x", "it's\nword' x", "word"),
            (Style::Double, r"\x41\_ w\x6frd", "A\u{a0} word", r"w\x6frd"),
            (Style::Double, "a\\\n   word", "aword", "\\\n   word"),
            (Style::Double, "a \n word\\n", "a word\n", "word"),
            (Style::Block, "  a\n\n    word\n  b\n", "\na\n\n  word\nb\n", "word"),
            (Style::Block, "a\r\n    word\r\n  ", "a\nword\n", "word"),
        ] {
            let found = positions(style, source, text, "word");
            assert_eq!(found.as_deref(), Some(spelled), "{source}");
        }
        assert_eq!(positions(Style::Json, "other word", "a word", "word"), None);
        assert_eq!(positions(Style::Json, r"\q word", "q word", "word"), None);
    }

    #[test]
    fn masks_are_valid_in_every_style() {
        let all = [Style::Json, Style::Plain, Style::Single, Style::Double, Style::Dashes];
        let token = |text| all.map(|style| style.token(text));
        assert_eq!(token(Some("(x y)")), ["\"(x y)\"", "(x y)", "'(x y)'", "\"(x y)\"", " (x y)"]);
        assert_eq!(token(Some("(x, y)"))[1], "'(x, y)'");
        assert_eq!(token(None), ["null", "null", "null", "null", " null"]);
    }

    #[test]
    fn escapes_of_yaml_are_decoded() {
        for (escape, character) in
            [(r"\x41b", 'A'), (r"\u0041", 'A'), (r"\U0001f600", '\u{1f600}'), (r"\/", '/')]
        {
            assert_eq!(yaml_escape(escape.as_bytes()).map(|(found, _)| found), Some(character));
        }
        for escape in ["\\", r"\q", r"\x4", r"\ud800", r"\U00110000"] {
            assert_eq!(yaml_escape(escape.as_bytes()), None, "{escape}");
        }
    }
}
