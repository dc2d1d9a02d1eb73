//! Bytes in: files, pipes and compressed streams, all handed out as windows of one growing text.

use crate::error::Result;

/// A document's bytes, handed out in windows.
///
/// Offsets count bytes of the decoded (decompressed, UTF-8) text from its first byte, a byte order
/// mark included. The reader looks at [`Source::window`], and when that is used up asks
/// [`Source::fill`] for more; what it still needs stays in the window, everything before is gone.
pub trait Source {
    /// The bytes at hand.
    fn window(&self) -> &[u8];

    /// The offset of the window's first byte.
    fn offset(&self) -> u64;

    /// Forgets the bytes before the offset `keep` and brings at least one more byte into the window.
    /// `false`: the input has ended and the window is complete.
    ///
    /// # Errors
    ///
    /// What reading, decompressing and decoding can meet; a limit of the input.
    fn fill(&mut self, keep: u64) -> Result<bool>;

    /// Called once after the whole input was read: says whether it held still meanwhile.
    ///
    /// # Errors
    ///
    /// [`crate::error::ErrorKind::Changed`].
    fn finish(&mut self) -> Result<()>;

    /// Whether the input is known to have changed since it was opened.
    fn changed(&mut self) -> bool {
        false
    }
}

/// A text already in memory: one window, nothing to fill.
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a>(pub &'a [u8]);

impl Source for Slice<'_> {
    fn window(&self) -> &[u8] {
        self.0
    }

    fn offset(&self) -> u64 {
        0
    }

    fn fill(&mut self, _keep: u64) -> Result<bool> {
        Ok(false)
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
