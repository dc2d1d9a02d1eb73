//! An element of a section of changes before it is parsed, so that it can be copied.

use super::section::Section;
use crate::json::detached::Detached;
use crate::json::outline::Outline;

/// An element of `resource_changes`, `resource_drift` or `deferred_changes` that is not yet parsed.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    pub(super) section: Section,
    pub(super) index: u64,
    /// The text from [`Outline::origin`] to the element's end.
    pub(super) text: &'a [u8],
    pub(super) outline: &'a Outline,
}

impl<'a> Element<'a> {
    /// The section that contains the element.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Number of elements of the section before this one.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Approximate length in bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// Copies the element to `copies`.
    pub fn detach(&self, copies: &mut Detached) {
        copies.push(self.text, self.outline);
    }
}
