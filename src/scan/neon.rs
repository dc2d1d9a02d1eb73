//! 64 bytes as four registers of 16, dealt out like cards: the first has every fourth byte, from
//! byte 0 on, the second those after them. There is no gathering of bits, but then the four bits of
//! four neighbours are at the same place of four registers, and shifts that keep the upper bits of
//! what they go into bring them together. (Adding neighbours, the usual way, comes out longer: the
//! compiler takes the single instruction for it apart into three.)

use std::arch::aarch64::{
    uint8x16_t, uint8x16x4_t, vandq_u8, vbicq_u8, vceqq_u8, vcleq_u8, vcltq_s8, vdupq_n_s8,
    vdupq_n_u8, vget_lane_u64, vld1q_u8, vld4q_u8, vminq_s8, vminvq_s8, vorrq_u8, vqtbl1q_u8,
    vreinterpret_u64_u8, vreinterpretq_s8_u8, vreinterpretq_u16_u8, vshlq_n_u8, vshrn_n_u16,
    vshrq_n_u8, vsriq_n_u8, vsubq_u8, vtstq_u8,
};

use super::wide::{ESCAPED, LITERALS, Masks, SPELLED, Spelled, Wide, WideCode};
use super::{BLOCK, Block, Carry, Findings, Kernel, Raw, Unusual, scan_blocks};

/// # Safety
///
/// The processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn scan<const STRUCTURE: bool, const TOKENS: bool>(
    text: &[u8],
    carry: &mut Carry,
    blocks: &mut [Block],
) -> Findings {
    // SAFETY: the caller has the instructions.
    unsafe { scan_blocks::<Neon, STRUCTURE, TOKENS>(text, carry, blocks) }
}

/// Runs code that was inlined here, with what is known of the instructions.
///
/// # Safety
///
/// The processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn run_wide<C: WideCode>(code: C) -> C::Output {
    code.run(Neon(()))
}

/// Only made where the processor has the instructions.
#[derive(Clone, Copy)]
struct Neon(());

/// Something of every byte, dealt out as the bytes are.
type Dealt = [uint8x16_t; 4];

/// The highest bit of each byte.
#[inline]
#[target_feature(enable = "neon")]
fn mask(bytes: Dealt) -> u64 {
    // Two bits at the top of each byte, then four, then those four once more below themselves; of
    // two such bytes the eight bits in the middle are those of eight neighbours.
    let low = vsriq_n_u8::<1>(bytes[1], bytes[0]);
    let high = vsriq_n_u8::<1>(bytes[3], bytes[2]);
    let four = vsriq_n_u8::<2>(high, low);
    let twice = vsriq_n_u8::<4>(four, four);
    let bits = vshrn_n_u16::<4>(vreinterpretq_u16_u8(twice));
    vget_lane_u64::<0>(vreinterpret_u64_u8(bits))
}

#[inline]
#[target_feature(enable = "neon")]
fn equal(bytes: Dealt, wanted: u8) -> Dealt {
    bytes.map(|part| vceqq_u8(part, vdupq_n_u8(wanted)))
}

#[inline]
#[target_feature(enable = "neon")]
fn either(a: Dealt, b: Dealt) -> Dealt {
    [vorrq_u8(a[0], b[0]), vorrq_u8(a[1], b[1]), vorrq_u8(a[2], b[2]), vorrq_u8(a[3], b[3])]
}

#[inline]
#[target_feature(enable = "neon")]
fn any_of<const N: usize>(bytes: Dealt, wanted: [u8; N]) -> Dealt {
    wanted.into_iter().fold([vdupq_n_u8(0); 4], |found, byte| either(found, equal(bytes, byte)))
}

#[inline]
#[target_feature(enable = "neon")]
fn classify<const TOKENS: bool>(bytes: uint8x16x4_t) -> Raw {
    let bytes = [bytes.0, bytes.1, bytes.2, bytes.3];
    let bit = vdupq_n_u8(0x20);
    let [a, b, c, d] = bytes.map(|part| vreinterpretq_s8_u8(part));
    let least = vminq_s8(vminq_s8(a, b), vminq_s8(c, d));
    let folded = either(bytes, [bit; 4]);
    let brackets = any_of(folded, [b'{', b'}']);
    Raw {
        quote: mask(equal(bytes, b'"')),
        backslash: mask(equal(bytes, b'\\')),
        bracket: mask(brackets),
        // Bits 1 and 5 moved to bit 7, which is what `mask` gathers.
        opens: mask(bytes.map(|part| vshlq_n_u8::<6>(part))),
        braces: mask(bytes.map(|part| vshlq_n_u8::<2>(part))),
        is_unusual: vminvq_s8(least) < 0x20,
        separator: if TOKENS { mask(any_of(bytes, [b',', b':'])) } else { 0 },
        space: if TOKENS { mask(any_of(bytes, [b' ', b'\t', b'\n', b'\r'])) } else { 0 },
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn unusual(bytes: uint8x16x4_t) -> Unusual {
    let bytes = [bytes.0, bytes.1, bytes.2, bytes.3];
    let space = vdupq_n_s8(0x20);
    let high = mask(bytes);
    let below_space = mask(bytes.map(|part| vcltq_s8(vreinterpretq_s8_u8(part), space)));
    Unusual { control: below_space & !high, high }
}

impl Wide for Neon {
    type Lanes = u64;

    #[inline(always)]
    fn masks(self, blocks: &[Block]) -> Option<Masks<u64>> {
        blocks.first().map(Masks::from)
    }

    #[inline(always)]
    fn spell(self, text: &[u8; SPELLED]) -> Spelled {
        // SAFETY: the value proves that the instructions are there.
        unsafe { spell(text) }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn spell(text: &[u8; SPELLED]) -> Spelled {
    let bytes: [Dealt; 5] = std::array::from_fn(|place| {
        // SAFETY: with four bytes more than 64, each of the first five is followed by 63.
        let bytes = unsafe { vld4q_u8(text.as_ptr().add(place)) };
        [bytes.0, bytes.1, bytes.2, bytes.3]
    });
    let begins = LITERALS.iter().zip(bytes).fold([vdupq_n_u8(0xff); 4], |begins, (place, byte)| {
        let wanted = found(place, lower(bytes[0]));
        both(begins, pairwise(wanted, byte, |wanted, byte| vceqq_u8(wanted, byte)))
    });
    let f = equal(bytes[0], b'f');
    let [low, high] = &ESCAPED;
    let upper = bytes[1].map(|part| vshrq_n_u8::<4>(part));
    let common =
        pairwise(found(low, lower(bytes[1])), found(high, upper), |low, high| vtstq_u8(low, high));
    let digits = between(bytes[0], b'0', b'9');
    let folded = either(bytes[0], [vdupq_n_u8(0x20); 4]);
    Spelled {
        four: mask(pairwise(begins, f, |begins, f| vbicq_u8(begins, f))),
        five: mask(both(both(begins, f), equal(bytes[4], b'e'))),
        digits: mask(digits),
        zeros: mask(equal(bytes[0], b'0')),
        hex: mask(either(digits, between(folded, b'a', b'f'))),
        d: mask(equal(folded, b'd')),
        before_u: mask(equal(bytes[1], b'u')),
        before_escaped: mask(common),
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn between(bytes: Dealt, first: u8, last: u8) -> Dealt {
    let (first, most) = (vdupq_n_u8(first), vdupq_n_u8(last - first));
    bytes.map(|part| vcleq_u8(vsubq_u8(part, first), most))
}

/// What the bytes find in a table, each less than 16.
#[inline]
#[target_feature(enable = "neon")]
fn found(table: &[u8; 16], bytes: Dealt) -> Dealt {
    // SAFETY: 16 bytes are read from an array of 16.
    let table = unsafe { vld1q_u8(table.as_ptr()) };
    bytes.map(|part| vqtbl1q_u8(table, part))
}

/// The low four bits of each byte.
#[inline]
#[target_feature(enable = "neon")]
fn lower(bytes: Dealt) -> Dealt {
    bytes.map(|part| vandq_u8(part, vdupq_n_u8(15)))
}

#[inline]
#[target_feature(enable = "neon")]
fn both(a: Dealt, b: Dealt) -> Dealt {
    pairwise(a, b, |a, b| vandq_u8(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn pairwise(a: Dealt, b: Dealt, combine: impl Fn(uint8x16_t, uint8x16_t) -> uint8x16_t) -> Dealt {
    [combine(a[0], b[0]), combine(a[1], b[1]), combine(a[2], b[2]), combine(a[3], b[3])]
}

impl Kernel for Neon {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: &[u8; BLOCK]) -> Raw {
        // SAFETY: the caller has the instructions; a block is 64 bytes.
        unsafe { classify::<TOKENS>(vld4q_u8(bytes.as_ptr())) }
    }

    #[inline(always)]
    unsafe fn unusual(bytes: &[u8; BLOCK]) -> Unusual {
        // SAFETY: the caller has the instructions; a block is 64 bytes.
        unsafe { unusual(vld4q_u8(bytes.as_ptr())) }
    }

    // What the trait has for the rest is as fast: carry-less multiplication is an extension that
    // not every processor has, the processor's own prefetcher follows a forward walk.
}
