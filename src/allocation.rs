//! Memory that the system may refuse, and memory that goes back to it.
//!
//! Rust aborts when an allocation fails. The program's allocator (`main.rs`) exits with a message
//! and code 1 instead, because nothing that needs memory can go on. [`try_zeroed`] allocates a
//! buffer whose size the input decides; a refusal is then an error of that input.

use std::cell::Cell;
use std::sync::OnceLock;

use crate::error::{Error, ErrorKind, Result};

thread_local! {
    /// True while this thread can handle a failed allocation.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread can handle a failed allocation. Does not allocate.
pub fn may_fail() -> bool {
    MAY_FAIL.get()
}

/// Allocates a buffer of zeros.
///
/// # Errors
///
/// Fails with [`ErrorKind::Memory`] if the system refuses to allocate `len` bytes.
pub fn try_zeroed(len: usize) -> Result<Vec<u8>> {
    let mut buffer = Vec::new();
    let before = MAY_FAIL.replace(true);
    let reserved = buffer.try_reserve_exact(len);
    MAY_FAIL.set(before);
    reserved.map_err(|_| Error::new(ErrorKind::Memory))?;
    buffer.resize(len, 0);
    Ok(buffer)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_allocation_is_an_error() {
        assert_eq!(try_zeroed(3).expect("a little"), [0; 3]);
        let refused = try_zeroed(isize::MAX as usize).expect_err("more than there is");
        assert_eq!(refused.kind(), ErrorKind::Memory);
        assert!(!may_fail());
    }
}
