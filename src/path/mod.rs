//! Paths to places inside a resource's values, and lists of them
//! (docs/format/records.md, section 2).
//!
//! A list keeps the text of all its keys in one buffer, so that collecting the paths of a change
//! allocates nothing once the buffers have grown. Putting it in order mostly looks at one number a
//! path: the beginning of its first key (`Span::lead`).

mod address;
mod pattern;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::convert::Infallible;
use std::fmt;

use serde::ser::{Serialize, SerializeSeq, Serializer};

pub use self::address::AddressPattern;
pub use self::pattern::{DECODERS, Pattern};
use crate::error::{Error, ErrorKind};

/// One step down into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step<'a> {
    /// An attribute or map key, decoded.
    Key(&'a str),
    /// A place in a list.
    Index(u32),
    /// An element of a set, which has no name.
    Element,
}

/// A path: steps from the root of a value, borrowed from a [`Paths`].
#[derive(Clone, Copy)]
pub struct Path<'a> {
    keys: &'a str,
    steps: &'a [Packed],
}

/// A list of paths.
#[derive(Debug, Default)]
pub struct Paths {
    keys: String,
    steps: Vec<Packed>,
    spans: Vec<Span>,
    /// Where in `steps` the path begins that is being pushed.
    open: u32,
}

/// A step; a key is a range of the list's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packed {
    Key { start: u32, end: u32 },
    Index(u32),
    Element,
}

/// Where in a list's steps a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    /// Of two paths with different leads, the one with the lesser lead comes first.
    ///
    /// It is what the first key begins with, the first byte the most significant. No text has a
    /// byte 0xff, so an index or an element, which come after all keys, have the greatest one. A
    /// short key is filled up with zeros, which may be bytes of another key as well: equal leads
    /// say nothing.
    lead: u64,
    start: u32,
    end: u32,
}

impl Paths {
    /// An empty list.
    pub fn new() -> Paths {
        Paths::default()
    }

    /// Number of paths.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Forgets all paths and keeps the memory, unless that is very much.
    pub fn clear(&mut self) {
        const KEPT: u64 = 1 << 20;
        if self.size() > KEPT {
            *self = Paths::new();
        }
        self.keys.clear();
        self.steps.clear();
        self.spans.clear();
        self.open = 0;
    }

    /// Forgets the paths that were pushed after the first `len`. The list must not be sorted since.
    pub fn truncate(&mut self, len: usize) {
        let Some(&Span { start, .. }) = self.spans.get(len) else { return };
        let first_key = self.steps[start as usize..].iter().find_map(|step| match step {
            Packed::Key { start, .. } => Some(*start as usize),
            Packed::Index(_) | Packed::Element => None,
        });
        self.keys.truncate(first_key.unwrap_or(self.keys.len()));
        self.steps.truncate(start as usize);
        self.spans.truncate(len);
        self.open = start;
    }

    /// Whether a path has more than one step.
    pub fn are_deep(&self) -> bool {
        self.spans.iter().any(|span| span.end - span.start > 1)
    }

    /// The memory that the paths take, in bytes.
    pub fn size(&self) -> u64 {
        let steps = size_of_val(&self.steps[..]) + size_of_val(&self.spans[..]);
        (self.keys.len() + steps) as u64
    }

    /// Appends a path.
    ///
    /// # Panics
    ///
    /// If the keys of a list have more than 4 GiB; whoever collects paths of unknown number holds
    /// [`Paths::size`] to a limit.
    pub fn push<'s>(&mut self, steps: impl IntoIterator<Item = Step<'s>>) {
        steps.into_iter().for_each(|step| self.push_step(step));
        self.end();
    }

    /// Appends a step to a path that is no part of the list before its [end](Paths::end).
    ///
    /// # Panics
    ///
    /// As [`Paths::push`].
    #[inline]
    pub fn push_step(&mut self, step: Step<'_>) {
        let packed = match step {
            Step::Key(key) => {
                let start = packed_len(self.keys.len());
                self.keys.push_str(key);
                Packed::Key { start, end: packed_len(self.keys.len()) }
            }
            Step::Index(index) => Packed::Index(index),
            Step::Element => Packed::Element,
        };
        self.steps.push(packed);
    }

    /// Appends the path whose steps were pushed one by one.
    ///
    /// # Panics
    ///
    /// As [`Paths::push`].
    #[inline]
    pub fn end(&mut self) {
        let (start, end) = (self.open, packed_len(self.steps.len()));
        let lead = match self.steps[start as usize..].first() {
            Some(Packed::Key { start, end }) => {
                lead(&self.keys.as_bytes()[*start as usize..*end as usize])
            }
            Some(Packed::Index(_) | Packed::Element) => u64::MAX,
            None => 0,
        };
        self.spans.push(Span { lead, start, end });
        self.open = end;
    }

    /// Appends the path that `text` stands for: what [`Path`] writes, read back
    /// (docs/format/records.md, section 2).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Path`], at the byte of `text` where it is no path. The list stays as it was.
    pub fn push_text(&mut self, text: &str) -> Result<(), Error> {
        let mut steps = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (step, len) = text_step(&text[at..], at == 0)
                .ok_or_else(|| Error::at(ErrorKind::Path, at as u64))?;
            steps.push(step);
            at += len;
        }
        self.push(steps.iter().map(|step| match step {
            TextStep::Key(key) => Step::Key(key),
            TextStep::Index(index) => Step::Index(*index),
            TextStep::Element => Step::Element,
        }));
        Ok(())
    }

    /// The paths in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Path<'_>> {
        self.spans.iter().map(|&span| self.path(span))
    }

    /// The path at that place of the list.
    pub fn get(&self, place: usize) -> Option<Path<'_>> {
        self.spans.get(place).map(|&span| self.path(span))
    }

    fn path(&self, span: Span) -> Path<'_> {
        Path { keys: &self.keys, steps: &self.steps[span.start as usize..span.end as usize] }
    }

    /// Whether a path is among these, or leads on from one of them. They are in order, and none of
    /// them leads on from another.
    pub fn has_above(&self, path: Path<'_>) -> bool {
        let after = self.spans.partition_point(|&span| self.path(span) <= path);
        // What lies between a path and what is above it leads on from that, too.
        let last = after.checked_sub(1).and_then(|last| self.get(last));
        last.is_some_and(|last| path.is_below(last))
    }

    /// Whether a path is among these, or one of them leads on from it. They are in order.
    pub fn has_below(&self, path: Path<'_>) -> bool {
        self.first_below(path).is_some()
    }

    /// The first of these that leads on from a path, or is it. They are in order.
    pub fn first_below(&self, path: Path<'_>) -> Option<Path<'_>> {
        let first = self.spans.partition_point(|&span| self.path(span) < path);
        self.get(first).filter(|first| first.is_below(path))
    }

    /// Adds a step to the path that was pushed last. The list must not be sorted since.
    pub fn lengthen(&mut self, step: Step<'_>) {
        if let Some(last) = self.spans.pop() {
            self.open = last.start;
        }
        self.push_step(step);
        self.end();
    }

    /// Whether the paths are those of another list and came there in the same way: a look at the
    /// memory of both. `false` says nothing.
    pub fn is_twin_of(&self, other: &Paths) -> bool {
        self.spans == other.spans && self.keys == other.keys && self.steps == other.steps
    }

    /// Sorts step by step and drops repetitions.
    pub fn sort(&mut self) {
        let mut spans = std::mem::take(&mut self.spans);
        if !spans.is_sorted_by(|a, b| self.order(a, b).is_lt()) {
            spans.sort_unstable_by(|a, b| self.order(a, b));
            spans.dedup_by(|a, b| self.order(a, b).is_eq());
        }
        self.spans = spans;
    }

    #[inline]
    fn order(&self, a: &Span, b: &Span) -> Ordering {
        match a.lead.cmp(&b.lead) {
            Ordering::Equal => self.path(*a).cmp(&self.path(*b)),
            order => order,
        }
    }

    /// Sorts, and drops each path that lies below another of the list.
    pub fn sort_outermost(&mut self) {
        self.sort();
        let mut spans = std::mem::take(&mut self.spans);
        let mut kept: Option<Span> = None;
        spans.retain(|&span| {
            let below = kept.is_some_and(|above| self.path(span).is_below(self.path(above)));
            if !below {
                kept = Some(span);
            }
            !below
        });
        self.spans = spans;
    }

    /// Cuts each path that lies below one of `places` at that place, and tells whether there was
    /// such a path. The places are sorted, and none of them lies below another.
    pub fn cut_at(&mut self, places: &Paths) -> bool {
        let mut spans = std::mem::take(&mut self.spans);
        let mut is_cut = false;
        for span in &mut spans {
            let reached = places.spans.partition_point(|place| match place.lead.cmp(&span.lead) {
                Ordering::Equal => places.path(*place) <= self.path(*span),
                order => order.is_lt(),
            });
            // Only below the last place that does not come after it a path can lie.
            let Some(place) = reached.checked_sub(1).map(|last| places.spans[last]) else {
                continue;
            };
            let len = place.end - place.start;
            if span.end - span.start > len && self.path(*span).is_below(places.path(place)) {
                *span = Span { lead: place.lead, start: span.start, end: span.start + len };
                is_cut = true;
            }
        }
        self.spans = spans;
        is_cut
    }
}

impl Clone for Paths {
    fn clone(&self) -> Paths {
        let mut copy = Paths::new();
        copy.clone_from(self);
        copy
    }

    /// Takes no new memory where there is enough.
    fn clone_from(&mut self, other: &Paths) {
        self.keys.clone_from(&other.keys);
        self.steps.clone_from(&other.steps);
        self.spans.clone_from(&other.spans);
        self.open = other.open;
    }
}

fn packed_len(len: usize) -> u32 {
    match len.try_into() {
        Ok(len) => len,
        Err(_) => panic!("{len} bytes of keys or steps in one list of paths"),
    }
}

/// What a key begins with, as a number of the same order.
fn lead(key: &[u8]) -> u64 {
    if let Some(bytes) = key.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let (mut lead, mut rest) = (0, key);
    if let Some(half) = key.first_chunk() {
        lead = u64::from(u32::from_be_bytes(*half)) << 32;
        rest = &key[4..];
    }
    for (byte, place) in rest.iter().rev().zip(8 - key.len()..) {
        lead |= u64::from(*byte) << (8 * place);
    }
    lead
}

impl<'a> Path<'a> {
    /// The steps from the root.
    pub fn steps(self) -> impl ExactSizeIterator<Item = Step<'a>> {
        self.steps.iter().map(move |&step| self.unpacked(step))
    }

    /// The step at that depth, from 0.
    pub fn step(self, depth: usize) -> Option<Step<'a>> {
        self.steps.get(depth).map(|&step| self.unpacked(step))
    }

    fn unpacked(self, step: Packed) -> Step<'a> {
        match step {
            Packed::Key { start, end } => Step::Key(&self.keys[start as usize..end as usize]),
            Packed::Index(index) => Step::Index(index),
            Packed::Element => Step::Element,
        }
    }

    /// Appends its text, as [`fmt::Display`] writes it, with less ado.
    pub fn push_to(self, text: &mut String) {
        let Ok(()) = self.pieces(|piece| {
            text.push_str(piece);
            Ok::<(), Infallible>(())
        });
    }

    /// Hands out the pieces of its text.
    #[inline]
    fn pieces<E>(self, mut each: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        for (place, step) in self.steps().enumerate() {
            match step {
                Step::Key(key) => key_pieces(key, place == 0, &mut each)?,
                Step::Index(index) => {
                    each("[")?;
                    decimal(index, &mut each)?;
                    each("]")?;
                }
                Step::Element => each("[*]")?,
            }
        }
        Ok(())
    }

    /// Whether it is another path or leads on from it.
    pub fn is_below(self, above: Path<'_>) -> bool {
        self.steps.len() >= above.steps.len()
            && self.steps().zip(above.steps()).all(|(a, b)| a == b)
    }
}

impl PartialEq for Path<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Path<'_> {}

impl PartialOrd for Path<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Path<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.steps().cmp(other.steps())
    }
}

impl fmt::Debug for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces(|piece| f.write_str(piece))
    }
}

/// A step of a path's text.
enum TextStep<'a> {
    Key(Cow<'a, str>),
    Index(u32),
    Element,
}

/// The step that a text begins with and the length of its text; `None` where there is none.
fn text_step(text: &str, is_first: bool) -> Option<(TextStep<'_>, usize)> {
    let Some(inside) = text.strip_prefix('[') else {
        let ident = if is_first { text } else { text.strip_prefix('.')? };
        let end = ident.find(['.', '[']).unwrap_or(ident.len());
        let key = is_ident(&ident[..end]).then(|| Cow::Borrowed(&ident[..end]))?;
        return Some((TextStep::Key(key), text.len() - ident.len() + end));
    };
    let (step, len) = if inside.starts_with('"') {
        let mut strings = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        let key = strings.next()?.ok()?;
        (TextStep::Key(Cow::Owned(key)), strings.byte_offset())
    } else {
        let end = inside.find(']')?;
        let digits = &inside[..end];
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_canonical = is_number && (digits == "0" || !digits.starts_with('0'));
        match digits {
            "*" => (TextStep::Element, end),
            _ if is_canonical => (TextStep::Index(digits.parse().ok()?), end),
            _ => return None,
        }
    };
    inside[len..].starts_with(']').then_some((step, len + 2))
}

fn is_ident(key: &str) -> bool {
    const PART: [bool; 256] = {
        let mut part = [false; 256];
        let mut byte = 0;
        while byte < 128 {
            let is_sign = byte == b'_' || byte == b'-';
            part[byte as usize] = is_sign || byte.is_ascii_alphanumeric();
            byte += 1;
        }
        part
    };
    let first = key.bytes().next();
    first.is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && key.bytes().all(|byte| PART[usize::from(byte)])
}

/// Appends a key to the text of a path.
pub(crate) fn push_key(text: &mut String, key: &str) {
    let is_first = text.is_empty();
    let Ok(()) = key_pieces(key, is_first, &mut |piece: &str| {
        text.push_str(piece);
        Ok::<(), Infallible>(())
    });
}

/// A step to a key: `key` or `.key` where it is an identifier, otherwise `["key"]`.
fn key_pieces<E>(
    key: &str,
    is_first: bool,
    each: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    if !is_ident(key) {
        return quoted(key, each);
    }
    if !is_first {
        each(".")?;
    }
    each(key)
}

/// `["key"]`, escaping only what JSON demands.
fn quoted<E>(key: &str, each: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    each("[\"")?;
    let mut rest = key;
    while let Some(at) = rest.find(|c| matches!(c, '\0'..='\u{1f}' | '"' | '\\')) {
        let (plain, escaped) = rest.split_at(at);
        each(plain)?;
        match escaped.as_bytes()[0] {
            b'"' => each("\\\"")?,
            b'\\' => each("\\\\")?,
            b'\n' => each("\\n")?,
            b'\r' => each("\\r")?,
            b'\t' => each("\\t")?,
            8 => each("\\b")?,
            12 => each("\\f")?,
            control => {
                each("\\u00")?;
                each(digit(control >> 4))?;
                each(digit(control & 15))?;
            }
        }
        rest = &escaped[1..];
    }
    each(rest)?;
    each("\"]")
}

/// The digits of a number.
fn decimal<E>(number: u32, each: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    let mut power = 1;
    while number / power >= 10 {
        power *= 10;
    }
    while power > 0 {
        each(digit((number / power % 10) as u8))?;
        power /= 10;
    }
    Ok(())
}

/// A digit of a number up to base 16.
fn digit(value: u8) -> &'static str {
    const DIGITS: &str = "0123456789abcdef";
    let at = usize::from(value);
    &DIGITS[at..=at]
}

impl Serialize for Paths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for path in self.iter() {
            list.serialize_element(&path)?;
        }
        list.end()
    }
}

impl Serialize for Path<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests;
