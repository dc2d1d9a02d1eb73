//! Wraps a source, and runs a hook each time the source reads more bytes.

use super::{SharedText, Source};
use crate::error::Result;

/// A hook of a source. It runs each time the source reads more bytes.
pub trait Hook {
    /// Calls [`Source::fill`] of the source, before or after the hook's own code.
    ///
    /// # Errors
    ///
    /// Fails if the source fails, or with an error of the hook.
    fn fill(&mut self, source: &mut impl Source, keep: u64) -> Result<bool>;
}

/// A source with a hook on [`Source::fill`].
#[derive(Debug)]
pub struct Hooked<S, H> {
    source: S,
    hook: H,
}

impl<S: Source, H: Hook> Hooked<S, H> {
    /// Adds a hook to a source.
    pub fn new(source: S, hook: H) -> Hooked<S, H> {
        Hooked { source, hook }
    }
}

impl<S: Source, H: Hook> Source for Hooked<S, H> {
    #[inline]
    fn window(&self) -> &[u8] {
        self.source.window()
    }

    #[inline]
    fn offset(&self) -> u64 {
        self.source.offset()
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        self.hook.fill(&mut self.source, keep)
    }

    fn finish(&mut self) -> Result<()> {
        self.source.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.source.shared_text()
    }
}
