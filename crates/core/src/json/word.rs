//! A state machine for *words*: numbers and the literals `true`, `false` and `null`. It consumes
//! one byte at a time, so a word may be cut anywhere and have any length.

use crate::error::ErrorKind;

/// Checks a bare word: a number, `true`, `false` or `null`, byte by byte.
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
    /// A literal, with its remaining letters.
    Literal(&'static [u8]),
}

impl Word {
    /// The state before the first byte.
    pub fn new() -> Word {
        Word(State::Start)
    }

    /// Whether a byte outside strings is part of a word: neither punctuation, a quote nor a space.
    pub fn holds(byte: u8) -> bool {
        !matches!(
            byte,
            b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"' | b' ' | b'\t' | b'\n' | b'\r'
        )
    }

    /// The state after one more byte. Fails if the byte cannot follow.
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

    /// The state after several more bytes. Fails if a byte cannot follow.
    pub fn feed_all(self, bytes: &[u8]) -> Result<Word, ErrorKind> {
        bytes.iter().try_fold(self, |word, &byte| word.feed(byte))
    }

    /// Checks that the word may end here. Fails if the word is incomplete.
    pub fn finish(self) -> Result<(), ErrorKind> {
        match self.0 {
            State::Zero | State::Integer | State::Fraction | State::ExponentDigits => Ok(()),
            State::Literal([]) => Ok(()),
            _ => Err(self.wrong()),
        }
    }

    /// Whether the whole text is one valid word.
    pub fn is_whole(text: &[u8]) -> bool {
        // A shortcut for most long words.
        if matches!(text, [b'1'..=b'9', ..]) && text.iter().all(u8::is_ascii_digit) {
            return true;
        }
        Word::new().feed_all(text).and_then(Word::finish).is_ok()
    }

    fn wrong(self) -> ErrorKind {
        match self.0 {
            State::Start | State::Literal(_) => ErrorKind::Literal,
            _ => ErrorKind::Number,
        }
    }
}

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
    fn only_json_numbers_and_literals_are_valid_words() {
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
