//! Limits the memory of the documents that all threads together parse at a time.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::{Condvar, Mutex, PoisonError};

/// The memory of the documents of all threads, in bytes. One larger document can exceed it alone.
const MAX: usize = 16 << 20;

/// A document that takes less memory than this needs no permit, in bytes.
const MIN: usize = 64 << 10;

/// A document that takes more memory than this is followed by a return of free memory to the
/// system. Otherwise the allocator of each thread keeps the memory of a document.
const RETURNED: usize = 2 << 20;

/// The memory of the permits of all threads.
static TAKEN: Mutex<usize> = Mutex::new(0);

/// Signals that a permit was returned.
static RETURN: Condvar = Condvar::new();

thread_local! {
    /// The memory of the permits of this thread.
    static OWN: Cell<usize> = const { Cell::new(0) };
}

/// The permission to use an amount of memory for a document. It stays on its thread.
#[derive(Debug)]
pub(super) struct Permit {
    bytes: usize,
    thread: PhantomData<*const ()>,
}

impl Permit {
    /// Waits until the memory is available. A thread that already has a permit does not wait, so
    /// threads cannot wait for each other.
    pub fn wait(bytes: usize) -> Permit {
        let bytes = if bytes < MIN { 0 } else { bytes };
        if bytes > 0 {
            let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
            let is_first = OWN.get() == 0;
            let is_full = |taken: &mut usize| is_first && *taken > 0 && *taken + bytes > MAX;
            let taken = RETURN.wait_while(taken, is_full);
            *taken.unwrap_or_else(PoisonError::into_inner) += bytes;
            OWN.set(OWN.get() + bytes);
        }
        Permit { bytes, thread: PhantomData }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        if self.bytes > RETURNED {
            crate::allocation::return_freed();
        }
        OWN.set(OWN.get() - self.bytes);
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        RETURN.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn threads_wait_for_memory_but_not_for_themselves() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let _outer = Permit::wait(MAX);
                        let _inner = Permit::wait(MAX);
                        let before = now.fetch_add(1, Ordering::SeqCst);
                        most.fetch_max(before + 1, Ordering::SeqCst);
                        thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(most.into_inner(), 1);
    }
}
