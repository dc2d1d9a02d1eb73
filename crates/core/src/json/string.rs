//! Validates, decodes, compares and writes the text of a string: the bytes between its quotes. The
//! scan has already checked that the text is UTF-8 without control characters.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::convert::Infallible;

/// The position of an invalid escape or of half a surrogate pair, in bytes from the text's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadEscape(pub usize);

/// Length of the longest escape, a surrogate pair.
pub const ESCAPE_MAX: usize = 12;

/// Largest ratio of an escaped text to its decoded text: `\u0041` is `A`.
pub const EXPANSION_MAX: usize = 6;

/// Decodes the escape that `text` begins with; returns the character and the escape's length.
///
/// `None` if JSON has no such escape, or if it is half of a surrogate pair.
pub fn escape(text: &[u8]) -> Option<(char, usize)> {
    let simple = match text.get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(text),
        _ => return None,
    };
    Some((simple, 2))
}

/// Like [`escape`], but half of a surrogate pair becomes U+FFFD, as in Go.
pub fn escape_lossy(text: &[u8]) -> Option<(char, usize)> {
    escape(text).or_else(|| code_unit(text).map(|_| (char::REPLACEMENT_CHARACTER, 6)))
}

fn unicode_escape(text: &[u8]) -> Option<(char, usize)> {
    let first = code_unit(text)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(first)?, 6));
    }
    let second = code_unit(&text[6..]).filter(|second| (0xdc00..0xe000).contains(second))?;
    Some((char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?, 12))
}

/// The code unit of the `\u` escape that a text begins with.
pub fn code_unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit * 16 + char::from(digit).to_digit(16)?))
}

/// Decodes a text. Without escapes, the result borrows from `text`, so no other process may write
/// to `text`. For a text of a mapped file, [`unescape`] makes a copy. Fails at the first bad
/// escape, or if a byte is not UTF-8.
pub fn decode(text: &[u8]) -> Result<Cow<'_, str>, BadEscape> {
    if memchr::memchr(b'\\', text).is_none() {
        let plain = simdutf8::basic::from_utf8(text).map_err(|_| BadEscape(0))?;
        return Ok(Cow::Borrowed(plain));
    }
    let mut decoded = Vec::with_capacity(text.len());
    unescape(text, &mut decoded)?;
    String::from_utf8(decoded).map(Cow::Owned).map_err(|_| BadEscape(0))
}

/// Decodes a text and appends it. Does not check that the text between escapes is UTF-8. Fails at
/// the first bad escape.
pub fn unescape(text: &[u8], decoded: &mut Vec<u8>) -> Result<(), BadEscape> {
    let mut at = 0;
    while let Some(plain) = memchr::memchr(b'\\', &text[at..]) {
        decoded.extend_from_slice(&text[at..at + plain]);
        at += plain;
        let (character, len) = escape(&text[at..]).ok_or(BadEscape(at))?;
        match u8::try_from(character) {
            Ok(ascii @ ..0x80) => decoded.push(ascii),
            _ => decoded.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        at += len;
    }
    decoded.extend_from_slice(&text[at..]);
    Ok(())
}

/// The bytes as a `str`, if they are UTF-8.
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// Appends a text as a JSON string with quotes, exactly as serde_json writes it.
pub fn push_quoted(text: &str, json: &mut String) {
    let Ok(()) = quoted_pieces(text, &mut |piece| {
        json.push_str(piece);
        Ok::<(), Infallible>(())
    });
}

/// Calls `each` with the pieces of a text as a JSON string with quotes.
pub(crate) fn quoted_pieces<E>(
    text: &str,
    each: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    each("\"")?;
    let mut rest = text;
    while let Some(plain) = rest.bytes().position(|byte| matches!(byte, ..b' ' | b'"' | b'\\')) {
        each(&rest[..plain])?;
        match rest.as_bytes()[plain] {
            b'"' => each("\\\"")?,
            b'\\' => each("\\\\")?,
            b'\n' => each("\\n")?,
            b'\r' => each("\\r")?,
            b'\t' => each("\\t")?,
            8 => each("\\b")?,
            12 => each("\\f")?,
            control => each(&format!("\\u{control:04x}"))?,
        }
        rest = &rest[plain + 1..];
    }
    each(rest)?;
    each("\"")
}

/// Returns a text as a JSON string, with its quotes.
pub fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    push_quoted(text, &mut json);
    json
}

/// Length of the escape that `text` begins with; `None` if it is invalid.
#[inline]
pub fn escape_len(text: &[u8]) -> Option<usize> {
    match text.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        _ => escape(text).map(|(_, len)| len),
    }
}

/// Checks the escapes of a text. Fails at the first bad escape.
pub fn check(text: &[u8]) -> Result<(), BadEscape> {
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &text[at..]) {
        at += next;
        at += escape_len(&text[at..]).ok_or(BadEscape(at))?;
    }
    Ok(())
}

/// Length of the longest common prefix, in bytes.
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    // The compiler inlines comparisons of arrays of a fixed length.
    let strides = a.as_chunks::<32>().0.iter().zip(b.as_chunks::<32>().0);
    let same = 32 * strides.take_while(|(a, b)| a == b).count();
    let words = a[same..].as_chunks::<8>().0.iter().zip(b[same..].as_chunks::<8>().0);
    let mut end = same;
    for (a, b) in words {
        let differing = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differing != 0 {
            return end + differing.trailing_zeros() as usize / 8;
        }
        end += 8;
    }
    end + a[end..].iter().zip(&b[end..]).take_while(|(a, b)| a == b).count()
}

/// Returns a position at or before the first difference of two texts. No escape crosses the
/// position.
pub fn divergence(a: &[u8], b: &[u8]) -> usize {
    let same = common_prefix(a, b);
    let near = same.saturating_sub(ESCAPE_MAX - 1);
    let Some(last) = memchr::memrchr(b'\\', &a[near..same]) else { return same };
    let last = near + last;
    let run = a[..=last].iter().rev().take_while(|&&byte| byte == b'\\').count();
    match a[last + 1..same].first() {
        // The last backslash is escaped itself.
        _ if run % 2 == 0 => same,
        None => last,
        // The escape may be the second half of a pair.
        Some(b'u') => 0,
        Some(_) => same,
    }
}

/// Compares the decoded texts by their UTF-8 bytes. A bad escape is compared undecoded.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    compare_from(divergence(a, b), a, b)
}

/// Like [`compare`], for texts whose [`divergence`] is known.
pub fn compare_from(start: usize, a: &[u8], b: &[u8]) -> Ordering {
    let (a, b) = (&a[start..], &b[start..]);
    match (a.first(), b.first()) {
        (x, y) if x != y && ![x, y].contains(&Some(&b'\\')) => x.cmp(&y),
        _ => Decoded::new(a).cmp(Decoded::new(b)),
    }
}

/// An iterator over the UTF-8 bytes of a decoded text.
struct Decoded<'a> {
    text: &'a [u8],
    pending: [u8; 4],
    next: usize,
    len: usize,
}

impl<'a> Decoded<'a> {
    fn new(text: &'a [u8]) -> Decoded<'a> {
        Decoded { text, pending: [0; 4], next: 0, len: 0 }
    }
}

impl Iterator for Decoded<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.next < self.len {
            self.next += 1;
            return Some(self.pending[self.next - 1]);
        }
        let &first = self.text.first()?;
        if first == b'\\'
            && let Some((character, len)) = escape(self.text)
        {
            self.text = &self.text[len..];
            self.len = character.encode_utf8(&mut self.pending).len();
            self.next = 1;
            return Some(self.pending[0]);
        }
        self.text = &self.text[1..];
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escapes_decode() {
        for (text, decoded) in [
            (r"", ""),
            (r"plain é", "plain é"),
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"a\u003cb\u00e9\ud83d\ude00z", "a<bé😀z"),
            (r"\u0000", "\0"),
        ] {
            assert_eq!(decode(text.as_bytes()).unwrap(), decoded);
            assert_eq!(check(text.as_bytes()), Ok(()));
            assert_eq!(compare(text.as_bytes(), text.as_bytes()), Ordering::Equal);
        }
    }

    #[test]
    fn bad_escapes_have_a_position() {
        for (text, place) in [
            (r"ab\x", 2),
            (r"\u12", 0),
            (r"a\u12g4", 1),
            (r"\ud800", 0),
            (r"\udc00", 0),
            (r"\ud800\u0041", 0),
            (r"\ud800\n", 0),
            (r"\n\", 2),
            (r"\u+123", 0),
        ] {
            assert_eq!(decode(text.as_bytes()), Err(BadEscape(place)), "{text}");
            assert_eq!(check(text.as_bytes()), Err(BadEscape(place)), "{text}");
        }
    }

    #[test]
    fn comparison_decodes_escapes() {
        let pairs = [(r"\u003c", "<"), (r"\u00e9", "é"), (r"\ud83d\ude00", "😀"), (r"a\/b", "a/b")];
        for (a, b) in pairs {
            assert_eq!(compare(a.as_bytes(), b.as_bytes()), Ordering::Equal);
        }
        assert_eq!(compare(br"\u0061", b"b"), Ordering::Less);
        assert_eq!(compare("\u{ffff}".as_bytes(), br"\ud83d\ude00"), Ordering::Less);
        assert_eq!(compare(b"a", br"a\u0000"), Ordering::Less);
    }

    proptest! {
        #[test]
        fn quoting_matches_serde_json(
            text in r#"[a-z]{0,40}(\PC|["\\\x00-\x1f\x7f\u{2028}\u{1f600}é]){0,4}[a-z]{0,40}"#,
        ) {
            let mut json = String::new();
            push_quoted(&text, &mut json);
            prop_assert_eq!(&json, &serde_json::to_string(&text).unwrap());
            prop_assert_eq!(decode(&json.as_bytes()[1..json.len() - 1]).unwrap(), text);
        }
    }

    /// Texts made of pieces. Some of the pieces decode to the same character.
    fn text() -> impl Strategy<Value = String> {
        let pieces = [
            "a",
            "b",
            "u",
            "\u{fffd}",
            r"\\",
            r#"\""#,
            r"\/",
            "/",
            r"\u0061",
            r"\u005c",
            r"\ud83d\ude00",
            r"\ud83d\ude01",
            "😀",
            r"\n",
            r"\u000a",
            "a plain piece of some length",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..12)
            .prop_map(|all| all.concat())
    }

    proptest! {
        #[test]
        fn comparison_agrees_with_decoding(same in text(), a in text(), b in text()) {
            let (a, b) = (format!("{same}{a}"), format!("{same}{b}"));
            let decoded = decode(a.as_bytes()).unwrap().cmp(&decode(b.as_bytes()).unwrap());
            prop_assert_eq!(compare(a.as_bytes(), b.as_bytes()), decoded);
            // Both texts can be parsed from the divergence on.
            let start = divergence(a.as_bytes(), b.as_bytes());
            prop_assert_eq!(&a.as_bytes()[..start], &b.as_bytes()[..start]);
            prop_assert_eq!(check(&a.as_bytes()[start..]), Ok(()));
            prop_assert_eq!(check(&b.as_bytes()[start..]), Ok(()));
        }

        #[test]
        fn a_common_prefix_ends_at_the_first_difference(len in 0..100usize, at in 0..100usize) {
            let a = vec![b'a'; len];
            let mut b = a.clone();
            b.push(b'a');
            prop_assert_eq!(common_prefix(&a, &b), len);
            b[at.min(len)] = b'b';
            prop_assert_eq!(common_prefix(&a, &b), at.min(len));
            prop_assert_eq!(common_prefix(&b, &a), at.min(len));
        }
    }
}
