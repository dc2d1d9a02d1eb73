//! Texts that contain a secret: connection strings, templates, documents in strings.
//!
//! The secrets are kept as an automaton that reads a text once, whatever they are: a tree of their
//! bytes in which each place links to where its longest ending stands in the tree (Aho and
//! Corasick's). Before it a filter is asked, which most texts do not pass: it knows four bytes of
//! every secret at enough distances from its beginning that a look at every few bytes of a text
//! meets one of them.
//!
//! This is the one place that holds secrets themselves. Its memory is wiped when it is let go, and
//! is allocated once, because what grows leaves copies behind.

use zeroize::{Zeroize, Zeroizing};

use crate::error::{Error, Result};
use crate::json::string;
use crate::limits::{Limit, Limits};

/// The texts of secrets, being collected.
#[derive(Debug)]
pub struct Texts {
    /// All of them, each followed by its end.
    bytes: Zeroizing<Vec<u8>>,
    ends: Vec<usize>,
    max: u64,
    /// The shortest that is taken.
    len_min: usize,
}

impl Texts {
    /// None yet, of at least `len_min` bytes each.
    pub fn new(len_min: usize, limits: &Limits) -> Texts {
        let max = limits.secret_texts;
        Texts { bytes: Zeroizing::new(Vec::new()), ends: Vec::new(), max, len_min }
    }

    /// Adds a secret, and the ways in which it is spelled in JSON and in addresses.
    ///
    /// # Errors
    ///
    /// They are too long together.
    pub fn push(&mut self, text: &[u8], offset: u64) -> Result<()> {
        if text.len() < self.len_min {
            return Ok(());
        }
        // A number may be that of a file that someone writes to.
        let copy = Zeroizing::new(text.to_vec());
        self.add(&copy, offset)?;
        let Some(text) = string::utf8(&copy) else { return Ok(()) };
        let spellings = spellings(text);
        for (place, spelling) in spellings.iter().enumerate() {
            let others = spellings[..place].iter().map(|other| other.as_str());
            if !others.chain([text]).any(|other| other == spelling.as_str()) {
                self.add(spelling.as_bytes(), offset)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, text: &[u8], offset: u64) -> Result<()> {
        let len = self.bytes.len() + text.len();
        if len as u64 > self.max {
            return Err(Error::limit(Limit::SecretTexts, self.max, offset));
        }
        if self.bytes.capacity() < len {
            let mut larger = Zeroizing::new(Vec::with_capacity(2 * len));
            larger.extend_from_slice(&self.bytes);
            self.bytes = larger;
        }
        self.bytes.extend_from_slice(text);
        self.ends.push(len);
        Ok(())
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.bytes[start..end])
    }
}

/// The ways in which a text is spelled in documents in strings and in web addresses; one that is
/// not very long also in documents in those documents, and as less common writers have it.
fn spellings(text: &str) -> Vec<Zeroizing<String>> {
    const LONG: usize = 64 << 10;
    let of_address = |digits, space, has_slashes| in_addresses(text, digits, space, has_slashes);
    let mut spellings = vec![in_json(text), in_json_of_go(text), of_address(UPPER, "%20", false)];
    if text.len() <= LONG {
        let ascii = in_json_of_ascii(text);
        let inner = [in_json(&spellings[0]), in_json_of_go(&spellings[1])];
        spellings.extend(inner);
        spellings.push(in_json_of_ascii(&ascii));
        spellings.push(ascii);
        spellings.push(of_address(LOWER, "%20", false));
        spellings.push(of_address(UPPER, "%20", true));
        spellings.push(of_address(UPPER, "+", false));
    }
    spellings
}

/// A text as a part of a string in JSON.
fn in_json(text: &str) -> Zeroizing<String> {
    let mut spelling = Zeroizing::new(String::with_capacity(string::EXPANSION_MAX * text.len()));
    string::push_escaped(text, &mut spelling);
    spelling
}

/// The same as the tools and all that is made with Go write it.
fn in_json_of_go(text: &str) -> Zeroizing<String> {
    in_json_with(text, |character| {
        matches!(character, '<' | '>' | '&' | '\u{8}' | '\u{c}' | '\u{2028}' | '\u{2029}')
    })
}

/// The same in nothing but ASCII, as Python writes it.
fn in_json_of_ascii(text: &str) -> Zeroizing<String> {
    in_json_with(text, |character| !character.is_ascii() || character == '\u{7f}')
}

/// The same with the numbers of some characters.
fn in_json_with(text: &str, is_numbered: impl Fn(char) -> bool) -> Zeroizing<String> {
    let mut spelling = Zeroizing::new(String::with_capacity(string::EXPANSION_MAX * text.len()));
    let mut units = [0; 2];
    for character in text.chars() {
        if is_numbered(character) {
            for unit in character.encode_utf16(&mut units) {
                let digit = |shift: u32| char::from(LOWER[usize::from(*unit >> shift & 15)]);
                spelling.extend(['\\', 'u', digit(12), digit(8), digit(4), digit(0)]);
            }
        } else {
            string::push_escaped(character.encode_utf8(&mut [0; 4]), &mut spelling);
        }
    }
    spelling
}

const UPPER: &[u8; 16] = b"0123456789ABCDEF";
const LOWER: &[u8; 16] = b"0123456789abcdef";

/// A text as a part of a web address: with such digits and so for a space, and with its slashes or
/// without.
fn in_addresses(
    text: &str,
    digits: &[u8; 16],
    space: &str,
    has_slashes: bool,
) -> Zeroizing<String> {
    let mut spelling = Zeroizing::new(String::with_capacity(3 * text.len()));
    let digit = |value: u8| char::from(digits[usize::from(value)]);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                spelling.push(char::from(byte));
            }
            b' ' => spelling.push_str(space),
            b'/' if has_slashes => spelling.push('/'),
            _ => spelling.extend(['%', digit(byte >> 4), digit(byte & 15)]),
        }
    }
    spelling
}

/// Tells texts that contain a secret.
#[derive(Debug)]
pub struct Contained {
    /// The tree. The first place is its root.
    places: Zeroizing<Vec<Place>>,
    /// Where the root's children are, by their bytes.
    first: Box<[u32; 256]>,
    filter: Grams,
}

/// A place in the tree: what was read when it is reached are the bytes on the way to it.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The first of the places one byte further, and the next of those beside this one.
    child: u32,
    sibling: u32,
    /// Where the longest ending of what was read is a beginning.
    shorter: u32,
    byte: u8,
    /// A secret ends here, or in one of the places that `shorter` leads to.
    ends: bool,
}

impl zeroize::DefaultIsZeroes for Place {}

const ROOT: u32 = 0;

impl Contained {
    /// Tells texts that contain one of those.
    pub fn new(texts: &Texts) -> Contained {
        let mut contained = Contained {
            places: Zeroizing::new(Vec::with_capacity(texts.bytes.len() + 1)),
            first: Box::new([ROOT; 256]),
            filter: Grams::new(texts),
        };
        contained.places.push(Place::default());
        texts.iter().for_each(|text| contained.grow(text));
        contained.link();
        contained
    }

    /// Whether there is nothing that a text could contain.
    pub fn is_empty(&self) -> bool {
        self.places.len() == 1
    }

    /// Whether a decoded text contains a secret.
    #[inline]
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.filter.may_hold(text) && self.read(text)
    }

    #[inline(never)]
    fn read(&self, text: &[u8]) -> bool {
        let mut at = ROOT;
        text.iter().any(|&byte| {
            at = self.step(at, byte);
            self.places[at as usize].ends
        })
    }

    /// The place after one more byte.
    fn step(&self, mut at: u32, byte: u8) -> u32 {
        while at != ROOT {
            if let Some(child) = self.child(at, byte) {
                return child;
            }
            at = self.places[at as usize].shorter;
        }
        self.first[usize::from(byte)]
    }

    fn child(&self, at: u32, byte: u8) -> Option<u32> {
        let mut child = self.places[at as usize].child;
        while child != ROOT && self.places[child as usize].byte != byte {
            child = self.places[child as usize].sibling;
        }
        (child != ROOT).then_some(child)
    }

    /// Adds a text to the tree.
    fn grow(&mut self, text: &[u8]) {
        let mut at = ROOT;
        for &byte in text {
            at = match self.child(at, byte) {
                Some(child) => child,
                None => {
                    let new = self.places.len() as u32;
                    let above = &mut self.places[at as usize];
                    let sibling = std::mem::replace(&mut above.child, new);
                    self.places.push(Place { sibling, byte, ..Place::default() });
                    if at == ROOT {
                        self.first[usize::from(byte)] = new;
                    }
                    new
                }
            };
        }
        self.places[at as usize].ends = true;
    }

    /// Links every place to its longest ending, those near the root first.
    fn link(&mut self) {
        let mut waiting = std::collections::VecDeque::from([ROOT]);
        while let Some(at) = waiting.pop_front() {
            let mut child = self.places[at as usize].child;
            while child != ROOT {
                let Place { byte, sibling, .. } = self.places[child as usize];
                let shorter = match at {
                    ROOT => ROOT,
                    _ => self.step(self.places[at as usize].shorter, byte),
                };
                let ends = self.places[shorter as usize].ends;
                let place = &mut self.places[child as usize];
                place.shorter = shorter;
                place.ends |= ends;
                waiting.push_back(child);
                child = sibling;
            }
        }
    }
}

impl Drop for Contained {
    fn drop(&mut self) {
        self.first.zeroize();
    }
}

/// A filter of texts by four of their bytes.
#[derive(Debug)]
struct Grams {
    bits: Zeroizing<Vec<u64>>,
    /// How far the looks are apart, in bytes; 0: secrets are too short for this filter.
    stride: usize,
}

/// Bytes of a gram.
const GRAM: usize = 4;

/// Bits for each gram, and most of all: what stays in the second cache.
const SPARSE: usize = 256;
const BITS_MAX: usize = 1 << 22;

impl Grams {
    fn new(texts: &Texts) -> Grams {
        let stride = (texts.len_min + 1).saturating_sub(GRAM).min(16);
        let wanted = (texts.ends.len() * stride * SPARSE).next_power_of_two();
        let mut grams =
            Grams { bits: Zeroizing::new(vec![0; wanted.clamp(1 << 12, BITS_MAX) / 64]), stride };
        for text in texts.iter() {
            for gram in text.windows(GRAM).take(stride) {
                let bit = grams.bit(gram);
                grams.bits[bit / 64] |= 1 << (bit % 64);
            }
        }
        grams
    }

    #[inline(always)]
    fn may_hold(&self, text: &[u8]) -> bool {
        if self.stride == 0 {
            return true;
        }
        let mut from = 0;
        while let Some(gram) = text.get(from..from + GRAM) {
            let bit = self.bit(gram);
            if (self.bits[bit / 64] >> (bit % 64)) & 1 == 1 {
                return true;
            }
            from += self.stride;
        }
        false
    }

    #[inline(always)]
    fn bit(&self, gram: &[u8]) -> usize {
        let gram = u32::from_le_bytes([gram[0], gram[1], gram[2], gram[3]]);
        let hash = u64::from(gram).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> 32) as usize & (self.bits.len() * 64 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn contained(secrets: &[&[u8]], len_min: usize) -> Contained {
        let mut texts = Texts::new(len_min, &Limits::default());
        secrets.iter().for_each(|secret| texts.add(secret, 0).unwrap());
        Contained::new(&texts)
    }

    proptest! {
        #[test]
        fn texts_that_contain_a_secret_are_told(
            secrets in prop::collection::vec("[ab]{3,12}", 0..8),
            text in "[abc]{0,60}",
        ) {
            let bytes: Vec<_> = secrets.iter().map(|secret| secret.as_bytes()).collect();
            let expected = secrets.iter().any(|secret| text.contains(secret));
            prop_assert_eq!(contained(&bytes, 3).is_in(text.as_bytes()), expected);
        }

        #[test]
        fn the_filter_lets_every_place_pass(
            secret in "[a-z]{8,30}", before in "[A-Z]{0,40}", behind in "[A-Z]{0,40}",
        ) {
            let text = format!("{before}{secret}{behind}");
            prop_assert!(contained(&[secret.as_bytes()], 8).is_in(text.as_bytes()));
        }
    }

    #[test]
    fn a_secret_is_told_in_other_spellings() {
        let mut texts = Texts::new(8, &Limits::default());
        texts.push(b"p@ss\"word<1>", 0).unwrap();
        let contained = Contained::new(&texts);
        for text in [
            &b"postgres://u:p%40ss%22word%3C1%3E@host"[..],
            br#"{"a":"p@ss\"word<1>"}"#,
            br#"{"a":"p@ss\"word\u003c1\u003e"}"#,
            b"p@ss\"word<1>",
        ] {
            assert!(contained.is_in(text));
        }
        assert!(!contained.is_in(b"p@ss word<1>"));
        let mut texts = Texts::new(8, &Limits::default());
        for secret in ["correct horse", "pa:ss/wo?rd", "line\none\"two", "p\u{e4}ss\u{1f600}word"] {
            texts.push(secret.as_bytes(), 0).unwrap();
        }
        texts.push("abc\u{2028}def\u{8}".as_bytes(), 0).unwrap();
        let contained = Contained::new(&texts);
        for text in [
            "q=correct+horse&x",
            "/correct%20horse/",
            "pa%3Ass%2Fwo%3Frd",
            "pa%3ass%2fwo%3frd",
            "pa%3Ass/wo%3Frd",
            r#"{"a":"line\none\"two"}"#,
            r#"{"a":"{\"b\":\"line\\none\\\"two\"}"}"#,
            r#"{"a":"p\u00e4ss\ud83d\ude00word"}"#,
            r#"{"a":"abc\u2028def\u0008"}"#,
        ] {
            assert!(contained.is_in(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn there_is_a_limit() {
        let limits = Limits { secret_texts: 10, ..Limits::default() };
        let mut texts = Texts::new(8, &limits);
        texts.push(b"12345678", 0).unwrap();
        assert!(texts.push(b"abcdefgh", 0).is_err());
    }
}
