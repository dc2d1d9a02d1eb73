//! A stretch of text that is passed over before the cursor comes to it, by another thread.
//!
//! All that is not known of it is what lies around it. It is held to what the cursor holds
//! everything to that it skips, but for the length of strings: none is longer than the stretch.

use std::ops::Range;

use super::Validation;
use super::grammar::{Batch, Grammar};
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
/// to the last bracket; `None`: there are no such places, or something may be wrong.
pub(crate) fn skim(
    text: &[u8],
    range: Range<usize>,
    isa: Isa,
    validation: Validation,
) -> Option<Skimmed> {
    let end = range.end.min(text.len());
    let start = range.start + guess(text.get(range.start..end)?)?;
    let (detail, mut grammar) = match validation {
        Validation::Structure => (Detail::Structure, None),
        Validation::Grammar => (Detail::Tokens, Some(Grammar::behind_comma(isa))),
    };
    let mut scanner = Scanner::new(isa, detail);
    let mut blocks = [Block::default(); BATCH];
    let (mut brackets, mut behind) = (Floating::default(), None);
    let whole = start..end - (end - start) % BLOCK;
    for place in whole.clone().step_by(BATCH * BLOCK) {
        let len = (whole.end - place).min(BATCH * BLOCK);
        let blocks = &mut blocks[..len / BLOCK];
        if scanner.scan(&text[place..place + len], blocks).is_some() {
            return None;
        }
        let blocks = &*blocks;
        let matches = match &mut grammar {
            None => brackets.follow(isa, blocks),
            Some(grammar) => {
                let batch = Batch { blocks, text: &text[place..], len, offset: place as u64 };
                grammar.float(batch, &mut brackets)
            }
        };
        if !matches {
            return None;
        }
        if let Some(last) = blocks.iter().rposition(|block| block.brackets != 0) {
            let bit = 63 - blocks[last].brackets.leading_zeros() as usize;
            behind = Some(place + last * BLOCK + bit + 1);
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
