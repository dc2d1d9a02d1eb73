//! Brackets that close what they opened, checked without looking at them one by one.
//!
//! There are two ways: many brackets at once (`words`), and the plain way, one after the other
//! (`Nesting::first_bad`). The plain way tells what is wrong and where once the other is in doubt.
//! It is all there is on processors that cannot draw bits together, and what the fast way is tested
//! against.
//!
//! What follows the end of the document is none of ours: when nothing is open any more, everything
//! goes.

pub mod floating;
#[cfg(target_arch = "x86_64")]
pub(super) mod words;

use self::floating::Floating;
use super::{BLOCK, Block, DrawsBits, Isa};
use crate::error::ErrorKind;
use crate::limits::Limit;

/// The containers that are open at a place of a text, and their kinds.
#[derive(Clone, Debug)]
pub struct Nesting {
    isa: Isa,
    /// Most that may be open at once.
    depth_max: u64,
    depth: u64,
    /// The kinds of the innermost ones, a bit each, the innermost lowest: 1 is an object.
    kinds: u64,
    /// How many those are; they are never more than 64.
    len: u32,
    /// The kinds of the ones around them, 64 in each.
    around: Vec<u64>,
    /// Whether the document began, and ended.
    ended: bool,
    /// The blocks that were followed last.
    stretches: Vec<Stretch>,
}

/// Some blocks that follow each other, and how far out their brackets go.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stretch {
    /// Number of the block after the last one, in the batch.
    pub end: usize,
    /// Fewest containers that are open anywhere in it; 0 where that is not known.
    pub least: u64,
    /// How many are open at its end, where `least` is known.
    pub after: u64,
}

/// What the tokens say of the kinds of the containers that they stand in, gathered at the brackets
/// of a block: each bit speaks of the container that is innermost before its bracket. So one that
/// opens has that of the container around it, one that closes that of the one it closes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// It is an object.
    pub objects: u64,
    /// It is an array.
    pub arrays: u64,
}

impl Claims {
    /// Those that are not true, where the kinds are these: 1 is an object.
    #[inline(always)]
    fn deny(self, kinds: u64) -> u64 {
        (self.objects & !kinds) | (self.arrays & kinds)
    }
}

impl Nesting {
    /// At the start of a text in which `depth_max` containers may be open at once.
    pub fn new(isa: Isa, depth_max: u64) -> Nesting {
        let (around, stretches) = (Vec::new(), Vec::new());
        Nesting { isa, depth_max, depth: 0, kinds: 0, len: 0, around, ended: false, stretches }
    }

    /// Between two brackets of a text that has these open, of which the outermost comes first: 1 is
    /// an object.
    pub fn between(isa: Isa, depth_max: u64, open: impl Iterator<Item = u64>) -> Nesting {
        let mut nesting = Nesting::new(isa, depth_max);
        nesting.go_between(open);
        nesting
    }

    /// Goes to such a place of another text, with its memory.
    pub fn go_between(&mut self, open: impl Iterator<Item = u64>) {
        (self.depth, self.kinds, self.len, self.ended) = (0, 0, 0, false);
        self.around.clear();
        self.stretches.clear();
        open.for_each(|brace| self.open_one(brace));
    }

    /// The blocks that were followed last, in order and without a gap.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// Follows the brackets of the next blocks. The first one that is wrong is told, by its place
    /// in their text; nothing is to be followed after it.
    pub fn follow(&mut self, blocks: &[Block]) -> Option<(ErrorKind, usize)> {
        self.stretches.clear();
        if self.isa.draws_bits().is_some_and(|draws| self.matches(draws, blocks)) {
            return None;
        }
        self.forget_depths(blocks);
        self.first_bad(blocks)
    }

    /// The same where every token is looked at: with what the tokens claim, of the innermost
    /// container at the end as well. `false`: something may be wrong, or the document begins or
    /// ends here, and nothing has changed.
    pub fn follow_claims(&mut self, blocks: &[Block], claims: &[Claims], last: Claims) -> bool {
        if self.ended || self.depth == 0 {
            return false;
        }
        self.stretches.clear();
        let before = self.clone();
        let matches = match self.isa.draws_bits() {
            Some(draws) => self.take_words::<true>(draws, blocks, claims),
            None => self.claims_are_right(blocks, claims),
        };
        let is_right = matches && self.depth > 0 && last.deny(self.innermost()) & 1 == 0;
        if !is_right {
            *self = before;
        }
        is_right
    }

    /// Follows the brackets many at a time, if that works out; else nothing has changed.
    fn matches(&mut self, draws: DrawsBits, blocks: &[Block]) -> bool {
        let (depth, kinds, len, ended) = (self.depth, self.kinds, self.len, self.ended);
        // Most texts are less than 64 levels deep, and nothing is copied.
        let around = self.around.clone();
        let matches = self.take_words::<false>(draws, blocks, &[]);
        if !matches {
            (self.depth, self.kinds, self.len, self.ended) = (depth, kinds, len, ended);
            self.around = around;
        }
        matches
    }

    #[cfg(target_arch = "x86_64")]
    fn take_words<const CLAIMED: bool>(
        &mut self,
        _: DrawsBits,
        blocks: &[Block],
        claims: &[Claims],
    ) -> bool {
        // SAFETY: `DrawsBits` proves that the instructions are there.
        unsafe { super::avx2::follow::<CLAIMED>(self, blocks, claims) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn take_words<const CLAIMED: bool>(&mut self, _: DrawsBits, _: &[Block], _: &[Claims]) -> bool {
        false
    }

    /// Follows brackets and claims one by one: the plain way.
    fn claims_are_right(&mut self, blocks: &[Block], claims: &[Claims]) -> bool {
        self.forget_depths(blocks);
        blocks.iter().zip(claims).all(|(block, claims)| {
            let mut brackets = block.brackets;
            while brackets != 0 {
                let bit = brackets.trailing_zeros();
                brackets &= brackets - 1;
                if claims.deny(self.innermost() << bit) & (1 << bit) != 0 {
                    return false;
                }
                let brace = (block.braces >> bit) & 1;
                let is_right = match (block.opens >> bit) & 1 {
                    1 => self.push(brace).is_ok(),
                    _ => self.pop(brace).is_ok() && self.depth > 0,
                };
                if !is_right {
                    return false;
                }
            }
            true
        })
    }

    /// Whether the innermost container is an object: 1 if so. Means nothing where none is open.
    #[inline(always)]
    fn innermost(&self) -> u64 {
        let kinds = if self.len == 0 { self.around.last().copied() } else { Some(self.kinds) };
        kinds.unwrap_or_default() & 1
    }

    /// The same as an answer; `None`: none is open.
    pub fn is_in_object(&self) -> Option<bool> {
        (self.depth > 0).then(|| self.innermost() == 1)
    }

    /// How many are open.
    pub fn depth(&self) -> u64 {
        self.depth
    }

    /// Whether the document has ended.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Accepts any brackets from here on: the document has ended.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Notes the next blocks as one stretch of unknown depth.
    pub fn forget_depths(&mut self, blocks: &[Block]) {
        self.stretches.clear();
        self.stretches.push(Stretch { end: blocks.len(), least: 0, after: 0 });
    }

    /// Follows a bracket that opens.
    ///
    /// # Errors
    ///
    /// The limit on depth.
    pub fn push(&mut self, brace: u64) -> Result<(), ErrorKind> {
        let value = self.depth_max;
        let full = self.depth == value;
        self.open_one(brace);
        if full { Err(ErrorKind::Limit { limit: Limit::Depth, value }) } else { Ok(()) }
    }

    /// Follows a bracket that closes.
    ///
    /// # Errors
    ///
    /// It is of the other kind.
    pub fn pop(&mut self, brace: u64) -> Result<(), ErrorKind> {
        let matches = self.close(brace, 1);
        self.ended = self.depth == 0;
        if matches { Ok(()) } else { Err(ErrorKind::MismatchedBracket) }
    }

    /// Closes so many, the innermost first; `false` where one is of the other kind. Stops when none
    /// is open.
    #[inline(always)]
    fn close(&mut self, braces: u64, count: u32) -> bool {
        let (mut braces, mut count) = (braces, count);
        let mut different = 0;
        loop {
            let taken = count.min(self.len);
            different |= (self.kinds ^ braces) & lowest(taken);
            self.kinds = self.kinds.checked_shr(taken).unwrap_or_default();
            self.len -= taken;
            self.depth -= u64::from(taken);
            count -= taken;
            if count == 0 {
                return different == 0;
            }
            braces = braces.checked_shr(taken).unwrap_or_default();
            let Some(kinds) = self.around.pop() else { return different == 0 };
            (self.kinds, self.len) = (kinds, u64::BITS);
        }
    }

    fn open_one(&mut self, brace: u64) {
        if self.len == u64::BITS {
            self.around.push(self.kinds);
            (self.kinds, self.len) = (0, 0);
        }
        self.kinds = (self.kinds << 1) | brace;
        self.len += 1;
        self.depth += 1;
    }

    /// Follows a stretch that somebody else has followed; `false`: something may be wrong with it,
    /// and nothing has changed. The document must not end in it.
    pub fn pass(&mut self, stretch: &Floating) -> bool {
        let Floating { closed, around, open, highest } = stretch;
        let leaves_some = self.depth > stretch.closes();
        if self.ended || !leaves_some || self.depth + *highest as u64 > self.depth_max {
            return false;
        }
        let (depth, kinds, len) = (self.depth, self.kinds, self.len);
        let outer = self.around.clone();
        let closes = closed.iter().all(|is_brace| self.close(u64::from(*is_brace), 1));
        if !closes || around.is_some_and(|is_object| u64::from(is_object) != self.innermost()) {
            (self.depth, self.kinds, self.len, self.around) = (depth, kinds, len, outer);
            return false;
        }
        open.iter().for_each(|is_brace| self.open_one(u64::from(*is_brace)));
        self.stretches.clear();
        true
    }

    /// Follows the brackets one by one up to the first that is wrong.
    fn first_bad(&mut self, blocks: &[Block]) -> Option<(ErrorKind, usize)> {
        for (index, block) in blocks.iter().enumerate() {
            let mut brackets = block.brackets;
            while brackets != 0 && !self.ended {
                let bit = brackets.trailing_zeros();
                brackets &= brackets - 1;
                let brace = (block.braces >> bit) & 1;
                let followed = match (block.opens >> bit) & 1 {
                    1 => self.push(brace),
                    _ => self.pop(brace),
                };
                if let Err(kind) = followed {
                    return Some((kind, index * BLOCK + bit as usize));
                }
            }
        }
        None
    }
}

/// So many ones, the lowest.
#[inline(always)]
fn lowest(count: u32) -> u64 {
    !(!0u64).checked_shl(count).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    use super::*;
    use crate::scan::{Detail, Scanner};

    fn blocks(text: &[u8]) -> Vec<Block> {
        let mut padded = text.to_vec();
        padded.resize(text.len().next_multiple_of(BLOCK), b' ');
        let mut blocks = vec![Block::default(); padded.len() / BLOCK];
        let scanned = Scanner::new(Isa::best(), Detail::Structure).scan(&padded, &mut blocks);
        assert_eq!(scanned, None);
        blocks
    }

    /// The first bad bracket, by a stack of them.
    fn by_hand(text: &[u8], depth_max: u64) -> Option<(ErrorKind, usize)> {
        let mut open = Vec::new();
        for (place, byte) in text.iter().enumerate() {
            match byte {
                b'{' | b'[' if open.len() as u64 == depth_max => {
                    let kind = ErrorKind::Limit { limit: Limit::Depth, value: depth_max };
                    return Some((kind, place));
                }
                b'{' | b'[' => open.push(byte + 2),
                b'}' | b']' if open.pop().is_some_and(|close| close != *byte) => {
                    return Some((ErrorKind::MismatchedBracket, place));
                }
                b'}' | b']' if open.is_empty() => return None,
                _ => {}
            }
        }
        None
    }

    fn hold_to_hand(text: &[u8], depth_max: u64, batches: &[usize]) {
        let blocks = blocks(text);
        let expected = by_hand(text, depth_max);
        for isa in Isa::all() {
            for batches in [batches, &[blocks.len().max(1)]] {
                let mut nesting = Nesting::new(isa, depth_max);
                let (mut rest, mut sizes) = (&blocks[..], batches.iter().cycle());
                let mut found = None;
                while !rest.is_empty() && found.is_none() {
                    let start = (blocks.len() - rest.len()) * BLOCK;
                    let (batch, after) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
                    found = nesting.follow(batch).map(|(kind, place)| (kind, start + place));
                    rest = after;
                }
                assert_eq!(found, expected, "{} {text:?}", isa.name());
            }
        }
    }

    /// Brackets as a document has them, from random choices, with some space between them.
    fn document(choices: &[u8]) -> Vec<u8> {
        let (mut text, mut open) = (Vec::new(), Vec::new());
        for choice in choices {
            match (choice % 4, open.len()) {
                (0 | 1, _) | (_, 0) => {
                    let bracket = if choice & 8 == 0 { b'{' } else { b'[' };
                    open.push(bracket + 2);
                    text.push(bracket);
                }
                // The first stays open to the end.
                (_, 1) => text.extend_from_slice(b"[]"),
                _ => text.extend(open.pop()),
            }
            text.resize(text.len() + usize::from(choice >> 5) * usize::from(choice & 16), b' ');
        }
        text.extend(open.into_iter().rev());
        text
    }

    proptest! {
        #[test]
        fn all_ways_agree_with_a_stack(
            choices in prop::collection::vec(any::<u8>(), 1..400),
            damage in prop::option::of((any::<Index>(), select(b"{}[] ".to_vec()))),
            depth_max in prop_oneof![Just(10_000), 1u64..40],
            batches in prop::collection::vec(1usize..5, 1..4),
        ) {
            let mut text = document(&choices);
            if let Some((place, byte)) = damage {
                let place = place.index(text.len());
                text[place] = byte;
            }
            hold_to_hand(&text, depth_max, &batches);
        }
    }

    /// What is closed and left open, by a stack, and the first bad bracket.
    fn floating_by_hand(text: &[u8]) -> Option<(Vec<bool>, Vec<bool>)> {
        let (mut closed, mut open) = (Vec::new(), Vec::new());
        for byte in text {
            match (byte, open.last()) {
                (b'{' | b'[', _) => open.push(*byte == b'{'),
                (b'}' | b']', None) => closed.push(*byte == b'}'),
                (b'}' | b']', Some(last)) if *last != (*byte == b'}') => return None,
                (b'}' | b']', Some(_)) => open.truncate(open.len() - 1),
                _ => {}
            }
        }
        Some((closed, open))
    }

    proptest! {
        #[test]
        fn stretches_without_surroundings_agree_with_a_stack(
            choices in prop::collection::vec(any::<u8>(), 1..400),
            cut in any::<Index>(),
            len in any::<Index>(),
            damage in prop::option::of((any::<Index>(), select(b"{}[] ".to_vec()))),
        ) {
            let mut text = document(&choices);
            if let Some((place, byte)) = damage {
                let place = place.index(text.len());
                text[place] = byte;
            }
            let start = cut.index(text.len());
            let end = start + 1 + len.index(text.len() - start);
            let blocks = blocks(&text[start..end]);
            let expected = floating_by_hand(&text[start..end]);
            for isa in Isa::all() {
                let mut floating = Floating::default();
                let found = blocks.chunks(2).all(|blocks| floating.follow(isa, blocks));
                prop_assert_eq!(found, expected.is_some(), "{}", isa.name());
                if let Some((closed, open)) = &expected {
                    prop_assert_eq!(&floating.closed, closed);
                    prop_assert_eq!(&floating.open, open);
                }
            }
        }

        /// Passing a stretch is following it.
        #[test]
        fn a_stretch_is_passed_as_it_is_followed(
            choices in prop::collection::vec(any::<u8>(), 1..400),
            cuts in any::<[Index; 2]>(),
            damage in prop::option::of((any::<Index>(), select(b"{}[] ".to_vec()))),
            depth_max in prop_oneof![Just(10_000), 1u64..40],
        ) {
            let mut text = document(&choices);
            if let Some((place, byte)) = damage {
                let place = place.index(text.len());
                text[place] = byte;
            }
            let mut cuts = cuts.map(|cut| cut.index(text.len()));
            cuts.sort_unstable();
            let [before, stretch, behind] =
                [&text[..cuts[0]], &text[cuts[0]..cuts[1]], &text[cuts[1]..]].map(blocks);
            for isa in Isa::all() {
                let mut followed = Nesting::new(isa, depth_max);
                if followed.follow(&before).is_some() {
                    continue;
                }
                let mut passed = followed.clone();
                let mut floating = Floating::default();
                if !floating.follow(isa, &stretch) || !passed.pass(&floating) {
                    continue;
                }
                prop_assert_eq!(followed.follow(&stretch), None);
                prop_assert_eq!(passed.depth, followed.depth);
                prop_assert_eq!(passed.follow(&behind), followed.follow(&behind));
            }
        }
    }

    #[test]
    fn nothing_is_lost_far_down() {
        for depth in [1, 62, 63, 64, 65, 127, 128, 129, 700] {
            let opens: Vec<u8> = (0..depth).map(|n| b"{["[(n * n / 3) % 2]).collect();
            let closes: Vec<u8> = opens.iter().rev().map(|bracket| bracket + 2).collect();
            for gap in [0, 1, 63] {
                let even = [&opens[..], &vec![b' '; gap], &closes].concat();
                hold_to_hand(&even, depth as u64, &[1]);
                hold_to_hand(&even, depth as u64 - 1, &[1]);
                // The last one closes the other kind.
                let mut odd = even.clone();
                *odd.last_mut().unwrap() ^= b'}' ^ b']';
                hold_to_hand(&odd, depth as u64, &[1]);
                // After the end anything goes.
                hold_to_hand(&[&even[..], b"]}[}"].concat(), depth as u64, &[1]);
            }
        }
    }
}
