//! A stretch of text that is passed over before the cursor comes to it, by another thread.
//!
//! All that is not known of it is what lies around it. It is held to what the cursor holds
//! everything to that it skips ([`super::Validation::Visited`]), but for the length of strings:
//! none is longer than the stretch.

use std::ops::Range;

use crate::scan::nesting::floating::Floating;
use crate::scan::{BATCH, BLOCK, Block, Detail, Isa, Scanner};

/// A stretch that was passed over.
#[derive(Clone, Debug)]
pub(crate) struct Skimmed {
    /// Where it begins: outside of strings, if whoever takes it is outside of strings there.
    pub(crate) start: u64,
    /// Where it ends: behind a bracket.
    pub(crate) end: u64,
    pub(super) brackets: Floating,
}

/// Passes over a range of a text from the first place on that seems to be outside of a string, up
/// to the last bracket; `None`: there are no such places, or something is wrong.
pub(crate) fn skim(text: &[u8], range: Range<usize>, isa: Isa) -> Option<Skimmed> {
    let end = range.end.min(text.len());
    let start = range.start + guess(text.get(range.start..end)?)?;
    let mut scanner = Scanner::new(isa, Detail::Structure);
    let mut blocks = [Block::default(); BATCH];
    let (mut brackets, mut behind) = (Floating::default(), None);
    let whole = start..end - (end - start) % BLOCK;
    for (number, text) in text[whole].chunks(BATCH * BLOCK).enumerate() {
        let blocks = &mut blocks[..text.len() / BLOCK];
        if scanner.scan(text, blocks).is_some() || !brackets.follow(isa, blocks) {
            return None;
        }
        if let Some(last) = blocks.iter().rposition(|block| block.brackets != 0) {
            let bit = 63 - blocks[last].brackets.leading_zeros() as usize;
            behind = Some(start + (number * BATCH + last) * BLOCK + bit + 1);
        }
    }
    Some(Skimmed { start: start as u64, end: behind? as u64, brackets })
}

/// Behind the first comma that seems to stand between two members or elements.
fn guess(text: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, b"},")
        .map(|at| at + 2)
        .find(|place| matches!(text[*place..].trim_ascii_start().first(), Some(b'{' | b'"')))
}
