//! Recognises gzip and zstd by the first bytes, and decompresses them.

#[cfg(feature = "compression")]
mod expansion;
#[cfg(not(feature = "compression"))]
#[path = "compressed/without.rs"]
mod expansion;

use std::io::Read;

use super::encoding::peek;
use crate::error::{Error, Result};
use crate::limits::{Limit, Limits};

/// Output size, in bytes, up to which the expansion ratio is not checked.
const RATIO_FREE: u64 = 64 << 20;

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

/// Checks the limits against decompression bombs. A decoder made `expanded` bytes from `compressed`
/// bytes.
///
/// # Errors
///
/// Fails at the offset `expanded` if the size or the ratio exceeds its limit.
pub fn check_expansion(expanded: u64, compressed: u64, limits: &Limits) -> Result<()> {
    let Limits { expansion, expansion_ratio, .. } = *limits;
    if expanded > expansion {
        return Err(Error::limit(Limit::Expansion, expansion, expanded));
    }
    if expanded > RATIO_FREE && expanded / expansion_ratio.max(1) > compressed {
        return Err(Error::limit(Limit::ExpansionRatio, expansion_ratio, expanded));
    }
    Ok(())
}
