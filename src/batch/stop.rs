//! A run that can be told to stop, and how far it has come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::store::Stores;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{SharedText, Source};

/// Tells a run to stop, from any thread: no input is begun any more, and those that are read are
/// given up at their next window.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_set: AtomicBool,
    /// Whose answers are not waited for any more.
    stores: Stores,
}

impl Stop {
    /// One for a run with inputs in those stores, which it closes.
    pub fn with(stores: Stores) -> Stop {
        Stop(Arc::new(State { is_set: AtomicBool::new(false), stores }))
    }

    /// Stops the run.
    pub fn stop(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
        self.0.stores.close();
    }

    /// Whether it was told to.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Relaxed)
    }
}

/// A source that can be given up, and that counts what of the stored input was read.
pub(super) struct Stoppable<'a, S> {
    source: S,
    stop: &'a Stop,
    read: &'a AtomicU64,
    /// What of `read` is of this input.
    counted: u64,
    /// As it is stored: compressed, it is shorter than what comes of it.
    len: u64,
}

impl<'a, S: Source> Stoppable<'a, S> {
    /// A source of that many stored bytes.
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
        // Of an input that failed nothing more will be read.
        self.read.fetch_add(self.len - self.counted, Ordering::Relaxed);
    }
}
