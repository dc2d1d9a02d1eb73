//! The AVX-512 kernel: a block is one register of 64 bytes. Comparisons return bit masks.

use std::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_prefetch,
    _mm_set_epi64x, _mm_set1_epi8, _mm512_add_epi64, _mm512_alignr_epi64, _mm512_and_si512,
    _mm512_broadcast_i32x4, _mm512_cmpeq_epi8_mask, _mm512_cmpeq_epi64_mask,
    _mm512_cmple_epu8_mask, _mm512_cmplt_epi8_mask, _mm512_cmplt_epi64_mask,
    _mm512_cmplt_epu64_mask, _mm512_loadu_si512, _mm512_mask_cmpeq_epi8_mask,
    _mm512_mask_sub_epi64, _mm512_movepi8_mask, _mm512_or_si512, _mm512_set1_epi8,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_shuffle_i64x2,
    _mm512_slli_epi64, _mm512_srli_epi16, _mm512_srli_epi64, _mm512_storeu_si512, _mm512_sub_epi8,
    _mm512_test_epi8_mask, _mm512_test_epi64_mask, _mm512_unpackhi_epi64, _mm512_unpacklo_epi64,
    _mm512_xor_si512,
};

use super::wide::{
    BRACKETS, ESCAPED, LANES_MAX, LEAF_WINDOW, Lanes, LeafMasks, Masks, SEPARATORS, SPACE, Wide,
    WideCode, bitwise, propagate_carries,
};
use super::{BLOCK, Block, Carry, Findings, Kernel, Raw, Unusual, scan_blocks};

/// Scans a text with AVX-512.
///
/// # Safety
///
/// The processor has AVX-512F, AVX-512BW, PCLMULQDQ, BMI1, POPCNT and LZCNT.
#[target_feature(enable = "avx512f,avx512bw,pclmulqdq,bmi1,popcnt,lzcnt")]
pub(super) unsafe fn scan<const STRUCTURE: bool, const TOKENS: bool>(
    text: &[u8],
    carry: &mut Carry,
    blocks: &mut [Block],
) -> Findings {
    // SAFETY: the processor has the instructions, by this function's contract.
    unsafe { scan_blocks::<Avx512, STRUCTURE, TOKENS>(text, carry, blocks) }
}

/// Runs code that is inlined here, so it is compiled for AVX-512, AVX2 and the features below.
/// Passes the vector operations of AVX-512 to the code.
///
/// # Safety
///
/// The processor has AVX-512F, AVX-512BW, AVX2, BMI1, BMI2, POPCNT and LZCNT.
#[target_feature(enable = "avx512f,avx512bw,avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn run_wide<C: WideCode>(code: C) -> C::Output {
    code.run(Avx512(()))
}

/// Proof that the processor has AVX-512F and AVX-512BW. Only [`run_wide`] makes it.
#[derive(Clone, Copy)]
struct Avx512(());

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn equal(bytes: __m512i, wanted: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(wanted as i8))
}

/// Finds the bytes of a class. The low four bits of each byte of `bytes` select an entry of the
/// table `wanted`. The byte belongs to the class if the same byte of `are` equals this entry.
///
/// One comparison is enough for the whole class. This matters, because few execution ports compare
/// into masks.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn found(bytes: __m512i, wanted: &[u8; 16], are: __m512i) -> u64 {
    _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(table(wanted), bytes), are)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn classify<const TOKENS: bool>(bytes: __m512i) -> Raw {
    let bit = _mm512_set1_epi8(0x20);
    let folded = _mm512_or_si512(bytes, bit);
    Raw {
        quote: equal(bytes, b'"'),
        backslash: equal(bytes, b'\\'),
        bracket: found(bytes, &BRACKETS, folded),
        opens: _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(0x02)),
        braces: _mm512_test_epi8_mask(bytes, bit),
        is_unusual: _mm512_cmplt_epi8_mask(bytes, bit) != 0,
        separator: if TOKENS { found(bytes, &SEPARATORS, bytes) } else { 0 },
        space: if TOKENS { found(bytes, &SPACE, bytes) } else { 0 },
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn unusual(bytes: __m512i) -> Unusual {
    let high = _mm512_movepi8_mask(bytes);
    let below_space = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(0x20));
    Unusual { control: below_space & !high, high }
}

impl Wide for Avx512 {
    type Lanes = Eight;

    #[inline(always)]
    fn masks(self, blocks: &[Block]) -> Option<Masks<Eight>> {
        // SAFETY: `self` proves that the processor has AVX-512F and AVX-512BW.
        blocks.first_chunk().map(|blocks| unsafe { masks(blocks) })
    }

    #[inline(always)]
    fn leaf_masks(self, text: &[u8; LEAF_WINDOW]) -> LeafMasks {
        // SAFETY: `self` proves that the processor has AVX-512F and AVX-512BW.
        unsafe { leaf_masks(text) }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
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
    let values = _mm512_sub_epi8(bytes[0], _mm512_set1_epi8(b'0' as i8));
    let folded = _mm512_or_si512(bytes[0], _mm512_set1_epi8(0x20));
    let letters = _mm512_sub_epi8(folded, _mm512_set1_epi8(b'a' as i8));
    let digits = _mm512_cmple_epu8_mask(values, _mm512_set1_epi8(9));
    let [low, high] = &ESCAPED;
    let upper = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes[1]), _mm512_set1_epi8(15));
    LeafMasks {
        literal4: spells(&bytes, b"true") | spells(&bytes, b"null"),
        literal5: spells(&bytes, b"false"),
        digits,
        zeros: equal(bytes[0], b'0'),
        hex: digits | _mm512_cmple_epu8_mask(letters, _mm512_set1_epi8(5)),
        d: equal(folded, b'd'),
        before_u: equal(bytes[1], b'u'),
        // For a byte beyond ASCII, SHUFFLE returns 0.
        before_escaped: _mm512_test_epi8_mask(
            _mm512_shuffle_epi8(table(low), bytes[1]),
            _mm512_shuffle_epi8(table(high), upper),
        ),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn table(bytes: &[u8; 16]) -> __m512i {
    // SAFETY: the array has the 16 bytes that are read.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

/// Loads 64 bytes.
///
/// # Safety
///
/// 64 bytes can be read at `bytes`.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(bytes: *const u8) -> __m512i {
    // SAFETY: the caller promises 64 readable bytes.
    unsafe { _mm512_loadu_si512(bytes.cast()) }
}

/// Returns the bytes where `word` begins. `bytes` has the block, then the block one byte later, and
/// so on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn spells(bytes: &[__m512i; 5], word: &[u8]) -> u64 {
    let mut found = !0;
    for (bytes, letter) in bytes.iter().zip(word) {
        found = _mm512_mask_cmpeq_epi8_mask(found, *bytes, _mm512_set1_epi8(*letter as i8));
    }
    found
}

/// Combines two rows of a matrix into pairs.
#[inline]
#[target_feature(enable = "avx512f")]
fn pair(first: &Block, second: &Block) -> [__m512i; 2] {
    // SAFETY: `Block` is `repr(C)` with eight `u64`, so it has 64 readable bytes.
    let (first, second) =
        unsafe { (load((&raw const *first).cast()), load((&raw const *second).cast())) };
    [_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second)]
}

/// Combines two pairs of rows into groups of four rows.
#[inline]
#[target_feature(enable = "avx512f")]
fn group(first: __m512i, second: __m512i) -> [__m512i; 2] {
    [
        _mm512_shuffle_i64x2::<0b10_00_10_00>(first, second),
        _mm512_shuffle_i64x2::<0b11_01_11_01>(first, second),
    ]
}

/// Transposes the masks of eight blocks: one register for each mask.
#[inline]
#[target_feature(enable = "avx512f")]
fn masks(blocks: &[Block; 8]) -> Masks<Eight> {
    // Transposes a matrix of 8 by 8 in three steps. The first step combines rows into pairs, the
    // second combines pairs into groups of four rows, and the third combines the two groups.
    let [a, b, c, d, e, f, g, h] = blocks;
    let (ab, cd, ef, gh) = (pair(a, b), pair(c, d), pair(e, f), pair(g, h));
    let (even, odd) = (group(ab[0], cd[0]), group(ab[1], cd[1]));
    let (even_too, odd_too) = (group(ef[0], gh[0]), group(ef[1], gh[1]));
    let [quotes, braces] = group(even[0], even_too[0]);
    let [escapes, strings] = group(odd[0], odd_too[0]);
    let [brackets, separators] = group(even[1], even_too[1]);
    let [opens, words] = group(odd[1], odd_too[1]);
    Masks {
        quotes: Eight(quotes),
        escapes: Eight(escapes),
        brackets: Eight(brackets),
        opens: Eight(opens),
        braces: Eight(braces),
        strings: Eight(strings),
        separators: Eight(separators),
        words: Eight(words),
    }
}

/// A mask of eight consecutive blocks, the first in the lowest lane.
#[derive(Clone, Copy, Debug)]
struct Eight(__m512i);

bitwise!(
    Eight,
    _mm512_set1_epi64(-1),
    BitAnd bitand _mm512_and_si512,
    BitOr bitor _mm512_or_si512,
    BitXor bitxor _mm512_xor_si512
);

impl Lanes for Eight {
    const COUNT: usize = 8;

    #[inline(always)]
    fn shifted(self, carry: &mut u64) -> Eight {
        // SAFETY: an `Eight` is made by functions with the AVX-512F target feature only.
        unsafe {
            let first = _mm512_set1_epi64((*carry << 63) as i64);
            let before = _mm512_alignr_epi64::<7>(self.0, first);
            let tops = _mm512_cmplt_epi64_mask(self.0, _mm512_setzero_si512());
            *carry = u64::from(tops >> 7);
            let moved = _mm512_slli_epi64::<1>(self.0);
            Eight(_mm512_or_si512(moved, _mm512_srli_epi64::<63>(before)))
        }
    }

    #[inline(always)]
    fn add_with_carry(self, other: Eight, carry: &mut u64) -> Eight {
        // SAFETY: an `Eight` is made by functions with the AVX-512F target feature only.
        unsafe {
            let ones = _mm512_set1_epi64(-1);
            let sum = _mm512_add_epi64(self.0, other.0);
            let over = _mm512_cmplt_epu64_mask(sum, self.0);
            let full = _mm512_cmpeq_epi64_mask(sum, ones);
            let more = propagate_carries(u32::from(over), u32::from(full), *carry);
            *carry = u64::from((more >> 8) & 1);
            Eight(_mm512_mask_sub_epi64(sum, more as u8, sum, ones))
        }
    }

    #[inline(always)]
    fn nonzero(self) -> u64 {
        // SAFETY: an `Eight` is made by functions with the AVX-512F target feature only.
        u64::from(unsafe { _mm512_test_epi64_mask(self.0, self.0) })
    }

    #[inline(always)]
    fn to_array(self) -> [u64; LANES_MAX] {
        let mut each = [0; LANES_MAX];
        // SAFETY: an `Eight` is made by functions with the AVX-512F target feature only; the array
        // has the 64 bytes that are written.
        unsafe { _mm512_storeu_si512(each.as_mut_ptr().cast(), self.0) };
        each
    }
}

impl Kernel for Avx512 {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: &[u8; BLOCK]) -> Raw {
        // SAFETY: the caller promises the instructions, and `bytes` has the 64 bytes that are read.
        unsafe { classify::<TOKENS>(_mm512_loadu_si512(bytes.as_ptr().cast())) }
    }

    #[inline(always)]
    unsafe fn unusual(bytes: &[u8; BLOCK]) -> Unusual {
        // SAFETY: the caller promises the instructions, and `bytes` has the 64 bytes that are read.
        unsafe { unusual(_mm512_loadu_si512(bytes.as_ptr().cast())) }
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
