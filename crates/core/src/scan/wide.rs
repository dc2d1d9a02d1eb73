//! Vector operations that run after the scan. They handle the masks of several blocks at once, and
//! classify the bytes of literals, numbers and escapes.
//!
//! The masks of consecutive blocks form one long integer. Its lowest bit is the first byte. Bitwise
//! operations work on each lane separately. Shifts and additions work on the long integer: the
//! carry out of one group of lanes is the carry into the next group.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{BLOCK, Block};

/// Code that [`Isa::run_wide`] compiles once for each instruction set. As with
/// [`Code`](super::Code), this works only for code that is inlined into [`WideCode::run`].
///
/// [`Isa::run_wide`]: super::Isa::run_wide
pub trait WideCode {
    /// The result of the code.
    type Output;

    /// Runs the code with these vector operations.
    fn run<W: Wide>(self, wide: W) -> Self::Output;
}

/// The vector operations of an instruction set. A value proves that the processor has it.
pub trait Wide: Copy {
    /// The masks that one operation handles.
    type Lanes: Lanes;

    /// Returns the masks of the first [`Lanes::COUNT`] blocks; `None` if there are fewer blocks.
    fn masks(self, blocks: &[Block]) -> Option<Masks<Self::Lanes>>;

    /// Classifies the first 64 bytes for literals, numbers and escapes.
    fn leaf_masks(self, text: &[u8; LEAF_WINDOW]) -> LeafMasks;
}

/// The length of a block and the next four bytes. A `false` that begins at the last byte of the
/// block needs these four bytes.
pub const LEAF_WINDOW: usize = BLOCK + 4;

/// The masks of 64 bytes for the check of literals, numbers and escapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeafMasks {
    /// Bytes where `true` or `null` begins.
    pub literal4: u64,
    /// Bytes where `false` begins.
    pub literal5: u64,
    /// `0` to `9`.
    pub digits: u64,
    /// `0`.
    pub zeros: u64,
    /// Hexadecimal digits, in either case.
    pub hex: u64,
    /// `d` or `D`.
    pub d: u64,
    /// Bytes before a byte that can end a two-byte escape: `" \ / b f n r t`.
    pub before_escaped: u64,
    /// Bytes before `u`.
    pub before_u: u64,
}

/// Maximum number of lanes of any instruction set.
pub const LANES_MAX: usize = 8;

/// A mask of consecutive blocks, as one long integer.
pub trait Lanes:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// Number of blocks in the mask, at most [`LANES_MAX`].
    const COUNT: usize;

    /// Shifts every bit to the next byte. Shifts the bit `carry` in, and sets `carry` to the bit
    /// that is shifted out.
    fn shifted(self, carry: &mut u64) -> Self;

    /// Adds two masks and `carry`, which is 0 or 1. Sets `carry` to the carry of the sum.
    fn add_with_carry(self, other: Self, carry: &mut u64) -> Self;

    /// Returns one bit for each lane: whether the lane is not 0.
    fn nonzero(self) -> u64;

    /// Returns the lanes in order. Entries after the last lane are 0.
    fn to_array(self) -> [u64; LANES_MAX];
}

/// The masks of consecutive blocks, with the fields of [`Block`].
#[derive(Clone, Copy, Debug)]
pub struct Masks<L> {
    /// [`Block::quotes`]
    pub quotes: L,
    /// [`Block::escapes`]
    pub escapes: L,
    /// [`Block::strings`]
    pub strings: L,
    /// [`Block::brackets`]
    pub brackets: L,
    /// [`Block::opens`]
    pub opens: L,
    /// [`Block::braces`]
    pub braces: L,
    /// [`Block::separators`]
    pub separators: L,
    /// [`Block::words`]
    pub words: L,
}

impl From<&Block> for Masks<u64> {
    fn from(block: &Block) -> Masks<u64> {
        let Block { quotes, escapes, brackets, opens, braces, strings, separators, words } = *block;
        Masks { quotes, escapes, brackets, opens, braces, strings, separators, words }
    }
}

/// The fallback: one block. Tests compare the other implementations with it.
impl Lanes for u64 {
    const COUNT: usize = 1;

    #[inline(always)]
    fn shifted(self, carry: &mut u64) -> u64 {
        let moved = (self << 1) | *carry;
        *carry = self >> 63;
        moved
    }

    #[inline(always)]
    fn add_with_carry(self, other: u64, carry: &mut u64) -> u64 {
        let (sum, over) = self.overflowing_add(other);
        let (sum, over_too) = sum.overflowing_add(*carry);
        *carry = u64::from(over | over_too);
        sum
    }

    #[inline(always)]
    fn nonzero(self) -> u64 {
        u64::from(self != 0)
    }

    #[inline(always)]
    fn to_array(self) -> [u64; LANES_MAX] {
        [self, 0, 0, 0, 0, 0, 0, 0]
    }
}

/// A table of white space by the low four bits.
#[cfg(target_arch = "x86_64")]
pub(super) const SPACE: [u8; 16] = by_low_bits(b" \t\n\r");

/// A table of the separators by the low four bits.
#[cfg(target_arch = "x86_64")]
pub(super) const SEPARATORS: [u8; 16] = by_low_bits(b",:");

/// A table of the brackets with bit 5 set, by the low four bits.
#[cfg(target_arch = "x86_64")]
pub(super) const BRACKETS: [u8; 16] = by_low_bits(b"{}");

/// Builds a table by the low four bits. Unused entries are 0xff, which no looked-up byte equals.
#[cfg(target_arch = "x86_64")]
const fn by_low_bits(mut bytes: &[u8]) -> [u8; 16] {
    let mut table = [0xff; 16];
    while let [byte, rest @ ..] = bytes {
        table[(*byte & 15) as usize] = *byte;
        bytes = rest;
    }
    table
}

/// Propagates the carries of an addition from lane to lane.
///
/// `over` has a bit for each lane that overflowed by itself. `full` has a bit for each lane whose
/// sum is all ones. Such a lane overflows if a carry comes in. The result has a bit for each lane
/// to increment. Its bit above the last lane is the carry out. For example, if lane 0 overflowed,
/// lane 1 is full and no carry comes in, lanes 1 and 2 are incremented.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn propagate_carries(over: u32, full: u32, carry: u64) -> u32 {
    // A carry passes through a full lane as it passes through a 1 bit in an addition.
    ((over << 1) | carry as u32).wrapping_add(full) ^ full
}

/// Implements the bitwise operators for a register of lanes.
#[cfg(target_arch = "x86_64")]
macro_rules! bitwise {
    ($lanes:ident, $ones:expr, $($operator:ident $method:ident $instruction:ident),*) => {
        $(impl std::ops::$operator for $lanes {
            type Output = $lanes;

            #[inline(always)]
            fn $method(self, other: $lanes) -> $lanes {
                // SAFETY: `self` was made by a function with the target feature of the instruction.
                $lanes(unsafe { $instruction(self.0, other.0) })
            }
        })*

        impl std::ops::Not for $lanes {
            type Output = $lanes;

            #[inline(always)]
            fn not(self) -> $lanes {
                // SAFETY: `self` was made by a function with the target feature of the instruction.
                self ^ $lanes(unsafe { $ones })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use bitwise;

/// The letters of the literals, by the low four bits of the first letter. These bits differ between
/// the literals. Table `i` has letter `i` of each literal. For other first bytes, the entry is
/// 0xff, which matches no letter.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const LITERALS: [[u8; 16]; 4] = {
    let mut tables = [[0xff; 16]; 4];
    let mut place = 0;
    while place < 4 {
        tables[place][(b't' & 15) as usize] = b"true"[place];
        tables[place][(b'n' & 15) as usize] = b"null"[place];
        tables[place][(b'f' & 15) as usize] = b"false"[place];
        place += 1;
    }
    tables
};

/// Tables of the bytes that can end a two-byte escape. The first table is indexed by the low four
/// bits of a byte, the second by the high four bits. The two entries of such a byte have a bit in
/// common.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const ESCAPED: [[u8; 16]; 2] = {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    let mut rest: &[u8] = b"\"\\/bfnrt";
    while let [byte, others @ ..] = rest {
        // The byte is ASCII, so its high four bits are at most 7.
        let byte = *byte;
        let bit = 1 << (byte >> 4);
        low[(byte & 15) as usize] |= bit;
        high[(byte >> 4) as usize] |= bit;
        rest = others;
    }
    [low, high]
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scan::Isa;

    struct Spell<'a>(&'a [u8; LEAF_WINDOW]);

    impl WideCode for Spell<'_> {
        type Output = LeafMasks;

        fn run<W: Wide>(self, wide: W) -> LeafMasks {
            wide.leaf_masks(self.0)
        }
    }

    /// Runs every operation on groups of as many blocks as there are lanes.
    struct Work<'a>(&'a [Block]);

    #[derive(Debug, Default, PartialEq, Eq)]
    struct Worked {
        /// Every mask, unchanged.
        masks: [Vec<u64>; 8],
        /// Two masks after a shift, their sum, and their bitwise combinations.
        others: [Vec<u64>; 7],
        carries: [u64; 3],
        /// For each lane, whether the intersection of the two masks is not 0.
        which: Vec<bool>,
    }

    impl WideCode for Work<'_> {
        type Output = Worked;

        fn run<W: Wide>(self, wide: W) -> Worked {
            let count = W::Lanes::COUNT;
            assert!(count <= LANES_MAX);
            let mut worked = Worked { carries: [1, 0, 1], ..Worked::default() };
            for blocks in self.0.chunks_exact(count) {
                assert!(wide.masks(&blocks[1..]).is_none());
                let it = wide.masks(blocks).unwrap();
                let masks = [it.quotes, it.strings, it.brackets, it.opens];
                let masks =
                    [&masks[..], &[it.braces, it.separators, it.words, it.escapes]].concat();
                let [moved, moved_too, sum] = &mut worked.carries;
                let (a, b) = (it.quotes, it.strings);
                let others = [
                    a.shifted(moved),
                    b.shifted(moved_too),
                    a.add_with_carry(b, sum),
                    a & b,
                    a | b,
                    a ^ b,
                    !a,
                ];
                let write = |to: &mut Vec<u64>, lanes: W::Lanes| {
                    assert_eq!(lanes.to_array()[count..].iter().max().copied().unwrap_or(0), 0);
                    to.extend(&lanes.to_array()[..count]);
                };
                worked.masks.iter_mut().zip(masks).for_each(|(to, lanes)| write(to, lanes));
                worked.others.iter_mut().zip(others).for_each(|(to, lanes)| write(to, lanes));
                let which = (a & b).nonzero();
                assert_eq!(which >> (count - 1) >> 1, 0);
                worked.which.extend((0..count).map(|lane| (which >> lane) & 1 == 1));
            }
            worked
        }
    }

    fn plain() -> Isa {
        Isa::named("scalar").unwrap()
    }

    proptest! {
        #[test]
        fn every_kernel_gives_the_leaf_masks_of_the_scalar_one(
            words in prop::collection::vec(
                prop::sample::select(vec![
                    "true", "null", "false", "fals", "nul", "tru", "e", "0", "19", ":", "/", "\\\\",
                    "\\n", "\\\"", "\\/", "\\u", "\\b", "\\f", "\\r", "\\t", "d", "v", "é", "\u{f}",
                ]),
                68..80,
            ),
            at in 0usize..5,
            other in any::<(prop::sample::Index, u8)>(),
        ) {
            let mut text = words.concat().into_bytes();
            let place = other.0.index(text.len());
            text[place] = other.1;
            let text = text[at..].first_chunk().unwrap();
            let scalar = plain().run_wide(Spell(text));
            for isa in Isa::all() {
                prop_assert_eq!(isa.run_wide(Spell(text)), scalar, "{}", isa.name());
            }
        }

        #[test]
        fn lanes_behave_like_one_long_integer(
            masks in prop::collection::vec(
                prop_oneof![
                    Just([0u64; 8]),
                    Just([!0; 8]),
                    // Two lanes whose sum is all ones.
                    any::<u64>().prop_map(|mask| [mask, 0, 0, 0, 0, !mask, 0, 0]),
                    any::<[u64; 8]>(),
                ],
                1..5,
            ),
        ) {
            let masks = masks.iter().copied().cycle().take(16);
            let blocks: Vec<_> = masks
                .map(|[quotes, escapes, brackets, opens, braces, strings, separators, words]| {
                    Block { quotes, escapes, brackets, opens, braces, strings, separators, words }
                })
                .collect();
            let one_by_one = plain().run_wide(Work(&blocks));
            for isa in Isa::all() {
                prop_assert_eq!(&isa.run_wide(Work(&blocks)), &one_by_one, "{}", isa.name());
            }
        }
    }
}
