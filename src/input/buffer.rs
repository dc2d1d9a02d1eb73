//! The memory that a window is in.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

use crate::error::{Error, ErrorKind, Result};

/// Length from which on a buffer has pages of its own, in bytes. Every buffer of a window has, so
/// that a refusal is an error of the input; those of the reading thread are shorter.
const OWN_PAGES: usize = 512 << 10;

/// Bytes of memory.
///
/// A long buffer is a mapping without a file. The system provides a page when the page is first
/// used, and takes all of them back when the buffer is dropped, where an allocator keeps them.
pub(super) enum Buffer {
    Allocated(Vec<u8>),
    Mapped(MmapMut),
}

impl Buffer {
    /// Returns a buffer of `len` zeros.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Memory`] if the system refuses to provide a long buffer.
    pub fn zeroed(len: usize) -> Result<Buffer> {
        if len < OWN_PAGES {
            return Ok(Buffer::Allocated(vec![0; len]));
        }
        let mapped = MmapMut::map_anon(len);
        mapped.map(Buffer::Mapped).map_err(|_| Error::new(ErrorKind::Memory))
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Buffer::Allocated(bytes) => bytes,
            Buffer::Mapped(bytes) => bytes,
        }
    }
}

impl DerefMut for Buffer {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Buffer::Allocated(bytes) => bytes,
            Buffer::Mapped(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_buffer_is_an_error() {
        for len in [3, OWN_PAGES] {
            assert!(Buffer::zeroed(len).expect("a little").iter().all(|byte| *byte == 0));
        }
        let refused = Buffer::zeroed(isize::MAX as usize).err().expect("more than there is");
        assert_eq!(refused.kind(), ErrorKind::Memory);
    }
}
