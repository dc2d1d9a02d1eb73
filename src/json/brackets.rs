//! The open containers of a text: how many, and whether each is an object or an array.
//!
//! A bit each, so that a document as deep as the limit takes little more than a kilobyte.

/// The kinds of the open containers, one bit each, the innermost lowest.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    top: u64,
    pub(super) depth: u64,
    below: Vec<u64>,
}

impl Brackets {
    #[inline]
    pub(super) fn push(&mut self, brace: u64) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.below.push(self.top);
        }
        self.top = (self.top << 1) | brace;
        self.depth += 1;
    }

    /// The kind of the innermost one, which is closed.
    #[inline]
    pub(super) fn pop(&mut self) -> u64 {
        let brace = self.top & 1;
        self.top >>= 1;
        // Masks of a file that someone writes to may close more than they opened.
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.top = self.below.pop().unwrap_or_default();
        }
        brace
    }

    pub(super) fn is_object(&self) -> bool {
        self.top & 1 == 1
    }
}
