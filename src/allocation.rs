//! Memory that the system may refuse.
//!
//! Rust aborts when an allocation fails. The program's allocator (`main.rs`) exits with a message
//! and code 1 instead, because nothing that needs memory can go on. [`try_zeroed`] allocates a
//! buffer whose size the input decides; a refusal is then an error of that input.

use std::cell::Cell;

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
/// [`ErrorKind::Memory`]: the system refuses to allocate `len` bytes.
pub fn try_zeroed(len: usize) -> Result<Vec<u8>> {
    let mut buffer = Vec::new();
    let before = MAY_FAIL.replace(true);
    let reserved = buffer.try_reserve_exact(len);
    MAY_FAIL.set(before);
    reserved.map_err(|_| Error::new(ErrorKind::Memory))?;
    buffer.resize(len, 0);
    Ok(buffer)
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
