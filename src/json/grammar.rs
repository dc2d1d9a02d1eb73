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
//! one, which also counts them and compares their kinds. What words and escapes are made of is
//! looked at elsewhere ([`super::leaves`]).
//!
//! This says whether all is right, or where the value ends, but not what is wrong: what is doubtful
//! is looked at again, token by token, by `Cursor::walk`. Both must say the same of every text;
//! [`Follow`] and [`Want`] say the same in their words. To doubt what is right costs time only.

use super::brackets::Innermost;
use super::want::Want;
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

/// A block, as far as it is looked at.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub block: &'a Block,
    /// The bytes that count: these and all after them.
    pub visible: u64,
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

    /// Checks 64 bytes. Unless they are right, nothing has changed.
    #[inline(always)]
    pub(super) fn check(
        &mut self,
        place: Place<'_>,
        open: &mut Innermost,
        depths: Depths,
    ) -> Verdict {
        let brackets = u64::from(place.block.brackets.count_ones());
        if open.depth + brackets > Innermost::DEPTH_MAX {
            return Verdict::Doubtful;
        }
        let Some(around) = Around::new(place, *open, depths) else {
            return Verdict::Doubtful;
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
    fn new(place: Place<'_>, open: Innermost, depths: Depths) -> Option<Around> {
        let Innermost { mut kinds, depth } = open;
        let Block { opens, braces, .. } = *place.block;
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
