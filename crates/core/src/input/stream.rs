//! Reads a stream through windows of one buffer.
//!
//! Bytes are available as soon as they arrive. A full buffer moves its kept bytes to the front, or
//! doubles if the kept bytes fill it. The consumer bounds how many bytes it keeps. The buffer
//! shrinks when few bytes are kept.
//!
//! For an input that is not small, another thread reads ahead ([`super::read_ahead`]). A buffer
//! that the thread filled becomes the window itself, with the few kept bytes copied in front:
//!
//! ```text
//! window  .........kept
//! next          ..............filled....................
//! window        ..........kept filled...................
//! ```
//!
//! If more bytes are kept than fit in front, or more than were filled, the filled bytes are
//! appended to the window instead. So each byte that arrives costs at most one copied byte.

use std::io;

use super::buffer::Buffer;
use super::read_ahead::{FRONT, Filled, ReadAhead, Reader};
use super::reads::{READ, read_some};
use super::{Identity, InputOptions, Source, Threads};
use crate::error::{Cause, Error, Result};
use crate::limits::Limit;

/// Length of the buffer while few bytes are kept, in bytes: fits into the L2 cache.
const LEN: usize = 512 << 10;

/// A read fits behind the kept bytes of a buffer that has doubled.
const _: () = assert!(READ <= LEN / 2);

/// Bytes to read before the thread starts. A shorter input is faster without the thread.
const ALONE: u64 = 1 << 20;

/// An [`Error`] inside an [`io::Error`], for readers that wrap other readers.
#[derive(Debug)]
struct Failure(Error);

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {}

/// Wraps an error for a reader to return; the reader's [`Input`](super::Input) unwraps it.
pub fn into_io_error(error: Error) -> io::Error {
    io::Error::other(Failure(error))
}

/// Unwraps an error that [`into_io_error`] wrapped. Passes any other error to [`Error::read`].
pub fn into_error(error: io::Error) -> Error {
    error.downcast::<Failure>().map_or_else(Error::read, |Failure(error)| error)
}

/// A reader, seen through windows of one buffer.
pub(super) struct Stream {
    reader: Reader,
    /// The thread that reads ahead; `None` until it starts. A running thread owns the reader.
    ahead: Option<ReadAhead>,
    /// Bytes to read before the thread starts.
    alone: u64,
    identity: Option<Identity>,
    document_max: u64,
    buffer: Buffer,
    /// The window, as a range of the buffer.
    start: usize,
    end: usize,
    /// The offset of the window's first byte.
    offset: u64,
    ended: bool,
    /// The cause of the error that ended the input. Every later call fails as well, because bytes
    /// are missing.
    failed: Option<Cause>,
}

impl Stream {
    pub(super) fn new(
        reader: Reader,
        identity: Option<Identity>,
        options: &InputOptions,
    ) -> Stream {
        let alone = match options.threads {
            Threads::One => u64::MAX,
            Threads::Several => ALONE,
        };
        Stream {
            reader,
            ahead: None,
            alone,
            identity,
            document_max: options.limits.document,
            buffer: Buffer::Allocated(Vec::new()),
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            failed: None,
        }
    }

    /// Makes room for `len` bytes after the window; `len` is at most half a buffer. Fails if there
    /// is no memory for a longer buffer.
    fn make_room(&mut self, len: usize) -> io::Result<()> {
        let kept = self.end - self.start;
        if self.buffer.len() - self.end >= len {
            return Ok(());
        }
        let wanted = (kept * 2).next_multiple_of(LEN).max(LEN);
        if wanted == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            self.start = 0;
            self.end = kept;
        } else {
            self.move_to(Buffer::zeroed(wanted).map_err(into_io_error)?, 0);
        }
        Ok(())
    }

    /// Moves the window to the position `start` of another buffer.
    fn move_to(&mut self, mut buffer: Buffer, start: usize) {
        let kept = self.end - self.start;
        buffer[start..start + kept].copy_from_slice(&self.buffer[self.start..self.end]);
        if let Buffer::Allocated(used) = std::mem::replace(&mut self.buffer, buffer) {
            self.give_back(used);
        }
        self.start = start;
        self.end = start + kept;
    }

    fn give_back(&self, buffer: Vec<u8>) {
        if let Some(ahead) = &self.ahead {
            ahead.give_back(buffer);
        }
    }

    /// Joins the window and a filled buffer, copying the shorter of the two. Fails if there is no
    /// memory for a longer buffer.
    fn join(&mut self, next: Filled) -> io::Result<()> {
        let Filled { buffer: next, len } = next;
        let kept = self.end - self.start;
        if kept <= len.min(FRONT) {
            self.move_to(Buffer::Allocated(next), FRONT - kept);
        } else {
            self.make_room(len)?;
            self.buffer[self.end..self.end + len].copy_from_slice(&next[FRONT..FRONT + len]);
            self.give_back(next);
        }
        self.end += len;
        Ok(())
    }

    /// Returns the offset of the first byte after the window.
    fn window_end(&self) -> u64 {
        self.offset + (self.end - self.start) as u64
    }

    /// Appends bytes to the window and returns how many.
    fn read(&mut self) -> io::Result<usize> {
        if self.ahead.is_none() && self.window_end() >= self.alone {
            let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
            match ReadAhead::new(reader) {
                Ok(ahead) => self.ahead = Some(ahead),
                // The system allows no more threads.
                Err(reader) => (self.reader, self.alone) = (reader, u64::MAX),
            }
        }
        if let Some(ahead) = &mut self.ahead {
            let next = ahead.next()?;
            let len = next.len;
            self.join(next)?;
            return Ok(len);
        }
        self.make_room(READ)?;
        let len = read_some(&mut self.reader, &mut self.buffer[self.end..self.end + READ])?;
        self.end += len;
        Ok(len)
    }
}

impl Source for Stream {
    #[inline]
    fn window(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.offset
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let dropped = keep.saturating_sub(self.offset).min((self.end - self.start) as u64);
        self.start += dropped as usize;
        self.offset += dropped;
        if let Some(cause) = &self.failed {
            return Err(Error::at(cause.clone(), self.window_end()));
        }
        if self.ended {
            return Ok(false);
        }
        match self.read() {
            Ok(read) => self.ended = read == 0,
            Err(error) => {
                let error = into_error(error);
                self.failed = Some(error.cause().clone());
                return Err(error.or_at(self.window_end()));
            }
        }
        if self.window_end() > self.document_max {
            return Err(Error::limit(Limit::Document, self.document_max, self.document_max));
        }
        Ok(!self.ended)
    }

    fn finish(&mut self) -> Result<()> {
        self.identity.as_ref().map_or(Ok(()), Identity::check)
    }

    fn changed(&mut self) -> bool {
        self.finish().is_err()
    }
}
