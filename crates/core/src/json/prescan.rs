//! The speculative scan of a byte range by a worker, before the cursor gets there.
//!
//! The prescan guesses where a token begins and does not know the enclosing containers. It makes
//! the same checks as a cursor that skips, except for the length of strings. A string in the range
//! cannot be longer than the range.

use std::ops::Range;

use super::Validation;
use super::grammar::Grammar;
use super::leaves::Batch;
use crate::scan::nesting::partial::PartialNesting;
use crate::scan::{BATCH, BLOCK, Block, Detail, Isa, Scanner};

/// The result of [`prescan`]: the brackets of a range of the input.
#[derive(Clone, Debug)]
pub struct Prescanned {
    /// The offset at which the prescan starts. The guess was right if no string is open there.
    pub start: u64,
    /// The offset at which the prescan ends, right after a bracket.
    pub(crate) end: u64,
    pub(super) brackets: PartialNesting,
}

/// Prescans a byte range, from the first position that looks like the start of a token to the last
/// bracket. Returns `None` if there is no such position or no bracket, or if the text may be
/// invalid.
pub fn prescan(
    text: &[u8],
    range: Range<usize>,
    isa: Isa,
    validation: Validation,
) -> Option<Prescanned> {
    let end = range.end.min(text.len());
    let start = range.start + guess(text.get(range.start..end)?)?;
    let (detail, mut grammar) = match validation {
        Validation::Structure => (Detail::Structure, None),
        Validation::Grammar => (Detail::Tokens, Some(Grammar::behind_comma(isa))),
    };
    let mut scanner = Scanner::new(isa, detail);
    let mut blocks = [Block::default(); BATCH];
    let (mut brackets, mut behind) = (PartialNesting::default(), None);
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
                grammar.follow_partial(batch, &mut brackets)
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
    Some(Prescanned { start: start as u64, end: behind? as u64, brackets })
}

/// Returns the position after the first comma that seems to separate members or elements.
fn guess(text: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, b"},")
        .map(|at| at + 2)
        .find(|place| matches!(text[*place..].trim_ascii_start().first(), Some(b'{' | b'"')))
}
