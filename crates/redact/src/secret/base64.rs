//! Finds base64 of texts that contain a secret.
//!
//! Base64 writes three bytes as four characters of six bits. So a secret has three encodings, which
//! depend on its offset in the encoded text. At both ends of an encoding, a character may also
//! depend on the bytes around the secret. The characters between them depend on the secret only. A
//! filter knows them ([`Grams`]). A text that passes the filter is decoded, and the caller searches
//! the bytes:
//!
//! ```text
//! offset 0   ssssssss ssssssss ssssssss      offset 1   ........ ssssssss ssssssss
//!            [    ][     ][     ][    ]                          ....[    ][    ]
//! ```
//!
//! The text around a secret may be JSON, in which some characters of the secret are escaped. The
//! filter knows the secret with the escapes of JSON, too.

use zeroize::Zeroizing;

use super::grams::{Grams, HEAD_MAX};

const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The last two characters of the standard alphabet, and of the alphabet for URLs and file names.
const LAST: [[u8; 2]; 2] = [*b"+/", *b"-_"];

/// The values of the characters of both alphabets, or `NONE`.
const VALUES: [u8; 256] = {
    let mut values = [NONE; 256];
    let mut at = 0;
    while at < ALPHABET.len() {
        values[ALPHABET[at] as usize] = at as u8;
        at += 1;
    }
    let mut alphabet = 0;
    while alphabet < LAST.len() {
        values[LAST[alphabet][0] as usize] = 62;
        values[LAST[alphabet][1] as usize] = 63;
        alphabet += 1;
    }
    values
};

const NONE: u8 = u8::MAX;

/// Finds base64 that may encode a secret.
#[derive(Debug)]
pub(super) struct Base64 {
    filter: Grams,
    /// Length of the shortest encoded secret in characters.
    len_min: usize,
}

impl Base64 {
    /// Builds the filter for `count` secrets of at least `len_min` bytes.
    pub fn new<'t>(
        len_min: usize,
        count: usize,
        secrets: impl Iterator<Item = &'t [u8]>,
    ) -> Base64 {
        let parts = secrets.flat_map(spellings).flat_map(|text| determined(&text));
        let count = count * SPELLINGS * 3 * LAST.len();
        Base64 { filter: Grams::of(len_min, count, parts), len_min: (len_min * 8).div_ceil(6) }
    }

    /// Whether `is` accepts the decoded bytes of some base64 in a text. The offset of the base64 is
    /// not known, because characters of the alphabet may precede it, so it is decoded from each of
    /// four offsets.
    pub fn any(&self, text: &[u8], is: &mut impl FnMut(&[u8]) -> bool) -> bool {
        // Many texts have no such word, and a text seldom has several.
        self.filter.may_hold(text)
            && text
                .split(|byte| VALUES[usize::from(*byte)] == NONE)
                .filter(|word| word.len() >= self.len_min && self.filter.may_hold(word))
                .any(|word| (0..word.len().min(4)).any(|from| is(&decoded(&word[from..]))))
    }
}

/// Decodes characters of the alphabets. Ignores the bits after the last whole byte.
fn decoded(word: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut plain = Zeroizing::new(Vec::with_capacity(word.len() / 4 * 3 + 3));
    let (mut bits, mut count) = (0_u32, 0);
    for byte in word {
        bits = bits << 6 | u32::from(VALUES[usize::from(*byte)]);
        count += 6;
        if count >= 8 {
            count -= 8;
            plain.push((bits >> count) as u8);
        }
    }
    plain
}

/// The first characters that a secret determines in its encodings: at each of three offsets, in
/// both alphabets.
fn determined(secret: &[u8]) -> impl Iterator<Item = Zeroizing<Vec<u8>>> + use<> {
    let head = &secret[..secret.len().min(HEAD_MAX)];
    let encoded = |offset: usize, last: [u8; 2]| {
        let mut characters = Zeroizing::new(Vec::with_capacity(2 * HEAD_MAX));
        let first = (8 * offset).div_ceil(6);
        for place in first..(8 * (offset + head.len())) / 6 {
            // The bits of the character, in the two bytes around it.
            let bit = 6 * place - 8 * offset;
            let byte = |at: usize| u32::from(head.get(at).copied().unwrap_or_default());
            let pair = byte(bit / 8) << 8 | byte(bit / 8 + 1);
            let value = (pair >> (10 - bit % 8) & 0x3f) as usize;
            characters.push(ALPHABET.iter().chain(&last).copied().nth(value).unwrap_or_default());
        }
        characters
    };
    let parts = LAST.map(|last| [0, 1, 2].map(|offset| encoded(offset, last)));
    parts.into_iter().flatten()
}

/// Number of [`spellings`].
const SPELLINGS: usize = 3;

/// The beginning of a secret as it is, with the escapes that JSON needs, and with those of
/// Terraform's `jsonencode`, which also escapes the characters of HTML.
fn spellings(secret: &[u8]) -> [Zeroizing<Vec<u8>>; SPELLINGS] {
    let head = &secret[..secret.len().min(HEAD_MAX)];
    let escaped = |is_escaped: fn(u8) -> bool| {
        // The longest escape has six bytes.
        let mut text = Zeroizing::new(Vec::with_capacity(6 * HEAD_MAX));
        for byte in head {
            match byte {
                byte if !is_escaped(*byte) => text.push(*byte),
                b'"' | b'\\' => text.extend_from_slice(&[b'\\', *byte]),
                b'\n' => text.extend_from_slice(b"\\n"),
                b'\r' => text.extend_from_slice(b"\\r"),
                b'\t' => text.extend_from_slice(b"\\t"),
                byte => {
                    let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
                    text.extend_from_slice(b"\\u00");
                    text.extend_from_slice(&[digit(byte >> 4), digit(byte & 0xf)]);
                }
            }
        }
        text
    };
    let needs_escape = |byte: u8| matches!(byte, ..b' ' | b'"' | b'\\');
    [
        escaped(|_| false),
        escaped(needs_escape),
        escaped(|byte| matches!(byte, ..b' ' | b'"' | b'\\' | b'<' | b'>' | b'&')),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::EchoOf;
    use crate::secret::contained::{Contained, Texts};
    use plansift_core::limits::Limits;
    use proptest::prelude::*;

    /// Encodes bytes, bit by bit.
    fn encoded(plain: &[u8], last: [u8; 2], is_padded: bool) -> String {
        let bits: String = plain.iter().map(|byte| format!("{byte:08b}")).collect();
        let mut text = String::new();
        for six in bits.as_bytes().chunks(6) {
            let six = format!("{:0<6}", String::from_utf8_lossy(six));
            let value = usize::from_str_radix(&six, 2).unwrap();
            text.push(char::from(*ALPHABET.iter().chain(&last).nth(value).unwrap()));
        }
        while is_padded && !text.len().is_multiple_of(4) {
            text.push('=');
        }
        text
    }

    fn contained(secrets: &[&str], len_min: usize, echo: EchoOf) -> Contained {
        let mut texts = Texts::new(len_min, &Limits::default());
        secrets.iter().for_each(|secret| texts.push(secret.as_bytes(), 0).unwrap());
        Contained::new(&texts, echo)
    }

    #[test]
    fn base64_is_encoded_as_its_standard_says() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (plain, expected) in cases {
            assert_eq!(encoded(plain.as_bytes(), LAST[0], true), expected);
            assert_eq!(*decoded(expected.trim_end_matches('=').as_bytes()), plain.as_bytes());
        }
        assert_eq!(encoded(&[0xfb, 0xff], LAST[0], true), "+/8=");
        assert_eq!(encoded(&[0xfb, 0xff], LAST[1], false), "-_8");
    }

    proptest! {
        #[test]
        fn encoded_secrets_are_found(
            secret in "[ -~\n\u{e4}\u{1f600}]{2,24}",
            before in "[ -~]{0,12}",
            behind in "[ -~]{0,12}",
            around in "[A-Za-z0-9 :=.]{0,9}",
            len_min in 1_usize..12,
            last in 0_usize..2,
            is_padded: bool,
        ) {
            prop_assume!(secret.len() >= len_min);
            let contained = contained(&[&secret], len_min, EchoOf::Encoded);
            let plain = format!("{before}{secret}{behind}");
            let text = encoded(plain.as_bytes(), LAST[last], is_padded);
            for text in [text.clone(), format!("{around}{text} {around}")] {
                prop_assert!(contained.is_in(text.as_bytes()), "{:?}", text);
            }
            let lines: Vec<_> = text.as_bytes().chunks(7).map(String::from_utf8_lossy).collect();
            for wrapped in [lines.join("\n"), lines.join("\r\n  "), lines.join("\\n")] {
                prop_assert!(contained.is_in(wrapped.as_bytes()), "{:?}", wrapped);
            }
            for escape in [|byte: u8| format!("%{byte:02x}"), |byte: u8| format!("%{byte:02X}")] {
                let is_reserved = |byte: &u8| !byte.is_ascii_alphanumeric();
                let all = text.bytes().map(escape).collect::<String>();
                let some = text.bytes().map(|byte| match is_reserved(&byte) {
                    true => escape(byte),
                    false => char::from(byte).to_string(),
                });
                prop_assert!(contained.is_in(all.as_bytes()));
                prop_assert!(contained.is_in(some.collect::<String>().as_bytes()));
            }
        }

        #[test]
        fn secrets_in_encoded_json_are_found(
            secret in "[ -~\n]{8,24}",
            before in "[ -~]{0,4}",
            last in 0_usize..2,
        ) {
            let contained = contained(&[&secret], 8, EchoOf::Encoded);
            let json = serde_json::json!({ "k": before, "p": secret }).to_string();
            let html = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
            for plain in [json, html] {
                let text = encoded(plain.as_bytes(), LAST[last], true);
                prop_assert!(contained.is_in(text.as_bytes()), "{:?} {:?}", plain, text);
            }
        }

        #[test]
        fn other_base64_is_not_found(
            secret in "[a-m]{8,16}", plain in "[n-z ]{0,90}", text in "[n-zN-Z0-9+/ ]{0,90}",
        ) {
            let contained = contained(&[&secret], 8, EchoOf::Encoded);
            let base64 = encoded(plain.as_bytes(), LAST[0], true);
            prop_assert!(!contained.is_in(base64.as_bytes()));
            // Decoded from any offset, the text may contain any byte, but no secret by chance.
            prop_assert!(!contained.is_in(text.as_bytes()));
        }
    }

    #[test]
    fn a_part_of_an_encoded_secret_is_not_found() {
        let secret = "hunter22-hunter23";
        let (found, part) = (encoded(secret.as_bytes(), LAST[0], false), EchoOf::Encoded);
        let contained_encoded = contained(&[secret], 8, part);
        assert!(contained_encoded.is_in(found.as_bytes()));
        assert!(!contained_encoded.is_in(&found.as_bytes()[..found.len() - 1]));
        assert!(!contained_encoded.is_in(&found.as_bytes()[2..]));
        assert!(!contained(&[secret], 8, EchoOf::Part).is_in(found.as_bytes()));
    }
}
