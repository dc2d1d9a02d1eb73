//! A slow reader on a thread of its own, read ahead of whoever wants its bytes.
//!
//! Some buffers go round: the thread fills them, the reader looks at them and gives them back. So
//! memory is bounded, and the thread ends when the reader is gone. A buffer has room in front of
//! what is filled, for what the reader still needs of the bytes before.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// What is read.
pub(super) type Reader = Box<dyn Read + Send>;

/// The reader's side.
pub(super) struct ReadAhead {
    filled: Receiver<io::Result<Filled>>,
    /// How many were filled and not taken, or one more.
    ready: Arc<AtomicUsize>,
    empty: Sender<Vec<u8>>,
}

impl ReadAhead {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// There can be no more threads: the reader.
    pub(super) fn new(reader: Reader) -> std::result::Result<ReadAhead, Reader> {
        let (full, filled) = channel();
        let (empty, emptied) = channel();
        // The reader follows once the thread is there: one that cannot start would drop it.
        let (hand_over, handed_over) = channel::<Reader>();
        let thread = std::thread::Builder::new().name("read ahead".to_owned());
        let ready = Arc::new(AtomicUsize::new(0));
        let begun = ready.clone();
        let started = thread.spawn(move || {
            if let Ok(reader) = handed_over.recv() {
                let each = |filled| {
                    begun.fetch_add(1, Ordering::Relaxed);
                    full.send(filled).is_ok()
                };
                fill(reader, &emptied, each);
            }
        });
        if started.is_err() {
            return Err(reader);
        }
        hand_over.send(reader).map_err(|unsent| unsent.0)?;
        for _ in 0..BUFFERS {
            // A thread that has ended wants no buffers.
            let _ = empty.send(vec![0; FRONT + READ]);
        }
        Ok(ReadAhead { filled, ready, empty })
    }

    /// The next filled buffer, which is to be given back.
    pub(super) fn next(&self) -> io::Result<Filled> {
        // A thread that ends without saying that this was all has lost the rest.
        let lost = |_| Err(io::ErrorKind::UnexpectedEof.into());
        let next = self.filled.recv();
        if next.is_ok() {
            self.ready.fetch_sub(1, Ordering::Relaxed);
        }
        next.unwrap_or_else(lost)
    }

    /// Whether [`ReadAhead::next`] would wait.
    pub(super) fn is_empty(&self) -> bool {
        self.ready.load(Ordering::Relaxed) == 0
    }

    /// Takes back a buffer that is not needed any more; one that is none of these is dropped.
    pub(super) fn give_back(&self, buffer: Vec<u8>) {
        if buffer.len() == FRONT + READ {
            // A thread that has ended wants no more buffers.
            let _ = self.empty.send(buffer);
        }
    }
}

/// The thread's side: until the end, an error, or `each` says that nobody reads on.
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
