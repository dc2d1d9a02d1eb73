//! A part of a text that was scanned, with its masks.

use crate::scan::Block;

/// The text and masks of one scan.
#[derive(Clone, Copy)]
pub(super) struct Batch<'a> {
    pub blocks: &'a [Block],
    /// The text from the first byte of the first block on. It goes beyond the blocks by the length
    /// of the longest escape, if an escape begins near their end and the input does not end.
    pub text: &'a [u8],
    /// How many bytes of the text were scanned.
    pub len: usize,
    /// The offset of the first byte.
    pub offset: u64,
}
