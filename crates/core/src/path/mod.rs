//! Paths into the values of a resource, addresses of resources, and patterns for both.
//!
//! | type | text | use |
//! | --- | --- | --- |
//! | [`Path`], [`Paths`] | `tags.Name`, `ingress[0].port`, `set[*]` | lists of paths in records |
//! | [`AttributePath`] | the same without `[*]` | the path to one value |
//! | [`AttributeQuery`] | `ingress[*].port`, `ingress.0.port` | the values of an assertion |
//! | [`Pattern`] | `tags`, `*.password` | attributes, for rules and filters (docs/patterns.md) |
//! | [`AddressPattern`] | `aws_db_*`, `module.net` | resources, for rules and filters |
//! | [`ConfigAddress`] | `module.net.aws_vpc.main` | a block of a configuration |
//! | [`ResourceAddress`] | `module.net["a"].aws_vpc.main[0]` | a resource instance |
//!
//! # Lists of paths
//!
//! Paths have the text that docs/format/records.md describes in section 2.
//!
//! A list stores the text of all its keys in one buffer. So collecting the paths of a change
//! allocates nothing once the buffers have grown. Sorting mostly compares one number for each path:
//! the start of its first key (`Span::lead`).

mod address;
mod address_pattern;
mod attribute;
mod document_path;
mod leaves;
mod pattern;
mod query;
mod resource_address;
mod step_cursor;
mod type_set;
mod type_set_file;
mod values;

use std::cmp::Ordering;
use std::convert::Infallible;
use std::fmt;

use serde::ser::{Serialize, SerializeSeq, Serializer};

pub use self::address::without_key;
pub use self::address::{ConfigAddress, without_keys};
pub use self::address::{module_address, module_calls, module_names, names, resource_names};
pub use self::address_pattern::AddressPattern;
use self::attribute::index;
pub use self::attribute::{AttributePath, AttributeStep};
pub use self::document_path::{
    DECODERS, DocumentPath, NO_DOCUMENTS, PATH_OF_STRING, document_strings, outer_string,
    refuse_document, split_document,
};
pub use self::leaves::{OwnedStep, walk_leaves};
pub use self::pattern::{Pattern, split_exact};
pub use self::query::AttributeQuery;
pub use self::resource_address::{
    InstanceKey, Mode, ResourceAddress, escape_key, split_module, unescape_key,
};
pub use self::step_cursor::StepCursor;
pub use self::type_set::{SetsInUse, TYPE_SETS, TypeSet, TypeSets, UnknownSet};
pub use self::type_set_file::{TypeSetError, TypeSetFault, TypeSetPlace};
use crate::error::{Error, ErrorKind};
use crate::json::string::quoted_pieces;

/// One step from a value to a value inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step<'a> {
    /// An attribute or map key, decoded.
    Key(&'a str),
    /// An index of a list.
    Index(u32),
    /// An element of a set, which has neither a key nor an index.
    Element,
}

/// A path: the steps from the root of a value, borrowed from a [`Paths`].
#[derive(Clone, Copy)]
pub struct Path<'a> {
    keys: &'a str,
    steps: &'a [Packed],
}

/// A list of paths.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    keys: String,
    steps: Vec<Packed>,
    spans: Vec<Span>,
    /// The index in `steps` at which the unfinished path begins.
    open: u32,
}

/// A step. A key is a byte range of `Paths::keys`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packed {
    Key { start: u32, end: u32 },
    Index(u32),
    Element,
}

/// A path as a range of `Paths::steps`, and its sort key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    /// The first 8 bytes of the first key, as a big-endian number. A path with a smaller lead
    /// sorts first.
    ///
    /// An index or an element sorts after all keys, so its lead is `u64::MAX`. No key has that
    /// lead, because UTF-8 contains no byte 0xff. A short key is padded with zeros. Another key may
    /// contain zeros too, so paths with equal leads must be compared step by step.
    lead: u64,
    start: u32,
    end: u32,
}

impl Paths {
    /// Creates an empty list.
    pub fn new() -> Paths {
        Paths::default()
    }

    /// Returns the number of paths.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Removes all paths. Keeps the buffers unless the paths took more than 1 MiB.
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

    /// Keeps the first `len` paths that were pushed. The list must not have been sorted.
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

    /// Whether any path has more than one step.
    pub fn are_deep(&self) -> bool {
        self.spans.iter().any(|span| span.end - span.start > 1)
    }

    /// Returns the memory of the paths, in bytes.
    pub fn size(&self) -> u64 {
        let steps = size_of_val(&self.steps[..]) + size_of_val(&self.spans[..]);
        (self.keys.len() + steps) as u64
    }

    /// Appends a path.
    ///
    /// # Panics
    ///
    /// Panics if the keys of the list exceed 4 GiB. A caller that collects an unknown number of
    /// paths must check [`Paths::size`] against a limit.
    pub fn push<'s>(&mut self, steps: impl IntoIterator<Item = Step<'s>>) {
        steps.into_iter().for_each(|step| self.push_step(step));
        self.end();
    }

    /// Appends a step to the unfinished path. [`Paths::end`] adds that path to the list.
    ///
    /// # Panics
    ///
    /// Panics like [`Paths::push`].
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

    /// Adds the unfinished path to the list.
    ///
    /// # Panics
    ///
    /// Panics like [`Paths::push`].
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

    /// Parses the text of a path as [`Path`] writes it, and appends the path
    /// (docs/format/records.md, section 2).
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Path`] at the offset of the first invalid step. Then the list is
    /// unchanged.
    pub fn push_text(&mut self, text: &str) -> Result<(), Error> {
        let (keys, steps) = (self.keys.len(), self.steps.len());
        let mut at = 0;
        while at < text.len() {
            let Some(len) = self.push_text_step(&text[at..], at == 0) else {
                self.keys.truncate(keys);
                self.steps.truncate(steps);
                return Err(Error::at(ErrorKind::Path, at as u64));
            };
            at += len;
        }
        self.end();
        Ok(())
    }

    /// Appends the step at the start of `text`. Returns the length of the step in bytes; `None` if
    /// `text` does not start with a step.
    fn push_text_step(&mut self, text: &str, is_first: bool) -> Option<usize> {
        let Some(inside) = text.strip_prefix('[') else {
            let ident = if is_first { text } else { text.strip_prefix('.')? };
            let end = ident.find(['.', '[']).unwrap_or(ident.len());
            is_ident(&ident[..end]).then(|| self.push_step(Step::Key(&ident[..end])))?;
            return Some(text.len() - ident.len() + end);
        };
        let len = if inside.starts_with('"') {
            let (key, len) = json_string(inside)?;
            self.push_step(Step::Key(&key));
            len
        } else {
            let end = inside.find(']')?;
            self.push_step(match &inside[..end] {
                "*" => Step::Element,
                digits => Step::Index(index(digits)?.try_into().ok()?),
            });
            end
        };
        inside[len..].starts_with(']').then_some(len + 2)
    }

    /// Iterates over the paths in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Path<'_>> {
        self.spans.iter().map(|&span| self.path(span))
    }

    /// Returns the path with this index in the list.
    pub fn get(&self, place: usize) -> Option<Path<'_>> {
        self.spans.get(place).map(|&span| self.path(span))
    }

    fn path(&self, span: Span) -> Path<'_> {
        Path { keys: &self.keys, steps: &self.steps[span.start as usize..span.end as usize] }
    }

    /// Whether `path` equals a path of the list or is below one. The list must be sorted, and none
    /// of its paths may be below another.
    pub fn has_above(&self, path: Path<'_>) -> bool {
        let after = self.spans.partition_point(|&span| self.path(span) <= path);
        // In sorted order, every path between a path and its ancestor is below that ancestor.
        let last = after.checked_sub(1).and_then(|last| self.get(last));
        last.is_some_and(|last| path.is_below(last))
    }

    /// Whether a path of the list equals `path` or is below it. The list must be sorted.
    pub fn has_below(&self, path: Path<'_>) -> bool {
        self.first_below(path).is_some()
    }

    /// Returns the first path of the list that equals `path` or is below it. The list must be
    /// sorted.
    pub fn first_below(&self, path: Path<'_>) -> Option<Path<'_>> {
        let first = self.spans.partition_point(|&span| self.path(span) < path);
        self.get(first).filter(|first| first.is_below(path))
    }

    /// Returns the last path of the list that equals `path` or is below it. The list must be
    /// sorted.
    pub fn last_below(&self, path: Path<'_>) -> Option<Path<'_>> {
        let is_up_to = |place: Path<'_>| place < path || place.is_below(path);
        let behind = self.spans.partition_point(|&span| is_up_to(self.path(span)));
        self.get(behind.checked_sub(1)?).filter(|last| last.is_below(path))
    }

    /// Appends a step to the last path. The list must not have been sorted.
    pub fn lengthen(&mut self, step: Step<'_>) {
        if let Some(last) = self.spans.pop() {
            self.open = last.start;
        }
        self.push_step(step);
        self.end();
    }

    /// Sorts the paths by their steps and removes duplicates.
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

    /// Sorts the list, and removes each path that is below another.
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

    /// Shortens each path that is below a path of `places` to that path. Returns whether it
    /// shortened any. `places` must be sorted, and none of its paths may be below another.
    pub fn cut_at(&mut self, places: &Paths) -> bool {
        let mut spans = std::mem::take(&mut self.spans);
        let mut is_cut = false;
        for span in &mut spans {
            let reached = places.spans.partition_point(|place| match place.lead.cmp(&span.lead) {
                Ordering::Equal => places.path(*place) <= self.path(*span),
                order => order.is_lt(),
            });
            // Only the last place that does not sort after the path can be above it.
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

    /// Returns the list with each path shortened to the number of steps that `depth` returns for
    /// it, sorted and without duplicates. `None` if no path has more steps.
    pub fn cut(&self, depth: impl Fn(Path<'_>) -> Option<usize>) -> Option<Paths> {
        let kept = |path| depth(path).unwrap_or(usize::MAX);
        if self.iter().all(|path| path.steps().len() <= kept(path)) {
            return None;
        }
        let mut cut = Paths::new();
        self.iter().for_each(|path| cut.push(path.steps().take(kept(path))));
        cut.sort();
        Some(cut)
    }
}

/// Decodes the JSON string at the start of `text`. Returns the content, and the length of the
/// quoted string in bytes.
fn json_string(text: &str) -> Option<(String, usize)> {
    let mut strings = serde_json::Deserializer::from_str(text).into_iter();
    Some((strings.next()?.ok()?, strings.byte_offset()))
}

fn packed_len(len: usize) -> u32 {
    match len.try_into() {
        Ok(len) => len,
        Err(_) => panic!("{len} bytes of keys or steps in one list of paths"),
    }
}

/// Returns the first 8 bytes of a key as a big-endian number, padded with zeros.
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
    /// The name by which a serializer recognises a path.
    pub const NAME: &'static str = "Path";

    /// Iterates over the steps from the root.
    pub fn steps(self) -> impl ExactSizeIterator<Item = Step<'a>> {
        self.steps.iter().map(move |&step| self.unpacked(step))
    }

    /// Returns the step at this depth. The first step has depth 0.
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

    /// Appends the text of the path. Faster than [`fmt::Display`].
    pub fn push_to(self, text: &mut String) {
        let Ok(()) = self.pieces(|piece| {
            text.push_str(piece);
            Ok::<(), Infallible>(())
        });
    }

    /// Calls `each` with the pieces of the path's text.
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

    /// Whether the path equals `above` or starts with its steps.
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

/// Whether a key may be an attribute name that a provider chose: a lower-case identifier. Such a
/// key is part of a schema. Any other key is data, and may be secret.
pub fn is_attribute_name(key: &[u8]) -> bool {
    let first = key.first().is_some_and(|&byte| byte.is_ascii_lowercase() || byte == b'_');
    first && key.iter().all(|&byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'))
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

/// Returns the position of the first byte outside quotes for which `is_end` returns true. The
/// arguments of `is_end` are the position and the byte.
#[inline]
fn position_outside_quotes(text: &str, is_end: impl Fn(usize, u8) -> bool) -> Option<usize> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.bytes().enumerate().position(|(place, byte)| {
        let is_found = !is_quoted && is_end(place, byte);
        is_quoted ^= byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_found
    })
}

/// Appends a key to a path in the notation of records.
pub fn push_key(text: &mut String, key: &str) {
    let is_first = text.is_empty();
    let Ok(()) = key_pieces(key, is_first, &mut |piece: &str| {
        text.push_str(piece);
        Ok::<(), Infallible>(())
    });
}

/// Writes the step to a key: `key` or `.key` if the key is an identifier, otherwise `["key"]`.
fn key_pieces<E>(
    key: &str,
    is_first: bool,
    each: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    if !is_ident(key) {
        each("[")?;
        quoted_pieces(key, each)?;
        return each("]");
    }
    if !is_first {
        each(".")?;
    }
    each(key)
}

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

/// Returns the digit of a value below 10.
fn digit(value: u8) -> &'static str {
    const DIGITS: &str = "0123456789";
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
        serializer.serialize_newtype_struct(Path::NAME, &format_args!("{self}"))
    }
}

#[cfg(test)]
mod tests;
