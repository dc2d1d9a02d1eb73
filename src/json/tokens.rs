//! The grammar of JSON, token by token: the plain way, which says what is wrong and where.

use super::grammar::Batch;
use super::leaves::{Begun, escape_is_right};
use super::want::Want;
use super::word::Word;
use crate::error::{ErrorKind, Found};
use crate::scan::BLOCK;
use crate::scan::nesting::Nesting;

/// The tokens of a batch.
pub(super) struct Tokens<'a> {
    pub batch: Batch<'a>,
    pub nesting: &'a mut Nesting,
    /// What goes on from the batch before.
    pub begun: Begun,
}

/// What is wrong, and the place in the batch.
pub(super) type Wrong = (ErrorKind, usize);

impl Tokens<'_> {
    /// Goes over all of them; what is wanted after the last. `in_word` is 1 where the byte before
    /// the batch is one of a word.
    pub(super) fn walk(&mut self, want: Want, in_word: u64) -> Result<Want, Wrong> {
        let (mut want, mut in_word) = (want, in_word);
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
                want = self.token(want, place)?;
                if self.nesting.has_ended() {
                    return Ok(Want::Nothing);
                }
            }
        }
        Ok(want)
    }

    /// Takes one token where `want` is wanted, and says what is wanted after it.
    fn token(&mut self, want: Want, place: usize) -> Result<Want, Wrong> {
        let byte = self.byte(place);
        let Some(is_in_object) = self.nesting.is_in_object() else {
            return self.token_outside(want, place);
        };
        // What the usual check tells of it as well.
        if matches!((byte, is_in_object), (b'}', false) | (b']', true)) {
            return Err((ErrorKind::MismatchedBracket, place));
        }
        match (want, byte) {
            (Want::Value | Want::ValueOrClose, b'{' | b'[') => self.enter(place),
            (Want::Value | Want::ValueOrClose, b'"') => Ok(Want::CommaOrClose),
            (Want::Key | Want::KeyOrClose, b'"') => Ok(Want::Colon),
            (Want::Colon, b':') => Ok(Want::Value),
            (Want::CommaOrClose, b',') if is_in_object => Ok(Want::Key),
            (Want::CommaOrClose, b',') => Ok(Want::Value),
            (Want::CommaOrClose | Want::KeyOrClose | Want::ValueOrClose, b'}' | b']') => {
                self.nesting.pop(u64::from(byte == b'}')).map_err(|kind| (kind, place))?;
                Ok(Want::CommaOrClose)
            }
            (Want::Value | Want::ValueOrClose, byte) if Word::holds(byte) => {
                self.begun.word = Some(Word::new());
                self.feed_word(place)?;
                Ok(Want::CommaOrClose)
            }
            _ => {
                let expected = want.words(is_in_object);
                Err((ErrorKind::Syntax { expected, found: Found::of(byte) }, place))
            }
        }
    }

    /// Takes one that stands in no container. A document that is none has only its escapes looked
    /// at here.
    fn token_outside(&mut self, want: Want, place: usize) -> Result<Want, Wrong> {
        match (want, self.byte(place)) {
            (Want::Value, b'{' | b'[') => self.enter(place),
            (Want::Value, b'"') => Ok(Want::Nothing),
            _ => {
                self.nesting.end();
                Ok(Want::Nothing)
            }
        }
    }

    fn enter(&mut self, place: usize) -> Result<Want, Wrong> {
        let is_object = self.byte(place) == b'{';
        self.nesting.push(u64::from(is_object)).map_err(|kind| (kind, place))?;
        Ok(if is_object { Want::KeyOrClose } else { Want::ValueOrClose })
    }

    /// Feeds the word that is begun with the bytes from a place on, up to its end, where it is
    /// finished, or that of the batch.
    fn feed_word(&mut self, from: usize) -> Result<(), Wrong> {
        let Some(mut word) = self.begun.word.take() else { return Ok(()) };
        for place in from..self.batch.len {
            let byte = self.byte(place);
            if !Word::holds(byte) {
                return word.finish().map_err(|kind| (kind, place));
            }
            word = word.feed(byte).map_err(|kind| (kind, place))?;
        }
        self.begun.word = Some(word);
        Ok(())
    }

    /// Checks the escape that begins at a place.
    fn check_escape(&mut self, place: usize) -> Result<(), Wrong> {
        let (text, offset) = (&self.batch.text[place..], self.batch.offset + place as u64);
        match escape_is_right(text, offset, &mut self.begun.paired) {
            true => Ok(()),
            false => Err((ErrorKind::Escape, place)),
        }
    }

    fn byte(&self, place: usize) -> u8 {
        self.batch.text[place]
    }
}
