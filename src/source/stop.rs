//! Stops a run, and counts the bytes it has read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::store::Stores;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{Hook, Source};

/// Stops a run, from any thread. A stopped run opens no further inputs, and abandons open inputs at
/// their next window.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_set: AtomicBool,
    stores: Stores,
}

impl Stop {
    /// Creates a stop that also closes `stores`, so that no thread waits for their responses.
    pub fn with(stores: Stores) -> Stop {
        Stop(Arc::new(State { is_set: AtomicBool::new(false), stores }))
    }

    /// Stops the run.
    pub fn stop(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
        self.0.stores.close();
    }

    /// Whether the run was stopped.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed)
    }
}

/// Makes the reads of a source fail after a stop, and counts the stored bytes that were read.
pub(crate) struct Stopping<'a> {
    stop: &'a Stop,
    read: &'a AtomicU64,
    /// The bytes of this input that are already counted in `read`.
    counted: u64,
    /// The stored length of the input in bytes. Decompressed text is longer.
    len: u64,
}

impl<'a> Stopping<'a> {
    /// Creates a hook that adds the stored bytes of one input to `read`, at most `len`.
    pub(crate) fn new(len: u64, stop: &'a Stop, read: &'a AtomicU64) -> Stopping<'a> {
        Stopping { stop, read, counted: 0, len }
    }

    fn count(&mut self, position: u64) {
        let counted = position.min(self.len);
        if counted > self.counted {
            self.read.fetch_add(counted - self.counted, Ordering::Relaxed);
            self.counted = counted;
        }
    }
}

impl Hook for Stopping<'_> {
    fn fill(&mut self, source: &mut impl Source, keep: u64) -> Result<bool> {
        if self.stop.is_set() {
            return Err(Error::new(ErrorKind::Stopped));
        }
        let filled = source.fill(keep);
        self.count(source.offset() + source.window().len() as u64);
        filled
    }

    fn finished(&mut self) {
        self.count(self.len);
    }
}

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        // Counts the unread rest of a failed input, so that the progress reaches the total.
        self.read.fetch_add(self.len - self.counted, Ordering::Relaxed);
    }
}
