//! Memory that the system may refuse.
//!
//! Rust aborts when an allocation fails. The program's allocator (`main.rs`) ends the run with a
//! message and exit code 1 instead, because nothing that needs memory can go on. A buffer whose
//! size the input decides is asked for with [`try_zeroed`], and a refusal is an error of that
//! input.

use std::cell::Cell;

use crate::error::{Error, ErrorKind, Result};

thread_local! {
    /// Whether this thread can do without the memory that it asks for.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread expects that an allocation may fail. Does not allocate.
pub fn may_fail() -> bool {
    MAY_FAIL.get()
}

/// A buffer of zeros.
///
/// # Errors
///
/// [`ErrorKind::Memory`]: the system refuses that much memory.
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
    fn what_the_system_refuses_is_an_error() {
        assert_eq!(try_zeroed(3).expect("a little"), [0; 3]);
        let refused = try_zeroed(isize::MAX as usize).expect_err("more than there is");
        assert_eq!(refused.kind(), ErrorKind::Memory);
        assert!(!may_fail());
    }
}
