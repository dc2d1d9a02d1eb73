//! The NEON kernel: a block is four de-interleaved registers. Register 0 has bytes 0, 4, 8, ...,
//! register 1 has bytes 1, 5, 9, ..., and so on.
//!
//! NEON has no MOVEMASK. In this layout, four neighbouring bytes are at the same position of the
//! four registers, and shift-and-insert instructions bring their bits together. The usual method,
//! pairwise addition, is slower, because the compiler splits the instruction into three.

use std::arch::aarch64::{
    uint8x16_t, uint8x16x4_t, vandq_u8, vbicq_u8, vceqq_u8, vcleq_u8, vcltq_s8, vdupq_n_s8,
    vdupq_n_u8, vget_lane_u64, vld1q_u8, vld4q_u8, vminq_s8, vminvq_s8, vorrq_u8, vqtbl1q_u8,
    vreinterpret_u64_u8, vreinterpretq_s8_u8, vreinterpretq_u16_u8, vshlq_n_u8, vshrn_n_u16,
    vshrq_n_u8, vsriq_n_u8, vsubq_u8, vtstq_u8,
};

use super::wide::{ESCAPED, LEAF_WINDOW, LITERALS, LeafMasks, Masks, Wide, WideCode};
use super::{BLOCK, Block, Carry, Findings, Kernel, Raw, Unusual, scan_blocks};

/// Scans a text with NEON.
///
/// # Safety
///
/// The processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn scan<const STRUCTURE: bool, const TOKENS: bool>(
    text: &[u8],
    carry: &mut Carry,
    blocks: &mut [Block],
) -> Findings {
    // SAFETY: the processor has NEON, by this function's contract.
    unsafe { scan_blocks::<Neon, STRUCTURE, TOKENS>(text, carry, blocks) }
}

/// Runs code that is inlined here, and passes the vector operations of NEON to the code.
///
/// # Safety
///
/// The processor has NEON.
#[target_feature(enable = "neon")]
pub(super) unsafe fn run_wide<C: WideCode>(code: C) -> C::Output {
    code.run(Neon(()))
}

/// Proof that the processor has NEON. Only [`run_wide`] makes it.
#[derive(Clone, Copy)]
struct Neon(());

/// A block in the de-interleaved layout.
type Deinterleaved = [uint8x16_t; 4];

/// Returns the highest bit of each byte, in the order of the text.
#[inline]
#[target_feature(enable = "neon")]
fn mask(bytes: Deinterleaved) -> u64 {
    // `low` and `high` have two bits of the result at the top of each byte. `four` has four bits,
    // and `twice` repeats these four bits in the low half of each byte. So the middle eight bits of
    // two such bytes belong to eight neighbouring bytes of the text.
    let low = vsriq_n_u8::<1>(bytes[1], bytes[0]);
    let high = vsriq_n_u8::<1>(bytes[3], bytes[2]);
    let four = vsriq_n_u8::<2>(high, low);
    let twice = vsriq_n_u8::<4>(four, four);
    let bits = vshrn_n_u16::<4>(vreinterpretq_u16_u8(twice));
    vget_lane_u64::<0>(vreinterpret_u64_u8(bits))
}

#[inline]
#[target_feature(enable = "neon")]
fn equal(bytes: Deinterleaved, wanted: u8) -> Deinterleaved {
    bytes.map(|part| vceqq_u8(part, vdupq_n_u8(wanted)))
}

#[inline]
#[target_feature(enable = "neon")]
fn either(a: Deinterleaved, b: Deinterleaved) -> Deinterleaved {
    [vorrq_u8(a[0], b[0]), vorrq_u8(a[1], b[1]), vorrq_u8(a[2], b[2]), vorrq_u8(a[3], b[3])]
}

#[inline]
#[target_feature(enable = "neon")]
fn any_of<const N: usize>(bytes: Deinterleaved, wanted: [u8; N]) -> Deinterleaved {
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
        // Shifts bits 1 and 5 to bit 7, which `mask` reads.
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
    fn leaf_masks(self, text: &[u8; LEAF_WINDOW]) -> LeafMasks {
        // SAFETY: `self` proves that the processor has NEON.
        unsafe { leaf_masks(text) }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn leaf_masks(text: &[u8; LEAF_WINDOW]) -> LeafMasks {
    let bytes: [Deinterleaved; 5] = std::array::from_fn(|place| {
        // SAFETY: the text has 68 bytes, so 64 bytes can be read at offsets 0 to 4.
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
    LeafMasks {
        literal4: mask(pairwise(begins, f, |begins, f| vbicq_u8(begins, f))),
        literal5: mask(both(both(begins, f), equal(bytes[4], b'e'))),
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
fn between(bytes: Deinterleaved, first: u8, last: u8) -> Deinterleaved {
    let (first, most) = (vdupq_n_u8(first), vdupq_n_u8(last - first));
    bytes.map(|part| vcleq_u8(vsubq_u8(part, first), most))
}

/// Looks up each byte in a table. The bytes must be less than 16.
#[inline]
#[target_feature(enable = "neon")]
fn found(table: &[u8; 16], bytes: Deinterleaved) -> Deinterleaved {
    // SAFETY: the array has the 16 bytes that are read.
    let table = unsafe { vld1q_u8(table.as_ptr()) };
    bytes.map(|part| vqtbl1q_u8(table, part))
}

/// The low four bits of each byte.
#[inline]
#[target_feature(enable = "neon")]
fn lower(bytes: Deinterleaved) -> Deinterleaved {
    bytes.map(|part| vandq_u8(part, vdupq_n_u8(15)))
}

#[inline]
#[target_feature(enable = "neon")]
fn both(a: Deinterleaved, b: Deinterleaved) -> Deinterleaved {
    pairwise(a, b, |a, b| vandq_u8(a, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn pairwise(
    a: Deinterleaved,
    b: Deinterleaved,
    combine: impl Fn(uint8x16_t, uint8x16_t) -> uint8x16_t,
) -> Deinterleaved {
    [combine(a[0], b[0]), combine(a[1], b[1]), combine(a[2], b[2]), combine(a[3], b[3])]
}

impl Kernel for Neon {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: &[u8; BLOCK]) -> Raw {
        // SAFETY: the caller promises NEON, and `bytes` has the 64 bytes that are read.
        unsafe { classify::<TOKENS>(vld4q_u8(bytes.as_ptr())) }
    }

    #[inline(always)]
    unsafe fn unusual(bytes: &[u8; BLOCK]) -> Unusual {
        // SAFETY: the caller promises NEON, and `bytes` has the 64 bytes that are read.
        unsafe { unusual(vld4q_u8(bytes.as_ptr())) }
    }

    // `prefix_xor` and `prefetch` keep their defaults. Carry-less multiplication is an optional
    // extension of NEON, and the hardware prefetcher handles a forward scan well.
}
