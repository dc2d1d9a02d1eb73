//! A second look at a piece in which an echo was found.
//!
//! Nearly always a glance is enough: words of the format stand at known keys, and only `after` of a
//! change, where `before` is another value, has echoes that must say that they changed. Where it is
//! not, the piece is taken apart, once for all echoes in it.
//!
//! What is wrong in a piece, where nobody has looked before, is no error here: how much of a
//! document is looked at must not depend on what is secret in it. Of such a piece all echoes are
//! masked.

use super::chunk::{Chunk, Span};
use super::mask::NUMBERED;
use super::pairs::changed_scalars;
use crate::error::Result;
use crate::input::Slice;
use crate::json::Validation;
use crate::json::cursor::Cursor;
use crate::json::outline::Outline;
use crate::limits::Limits;
use crate::plan::PieceKind;
use crate::scan::Isa;
use crate::secret::words::{WORDS, words};

/// The pieces of a chunk that were looked at.
pub(super) struct Looks {
    isa: Isa,
    limits: Limits,
    /// The start of the last of them, and what was seen.
    last: Option<(u64, Look)>,
}

/// What of a piece decides on the echoes in it, as offsets, in order.
#[derive(Default)]
struct Look {
    /// Words that the format defines, or that stand in the configuration as they are: they come
    /// from no value.
    words: Vec<u64>,
    /// Scalars of `after` that are others in `before`: a bit for each byte of the piece.
    changed: Vec<u64>,
    /// The highest number that a mask in it has ([`super::mask::Mask::Key`]).
    highest: u32,
}

impl Looks {
    pub fn new(isa: Isa, limits: Limits) -> Looks {
        Looks { isa, limits, last: None }
    }

    /// Forgets the chunk before.
    pub fn clear(&mut self) {
        self.last = None;
    }

    /// Whether a scalar of a piece is a word of the format.
    pub fn is_word(&mut self, chunk: &Chunk, piece: &Span, at: u64) -> bool {
        if piece.kind == PieceKind::Scalar {
            return piece.range.start == at;
        }
        let before = chunk.text(piece.range.start..at).trim_ascii_end();
        let may_be = match before.strip_suffix(b":").map(<[u8]>::trim_ascii_end) {
            Some(before) => WORDS.iter().any(|word| ends_with_key(before, word)),
            // An element of an array: `actions` has words, too.
            None => before.ends_with(b"[") || before.ends_with(b","),
        };
        may_be && self.at(chunk, piece).words.binary_search(&at).is_ok()
    }

    /// Whether a scalar of a piece is another than before.
    pub fn is_changed(&mut self, chunk: &Chunk, piece: &Span, at: u64) -> bool {
        piece.after.contains(&at) && {
            let (at, look) = (at - piece.range.start, self.at(chunk, piece));
            let word = look.changed.get((at / 64) as usize).copied().unwrap_or_default();
            (word >> (at % 64)) & 1 == 1
        }
    }

    /// A number for the mask of a key that no mask in the piece has: two keys of one object must
    /// not become the same.
    pub fn free_number(&mut self, chunk: &Chunk, piece: &Span, number: u32) -> u32 {
        number.saturating_add(self.at(chunk, piece).highest)
    }

    fn at(&mut self, chunk: &Chunk, piece: &Span) -> &Look {
        let start = piece.range.start;
        if self.last.as_ref().is_none_or(|(last, _)| *last != start) {
            let text = chunk.text(piece.range.clone());
            let mut look = self.look(text, piece.kind).unwrap_or_default();
            look.highest = highest_number(text);
            look.words.iter_mut().for_each(|offset| *offset += start);
            look.words.sort_unstable();
            self.last = Some((start, look));
        }
        match &self.last {
            Some((_, look)) => look,
            None => unreachable!("it was just put there"),
        }
    }

    fn look(&self, text: &[u8], kind: PieceKind) -> Result<Look> {
        let mut look = Look::default();
        let mut cursor = Cursor::new(Slice(text), 0, self.isa, Validation::Structure, self.limits);
        let mut outline = Outline::new();
        cursor.outline(&mut outline)?;
        let value = cursor.value(&mut outline);
        look.words = words(kind, value)?;
        let change = match kind {
            PieceKind::OutputChange => Some(value),
            PieceKind::ResourceChange => value.get("change")?,
            PieceKind::DeferredChange => match value.get("resource_change")? {
                Some(resource_change) => resource_change.get("change")?,
                None => None,
            },
            _ => None,
        };
        if let Some(change) = change
            && let (Some(before), Some(after)) = (change.get("before")?, change.get("after")?)
        {
            look.changed = vec![0; text.len().div_ceil(64)];
            changed_scalars(before, after, |at| {
                look.changed[(at / 64) as usize] |= 1 << (at % 64)
            })?;
        }
        Ok(look)
    }
}

/// The highest number of a mask in a text.
fn highest_number(text: &[u8]) -> u32 {
    let [open, _] = NUMBERED;
    let numbers = memchr::memmem::find_iter(text, open).filter_map(|place| {
        let rest = &text[place + open.len()..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
    });
    numbers.max().unwrap_or(0)
}

fn ends_with_key(text: &[u8], key: &str) -> bool {
    let text = text.strip_suffix(b"\"").and_then(|text| text.strip_suffix(key.as_bytes()));
    text.is_some_and(|text| text.ends_with(b"\""))
}
