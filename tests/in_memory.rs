//! Texts in memory as the sources of documents.

use std::sync::Arc;

use plansift::error::Result;
use plansift::input::{SharedText, Source};

/// A source whose text lies in memory as a whole, like a mapped file. The reader gets windows, and
/// lookahead workers share the text.
pub struct InMemory {
    text: Arc<Vec<u8>>,
    /// The text that lookahead workers see.
    whole: Arc<Vec<u8>>,
    /// Bytes that a call of `fill` adds to the window.
    step: usize,
    start: usize,
    end: usize,
}

impl InMemory {
    pub fn new(text: &[u8]) -> InMemory {
        let text = Arc::new(text.to_vec());
        InMemory { whole: text.clone(), text, step: 70_001, start: 0, end: 0 }
    }

    /// A source that shows lookahead workers another text of the same length. A test can then see
    /// which results came from workers.
    pub fn two_faced(text: &[u8], whole: &[u8]) -> InMemory {
        assert_eq!(text.len(), whole.len(), "the same place in both");
        InMemory { whole: Arc::new(whole.to_vec()), ..InMemory::new(text) }
    }
}

impl Source for InMemory {
    fn window(&self) -> &[u8] {
        &self.text[self.start..self.end]
    }

    fn offset(&self) -> u64 {
        self.start as u64
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let end = self.text.len().min(self.end + self.step);
        let has_more = end > self.end;
        (self.start, self.end) = ((keep as usize).clamp(self.start, self.end), end);
        Ok(has_more)
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn shared_text(&self) -> Option<SharedText> {
        Some(SharedText::new(self.whole.clone()))
    }
}

/// A source that extends its window by the given lengths, in rotation. It drops bytes as soon as
/// the reader allows, so a reader that looks back panics.
pub struct Cut<'a> {
    rest: &'a [u8],
    lengths: &'a [usize],
    fills: usize,
    window: Vec<u8>,
    offset: u64,
}

impl<'a> Cut<'a> {
    pub fn new(text: &'a [u8], lengths: &'a [usize]) -> Cut<'a> {
        Cut { rest: text, lengths, fills: 0, window: Vec::new(), offset: 0 }
    }
}

impl Source for Cut<'_> {
    fn window(&self) -> &[u8] {
        &self.window
    }

    fn offset(&self) -> u64 {
        self.offset
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let dropped = keep.saturating_sub(self.offset).min(self.window.len() as u64);
        self.window.drain(..dropped as usize);
        self.offset += dropped;
        let len = self.lengths[self.fills % self.lengths.len()].clamp(1, self.rest.len().max(1));
        self.fills += 1;
        let (next, rest) = self.rest.split_at(len.min(self.rest.len()));
        self.window.extend_from_slice(next);
        self.rest = rest;
        Ok(!next.is_empty())
    }

    fn finish(&mut self) -> Result<()> {
        assert!(self.rest.is_empty(), "finished before the end was read");
        Ok(())
    }
}
