//! A source with a hook: another source, and something to do each time it reads on.

use super::{SharedText, Source};
use crate::error::Result;

/// Does something of its own when a source reads on, and lets the source read.
pub trait Hook {
    /// Calls [`Source::fill`] of the source, or fails.
    ///
    /// # Errors
    ///
    /// Fails if the source fails, or with an error of the hook.
    fn fill(&mut self, source: &mut impl Source, keep: u64) -> Result<bool>;

    /// Learns that the source was read to its end.
    fn finished(&mut self) {}
}

/// A source with a hook. Everything except [`Source::fill`] goes straight to the source.
#[derive(Debug)]
pub struct Hooked<S, H> {
    source: S,
    hook: H,
}

impl<S: Source, H: Hook> Hooked<S, H> {
    /// Hooks into a source.
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
        self.hook.finished();
        self.source.finish()
    }

    fn changed(&mut self) -> bool {
        self.source.changed()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.source.shared_text()
    }
}
