//! The brackets of a stretch of text whose surroundings are not known.

use super::super::{BLOCK, Block, Isa};

/// What a stretch closes of what is around it, and what it leaves open.
#[derive(Clone, Debug, Default)]
pub struct Floating {
    /// What it closes that it did not open, in order: whether each is a brace.
    pub(super) closed: Vec<bool>,
    /// What it opened and did not close, the outermost first: whether each is a brace.
    pub(super) open: Vec<bool>,
    /// At least as many as it has open at any place beyond what is around it.
    pub(super) highest: usize,
}

impl Floating {
    /// Follows the brackets of the next blocks; `false`: they do not match.
    pub fn follow(&mut self, isa: Isa, blocks: &[Block]) -> bool {
        #[cfg(target_arch = "x86_64")]
        if isa.draws_bits() {
            // SAFETY: an `Isa` is made only where its instructions are; AVX2 comes with BMI2.
            return unsafe { super::super::avx2::float(self, blocks) };
        }
        let _ = isa;
        self.follow_one_by_one(blocks)
    }

    /// The plain way, and the oracle of the other.
    fn follow_one_by_one(&mut self, blocks: &[Block]) -> bool {
        blocks.iter().all(|block| {
            (0..BLOCK).filter(|bit| (block.brackets >> bit) & 1 == 1).all(|bit| {
                let is_brace = (block.braces >> bit) & 1 == 1;
                if (block.opens >> bit) & 1 == 0 {
                    return self.close(is_brace);
                }
                self.open.push(is_brace);
                self.highest = self.highest.max(self.open.len());
                true
            })
        })
    }

    /// Closes one; `false`: it is of the other kind.
    #[inline(always)]
    pub(super) fn close(&mut self, is_brace: bool) -> bool {
        let own = self.open.pop();
        if own.is_none() {
            self.closed.push(is_brace);
        }
        own.is_none_or(|own| own == is_brace)
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
