//! The command: see [`plansift::cli`].
#![cfg_attr(
    unix,
    allow(unsafe_code, reason = "the allocator of the program hands calls on to another")
)]

use std::process::ExitCode;

/// Records are made of many short-lived pieces, and a plan may be sifted on several threads.
#[cfg(not(unix))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The same, and where there is no more memory the run ends with a message instead of an abort.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    plansift::cli::main(std::env::args_os())
}

#[cfg(unix)]
mod allocator {
    use std::alloc::{GlobalAlloc, Layout};

    use mimalloc::MiMalloc;
    use plansift::{allocation, cli};

    /// mimalloc, but an allocation fails only where the caller says that it may.
    pub struct Allocator;

    // SAFETY: each call is mimalloc's with the same arguments, and returns what mimalloc returns or
    // not at all.
    unsafe impl GlobalAlloc for Allocator {
        #[inline]
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: the caller keeps to the same contract.
            granted(unsafe { MiMalloc.alloc(layout) })
        }

        #[inline]
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            // SAFETY: the caller keeps to the same contract.
            granted(unsafe { MiMalloc.alloc_zeroed(layout) })
        }

        #[inline]
        unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
            // SAFETY: the caller keeps to the same contract.
            unsafe { MiMalloc.dealloc(memory, layout) }
        }

        #[inline]
        unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            // SAFETY: the caller keeps to the same contract.
            granted(unsafe { MiMalloc.realloc(memory, layout, size) })
        }
    }

    #[inline]
    fn granted(memory: *mut u8) -> *mut u8 {
        if memory.is_null() && !allocation::may_fail() {
            exhausted();
        }
        memory
    }

    /// Ends the run. Nothing here may need memory, nor a lock that this thread may hold.
    #[cold]
    fn exhausted() -> ! {
        const MESSAGE: &[u8] =
            b"plansift: out of memory: the system gives no more: raise the limit \
            (`ulimit -v`), or use fewer threads (--threads, for a batch --jobs)\n";
        // SAFETY: a call on a descriptor with a buffer of that length. If it fails nobody is told.
        let _ = unsafe { libc::write(2, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
        cli::remove_unfinished();
        // SAFETY: it does not return, and runs no code of this process.
        unsafe { libc::_exit(1) }
    }
}
