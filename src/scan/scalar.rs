//! The kernel for any processor, and the oracle of the others: one byte at a time.

use super::{BLOCK, Kernel, Raw, Unusual};

pub(super) struct Scalar;

// SAFETY: uses no special instructions.
unsafe impl Kernel for Scalar {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: *const u8) -> Raw {
        // SAFETY: the caller lets 64 bytes be read.
        let mask = |test| unsafe { mask(bytes, test) };
        Raw {
            quote: mask(|byte| byte == b'"'),
            backslash: mask(|byte| byte == b'\\'),
            bracket: mask(|byte| matches!(byte, b'{' | b'}' | b'[' | b']')),
            opens: mask(|byte| byte & 0x02 != 0),
            braces: mask(|byte| byte & 0x20 != 0),
            is_unusual: mask(|byte| (byte as i8) < 0x20) != 0,
            separator: if TOKENS { mask(|byte| matches!(byte, b',' | b':')) } else { 0 },
            space: if TOKENS {
                mask(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
            } else {
                0
            },
        }
    }

    #[inline(always)]
    unsafe fn unusual(bytes: *const u8) -> Unusual {
        // SAFETY: the caller lets 64 bytes be read.
        let mask = |test| unsafe { mask(bytes, test) };
        Unusual { control: mask(|byte| byte < 0x20), high: mask(|byte| byte >= 0x80) }
    }

    #[inline(always)]
    unsafe fn prefix_xor(bits: u64) -> u64 {
        let mut bits = bits;
        for shift in [1, 2, 4, 8, 16, 32] {
            bits ^= bits << shift;
        }
        bits
    }

    #[inline(always)]
    unsafe fn prefetch(_bytes: *const u8) {}
}

/// The bytes that pass a test, a bit each.
///
/// # Safety
///
/// 64 bytes can be read at `bytes`.
#[inline(always)]
unsafe fn mask(bytes: *const u8, test: fn(u8) -> bool) -> u64 {
    // SAFETY: the caller lets them be read; bytes have no alignment.
    let bytes = unsafe { &*bytes.cast::<[u8; BLOCK]>() };
    bytes.iter().rev().fold(0, |mask, &byte| (mask << 1) | u64::from(test(byte)))
}
