//! Tokens of JSON text, with their ranges.
//!
//! The scanner accepts more than JSON: a number is any run of characters that occur in numbers, and
//! a keyword is any run of letters. The parser then reports a fault of the whole token.

use unicode_segmentation::UnicodeSegmentation;

use crate::hcl::position::{Position, Range};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    BraceOpen,
    BraceClose,
    BracketOpen,
    BracketClose,
    Comma,
    Colon,
    Equals,
    Keyword,
    String,
    Number,
    End,
    Invalid,
}

/// A token. [`Scanner::bytes`] returns its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub range: Range,
}

/// Yields the tokens of a text. At the end, it repeats [`Kind::End`].
#[derive(Debug)]
pub struct Scanner<'a> {
    text: &'a [u8],
    at: Position,
    /// True after a character that cannot begin a token. The text after this character is not
    /// scanned.
    stopped: bool,
    peeked: Option<Token>,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a [u8], at: Position) -> Scanner<'a> {
        Scanner { text, at, stopped: false, peeked: None }
    }

    pub fn bytes(&self, token: Token) -> &'a [u8] {
        let Range { start, end } = token.range;
        self.text.get(start.byte as usize..end.byte as usize).unwrap_or_default()
    }

    /// Returns the next token without consuming it.
    pub fn peek(&mut self) -> Token {
        let token = self.peeked.take().unwrap_or_else(|| self.scan());
        self.peeked = Some(token);
        token
    }

    pub fn next(&mut self) -> Token {
        self.peeked.take().unwrap_or_else(|| self.scan())
    }

    fn rest(&self) -> &'a [u8] {
        if self.stopped {
            return &[];
        }
        self.text.get(self.at.byte as usize..).unwrap_or_default()
    }

    fn scan(&mut self) -> Token {
        self.skip_space();
        let start = self.at;
        let rest = self.rest();
        let Some(first) = rest.first() else {
            return Token { kind: Kind::End, range: Range::new(start, start) };
        };
        let while_in = |in_token: fn(u8) -> bool| {
            let count = rest.iter().position(|byte| !in_token(*byte)).unwrap_or(rest.len());
            start.plus(u32::try_from(count).unwrap_or(u32::MAX))
        };
        let (kind, end) = match first {
            b'{' => (Kind::BraceOpen, start.plus(1)),
            b'}' => (Kind::BraceClose, start.plus(1)),
            b'[' => (Kind::BracketOpen, start.plus(1)),
            b']' => (Kind::BracketClose, start.plus(1)),
            b',' => (Kind::Comma, start.plus(1)),
            b':' => (Kind::Colon, start.plus(1)),
            b'=' => (Kind::Equals, start.plus(1)),
            b'"' => (Kind::String, string_end(rest, start)),
            b'-' | b'+' | b'.' | b'0'..=b'9' => (Kind::Number, while_in(is_in_number)),
            byte if byte.is_ascii_alphabetic() => (Kind::Keyword, while_in(is_in_keyword)),
            _ => {
                self.stopped = true;
                (Kind::Invalid, start.plus(1))
            }
        };
        self.at = end;
        Token { kind, range: Range::new(start, end) }
    }

    fn skip_space(&mut self) {
        for byte in self.rest() {
            match byte {
                b' ' => self.at.column = self.at.column.saturating_add(1),
                // In HCL, a tab between tokens of JSON takes two columns.
                b'\t' => self.at.column = self.at.column.saturating_add(2),
                b'\n' => {
                    self.at.line = self.at.line.saturating_add(1);
                    self.at.column = 1;
                }
                b'\r' => {}
                _ => return,
            }
            self.at.byte = self.at.byte.saturating_add(1);
        }
    }
}

fn is_in_number(byte: u8) -> bool {
    matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
}

fn is_in_keyword(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Returns the position after a string: after its closing quote, or before a control character.
fn string_end(rest: &[u8], start: Position) -> Position {
    let mut at = start.plus(1);
    let mut index = 1;
    let mut escaped = false;
    while let Some(byte) = rest.get(index) {
        match byte {
            b'\\' => escaped = !escaped,
            b'"' if !escaped => return at.plus(1),
            0..32 => return at,
            _ => escaped = false,
        }
        let plain = byte.is_ascii() && rest.get(index + 1).is_none_or(u8::is_ascii);
        if plain || matches!(byte, b'\\' | b'"') {
            at = at.plus(1);
            index += 1;
        } else {
            let (bytes, columns) = clusters(rest.get(index..).unwrap_or_default());
            at.byte = at.byte.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
            at.column = at.column.saturating_add(columns);
            index += bytes;
        }
    }
    at
}

/// Returns the length in bytes and the number of the grapheme clusters up to the next ASCII text.
/// Stops before a cluster that starts with a quote, a backslash or a control character.
fn clusters(text: &[u8]) -> (usize, u32) {
    let ends = |pair: &[u8]| pair.is_ascii() || matches!(pair, [b'"' | b'\\' | 0..32, _]);
    let end = text.windows(2).position(ends).map_or(text.len(), |at| at + 1);
    let text = text.get(..end).unwrap_or(text);
    // Each byte that is not UTF-8 counts as a replacement character of one byte.
    let mut decoded = String::with_capacity(text.len());
    let mut widths = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(chunk) = rest.utf8_chunks().next() {
        decoded.push_str(chunk.valid());
        widths.extend(chunk.valid().chars().map(char::len_utf8));
        rest = rest.get(chunk.valid().len()..).unwrap_or_default();
        // In HCL, half of a surrogate pair has three bytes and one column.
        let width = match rest {
            [] => continue,
            [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..] => 3,
            _ => 1,
        };
        decoded.push(char::REPLACEMENT_CHARACTER);
        widths.push(width);
        rest = rest.get(width..).unwrap_or_default();
    }
    let mut widths = widths.into_iter();
    let (mut bytes, mut count) = (0, 0);
    for cluster in decoded.graphemes(true) {
        let ends = cluster.starts_with(|first: char| matches!(first, '"' | '\\' | '\0'..' '));
        if ends && bytes > 0 {
            break;
        }
        bytes += widths.by_ref().take(cluster.chars().count()).sum::<usize>();
        count += 1;
    }
    (bytes.max(1), count)
}
