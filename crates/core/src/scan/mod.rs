//! Converts bytes to bit masks: 64 bytes of text become one 64-bit mask for each class of bytes.
//!
//! These are the masks of the text `{"a\"":[1]}`. The first byte is the lowest bit and is shown on
//! the left:
//!
//! ```text
//! text        {  "  a  \  "  "  :  [  1  ]  }
//! backslash   0  0  0  1  0  0  0  0  0  0  0
//! escaped     0  0  0  0  1  0  0  0  0  0  0    the byte after an escaping backslash
//! quotes      0  1  0  0  0  1  0  0  0  0  0    quotes that are not escaped
//! in_string   0  1  1  1  1  0  0  0  0  0  0    opening quote included, closing quote excluded
//! brackets    1  0  0  0  0  0  0  1  0  1  1    outside strings
//! opens       1  0  0  0  0  0  0  1  0  0  0
//! braces      1  0  0  0  0  0  0  0  0  0  1    the kind: brace or square bracket
//! ```
//!
//! *Quotes.* In a run of backslashes, every second backslash is escaped by the one before it. If a
//! bit is added at the start of a run, the carry moves to the end of the run. So one addition
//! separates the odd from the even positions in all runs (`Carry::escaped`).
//!
//! *Strings.* A byte is in a string if the number of quotes up to it is odd. That is the prefix XOR
//! of the quotes, which a carry-less multiplication by all ones computes in one step. An opening
//! quote counts as inside the string, a closing quote as outside.
//!
//! *Brackets.* `[` and `{` differ only in bit 5, and so do `]` and `}`. Setting bit 5 turns no
//! other byte into a brace, so two comparisons find all four brackets. Bit 5 is the kind of the
//! bracket. Bit 1 says whether the bracket opens.
//!
//! The state that one block passes to the next is small: whether a string is open and whether a
//! backslash escapes the next byte (`Carry`), and up to three bytes of an unfinished character
//! (`Utf8`). Blocks start at multiples of 64 bytes from the start or restart of the scan. So a mask
//! does not depend on how the input was cut into windows.
//!
//! The kernels differ in `Kernel::classify` and `Kernel::prefix_xor` only. `scalar` is the
//! fallback, and the tests compare the other kernels with it. A new kernel needs a file, a variant
//! of `Kind`, and a line in each `match` on `Kind`.
#![allow(unsafe_code, reason = "the kernels and their dispatch are one of the two unsafe places")]

pub mod brackets;
pub mod nesting;
mod scalar;
mod utf8;
pub mod wide;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use self::utf8::Utf8;
use self::wide::WideCode;
use crate::error::ErrorKind;

/// Bytes of text in a block.
pub const BLOCK: usize = 64;

/// Number of blocks scanned in one call: enough to amortise the call, few enough to stay in the L1
/// cache.
pub const BATCH: usize = 64;

/// [`Findings::high`] has one bit for each block of a batch.
const _: () = assert!(BATCH <= 64);

/// Distance of the prefetch ahead of the scan, in bytes.
const PREFETCH: usize = 2048;

/// An instruction set of this processor. A value proves that the processor has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Isa {
    /// The widest instruction set of this processor.
    pub fn best() -> Isa {
        Isa::all().next_back().unwrap_or(Isa(Kind::Scalar))
    }

    /// All instruction sets of this processor, from scalar to the widest.
    pub fn all() -> impl DoubleEndedIterator<Item = Isa> {
        let kinds = [
            Some(Kind::Scalar),
            #[cfg(target_arch = "x86_64")]
            has_avx2().then_some(Kind::Avx2),
            #[cfg(target_arch = "x86_64")]
            (has_avx2()
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw"))
            .then_some(Kind::Avx512),
            #[cfg(target_arch = "aarch64")]
            std::arch::is_aarch64_feature_detected!("neon").then_some(Kind::Neon),
        ];
        kinds.into_iter().flatten().map(Isa)
    }

    /// Returns the instruction set with this name (`scalar`, `avx2`, `avx512`, `neon`), if this
    /// processor has it.
    pub fn named(name: &str) -> Option<Isa> {
        Isa::all().find(|isa| isa.name() == name)
    }

    /// Runs `code`, compiled for this instruction set. Code after a scan mostly handles single
    /// bits. Newer instruction sets need fewer instructions for that.
    #[inline(always)]
    pub fn run<C: Code>(self, code: C) -> C::Output {
        match self.0 {
            Kind::Scalar => code.run(),
            // SAFETY: `Isa::all` made this value after it found the features of AVX2, which both
            // kinds need.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 | Kind::Avx512 => unsafe { avx2::run(code) },
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => code.run(),
        }
    }

    /// Runs `code`, compiled for this instruction set, and passes it the vector operations.
    #[inline(always)]
    pub fn run_wide<C: WideCode>(self, code: C) -> C::Output {
        match self.0 {
            Kind::Scalar => code.run(scalar::Scalar),
            // SAFETY: `Isa::all` made this value after it found the features of AVX2.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::run_wide(code) },
            // SAFETY: `Isa::all` made this value after it found AVX-512F, AVX-512BW and the
            // features of AVX2.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::run_wide(code) },
            // SAFETY: `Isa::all` made this value after it found NEON.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::run_wide(code) },
        }
    }

    /// Returns the proof that the processor has a fast PEXT (parallel bit extract). Returns `None`
    /// if this instruction set does not include it.
    fn pext(self) -> Option<HasPext> {
        (cfg!(target_arch = "x86_64") && self.0 != Kind::Scalar).then_some(HasPext(()))
    }

    /// Returns the name that [`Isa::named`] accepts.
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "neon",
        }
    }
}

/// Proof that the processor has BMI1, BMI2 (which has PEXT), POPCNT and LZCNT.
#[derive(Clone, Copy, Debug)]
struct HasPext(());

/// Code that [`Isa::run`] compiles once for each instruction set. This works only for code that is
/// inlined into [`Code::run`], and `run` must be `inline(always)`. A closure is not inlined.
pub trait Code {
    /// The result of the code.
    type Output;

    /// Runs the code.
    fn run(self) -> Self::Output;
}

/// Whether the processor has AVX2 and the features that all processors with AVX2 have.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("pclmulqdq")
}

impl Default for Isa {
    fn default() -> Self {
        Isa::best()
    }
}

/// The masks of 64 bytes; bit `i` describes byte `i`. Kernels rely on the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Block {
    /// Quotes that open or close a string.
    pub quotes: u64,
    /// Backslashes in strings that escape the next byte.
    pub escapes: u64,
    /// `{ } [ ]` outside strings. Undefined with [`Detail::Strings`], like the next two masks.
    pub brackets: u64,
    /// Bit 1 of every byte: among brackets, those that open; among separators, the colons.
    pub opens: u64,
    /// Bit 5 of every byte: among brackets, the braces.
    pub braces: u64,
    /// The bytes of strings, opening quotes included, closing quotes excluded.
    pub strings: u64,
    /// Commas and colons outside strings. Defined with [`Detail::Tokens`] only, like the next mask.
    pub separators: u64,
    /// The bytes of numbers and literals: outside strings, no punctuation and no space.
    pub words: u64,
}

/// How much of each block to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Strings only. The text was scanned before, so its bytes are not checked again.
    Strings,
    /// Strings and brackets.
    Structure,
    /// Strings, brackets, and the tokens outside of strings.
    Tokens,
}

/// The state that one block passes to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Carry {
    /// 1 when the last byte was an escaping backslash.
    escaped: u64,
    /// All ones when a string is open.
    in_string: u64,
}

/// The findings of the fast scan of a batch that need a slower check.
#[derive(Clone, Copy, Debug, Default)]
struct Findings {
    /// Not 0 if the batch has control characters in strings or bytes beyond ASCII outside strings.
    misplaced: u64,
    /// The blocks with bytes beyond ASCII, one bit each.
    high: u64,
}

/// The comparisons of one block, before its strings are known.
struct Raw {
    quote: u64,
    backslash: u64,
    bracket: u64,
    opens: u64,
    braces: u64,
    /// Whether the block has control characters or bytes beyond ASCII. As signed bytes, both are
    /// less than a space.
    is_unusual: bool,
    /// Needed for [`Detail::Tokens`] only, like `space`.
    separator: u64,
    /// Space, tab, line feed, carriage return.
    space: u64,
}

/// The masks of the rare bytes of a block.
struct Unusual {
    control: u64,
    /// Bytes beyond ASCII.
    high: u64,
}

/// The operations that an instruction set implements.
trait Kernel {
    /// Compares the bytes of a block.
    ///
    /// # Safety
    ///
    /// The processor has the kernel's instruction set.
    unsafe fn classify<const TOKENS: bool>(bytes: &[u8; BLOCK]) -> Raw;

    /// Finds the rare bytes of a block.
    ///
    /// # Safety
    ///
    /// The processor has the kernel's instruction set.
    unsafe fn unusual(bytes: &[u8; BLOCK]) -> Unusual;

    /// Prefix XOR: bit `i` of the result is the exclusive or of the bits up to and including `i`.
    /// The default takes six shifts.
    ///
    /// # Safety
    ///
    /// The processor has the kernel's instruction set.
    #[inline(always)]
    unsafe fn prefix_xor(bits: u64) -> u64 {
        let mut bits = bits;
        for shift in [1, 2, 4, 8, 16, 32] {
            bits ^= bits << shift;
        }
        bits
    }

    /// Prefetches memory. Any address is allowed.
    ///
    /// # Safety
    ///
    /// The processor has the kernel's instruction set.
    #[inline(always)]
    unsafe fn prefetch(_bytes: *const u8) {}
}

const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

impl Carry {
    /// Returns the bytes after an escaping backslash.
    #[inline(always)]
    fn escaped(&mut self, backslash: u64) -> u64 {
        let potential = backslash & !self.escaped;
        let code = ((potential << 1) | ODD).wrapping_sub(potential) ^ ODD;
        let escaped = code ^ (backslash | self.escaped);
        self.escaped = (code & backslash) >> 63;
        escaped
    }
}

/// The scan loop of all kernels. It is inlined into a function with the kernel's target features.
///
/// # Safety
///
/// The processor has the kernel's instruction set.
#[inline(always)]
unsafe fn scan_blocks<K: Kernel, const STRUCTURE: bool, const TOKENS: bool>(
    text: &[u8],
    carry: &mut Carry,
    blocks: &mut [Block],
) -> Findings {
    let mut findings = Findings::default();
    for (index, (bytes, block)) in text.as_chunks().0.iter().zip(blocks).enumerate() {
        // SAFETY: the processor has the instruction set, by this function's contract; prefetching
        // takes any address.
        unsafe { K::prefetch(bytes.as_ptr().wrapping_add(PREFETCH)) };
        // SAFETY: the processor has the instruction set, by this function's contract.
        let raw = unsafe { K::classify::<TOKENS>(bytes) };
        let escaped = carry.escaped(raw.backslash);
        let quotes = raw.quote & !escaped;
        // SAFETY: the processor has the instruction set, by this function's contract.
        let in_string = unsafe { K::prefix_xor(quotes) } ^ carry.in_string;
        carry.in_string = ((in_string as i64) >> 63) as u64;
        block.quotes = quotes;
        block.escapes = raw.backslash & in_string & !escaped;
        block.strings = in_string;
        // The compiler removes the comparisons whose masks are not stored below.
        if STRUCTURE {
            // Compact plans have almost no unusual bytes. In indented plans, almost every block has
            // line feeds.
            if raw.is_unusual {
                // SAFETY: the processor has the instruction set, by this function's contract.
                let Unusual { control, high } = unsafe { K::unusual(bytes) };
                findings.misplaced |= (control & in_string) | (high & !in_string);
                findings.high |= u64::from(high != 0) << index;
            }
            block.brackets = raw.bracket & !in_string;
            block.opens = raw.opens;
            block.braces = raw.braces;
        }
        if TOKENS {
            block.separators = raw.separator & !in_string;
            block.words = !(in_string | quotes | raw.bracket | raw.separator | raw.space);
        }
    }
    findings
}

/// Scans a text block by block from its first byte.
#[derive(Clone, Debug)]
pub struct Scanner {
    isa: Isa,
    detail: Detail,
    carry: Carry,
    utf8: Utf8,
}

/// A byte that is not allowed at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// Bytes from the start of the text passed to the scan. Negative for a byte of the text before
    /// it.
    pub offset: isize,
}

impl Scanner {
    /// Creates a scanner at the start of an input.
    pub fn new(isa: Isa, detail: Detail) -> Scanner {
        Scanner { isa, detail, carry: Carry::default(), utf8: Utf8::default() }
    }

    /// Returns the instruction set that the scanner uses.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Restarts at the beginning of another text.
    pub fn restart(&mut self) {
        self.carry = Carry::default();
        self.utf8 = Utf8::default();
    }

    /// Whether the text scanned so far ends inside a string.
    pub fn in_string(&self) -> bool {
        self.carry.in_string != 0
    }

    /// Writes the masks of the next `text`, whose length is a multiple of [`BLOCK`], to `blocks`.
    ///
    /// Returns the first misplaced byte; masks from that byte on are undefined. With
    /// [`Detail::Strings`] it returns `None`.
    ///
    /// # Panics
    ///
    /// Panics if the length of `text` is not [`BLOCK`] times that of `blocks`.
    pub fn scan(&mut self, text: &[u8], blocks: &mut [Block]) -> Option<Misplaced> {
        assert_eq!(text.len(), blocks.len() * BLOCK, "a block has 64 bytes");
        let batches = text.chunks(BATCH * BLOCK).zip(blocks.chunks_mut(BATCH)).enumerate();
        for (number, (text, blocks)) in batches {
            if let Some(misplaced) = self.scan_batch(text, blocks) {
                let start = (number * BATCH * BLOCK) as isize;
                return Some(Misplaced { offset: start + misplaced.offset, ..misplaced });
            }
        }
        None
    }

    /// Scans at most [`BATCH`] blocks.
    fn scan_batch(&mut self, text: &[u8], blocks: &mut [Block]) -> Option<Misplaced> {
        let before = self.carry;
        let findings = match self.detail {
            Detail::Strings => self.scan_for::<false, false>(text, blocks),
            Detail::Structure => self.scan_for::<true, false>(text, blocks),
            Detail::Tokens => self.scan_for::<true, true>(text, blocks),
        };
        let character = self.utf8.check(text, findings.high);
        let byte = if findings.misplaced != 0 { first_misplaced(text, before) } else { None };
        match (byte, character) {
            (Some(byte), Some(character)) if character.offset < byte.offset => Some(character),
            (Some(byte), _) => Some(byte),
            (None, character) => character,
        }
    }

    /// Runs the kernel on a batch.
    fn scan_for<const STRUCTURE: bool, const TOKENS: bool>(
        &mut self,
        text: &[u8],
        blocks: &mut [Block],
    ) -> Findings {
        let carry = &mut self.carry;
        match self.isa.0 {
            // SAFETY: the scalar kernel needs no instruction set.
            Kind::Scalar => unsafe {
                scan_blocks::<scalar::Scalar, STRUCTURE, TOKENS>(text, carry, blocks)
            },
            // SAFETY: `Isa::all` made this kind after it found the features of AVX2.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::scan::<STRUCTURE, TOKENS>(text, carry, blocks) },
            // SAFETY: `Isa::all` made this kind after it found AVX-512F, AVX-512BW and the features
            // of AVX2.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::scan::<STRUCTURE, TOKENS>(text, carry, blocks) },
            // SAFETY: `Isa::all` made this kind after it found NEON.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::scan::<STRUCTURE, TOKENS>(text, carry, blocks) },
        }
    }

    /// Writes the masks of the last bytes of the text, fewer than [`BLOCK`], to `block`.
    ///
    /// Returns the first misplaced byte. If the text ends inside a character, the error is at the
    /// end of the text.
    ///
    /// # Panics
    ///
    /// Panics if `text` has [`BLOCK`] bytes or more.
    pub fn scan_last(&mut self, text: &[u8], block: &mut Block) -> Option<Misplaced> {
        // Trailing spaces change no mask of the text.
        let mut padded = [b' '; BLOCK];
        padded[..text.len()].copy_from_slice(text);
        let before = self.utf8;
        let misplaced = self.scan(&padded, std::slice::from_mut(block))?;
        let mut end = before.begun().to_vec();
        end.extend_from_slice(text);
        let start = before.begun().len().checked_add_signed(misplaced.offset).unwrap_or_default();
        let is_cut = misplaced.kind == ErrorKind::Encoding
            && std::str::from_utf8(&end[start.min(end.len())..])
                .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none());
        Some(match is_cut {
            true => Misplaced { kind: ErrorKind::Truncated, offset: text.len() as isize },
            false => misplaced,
        })
    }

    /// Returns the number of bytes at the end of the text that begin an incomplete character. The
    /// character may turn out to be invalid.
    pub fn pending(&self) -> usize {
        self.utf8.begun().len()
    }

    /// Checks that the text does not end inside a character.
    pub fn finish(&self) -> Option<Misplaced> {
        let cut = Misplaced { kind: ErrorKind::Truncated, offset: 0 };
        (!self.utf8.is_complete()).then_some(cut)
    }
}

/// Finds the first misplaced byte of a batch. This is slow, but runs only on a batch with an error.
fn first_misplaced(text: &[u8], before: Carry) -> Option<Misplaced> {
    let mut in_string = before.in_string != 0;
    let mut escaped = before.escaped != 0;
    for (offset, &byte) in text.iter().enumerate() {
        let kind = match byte {
            0x80.. if !in_string => Some(ErrorKind::NotAscii),
            // Escapes do not matter here: a control character is an error even if it is escaped.
            0..0x20 if in_string => Some(ErrorKind::ControlCharacter),
            _ => None,
        };
        if let Some(kind) = kind {
            return Some(Misplaced { kind, offset: offset as isize });
        }
        match byte {
            _ if escaped => escaped = false,
            b'"' => in_string = !in_string,
            b'\\' => escaped = true,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests;
