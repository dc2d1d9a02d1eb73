//! Decompresses gzip and zstd with any number of members or frames.
//!
//! Two limits on the output stop decompression bombs. A limit on the zstd window bounds memory.

use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use zstd::stream::read::Decoder as ZstdDecoder;
use zstd::zstd_safe;
use zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;

use super::{Format, check_expansion};
use crate::error::{Error, ErrorKind, Result};
use crate::input::reads::{READ, read_some};
use crate::input::stream::into_io_error;
use crate::limits::{Limit, Limits};

/// Length of the buffer of compressed bytes, in bytes.
const BUFFER: usize = 256 << 10;

/// Decompresses a reader. Fails if there is no memory for a decoder.
pub(super) fn expand(
    format: Format,
    reader: impl Read + Send + 'static,
    limits: Limits,
) -> Result<Box<dyn Read + Send>> {
    // The constructor reads nothing, so the only possible failure is out of memory.
    let expansion =
        Expansion::new(format, reader, limits).map_err(|_| Error::new(ErrorKind::Memory))?;
    // The read size decides how many bytes a decoder returns before it reports damage. The buffer
    // fixes that size, so every consumer gets the same bytes and the same error.
    Ok(Box::new(BufReader::with_capacity(READ, expansion)))
}

/// A reader of the decompressed bytes.
struct Expansion<R: Read> {
    decoder: Decoder<R>,
    limits: Limits,
    /// Bytes that the decoder produced.
    expanded: u64,
}

enum Decoder<R: Read> {
    Gzip(Box<MultiGzDecoder<BufReader<Counting<R>>>>),
    Zstd(ZstdDecoder<'static, BufReader<Counting<R>>>),
}

impl<R: Read> Expansion<R> {
    fn new(format: Format, reader: R, limits: Limits) -> io::Result<Expansion<R>> {
        let reader = BufReader::with_capacity(BUFFER, Counting { reader, read: 0 });
        let decoder = match format {
            Format::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(reader))),
            Format::Zstd => {
                let mut decoder = ZstdDecoder::with_buffer(reader)?;
                // The zstd format allows windows of 1 KiB to 2 GiB.
                decoder.window_log_max(limits.zstd_window.max(1).ilog2().clamp(10, 31))?;
                Decoder::Zstd(decoder)
            }
        };
        Ok(Expansion { decoder, limits, expanded: 0 })
    }

    /// Returns the number of bytes that the decoder consumed.
    fn compressed(&self) -> u64 {
        match &self.decoder {
            Decoder::Gzip(decoder) => decoder.get_ref().get_ref().read,
            Decoder::Zstd(decoder) => decoder.get_ref().get_ref().read,
        }
    }

    fn failure(&self, error: io::Error) -> io::Error {
        into_io_error(match error.downcast::<ReaderError>() {
            Ok(ReaderError(error)) => return error,
            Err(error) if is_zstd(&error, WINDOW_TOO_LARGE) => {
                let window = self.limits.zstd_window;
                Error::limit(Limit::ZstdWindow, window, self.expanded)
            }
            Err(error) if is_zstd(&error, OUT_OF_MEMORY) => Error::new(ErrorKind::Memory),
            // A decoder's message may quote the input, so the error only has an offset.
            Err(_) => Error::new(ErrorKind::Compressed),
        })
    }
}

/// The zstd error for a window larger than the limit.
const WINDOW_TOO_LARGE: ZSTD_ErrorCode = ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge;

/// The zstd error for a failed allocation of the window.
const OUT_OF_MEMORY: ZSTD_ErrorCode = ZSTD_ErrorCode::ZSTD_error_memory_allocation;

/// Whether an error has this zstd code. The crate returns only the name of the code.
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
        let checked = check_expansion(self.expanded, self.compressed(), &self.limits);
        checked.map(|()| read).map_err(into_io_error)
    }
}

/// An error of the underlying reader. The type distinguishes it from errors of the decoders.
#[derive(Debug)]
struct ReaderError(io::Error);

impl std::fmt::Display for ReaderError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ReaderError {}

/// Counts the bytes read and wraps the reader's errors in [`ReaderError`].
struct Counting<R> {
    reader: R,
    read: u64,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_some(&mut self.reader, buffer);
        let read = read.map_err(|error| io::Error::other(ReaderError(error)))?;
        self.read += read as u64;
        Ok(read)
    }
}
