//! gzip and zstd, recognised by content, on a thread of their own.
//!
//! Decompressing is many times slower than reading a plan, so the two overlap: a thread expands into
//! a few buffers that go round between it and the reader. A bomb is held to two limits, and zstd to
//! a window that keeps memory bounded.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use flate2::bufread::GzDecoder;

use super::encoding::peek;
use super::stream::Failure;
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

/// Length of a buffer, in bytes, and how many go round.
const BUFFER: usize = 256 << 10;
const BUFFERS: usize = 4;

/// Largest window of zstd, as a power of two: 8 MiB is what its own command uses up to level 19,
/// 32 MiB is what fits the promise on memory.
const ZSTD_WINDOW_LOG: u32 = 25;

/// Output up to which a high rate of expansion is no reason to stop.
const RATIO_FREE: u64 = 1 << 30;

/// The same bytes, expanded where they are compressed.
///
/// # Errors
///
/// They cannot be read.
pub(super) fn expand(
    reader: Box<dyn Read + Send>,
    limits: &Limits,
) -> Result<Box<dyn Read + Send>> {
    let (head, reader) = peek(reader)?;
    let Some(format) = Format::of(&head) else { return Ok(Box::new(reader)) };
    let limits = *limits;
    let (full, filled) = sync_channel(BUFFERS);
    let (empty, emptied) = channel();
    for _ in 0..BUFFERS {
        // The receiver is at hand, so this cannot fail.
        let _ = empty.send(vec![0; BUFFER]);
    }
    let reader = Counted { reader, read: 0 };
    let spawned = std::thread::Builder::new().name("decompress".to_owned()).spawn(move || {
        let reader = BufReader::with_capacity(BUFFER, reader);
        let result = match format {
            Format::Gzip => Expansion { full, emptied, limits, expanded: 0 }.gzip(reader),
            Format::Zstd => Expansion { full, emptied, limits, expanded: 0 }.zstd(reader),
        };
        // The reader may be gone, which is its right.
        let _ = result;
    });
    spawned.map_err(|error| Error::io(ErrorKind::Read, error))?;
    Ok(Box::new(Expanded { filled, empty, buffer: Vec::new(), len: 0, handed: 0, ended: false }))
}

/// What the thread sends: a filled buffer and how much of it counts (nothing: that was all), or why
/// there is no more.
type Filled = std::result::Result<(Vec<u8>, usize), io::Error>;

/// The thread's side.
struct Expansion {
    full: SyncSender<Filled>,
    emptied: Receiver<Vec<u8>>,
    limits: Limits,
    expanded: u64,
}

/// The reader is gone.
struct Gone;

impl Expansion {
    fn gzip<R: Read>(mut self, mut reader: BufReader<Counted<R>>) -> std::result::Result<(), Gone> {
        loop {
            let mut member = GzDecoder::new(&mut reader);
            loop {
                let mut buffer = self.emptied.recv().map_err(|_| Gone)?;
                let read = member.read(&mut buffer);
                let read = self.checked(read, member.get_ref().get_ref().read)?;
                if read == 0 {
                    break;
                }
                self.full.send(Ok((buffer, read))).map_err(|_| Gone)?;
            }
            match reader.fill_buf() {
                Ok([]) => return self.full.send(Ok((Vec::new(), 0))).map_err(|_| Gone),
                Ok(_) => {}
                Err(error) => return self.fail(error),
            }
        }
    }

    fn zstd<R: Read>(mut self, reader: BufReader<Counted<R>>) -> std::result::Result<(), Gone> {
        let mut decoder = match zstd::stream::read::Decoder::with_buffer(reader) {
            Ok(decoder) => decoder,
            Err(error) => return self.fail(error),
        };
        if let Err(error) = decoder.window_log_max(ZSTD_WINDOW_LOG) {
            return self.fail(error);
        }
        loop {
            let mut buffer = self.emptied.recv().map_err(|_| Gone)?;
            let read = decoder.read(&mut buffer);
            let read = self.checked(read, decoder.get_ref().get_ref().read)?;
            self.full.send(Ok((buffer, read))).map_err(|_| Gone)?;
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Holds what was expanded to the limits. `compressed`: bytes read so far.
    fn checked(
        &mut self,
        read: io::Result<usize>,
        compressed: u64,
    ) -> std::result::Result<usize, Gone> {
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                self.fail(error)?;
                return Err(Gone);
            }
        };
        self.expanded += read as u64;
        let ratio = self.limits.expansion_ratio;
        let limit = if self.expanded > self.limits.expansion {
            Some((Limit::Expansion, self.limits.expansion))
        } else if self.expanded > RATIO_FREE && self.expanded / ratio.max(1) > compressed {
            Some((Limit::ExpansionRatio, ratio))
        } else {
            None
        };
        if let Some((limit, value)) = limit {
            let error = Error::limit(limit, value, self.expanded);
            self.fail(Failure::of(error))?;
            return Err(Gone);
        }
        Ok(read)
    }

    /// Tells the reader why there is no more.
    fn fail(&mut self, error: io::Error) -> std::result::Result<(), Gone> {
        let error = match error.get_ref() {
            Some(inner) if inner.is::<Failure>() || inner.is::<Unreadable>() => error,
            // The decoders' own words can say what the bytes are; the place is enough.
            _ => Failure::of(Error::new(ErrorKind::Compressed)),
        };
        self.full.send(Err(error)).map_err(|_| Gone)
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

/// The reader's side.
struct Expanded {
    filled: Receiver<Filled>,
    empty: Sender<Vec<u8>>,
    buffer: Vec<u8>,
    len: usize,
    handed: usize,
    ended: bool,
}

impl Expanded {
    /// Takes the next filled buffer.
    fn advance(&mut self) -> io::Result<()> {
        let spent = std::mem::take(&mut self.buffer);
        self.len = 0;
        self.handed = 0;
        if !spent.is_empty() {
            // A thread that has ended wants no more buffers.
            let _ = self.empty.send(spent);
        }
        let filled = self.filled.recv();
        self.ended = !matches!(&filled, Ok(Ok((_, 1..))));
        match filled {
            Ok(Ok((buffer, len))) => {
                self.buffer = buffer;
                self.len = len;
                Ok(())
            }
            Ok(Err(error)) => Err(match error.downcast::<Unreadable>() {
                Ok(Unreadable(error)) => error,
                Err(error) => error,
            }),
            // The thread ended without saying that this was all.
            Err(_) => Err(Failure::of(Error::new(ErrorKind::Compressed))),
        }
    }
}

impl Read for Expanded {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.handed == self.len && !self.ended {
            self.advance()?;
        }
        let len = out.len().min(self.len - self.handed);
        out[..len].copy_from_slice(&self.buffer[self.handed..self.handed + len]);
        self.handed += len;
        Ok(len)
    }
}
