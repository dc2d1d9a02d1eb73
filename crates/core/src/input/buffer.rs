//! The memory of a window.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

use crate::error::{Error, ErrorKind, Result};

/// Minimum length of a buffer that has pages of its own, in bytes. Every buffer of a window is that
/// long, so an input whose window does not fit into memory fails alone. The buffers of the reading
/// thread are shorter.
const OWN_PAGES: usize = 512 << 10;

/// A buffer of bytes.
///
/// A long buffer is an anonymous mapping. The system provides each page on its first use, and takes
/// all pages back when the buffer is dropped. An allocator would keep them.
pub(super) enum Buffer {
    Allocated(Vec<u8>),
    Mapped(MmapMut),
}

impl Buffer {
    /// Returns a buffer of `len` zeros. Fails with [`ErrorKind::Memory`] if the system refuses to
    /// provide a long buffer.
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
