//! Brackets that close what they opened, checked many at a time.
//!
//! The brackets of many blocks are drawn together into one word of up to 64. In it, one that opens
//! and one that closes next to each other are a pair, whose kinds must agree; without all pairs,
//! those around them are next to each other. After as many rounds as the text is nested, what is
//! left closes what earlier words opened, and then opens what later ones close. A word has dozens
//! of brackets and three or four rounds, so this costs a few instructions for each block.
//!
//! Claims ([`Claims`]) stand at the bracket behind what they speak of. One that closes says at once
//! whether it agrees. That of one that opens is about the container around it, and so about what
//! the next bracket behind its pair is in: with every round it is handed on behind the pairs that
//! go, over all that are next to each other as a carry is.

use super::floating::Floating;
use super::{Block, Claims, Nesting, Stretch, lowest};

/// Brackets without what is between them, a bit each, the first lowest.
#[derive(Clone, Copy, Default)]
pub(in crate::scan) struct Word {
    opens: u64,
    braces: u64,
    claims: Claims,
    len: u32,
}

/// Draws the brackets of blocks together, and hands out word by word, each with the number of the
/// block behind it; `false`: `take` said so. `compress` draws the bits of a mask together.
#[inline(always)]
fn draw<const CLAIMED: bool>(
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
        // A full word is not shifted at all, and gets the nothing that there is.
        let drawn = |bits| compress(bits, block.brackets).wrapping_shl(word.len);
        word.opens |= drawn(block.opens);
        word.braces |= drawn(block.braces);
        if CLAIMED {
            let Claims { objects, arrays } = claims[index];
            word.claims.objects |= drawn(objects);
            word.claims.arrays |= drawn(arrays);
        }
        word.len += len;
    }
    take(word, blocks.len())
}

impl Word {
    /// Without its pairs: how many it closes, and then how many it opens; `None`: there is a pair
    /// of two kinds, or a claim that is wrong. The kinds come in the order of the text, the first
    /// lowest.
    #[inline(always)]
    fn reduced<const CLAIMED: bool>(self, compress: impl Fn(u64, u64) -> u64) -> Option<Reduced> {
        let Word { mut opens, mut braces, mut claims, mut len } = self;
        let mut past = Claims::default();
        loop {
            if CLAIMED && claims.deny(braces) & lowest(len) & !opens != 0 {
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

/// What a word closes, and then opens.
struct Reduced {
    braces: u64,
    closes: u32,
    opens: u32,
    claims: Claims,
    /// What is claimed of the container behind all of them: each 0 or 1.
    past: Claims,
}

impl Reduced {
    /// What is claimed of the container around the first that opens: each 0 or 1.
    #[inline(always)]
    fn first(&self) -> Claims {
        let first = |claims: u64| claims.checked_shr(self.closes).unwrap_or_default() & 1;
        match self.opens {
            0 => Claims::default(),
            _ => Claims { objects: first(self.claims.objects), arrays: first(self.claims.arrays) },
        }
    }

    /// Whether what is claimed of the others is true: around each is the one before it.
    #[inline(always)]
    fn others_are_right(&self) -> bool {
        let others = lowest(self.closes + self.opens) & !lowest(self.closes + 1);
        self.claims.deny(self.braces << 1) & others == 0
    }
}

impl Floating {
    /// Follows the brackets word by word; `false`: they do not match.
    #[inline(always)]
    pub(in crate::scan) fn follow_words<const CLAIMED: bool>(
        &mut self,
        blocks: &[Block],
        claims: &[Claims],
        compress: impl Fn(u64, u64) -> u64,
    ) -> bool {
        draw::<CLAIMED>(blocks, claims, &compress, |word, _| {
            self.highest = self.highest.max(self.open.len() + word.opens.count_ones() as usize);
            let Some(reduced) = word.reduced::<CLAIMED>(&compress) else { return false };
            let Reduced { braces, closes, opens, past, .. } = reduced;
            let brace = |place| (braces.wrapping_shr(place) & 1) == 1;
            if !(0..closes).all(|place| self.close(brace(place))) {
                return false;
            }
            if CLAIMED && !(self.claim(reduced.first()) && reduced.others_are_right()) {
                return false;
            }
            self.open.extend((closes..closes + opens).map(brace));
            !CLAIMED || self.claim(past)
        })
    }
}

impl Nesting {
    /// Follows the brackets word by word; `false`: something may be wrong. `compress` draws the
    /// bits of a mask together, `take` is [`Nesting::take`], out of the way of this loop.
    #[inline(always)]
    pub(in crate::scan) fn follow_words<const CLAIMED: bool>(
        &mut self,
        blocks: &[Block],
        claims: &[Claims],
        compress: impl Fn(u64, u64) -> u64,
        take: impl Fn(&mut Nesting, Word, usize) -> bool,
    ) -> bool {
        draw::<CLAIMED>(blocks, claims, compress, |word, end| take(self, word, end))
    }

    /// Follows the brackets of one word, which come from the blocks up to `end`.
    #[inline(always)]
    pub(in crate::scan) fn take<const CLAIMED: bool>(
        &mut self,
        word: Word,
        end: usize,
        compress: impl Fn(u64, u64) -> u64,
    ) -> bool {
        if self.ended {
            self.stretches.push(Stretch { end, least: 0, after: 0 });
            return true;
        }
        // Where a document begins it may end as well; only the plain way sees what is behind it.
        let begins = self.depth == 0 && word.len > 0;
        if begins || self.depth + u64::from(word.opens.count_ones()) > self.depth_max {
            return false;
        }
        let Some(reduced) = word.reduced::<CLAIMED>(compress) else { return false };
        let Reduced { braces, closes, opens, past, .. } = reduced;
        let mut matches = self.close(braces, closes);
        let least = self.depth;
        if CLAIMED {
            matches &= reduced.first().deny(self.innermost()) == 0 && reduced.others_are_right();
        }
        if self.depth > 0 || closes == 0 {
            self.open(braces.wrapping_shr(closes), opens);
        }
        matches &= !CLAIMED || past.deny(self.innermost()) == 0;
        self.ended = self.depth == 0 && word.len > 0;
        self.stretches.push(Stretch { end, least, after: self.depth });
        matches
    }

    /// Opens so many, the outermost first.
    #[inline(always)]
    fn open(&mut self, braces: u64, count: u32) {
        if self.len + count > u64::BITS {
            (0..count).for_each(|place| self.open_one((braces >> place) & 1));
            return;
        }
        if count > 0 {
            let inwards = braces.reverse_bits() >> (u64::BITS - count);
            self.kinds = self.kinds.checked_shl(count).unwrap_or_default() | inwards;
            self.len += count;
            self.depth += u64::from(count);
        }
    }
}
