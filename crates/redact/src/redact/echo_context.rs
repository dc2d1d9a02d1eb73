//! Parses a piece again if it contains an echo, to decide how to mask the echo.
//!
//! Usually a cheap test is enough. Words of the format are at known keys. Only the mask of an echo
//! in `after` must say whether the value differs from `before`. If these tests do not decide, the
//! piece is parsed once for all its echoes.
//!
//! Errors in a piece that the walk did not parse are ignored here: how strictly a document is
//! checked must not depend on its secrets. In such a piece all echoes are masked.

use std::ops::Range;

use super::chunk::{Chunk, Span};
use super::mask::NUMBERED;
use super::pairs::changed_scalars;
use crate::secret::words::{WORDS, words};
use plansift_core::error::Result;
use plansift_core::input::Slice;
use plansift_core::json::Validation;
use plansift_core::json::cursor::Cursor;
use plansift_core::json::outline::Outline;
use plansift_core::json::value::Value;
use plansift_core::limits::Limits;
use plansift_core::scan::Isa;
use plansift_core::text_document::may_open_document;
use plansift_plan::plan::PieceKind;

/// Parses the pieces of a chunk when an echo needs it, and keeps the last result.
pub(super) struct EchoContexts {
    isa: Isa,
    limits: Limits,
    /// The start of the last parsed piece, and the result.
    last: Option<(u64, EchoContext)>,
}

/// The facts about a piece that decide how to mask its echoes.
#[derive(Default)]
struct EchoContext {
    /// The offsets, in ascending order, of words that the format defines, or that come unchanged
    /// from the configuration. They are never computed from values.
    words: Vec<u64>,
    /// One bit for each byte of the piece. The bit at the start of a scalar in `after` is set if
    /// the scalar differs from `before`.
    changed: Vec<u64>,
    /// The strings in `after` that differ from `before` and may be documents: their offsets, and
    /// the ranges of the strings in `before`. In ascending order.
    documents: Vec<(u64, Range<u64>)>,
    /// The highest number in the masks that the piece already contains
    /// ([`super::mask::Mask::Key`]).
    highest: u32,
}

impl EchoContexts {
    pub fn new(isa: Isa, limits: Limits) -> EchoContexts {
        EchoContexts { isa, limits, last: None }
    }

    /// Forgets the previous chunk.
    pub fn clear(&mut self) {
        self.last = None;
    }

    /// Whether the scalar at `at` is a word of the format.
    pub fn is_word(&mut self, chunk: &Chunk, piece: &Span, at: u64) -> bool {
        if piece.kind == PieceKind::Scalar {
            return piece.range.start == at;
        }
        let before = chunk.text(piece.range.start..at).trim_ascii_end();
        let may_be = match before.strip_suffix(b":").map(<[u8]>::trim_ascii_end) {
            Some(before) => WORDS.iter().any(|word| ends_with_key(before, word)),
            // An element of an array: `actions` contains words too.
            None => before.ends_with(b"[") || before.ends_with(b","),
        };
        may_be && self.at(chunk, piece).words.binary_search(&at).is_ok()
    }

    /// Whether the scalar at `at` differs from its value in `before`.
    pub fn is_changed(&mut self, chunk: &Chunk, piece: &Span, at: u64) -> bool {
        piece.after.contains(&at) && {
            let (at, context) = (at - piece.range.start, self.at(chunk, piece));
            let word = context.changed.get((at / 64) as usize).copied().unwrap_or_default();
            (word >> (at % 64)) & 1 == 1
        }
    }

    /// Returns the range of the string in `before` that the string at `at` replaces. Returns `None`
    /// if the strings are equal, or if one of them cannot be a document.
    pub fn before(&mut self, chunk: &Chunk, piece: &Span, at: u64) -> Option<Range<u64>> {
        if !piece.after.contains(&at) {
            return None;
        }
        let (start, documents) = (piece.range.start, &self.at(chunk, piece).documents);
        let found = documents.binary_search_by_key(&(at - start), |(after, _)| *after).ok()?;
        let Range { start: from, end } = documents[found].1.clone();
        Some(start + from..start + end)
    }

    /// Returns a number for the mask of a key that no mask in the piece has yet, so that two keys
    /// of an object stay different.
    pub fn free_number(&mut self, chunk: &Chunk, piece: &Span, number: u32) -> u32 {
        number.saturating_add(self.at(chunk, piece).highest)
    }

    fn at(&mut self, chunk: &Chunk, piece: &Span) -> &EchoContext {
        let start = piece.range.start;
        if self.last.as_ref().is_none_or(|(last, _)| *last != start) {
            let text = chunk.text(piece.range.clone());
            let mut context = self.parse(text, piece.kind).unwrap_or_default();
            context.highest = highest_number(text);
            context.words.iter_mut().for_each(|offset| *offset += start);
            context.words.sort_unstable();
            self.last = Some((start, context));
        }
        match &self.last {
            Some((_, context)) => context,
            None => unreachable!("it was just put there"),
        }
    }

    fn parse(&self, text: &[u8], kind: PieceKind) -> Result<EchoContext> {
        let mut context = EchoContext::default();
        let mut cursor = Cursor::new(Slice(text), 0, self.isa, Validation::Structure, self.limits);
        let mut outline = Outline::new();
        cursor.outline(&mut outline)?;
        let value = cursor.value(&mut outline);
        context.words = words(kind, value)?;
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
            context.changed = vec![0; text.len().div_ceil(64)];
            changed_scalars(before, after, |[before, after]| {
                let at = after.offset();
                context.changed[(at / 64) as usize] |= 1 << (at % 64);
                if [before, after].into_iter().all(may_be_document) {
                    context.documents.push((at, before.range()));
                }
            })?;
            context.documents.sort_unstable_by_key(|(after, _)| *after);
        }
        Ok(context)
    }
}

/// Whether a scalar may be a string with a document. Shorter ones have no room for a copy, so
/// their number is limited by the size of the piece.
fn may_be_document(scalar: Value<'_>) -> bool {
    const LEN_MIN: usize = r#""[1]""#.len();
    let raw = scalar.raw();
    raw.len() >= LEN_MIN && (may_open_document(raw) || memchr::memchr(b'\\', raw).is_some())
}

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
