//! Lets the library return freed memory to the system.

use std::sync::OnceLock;

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
