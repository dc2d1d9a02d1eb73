//! A reader as windows: one buffer, whose kept bytes move to its front when it is full.
//!
//! Bytes are handed out as soon as they arrive. The buffer grows only when what is kept fills it,
//! by doubling, and how much is kept is bounded by whoever keeps it; it shrinks when little is.

use std::io::{self, Read};

use super::{Identity, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::{Limit, Limits};

/// Length of the buffer while nothing large is kept: bytes stay in the second cache.
const LEN: usize = 512 << 10;

/// A decoder's error, carried through [`io::Error`] with its kind.
#[derive(Debug)]
pub(super) struct Failure(pub Error);

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl Failure {
    pub(super) fn of(error: Error) -> io::Error {
        io::Error::other(Failure(error))
    }
}

/// A reader as windows.
pub(super) struct Stream {
    reader: Box<dyn Read + Send>,
    identity: Option<Identity>,
    document_max: u64,
    buffer: Vec<u8>,
    /// The window within the buffer.
    start: usize,
    end: usize,
    /// The offset of the window's first byte.
    offset: u64,
    ended: bool,
    /// What reading failed with. It goes on failing: after a gap nothing can be trusted.
    failed: Option<ErrorKind>,
}

impl Stream {
    pub(super) fn new(
        reader: Box<dyn Read + Send>,
        identity: Option<Identity>,
        limits: &Limits,
    ) -> Stream {
        Stream {
            reader,
            identity,
            document_max: limits.document,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            failed: None,
        }
    }

    /// Makes room for at least a quarter of a buffer behind the window.
    fn make_room(&mut self) {
        let kept = self.end - self.start;
        if self.buffer.len() - self.end >= LEN / 4 {
            return;
        }
        let wanted = (kept * 2).next_multiple_of(LEN).max(LEN);
        if wanted == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
        } else {
            let mut buffer = vec![0; wanted];
            buffer[..kept].copy_from_slice(&self.buffer[self.start..self.end]);
            self.buffer = buffer;
        }
        self.start = 0;
        self.end = kept;
    }

    /// The offset of the first byte behind the window.
    fn window_end(&self) -> u64 {
        self.offset + (self.end - self.start) as u64
    }

    fn read(&mut self) -> Result<usize> {
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(read) => return Ok(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let error = match error.downcast::<Failure>() {
                        Ok(Failure(error)) => error,
                        Err(error) => Error::io(ErrorKind::Read, error),
                    };
                    self.failed = Some(error.kind());
                    return Err(error.or_at(self.window_end()));
                }
            }
        }
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
        let forget = keep.saturating_sub(self.offset).min((self.end - self.start) as u64);
        self.start += forget as usize;
        self.offset += forget;
        if let Some(kind) = self.failed {
            return Err(Error::at(kind, self.window_end()));
        }
        if self.ended {
            return Ok(false);
        }
        self.make_room();
        let read = self.read()?;
        self.end += read;
        self.ended = read == 0;
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
