//! Matches the brackets of a range of text whose enclosing containers are unknown.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::_pext_u64;

use super::super::{Block, HasPext, Isa};
use super::Claims;

/// The brackets of a range that have no matching bracket in the range.
#[derive(Clone, Debug, Default)]
pub struct PartialNesting {
    /// The closing brackets without an opening one, in text order. `true` is a brace.
    pub(super) closed: Vec<bool>,
    /// The claims of tokens about the container around all these brackets. `true` is an object.
    pub(super) around: Option<bool>,
    /// The opening brackets without a closing one, the outermost first. `true` is a brace.
    pub(super) open: Vec<bool>,
    /// An upper bound of the number of containers that the range itself has open at any position.
    pub(super) highest: usize,
}

impl PartialNesting {
    /// Follows the brackets of the next blocks. Returns `false` if they do not match.
    pub fn follow(&mut self, isa: Isa, blocks: &[Block]) -> bool {
        match isa.pext() {
            Some(pext) => self.take_words::<false>(pext, blocks, &[]),
            None => blocks.iter().all(|block| self.one_by_one(block, Claims::default())),
        }
    }

    /// Like [`PartialNesting::follow`], but also checks claims. `last` has the claims after the
    /// last bracket, about the innermost container at the end of the blocks.
    pub fn follow_claims(
        &mut self,
        isa: Isa,
        blocks: &[Block],
        claims: &[Claims],
        last: Claims,
    ) -> bool {
        let matches = match isa.pext() {
            Some(pext) => self.take_words::<true>(pext, blocks, claims),
            None => blocks.iter().zip(claims).all(|(block, it)| self.one_by_one(block, *it)),
        };
        matches && self.claim(last)
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

    /// Follows one block bracket by bracket. This is the fallback of the fast path, and tests
    /// compare the two.
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

    /// Follows a closing bracket. Returns `false` if its kind is wrong.
    #[inline(always)]
    pub(super) fn close(&mut self, is_brace: bool) -> bool {
        let own = self.open.pop();
        if own.is_none() {
            self.closed.push(is_brace);
        }
        own.or_else(|| self.around.take()).is_none_or(|own| own == is_brace)
    }

    /// Checks claims about the innermost container. Each claim is 0 or 1. Returns `false` if a
    /// claim is wrong.
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
        claims.contradictions(u64::from(kind)) == 0
    }

    /// Number of closing brackets without an opening bracket in the range.
    pub fn closes(&self) -> u64 {
        self.closed.len() as u64
    }

    /// Number of opening brackets without a closing bracket in the range.
    pub fn opens(&self) -> u64 {
        self.open.len() as u64
    }
}

/// [`PartialNesting::follow_words`] with PEXT.
///
/// # Safety
///
/// The processor has BMI1, BMI2, POPCNT and LZCNT.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
unsafe fn follow<const CLAIMED: bool>(
    partial: &mut PartialNesting,
    blocks: &[Block],
    claims: &[Claims],
) -> bool {
    partial.follow_words::<CLAIMED>(blocks, claims, |bits, mask| _pext_u64(bits, mask))
}
