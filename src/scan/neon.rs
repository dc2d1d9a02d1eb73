//! 64 bytes as four registers of 16. There is no gathering of bits: each comparison keeps one bit
//! of its own per byte, and three rounds of adding neighbours bring 64 of them together.

use std::arch::aarch64::{
    uint8x16_t, uint8x16x4_t, vandq_u8, vceqq_u8, vcgeq_u8, vcltq_u8, vdupq_n_u8, vgetq_lane_u64,
    vld1q_u8, vld1q_u8_x4, vorrq_u8, vpaddq_u8, vreinterpretq_u64_u8, vtstq_u8,
};

use super::{Block, Carry, Findings, Kernel, Raw, scan_blocks};

/// # Safety
///
/// - The processor has NEON.
/// - `text` has 64 bytes for each of `blocks`.
#[target_feature(enable = "neon")]
pub(super) unsafe fn scan<const TOKENS: bool>(
    text: &[u8],
    carry: &mut Carry,
    blocks: &mut [Block],
) -> Findings {
    // SAFETY: the caller's promises are those that are asked for.
    unsafe { scan_blocks::<Neon, TOKENS>(text, carry, blocks) }
}

struct Neon;

/// Which bit each byte of a register keeps.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

#[inline]
#[target_feature(enable = "neon")]
fn mask(bytes: uint8x16x4_t, test: impl Fn(uint8x16_t) -> uint8x16_t) -> u64 {
    // SAFETY: 16 bytes are read from an array of 16.
    let bits = unsafe { vld1q_u8(BITS.as_ptr()) };
    let low = vpaddq_u8(vandq_u8(test(bytes.0), bits), vandq_u8(test(bytes.1), bits));
    let high = vpaddq_u8(vandq_u8(test(bytes.2), bits), vandq_u8(test(bytes.3), bits));
    let both = vpaddq_u8(low, high);
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(both, both)))
}

#[inline]
#[target_feature(enable = "neon")]
fn equal(bytes: uint8x16x4_t, wanted: u8) -> u64 {
    mask(bytes, |part| vceqq_u8(part, vdupq_n_u8(wanted)))
}

#[inline]
#[target_feature(enable = "neon")]
fn space(bytes: uint8x16x4_t) -> u64 {
    equal(bytes, b' ') | equal(bytes, b'\t') | equal(bytes, b'\n') | equal(bytes, b'\r')
}

#[inline]
#[target_feature(enable = "neon")]
fn classify<const TOKENS: bool>(bytes: uint8x16x4_t) -> Raw {
    let bit = vdupq_n_u8(0x20);
    let folded = |wanted| mask(bytes, |part| vceqq_u8(vorrq_u8(part, bit), vdupq_n_u8(wanted)));
    let bracket = folded(b'{') | folded(b'}');
    let (comma, operator, around) = if TOKENS {
        let comma = equal(bytes, b',');
        let operator = bracket | comma | equal(bytes, b':');
        (comma, operator, operator | space(bytes))
    } else {
        (0, 0, 0)
    };
    Raw {
        quote: equal(bytes, b'"'),
        backslash: equal(bytes, b'\\'),
        bracket,
        opens: mask(bytes, |part| vtstq_u8(part, vdupq_n_u8(0x02))),
        braces: mask(bytes, |part| vtstq_u8(part, bit)),
        control: mask(bytes, |part| vcltq_u8(part, bit)),
        high: mask(bytes, |part| vcgeq_u8(part, vdupq_n_u8(0x80))),
        comma,
        operator,
        around,
    }
}

// SAFETY: runs only inside `scan`, which has the features.
unsafe impl Kernel for Neon {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: *const u8) -> Raw {
        // SAFETY: the caller lets 64 bytes be read and has the instructions.
        unsafe { classify::<TOKENS>(vld1q_u8_x4(bytes)) }
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
