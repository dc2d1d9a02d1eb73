//! The brackets of a stretch of text whose surroundings are not known.

use super::super::{Block, DrawsBits, Isa};
use super::Claims;

/// What a stretch closes of what is around it, and what it leaves open.
#[derive(Clone, Debug, Default)]
pub struct Floating {
    /// What it closes that it did not open, in order: whether each is a brace.
    pub(super) closed: Vec<bool>,
    /// What is claimed of the container around all that: whether it is an object.
    pub(super) around: Option<bool>,
    /// What it opened and did not close, the outermost first: whether each is a brace.
    pub(super) open: Vec<bool>,
    /// At least as many as it has open at any place beyond what is around it.
    pub(super) highest: usize,
}

impl Floating {
    /// Follows the brackets of the next blocks; `false`: they do not match.
    pub fn follow(&mut self, isa: Isa, blocks: &[Block]) -> bool {
        match isa.draws_bits() {
            Some(draws) => self.take_words::<false>(draws, blocks, &[]),
            None => blocks.iter().all(|block| self.one_by_one(block, Claims::default())),
        }
    }

    /// The same where every token is looked at: with what the tokens claim, of the innermost
    /// container at the end as well.
    pub fn follow_claims(
        &mut self,
        isa: Isa,
        blocks: &[Block],
        claims: &[Claims],
        last: Claims,
    ) -> bool {
        let matches = match isa.draws_bits() {
            Some(draws) => self.take_words::<true>(draws, blocks, claims),
            None => blocks.iter().zip(claims).all(|(block, it)| self.one_by_one(block, *it)),
        };
        matches && self.claim(last)
    }

    #[cfg(target_arch = "x86_64")]
    fn take_words<const CLAIMED: bool>(
        &mut self,
        _: DrawsBits,
        blocks: &[Block],
        claims: &[Claims],
    ) -> bool {
        // SAFETY: `DrawsBits` proves that the instructions are there.
        unsafe { super::super::avx2::float::<CLAIMED>(self, blocks, claims) }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn take_words<const CLAIMED: bool>(&mut self, _: DrawsBits, _: &[Block], _: &[Claims]) -> bool {
        false
    }

    /// The plain way, and the oracle of the other.
    fn one_by_one(&mut self, block: &Block, claims: Claims) -> bool {
        let mut brackets = block.brackets;
        while brackets != 0 {
            let bit = brackets.trailing_zeros();
            brackets &= brackets - 1;
            let claim = |claims: u64| (claims >> bit) & 1;
            let claims = Claims { objects: claim(claims.objects), arrays: claim(claims.arrays) };
            let is_brace = (block.braces >> bit) & 1 == 1;
            let opens = (block.opens >> bit) & 1 == 1;
            if !self.claim(claims) || (!opens && !self.close(is_brace)) {
                return false;
            }
            if opens {
                self.open.push(is_brace);
                self.highest = self.highest.max(self.open.len());
            }
        }
        true
    }

    /// Closes one; `false`: it is of the other kind.
    #[inline(always)]
    pub(super) fn close(&mut self, is_brace: bool) -> bool {
        let own = self.open.pop();
        if own.is_none() {
            self.closed.push(is_brace);
        }
        own.or_else(|| self.around.take()).is_none_or(|own| own == is_brace)
    }

    /// Takes what is claimed of the innermost container, each 0 or 1; `false`: it is not true.
    #[inline(always)]
    pub(super) fn claim(&mut self, claims: Claims) -> bool {
        if claims == Claims::default() {
            return true;
        }
        let is_object = claims.objects != 0;
        let kind = match self.open.last() {
            Some(kind) => *kind,
            None => *self.around.get_or_insert(is_object),
        };
        claims.deny(u64::from(kind)) == 0
    }

    /// How many containers it closes that it did not open.
    pub fn closes(&self) -> u64 {
        self.closed.len() as u64
    }

    /// How many it leaves open.
    pub fn opens(&self) -> u64 {
        self.open.len() as u64
    }
}
