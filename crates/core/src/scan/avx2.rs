//! The AVX2 kernel: a block is two registers of 32 bytes. MOVEMASK turns comparisons into bits.
//!
//! The functions write out the two halves. The compiler does not inline closures that go through
//! the methods of arrays, such as `map`, unless it optimizes the whole program at once.

use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_prefetch,
    _mm_set_epi64x, _mm_set1_epi8, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_blend_epi32, _mm256_broadcastsi128_si256, _mm256_castsi256_pd, _mm256_cmpeq_epi8,
    _mm256_cmpeq_epi64, _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_min_epi8, _mm256_min_epu8,
    _mm256_movemask_epi8, _mm256_movemask_pd, _mm256_or_si256, _mm256_permute2x128_si256,
    _mm256_permute4x64_epi64, _mm256_set_epi64x, _mm256_set1_epi8, _mm256_set1_epi64x,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_slli_epi16, _mm256_slli_epi64,
    _mm256_srli_epi16, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_sub_epi8, _mm256_sub_epi64,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi64, _mm256_xor_si256,
};

use super::wide::{
    BRACKETS, ESCAPED, LANES_MAX, LEAF_WINDOW, LITERALS, Lanes, LeafMasks, Masks, SEPARATORS,
    SPACE, Wide, WideCode, bitwise, propagate_carries,
};
use super::{BLOCK, Block, Carry, Code, Findings, Kernel, Raw, Unusual, scan_blocks};

/// Scans a text with AVX2.
///
/// # Safety
///
/// The processor has AVX2, PCLMULQDQ, BMI1, BMI2, POPCNT and LZCNT.
#[target_feature(enable = "avx2,pclmulqdq,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn scan<const STRUCTURE: bool, const TOKENS: bool>(
    text: &[u8],
    carry: &mut Carry,
    blocks: &mut [Block],
) -> Findings {
    // SAFETY: the processor has the instructions, by this function's contract.
    unsafe { scan_blocks::<Avx2, STRUCTURE, TOKENS>(text, carry, blocks) }
}

/// Runs code that is inlined here, so it is compiled for AVX2 and the features below.
///
/// # Safety
///
/// The processor has AVX2, BMI1, BMI2, POPCNT and LZCNT.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn run<C: Code>(code: C) -> C::Output {
    code.run()
}

/// Like [`run`], but passes the vector operations of AVX2 to the code.
///
/// # Safety
///
/// The processor has AVX2, BMI1, BMI2, POPCNT and LZCNT.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn run_wide<C: WideCode>(code: C) -> C::Output {
    code.run(Avx2(()))
}

/// Proof that the processor has AVX2. Only [`run_wide`] makes it.
#[derive(Clone, Copy)]
struct Avx2(());

#[inline]
#[target_feature(enable = "avx2")]
fn mask(low: __m256i, high: __m256i) -> u64 {
    let low = _mm256_movemask_epi8(low) as u32;
    let high = _mm256_movemask_epi8(high) as u32;
    u64::from(low) | (u64::from(high) << 32)
}

#[inline]
#[target_feature(enable = "avx2")]
fn is(half: __m256i, wanted: u8) -> __m256i {
    _mm256_cmpeq_epi8(half, _mm256_set1_epi8(wanted as i8))
}

#[inline]
#[target_feature(enable = "avx2")]
fn equal(bytes: [__m256i; 2], wanted: u8) -> u64 {
    mask(is(bytes[0], wanted), is(bytes[1], wanted))
}

/// Returns a lookup table in both halves of a register. SHUFFLE looks up each byte by its low four
/// bits. For a byte beyond ASCII, it returns 0.
#[inline]
#[target_feature(enable = "avx2")]
fn table(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: the array has the 16 bytes that are read.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn any_of(bytes: [__m256i; 2], wanted: &[u8; 16]) -> u64 {
    let wanted = table(wanted);
    mask(looked_up(wanted, bytes[0], bytes[0]), looked_up(wanted, bytes[1], bytes[1]))
}

/// Compares the entries of a table that `half` looks up with `bytes`.
#[inline]
#[target_feature(enable = "avx2")]
fn looked_up(table: __m256i, half: __m256i, bytes: __m256i) -> __m256i {
    _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, half), bytes)
}

/// Compares the bytes of a block. Combines alternatives in registers, before MOVEMASK. If the code
/// combined the masks instead, the compiler would move the combination back to the registers, byte
/// by byte.
#[inline]
#[target_feature(enable = "avx2")]
fn classify<const TOKENS: bool>(bytes: [__m256i; 2]) -> Raw {
    let bit = _mm256_set1_epi8(0x20);
    let wanted = table(&BRACKETS);
    let folded = [_mm256_or_si256(bytes[0], bit), _mm256_or_si256(bytes[1], bit)];
    Raw {
        quote: equal(bytes, b'"'),
        backslash: equal(bytes, b'\\'),
        bracket: mask(
            looked_up(wanted, bytes[0], folded[0]),
            looked_up(wanted, bytes[1], folded[1]),
        ),
        // Shifts bits 1 and 5 to bit 7, which MOVEMASK reads.
        opens: mask(_mm256_slli_epi16::<6>(bytes[0]), _mm256_slli_epi16::<6>(bytes[1])),
        braces: mask(_mm256_slli_epi16::<2>(bytes[0]), _mm256_slli_epi16::<2>(bytes[1])),
        is_unusual: _mm256_movemask_epi8(_mm256_cmpgt_epi8(
            bit,
            _mm256_min_epi8(bytes[0], bytes[1]),
        )) != 0,
        separator: if TOKENS { any_of(bytes, &SEPARATORS) } else { 0 },
        space: if TOKENS { any_of(bytes, &SPACE) } else { 0 },
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn unusual(bytes: [__m256i; 2]) -> Unusual {
    let high = mask(bytes[0], bytes[1]);
    let space = _mm256_set1_epi8(0x20);
    let below_space = mask(_mm256_cmpgt_epi8(space, bytes[0]), _mm256_cmpgt_epi8(space, bytes[1]));
    Unusual { control: below_space & !high, high }
}

/// Loads a block.
///
/// # Safety
///
/// 64 bytes can be read at `bytes`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(bytes: *const u8) -> [__m256i; 2] {
    // SAFETY: the caller promises 64 readable bytes; each load reads 32 of them.
    unsafe {
        let low = _mm256_loadu_si256(bytes.cast());
        [low, _mm256_loadu_si256(bytes.wrapping_add(32).cast())]
    }
}

impl Wide for Avx2 {
    type Lanes = Four;

    #[inline(always)]
    fn masks(self, blocks: &[Block]) -> Option<Masks<Four>> {
        // SAFETY: `self` proves that the processor has AVX2.
        blocks.first_chunk().map(|blocks| unsafe { masks(blocks) })
    }

    #[inline(always)]
    fn leaf_masks(self, text: &[u8; LEAF_WINDOW]) -> LeafMasks {
        // SAFETY: `self` proves that the processor has AVX2.
        unsafe { leaf_masks(text) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn leaf_masks(text: &[u8; LEAF_WINDOW]) -> LeafMasks {
    let start = text.as_ptr();
    // SAFETY: the text has 68 bytes, so 64 bytes can be read at offsets 0 to 4.
    let bytes = unsafe {
        [
            load(start),
            load(start.add(1)),
            load(start.add(2)),
            load(start.add(3)),
            load(start.add(4)),
        ]
    };
    let [a, b, c, d, e] = bytes;
    let first = leaf_half([a[0], b[0], c[0], d[0], e[0]]);
    let second = leaf_half([a[1], b[1], c[1], d[1], e[1]]);
    LeafMasks {
        literal4: mask(first.literal4, second.literal4),
        literal5: mask(first.literal5, second.literal5),
        digits: mask(first.digits, second.digits),
        zeros: mask(first.zeros, second.zeros),
        hex: mask(first.hex, second.hex),
        d: mask(first.d, second.d),
        before_u: mask(first.before_u, second.before_u),
        before_escaped: !mask(first.before_others, second.before_others),
    }
}

/// The [`LeafMasks`] of 32 bytes. All bits of a byte are set where the mask has a 1.
struct LeafHalf {
    literal4: __m256i,
    literal5: __m256i,
    digits: __m256i,
    zeros: __m256i,
    hex: __m256i,
    d: __m256i,
    before_u: __m256i,
    /// The complement of [`LeafMasks::before_escaped`].
    before_others: __m256i,
}

#[inline]
#[target_feature(enable = "avx2")]
fn leaf_half(bytes: [__m256i; 5]) -> LeafHalf {
    let [one, two, three, four] = &LITERALS;
    let begins = _mm256_and_si256(
        _mm256_and_si256(
            looked_up(table(one), bytes[0], bytes[0]),
            looked_up(table(two), bytes[0], bytes[1]),
        ),
        _mm256_and_si256(
            looked_up(table(three), bytes[0], bytes[2]),
            looked_up(table(four), bytes[0], bytes[3]),
        ),
    );
    let f = is(bytes[0], b'f');
    let digits = between(bytes[0], b'0', b'9');
    let folded = _mm256_or_si256(bytes[0], _mm256_set1_epi8(0x20));
    let [low, high] = &ESCAPED;
    let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes[1]), _mm256_set1_epi8(15));
    // For a byte beyond ASCII, SHUFFLE returns 0.
    let common = _mm256_and_si256(
        _mm256_shuffle_epi8(table(low), bytes[1]),
        _mm256_shuffle_epi8(table(high), upper),
    );
    LeafHalf {
        literal4: _mm256_andnot_si256(f, begins),
        literal5: _mm256_and_si256(_mm256_and_si256(f, begins), is(bytes[4], b'e')),
        digits,
        zeros: is(bytes[0], b'0'),
        hex: _mm256_or_si256(digits, between(folded, b'a', b'f')),
        d: is(folded, b'd'),
        before_u: is(bytes[1], b'u'),
        before_others: is(common, 0),
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn between(bytes: __m256i, first: u8, last: u8) -> __m256i {
    let places = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first as i8));
    let most = _mm256_set1_epi8((last - first) as i8);
    _mm256_cmpeq_epi8(_mm256_min_epu8(places, most), places)
}

/// Transposes the masks of four blocks: one register for each mask.
#[inline]
#[target_feature(enable = "avx2")]
fn masks(blocks: &[Block; 4]) -> Masks<Four> {
    let [a, b, c, d] = blocks;
    // SAFETY: `Block` is `repr(C)` with eight `u64`, so it has 64 readable bytes.
    let (a, b, c, d) = unsafe {
        (
            load((&raw const *a).cast()),
            load((&raw const *b).cast()),
            load((&raw const *c).cast()),
            load((&raw const *d).cast()),
        )
    };
    let [quotes, escapes, brackets, opens] = transposed([a[0], b[0], c[0], d[0]]);
    let [braces, strings, separators, words] = transposed([a[1], b[1], c[1], d[1]]);
    Masks { quotes, escapes, brackets, opens, braces, strings, separators, words }
}

/// Transposes a matrix of 4 by 4: first within pairs of rows, then across halves.
#[inline]
#[target_feature(enable = "avx2")]
fn transposed(rows: [__m256i; 4]) -> [Four; 4] {
    let [a, b, c, d] = rows;
    let even = [_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d)];
    let odd = [_mm256_unpackhi_epi64(a, b), _mm256_unpackhi_epi64(c, d)];
    [
        Four(_mm256_permute2x128_si256::<0x20>(even[0], even[1])),
        Four(_mm256_permute2x128_si256::<0x20>(odd[0], odd[1])),
        Four(_mm256_permute2x128_si256::<0x31>(even[0], even[1])),
        Four(_mm256_permute2x128_si256::<0x31>(odd[0], odd[1])),
    ]
}

/// A mask of four consecutive blocks, the first in the lowest lane.
#[derive(Clone, Copy, Debug)]
struct Four(__m256i);

bitwise!(
    Four,
    _mm256_set1_epi64x(-1),
    BitAnd bitand _mm256_and_si256,
    BitOr bitor _mm256_or_si256,
    BitXor bitxor _mm256_xor_si256
);

/// The highest bit of each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn tops(four: __m256i) -> u32 {
    _mm256_movemask_pd(_mm256_castsi256_pd(four)) as u32
}

impl Lanes for Four {
    const COUNT: usize = 4;

    #[inline(always)]
    fn shifted(self, carry: &mut u64) -> Four {
        // SAFETY: a `Four` is made by functions with the AVX2 target feature only.
        unsafe {
            let first = _mm256_set1_epi64x((*carry << 63) as i64);
            let before = _mm256_permute4x64_epi64::<0b10_01_00_00>(self.0);
            let before = _mm256_blend_epi32::<0b11>(before, first);
            *carry = u64::from(tops(self.0) >> 3);
            let moved = _mm256_slli_epi64::<1>(self.0);
            Four(_mm256_or_si256(moved, _mm256_srli_epi64::<63>(before)))
        }
    }

    #[inline(always)]
    fn add_with_carry(self, other: Four, carry: &mut u64) -> Four {
        // SAFETY: a `Four` is made by functions with the AVX2 target feature only.
        unsafe {
            let sum = _mm256_add_epi64(self.0, other.0);
            // A lane overflows if both top bits are set, or if one is set and the top bit of the
            // sum is not.
            let both = _mm256_and_si256(self.0, other.0);
            let one = _mm256_andnot_si256(sum, _mm256_or_si256(self.0, other.0));
            let over = tops(_mm256_or_si256(both, one));
            let full = tops(_mm256_cmpeq_epi64(sum, _mm256_set1_epi64x(-1)));
            let more = propagate_carries(over, full, *carry);
            *carry = u64::from((more >> 4) & 1);
            let lanes = _mm256_set_epi64x(8, 4, 2, 1);
            let more = _mm256_and_si256(_mm256_set1_epi64x(i64::from(more)), lanes);
            Four(_mm256_sub_epi64(sum, _mm256_cmpeq_epi64(more, lanes)))
        }
    }

    #[inline(always)]
    fn nonzero(self) -> u64 {
        // SAFETY: a `Four` is made by functions with the AVX2 target feature only.
        let zero = unsafe { tops(_mm256_cmpeq_epi64(self.0, _mm256_setzero_si256())) };
        u64::from(zero ^ 0b1111)
    }

    #[inline(always)]
    fn to_array(self) -> [u64; LANES_MAX] {
        let mut each = [0; LANES_MAX];
        // SAFETY: a `Four` is made by functions with the AVX2 target feature only; the array has 64
        // bytes and 32 are written.
        unsafe { _mm256_storeu_si256(each.as_mut_ptr().cast(), self.0) };
        each
    }
}

impl Kernel for Avx2 {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: &[u8; BLOCK]) -> Raw {
        // SAFETY: the caller promises the instructions, and `bytes` has the 64 bytes that are read.
        unsafe { classify::<TOKENS>(load(bytes.as_ptr())) }
    }

    #[inline(always)]
    unsafe fn unusual(bytes: &[u8; BLOCK]) -> Unusual {
        // SAFETY: the caller promises the instructions, and `bytes` has the 64 bytes that are read.
        unsafe { unusual(load(bytes.as_ptr())) }
    }

    #[inline(always)]
    unsafe fn prefix_xor(bits: u64) -> u64 {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let bits = _mm_set_epi64x(0, bits as i64);
            _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0>(bits, _mm_set1_epi8(-1))) as u64
        }
    }

    #[inline(always)]
    unsafe fn prefetch(bytes: *const u8) {
        // SAFETY: a prefetch cannot fault at any address, and every x86-64 processor has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.cast()) };
    }
}
