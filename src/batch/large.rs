//! Lets only one thread at a time hold a large element.
//!
//! An element takes up to four times its size in memory. Most elements are small, and each thread
//! has memory for those ([`super::settings::threads_in`]). Before a thread reads a large element,
//! it waits until no other thread holds one. An element that exceeds the memory of the batch is
//! an error.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::allocation;
use crate::error::{Error, Result};
use crate::input::{Hook, Source};
use crate::limits::Limit;

/// The size above which an element is large, in bytes.
const LARGE: u64 = 1 << 20;

/// The permit to hold a large element. The permit is global because all batches of a process share
/// its memory.
static PERMIT: Mutex<()> = Mutex::new(());

/// A job's guard of the permit; `None` until the job takes the permit. Dropping it releases the
/// permit.
#[derive(Debug, Default)]
pub(super) struct JobPermit(Option<MutexGuard<'static, ()>>);

impl JobPermit {
    fn take(&mut self) {
        self.0.get_or_insert_with(|| PERMIT.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn release(&mut self) {
        if let Some(permit) = self.0.take() {
            // Returns freed memory to the system, so that the next thread can use it.
            allocation::return_freed();
            drop(permit);
        }
    }
}

impl Drop for JobPermit {
    fn drop(&mut self) {
        self.release();
    }
}

/// Waits for the job's permit before the window of a source holds a large element.
pub(super) struct LargeElementHook<'a> {
    /// The maximum memory for one element, in bytes.
    memory: u64,
    /// Borrowed, so that the permit outlasts the reader of the source and its large buffers.
    permit: &'a mut JobPermit,
}

impl<'a> LargeElementHook<'a> {
    /// Creates a hook that allows one element up to `memory` bytes.
    pub fn new(memory: u64, permit: &'a mut JobPermit) -> LargeElementHook<'a> {
        LargeElementHook { memory, permit }
    }
}

impl Hook for LargeElementHook<'_> {
    fn fill(&mut self, source: &mut impl Source, keep: u64) -> Result<bool> {
        let end = source.offset() + source.window().len() as u64;
        let held = end.saturating_sub(keep);
        if held.saturating_mul(4) > self.memory {
            return Err(Error::limit(Limit::Memory, self.memory, keep));
        }
        if held > LARGE {
            self.permit.take();
            return source.fill(keep);
        }
        // This call frees the source's buffer of a previous large element.
        let filled = source.fill(keep);
        self.permit.release();
        filled
    }
}
