//! The grammar of JSON, 64 bytes at a time.
//!
//! What may stand at a place depends on little more than the token before it. So the masks of the
//! bytes that tokens end with, moved to the next byte that is no space, are compared with those of
//! the bytes that tokens begin with. The object `{"a":[1],"b":2}` gives (the first byte is the
//! lowest bit, shown left; a string ends with its closing quote):
//!
//! ```text
//! text        {  "  a  "  :  [  1  ]  ,  "  b  "  :  2  }
//! begins      1  1  0  0  1  1  1  1  1  1  0  0  1  1  1    the first byte of a token
//! values      0  1  0  0  0  1  1  0  0  1  0  0  0  1  0    of a value or key: no  : , ] }
//! expects     1  0  0  0  1  1  0  0  1  0  0  0  1  0  0    {  [  ,  :   what a value follows
//! after it    0  1  0  0  0  1  1  0  0  1  0  0  0  1  0    is to be `values` wherever one begins
//! keyed       1  0  0  0  0  0  0  0  1  0  0  0  0  0  0    {  and the commas of objects
//! after it    0  1  0  0  0  0  0  0  0  1  0  0  0  0  0    keys: no value but a string
//! key ends    0  0  0  1  0  0  0  0  0  0  0  1  0  0  0
//! after it    0  0  0  0  1  0  0  0  0  0  0  0  1  0  0    is to be the colons
//! ```
//!
//! The one exception is a closing bracket right after an opening one. Adding a bit to the first of
//! a run of bits carries it to the bit after the run: that is how a mask gets across space, and
//! from the first quote of a key to its last.
//!
//! Only commas depend on the container, and that changes only at brackets: those are taken one by
//! one, which also counts them and compares their kinds. So are numbers, literals and escapes.
//!
//! This says whether all is right, or where the value ends, but not what is wrong: what is doubtful
//! is looked at again, token by token, by `Cursor::walk`. Both must say the same of every text;
//! [`Follow`] and [`Want`] say the same in their words. To doubt what is right costs time only.

use super::brackets::Innermost;
use super::outline::Recorder;
use super::want::Want;
use super::word::Word;
use crate::scan::{BLOCK, Block};

/// What the bytes so far leave to those that follow, each 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Follow {
    /// A bracket, comma or colon stands before: a value or key is next.
    value: u64,
    /// An opening bracket stands before: it may be closed.
    close: u64,
    /// An opening brace or the comma of an object stands before: the value is a key.
    key: u64,
    /// A key stands before: a colon is next.
    colon: u64,
    /// A key is open.
    in_key: u64,
    /// A string is open.
    in_string: u64,
}

/// What is known of 64 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// They follow the grammar.
    Right,
    /// They follow it up to this bit, where the value ends.
    End(u32),
    /// They may not. The recorder was told of their brackets.
    Doubtful,
    /// They may not. The recorder was not told, or of brackets that are wrong.
    Untold,
}

/// A block and what stands around it.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub block: &'a Block,
    /// The bytes of it that count: these and all after them.
    pub visible: u64,
    /// It and those around it that are known, and which of them it is.
    pub blocks: &'a [Block],
    pub index: usize,
    /// The text from the first of these on, as far as it is there.
    pub text: &'a [u8],
    /// The offset of the first.
    pub offset: u64,
}

/// Where a value ends, and how deep it may go.
#[derive(Clone, Copy)]
pub(super) struct Depths {
    pub floor: u64,
    pub max: u64,
}

impl Follow {
    /// Before a value.
    pub(super) fn before_value() -> Follow {
        Follow::from_want(Want::Value, 0)
    }

    /// `in_string` is 1 where a string is open, which is then the last token.
    pub(super) fn from_want(want: Want, in_string: u64) -> Follow {
        let colon = u64::from(want == Want::Colon);
        Follow {
            value: u64::from(!matches!(want, Want::Colon | Want::CommaOrClose)),
            close: u64::from(matches!(want, Want::KeyOrClose | Want::ValueOrClose)),
            key: u64::from(matches!(want, Want::KeyOrClose | Want::Key)),
            colon: colon & !in_string,
            in_key: colon & in_string,
            in_string,
        }
    }

    /// What the grammar wants next; after the string where one is open.
    pub(super) fn want(&self) -> Want {
        match (self.value, self.key, self.close) {
            (0, ..) if self.colon | self.in_key == 1 => Want::Colon,
            (0, ..) => Want::CommaOrClose,
            (_, 0, 0) => Want::Value,
            (_, 0, _) => Want::ValueOrClose,
            (_, _, 0) => Want::Key,
            _ => Want::KeyOrClose,
        }
    }

    /// The bytes in strings, from opening quotes to before closing ones: from every closing quote
    /// the opening one before it is subtracted, which is once from all quotes and once more.
    #[inline(always)]
    pub(super) fn strings(&self, block: &Block, visible: u64) -> u64 {
        let quotes = block.quotes & visible;
        quotes.wrapping_sub((quotes & block.tokens) << 1).wrapping_sub(self.in_string)
    }

    /// Checks 64 bytes. Unless they are right, nothing has changed but what the recorder knows.
    #[inline(always)]
    pub(super) fn check(
        &mut self,
        place: Place<'_>,
        open: &mut Innermost,
        depths: Depths,
        recorder: &mut impl Recorder,
    ) -> Verdict {
        let brackets = u64::from(place.block.brackets.count_ones());
        let fits = open.depth + brackets <= Innermost::DEPTH_MAX;
        // Also of what follows where the value ends: it is seldom wrong.
        if !fits || !words_are_right(place) || !escapes_are_right(place) {
            return Verdict::Untold;
        }
        let Some(around) = Around::new(place, *open, depths, recorder) else {
            return Verdict::Untold;
        };
        let mut next = *self;
        if !next.tokens_follow(place.block, &around) {
            return Verdict::Doubtful;
        }
        *self = next;
        *open = around.open;
        around.end.map_or(Verdict::Right, Verdict::End)
    }

    /// Whether every token may follow the one before it.
    #[inline(always)]
    fn tokens_follow(&mut self, block: &Block, around: &Around) -> bool {
        let visible = around.visible;
        let begins = block.tokens & visible;
        let brackets = block.brackets & visible;
        let opens = brackets & block.opens;
        let closes = brackets & !block.opens;
        let strings = self.strings(block, visible);
        let leaves = block.quotes | block.words;
        let values = (begins & leaves) | opens;
        let colons = begins & !(brackets | block.commas | leaves);
        let expects = opens | block.commas | colons;
        let keyed = (opens & block.braces) | (block.commas & around.objects);
        let spaces = visible & !(begins | leaves | strings);

        // Where a value begins all else is 0: the bit is that of the value's first byte.
        self.value <<= visible.trailing_zeros();
        let [is_value, may_close, is_key] = if spaces == 0 {
            [
                next(expects, &mut self.value),
                next(opens, &mut self.close),
                next(keyed, &mut self.key),
            ]
        } else {
            [
                next_token(expects, &mut self.value, spaces),
                next_token(opens, &mut self.close, spaces),
                next_token(keyed, &mut self.key, spaces),
            ]
        };
        let keys = is_key & values;
        let past = strings.wrapping_add(keys & block.quotes).wrapping_add(self.in_key);
        let key_ends = past & !strings;
        let is_colon = if spaces == 0 {
            next(key_ends, &mut self.colon)
        } else {
            next_token(key_ends, &mut self.colon, spaces)
        };
        // The last run of bits, if it was carried out of the block.
        self.in_key = (strings & !past) >> 63;
        self.in_string = strings >> 63;

        let wrong = ((is_value ^ values) & !(closes & may_close))
            | (keys & !block.quotes)
            | (is_colon ^ colons);
        wrong & begins == 0
    }
}

/// The bytes after those of a mask.
#[inline(always)]
fn next(ends: u64, carry: &mut u64) -> u64 {
    let next = (ends << 1) | *carry;
    *carry = ends >> 63;
    next
}

/// The bytes after those of a mask and after the space that follows these.
#[inline(always)]
fn next_token(ends: u64, carry: &mut u64, spaces: u64) -> u64 {
    let next = next(ends, carry);
    let (across, over) = (next & spaces).overflowing_add(spaces);
    *carry |= u64::from(over);
    (next | across) & !spaces
}

/// What the brackets among 64 bytes say of the others.
struct Around {
    /// The containers that are open after them.
    open: Innermost,
    /// The bytes whose innermost container is an object.
    objects: u64,
    /// The bytes that count, up to where the value ends.
    visible: u64,
    end: Option<u32>,
}

impl Around {
    /// `None` where kinds differ, or there are more than the depth allows.
    #[inline(always)]
    fn new(
        place: Place<'_>,
        open: Innermost,
        depths: Depths,
        recorder: &mut impl Recorder,
    ) -> Option<Around> {
        let Innermost { mut kinds, depth } = open;
        let Block { opens, braces, .. } = *place.block;
        let offset = place.offset + (place.index * BLOCK) as u64;
        // How many are open above the first above the floor, and how many may be.
        let mut above = depth.wrapping_sub(depths.floor).wrapping_sub(1);
        let room = depths.max.wrapping_sub(depths.floor);
        let mut objects = 0u64.wrapping_sub(kinds & 1);
        let mut wrong = 0;
        let mut brackets = place.block.brackets & place.visible;
        while brackets != 0 {
            let bit = brackets.trailing_zeros();
            brackets &= brackets - 1;
            let is_open = (opens >> bit) & 1;
            let brace = (braces >> bit) & 1;
            if is_open == 1 {
                recorder.open();
            } else {
                recorder.close(offset + u64::from(bit));
            }
            // No branch: which bracket is next is hard to foresee.
            let before = kinds;
            kinds = if is_open == 1 { (before << 1) | brace } else { before >> 1 };
            wrong |= (before ^ brace) & !is_open;
            above = above.wrapping_add(is_open << 1).wrapping_sub(1);
            objects ^= 0u64.wrapping_sub((before ^ kinds) & 1) << bit;
            // One comparison for both ends.
            if above >= room {
                if above != u64::MAX || wrong & 1 != 0 {
                    return None;
                }
                let open = Innermost { kinds, depth: depths.floor };
                let visible = place.visible & (!0 >> (63 - bit));
                return Some(Around { open, objects, visible, end: Some(bit) });
            }
        }
        let depth = depths.floor.wrapping_add(above).wrapping_add(1);
        let open = Innermost { kinds, depth };
        (wrong & 1 == 0).then_some(Around { open, objects, visible: place.visible, end: None })
    }
}

/// Whether the words that begin here are whole and their ends are known.
#[inline(always)]
fn words_are_right(place: Place<'_>) -> bool {
    let words = place.block.words;
    let mut begins = place.block.tokens & words & place.visible;
    if begins == 0 {
        return true;
    }
    let next_words = place.blocks.get(place.index + 1).map_or(!0, |block| block.words);
    // The word from a bit on; all 64 at once would be no shift.
    let len = |bit: u32| ((words >> bit) | ((next_words << 1) << (63 - bit))).trailing_ones();
    let start = |bit: u32| place.index * BLOCK + bit as usize;
    let mut rare = 0;
    while begins != 0 {
        let bit = begins.trailing_zeros();
        begins &= begins - 1;
        let text = place.text.get(start(bit)..).and_then(|text| text.first_chunk());
        let is_common = text.is_some_and(|&text| Word::is_common(text, len(bit)));
        rare |= u64::from(!is_common) << bit;
    }
    while rare != 0 {
        let bit = rare.trailing_zeros();
        rare &= rare - 1;
        let text = place.text.get(start(bit)..start(bit) + len(bit) as usize);
        if len(bit) == u64::BITS || !text.is_some_and(Word::is_whole) {
            return false;
        }
    }
    true
}

/// Whether the escapes that begin here are whole, and none is half of a pair.
#[inline(always)]
fn escapes_are_right(place: Place<'_>) -> bool {
    let mut escapes = place.block.escapes & place.visible;
    let start = |bit: u32| place.index * BLOCK + bit as usize;
    let mut rare = 0;
    while escapes != 0 {
        let bit = escapes.trailing_zeros();
        escapes &= escapes - 1;
        let byte = place.text.get(start(bit) + 1).copied().unwrap_or_default();
        rare |= u64::from(!IS_ESCAPED[usize::from(byte)]) << bit;
    }
    while rare != 0 {
        let bit = rare.trailing_zeros();
        rare &= rare - 1;
        let text = place.text.get(start(bit)..).and_then(|text| text.first_chunk());
        if !text.is_some_and(is_character) {
            return false;
        }
    }
    true
}

/// The bytes that an escape of two may end with.
const IS_ESCAPED: [bool; 256] = {
    let mut is_escaped = [false; 256];
    let mut rest: &[u8] = b"\"\\/bfnrt";
    while let [byte, others @ ..] = rest {
        is_escaped[*byte as usize] = true;
        rest = others;
    }
    is_escaped
};

/// Whether six bytes, the first of them a backslash, escape one character.
fn is_character(text: &[u8; 6]) -> bool {
    let &[_, b'u', a, b, c, d] = text else { return false };
    let [a, b, c, d] = [a, b, c, d].map(|digit| HEX[usize::from(digit)]);
    let is_half = a == 0xd && b >= 8;
    (a | b | c | d) < 16 && !is_half
}

/// The values of hexadecimal digits; 16 for other bytes.
const HEX: [u8; 256] = {
    let mut hex = [16; 256];
    let mut value = 0;
    while value < 16 {
        hex[b"0123456789abcdef"[value] as usize] = value as u8;
        hex[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    hex
};
