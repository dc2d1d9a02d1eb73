//! Validates the UTF-8 of a text that arrives in pieces.

use super::{BLOCK, Misplaced};
use crate::error::ErrorKind;

/// The first bytes of an incomplete character at the end of the text so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Utf8 {
    bytes: [u8; 3],
    len: usize,
}

impl Utf8 {
    /// Returns the first bytes of the incomplete character at the end of the text so far.
    pub(super) fn begun(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub(super) fn is_complete(&self) -> bool {
        self.len == 0
    }

    /// Validates the blocks with bytes beyond ASCII. `high` has one bit for each of these blocks.
    /// If a character crosses a block boundary, `high` has the bits of both blocks.
    pub(super) fn check(&mut self, text: &[u8], mut high: u64) -> Option<Misplaced> {
        // The first block must complete the incomplete character.
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
            // Two shifts, because Rust does not allow a shift by 64.
            high &= (!0 << (first + count - 1)) << 1;
        }
        None
    }

    /// Validates the next part of the text, of at least four bytes.
    pub(super) fn check_all(&mut self, text: &[u8]) -> Option<Misplaced> {
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
        // simdutf8 does not locate the error. If another process writes to the file, the second
        // check may find no error.
        let Err(error) = std::str::from_utf8(rest) else { return None };
        let valid = text.len() - rest.len() + error.valid_up_to();
        if error.error_len().is_some() {
            return Some(Misplaced { kind: ErrorKind::Encoding, offset: valid as isize });
        }
        let is_begun = self.begin(&text[valid..]);
        (!is_begun).then_some(Misplaced { kind: ErrorKind::Encoding, offset: valid as isize })
    }

    /// Stores the first bytes of an incomplete character, at most three. Returns `false` if no
    /// character begins with them. Checks the copy, because another process may write to the text.
    pub(super) fn begin(&mut self, bytes: &[u8]) -> bool {
        self.bytes[..bytes.len()].copy_from_slice(bytes);
        self.len = bytes.len();
        let is_begun = bytes.is_empty() || self.len < character_len(self.bytes[0]);
        if !is_begun {
            self.len = 0;
        }
        is_begun
    }
}

/// Length in bytes of a character beyond ASCII whose first byte is `first`.
fn character_len(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        _ => 2,
    }
}
