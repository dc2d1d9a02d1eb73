//! Recognises gzip and zstd by the first bytes, and decompresses them.

#[cfg(feature = "compression")]
mod expansion;
#[cfg(not(feature = "compression"))]
#[path = "compressed/without.rs"]
mod expansion;

use std::io::Read;

use super::encoding::peek;
use crate::error::Result;
use crate::limits::Limits;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Gzip,
    Zstd,
}

impl Format {
    pub(super) fn of(head: &[u8]) -> Option<Format> {
        match head {
            [0x1f, 0x8b, ..] => Some(Format::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Format::Zstd)
            }
            _ => None,
        }
    }
}

/// Decompresses a reader if its content is compressed. Fails if the first bytes cannot be read, or
/// if this build cannot decompress.
pub(super) fn expand(reader: Box<dyn Read + Send>, limits: Limits) -> Result<Box<dyn Read + Send>> {
    let (head, reader) = peek(reader)?;
    match Format::of(&head) {
        None => Ok(Box::new(reader)),
        Some(format) => expansion::expand(format, reader, limits),
    }
}
