//! The slow path of the grammar check. It walks token by token, and locates the first error.

use super::leaves::{Batch, Unfinished, escape_is_right};
use super::word::Word;
use crate::error::{ErrorKind, TokenClass};
use crate::scan::BLOCK;
use crate::scan::nesting::Nesting;

/// What the grammar expects next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    CommaOrClose,
    /// Nothing: the document has ended, or ends with the open string.
    Nothing,
}

impl Expected {
    pub(super) fn words(self, is_in_object: bool) -> &'static str {
        match self {
            Expected::Value => "a value",
            Expected::ValueOrClose => "a value or the end of the array",
            Expected::Key => "a key",
            Expected::KeyOrClose => "a key or the end of the object",
            Expected::Colon => "a colon",
            Expected::CommaOrClose if is_in_object => "a comma or the end of the object",
            Expected::CommaOrClose => "a comma or the end of the array",
            Expected::Nothing => "nothing",
        }
    }
}

pub(super) struct Tokens<'a> {
    pub batch: Batch<'a>,
    pub nesting: &'a mut Nesting,
    /// The word or escape that continues from the batch before.
    pub unfinished: Unfinished,
}

/// An error and its position in the batch.
pub(super) type Wrong = (ErrorKind, usize);

impl Tokens<'_> {
    /// Checks all tokens and returns what is expected after the last one. `in_word` is 1 if the
    /// byte before the batch belongs to a word.
    pub(super) fn walk(&mut self, expected: Expected, in_word: u64) -> Result<Expected, Wrong> {
        let (mut expected, mut in_word) = (expected, in_word);
        self.feed_word(0)?;
        for (index, block) in self.batch.blocks.iter().enumerate() {
            let words = block.words & !((block.words << 1) | in_word);
            in_word = block.words >> 63;
            let texts = block.quotes & block.strings;
            let mut events = texts | block.brackets | block.separators | words | block.escapes;
            while events != 0 {
                let bit = events.trailing_zeros();
                events &= events - 1;
                let place = index * BLOCK + bit as usize;
                if (block.escapes >> bit) & 1 == 1 {
                    self.check_escape(place)?;
                    continue;
                }
                expected = self.token(expected, place)?;
                if self.nesting.has_ended() {
                    return Ok(Expected::Nothing);
                }
            }
        }
        Ok(expected)
    }

    /// Checks a token against what is expected, and returns what is expected after it.
    fn token(&mut self, expected: Expected, place: usize) -> Result<Expected, Wrong> {
        let byte = self.byte(place);
        let Some(is_in_object) = self.nesting.is_in_object() else {
            return self.token_outside(expected, place);
        };
        // The check without a grammar reports the same error.
        if matches!((byte, is_in_object), (b'}', false) | (b']', true)) {
            return Err((ErrorKind::MismatchedBracket, place));
        }
        match (expected, byte) {
            (Expected::Value | Expected::ValueOrClose, b'{' | b'[') => self.enter(place),
            (Expected::Value | Expected::ValueOrClose, b'"') => Ok(Expected::CommaOrClose),
            (Expected::Key | Expected::KeyOrClose, b'"') => Ok(Expected::Colon),
            (Expected::Colon, b':') => Ok(Expected::Value),
            (Expected::CommaOrClose, b',') if is_in_object => Ok(Expected::Key),
            (Expected::CommaOrClose, b',') => Ok(Expected::Value),
            (
                Expected::CommaOrClose | Expected::KeyOrClose | Expected::ValueOrClose,
                b'}' | b']',
            ) => {
                self.nesting.pop(u64::from(byte == b'}')).map_err(|kind| (kind, place))?;
                Ok(Expected::CommaOrClose)
            }
            (Expected::Value | Expected::ValueOrClose, byte) if Word::holds(byte) => {
                self.unfinished.word = Some(Word::new());
                self.feed_word(place)?;
                Ok(Expected::CommaOrClose)
            }
            _ => {
                let expected = expected.words(is_in_object);
                Err((ErrorKind::Syntax { expected, found: TokenClass::of(byte) }, place))
            }
        }
    }

    /// Checks a token outside all containers. If the document is a single word, the cursor checks
    /// it, so only escapes are checked here.
    fn token_outside(&mut self, expected: Expected, place: usize) -> Result<Expected, Wrong> {
        match (expected, self.byte(place)) {
            (Expected::Value, b'{' | b'[') => self.enter(place),
            (Expected::Value, b'"') => Ok(Expected::Nothing),
            _ => {
                self.nesting.end();
                Ok(Expected::Nothing)
            }
        }
    }

    fn enter(&mut self, place: usize) -> Result<Expected, Wrong> {
        let is_object = self.byte(place) == b'{';
        self.nesting.push(u64::from(is_object)).map_err(|kind| (kind, place))?;
        Ok(if is_object { Expected::KeyOrClose } else { Expected::ValueOrClose })
    }

    /// Feeds bytes to the unfinished word, from a position to the end of the word or the batch.
    fn feed_word(&mut self, from: usize) -> Result<(), Wrong> {
        let Some(mut word) = self.unfinished.word.take() else { return Ok(()) };
        for place in from..self.batch.len {
            let byte = self.byte(place);
            if !Word::holds(byte) {
                return word.finish().map_err(|kind| (kind, place));
            }
            word = word.feed(byte).map_err(|kind| (kind, place))?;
        }
        self.unfinished.word = Some(word);
        Ok(())
    }

    fn check_escape(&mut self, place: usize) -> Result<(), Wrong> {
        let (text, offset) = (&self.batch.text[place..], self.batch.offset + place as u64);
        match escape_is_right(text, offset, &mut self.unfinished.paired) {
            true => Ok(()),
            false => Err((ErrorKind::Escape, place)),
        }
    }

    fn byte(&self, place: usize) -> u8 {
        self.batch.text[place]
    }
}
