//! What the widest instructions of a processor do beside the scan: masks of several blocks at once,
//! and words and escapes told by their bytes.
//!
//! Masks follow each other as if they were one long number, whose lowest bit is the first byte.
//! What is worked out of them bit by bit needs no more than that the bits of several are side by
//! side; what goes from byte to byte is a shift or a sum of the long number, whose carry is handed
//! from one to the next.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{BLOCK, Block};

/// Code that is compiled for each instruction set, and run by [`Isa::run_wide`]. As with
/// [`Code`](super::Code), only what is inlined into it is.
///
/// [`Isa::run_wide`]: super::Isa::run_wide
pub trait WideCode {
    /// What comes out.
    type Output;

    /// Does it.
    fn run<W: Wide>(self, wide: W) -> Self::Output;
}

/// The instructions of a processor: a value proves that it has them.
pub trait Wide: Copy {
    /// As many masks as are worked on at once.
    type Lanes: Lanes;

    /// The masks of the first blocks; `None`: there are fewer than [`Lanes::COUNT`].
    fn masks(self, blocks: &[Block]) -> Option<Masks<Self::Lanes>>;

    /// What the bytes of a block are, which are the first 64.
    fn spell(self, text: &[u8; SPELLED]) -> Spelled;
}

/// A block, and the bytes behind it that tell what its last ones are: the last four of `false`.
pub const SPELLED: usize = BLOCK + 4;

/// What 64 bytes are, each with those that follow it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spelled {
    /// Those that `true` or `null` begins with.
    pub four: u64,
    /// Those that `false` begins with.
    pub five: u64,
    /// `0` to `9`.
    pub digits: u64,
    /// `0`.
    pub zeros: u64,
    /// Digits of base 16, in either case.
    pub hex: u64,
    /// `d` or `D`.
    pub d: u64,
    /// Those before one that makes an escape of two bytes: `" \ / b f n r t`.
    pub before_escaped: u64,
    /// Those before `u`.
    pub before_u: u64,
}

/// Most lanes that there are.
pub const LANES_MAX: usize = 8;

/// Masks of blocks that follow each other, as one long number.
pub trait Lanes:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// How many blocks; at most [`LANES_MAX`].
    const COUNT: usize;

    /// All bits moved to the next byte. `carry` is the one that goes to the first byte, and then
    /// the one that left the last: 0 or 1.
    fn moved_on(self, carry: &mut u64) -> Self;

    /// The sum, with a carry of 0 or 1, which is then that of the sum.
    fn plus(self, other: Self, carry: &mut u64) -> Self;

    /// Those that are not 0, a bit each.
    fn which(self) -> u64;

    /// One after the other; those behind the last are 0.
    fn each(self) -> [u64; LANES_MAX];
}

/// The masks of blocks that follow each other; what each is: [`Block`].
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

/// One mask: the plain way, and the oracle of the others.
impl Lanes for u64 {
    const COUNT: usize = 1;

    #[inline(always)]
    fn moved_on(self, carry: &mut u64) -> u64 {
        let moved = (self << 1) | *carry;
        *carry = self >> 63;
        moved
    }

    #[inline(always)]
    fn plus(self, other: u64, carry: &mut u64) -> u64 {
        let (sum, over) = self.overflowing_add(other);
        let (sum, over_too) = sum.overflowing_add(*carry);
        *carry = u64::from(over | over_too);
        sum
    }

    #[inline(always)]
    fn which(self) -> u64 {
        u64::from(self != 0)
    }

    #[inline(always)]
    fn each(self) -> [u64; LANES_MAX] {
        [self, 0, 0, 0, 0, 0, 0, 0]
    }
}

/// The bytes of space, each at the place of its low four bits.
#[cfg(target_arch = "x86_64")]
pub(super) const SPACE: [u8; 16] = by_low_bits(b" \t\n\r");

/// The separators, in the same way.
#[cfg(target_arch = "x86_64")]
pub(super) const SEPARATORS: [u8; 16] = by_low_bits(b",:");

/// The brackets with bit 5 set, each at the place of its low four bits.
#[cfg(target_arch = "x86_64")]
pub(super) const BRACKETS: [u8; 16] = by_low_bits(b"{}");

/// Such a table. No byte is 0xff that looks anything up.
#[cfg(target_arch = "x86_64")]
const fn by_low_bits(mut bytes: &[u8]) -> [u8; 16] {
    let mut table = [0xff; 16];
    while let [byte, rest @ ..] = bytes {
        table[(*byte & 15) as usize] = *byte;
        bytes = rest;
    }
    table
}

/// Carries from lane to lane of a sum. `over` has a bit for each lane that overflowed by itself,
/// `full` one for each whose sum is all ones, which overflows if a carry comes. Returns a bit for
/// each lane that is to be incremented, and above the last lane the carry out: of four lanes of
/// which the first overflowed and the second is full, with no carry in, the second and the third.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn carried(over: u32, full: u32, carry: u64) -> u32 {
    // A carry into a lane that is full goes through it, as through a bit that is one.
    ((over << 1) | carry as u32).wrapping_add(full) ^ full
}

/// Gives a register of lanes its operators.
#[cfg(target_arch = "x86_64")]
macro_rules! bitwise {
    ($lanes:ident, $ones:expr, $($operator:ident $method:ident $instruction:ident),*) => {
        $(impl std::ops::$operator for $lanes {
            type Output = $lanes;

            #[inline(always)]
            fn $method(self, other: $lanes) -> $lanes {
                // SAFETY: lanes are only made where their instructions are.
                $lanes(unsafe { $instruction(self.0, other.0) })
            }
        })*

        impl std::ops::Not for $lanes {
            type Output = $lanes;

            #[inline(always)]
            fn not(self) -> $lanes {
                // SAFETY: as above.
                self ^ $lanes(unsafe { $ones })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) use bitwise;

/// For the literals, at the low four bits of their first byte, which no two share: what byte stands
/// at the first place, the second, and so on to the fourth. Bytes of another kind find nothing that
/// they could be.
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

/// The bytes that make an escape of two: those for whose low and high four bits the tables have a
/// bit in common.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const ESCAPED: [[u8; 16]; 2] = {
    let (mut low, mut high) = ([0; 16], [0; 16]);
    let mut rest: &[u8] = b"\"\\/bfnrt";
    while let [byte, others @ ..] = rest {
        // The high four are never more than 7.
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

    struct Spell<'a>(&'a [u8; SPELLED]);

    impl WideCode for Spell<'_> {
        type Output = Spelled;

        fn run<W: Wide>(self, wide: W) -> Spelled {
            wide.spell(self.0)
        }
    }

    /// Works on as many blocks at once as there are lanes.
    struct Work<'a>(&'a [Block]);

    #[derive(Debug, Default, PartialEq, Eq)]
    struct Worked {
        /// Every mask as it came.
        masks: [Vec<u64>; 8],
        /// Two of them moved on, their sum and their combinations.
        others: [Vec<u64>; 7],
        carries: [u64; 3],
        /// Whether their intersection is not 0.
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
                    a.moved_on(moved),
                    b.moved_on(moved_too),
                    a.plus(b, sum),
                    a & b,
                    a | b,
                    a ^ b,
                    !a,
                ];
                let write = |to: &mut Vec<u64>, lanes: W::Lanes| {
                    assert_eq!(lanes.each()[count..].iter().max().copied().unwrap_or(0), 0);
                    to.extend(&lanes.each()[..count]);
                };
                worked.masks.iter_mut().zip(masks).for_each(|(to, lanes)| write(to, lanes));
                worked.others.iter_mut().zip(others).for_each(|(to, lanes)| write(to, lanes));
                let which = (a & b).which();
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
        fn bytes_are_spelled_as_the_scalar_kernel_does(
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
        fn many_masks_are_one_long_number(
            masks in prop::collection::vec(
                prop_oneof![
                    Just([0u64; 8]),
                    Just([!0; 8]),
                    // A sum that is all ones.
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
