//! Memory that goes back to the system.

use std::sync::OnceLock;

/// How the program's allocator returns what it keeps.
static RETURN_FREED: OnceLock<fn()> = OnceLock::new();

/// Registers the function that makes the program's allocator return freed memory to the system.
/// Allocators keep such memory for a second or so. Only the first call has an effect.
pub fn set_return_freed(return_freed: fn()) {
    let _ = RETURN_FREED.set(return_freed);
}

/// Returns freed memory to the system, if the allocator can. It costs a system call for each range
/// of free pages.
pub(crate) fn return_freed() {
    if let Some(return_freed) = RETURN_FREED.get() {
        return_freed();
    }
}
