//! Escapes hidden characters and CI commands in JSON text, and keeps the value of the JSON.
//!
//! Outside strings, JSON is printable ASCII without `#`, and white space. White space outside
//! strings stays as it is. So a writer escapes hidden characters and `##` without tracking where
//! strings begin. A line never starts with `::`, because each line of our JSON begins with a
//! bracket.

use std::borrow::Cow;
use std::io::{self, Write};

use super::hidden::is_hidden;

/// The maximum number of bytes to escape at once. The escaped text is held in memory.
const PIECE_LEN: usize = 64 << 10;

/// Writes JSON text to `out` with hidden characters as `\u…`, and the second `#` of `##` as well.
///
/// Nearly all text needs no escapes. Such text is checked once and passed on unchanged.
#[derive(Debug)]
pub struct Json<W: Write> {
    out: W,
    ends_in_hash: bool,
    /// The first bytes of a character that the next write completes.
    open: Vec<u8>,
    escaped: Vec<u8>,
}

impl<W: Write> Json<W> {
    /// A writer that passes the escaped text to `out`.
    pub fn new(out: W) -> Json<W> {
        Json { out, ends_in_hash: false, open: Vec::new(), escaped: Vec::new() }
    }

    /// Escapes text and appends it to `escaped`. Returns `Err` if the text ends within a character,
    /// with the number of bytes of that character that the text contains.
    fn escape(&mut self, text: &[u8]) -> Result<(), usize> {
        let (mut at, mut look_at) = (0, 0);
        while let Some(&byte) = text.get(at) {
            if at >= look_at {
                let len = plain_len(&text[at..]);
                if len > 0 {
                    self.escaped.extend_from_slice(&text[at..at + len]);
                    self.ends_in_hash = false;
                    at += len;
                    look_at = at + CHUNK;
                    continue;
                }
                look_at = at + CHUNK;
            }
            if byte < 0x7f && !(self.ends_in_hash && byte == b'#') {
                self.escaped.push(byte);
                self.ends_in_hash = byte == b'#';
                at += 1;
                continue;
            }
            let len = match byte {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => 1,
            };
            let Some(bytes) = text.get(at..at + len) else { return Err(text.len() - at) };
            let character = std::str::from_utf8(bytes).ok().and_then(|it| it.chars().next());
            let is_escaped = match character {
                // Of ASCII, only DEL and the second `#` come here. Other control characters occur
                // only between tokens, as white space.
                Some(character) => byte < 0x7f || is_hidden(character),
                None => false,
            };
            match character.filter(|_| is_escaped) {
                Some(character) => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        // Writing to a `Vec` cannot fail.
                        let _ = write!(self.escaped, "\\u{unit:04x}");
                    }
                }
                None => self.escaped.extend_from_slice(bytes),
            }
            self.ends_in_hash = false;
            at += len;
        }
        Ok(())
    }
}

/// The number of bytes to check together.
const CHUNK: usize = 64;

/// The length of the leading run of ASCII without DEL and `#`, in bytes; a multiple of [`CHUNK`].
fn plain_len(text: &[u8]) -> usize {
    let is_plain = |chunk: &&[u8; CHUNK]| {
        !chunk.iter().fold(false, |any, &byte| any | (byte >= 0x7f) | (byte == b'#'))
    };
    text.as_chunks().0.iter().take_while(is_plain).count() * CHUNK
}

impl<W: Write> Write for Json<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let text = &text[..text.len().min(PIECE_LEN)];
        let continues = !self.open.is_empty() || (self.ends_in_hash && text.starts_with(b"#"));
        if !continues && is_plain(text) {
            self.ends_in_hash = text.last().map_or(self.ends_in_hash, |last| *last == b'#');
            self.out.write_all(text)?;
            return Ok(text.len());
        }
        let mut open = std::mem::take(&mut self.open);
        let text_len = text.len();
        let text = if open.is_empty() {
            text
        } else {
            open.extend_from_slice(text);
            &open
        };
        self.escaped.clear();
        if let Err(len) = self.escape(text) {
            self.open = text[text.len() - len..].to_vec();
        }
        self.out.write_all(&self.escaped)?;
        Ok(text_len)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Escapes JSON text in memory, like [`Json`].
pub fn json(text: &str) -> Cow<'_, str> {
    if is_plain(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let mut json = Json::new(Vec::with_capacity(text.len()));
    // Writing to a `Vec` cannot fail, and escaping UTF-8 gives UTF-8.
    let _ = json.write_all(text.as_bytes());
    Cow::Owned(String::from_utf8(json.out).unwrap_or_default())
}

/// Whether text is ASCII without DEL and without two `#` in a row.
fn is_plain(text: &[u8]) -> bool {
    /// The number of bytes to check without a branch.
    const STRIDE: usize = 4096;
    let is_plain = |stride: &[u8]| {
        let Some((last, others)) = stride.split_last() else { return true };
        let is_special = |byte: u8, next: u8| (byte >= 0x7f) | ((byte == b'#') & (next == b'#'));
        let pairs = others.iter().zip(&stride[1..]);
        !pairs.fold(*last >= 0x7f, |any, (byte, next)| any | is_special(*byte, *next))
    };
    let mut at = 0;
    while at < text.len() {
        // Strides overlap by one byte, which may be the first `#` of two.
        let end = (at + STRIDE + 1).min(text.len());
        if !is_plain(&text[at..end]) {
            return false;
        }
        at += STRIDE;
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The output for a text that is written in pieces of `piece_len` bytes.
    fn written(text: &str, piece_len: usize) -> String {
        let mut out = Json::new(Vec::new());
        text.as_bytes().chunks(piece_len).for_each(|piece| out.write_all(piece).unwrap());
        out.flush().unwrap();
        String::from_utf8(out.out).unwrap()
    }

    #[test]
    fn hidden_characters_and_hashes_are_escaped() {
        for (text, expected) in [
            ("", ""),
            ("{\"a\":\"#\u{e9}# \u{1f600}\"}\n", "{\"a\":\"#\u{e9}# \u{1f600}\"}\n"),
            ("\"\u{7f}\u{9b}\u{202e}\"", r#""\u007f\u009b\u202e""#),
            ("\"\u{e0041}\"", r#""\udb40\udc41""#),
            ("\"##vso[x]\"", r##""#\u0023vso[x]""##),
            ("\"#####\"", r##""#\u0023#\u0023#""##),
        ] {
            for piece_len in 1..8 {
                assert_eq!(written(text, piece_len), expected, "{text:?}");
            }
            assert_eq!(json(text), expected, "{text:?}");
        }
    }

    #[test]
    fn long_text_is_escaped_in_pieces() {
        for end in ["##", "\u{200b}", "\u{e0041}"] {
            for len in PIECE_LEN - 5..PIECE_LEN + 5 {
                let text = format!("{}{end}", "x".repeat(len));
                let expected = format!("{}{}", "x".repeat(len), written(end, 1));
                assert!(json(&text) == expected, "{end:?} behind {len} bytes");
            }
        }
        let mut out = Json::new(io::sink());
        out.write_all("\u{7f}".repeat(100 * PIECE_LEN).as_bytes()).unwrap();
        assert!(out.escaped.capacity() < 20 * PIECE_LEN);
    }

    proptest! {
        #[test]
        fn escapes_keep_the_value(
            text in r##"([a-z]|[#\\"\x00-\x20\x7f-\u{a0}\u{200b}-\u{2030}\u{feff}]|\PC){0,20}"##,
            space in 0..3_usize,
            piece_len in 1..9_usize,
        ) {
            // Some texts also cross the end of a stride.
            let text = format!("{}{text}", " ".repeat(space * 4090));
            let json = serde_json::to_string(&text).unwrap();
            let written = written(&json, piece_len * if space > 0 { 1000 } else { 1 });
            prop_assert_eq!(&written, &super::json(&json));
            prop_assert!(!written.contains("##") && !written.contains(is_hidden));
            prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        }
    }
}
