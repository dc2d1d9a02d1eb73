//! Checks the grammar of JSON, a batch of text at a time.
//!
//! The tokens that may follow a token depend on little more than the token itself. So the check
//! compares two masks. One mask has the ends of tokens, shifted to the next byte that is not a
//! space. The other mask has the starts of tokens. These are the masks of the object
//! `{"a":[1],"b":2}`. The first byte is the lowest bit and is shown on the left:
//!
//! ```text
//! text        {  "  a  "  :  [  1  ]  ,  "  b  "  :  2  }
//! begins      1  1  0  0  1  1  1  1  1  1  0  0  1  1  1    the first byte of each token
//! values      0  1  0  0  0  1  1  0  0  1  0  0  0  1  0    of each value or key: not : , ] }
//! expects     1  0  0  0  1  1  0  0  1  0  0  0  1  0  0    { [ , :   a value must follow
//! shifted     0  1  0  0  0  1  1  0  0  1  0  0  0  1  0    equals `values` wherever one begins
//! ```
//!
//! There is one exception: a closing bracket may follow an opening one directly.
//!
//! If a bit is added to the start of a run of 1 bits, the carry sets the bit after the run. With
//! such additions, a mask crosses runs of spaces, and gets from the first quote of a string to the
//! last.
//!
//! A string after an opening brace or a comma may be a key. In an object, it is a key and a colon
//! must follow. A colon is valid nowhere else. Only the brackets show whether the container is an
//! object. So tokens make claims about the container ([`Claims`]):
//!
//! * A colon claims an object.
//! * After an opening brace or a comma, a token that is not a string claims an array.
//! * After a string that may be a key, a token that is not a colon claims an array.
//!
//! Each claim moves to the next bracket and is checked with the brackets
//! ([`Nesting::follow_claims`]).
//!
//! This fast path proves that a whole batch is valid, but it cannot locate an error. If it fails,
//! the slow path ([`super::tokens`]) walks the batch token by token. The fast path always fails
//! where the document begins or ends. A false alarm only costs time. Both paths must agree on every
//! text: [`TokenState`] and [`Expected`] are the same state in two forms. The bytes of words and
//! escapes are checked separately ([`super::leaves`]).

use super::leaves::{Batch, CheckLeaves, Unfinished};
use super::tokens::{Expected, Tokens, Wrong};
use crate::error::ErrorKind;
use crate::scan::nesting::partial::PartialNesting;
use crate::scan::nesting::{Claims, Nesting};
use crate::scan::wide::{Lanes, Masks, Wide, WideCode};
use crate::scan::{BATCH, Block, Isa};

/// Checks the tokens of a text that is scanned batch by batch.
#[derive(Clone, Debug)]
pub(super) struct Grammar {
    isa: Isa,
    follow: TokenState,
    /// The word or escape that continues after the last batch.
    unfinished: Unfinished,
    /// Memory for the claims of one batch.
    claims: Box<[Claims; BATCH]>,
}

impl Grammar {
    pub(super) fn before_value(isa: Isa) -> Grammar {
        let claims = Box::new([Claims::default(); BATCH]);
        Grammar {
            isa,
            follow: TokenState::from_expected(Expected::Value, 0),
            unfinished: Unfinished::default(),
            claims,
        }
    }

    /// The state after a comma, before a member or an element.
    pub(super) fn behind_comma(isa: Isa) -> Grammar {
        Grammar {
            follow: TokenState::from_expected(Expected::Key, 0),
            ..Grammar::before_value(isa)
        }
    }

    /// Restarts at another position between two tokens. `expected` is what comes next.
    pub(super) fn go_on(&mut self, expected: Expected) {
        self.follow = TokenState::from_expected(expected, 0);
        self.unfinished = Unfinished::default();
    }

    /// Checks the next batch. Returns the first error and its position in the batch. After an
    /// error, the state is undefined. Ignores text after the end of the document.
    pub(super) fn follow(
        &mut self,
        batch: Batch<'_>,
        nesting: &mut Nesting,
    ) -> Option<(ErrorKind, usize)> {
        if nesting.has_ended() || self.is_right(batch, nesting) {
            return None;
        }
        self.walk(batch, nesting).err()
    }

    /// The slow path of [`Grammar::follow`].
    fn walk(&mut self, batch: Batch<'_>, nesting: &mut Nesting) -> Result<(), Wrong> {
        nesting.forget_depths(batch.blocks);
        let Grammar { follow, unfinished, .. } = self;
        let expected = follow.expected(nesting.is_in_object());
        let mut tokens = Tokens { batch, nesting, unfinished: *unfinished };
        let expected = tokens.walk(expected, follow.in_word)?;
        *unfinished = tokens.unfinished;
        let last = batch.blocks.last().copied().unwrap_or_default();
        *follow = TokenState::from_expected(expected, last.strings >> 63);
        follow.in_word = last.words >> 63;
        Ok(())
    }

    /// The fast path of [`Grammar::follow`]. If it fails, returns `false` and leaves the state
    /// unchanged.
    fn is_right(&mut self, batch: Batch<'_>, nesting: &mut Nesting) -> bool {
        self.agrees(batch, |claims, last| nesting.follow_claims(batch.blocks, claims, last))
    }

    /// Checks the next batch of a range whose enclosing containers are unknown. Returns `false` if
    /// the batch may be invalid.
    pub(super) fn follow_partial(
        &mut self,
        batch: Batch<'_>,
        brackets: &mut PartialNesting,
    ) -> bool {
        let (isa, blocks) = (self.isa, batch.blocks);
        self.agrees(batch, |claims, last| brackets.follow_claims(isa, blocks, claims, last))
    }

    /// Checks the tokens, words, escapes and brackets of a batch. `brackets` checks the brackets
    /// and the claims. If the batch may be invalid, returns `false` and leaves the state unchanged.
    fn agrees(
        &mut self,
        batch: Batch<'_>,
        brackets: impl FnOnce(&[Claims], Claims) -> bool,
    ) -> bool {
        let blocks = batch.blocks;
        let mut follow = self.follow;
        let check = CheckTokens { blocks, follow: &mut follow, claims: &mut self.claims };
        let Some(TokenSummary { with_words, with_escapes, last }) = self.isa.run_wide(check) else {
            return false;
        };
        let check = CheckLeaves { batch, with_words, with_escapes, unfinished: self.unfinished };
        let Some(unfinished) = self.isa.run_wide(check) else { return false };
        if !brackets(&self.claims[..blocks.len()], last) {
            return false;
        }
        (self.follow, self.unfinished) = (follow, unfinished);
        true
    }
}

/// Checks the order of tokens and collects their claims. Returns `None` if the batch may be
/// invalid.
struct CheckTokens<'a> {
    blocks: &'a [Block],
    follow: &'a mut TokenState,
    claims: &'a mut [Claims; BATCH],
}

/// The result of [`CheckTokens`] for a batch.
#[derive(Clone, Copy, Debug, Default)]
struct TokenSummary {
    /// The blocks with words, one bit each.
    with_words: u64,
    /// The blocks with escapes, one bit each.
    with_escapes: u64,
    /// The claims after the last bracket, about the innermost container at the end.
    last: Claims,
}

impl WideCode for CheckTokens<'_> {
    type Output = Option<TokenSummary>;

    #[inline(always)]
    fn run<W: Wide>(self, wide: W) -> Option<TokenSummary> {
        let CheckTokens { blocks, follow, claims } = self;
        let (mut next, mut passed, mut is_wrong) = (*follow, TokenSummary::default(), false);
        let (mut start, count) = (0, W::Lanes::COUNT);
        while let Some(masks) = wide.masks(&blocks[start..]) {
            is_wrong |= next.tokens(masks, &mut passed.last, &mut claims[start..start + count]);
            passed.with_words |= masks.words.nonzero() << start;
            passed.with_escapes |= masks.escapes.nonzero() << start;
            start += count;
        }
        for (index, block) in blocks.iter().enumerate().skip(start) {
            let masks = Masks::<u64>::from(block);
            is_wrong |= next.tokens(masks, &mut passed.last, &mut claims[index..=index]);
            passed.with_words |= masks.words.nonzero() << index;
            passed.with_escapes |= masks.escapes.nonzero() << index;
        }
        *follow = next;
        (!is_wrong).then_some(passed)
    }
}

/// The state of the token check between blocks. Each field is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TokenState {
    /// 1 after a bracket, comma or colon that a value or key must follow.
    value: u64,
    /// 1 after an opening bracket: the container may close.
    close: u64,
    /// 1 after an opening brace or a comma: the value may be a key.
    key: u64,
    /// 1 inside a string that may be a key.
    in_key: u64,
    /// 1 after a string that may be a key: a colon may follow.
    colon: u64,
    /// 1 if the last byte belongs to a word.
    in_word: u64,
}

impl TokenState {
    /// Converts the state of the slow path. `in_string` is 1 if the last token is an open string.
    fn from_expected(expected: Expected, in_string: u64) -> TokenState {
        let colon = u64::from(expected == Expected::Colon);
        TokenState {
            value: u64::from(!matches!(
                expected,
                Expected::Colon | Expected::CommaOrClose | Expected::Nothing
            )),
            close: u64::from(matches!(expected, Expected::KeyOrClose | Expected::ValueOrClose)),
            key: u64::from(matches!(expected, Expected::KeyOrClose | Expected::Key)),
            in_key: colon & in_string,
            colon: colon & !in_string,
            in_word: 0,
        }
    }

    /// Returns what the grammar expects next. If a string is open, that is what follows the string.
    /// `is_in_object` is `None` outside all containers.
    fn expected(&self, is_in_object: Option<bool>) -> Expected {
        let is_key = is_in_object == Some(true) && self.key == 1;
        match (self.value, self.close) {
            (0, _) if is_in_object.is_none() => Expected::Nothing,
            (0, _) if is_in_object == Some(true) && self.colon | self.in_key == 1 => {
                Expected::Colon
            }
            (0, _) => Expected::CommaOrClose,
            (_, 0) if is_key => Expected::Key,
            (_, 0) => Expected::Value,
            _ if is_key => Expected::KeyOrClose,
            _ => Expected::ValueOrClose,
        }
    }

    /// Checks the tokens of some blocks, and returns whether a token may be wrong. Stores each
    /// claim at the next bracket. `open` holds the claims after the last bracket.
    #[inline(always)]
    fn tokens<L: Lanes>(
        &mut self,
        masks: Masks<L>,
        open: &mut Claims,
        claims: &mut [Claims],
    ) -> bool {
        let Masks { quotes, strings, brackets, separators, words, .. } = masks;
        let opens = brackets & masks.opens;
        let closes = brackets & !masks.opens;
        let colons = separators & masks.opens;
        let commas = separators & !masks.opens;
        let texts = quotes & strings;
        let values = texts | opens | (words & !words.shifted(&mut self.in_word));
        let begins = values | closes | separators;
        // Terraform and OpenTofu write plans without spaces.
        let spaces = !(strings | quotes | brackets | separators | words);
        let has_spaces = spaces.nonzero() != 0;
        let after = |ends: L, carry: &mut u64| match has_spaces {
            false => ends.shifted(carry),
            true => behind_space(ends, carry, spaces),
        };
        let is_value = after(opens | separators, &mut self.value);
        let may_close = after(opens, &mut self.close);
        let may_be_key = after((opens & masks.braces) | commas, &mut self.key);
        // The strings that may be keys, extended from the first byte to the last.
        let past = strings.add_with_carry(may_be_key & texts, &mut self.in_key);
        let may_be_colon = after(past & !strings, &mut self.colon);

        let wrong = ((is_value ^ values) & !(closes & may_close)) | (colons & !may_be_colon);
        let arrays = ((may_be_key & values & !texts) | (may_be_colon & !colons)) & begins;
        // A claiming token may be a bracket itself. Its claim is stored at this bracket.
        let own = arrays & brackets;
        let at_brackets =
            |claims: L, open: &mut u64| (!brackets).add_with_carry(claims, open) & brackets;
        let arrays = at_brackets(arrays & !own, &mut open.arrays) | own;
        write_claims(at_brackets(colons, &mut open.objects), arrays, claims);
        (wrong & begins).nonzero() != 0
    }
}

/// Stores the claims of some blocks.
#[inline(always)]
fn write_claims<L: Lanes>(objects: L, arrays: L, claims: &mut [Claims]) {
    let each = objects.to_array().into_iter().zip(arrays.to_array());
    for (claims, (objects, arrays)) in claims.iter_mut().zip(each) {
        *claims = Claims { objects, arrays };
    }
}

/// For each bit of `ends`, returns the first byte after it that is not a space.
#[inline(always)]
fn behind_space<L: Lanes>(ends: L, carry: &mut u64, spaces: L) -> L {
    let behind = ends.shifted(carry);
    let mut over = 0;
    let across = (behind & spaces).add_with_carry(spaces, &mut over);
    *carry |= over;
    (behind | across) & !spaces
}

#[cfg(test)]
mod tests;
