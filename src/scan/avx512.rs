//! 64 bytes as one register, whose comparisons are masks already.

use std::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_prefetch, _mm_set_epi64x,
    _mm_set1_epi8, _mm512_cmpeq_epi8_mask, _mm512_cmplt_epi8_mask, _mm512_loadu_si512,
    _mm512_movepi8_mask, _mm512_or_si512, _mm512_set1_epi8, _mm512_test_epi8_mask,
};

use super::{Block, Carry, Findings, Kernel, Raw, Unusual, scan_blocks};

/// # Safety
///
/// - The processor has AVX-512F, AVX-512BW and PCLMULQDQ.
/// - `text` has 64 bytes for each of `blocks`.
#[target_feature(enable = "avx512f,avx512bw,pclmulqdq,bmi1,popcnt,lzcnt")]
pub(super) unsafe fn scan<const STRUCTURE: bool, const TOKENS: bool>(
    text: &[u8],
    carry: &mut Carry,
    blocks: &mut [Block],
) -> Findings {
    // SAFETY: the caller's promises are those that are asked for.
    unsafe { scan_blocks::<Avx512, STRUCTURE, TOKENS>(text, carry, blocks) }
}

struct Avx512;

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn equal(bytes: __m512i, wanted: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(wanted as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn space(bytes: __m512i) -> u64 {
    equal(bytes, b' ') | equal(bytes, b'\t') | equal(bytes, b'\n') | equal(bytes, b'\r')
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn classify<const TOKENS: bool>(bytes: __m512i) -> Raw {
    let bit = _mm512_set1_epi8(0x20);
    let folded = _mm512_or_si512(bytes, bit);
    let bracket = equal(folded, b'{') | equal(folded, b'}');
    Raw {
        quote: equal(bytes, b'"'),
        backslash: equal(bytes, b'\\'),
        bracket,
        opens: _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(0x02)),
        braces: _mm512_test_epi8_mask(bytes, bit),
        is_unusual: _mm512_cmplt_epi8_mask(bytes, bit) != 0,
        separator: if TOKENS { equal(bytes, b',') | equal(bytes, b':') } else { 0 },
        space: if TOKENS { space(bytes) } else { 0 },
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn unusual(bytes: __m512i) -> Unusual {
    let high = _mm512_movepi8_mask(bytes);
    let below_space = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(0x20));
    Unusual { control: below_space & !high, high }
}

// SAFETY: runs only inside `scan`, which has the features.
unsafe impl Kernel for Avx512 {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: *const u8) -> Raw {
        // SAFETY: the caller lets 64 bytes be read and has the instructions.
        unsafe { classify::<TOKENS>(_mm512_loadu_si512(bytes.cast())) }
    }

    #[inline(always)]
    unsafe fn unusual(bytes: *const u8) -> Unusual {
        // SAFETY: the caller lets 64 bytes be read and has the instructions.
        unsafe { unusual(_mm512_loadu_si512(bytes.cast())) }
    }

    #[inline(always)]
    unsafe fn prefix_xor(bits: u64) -> u64 {
        // SAFETY: the caller has the instructions.
        unsafe {
            let bits = _mm_set_epi64x(0, bits as i64);
            _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0>(bits, _mm_set1_epi8(-1))) as u64
        }
    }

    #[inline(always)]
    unsafe fn prefetch(bytes: *const u8) {
        // SAFETY: prefetching cannot fault, and every x86-64 has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.cast()) };
    }
}
