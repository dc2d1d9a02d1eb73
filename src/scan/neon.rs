//! 64 bytes as four registers of 16, dealt out like cards: the first has every fourth byte, from
//! byte 0 on, the second those after them. There is no gathering of bits, but then the four bits of
//! four neighbours are at the same place of four registers, and shifts that keep the upper bits of
//! what they go into bring them together. (Adding neighbours, the usual way, comes out longer: the
//! compiler takes the single instruction for it apart into three.)

use std::arch::aarch64::{
    uint8x16_t, uint8x16x4_t, vceqq_u8, vcltq_s8, vdupq_n_s8, vdupq_n_u8, vget_lane_u64, vld4q_u8,
    vminq_s8, vminvq_s8, vorrq_u8, vreinterpret_u64_u8, vreinterpretq_s8_u8, vreinterpretq_u16_u8,
    vshlq_n_u8, vshrn_n_u16, vsriq_n_u8,
};

use super::{Block, Carry, Findings, Kernel, Raw, Unusual, scan_blocks};

/// # Safety
///
/// - The processor has NEON.
/// - `text` has 64 bytes for each of `blocks`.
#[target_feature(enable = "neon")]
pub(super) unsafe fn scan<const STRUCTURE: bool, const TOKENS: bool>(
    text: &[u8],
    carry: &mut Carry,
    blocks: &mut [Block],
) -> Findings {
    // SAFETY: the caller's promises are those that are asked for.
    unsafe { scan_blocks::<Neon, STRUCTURE, TOKENS>(text, carry, blocks) }
}

struct Neon;

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

// SAFETY: runs only inside `scan`, which has the features.
unsafe impl Kernel for Neon {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: *const u8) -> Raw {
        // SAFETY: the caller lets 64 bytes be read and has the instructions.
        unsafe { classify::<TOKENS>(vld4q_u8(bytes)) }
    }

    #[inline(always)]
    unsafe fn unusual(bytes: *const u8) -> Unusual {
        // SAFETY: the caller lets 64 bytes be read and has the instructions.
        unsafe { unusual(vld4q_u8(bytes)) }
    }

    #[inline(always)]
    unsafe fn prefix_xor(bits: u64) -> u64 {
        // Carry-less multiplication is an extension that not every processor has; six shifts are
        // as fast next to the comparisons.
        let mut bits = bits;
        for shift in [1, 2, 4, 8, 16, 32] {
            bits ^= bits << shift;
        }
        bits
    }

    #[inline(always)]
    unsafe fn prefetch(_bytes: *const u8) {
        // The processor's own prefetcher follows a forward walk; there is no stable intrinsic.
    }
}
