//! Large elements of a batch: one at a time.
//!
//! An element takes up to four times its size in memory. Most are small, and each thread has room
//! for those ([`super::run::threads_in`]). A thread that comes to a large one waits until no other
//! thread holds one, and what does not fit the memory of the batch is an error.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::error::{Error, Result};
use crate::input::{SharedText, Source};
use crate::limits::Limit;

/// Size from which on an element is large, in bytes.
const LARGE: u64 = 1 << 20;

/// The turn of the thread that holds a large element: whether it is taken. There is one for the
/// process, as there is one memory.
static TURN: Turn = Turn { is_taken: Mutex::new(false), free: Condvar::new() };

struct Turn {
    is_taken: Mutex<bool>,
    free: Condvar,
}

impl Turn {
    fn take(&self) {
        let is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.free.wait_while(is_taken, |is_taken| *is_taken);
        *waited.unwrap_or_else(PoisonError::into_inner) = true;
    }

    fn give_back(&self) {
        *self.is_taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.free.notify_one();
    }
}

/// A source whose reader waits before it holds a large element.
pub(super) struct TakingTurns<S> {
    source: S,
    /// Memory that one element may take.
    memory: u64,
    has_turn: bool,
}

impl<S: Source> TakingTurns<S> {
    /// A source whose elements may take so much memory each.
    pub fn new(source: S, memory: u64) -> TakingTurns<S> {
        TakingTurns { source, memory, has_turn: false }
    }
}

impl<S> TakingTurns<S> {
    fn give_back(&mut self) {
        if std::mem::take(&mut self.has_turn) {
            TURN.give_back();
        }
    }
}

impl<S: Source> Source for TakingTurns<S> {
    #[inline]
    fn window(&self) -> &[u8] {
        self.source.window()
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.source.offset()
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let end = self.source.offset() + self.source.window().len() as u64;
        let held = end.saturating_sub(keep);
        if held.saturating_mul(4) > self.memory {
            return Err(Error::limit(Limit::Memory, self.memory, keep));
        }
        if held <= LARGE {
            self.give_back();
        } else if !std::mem::replace(&mut self.has_turn, true) {
            TURN.take();
        }
        self.source.fill(keep)
    }

    fn finish(&mut self) -> Result<()> {
        self.give_back();
        self.source.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }

    fn would_block(&self) -> bool {
        self.source.would_block()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.source.shared_text()
    }
}

impl<S> Drop for TakingTurns<S> {
    fn drop(&mut self) {
        self.give_back();
    }
}
