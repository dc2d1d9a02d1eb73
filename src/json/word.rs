//! Numbers and the three literals, one byte at a time: what stands outside of strings and is not
//! punctuation. The state is one byte, so a word may be cut anywhere, or be gigabytes long.

use crate::error::ErrorKind;

/// How far a word has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(State);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
    /// The rest of a literal that has begun.
    Literal(&'static [u8]),
}

impl Word {
    /// Before the first byte.
    pub fn new() -> Word {
        Word(State::Start)
    }

    /// Whether a byte belongs to words, rather than to punctuation, strings or space.
    pub fn holds(byte: u8) -> bool {
        !matches!(
            byte,
            b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"' | b' ' | b'\t' | b'\n' | b'\r'
        )
    }

    /// The state after one more byte.
    ///
    /// # Errors
    ///
    /// The byte cannot follow.
    pub fn feed(self, byte: u8) -> Result<Word, ErrorKind> {
        use State::*;
        let next = match (self.0, byte) {
            (Start, b't') => Literal(b"rue"),
            (Start, b'f') => Literal(b"alse"),
            (Start, b'n') => Literal(b"ull"),
            (Start, b'-') => Minus,
            (Start | Minus, b'0') => Zero,
            (Start | Minus, b'1'..=b'9') | (Integer, b'0'..=b'9') => Integer,
            (Zero | Integer, b'.') => Point,
            (Point | Fraction, b'0'..=b'9') => Fraction,
            (Zero | Integer | Fraction, b'e' | b'E') => Exponent,
            (Exponent, b'+' | b'-') => ExponentSign,
            (Exponent | ExponentSign | ExponentDigits, b'0'..=b'9') => ExponentDigits,
            (Literal([next, rest @ ..]), byte) if *next == byte => Literal(rest),
            _ => return Err(self.wrong()),
        };
        Ok(Word(next))
    }

    /// The state after some more bytes.
    ///
    /// # Errors
    ///
    /// One of them cannot follow.
    pub fn feed_all(self, bytes: &[u8]) -> Result<Word, ErrorKind> {
        bytes.iter().try_fold(self, |word, &byte| word.feed(byte))
    }

    /// Says whether the word may end here.
    ///
    /// # Errors
    ///
    /// It is not whole.
    pub fn finish(self) -> Result<(), ErrorKind> {
        match self.0 {
            State::Zero | State::Integer | State::Fraction | State::ExponentDigits => Ok(()),
            State::Literal([]) => Ok(()),
            _ => Err(self.wrong()),
        }
    }

    /// Whether a text is a word from its first byte to its last.
    pub fn is_whole(text: &[u8]) -> bool {
        // Most of those that are long.
        if matches!(text, [b'1'..=b'9', ..]) && text.iter().all(u8::is_ascii_digit) {
            return true;
        }
        Word::new().feed_all(text).and_then(Word::finish).is_ok()
    }

    /// Whether the first `len` bytes, one at least, are one of the words that most are: a literal,
    /// or a natural number of up to eight digits. Without a branch: which one it is, is hard to
    /// foresee.
    #[inline(always)]
    pub(super) fn is_common(bytes: [u8; 8], len: u32) -> bool {
        let bytes = u64::from_le_bytes(bytes);
        // Of more than eight bytes, nonsense, which is no literal and whose length is no number's.
        let within = (!0u64).wrapping_shr(0u32.wrapping_sub(8 * len));
        // The length is where no literal has a byte.
        let text = (bytes & within) | (u64::from(len) << 56);
        let is_literal = LITERALS[(bytes >> 3) as usize % 4] == text;
        // Digits become their values, what is no digit more than 9: adding 0x76 sets the top bit.
        let values = (bytes ^ ZEROS) & within;
        let above = (values.wrapping_add(EACH * 0x76) | values) & (EACH * 0x80);
        let is_number = (above == 0) & ((values & 0xff != 0) | (len == 1)) & (len <= 8);
        is_literal | is_number
    }

    fn wrong(self) -> ErrorKind {
        match self.0 {
            State::Start | State::Literal(_) => ErrorKind::Literal,
            _ => ErrorKind::Number,
        }
    }
}

/// The literals and their lengths, each at the place of bits 3 and 4 of its first byte.
const LITERALS: [u64; 4] = [
    u64::from_le_bytes(*b"false\0\0\x05"),
    u64::from_le_bytes(*b"null\0\0\0\x04"),
    u64::from_le_bytes(*b"true\0\0\0\x04"),
    0,
];

/// Eight times the byte 1.
const EACH: u64 = u64::from_le_bytes([1; 8]);

/// Eight digits of zero.
const ZEROS: u64 = EACH * b'0' as u64;

impl Default for Word {
    fn default() -> Self {
        Word::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(text: &str) -> bool {
        Word::is_whole(text.as_bytes())
    }

    #[test]
    fn common_words_are_words() {
        let bytes = *b"0129-.etrufalsn:/x\0\xff";
        let mut common = 0;
        // All of up to three of these bytes, and literals with one of them changed.
        let short = (0..bytes.len().pow(3)).map(|number| {
            let byte = |place: u32| bytes[number / bytes.len().pow(place) % bytes.len()];
            [byte(0), byte(1), byte(2), 0, b'0', 0, 0, 0]
        });
        let changed = [*b"null,\"\"\"", *b"true}]}]", *b"false,12", *b"12345678"].into_iter();
        let changed = changed.flat_map(|text| {
            (0..8 * bytes.len()).map(move |number| {
                let mut text = text;
                text[number % 8] = bytes[number / 8];
                text
            })
        });
        for text in short.chain(changed) {
            for len in 1..=8 {
                let is_common = Word::is_common(text, len as u32);
                common += u32::from(is_common);
                assert!(!is_common || Word::is_whole(&text[..len]), "{text:?} {len}");
            }
        }
        assert!(common > 500, "{common}");
        for word in ["null", "true", "false", "0", "7", "10", "12345678"] {
            let mut text = *b"????????";
            text[..word.len()].copy_from_slice(word.as_bytes());
            assert!(Word::is_common(text, word.len() as u32), "{word}");
        }
    }

    #[test]
    fn words_of_the_grammar_and_others() {
        for good in ["0", "-0", "10", "1.5", "-0.0e-10", "1E+2", "true", "false", "null"] {
            assert!(accepts(good), "{good}");
        }
        for bad in
            ["", "-", "01", "1.", ".5", "1e", "1e+", "+1", "tru", "nulll", "True", "0x1", "1_0"]
        {
            assert!(!accepts(bad), "{bad}");
        }
    }
}
