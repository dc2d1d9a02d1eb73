//! A slow reader on a thread of its own, read ahead of whoever wants its bytes.
//!
//! A few buffers go round: the thread fills them, the reader empties them and gives them back. So
//! memory is bounded, and the thread ends when the reader is gone.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::stream::Failure;
use crate::error::{Error, ErrorKind, Result};

/// Length of a buffer, in bytes, and how many go round.
const BUFFER: usize = 256 << 10;
const BUFFERS: usize = 4;

/// What the thread sends: a buffer and how much of it is filled (nothing: that was all), or why
/// there is no more.
type Filled = io::Result<(Vec<u8>, usize)>;

/// The reader's side.
pub(super) struct ReadAhead {
    filled: Receiver<Filled>,
    empty: Sender<Vec<u8>>,
    buffer: Vec<u8>,
    len: usize,
    handed: usize,
    ended: bool,
}

impl ReadAhead {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// There can be no more threads.
    pub(super) fn new(reader: impl Read + Send + 'static) -> Result<ReadAhead> {
        let (full, filled) = channel();
        let (empty, emptied) = channel();
        for _ in 0..BUFFERS {
            // The receiver is at hand, so this cannot fail.
            let _ = empty.send(vec![0; BUFFER]);
        }
        std::thread::Builder::new()
            .name("read ahead".to_owned())
            .spawn(move || fill(reader, &emptied, &full))
            .map_err(|error| Error::io(ErrorKind::Read, error))?;
        Ok(ReadAhead { filled, empty, buffer: Vec::new(), len: 0, handed: 0, ended: false })
    }

    /// Takes the next filled buffer.
    fn advance(&mut self) -> io::Result<()> {
        let spent = std::mem::take(&mut self.buffer);
        self.len = 0;
        self.handed = 0;
        if !spent.is_empty() {
            // A thread that has ended wants no more buffers.
            let _ = self.empty.send(spent);
        }
        // A thread that ends without saying that this was all has lost the rest.
        let lost = |_| Err(Failure::of(Error::new(ErrorKind::Compressed)));
        (self.buffer, self.len) = self.filled.recv().unwrap_or_else(lost)?;
        self.ended = self.len == 0;
        Ok(())
    }
}

/// The thread's side: until the end, an error, or nobody reads on.
fn fill(mut reader: impl Read, emptied: &Receiver<Vec<u8>>, full: &Sender<Filled>) {
    for mut buffer in emptied {
        let read = loop {
            match reader.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let filled = read.map(|len| (buffer, len));
        let goes_on = matches!(&filled, Ok((_, 1..)));
        if full.send(filled).is_err() || !goes_on {
            return;
        }
    }
}

impl Read for ReadAhead {
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
