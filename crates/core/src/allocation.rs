//! Lets the library return freed memory to the system, and checks that the address space has room.

use std::io;
use std::sync::OnceLock;
use std::thread::Builder;

use memmap2::MmapOptions;

/// Address space that must be free before a file is mapped or a thread starts, in bytes.
const HEADROOM: usize = 64 << 20;

/// The function that makes the program's allocator return freed memory.
static RETURN_FREED: OnceLock<fn()> = OnceLock::new();

/// Registers the function that makes the program's allocator return freed memory to the system. By
/// default, an allocator keeps such memory for about a second. Only the first call has an effect.
pub fn set_return_freed(return_freed: fn()) {
    let _ = RETURN_FREED.set(return_freed);
}

/// Returns freed memory to the system, if the allocator can. It costs a system call for each range
/// of free pages.
pub fn return_freed() {
    if let Some(return_freed) = RETURN_FREED.get() {
        return_freed();
    }
}

/// Checks that 64 MiB of address space are free: room for a thread, or for the run beside a
/// mapping.
///
/// # Errors
///
/// Fails if less is free, because the address space is limited (`ulimit -v`).
pub fn check_headroom() -> io::Result<()> {
    MmapOptions::new().len(HEADROOM).map_anon().map(drop)
}

/// Returns the builder of a thread with this name.
///
/// # Errors
///
/// Fails as [`check_headroom`] does. A thread that starts with less room ends the process: the
/// standard library aborts if it cannot map the signal stack of the thread.
pub fn thread_builder(name: &str) -> io::Result<Builder> {
    check_headroom()?;
    Ok(Builder::new().name(name.to_owned()))
}
