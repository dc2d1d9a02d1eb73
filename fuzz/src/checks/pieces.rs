//! A source that delivers a text in pieces, and keeps no byte longer than required.

use std::sync::Arc;

use plansift::error::Result;
use plansift::input::{SharedText, Source};

use super::draw::Draw;

/// A text that arrives in pieces.
pub struct Pieces<'a> {
    text: &'a [u8],
    /// The whole text, for other threads.
    whole: Option<Arc<Vec<u8>>>,
    draw: Draw,
    start: usize,
    end: usize,
}

impl<'a> Pieces<'a> {
    /// Creates a source with pieces of random lengths.
    pub fn new(text: &'a [u8], draw: Draw) -> Pieces<'a> {
        Pieces { text, whole: None, draw, start: 0, end: 0 }
    }

    /// Like [`Pieces::new`], for a text that lies in memory as a whole, where other threads may
    /// read it.
    pub fn in_memory(text: &'a [u8], draw: Draw) -> Pieces<'a> {
        Pieces { whole: Some(Arc::new(text.to_vec())), ..Pieces::new(text, draw) }
    }
}

impl Source for Pieces<'_> {
    fn window(&self) -> &[u8] {
        &self.text[self.start..self.end]
    }

    fn offset(&self) -> u64 {
        self.start as u64
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let keep = keep as usize;
        assert!((self.start..=self.end).contains(&keep), "{keep} is not in the window");
        self.start = keep;
        let end = (self.end + self.draw.len()).min(self.text.len());
        Ok(std::mem::replace(&mut self.end, end) < end)
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn shared_text(&self) -> Option<SharedText> {
        let whole = self.whole.clone()?;
        Some(SharedText::new(whole))
    }
}
