//! Stops a run, and counts the bytes it has read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::store::Stores;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{SharedText, Source};

/// Stops a run, from any thread: the run begins no more inputs and abandons open inputs at their
/// next window.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_set: AtomicBool,
    /// The stores to close.
    stores: Stores,
}

impl Stop {
    /// A stop that also closes `stores`, so that no thread waits for their answers.
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

/// A source that fails after a stop, and that counts the stored bytes read.
pub(super) struct Stoppable<'a, S> {
    source: S,
    stop: &'a Stop,
    read: &'a AtomicU64,
    /// The bytes of this input in `read`.
    counted: u64,
    /// The stored length of the input in bytes. Decompressed text is longer.
    len: u64,
}

impl<'a, S: Source> Stoppable<'a, S> {
    /// Wraps a source of `len` stored bytes.
    pub(super) fn new(source: S, len: u64, stop: &'a Stop, read: &'a AtomicU64) -> Self {
        Stoppable { source, stop, read, counted: 0, len }
    }

    fn count(&mut self, position: u64) {
        let counted = position.min(self.len);
        if counted > self.counted {
            self.read.fetch_add(counted - self.counted, Ordering::Relaxed);
            self.counted = counted;
        }
    }
}

impl<S: Source> Source for Stoppable<'_, S> {
    #[inline]
    fn window(&self) -> &[u8] {
        self.source.window()
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.source.offset()
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        if self.stop.is_set() {
            return Err(Error::new(ErrorKind::Stopped));
        }
        let filled = self.source.fill(keep);
        self.count(self.source.offset() + self.source.window().len() as u64);
        filled
    }

    fn finish(&mut self) -> Result<()> {
        self.count(self.len);
        self.source.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.source.shared_text()
    }
}

impl<S> Drop for Stoppable<'_, S> {
    fn drop(&mut self) {
        // Counts the unread rest of an input that failed, so that the progress reaches the total.
        self.read.fetch_add(self.len - self.counted, Ordering::Relaxed);
    }
}
