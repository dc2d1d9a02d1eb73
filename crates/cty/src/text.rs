//! The strings of go-cty: bytes, usually UTF-8, in Unicode normal form C.

use std::borrow::Cow;
use std::fmt::Write;

use unicode_normalization::char::{canonical_combining_class, compose};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

/// Maximum length of the known prefix in an encoded unknown string, in bytes.
const PREFIX_LEN_MAX: usize = 256;

/// Converts text to normal form C. Keeps bytes that are not UTF-8.
pub fn normalize(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    if std::str::from_utf8(text).is_ok_and(|text| is_nfc_quick(text.chars()) == IsNormalized::Yes) {
        return Cow::Borrowed(text);
    }
    let mut normal = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        normal.extend(chunk.valid().nfc().collect::<String>().into_bytes());
        normal.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(normal)
}

/// Converts a string to normal form C.
pub fn normalize_str(text: &str) -> String {
    String::from_utf8_lossy(&normalize(text.as_bytes())).into_owned()
}

/// Shortens a long prefix to a part that later text cannot change.
pub fn short_prefix(prefix: &[u8]) -> Cow<'_, [u8]> {
    if prefix.len() <= PREFIX_LEN_MAX {
        return Cow::Borrowed(prefix);
    }
    let cut = normalize(&prefix[..PREFIX_LEN_MAX - 1]).into_owned();
    let kept = match std::str::from_utf8(&cut) {
        Ok(text) => safe_prefix(text),
        // The cut is inside a character. The character before it is dropped only if it combines.
        Err(error) => {
            let text = std::str::from_utf8(&cut[..error.valid_up_to()]).unwrap_or_default();
            if text.ends_with(combines) { safe_prefix(text) } else { text }
        }
    };
    Cow::Owned(kept.as_bytes().to_vec())
}

/// True if normalization may change the character when another follows it.
fn combines(c: char) -> bool {
    let marks = ('\u{300}'..='\u{345}').chain(['\u{653}', '\u{93c}', '\u{1161}', '\u{3099}']);
    !std::iter::once(c).nfd().eq([c])
        || canonical_combining_class(c) > 0
        || marks.into_iter().any(|mark| compose(c, mark).is_some())
}

/// Drops the last grapheme cluster, which later text could change, unless it is a delimiter.
fn safe_prefix(text: &str) -> &str {
    let Some((start, last)) = text.grapheme_indices(true).next_back() else {
        return text;
    };
    let is_delimiter = |c: char| "-_:;/\\,.(){}[]|?!~ \t@#$%^&*+\"'".contains(c);
    let mut chars = last.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) if is_delimiter(only) => text,
        _ => &text[..start],
    }
}

/// Returns a string quoted like Go's `%q`. The order of sets depends on the quoted text.
pub fn quote(text: impl AsRef<[u8]>) -> String {
    let mut quoted = "\"".to_owned();
    for chunk in text.as_ref().utf8_chunks() {
        for c in chunk.valid().chars() {
            quote_char(c, &mut quoted);
        }
        for byte in chunk.invalid() {
            write!(quoted, "\\x{byte:02x}").unwrap_or_default();
        }
    }
    quoted.push('"');
    quoted
}

fn quote_char(c: char, out: &mut String) {
    match c {
        '"' | '\\' => out.extend(['\\', c]),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        _ if is_printable(c) => out.push(c),
        '\0'..='\x7f' => write!(out, "\\x{:02x}", u32::from(c)).unwrap_or_default(),
        '\u{80}'..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(c)).unwrap_or_default(),
        _ => write!(out, "\\U{:08x}", u32::from(c)).unwrap_or_default(),
    }
}

/// True for letters, marks, numbers, punctuation, symbols and the space.
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    // After another character, `escape_debug` escapes only characters that are not printable.
    let pair = String::from_iter(['a', c]);
    pair.escape_debug().count() == 2
}

/// Returns the CRC-32 checksum, which go-cty uses as the hash of set elements.
pub fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 }
        })
    })
}
