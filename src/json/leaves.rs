//! Numbers, literals and escapes, a batch at a time.
//!
//! What they are made of depends on nothing around them, so all of a batch are looked at in one go,
//! before anything is passed. The masks tell where each begins, and those of words how long it is.
//! Most are one of a few kinds, which are told apart without a branch; the others are read byte by
//! byte.
//!
//! As with all that goes by blocks ([`super::grammar`]), what is doubtful is looked at again when
//! the cursor comes there, and may be right: a word that goes on in the next batch, half of a
//! surrogate pair.

use super::word::Word;
use crate::scan::{BLOCK, Block, Code};

/// Finds the blocks whose words and escapes are not known to be right, a bit each. To be run with
/// the scanner's instructions.
pub(super) struct FindDoubtful<'a> {
    /// The batch.
    pub blocks: &'a [Block],
    /// The text from its first byte on, as far as it is there.
    pub text: &'a [u8],
}

impl Code for FindDoubtful<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut doubtful = 0;
        for (index, block) in self.blocks.iter().enumerate() {
            let begins = block.tokens & block.words;
            if begins | block.escapes == 0 {
                continue;
            }
            let text = self.text.get(index * BLOCK..).unwrap_or_default();
            let next_words = self.blocks.get(index + 1).map_or(!0, |next| next.words);
            if !words_are_right(begins, [block.words, next_words], text)
                || !escapes_are_right(block.escapes, text)
            {
                doubtful |= 1 << index;
            }
        }
        doubtful
    }
}

/// Whether the words that begin in a block are whole. The second mask of words is that of the block
/// after it, all ones if that is not known.
#[inline(always)]
fn words_are_right(mut begins: u64, words: [u64; 2], text: &[u8]) -> bool {
    // The word from a bit on; all 64 at once would be no shift.
    let len = |bit: u32| ((words[0] >> bit) | ((words[1] << 1) << (63 - bit))).trailing_ones();
    let mut rare = 0;
    while begins != 0 {
        let bit = begins.trailing_zeros();
        begins &= begins - 1;
        let word = text.get(bit as usize..).and_then(|text| text.first_chunk());
        let is_common = word.is_some_and(|&word| Word::is_common(word, len(bit)));
        rare |= u64::from(!is_common) << bit;
    }
    while rare != 0 {
        let bit = rare.trailing_zeros();
        rare &= rare - 1;
        let start = bit as usize;
        let word = text.get(start..start + len(bit) as usize);
        if len(bit) == u64::BITS || !word.is_some_and(Word::is_whole) {
            return false;
        }
    }
    true
}

/// Whether the escapes that begin in a block are whole, and none is half of a pair.
#[inline(always)]
fn escapes_are_right(mut escapes: u64, text: &[u8]) -> bool {
    let mut rare = 0;
    while escapes != 0 {
        let bit = escapes.trailing_zeros();
        escapes &= escapes - 1;
        let byte = text.get(bit as usize + 1).copied().unwrap_or_default();
        rare |= u64::from(!IS_ESCAPED[usize::from(byte)]) << bit;
    }
    while rare != 0 {
        let bit = rare.trailing_zeros();
        rare &= rare - 1;
        let escape = text.get(bit as usize..).and_then(|text| text.first_chunk());
        if !escape.is_some_and(is_character) {
            return false;
        }
    }
    true
}

/// The bytes that an escape of two may end with.
const IS_ESCAPED: [bool; 256] = {
    let mut is_escaped = [false; 256];
    let mut rest: &[u8] = b"\"\\/bfnrt";
    while let [byte, others @ ..] = rest {
        is_escaped[*byte as usize] = true;
        rest = others;
    }
    is_escaped
};

/// Whether six bytes, the first of them a backslash, escape one character.
fn is_character(text: &[u8; 6]) -> bool {
    let &[_, b'u', a, b, c, d] = text else { return false };
    let [a, b, c, d] = [a, b, c, d].map(|digit| HEX[usize::from(digit)]);
    let is_half = a == 0xd && b >= 8;
    (a | b | c | d) < 16 && !is_half
}

/// The values of hexadecimal digits; 16 for other bytes.
const HEX: [u8; 256] = {
    let mut hex = [16; 256];
    let mut value = 0;
    while value < 16 {
        hex[b"0123456789abcdef"[value] as usize] = value as u8;
        hex[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    hex
};
