//! Removes the escapes of documents and URLs from a text, in which a secret may be spelled.
//!
//! The results may contain secrets, so they are wiped. They are allocated once, because growing
//! leaves copies behind.

use zeroize::Zeroizing;

use plansift_core::json::string;
use plansift_core::text_document::place::yaml_escape;

/// Whether a secret contains a character that nested documents escape. Escapes with digits, which
/// can spell any character, do not count.
pub(super) fn has_escapable(secret: &[u8]) -> bool {
    secret.iter().any(|byte| matches!(byte, 0..=b' ' | b'"' | b'\\' | b'/' | 0x7f..))
        || secret.windows(2).any(|pair| matches!(pair, b"${" | b"%{"))
}

/// Whether a text may have an escape that can be in any secret: one with digits, or an escaped line
/// break.
pub(super) fn has_escapes_of_any(text: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', text)
        .any(|at| matches!(text.get(at + 1), Some(b'u' | b'U' | b'x' | b'\n' | b'\r')))
}

/// Removes the escapes of JSON and YAML. Invalid escapes stay.
pub(super) fn unescaped(text: &[u8]) -> Zeroizing<Vec<u8>> {
    // Two bytes, as in `\L`, become at most three, so the buffer does not grow.
    let mut plain = Zeroizing::new(Vec::with_capacity(text.len() / 2 * 3 + 1));
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        plain.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let len = match rest.get(1) {
            Some(b'\n' | b'\r') => 1 + space(&rest[1..]),
            _ => match string::escape(rest).or_else(|| yaml_escape(rest)) {
                Some((character, len)) => {
                    plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    len
                }
                None => {
                    plain.push(b'\\');
                    1
                }
            },
        };
        rest = &rest[len..];
    }
    plain.extend_from_slice(rest);
    plain
}

/// Removes the escapes of HCL for template markers: `$${`, `$$${` and so on become `${`. Each level
/// of documents adds a `$`, so a text does not tell how many of them a secret has. A search
/// therefore needs the secrets with single markers, too.
pub(super) fn single_markers(text: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut plain = Zeroizing::new(Vec::with_capacity(text.len()));
    for &byte in text {
        if byte == b'{'
            && let Some(&marker @ (b'$' | b'%')) = plain.last()
        {
            let len = plain.iter().rposition(|byte| *byte != marker).map_or(0, |at| at + 1);
            plain.truncate(len + 1);
        }
        plain.push(byte);
    }
    plain
}

/// Length of the white space at the start of a text.
fn space(text: &[u8]) -> usize {
    text.len() - text.trim_ascii_start().len()
}

/// Replaces two single quotes by one, as in a YAML string between single quotes.
pub(super) fn without_pairs(text: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut plain = Zeroizing::new(Vec::with_capacity(text.len()));
    let mut is_second = false;
    for &byte in text {
        is_second = byte == b'\'' && plain.last() == Some(&byte) && !is_second;
        if !is_second {
            plain.push(byte);
        }
    }
    plain
}

pub(super) fn without_space(text: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut plain = Zeroizing::new(Vec::with_capacity(text.len()));
    plain.extend(text.iter().filter(|byte| !byte.is_ascii_whitespace()));
    plain
}

/// Decodes the percent-escapes of a URL, and pluses as spaces if `has_pluses`. Invalid escapes
/// stay.
pub(super) fn url_decoded(text: &[u8], has_pluses: bool) -> Zeroizing<Vec<u8>> {
    let mut plain = Zeroizing::new(Vec::with_capacity(text.len()));
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let (byte, len) = match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => ((high << 4 | low) as u8, 3),
            (b'+', ..) if has_pluses => (b' ', 1),
            _ => (byte, 1),
        };
        plain.push(byte);
        at += len;
    }
    plain
}

/// Whether a text may have escapes. Tuned for short texts, because most are short.
#[inline]
pub(super) fn may_have_escapes(text: &[u8]) -> bool {
    const SHORT: usize = 32;
    const ESCAPES: [bool; 256] = {
        let mut escapes = [false; 256];
        let [json, address, plus, template] = *b"\\%+$";
        escapes[json as usize] = true;
        escapes[address as usize] = true;
        escapes[plus as usize] = true;
        escapes[template as usize] = true;
        escapes
    };
    match text.len() {
        ..SHORT => text.iter().any(|byte| ESCAPES[usize::from(*byte)]),
        _ => {
            memchr::memchr3(b'\\', b'%', b'+', text).is_some()
                || memchr::memchr(b'$', text).is_some()
        }
    }
}
