//! The `plansift` command: see [`plansift::cli`].
#![allow(unsafe_code, reason = "the program chooses its allocator, a library in C, and maps files")]

use std::process::ExitCode;

use plansift_core::input::{self, Mapping};

/// mimalloc, because several threads allocate many short-lived pieces of records.
#[cfg(not(unix))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// mimalloc in a wrapper that prints a message when the system has no more memory.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    share_heap();
    plansift_core::allocation::set_return_freed(return_freed);
    plansift::cli::main(std::env::args_os(), mapping())
}

/// Makes all threads share one heap of the C library, which needs some bytes for each thread. By
/// default it reserves 64 MiB of address space for each, and ends the program if there is no room.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn share_heap() {
    // SAFETY: `mallopt` takes two numbers. No other thread runs yet.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

/// Allows mapping files if the handler for shrinking files can be installed.
fn mapping() -> Mapping {
    match input::catch_truncation() {
        // SAFETY: the handler is installed, and only the library reads the inputs.
        Ok(()) => unsafe { Mapping::auto() },
        Err(_) => Mapping::NEVER,
    }
}

/// Makes mimalloc return free memory to the system.
fn return_freed() {
    // SAFETY: `mi_collect` may be called at any time, from any thread; it takes a flag and frees
    // only what is not allocated.
    unsafe { libmimalloc_sys::mi_collect(true) }
}

#[cfg(unix)]
mod allocator {
    use std::alloc::{GlobalAlloc, Layout};

    use mimalloc::MiMalloc;
    use plansift::cli;

    /// mimalloc, except that a failed allocation prints a message and ends the run.
    pub struct Allocator;

    // SAFETY: each method calls mimalloc's method with the same arguments and returns its result,
    // or does not return.
    unsafe impl GlobalAlloc for Allocator {
        #[inline]
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: our caller upholds the contract of `GlobalAlloc::alloc` for `layout`.
            or_exit(unsafe { MiMalloc.alloc(layout) })
        }

        #[inline]
        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            // SAFETY: our caller upholds the contract of `GlobalAlloc::alloc_zeroed` for `layout`.
            or_exit(unsafe { MiMalloc.alloc_zeroed(layout) })
        }

        #[inline]
        unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
            // SAFETY: our caller passes the layout that `memory` was allocated with, and all memory
            // of this allocator comes from mimalloc.
            unsafe { MiMalloc.dealloc(memory, layout) }
        }

        #[inline]
        unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            // SAFETY: our caller passes a size above 0 and the layout that `memory` was allocated
            // with, and all memory of this allocator comes from mimalloc.
            or_exit(unsafe { MiMalloc.realloc(memory, layout, size) })
        }
    }

    #[inline]
    fn or_exit(memory: *mut u8) -> *mut u8 {
        if memory.is_null() {
            exhausted();
        }
        memory
    }

    /// Ends the run with a message. Must not allocate, or take a lock that this thread may hold.
    #[cold]
    fn exhausted() -> ! {
        const MESSAGE: &[u8] =
            b"plansift: out of memory: the system gives no more: raise the limit \
            (`ulimit -v`), or use fewer threads (--threads, for a batch --jobs)\n";
        // SAFETY: `write` reads `MESSAGE.len()` bytes from `MESSAGE`, a constant. A failure is
        // ignored, because there is no other way to report it.
        let _ = unsafe { libc::write(2, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
        cli::remove_unfinished();
        // SAFETY: `_exit` does not return and runs no code of this process.
        unsafe { libc::_exit(1) }
    }
}
