//! Bytes to bit masks: for every 64 bytes of text, one bit per byte for each thing that matters.
//!
//! The text `{"a\"":[1]}` gives, byte by byte (the first byte is the lowest bit, shown left):
//!
//! ```text
//! text        {  "  a  \  "  "  :  [  1  ]  }
//! backslash   0  0  0  1  0  0  0  0  0  0  0
//! escaped     0  0  0  0  1  0  0  0  0  0  0    the byte after an escaping backslash
//! quotes      0  1  0  0  0  1  0  0  0  0  0    quotes that are not escaped
//! in_string   0  1  1  1  1  0  0  0  0  0  0    from an opening quote to before its closing one
//! brackets    1  0  0  0  0  0  0  1  0  1  1    outside of strings
//! opens       1  0  0  0  0  0  0  1  0  0  0
//! braces      1  0  0  0  0  0  0  0  0  0  1    the kind: brace or square bracket
//! ```
//!
//! *Quotes.* In a run of backslashes every second one is escaped by the one before it. Adding the
//! run's odd starting bits carries through the run and leaves, for all runs at once, a pattern that
//! tells odd places from even ones (`Carry::escaped`).
//!
//! *Strings.* A byte is in a string when the number of quotes up to it is odd: the exclusive or of
//! all lower bits, which a carry-less multiplication by all ones computes in one step. An opening
//! quote is inside, a closing one outside.
//!
//! *Brackets.* `[` and `{` differ only in bit 5, and so do `]` and `}`; no other byte becomes one
//! of them by setting that bit. So two comparisons find all four. Bit 5 is the kind, bit 1 whether
//! it opens.
//!
//! What crosses from block to block is the `Carry`: whether a string is open, whether a backslash
//! escapes the next byte, and up to three bytes of a character.
//! Blocks are cut at multiples of 64 bytes from where scanning began, or began anew, so a mask does
//! not depend on how the input arrived.
//!
//! The kernels differ only in `Kernel::classify` and `Kernel::prefix_xor`. `scalar` is both the
//! fallback and the oracle that all others are tested against. To add one: a file like the others,
//! a variant of `Kind`, and a line wherever the others have one.
#![allow(unsafe_code, reason = "the kernels and their dispatch are one of the two unsafe places")]

pub mod nesting;
mod scalar;
pub mod wide;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use self::wide::WideCode;
use crate::error::ErrorKind;

/// Bytes in a block.
pub const BLOCK: usize = 64;

/// Blocks scanned at a time: enough to forget the call, few enough to stay in the first cache.
pub const BATCH: usize = 64;

/// [`Findings::high`] has a bit for each.
const _: () = assert!(BATCH <= 64);

/// How far ahead of the scan memory is asked for, in bytes.
const PREFETCH: usize = 2048;

/// A way to scan that this processor can run; holding the value proves it.
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
    /// The widest that this processor has.
    pub fn best() -> Isa {
        Isa::all().next_back().unwrap_or(Isa(Kind::Scalar))
    }

    /// All that this processor has, from the plainest to the widest.
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

    /// The one of that name (`scalar`, `avx2`, `avx512`, `neon`), if this processor has it.
    pub fn named(name: &str) -> Option<Isa> {
        Isa::all().find(|isa| isa.name() == name)
    }

    /// Runs code that is compiled for the instruction set, whose ways with single bits all that
    /// follows a scan is made of.
    #[inline(always)]
    pub fn run<C: Code>(self, code: C) -> C::Output {
        match self.0 {
            Kind::Scalar => code.run(),
            // SAFETY: an `Isa` is made only where its instructions are, those of AVX2 with AVX-512.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 | Kind::Avx512 => unsafe { avx2::run(code) },
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => code.run(),
        }
    }

    /// Runs code that is compiled for the instruction set and knows it.
    #[inline(always)]
    pub fn run_wide<C: WideCode>(self, code: C) -> C::Output {
        match self.0 {
            Kind::Scalar => code.run(scalar::Scalar),
            // SAFETY: an `Isa` is made only where its instructions are.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::run_wide(code) },
            // SAFETY: as above; those of AVX2 are there with AVX-512.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::run_wide(code) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::run_wide(code) },
        }
    }

    /// That one instruction draws the bits of a mask together, where it does.
    fn draws_bits(self) -> Option<DrawsBits> {
        (cfg!(target_arch = "x86_64") && self.0 != Kind::Scalar).then_some(DrawsBits(()))
    }

    /// Its name.
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

/// The processor has BMI1, BMI2, POPCNT and LZCNT: holding the value proves it.
#[derive(Clone, Copy, Debug)]
struct DrawsBits(());

/// What [`Isa::run`] runs. Only what is inlined into [`Code::run`], which is to be `inline(always)`
/// itself, is compiled for the instruction set; a closure would not be inlined.
pub trait Code {
    /// What comes out.
    type Output;

    /// Does it.
    fn run(self) -> Self::Output;
}

/// AVX2 and what has always come with it.
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

/// The masks of 64 bytes; bit `i` speaks of byte `i`. They lie in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Block {
    /// Quotes that open or close a string.
    pub quotes: u64,
    /// Backslashes in strings that escape the byte after them.
    pub escapes: u64,
    /// `{ } [ ]` outside of strings. Not with [`Detail::Strings`], as the two that follow.
    pub brackets: u64,
    /// Of any byte: whether it would open, if it is a bracket; whether it would be a colon, if it
    /// is a separator.
    pub opens: u64,
    /// Of any byte: whether it would be a brace, if it is a bracket.
    pub braces: u64,
    /// The bytes of strings, from opening quotes to before closing ones.
    pub strings: u64,
    /// Commas and colons outside of strings. Only [`Detail::Tokens`], as what follows.
    pub separators: u64,
    /// All bytes of numbers and literals: what is outside of strings and nothing else.
    pub words: u64,
}

/// How much of a block is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Where strings begin and end, in a text that was scanned before: nothing in it is misplaced.
    Strings,
    /// Quotes and brackets.
    Structure,
    /// Every token.
    Tokens,
}

/// What one block leaves to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Carry {
    /// 1 when the last byte was an escaping backslash.
    escaped: u64,
    /// All ones when a string is open.
    in_string: u64,
}

/// Whether something in a batch needs a second look.
#[derive(Clone, Copy, Debug, Default)]
struct Findings {
    /// Control characters in strings and bytes beyond ASCII outside of them.
    misplaced: u64,
    /// Blocks with bytes beyond ASCII, a bit each.
    high: u64,
}

/// The comparisons of one block, before strings are known.
struct Raw {
    quote: u64,
    backslash: u64,
    bracket: u64,
    opens: u64,
    braces: u64,
    /// Whether there are control characters or bytes beyond ASCII: those below a space, as numbers
    /// with a sign.
    is_unusual: bool,
    /// Only wanted for [`Detail::Tokens`], as what follows.
    separator: u64,
    /// Space, tab, line feed, carriage return.
    space: u64,
}

/// Where a block has what is not usual.
struct Unusual {
    /// Control characters.
    control: u64,
    /// Bytes beyond ASCII.
    high: u64,
}

/// What an instruction set has to give.
trait Kernel {
    /// Compares the bytes of a block.
    ///
    /// # Safety
    ///
    /// The processor has the kernel's instruction set.
    unsafe fn classify<const TOKENS: bool>(bytes: &[u8; BLOCK]) -> Raw;

    /// Looks for what is not usual in a block.
    ///
    /// # Safety
    ///
    /// As [`Kernel::classify`].
    unsafe fn unusual(bytes: &[u8; BLOCK]) -> Unusual;

    /// Bit `i` is the exclusive or of the bits up to and including `i`. Six shifts, where there is
    /// no faster way.
    ///
    /// # Safety
    ///
    /// As [`Kernel::classify`].
    #[inline(always)]
    unsafe fn prefix_xor(bits: u64) -> u64 {
        let mut bits = bits;
        for shift in [1, 2, 4, 8, 16, 32] {
            bits ^= bits << shift;
        }
        bits
    }

    /// Asks for memory that is read soon. Any address will do.
    ///
    /// # Safety
    ///
    /// As [`Kernel::classify`].
    #[inline(always)]
    unsafe fn prefetch(_bytes: *const u8) {}
}

/// Every second bit, beginning with bit 1.
const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

impl Carry {
    /// The bytes that an escaping backslash stands before.
    #[inline(always)]
    fn escaped(&mut self, backslash: u64) -> u64 {
        let potential = backslash & !self.escaped;
        let code = ((potential << 1) | ODD).wrapping_sub(potential) ^ ODD;
        let escaped = code ^ (backslash | self.escaped);
        self.escaped = (code & backslash) >> 63;
        escaped
    }
}

/// The loop that all kernels share. Inlined into a function that has the kernel's features.
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
        // SAFETY: the caller has the instruction set.
        unsafe { K::prefetch(bytes.as_ptr().wrapping_add(PREFETCH)) };
        // SAFETY: as above.
        let raw = unsafe { K::classify::<TOKENS>(bytes) };
        let escaped = carry.escaped(raw.backslash);
        let quotes = raw.quote & !escaped;
        // SAFETY: as above.
        let in_string = unsafe { K::prefix_xor(quotes) } ^ carry.in_string;
        carry.in_string = ((in_string as i64) >> 63) as u64;
        block.quotes = quotes;
        block.escapes = raw.backslash & in_string & !escaped;
        block.strings = in_string;
        // What is not stored from here on the compiler does not compare either.
        if STRUCTURE {
            // Native plans have nearly none; in indented ones nearly every block has line feeds.
            if raw.is_unusual {
                // SAFETY: as above.
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

/// Scans a text from its first byte on, block by block.
#[derive(Clone, Debug)]
pub struct Scanner {
    isa: Isa,
    detail: Detail,
    carry: Carry,
    utf8: Utf8,
}

/// A byte that may not stand where it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// What is wrong with it.
    pub kind: ErrorKind,
    /// Bytes from the start of the scanned text; negative when it is in the text scanned before.
    pub offset: isize,
}

impl Scanner {
    /// A scanner at the start of a text.
    pub fn new(isa: Isa, detail: Detail) -> Scanner {
        Scanner { isa, detail, carry: Carry::default(), utf8: Utf8::default() }
    }

    /// What it scans with.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Forgets the text before, keeping what the scanner was made with.
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
    /// The first misplaced byte is told; masks from it on mean nothing. [`Detail::Strings`] tells
    /// of none.
    ///
    /// # Panics
    ///
    /// If `text` has not exactly [`BLOCK`] bytes for each of `blocks`.
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

    /// At most [`BATCH`] blocks.
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

    /// Runs the kernel.
    fn scan_for<const STRUCTURE: bool, const TOKENS: bool>(
        &mut self,
        text: &[u8],
        blocks: &mut [Block],
    ) -> Findings {
        let carry = &mut self.carry;
        match self.isa.0 {
            // SAFETY: the scalar kernel runs anywhere.
            Kind::Scalar => unsafe {
                scan_blocks::<scalar::Scalar, STRUCTURE, TOKENS>(text, carry, blocks)
            },
            // SAFETY: an `Isa` of that kind is made only where its instructions are.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { avx2::scan::<STRUCTURE, TOKENS>(text, carry, blocks) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { avx512::scan::<STRUCTURE, TOKENS>(text, carry, blocks) },
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::scan::<STRUCTURE, TOKENS>(text, carry, blocks) },
        }
    }

    /// Writes the masks of the last bytes of the text, fewer than [`BLOCK`], to `block`.
    ///
    /// The first misplaced byte is told; so is a text that ends inside of a character, at its end.
    ///
    /// # Panics
    ///
    /// If `text` has [`BLOCK`] bytes or more.
    pub fn scan_last(&mut self, text: &[u8], block: &mut Block) -> Option<Misplaced> {
        // Spaces after the text change no mask of it.
        let mut padded = [b' '; BLOCK];
        padded[..text.len()].copy_from_slice(text);
        let begun = self.utf8;
        let misplaced = self.scan(&padded, std::slice::from_mut(block))?;
        let mut end = begun.bytes[..begun.len].to_vec();
        end.extend_from_slice(text);
        let start = begun.len.checked_add_signed(misplaced.offset).unwrap_or_default();
        let is_cut = misplaced.kind == ErrorKind::Encoding
            && std::str::from_utf8(&end[start.min(end.len())..])
                .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none());
        Some(match is_cut {
            true => Misplaced { kind: ErrorKind::Truncated, offset: text.len() as isize },
            false => misplaced,
        })
    }

    /// How many of the last bytes begin a character that may yet turn out to be none.
    pub fn pending(&self) -> usize {
        self.utf8.len
    }

    /// Says whether the text may end here: not inside of a character.
    pub fn finish(&self) -> Option<Misplaced> {
        let cut = Misplaced { kind: ErrorKind::Truncated, offset: 0 };
        (!self.utf8.is_complete()).then_some(cut)
    }
}

/// The second look: which byte it was. Slow, and only ever taken once.
fn first_misplaced(text: &[u8], before: Carry) -> Option<Misplaced> {
    let mut in_string = before.in_string != 0;
    let mut escaped = before.escaped != 0;
    for (offset, &byte) in text.iter().enumerate() {
        let kind = match byte {
            0x80.. if !in_string => Some(ErrorKind::NotAscii),
            // An escaped quote does not close a string, any other byte is the same either way.
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

/// The beginning of a character that the text so far ends in.
#[derive(Clone, Copy, Debug, Default)]
struct Utf8 {
    bytes: [u8; 3],
    len: usize,
}

impl Utf8 {
    fn is_complete(&self) -> bool {
        self.len == 0
    }

    /// Checks the blocks of a text that have bytes beyond ASCII, a bit each in `high`. A character
    /// that goes from one block to the next makes both of them such.
    fn check(&mut self, text: &[u8], mut high: u64) -> Option<Misplaced> {
        // What is begun goes on in the first block, or is wrong there.
        high |= u64::from(!self.is_complete());
        while high != 0 {
            let first = high.trailing_zeros();
            let count = (high >> first).trailing_ones();
            let (start, end) = (first as usize * BLOCK, (first + count) as usize * BLOCK);
            if let Some(misplaced) = self.check_all(&text[start..end]) {
                return Some(Misplaced { offset: start as isize + misplaced.offset, ..misplaced });
            }
            if !self.is_complete() && end < text.len() {
                let offset = (end - self.len) as isize;
                return Some(Misplaced { kind: ErrorKind::Encoding, offset });
            }
            // In two steps: all 64 at once are no shift.
            high &= (!0 << (first + count - 1)) << 1;
        }
        None
    }

    /// Checks a text of at least four bytes that follows what was checked before.
    fn check_all(&mut self, text: &[u8]) -> Option<Misplaced> {
        let begun = self.len;
        let mut rest = text;
        if begun > 0 {
            let len = character_len(self.bytes[0]);
            let mut character = [0; 4];
            character[..begun].copy_from_slice(&self.bytes[..begun]);
            character[begun..len].copy_from_slice(&text[..len - begun]);
            if std::str::from_utf8(&character[..len]).is_err() {
                let offset = -(begun as isize);
                return Some(Misplaced { kind: ErrorKind::Encoding, offset });
            }
            rest = &text[len - begun..];
            self.len = 0;
        }
        if simdutf8::basic::from_utf8(rest).is_ok() {
            return None;
        }
        // A second look for the place. A file that someone writes to may be right by now.
        let Err(error) = std::str::from_utf8(rest) else { return None };
        let valid = text.len() - rest.len() + error.valid_up_to();
        if error.error_len().is_some() {
            return Some(Misplaced { kind: ErrorKind::Encoding, offset: valid as isize });
        }
        let is_begun = self.begin(&text[valid..]);
        (!is_begun).then_some(Misplaced { kind: ErrorKind::Encoding, offset: valid as isize })
    }

    /// Keeps the beginning of a character, of at most three bytes; `false`: it is none. What is
    /// looked at is the copy, because someone may write to the text.
    fn begin(&mut self, bytes: &[u8]) -> bool {
        self.bytes[..bytes.len()].copy_from_slice(bytes);
        self.len = bytes.len();
        let is_begun = bytes.is_empty() || self.len < character_len(self.bytes[0]);
        if !is_begun {
            self.len = 0;
        }
        is_begun
    }
}

/// Bytes of the character that `first` begins; `first` begins one of more than one byte.
fn character_len(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        _ => 2,
    }
}

#[cfg(test)]
mod tests;
