//! Checks that brackets match, many at a time.
//!
//! The fast path (`words`) matches many brackets at once. The slow path (`Nesting::first_bad`)
//! checks bracket by bracket. It runs when the fast path rejects a batch, and finds the first
//! error. On processors without PEXT, it is the only path. Tests compare the two paths.
//!
//! Both paths ignore brackets after the end of the document, which is where its outermost container
//! closes.

pub mod partial;
#[cfg(target_arch = "x86_64")]
mod words;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::_pext_u64;

use self::partial::PartialNesting;
#[cfg(target_arch = "x86_64")]
use self::words::Word;
use super::brackets::Brackets;
use super::{BLOCK, Block, HasPext, Isa};
use crate::error::ErrorKind;
use crate::limits::Limit;

/// The stack of open containers at an offset of a text.
#[derive(Clone, Debug)]
pub struct Nesting {
    isa: Isa,
    /// Maximum number of containers that may be open at once.
    depth_max: u64,
    open: Brackets,
    ended: bool,
    /// The depths in the blocks that were followed last.
    ranges: Vec<BlockRange>,
}

/// Consecutive blocks of a batch, and the depth of nesting in them.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockRange {
    /// Index of the block after the last one, in the batch.
    pub end: usize,
    /// Minimum number of open containers in the range; 0 if unknown.
    pub depth_min: u64,
    /// Number of open containers at the end of the range, if `depth_min` is known.
    pub depth_after: u64,
}

/// Claims of tokens about the kind of the container around them. Each claim is one bit.
///
/// The bit of a claim is at the next bracket after the token. At a closing bracket, the claim is
/// about the container that the bracket closes. At an opening bracket, the claim is about the
/// container around the bracket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// The claims that the container is an object.
    pub objects: u64,
    /// The claims that the container is an array.
    pub arrays: u64,
}

impl Claims {
    /// Returns the claims that contradict `kinds`. In `kinds`, 1 is an object.
    #[inline(always)]
    fn contradictions(self, kinds: u64) -> u64 {
        (self.objects & !kinds) | (self.arrays & kinds)
    }
}

impl Nesting {
    /// Returns the state at the start of a text. At most `depth_max` containers may be open at
    /// once.
    pub fn new(isa: Isa, depth_max: u64) -> Nesting {
        let (open, ranges) = (Brackets::default(), Vec::new());
        Nesting { isa, depth_max, open, ended: false, ranges }
    }

    /// Changes to the state between two tokens inside the containers `open`.
    pub fn go_between(&mut self, open: &Brackets) {
        self.open.clone_from(open);
        self.ended = false;
        self.ranges.clear();
    }

    /// The depths in the blocks that were followed last, in order and without a gap.
    pub fn ranges(&self) -> &[BlockRange] {
        &self.ranges
    }

    /// Follows the brackets of the next blocks. Returns the first error, with its byte offset from
    /// the start of the blocks. After an error, the state is undefined.
    pub fn follow(&mut self, blocks: &[Block]) -> Option<(ErrorKind, usize)> {
        self.ranges.clear();
        if self.isa.pext().is_some_and(|pext| self.matches(pext, blocks)) {
            return None;
        }
        self.forget_depths(blocks);
        self.first_bad(blocks)
    }

    /// Like [`Nesting::follow`], but also checks claims. `last` has the claims after the last
    /// bracket, about the innermost container at the end of the blocks.
    ///
    /// Returns `false`, and leaves the state unchanged, if the blocks may be invalid or if the
    /// document begins or ends in them.
    pub fn follow_claims(&mut self, blocks: &[Block], claims: &[Claims], last: Claims) -> bool {
        if self.ended || self.open.depth == 0 {
            return false;
        }
        self.ranges.clear();
        let before = self.clone();
        let matches = match self.isa.pext() {
            Some(pext) => self.take_words::<true>(pext, blocks, claims),
            None => self.follow_each_claim(blocks, claims),
        };
        let is_right =
            matches && self.open.depth > 0 && last.contradictions(self.open.innermost()) & 1 == 0;
        if !is_right {
            *self = before;
        }
        is_right
    }

    /// Follows the brackets on the fast path. If it fails, returns `false` and leaves the state
    /// unchanged.
    fn matches(&mut self, pext: HasPext, blocks: &[Block]) -> bool {
        // This copy is cheap: most texts are less than 64 levels deep, so the copied stack has no
        // list.
        let (open, ended) = (self.open.clone(), self.ended);
        let matches = self.take_words::<false>(pext, blocks, &[]);
        if !matches {
            (self.open, self.ended) = (open, ended);
        }
        matches
    }

    #[cfg(target_arch = "x86_64")]
    fn take_words<const CLAIMED: bool>(
        &mut self,
        _: HasPext,
        blocks: &[Block],
        claims: &[Claims],
    ) -> bool {
        // SAFETY: `HasPext` proves that the processor has BMI1, BMI2, POPCNT and LZCNT.
        unsafe { follow::<CLAIMED>(self, blocks, claims) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn take_words<const CLAIMED: bool>(&mut self, _: HasPext, _: &[Block], _: &[Claims]) -> bool {
        false
    }

    /// Follows brackets and claims one by one: the slow path of [`Nesting::follow_claims`].
    fn follow_each_claim(&mut self, blocks: &[Block], claims: &[Claims]) -> bool {
        self.forget_depths(blocks);
        blocks.iter().zip(claims).all(|(block, claims)| {
            let mut brackets = block.brackets;
            while brackets != 0 {
                let bit = brackets.trailing_zeros();
                brackets &= brackets - 1;
                if claims.contradictions(self.open.innermost() << bit) & (1 << bit) != 0 {
                    return false;
                }
                let brace = (block.braces >> bit) & 1;
                let is_right = match (block.opens >> bit) & 1 {
                    1 => self.push(brace).is_ok(),
                    _ => self.pop(brace).is_ok() && self.open.depth > 0,
                };
                if !is_right {
                    return false;
                }
            }
            true
        })
    }

    /// Whether the innermost container is an object; `None` if none is open.
    pub fn is_in_object(&self) -> Option<bool> {
        (self.open.depth > 0).then(|| self.open.innermost() == 1)
    }

    /// Whether the document has ended.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Ends the document: from here on, all brackets are accepted.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Records the next blocks as one range of unknown depth.
    pub fn forget_depths(&mut self, blocks: &[Block]) {
        self.ranges.clear();
        self.ranges.push(BlockRange { end: blocks.len(), depth_min: 0, depth_after: 0 });
    }

    /// Follows an opening bracket.
    ///
    /// # Errors
    ///
    /// Fails if the depth exceeds its limit.
    pub fn push(&mut self, brace: u64) -> Result<(), ErrorKind> {
        let value = self.depth_max;
        let full = self.open.depth == value;
        self.open.push(brace);
        if full { Err(ErrorKind::Limit { limit: Limit::Depth, value }) } else { Ok(()) }
    }

    /// Follows a closing bracket.
    ///
    /// # Errors
    ///
    /// Fails if the bracket does not match the kind of the innermost container.
    pub fn pop(&mut self, brace: u64) -> Result<(), ErrorKind> {
        let matches = self.open.close(brace, 1);
        self.ended = self.open.depth == 0;
        if matches { Ok(()) } else { Err(ErrorKind::MismatchedBracket) }
    }

    /// Applies the brackets of a range that another thread followed. Returns `false`, and leaves
    /// the state unchanged, if the range may be invalid here or if the document would end in the
    /// range.
    pub fn apply(&mut self, partial: &PartialNesting) -> bool {
        let PartialNesting { closed, around, open, highest } = partial;
        let leaves_some = self.open.depth > partial.closes();
        if self.ended || !leaves_some || self.open.depth + *highest as u64 > self.depth_max {
            return false;
        }
        let before = self.open.clone();
        let closes = closed.iter().all(|is_brace| self.open.close(u64::from(*is_brace), 1));
        if !closes || around.is_some_and(|is_object| u64::from(is_object) != self.open.innermost())
        {
            self.open = before;
            return false;
        }
        open.iter().for_each(|is_brace| self.open.push(u64::from(*is_brace)));
        self.ranges.clear();
        true
    }

    /// Follows the brackets one by one, up to the first error.
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

/// [`Nesting::follow_words`] with PEXT.
///
/// # Safety
///
/// The processor has BMI1, BMI2, POPCNT and LZCNT.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
unsafe fn follow<const CLAIMED: bool>(
    nesting: &mut Nesting,
    blocks: &[Block],
    claims: &[Claims],
) -> bool {
    nesting.follow_words::<CLAIMED>(
        blocks,
        claims,
        |bits, mask| _pext_u64(bits, mask),
        |nesting, word, end| take::<CLAIMED>(nesting, word, end),
    )
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
fn take<const CLAIMED: bool>(nesting: &mut Nesting, word: Word, end: usize) -> bool {
    nesting.take::<CLAIMED>(word, end, |bits, mask| _pext_u64(bits, mask))
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

    /// The first bad bracket, found with a stack.
    fn by_stack(text: &[u8], depth_max: u64) -> Option<(ErrorKind, usize)> {
        let mut open = Vec::new();
        for (offset, byte) in text.iter().enumerate() {
            match byte {
                b'{' | b'[' if open.len() as u64 == depth_max => {
                    let kind = ErrorKind::Limit { limit: Limit::Depth, value: depth_max };
                    return Some((kind, offset));
                }
                b'{' | b'[' => open.push(byte + 2),
                b'}' | b']' if open.pop().is_some_and(|close| close != *byte) => {
                    return Some((ErrorKind::MismatchedBracket, offset));
                }
                b'}' | b']' if open.is_empty() => return None,
                _ => {}
            }
        }
        None
    }

    fn assert_matches_stack(text: &[u8], depth_max: u64, batches: &[usize]) {
        let blocks = blocks(text);
        let expected = by_stack(text, depth_max);
        for isa in Isa::all() {
            for batches in [batches, &[blocks.len().max(1)]] {
                let mut nesting = Nesting::new(isa, depth_max);
                let (mut rest, mut sizes) = (&blocks[..], batches.iter().cycle());
                let mut found = None;
                while !rest.is_empty() && found.is_none() {
                    let start = (blocks.len() - rest.len()) * BLOCK;
                    let (batch, after) = rest.split_at((*sizes.next().unwrap()).min(rest.len()));
                    found = nesting.follow(batch).map(|(kind, offset)| (kind, start + offset));
                    rest = after;
                }
                assert_eq!(found, expected, "{} {text:?}", isa.name());
            }
        }
    }

    /// Makes the brackets of a document from random choices, with some spaces between them.
    fn document(choices: &[u8]) -> Vec<u8> {
        let (mut text, mut open) = (Vec::new(), Vec::new());
        for choice in choices {
            match (choice % 4, open.len()) {
                (0 | 1, _) | (_, 0) => {
                    let bracket = if choice & 8 == 0 { b'{' } else { b'[' };
                    open.push(bracket + 2);
                    text.push(bracket);
                }
                // The outermost container stays open to the end.
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
        fn both_paths_agree_with_a_stack(
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
            assert_matches_stack(&text, depth_max, &batches);
        }
    }

    /// The unmatched brackets, found with a stack; `None` if the kinds of a pair differ.
    fn partial_by_stack(text: &[u8]) -> Option<(Vec<bool>, Vec<bool>)> {
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
        fn ranges_without_context_agree_with_a_stack(
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
            let expected = partial_by_stack(&text[start..end]);
            for isa in Isa::all() {
                let mut partial = PartialNesting::default();
                let found = blocks.chunks(2).all(|blocks| partial.follow(isa, blocks));
                prop_assert_eq!(found, expected.is_some(), "{}", isa.name());
                if let Some((closed, open)) = &expected {
                    prop_assert_eq!(&partial.closed, closed);
                    prop_assert_eq!(&partial.open, open);
                }
            }
        }

        /// Applying a range and following it give the same state.
        #[test]
        fn applying_a_range_equals_following_it(
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
            let [before, range, after] =
                [&text[..cuts[0]], &text[cuts[0]..cuts[1]], &text[cuts[1]..]].map(blocks);
            for isa in Isa::all() {
                let mut followed = Nesting::new(isa, depth_max);
                if followed.follow(&before).is_some() {
                    continue;
                }
                let mut applied = followed.clone();
                let mut partial = PartialNesting::default();
                if !partial.follow(isa, &range) || !applied.apply(&partial) {
                    continue;
                }
                prop_assert_eq!(followed.follow(&range), None);
                prop_assert_eq!(applied.open.depth, followed.open.depth);
                prop_assert_eq!(applied.follow(&after), followed.follow(&after));
            }
        }
    }

    #[test]
    fn deep_nesting_keeps_every_kind() {
        for depth in [1, 62, 63, 64, 65, 127, 128, 129, 700] {
            let opens: Vec<u8> = (0..depth).map(|n| b"{["[(n * n / 3) % 2]).collect();
            let closes: Vec<u8> = opens.iter().rev().map(|bracket| bracket + 2).collect();
            for gap in [0, 1, 63] {
                let even = [&opens[..], &vec![b' '; gap], &closes].concat();
                assert_matches_stack(&even, depth as u64, &[1]);
                assert_matches_stack(&even, depth as u64 - 1, &[1]);
                // The last bracket closes the other kind.
                let mut odd = even.clone();
                *odd.last_mut().unwrap() ^= b'}' ^ b']';
                assert_matches_stack(&odd, depth as u64, &[1]);
                // Brackets after the end of the document are accepted.
                assert_matches_stack(&[&even[..], b"]}[}"].concat(), depth as u64, &[1]);
            }
        }
    }
}
