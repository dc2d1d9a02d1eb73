//! Validates numbers, literals and escapes, a batch at a time.
//!
//! *Words* are numbers and literals. The grammar of words and escapes does not depend on the
//! surrounding tokens, so one pass checks a whole batch. Most words are literals or natural
//! numbers, and most escapes have two bytes or are one `\u`. Masks check these for a whole block at
//! once. The others are checked byte by byte.
//!
//! Like the check of tokens ([`super::grammar`]), this check only detects that a batch is invalid.
//! A second pass over the tokens locates the error.

use std::ops::Range;

use super::string;
use super::word::Word;
use crate::scan::wide::{LeafMasks, Wide, WideCode};
use crate::scan::{BLOCK, Block};

/// The text and masks of one scan.
#[derive(Clone, Copy)]
pub(super) struct Batch<'a> {
    pub blocks: &'a [Block],
    /// The text from the first byte of the first block on. If an escape begins near the end of the
    /// blocks, the text extends beyond them by the length of the longest escape, unless the input
    /// ends before.
    pub text: &'a [u8],
    /// How many bytes of the text were scanned.
    pub len: usize,
    pub offset: u64,
}

/// The word or escape that continues after a batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unfinished {
    /// The word that the batch ends in, and its state.
    pub word: Option<Word>,
    /// The offset of the second half of a surrogate pair that is already checked.
    pub paired: Option<u64>,
}

/// Checks the words and escapes of a batch. Returns `None` if one is invalid.
pub(super) struct CheckLeaves<'a> {
    pub batch: Batch<'a>,
    /// The blocks with words, one bit each.
    pub with_words: u64,
    /// The blocks with escapes, one bit each.
    pub with_escapes: u64,
    /// The word or escape that continues from the batch before.
    pub unfinished: Unfinished,
}

impl WideCode for CheckLeaves<'_> {
    type Output = Option<Unfinished>;

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) -> Option<Unfinished> {
        let CheckLeaves { batch: Batch { blocks, text, offset, .. }, .. } = self;
        let mut unfinished = self.unfinished;
        let leaf_masks = |index: usize| {
            let text = text.get(index * BLOCK..).and_then(<[u8]>::first_chunk);
            // Near the end of the text all masks are 0, and the bytes are checked one by one.
            text.map(|text| wide.leaf_masks(text)).unwrap_or_default()
        };

        let end = blocks.len() * BLOCK;
        let mut in_word = u64::from(unfinished.word.is_some());
        let mut first = 0;
        if let Some(word) = unfinished.word.take() {
            first = first_word(blocks);
            let word = word.feed_all(text.get(..first)?).ok()?;
            if first == end {
                return Some(Unfinished { word: Some(word), ..unfinished });
            }
            word.finish().ok()?;
        }
        let last = last_word(blocks);
        let mut words = Words::default();
        for index in ones(self.with_words) {
            if let Some(before) = index.checked_sub(1) {
                in_word = blocks[before].words >> 63;
            }
            let others = words.others(blocks[index].words, in_word, leaf_masks(index));
            if others != 0 && !words_are_right(others, index, blocks, text, first..last) {
                return None;
            }
        }
        if last < end {
            unfinished.word = Some(Word::new().feed_all(text.get(last..end)?).ok()?);
        }

        for index in ones(self.with_escapes) {
            let others = other_escapes(blocks[index].escapes, leaf_masks(index));
            if others != 0 {
                let text = text.get(index * BLOCK..)?;
                let offset = offset + (index * BLOCK) as u64;
                if !escapes_are_right(others, text, offset, &mut unfinished.paired) {
                    return None;
                }
            }
        }
        Some(unfinished)
    }
}

/// The positions of the 1 bits of a mask.
#[inline(always)]
fn ones(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (place < BLOCK).then_some(place)
    })
}

/// Checks the common words with masks: literals and natural numbers. Contains the state between
/// blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Words {
    /// The bytes of the next block that belong to a literal which begins in this block.
    literal: u64,
    /// 1 if no digit may follow the last byte: it is a leading zero, or part of a literal.
    ends: u64,
}

impl Words {
    /// Returns the bytes that are not part of a valid literal or natural number. The words with
    /// these bytes need another check. `in_word` is 1 if the byte before the block belongs to a
    /// word.
    #[inline(always)]
    fn others(&mut self, words: u64, in_word: u64, leaf: LeafMasks) -> u64 {
        let begins = words & !((words << 1) | in_word);
        let (four, five) = (leaf.literal4 & begins, leaf.literal5 & begins);
        // Each literal has four bytes, and `false` a fifth.
        let literals = u128::from(four | five) * 0b1111 + (u128::from(five) << 4);
        let literal = literals as u64 | self.literal;
        let ends = literal | (leaf.zeros & begins);
        let behind = (ends << 1) | (self.ends & in_word);
        *self = Words { literal: (literals >> 64) as u64, ends: ends >> 63 };
        words & (!(leaf.digits | literal) | (leaf.digits & behind))
    }
}

/// Returns the escapes of a block that must be checked one by one: the `\u` escapes that cross the
/// end of the block. If any escape is neither a two-byte escape nor a single `\u`, returns all
/// escapes of the block.
#[inline(always)]
fn other_escapes(escapes: u64, leaf: LeafMasks) -> u64 {
    let numbers = escapes & leaf.before_u;
    let first_digits = numbers << 2;
    let digits = first_digits.wrapping_mul(0b1111);
    let others = escapes & !(leaf.before_escaped | leaf.before_u);
    // Both halves of a surrogate pair begin with `d`.
    match others | (digits & !leaf.hex) | (first_digits & leaf.d) {
        0 => numbers & (!0 << (BLOCK - 5)),
        _ => escapes,
    }
}

/// The end of the word that the blocks begin with.
fn first_word(blocks: &[Block]) -> usize {
    let whole = blocks.iter().take_while(|block| block.words == !0).count();
    let rest = blocks.get(whole).map_or(0, |block| block.words.trailing_ones());
    whole * BLOCK + rest as usize
}

/// The start of the word that the blocks end in. Without such a word, the end of the blocks.
fn last_word(blocks: &[Block]) -> usize {
    let whole = blocks.iter().rev().take_while(|block| block.words == !0).count();
    let block = (blocks.len() - whole).checked_sub(1).and_then(|index| blocks.get(index));
    let rest = block.map_or(0, |block| block.words.leading_ones());
    (blocks.len() - whole) * BLOCK - rest as usize
}

/// Whether the words that contain the bytes `odd` of a block are valid. Checks only words that
/// start in the range `within`: the first and last word of the batch may be incomplete.
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

/// The start of the word that contains a byte.
fn word_begin(blocks: &[Block], place: usize) -> usize {
    let (index, bit) = (place / BLOCK, place % BLOCK);
    let others = !blocks[index].words & ((1 << bit) - 1);
    match others {
        0 => last_word(&blocks[..index]),
        _ => (index + 1) * BLOCK - others.leading_zeros() as usize,
    }
}

/// The end of the word that contains a byte.
fn word_end(blocks: &[Block], place: usize) -> usize {
    let (index, bit) = (place / BLOCK, place % BLOCK);
    let len = (blocks[index].words >> bit).trailing_ones() as usize;
    match bit + len {
        BLOCK => (index + 1) * BLOCK + first_word(&blocks[index + 1..]),
        _ => place + len,
    }
}

/// Whether all of these escapes are valid. `offset` is the offset of the text.
#[cold]
#[inline(never)]
fn escapes_are_right(escapes: u64, text: &[u8], offset: u64, paired: &mut Option<u64>) -> bool {
    ones(escapes).all(|place| {
        let text = text.get(place..).unwrap_or_default();
        escape_is_right(text, offset + place as u64, paired)
    })
}

/// Whether the escape that `text` begins with is valid. `offset` is the offset of the escape.
/// `paired` is the offset of the second half of a surrogate pair that is already checked.
pub(super) fn escape_is_right(text: &[u8], offset: u64, paired: &mut Option<u64>) -> bool {
    if paired.take() == Some(offset) {
        return true;
    }
    let escape = string::escape(text);
    *paired = escape.filter(|(_, len)| *len == string::ESCAPE_MAX).map(|_| offset + 6);
    escape.is_some()
}
