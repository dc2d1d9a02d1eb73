//! gzip and zstd, recognised by content, several members or frames one after the other.
//!
//! A bomb is held to two limits on what comes out, and zstd to a window that keeps memory bounded.

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;
use zstd::zstd_safe;
use zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;

use super::encoding::peek;
use super::stream::{Failure, READ};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limit, Limits};

/// A way of compressing.
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

/// Length of the buffer of compressed bytes.
const BUFFER: usize = 256 << 10;

/// Output up to which a high rate of expansion is no reason to stop.
const RATIO_FREE: u64 = 64 << 20;

/// The same bytes, expanded where they are compressed.
///
/// # Errors
///
/// They cannot be read.
pub(super) fn expand(reader: Box<dyn Read + Send>, limits: Limits) -> Result<Box<dyn Read + Send>> {
    let (head, reader) = peek(reader)?;
    let Some(format) = Format::of(&head) else { return Ok(Box::new(reader)) };
    // A new decoder reads nothing: all that it can lack is memory.
    let expansion =
        Expansion::new(format, reader, limits).map_err(|_| Error::new(ErrorKind::Memory))?;
    // How far a decoder gets before it tells of damage depends on how much is asked of it at a
    // time: always the same, whoever reads.
    Ok(Box::new(BufReader::with_capacity(READ, expansion)))
}

/// A compressed reader, read expanded.
struct Expansion<R: Read> {
    decoder: Decoder<R>,
    limits: Limits,
    /// Bytes that came out.
    expanded: u64,
}

enum Decoder<R: Read> {
    Gzip(Box<MultiGzDecoder<BufReader<Counted<R>>>>),
    Zstd(ZstdDecoder<'static, BufReader<Counted<R>>>),
}

impl<R: Read> Expansion<R> {
    fn new(format: Format, reader: R, limits: Limits) -> io::Result<Expansion<R>> {
        let reader = BufReader::with_capacity(BUFFER, Counted { reader, read: 0 });
        let decoder = match format {
            Format::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(reader))),
            Format::Zstd => {
                let mut decoder = ZstdDecoder::with_buffer(reader)?;
                // The format has windows of 1 KiB to 2 GiB.
                decoder.window_log_max(limits.zstd_window.max(1).ilog2().clamp(10, 31))?;
                Decoder::Zstd(decoder)
            }
        };
        Ok(Expansion { decoder, limits, expanded: 0 })
    }

    /// Bytes that went in.
    fn compressed(&self) -> u64 {
        match &self.decoder {
            Decoder::Gzip(decoder) => decoder.get_ref().get_ref().read,
            Decoder::Zstd(decoder) => decoder.get_ref().get_ref().read,
        }
    }

    /// The limit that was passed, and its value.
    fn passed(&self) -> Option<(Limit, u64)> {
        let Limits { expansion, expansion_ratio, .. } = self.limits;
        if self.expanded > expansion {
            return Some((Limit::Expansion, expansion));
        }
        let rate = self.expanded / expansion_ratio.max(1);
        (self.expanded > RATIO_FREE && rate > self.compressed())
            .then_some((Limit::ExpansionRatio, expansion_ratio))
    }

    /// What an error of a decoder means.
    fn failure(&self, error: io::Error) -> io::Error {
        match error.downcast::<Unreadable>() {
            Ok(Unreadable(error)) => error,
            Err(error) if is_zstd(&error, WINDOW_TOO_LARGE) => {
                let window = self.limits.zstd_window;
                Failure::of(Error::limit(Limit::ZstdWindow, window, self.expanded))
            }
            Err(error) if is_zstd(&error, OUT_OF_MEMORY) => {
                Failure::of(Error::new(ErrorKind::Memory))
            }
            // The decoders' own words can say what the bytes are; the place is enough.
            Err(_) => Failure::of(Error::new(ErrorKind::Compressed)),
        }
    }
}

/// What zstd says of a window that is larger than the limit.
const WINDOW_TOO_LARGE: ZSTD_ErrorCode = ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge;

/// What zstd says where it has no memory for the window.
const OUT_OF_MEMORY: ZSTD_ErrorCode = ZSTD_ErrorCode::ZSTD_error_memory_allocation;

/// Whether an error is that one of zstd's, which arrive as their texts.
fn is_zstd(error: &io::Error, code: ZSTD_ErrorCode) -> bool {
    error.to_string() == zstd_safe::get_error_name((code as usize).wrapping_neg())
}

impl<R: Read> Read for Expansion<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.decoder {
            Decoder::Gzip(decoder) => decoder.read(out),
            Decoder::Zstd(decoder) => decoder.read(out),
        };
        let read = read.map_err(|error| self.failure(error))?;
        self.expanded += read as u64;
        match self.passed() {
            None => Ok(read),
            Some((limit, value)) => Err(Failure::of(Error::limit(limit, value, self.expanded))),
        }
    }
}

/// An error of the reader below, apart from those of the decoders.
#[derive(Debug)]
struct Unreadable(io::Error);

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Unreadable {}

/// Counts the bytes read, and marks the reader's own errors.
struct Counted<R> {
    reader: R,
    read: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            return match self.reader.read(buffer) {
                Ok(read) => {
                    self.read += read as u64;
                    Ok(read)
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(io::Error::other(Unreadable(error))),
            };
        }
    }
}
