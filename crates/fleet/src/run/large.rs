//! Lets only one thread at a time hold a large element.
//!
//! An element takes up to four times its size in memory. Most elements are small, and each thread
//! has memory for those (`batch::settings::threads_in`). Before a thread reads a large element,
//! it waits until no other thread holds one. An element that exceeds the memory of the batch is
//! an error.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plansift_core::allocation;
use plansift_core::error::{Error, Result};
use plansift_core::input::Source;
use plansift_core::limits::Limit;

/// The size above which an element is large, in bytes.
const LARGE: u64 = 1 << 20;

/// The permit to hold a large element. The permit is global because all batches of a process share
/// its memory.
static PERMIT: Mutex<()> = Mutex::new(());

/// A thread's permit to hold a large element. Dropping it releases the permit. It must outlast the
/// readers of its inputs, and their large buffers.
#[derive(Debug)]
pub struct ElementPermit {
    /// The maximum memory for one element, in bytes.
    memory: u64,
    /// The guard of the permit, while the thread has it.
    held: RefCell<Option<MutexGuard<'static, ()>>>,
}

impl ElementPermit {
    /// Creates the permit of a thread that does not hold it yet. It allows elements up to `memory`
    /// bytes.
    pub fn new(memory: u64) -> ElementPermit {
        ElementPermit { memory, held: RefCell::new(None) }
    }

    /// Fills the window of a source. Waits for the permit before the window holds a large element.
    pub(super) fn fill(&self, source: &mut impl Source, keep: u64) -> Result<bool> {
        let end = source.offset() + source.window().len() as u64;
        let held = end.saturating_sub(keep);
        if held.saturating_mul(4) > self.memory {
            return Err(Error::limit(Limit::Memory, self.memory, keep));
        }
        if held > LARGE {
            let mut held = self.held.borrow_mut();
            held.get_or_insert_with(|| PERMIT.lock().unwrap_or_else(PoisonError::into_inner));
            return source.fill(keep);
        }
        // This call frees the source's buffer of a previous large element.
        let filled = source.fill(keep);
        self.release();
        filled
    }

    fn release(&self) {
        if let Some(permit) = self.held.take() {
            // Returns freed memory to the system, so that the next thread can use it.
            allocation::return_freed();
            drop(permit);
        }
    }
}

impl Drop for ElementPermit {
    fn drop(&mut self) {
        self.release();
    }
}
