//! Matches up to 64 brackets at a time.
//!
//! PEXT packs the brackets of many blocks into one word. In a word, an opening bracket directly
//! before a closing bracket is a pair, and both must have the same kind. Each round removes all
//! pairs, which brings the brackets around them next to each other. The number of rounds is the
//! depth of nesting in the word. The remaining brackets first close containers of earlier words,
//! and then open containers for later words. A word has dozens of brackets and takes three or four
//! rounds, so the cost is a few instructions for each block.
//!
//! A claim ([`Claims`]) is stored at the next bracket after its token. At a closing bracket, the
//! claim is checked at once. At an opening bracket, the claim is about the enclosing container. So
//! when a round removes the pair of this bracket, the claim moves to the next bracket that remains.
//! The carry of an addition moves the claim across any number of adjacent pairs.

use super::partial::PartialNesting;
use super::{Block, BlockRange, Claims, Nesting};
use crate::scan::brackets::lowest;

/// Brackets without the text between them, one bit each. The lowest bit is the first bracket.
#[derive(Clone, Copy, Default)]
pub(super) struct Word {
    opens: u64,
    braces: u64,
    claims: Claims,
    len: u32,
}

/// Packs the brackets of blocks into words. Passes each word to `take`, with the index of the block
/// after the word. If `take` returns `false`, stops and returns `false`. `compress(bits, mask)` is
/// PEXT.
#[inline(always)]
fn pack_brackets<const CLAIMED: bool>(
    blocks: &[Block],
    claims: &[Claims],
    compress: impl Fn(u64, u64) -> u64,
    mut take: impl FnMut(Word, usize) -> bool,
) -> bool {
    let mut word = Word::default();
    for (index, block) in blocks.iter().enumerate() {
        let len = block.brackets.count_ones();
        if word.len + len > u64::BITS {
            if !take(word, index) {
                return false;
            }
            word = Word::default();
        }
        // If the word is full, the shift wraps to 0, and the block has no brackets to add.
        let packed = |bits| compress(bits, block.brackets).wrapping_shl(word.len);
        word.opens |= packed(block.opens);
        word.braces |= packed(block.braces);
        if CLAIMED {
            let Claims { objects, arrays } = claims[index];
            word.claims.objects |= packed(objects);
            word.claims.arrays |= packed(arrays);
        }
        word.len += len;
    }
    take(word, blocks.len())
}

impl Word {
    /// Removes all pairs. Returns `None` if the kinds of a pair differ or a claim is wrong. The
    /// remaining brackets are in text order, the first one in the lowest bit.
    #[inline(always)]
    fn reduced<const CLAIMED: bool>(self, compress: impl Fn(u64, u64) -> u64) -> Option<Reduced> {
        let Word { mut opens, mut braces, mut claims, mut len } = self;
        let mut past = Claims::default();
        loop {
            if CLAIMED && claims.contradictions(braces) & lowest(len) & !opens != 0 {
                return None;
            }
            let pairs = opens & !(opens >> 1) & (lowest(len) >> 1);
            if pairs == 0 {
                break;
            }
            if (braces ^ (braces >> 1)) & pairs != 0 {
                return None;
            }
            let gone = pairs | (pairs << 1);
            let rest = lowest(len) & !gone;
            opens = compress(opens, rest);
            braces = compress(braces, rest);
            if CLAIMED {
                let hand_on = |claims: u64, past: &mut u64| {
                    let (across, over) = gone.overflowing_add(claims & pairs);
                    let behind = across & !gone;
                    *past |= behind.checked_shr(len).unwrap_or(u64::from(over));
                    compress(claims | behind, rest)
                };
                claims.objects = hand_on(claims.objects, &mut past.objects);
                claims.arrays = hand_on(claims.arrays, &mut past.arrays);
            }
            len = rest.count_ones();
        }
        let closes = opens.trailing_zeros().min(len);
        Some(Reduced { braces, closes, opens: len - closes, claims, past })
    }
}

/// The brackets of a word without its pairs: first closing brackets, then opening brackets.
struct Reduced {
    braces: u64,
    closes: u32,
    opens: u32,
    claims: Claims,
    /// Claims about the innermost container after the word. Each claim is 0 or 1.
    past: Claims,
}

impl Reduced {
    /// Returns the claims about the container around the first opening bracket. Each claim is 0 or
    /// 1.
    #[inline(always)]
    fn first(&self) -> Claims {
        let first = |claims: u64| claims.checked_shr(self.closes).unwrap_or_default() & 1;
        match self.opens {
            0 => Claims::default(),
            _ => Claims { objects: first(self.claims.objects), arrays: first(self.claims.arrays) },
        }
    }

    /// Whether the claims at the second and all later opening brackets are right. Each of these
    /// claims is about the container that the bracket before it opens.
    #[inline(always)]
    fn later_claims_hold(&self) -> bool {
        let later = lowest(self.closes + self.opens) & !lowest(self.closes + 1);
        self.claims.contradictions(self.braces << 1) & later == 0
    }
}

impl PartialNesting {
    /// Follows the brackets word by word. Returns `false` if they do not match.
    #[inline(always)]
    pub(super) fn follow_words<const CLAIMED: bool>(
        &mut self,
        blocks: &[Block],
        claims: &[Claims],
        compress: impl Fn(u64, u64) -> u64,
    ) -> bool {
        pack_brackets::<CLAIMED>(blocks, claims, &compress, |word, _| {
            self.highest = self.highest.max(self.open.len() + word.opens.count_ones() as usize);
            let Some(reduced) = word.reduced::<CLAIMED>(&compress) else { return false };
            let Reduced { braces, closes, opens, past, .. } = reduced;
            let brace = |place| (braces.wrapping_shr(place) & 1) == 1;
            if !(0..closes).all(|place| self.close(brace(place))) {
                return false;
            }
            if CLAIMED && !(self.claim(reduced.first()) && reduced.later_claims_hold()) {
                return false;
            }
            self.open.extend((closes..closes + opens).map(brace));
            !CLAIMED || self.claim(past)
        })
    }
}

impl Nesting {
    /// Follows the brackets word by word. Returns `false` if they may be invalid. `compress(bits,
    /// mask)` is PEXT. `take` is [`Nesting::take`], compiled out of line to keep this loop small.
    #[inline(always)]
    pub(super) fn follow_words<const CLAIMED: bool>(
        &mut self,
        blocks: &[Block],
        claims: &[Claims],
        compress: impl Fn(u64, u64) -> u64,
        take: impl Fn(&mut Nesting, Word, usize) -> bool,
    ) -> bool {
        pack_brackets::<CLAIMED>(blocks, claims, compress, |word, end| take(self, word, end))
    }

    /// Follows the brackets of one word. `end` is the index of the block after the word.
    #[inline(always)]
    pub(super) fn take<const CLAIMED: bool>(
        &mut self,
        word: Word,
        end: usize,
        compress: impl Fn(u64, u64) -> u64,
    ) -> bool {
        if self.ended {
            self.ranges.push(BlockRange { end, depth_min: 0, depth_after: 0 });
            return true;
        }
        // A document that begins in this word may also end in it. Only the slow path handles
        // brackets after the end of the document.
        let begins = self.open.depth == 0 && word.len > 0;
        if begins || self.open.depth + u64::from(word.opens.count_ones()) > self.depth_max {
            return false;
        }
        let Some(reduced) = word.reduced::<CLAIMED>(compress) else { return false };
        let Reduced { braces, closes, opens, past, .. } = reduced;
        let mut matches = self.open.close(braces, closes);
        let depth_min = self.open.depth;
        if CLAIMED {
            matches &= reduced.first().contradictions(self.open.innermost()) == 0
                && reduced.later_claims_hold();
        }
        if self.open.depth > 0 || closes == 0 {
            self.open.open(braces.wrapping_shr(closes), opens);
        }
        matches &= !CLAIMED || past.contradictions(self.open.innermost()) == 0;
        self.ended = self.open.depth == 0 && word.len > 0;
        self.ranges.push(BlockRange { end, depth_min, depth_after: self.open.depth });
        matches
    }
}
