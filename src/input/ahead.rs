//! A slow reader on a thread of its own, read ahead of whoever wants its bytes.
//!
//! Some buffers go round: the thread fills them, the reader looks at them and gives them back. So
//! memory is bounded, and the thread ends when the reader is gone. A buffer has room in front of
//! what is filled, for what the reader still needs of the bytes before.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::stream::{READ, read_some};

/// The room in front of what is filled, in bytes: some elements of a plan.
pub(super) const FRONT: usize = 64 << 10;

/// How many go round: enough for the time that either side waits for a processor.
const BUFFERS: usize = 16;

/// A buffer that was filled.
pub(super) struct Filled {
    pub buffer: Vec<u8>,
    /// How many bytes behind [`FRONT`]; if none, that was all.
    pub len: usize,
}

/// The reader's side.
pub(super) struct ReadAhead {
    filled: Receiver<io::Result<Filled>>,
    empty: Sender<Vec<u8>>,
}

impl ReadAhead {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// There can be no more threads.
    pub(super) fn new(reader: Box<dyn Read + Send>) -> io::Result<ReadAhead> {
        let (full, filled) = channel();
        let (empty, emptied) = channel();
        for _ in 0..BUFFERS {
            // The receiver is at hand, so this cannot fail.
            let _ = empty.send(vec![0; FRONT + READ]);
        }
        std::thread::Builder::new()
            .name("read ahead".to_owned())
            .spawn(move || fill(reader, &emptied, &full))?;
        Ok(ReadAhead { filled, empty })
    }

    /// The next filled buffer, which is to be given back.
    pub(super) fn next(&self) -> io::Result<Filled> {
        // A thread that ends without saying that this was all has lost the rest.
        let lost = |_| Err(io::ErrorKind::UnexpectedEof.into());
        self.filled.recv().unwrap_or_else(lost)
    }

    /// Takes back a buffer that is not needed any more; one that is none of these is dropped.
    pub(super) fn give_back(&self, buffer: Vec<u8>) {
        if buffer.len() == FRONT + READ {
            // A thread that has ended wants no more buffers.
            let _ = self.empty.send(buffer);
        }
    }
}

/// The thread's side: until the end, an error, or nobody reads on.
fn fill(mut reader: impl Read, emptied: &Receiver<Vec<u8>>, full: &Sender<io::Result<Filled>>) {
    for mut buffer in emptied {
        let read = read_some(&mut reader, &mut buffer[FRONT..]);
        let filled = read.map(|len| Filled { buffer, len });
        let goes_on = matches!(&filled, Ok(Filled { len: 1.., .. }));
        if full.send(filled).is_err() || !goes_on {
            return;
        }
    }
}
