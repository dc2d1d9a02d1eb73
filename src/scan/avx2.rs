//! 64 bytes as two registers of 32, whose comparisons are gathered bit by bit.

use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_prefetch,
    _mm_set_epi64x, _mm_set1_epi8, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
    _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_min_epi8, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8, _mm256_shuffle_epi8, _mm256_slli_epi16, _pext_u64,
};

use super::nesting::floating::Floating;
use super::nesting::words::Word;
use super::nesting::{Claims, Nesting};
use super::{Block, Carry, Code, Findings, Kernel, Raw, Unusual, scan_blocks};

/// # Safety
///
/// - The processor has AVX2, PCLMULQDQ, BMI1, BMI2, POPCNT and LZCNT.
/// - `text` has 64 bytes for each of `blocks`.
#[target_feature(enable = "avx2,pclmulqdq,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn scan<const STRUCTURE: bool, const TOKENS: bool>(
    text: &[u8],
    carry: &mut Carry,
    blocks: &mut [Block],
) -> Findings {
    // SAFETY: the caller's promises are those that are asked for.
    unsafe { scan_blocks::<Avx2, STRUCTURE, TOKENS>(text, carry, blocks) }
}

/// Runs code that was inlined here with the instructions of AVX2 and its time.
///
/// # Safety
///
/// The processor has them: AVX2, BMI1, BMI2, POPCNT, LZCNT.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn run<C: Code>(code: C) -> C::Output {
    code.run()
}

/// [`Nesting::follow_words`], where one instruction draws bits together.
///
/// # Safety
///
/// The processor has BMI1, BMI2, POPCNT and LZCNT.
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn follow<const CLAIMED: bool>(
    nesting: &mut Nesting,
    blocks: &[Block],
    claims: &[Claims],
) -> bool {
    nesting.follow_words::<CLAIMED>(
        blocks,
        claims,
        |bits, mask| _pext_u64(bits, mask),
        |nesting, word, end| take::<CLAIMED>(nesting, word, end),
    )
}

/// [`Floating::follow_words`] with the same instructions.
///
/// # Safety
///
/// The processor has BMI1, BMI2, POPCNT and LZCNT.
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn float<const CLAIMED: bool>(
    floating: &mut Floating,
    blocks: &[Block],
    claims: &[Claims],
) -> bool {
    floating.follow_words::<CLAIMED>(blocks, claims, |bits, mask| _pext_u64(bits, mask))
}

#[inline(never)]
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
fn take<const CLAIMED: bool>(nesting: &mut Nesting, word: Word, end: usize) -> bool {
    nesting.take::<CLAIMED>(word, end, |bits, mask| _pext_u64(bits, mask))
}

struct Avx2;

/// The bytes of space, each at the place of its low four bits.
const SPACE: [u8; 16] = by_low_bits(b" \t\n\r");

/// The separators, in the same way.
const SEPARATORS: [u8; 16] = by_low_bits(b",:");

/// The brackets with bit 5 set, each at the place of its low four bits.
const BRACKETS: [u8; 16] = by_low_bits(b"{}");

/// What [`table`] is made of. No byte is 0xff that looks anything up.
const fn by_low_bits(mut bytes: &[u8]) -> [u8; 16] {
    let mut table = [0xff; 16];
    while let [byte, rest @ ..] = bytes {
        table[(*byte & 15) as usize] = *byte;
        bytes = rest;
    }
    table
}

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

/// Where each byte looks up, by its low four bits, which it would have to be. Those beyond ASCII
/// find 0.
#[inline]
#[target_feature(enable = "avx2")]
fn table(bytes: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes are read from an array of 16.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn any_of(bytes: [__m256i; 2], wanted: &[u8; 16]) -> u64 {
    let wanted = table(wanted);
    let [low, high] = bytes.map(|half| _mm256_cmpeq_epi8(_mm256_shuffle_epi8(wanted, half), half));
    mask(low, high)
}

/// Unions are made of registers, before their bits are gathered. Of gathered bits the compiler
/// makes them by going back, one byte at a time.
#[inline]
#[target_feature(enable = "avx2")]
fn classify<const TOKENS: bool>(bytes: [__m256i; 2]) -> Raw {
    let bit = _mm256_set1_epi8(0x20);
    let wanted = table(&BRACKETS);
    let brackets = bytes.map(|half| {
        let folded = _mm256_or_si256(half, bit);
        _mm256_cmpeq_epi8(_mm256_shuffle_epi8(wanted, half), folded)
    });
    Raw {
        quote: equal(bytes, b'"'),
        backslash: equal(bytes, b'\\'),
        bracket: mask(brackets[0], brackets[1]),
        // Bits 1 and 5 moved to bit 7, which is what `mask` gathers.
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
    let below_space = bytes.map(|half| _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), half));
    Unusual { control: mask(below_space[0], below_space[1]) & !high, high }
}

/// # Safety
///
/// 64 bytes can be read at `bytes`.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load(bytes: *const u8) -> [__m256i; 2] {
    // SAFETY: the caller lets them be read.
    unsafe {
        let low = _mm256_loadu_si256(bytes.cast());
        [low, _mm256_loadu_si256(bytes.wrapping_add(32).cast())]
    }
}

// SAFETY: runs only inside `scan`, which has the features.
unsafe impl Kernel for Avx2 {
    #[inline(always)]
    unsafe fn classify<const TOKENS: bool>(bytes: *const u8) -> Raw {
        // SAFETY: the caller lets 64 bytes be read and has the instructions.
        unsafe { classify::<TOKENS>(load(bytes)) }
    }

    #[inline(always)]
    unsafe fn unusual(bytes: *const u8) -> Unusual {
        // SAFETY: the caller lets 64 bytes be read and has the instructions.
        unsafe { unusual(load(bytes)) }
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
