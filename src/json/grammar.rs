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
use super::string;
use super::want::Want;
use super::word::Word;
use crate::scan::Block;

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
    /// They may not.
    Doubtful,
}

/// 64 bytes and what stands around them.
pub(super) struct Place<'a> {
    pub block: &'a Block,
    /// The bytes that count: these and all after them.
    pub visible: u64,
    /// The words of the next block; all ones where they are not known.
    pub next_words: u64,
    /// The text from the block on, as far as it is there.
    pub text: &'a [u8],
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

    /// The bytes in strings, from opening quotes to before closing ones.
    #[inline(always)]
    pub(super) fn strings(&self, block: &Block, visible: u64) -> u64 {
        let quotes = block.quotes & visible;
        let (begin, end) = (quotes & block.tokens, quotes & !block.tokens);
        end.wrapping_sub(begin).wrapping_sub(self.in_string)
    }

    /// Checks 64 bytes. Where they are doubtful, nothing has changed.
    #[inline(always)]
    pub(super) fn check(
        &mut self,
        place: &Place<'_>,
        open: &mut Innermost,
        depths: Depths,
    ) -> Verdict {
        let Some(around) = Around::new(place, *open, depths) else { return Verdict::Doubtful };
        let mut next = *self;
        if next.tokens_follow(place, &around)
            && words_are_right(place, around.visible)
            && escapes_are_right(place, around.visible)
        {
            *self = next;
            *open = around.open;
            return around.end.map_or(Verdict::Right, Verdict::End);
        }
        Verdict::Doubtful
    }

    /// Whether every token may follow the one before it.
    #[inline(always)]
    fn tokens_follow(&mut self, place: &Place<'_>, around: &Around) -> bool {
        let (block, visible) = (place.block, around.visible);
        let begins = block.tokens & visible;
        let strings = self.strings(block, visible);
        let words = block.words & visible;
        let commas = block.commas & visible;
        let brackets = block.brackets & visible;
        let colons = begins & !(brackets | block.quotes | words | commas);
        let spaces = visible & !(strings | block.quotes | words | commas | colons | brackets);
        let opens = brackets & block.opens;
        let closes = brackets & !block.opens;
        let values = begins & !(commas | colons | closes);
        let keyed = (opens & block.braces) | (commas & around.objects);

        // Where a value begins all else is 0: the bit is that of the value's first byte.
        self.value <<= visible.trailing_zeros();
        let may_be_value = after(opens | commas | colons, &mut self.value, spaces);
        let may_close = after(opens, &mut self.close, spaces);
        let is_key = after(keyed, &mut self.key, spaces);
        let keys = is_key & values & block.quotes;
        let (past, over) = strings.overflowing_add(keys);
        let (past, over_again) = past.overflowing_add(self.in_key);
        self.in_key = u64::from(over | over_again);
        self.in_string = strings >> 63;
        let needs_colon = after(past & !strings, &mut self.colon, spaces);

        let wrong = (may_be_value ^ values) & !(closes & may_close)
            | is_key & values & !block.quotes
            | (needs_colon ^ colons);
        wrong & begins == 0
    }
}

/// The bytes after those of a mask and after the space that follows these.
#[inline(always)]
fn after(ends: u64, carry: &mut u64, spaces: u64) -> u64 {
    let next = (ends << 1) | *carry;
    *carry = ends >> 63;
    if spaces == 0 {
        return next;
    }
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
    fn new(place: &Place<'_>, open: Innermost, depths: Depths) -> Option<Around> {
        let Innermost { mut kinds, depth } = open;
        let block = place.block;
        // How far above the floor, and how far it may be.
        let mut above = depth.wrapping_sub(depths.floor);
        let room = depths.max.wrapping_sub(depths.floor);
        let mut objects = 0u64.wrapping_sub(kinds & 1);
        let mut wrong = 0;
        let mut brackets = block.brackets & place.visible;
        while brackets != 0 {
            let bit = brackets.trailing_zeros();
            brackets &= brackets - 1;
            let brace = (block.braces >> bit) & 1;
            let before = kinds & 1;
            if (block.opens >> bit) & 1 == 1 {
                kinds = (kinds << 1) | brace;
                above = above.wrapping_add(1);
            } else {
                wrong |= before ^ brace;
                kinds >>= 1;
                above = above.wrapping_sub(1);
            }
            objects ^= 0u64.wrapping_sub((before ^ kinds) & 1) << bit;
            // One comparison for both ends.
            if above.wrapping_sub(1) >= room {
                if above != 0 || wrong != 0 {
                    return None;
                }
                let open = Innermost { kinds, depth: depths.floor };
                let visible = place.visible & (!0 >> (63 - bit));
                return Some(Around { open, objects, visible, end: Some(bit) });
            }
        }
        let depth = depths.floor.wrapping_add(above);
        let open = Innermost { kinds, depth };
        (wrong == 0).then_some(Around { open, objects, visible: place.visible, end: None })
    }
}

/// Whether the words that begin here are whole and their ends are known.
#[inline(always)]
fn words_are_right(place: &Place<'_>, visible: u64) -> bool {
    let words = place.block.words;
    let mut begins = place.block.tokens & words & visible;
    while begins != 0 {
        let bit = begins.trailing_zeros();
        begins &= begins - 1;
        // In two steps: all 64 at once are no shift.
        let word = (words >> bit) | ((place.next_words << 1) << (63 - bit));
        let len = word.trailing_ones();
        let start = bit as usize;
        let common = place.text.get(start..start + 8).is_some_and(|text| {
            text.try_into().is_ok_and(|bytes| Word::is_common(bytes, len as usize))
        });
        if common {
            continue;
        }
        let text = place.text.get(start..start + len as usize);
        if len == u64::BITS || !text.is_some_and(Word::is_whole) {
            return false;
        }
    }
    true
}

/// Whether the escapes that begin here are whole, and none is half of a pair.
#[inline(always)]
fn escapes_are_right(place: &Place<'_>, visible: u64) -> bool {
    let mut escapes = place.block.escapes & visible;
    while escapes != 0 {
        let bit = escapes.trailing_zeros() as usize;
        escapes &= escapes - 1;
        let text = place.text.get(bit..).unwrap_or_default();
        let is_right = match text.get(1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => true,
            _ => matches!(string::escape(text), Some((_, 6))),
        };
        if !is_right {
            return false;
        }
    }
    true
}
