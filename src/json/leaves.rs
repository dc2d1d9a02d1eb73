//! Numbers, literals and escapes, a batch at a time.
//!
//! What they are made of depends on nothing around them, so all of a batch are looked at in one go,
//! before anything is passed. Most words are literals or natural numbers, most escapes of two
//! bytes or one character by its number: those are told by masks, all of a block at once. The
//! others are read byte by byte.
//!
//! As with all that goes by masks ([`super::grammar`]), what is wrong is looked at again, to say
//! where.

use std::ops::Range;

use super::grammar::Batch;
use super::string;
use super::word::Word;
use crate::scan::wide::{Spelled, Wide, WideCode};
use crate::scan::{BLOCK, Block};

/// What goes on behind a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Begun {
    /// The word that the batch ends in, and how far it has come.
    pub word: Option<Word>,
    /// The escape at this offset was checked as the second half of a pair.
    pub paired: Option<u64>,
}

/// Checks the words and escapes of a batch; `None`: something is wrong.
pub(super) struct CheckLeaves<'a> {
    pub batch: Batch<'a>,
    /// The blocks that have words, a bit each.
    pub with_words: u64,
    /// The blocks that have escapes.
    pub with_escapes: u64,
    /// What goes on in the batch.
    pub begun: Begun,
}

impl WideCode for CheckLeaves<'_> {
    type Output = Option<Begun>;

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) -> Option<Begun> {
        let CheckLeaves { batch: Batch { blocks, text, offset, .. }, .. } = self;
        let mut begun = self.begun;
        let spell = |index: usize| {
            let text = text.get(index * BLOCK..).and_then(<[u8]>::first_chunk);
            // Nothing is known of what is too near the end; it is looked at byte by byte.
            text.map(|text| wide.spell(text)).unwrap_or_default()
        };

        let end = blocks.len() * BLOCK;
        let mut in_word = u64::from(begun.word.is_some());
        let mut first = 0;
        if let Some(word) = begun.word.take() {
            first = first_word(blocks);
            let word = word.feed_all(text.get(..first)?).ok()?;
            if first == end {
                return Some(Begun { word: Some(word), ..begun });
            }
            word.finish().ok()?;
        }
        let last = last_word(blocks);
        let mut words = Words::default();
        for index in ones(self.with_words) {
            if let Some(before) = index.checked_sub(1) {
                in_word = blocks[before].words >> 63;
            }
            let others = words.others(blocks[index].words, in_word, spell(index));
            if others != 0 && !words_are_right(others, index, blocks, text, first..last) {
                return None;
            }
        }
        if last < end {
            begun.word = Some(Word::new().feed_all(text.get(last..end)?).ok()?);
        }

        for index in ones(self.with_escapes) {
            let others = other_escapes(blocks[index].escapes, spell(index));
            if others != 0 {
                let text = text.get(index * BLOCK..)?;
                let offset = offset + (index * BLOCK) as u64;
                if !escapes_are_right(others, text, offset, &mut begun.paired) {
                    return None;
                }
            }
        }
        Some(begun)
    }
}

/// The places of the ones in a mask.
#[inline(always)]
fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (place < BLOCK).then_some(place)
    })
}

/// The words that most are, told by masks: literals and natural numbers. What a block leaves to the
/// next, if a word goes on there.
#[derive(Clone, Copy, Debug, Default)]
struct Words {
    /// Those of the first bytes that belong to a literal begun before.
    literal: u64,
    /// 1 where the byte before ends a word: it is a zero that a number begins with, or one of a
    /// literal.
    ends: u64,
}

impl Words {
    /// The bytes of words by which these are not whole, or neither literals nor natural numbers.
    /// `in_word` is 1 where the byte before is one of a word.
    #[inline(always)]
    fn others(&mut self, words: u64, in_word: u64, spelled: Spelled) -> u64 {
        let begins = words & !((words << 1) | in_word);
        let (four, five) = (spelled.four & begins, spelled.five & begins);
        // Four bytes each, and the last one of `false`.
        let literals = u128::from(four | five) * 0b1111 + (u128::from(five) << 4);
        let literal = literals as u64 | self.literal;
        let ends = literal | (spelled.zeros & begins);
        let behind = (ends << 1) | (self.ends & in_word);
        *self = Words { literal: (literals >> 64) as u64, ends: ends >> 63 };
        words & (!(spelled.digits | literal) | (spelled.digits & behind))
    }
}

/// The escapes of a block that are to be looked at: those that go on behind it, or all where not
/// each is of two bytes or one character by its number.
#[inline(always)]
fn other_escapes(escapes: u64, spelled: Spelled) -> u64 {
    let numbers = escapes & spelled.before_u;
    let first_digits = numbers << 2;
    let digits = first_digits.wrapping_mul(0b1111);
    let others = escapes & !(spelled.before_escaped | spelled.before_u);
    // Of a pair that makes one character, both numbers begin with `d`.
    match others | (digits & !spelled.hex) | (first_digits & spelled.d) {
        0 => numbers & (!0 << (BLOCK - 5)),
        _ => escapes,
    }
}

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

/// Whether the words are whole that these bytes of a block are in. Only those that lie in `within`
/// of the batch are looked at: it may begin and end in a word that goes on.
#[cold]
#[inline(never)]
fn words_are_right(
    mut odd: u64,
    index: usize,
    blocks: &[Block],
    text: &[u8],
    within: Range<usize>,
) -> bool {
    while odd != 0 {
        let place = index * BLOCK + odd.trailing_zeros() as usize;
        let begin = word_begin(blocks, place);
        let end = word_end(blocks, place);
        if within.contains(&begin) && !text.get(begin..end).is_some_and(Word::is_whole) {
            return false;
        }
        odd &= (!0u64).checked_shl((end - index * BLOCK) as u32).unwrap_or_default();
    }
    true
}

/// Where the word begins that a byte of the blocks is in.
fn word_begin(blocks: &[Block], place: usize) -> usize {
    let (index, bit) = (place / BLOCK, place % BLOCK);
    let others = !blocks[index].words & ((1 << bit) - 1);
    match others {
        0 => last_word(&blocks[..index]),
        _ => (index + 1) * BLOCK - others.leading_zeros() as usize,
    }
}

/// Where it ends.
fn word_end(blocks: &[Block], place: usize) -> usize {
    let (index, bit) = (place / BLOCK, place % BLOCK);
    let len = (blocks[index].words >> bit).trailing_ones() as usize;
    match bit + len {
        BLOCK => (index + 1) * BLOCK + first_word(&blocks[index + 1..]),
        _ => place + len,
    }
}

/// Whether escapes are right, looked at one by one. The text they are in begins at an offset.
#[cold]
#[inline(never)]
fn escapes_are_right(escapes: u64, text: &[u8], offset: u64, paired: &mut Option<u64>) -> bool {
    ones(escapes).all(|place| {
        let text = text.get(place..).unwrap_or_default();
        escape_is_right(text, offset + place as u64, paired)
    })
}

/// Whether the escape is right that a text begins with, which is at an offset. `paired` is the
/// offset of one that was checked as the second half of a pair.
pub(super) fn escape_is_right(text: &[u8], offset: u64, paired: &mut Option<u64>) -> bool {
    if paired.take() == Some(offset) {
        return true;
    }
    let escape = string::escape(text);
    *paired = escape.filter(|(_, len)| *len == string::ESCAPE_MAX).map(|_| offset + 6);
    escape.is_some()
}
