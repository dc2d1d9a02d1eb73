//! Large elements of a batch: one at a time.
//!
//! An element takes up to four times its size in memory. Most are small, and each thread has room
//! for those ([`super::run::threads_in`]). A thread that comes to a large one waits until no other
//! thread holds one, and what does not fit the memory of the batch is an error.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::allocation;
use crate::error::{Error, Result};
use crate::input::{SharedText, Source};
use crate::limits::Limit;

/// Size from which on an element is large, in bytes.
const LARGE: u64 = 1 << 20;

/// Whether a thread of this process holds a large element, and who waits for its end. It is one
/// for the process, because all batches of a process share its memory.
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

/// The turn of one job, which gives it back when dropped.
#[derive(Debug, Default)]
pub(super) struct JobTurn {
    is_held: bool,
}

impl JobTurn {
    fn take(&mut self) {
        if !std::mem::replace(&mut self.is_held, true) {
            TURN.take();
        }
    }

    fn give_back(&mut self) {
        if std::mem::take(&mut self.is_held) {
            // The next thread needs the memory that this one has freed.
            allocation::return_freed();
            TURN.give_back();
        }
    }
}

impl Drop for JobTurn {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// A source whose reader waits before it holds a large element.
pub(super) struct TakingTurns<'a, S> {
    source: S,
    /// Memory that one element may take, in bytes.
    memory: u64,
    /// Outlives the reader of this source, whose buffers are a multiple of the element.
    turn: &'a mut JobTurn,
}

impl<'a, S: Source> TakingTurns<'a, S> {
    /// A source whose elements may take `memory` bytes each.
    pub fn new(source: S, memory: u64, turn: &'a mut JobTurn) -> TakingTurns<'a, S> {
        TakingTurns { source, memory, turn }
    }
}

impl<S: Source> Source for TakingTurns<'_, S> {
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
        if held > LARGE {
            self.turn.take();
            return self.source.fill(keep);
        }
        // The source frees what it held of a large element here.
        let filled = self.source.fill(keep);
        self.turn.give_back();
        filled
    }

    fn finish(&mut self) -> Result<()> {
        self.source.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.source.shared_text()
    }
}
