//! A thread that reads ahead of the consumer.
//!
//! A fixed set of buffers circulates: the thread fills them, the consumer uses them and gives them
//! back. So memory is bounded, and the thread ends once the consumer is gone. Each buffer has spare
//! room in front, where the consumer puts the preceding bytes that it still needs.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::reads::{READ, read_some};
use crate::allocation::thread_builder;

/// Length of the spare room in front of a buffer, in bytes: enough for several elements of a plan.
pub(super) const FRONT: usize = 64 << 10;

/// Number of circulating buffers: enough to bridge the time that either thread is not scheduled.
const BUFFERS: usize = 16;

/// A buffer that the thread filled.
pub(super) struct Filled {
    pub buffer: Vec<u8>,
    /// Number of bytes after [`FRONT`]; 0 at the end of the input.
    pub len: usize,
}

pub(super) type Reader = Box<dyn Read + Send>;

/// The consumer's side of the thread.
pub(super) struct ReadAhead {
    filled: Receiver<io::Result<Filled>>,
    empty: Sender<Vec<u8>>,
}

impl ReadAhead {
    /// Starts the thread. If the system allows no more threads, fails and returns the reader.
    pub(super) fn new(reader: Reader) -> std::result::Result<ReadAhead, Reader> {
        let (full, filled) = channel();
        let (empty, emptied) = channel();
        // The reader is sent after the thread has started: a failed start would drop it.
        let (hand_over, handed_over) = channel::<Reader>();
        let run = move || {
            if let Ok(reader) = handed_over.recv() {
                fill(reader, &emptied, |filled| full.send(filled).is_ok());
            }
        };
        let started = thread_builder("read ahead").and_then(|thread| thread.spawn(run));
        if started.is_err() {
            return Err(reader);
        }
        hand_over.send(reader).map_err(|unsent| unsent.0)?;
        for _ in 0..BUFFERS {
            // The send fails if the thread has ended, which then needs no buffers.
            let _ = empty.send(vec![0; FRONT + READ]);
        }
        Ok(ReadAhead { filled, empty })
    }

    /// Receives the next filled buffer. Return it with [`ReadAhead::give_back`].
    pub(super) fn next(&self) -> io::Result<Filled> {
        // A thread that ends early sends no final empty buffer, so the rest of the input is lost.
        let lost = |_| Err(io::ErrorKind::UnexpectedEof.into());
        self.filled.recv().unwrap_or_else(lost)
    }

    /// Takes a buffer back for reuse. Drops buffers of another length.
    pub(super) fn give_back(&self, buffer: Vec<u8>) {
        if buffer.len() == FRONT + READ {
            // The send fails if the thread has ended, which then needs no buffers.
            let _ = self.empty.send(buffer);
        }
    }
}

/// Runs the loop of the thread: fills buffers until the input ends or fails, or `each` returns
/// false.
fn fill(
    mut reader: impl Read,
    emptied: &Receiver<Vec<u8>>,
    each: impl Fn(io::Result<Filled>) -> bool,
) {
    for mut buffer in emptied {
        let read = read_some(&mut reader, &mut buffer[FRONT..]);
        let filled = read.map(|len| Filled { buffer, len });
        let goes_on = matches!(&filled, Ok(Filled { len: 1.., .. }));
        if !each(filled) || !goes_on {
            return;
        }
    }
}
