//! Numbers, literals and escapes, a batch at a time.
//!
//! What they are made of depends on nothing around them, so all of a batch are looked at in one go,
//! before anything is passed. The masks tell where each begins, and those of words how long it is.
//! Most are one of a few kinds, which are told apart without a branch; the others are read byte by
//! byte.
//!
//! As with all that goes by masks ([`super::grammar`]), what is wrong is looked at again, to say
//! where.

use super::grammar::Batch;
use super::string;
use super::word::Word;
use crate::scan::{BLOCK, Block, Code};

/// What goes on behind a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Begun {
    /// The word that the batch ends in, and how far it has come.
    pub word: Option<Word>,
    /// The escape at this offset was checked as the second half of a pair.
    pub paired: Option<u64>,
}

/// Checks the words and escapes of a batch; `None`: something is wrong. To be run with the
/// scanner's instructions.
pub(super) struct CheckLeaves<'a> {
    pub batch: Batch<'a>,
    /// What goes on in it.
    pub begun: Begun,
    /// 1 where the byte before is one of a word.
    pub in_word: u64,
}

impl Code for CheckLeaves<'_> {
    type Output = Option<Begun>;

    #[inline(always)]
    fn run(self) -> Option<Begun> {
        let CheckLeaves { batch: Batch { blocks, text, offset, .. }, mut begun, mut in_word } =
            self;
        let end = blocks.len() * BLOCK;
        if let Some(word) = begun.word.take() {
            let behind = first_word(blocks);
            let word = word.feed_all(text.get(..behind)?).ok()?;
            if behind == end {
                return Some(Begun { word: Some(word), ..begun });
            }
            word.finish().ok()?;
        }
        for (index, block) in blocks.iter().enumerate() {
            let begins = block.words & !((block.words << 1) | in_word);
            in_word = block.words >> 63;
            if begins | block.escapes == 0 {
                continue;
            }
            let rest = text.get(index * BLOCK..)?;
            let (words_are_right, rare) = match rest.first_chunk() {
                Some(text) if in_word == 0 => {
                    (words_are_right(begins, block.words, text), rare_escapes(block.escapes, text))
                }
                _ => (each_is_right(begins, &blocks[index..], rest), block.escapes),
            };
            let offset = offset + (index * BLOCK) as u64;
            if !words_are_right || !escapes_are_right(rare, rest, offset, &mut begun.paired) {
                return None;
            }
        }
        let last = last_word(blocks);
        if last < end {
            begun.word = Some(Word::new().feed_all(text.get(last..end)?).ok()?);
        }
        Some(begun)
    }
}

/// A block, and enough behind it to look at what begins in it without counting bytes.
type Text = [u8; BLOCK + 8];

/// Where the word ends that the blocks begin with.
fn first_word(blocks: &[Block]) -> usize {
    let whole = blocks.iter().take_while(|block| block.words == !0).count();
    let rest = blocks.get(whole).map_or(0, |block| block.words.trailing_ones());
    whole * BLOCK + rest as usize
}

/// Where the word begins that the blocks end in: at their end, if they end in none.
fn last_word(blocks: &[Block]) -> usize {
    let whole = blocks.iter().rev().take_while(|block| block.words == !0).count();
    let block = (blocks.len() - whole).checked_sub(1).and_then(|index| blocks.get(index));
    let rest = block.map_or(0, |block| block.words.leading_ones());
    (blocks.len() - whole) * BLOCK - rest as usize
}

/// Whether the words of a block are whole, of which none goes on behind it.
#[inline(always)]
fn words_are_right(mut begins: u64, words: u64, text: &Text) -> bool {
    while begins != 0 {
        let bit = begins.trailing_zeros();
        begins &= begins - 1;
        let len = (words >> bit).trailing_ones();
        let text = &text[bit as usize..];
        let is_common = text.first_chunk().is_some_and(|&word| Word::is_common(word, len));
        if !is_common && !text.get(..len as usize).is_some_and(Word::is_whole) {
            return false;
        }
    }
    true
}

/// The same where the text ends soon, or a word goes on in the next block. The word that the last
/// block ends in is left out.
#[cold]
#[inline(never)]
fn each_is_right(mut begins: u64, blocks: &[Block], text: &[u8]) -> bool {
    let [block, behind @ ..] = blocks else { return true };
    while begins != 0 {
        let bit = begins.trailing_zeros();
        begins &= begins - 1;
        let mut len = (block.words >> bit).trailing_ones() as usize;
        if bit as usize + len == BLOCK {
            if behind.iter().all(|block| block.words == !0) {
                continue;
            }
            len += first_word(behind);
        }
        let text = text.get(bit as usize..).unwrap_or_default();
        let is_common = text.first_chunk().is_some_and(|&word| Word::is_common(word, len as u32));
        if !is_common && !text.get(..len).is_some_and(Word::is_whole) {
            return false;
        }
    }
    true
}

/// The escapes of more than one byte behind the backslash, or that are none.
#[inline(always)]
fn rare_escapes(mut escapes: u64, text: &Text) -> u64 {
    let mut rare = 0;
    while escapes != 0 {
        let bit = escapes.trailing_zeros();
        escapes &= escapes - 1;
        rare |= u64::from(!IS_ESCAPED[usize::from(text[bit as usize + 1])]) << bit;
    }
    rare
}

/// Whether these escapes are right, in a text that begins at an offset.
#[inline(always)]
fn escapes_are_right(mut escapes: u64, text: &[u8], offset: u64, paired: &mut Option<u64>) -> bool {
    while escapes != 0 {
        let bit = escapes.trailing_zeros();
        escapes &= escapes - 1;
        let text = &text[bit as usize..];
        let is_right = text.first_chunk().is_some_and(is_character)
            || escape_is_right(text, offset + u64::from(bit), paired);
        if !is_right {
            return false;
        }
    }
    true
}

/// Whether the escape is right that a text begins with, which is at an offset. `paired` is the
/// offset of one that was checked as the second half of a pair.
#[cold]
#[inline(never)]
pub(super) fn escape_is_right(text: &[u8], offset: u64, paired: &mut Option<u64>) -> bool {
    if paired.take() == Some(offset) {
        return true;
    }
    let escape = string::escape(text);
    *paired = escape.filter(|(_, len)| *len == string::ESCAPE_MAX).map(|_| offset + 6);
    escape.is_some()
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
