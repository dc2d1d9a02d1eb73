//! A value of an outlined text: a position, from which everything below is reached lazily.
//!
//! Copying one costs nothing and going past one takes constant time, whatever it holds. What is
//! looked at is held to the full grammar; what is passed over is not looked at.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::outline::Outline;
use super::string;
use super::word::Word;
use crate::error::{Error, ErrorKind, Found, Result};

/// A value, borrowed from the window it stands in.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    text: &'a [u8],
    outline: &'a Outline,
    /// Its first byte, and the byte after its last.
    at: u32,
    end: u32,
    /// Containers that open before it.
    container: u32,
}

/// A place between values, where one may begin.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    text: &'a [u8],
    outline: &'a Outline,
    at: u32,
    /// Containers that open before it.
    container: u32,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the kinds of JSON")]
pub enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// A key: the text between its quotes, escapes and all.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    raw: &'a [u8],
    offset: u64,
    /// Whether it has escapes: a whole word, because keys are copied all the time.
    escaped: u64,
}

impl<'a> Value<'a> {
    pub(super) fn new(
        text: &'a [u8],
        outline: &'a Outline,
        range: Range<u32>,
        container: u32,
    ) -> Value<'a> {
        Value { text, outline, at: range.start, end: range.end, container }
    }

    /// Bytes from the start of the input to the value's first byte.
    pub fn offset(self) -> u64 {
        self.outline.origin + u64::from(self.at)
    }

    /// What it is, by its first byte.
    ///
    /// # Errors
    ///
    /// No value begins so.
    pub fn kind(self) -> Result<Kind> {
        match self.byte(self.at) {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::String),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't') => Ok(Kind::True),
            Some(b'f') => Ok(Kind::False),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(self.expected("a value", self.at)),
        }
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.byte(self.at) == Some(b'n')
    }

    /// Whether it is `true`, by its first byte.
    pub fn is_true(self) -> bool {
        self.byte(self.at) == Some(b't')
    }

    /// Its bytes as they stand in the document.
    #[inline]
    pub fn raw(self) -> &'a [u8] {
        &self.text[self.at as usize..self.end as usize]
    }

    /// The decoded text of a string; borrowed when it has no escapes.
    ///
    /// # Errors
    ///
    /// It is no string, or has a bad escape.
    pub fn text(self) -> Result<Cow<'a, str>> {
        let raw = self.raw_string()?;
        self.outline.hold_to_limit(raw.len(), self.offset())?;
        if !self.is_escaped() {
            let text = std::str::from_utf8(raw);
            return text.map(Cow::Borrowed).map_err(|_| self.place().unsteady());
        }
        string::decode(raw).map_err(|bad| self.place().bad_escape(self.at + 1 + bad.0 as u32))
    }

    /// The bytes between the quotes of a string.
    ///
    /// # Errors
    ///
    /// It is no string.
    pub fn raw_string(self) -> Result<&'a [u8]> {
        match self.raw() {
            [b'"', inner @ .., b'"'] => Ok(inner),
            _ => Err(self.wrong_type("a string")),
        }
    }

    /// Whether a string has escapes.
    pub fn is_escaped(self) -> bool {
        self.outline.has_escape(self.at..self.end)
    }

    /// Holds the escapes of a string to the grammar.
    ///
    /// # Errors
    ///
    /// A bad escape.
    pub fn check_escapes(self) -> Result<()> {
        self.place().check_escapes(self.at..self.end).map(drop)
    }

    /// The members of an object, in document order.
    ///
    /// # Errors
    ///
    /// It is no object.
    pub fn members(self) -> Result<Members<'a>> {
        match self.byte(self.at) {
            Some(b'{') => Ok(Members(self.inside())),
            _ => Err(self.wrong_type("an object")),
        }
    }

    /// The elements of an array.
    ///
    /// # Errors
    ///
    /// It is no array.
    pub fn elements(self) -> Result<Elements<'a>> {
        match self.byte(self.at) {
            Some(b'[') => Ok(Elements(self.inside())),
            _ => Err(self.wrong_type("an array")),
        }
    }

    /// The member of that (decoded) name; `None` where there is none or this is no object.
    ///
    /// # Errors
    ///
    /// The object is not well formed up to the member.
    pub fn get(self, key: &str) -> Result<Option<Value<'a>>> {
        if self.byte(self.at) != Some(b'{') {
            return Ok(None);
        }
        for member in self.members()? {
            let (name, value) = member?;
            if name.is(key) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The element at that place; `None` where there is none or this is no array.
    ///
    /// # Errors
    ///
    /// The array is not well formed up to the element.
    pub fn element(self, index: u32) -> Result<Option<Value<'a>>> {
        if self.byte(self.at) != Some(b'[') {
            return Ok(None);
        }
        self.elements()?.nth(index as usize).transpose()
    }

    /// The value as simd-json's own, for whoever wants a tree of this one piece.
    ///
    /// # Errors
    ///
    /// It is not JSON; it is nested deeper than simd-json can be trusted with ([`TREE_DEPTH`]).
    pub fn to_tree(self) -> Result<simd_json::OwnedValue> {
        let next = self.place().after()?.container;
        let deepest = self.outline.depth(self.container..next);
        if deepest > TREE_DEPTH {
            return Err(Error::limit(
                crate::limits::Limit::Depth,
                TREE_DEPTH.into(),
                self.offset(),
            ));
        }
        let mut raw = self.raw().to_vec();
        simd_json::to_owned_value(&mut raw).map_err(|_| {
            Error::at(ErrorKind::WrongType { expected: "a JSON value" }, self.offset())
        })
    }

    /// An error of this place: another type was expected.
    pub fn wrong_type(self, expected: &'static str) -> Error {
        Error::at(ErrorKind::WrongType { expected }, self.offset())
    }

    /// An empty object or array, told without entering it.
    #[inline]
    pub fn is_empty(self) -> bool {
        matches!(self.raw(), b"{}" | b"[]")
    }

    #[inline]
    fn byte(self, at: u32) -> Option<u8> {
        self.text.get(at as usize).copied()
    }

    fn place(self) -> Place<'a> {
        Place { text: self.text, outline: self.outline, at: self.at, container: self.container }
    }

    fn expected(self, expected: &'static str, at: u32) -> Error {
        self.place().expected(expected, at)
    }

    fn inside(self) -> Inside<'a> {
        let place = self.place();
        let next = Place { at: place.at + 1, container: place.container + 1, ..place };
        Inside { next, state: State::First }
    }
}

impl<'a> Place<'a> {
    #[inline]
    fn byte(self, at: u32) -> Option<u8> {
        self.text.get(at as usize).copied()
    }

    fn offset(self) -> u64 {
        self.outline.origin + u64::from(self.at)
    }

    /// The place after the value that begins here. Checks words; a string's escapes are checked when
    /// its text is looked at.
    #[inline]
    fn after(self) -> Result<Place<'a>> {
        match self.byte(self.at) {
            Some(b'{' | b'[') => {
                let container = self.outline.container(self.container);
                let container = container.ok_or_else(|| self.unsteady())?;
                if container.close as usize >= self.text.len() || container.close <= self.at {
                    return Err(self.unsteady());
                }
                Ok(Place { at: container.close + 1, container: container.next, ..self })
            }
            Some(b'"') => {
                let close = self.quote(self.at + 1)?;
                Ok(Place { at: close + 1, ..self })
            }
            _ => self.word_end(),
        }
    }

    /// Checks the escapes between two positions and says whether there are any.
    #[inline]
    fn check_escapes(self, range: Range<u32>) -> Result<bool> {
        if !self.outline.has_escape(range.clone()) {
            return Ok(false);
        }
        let text = &self.text[range.start as usize..range.end as usize];
        string::check(text).map_err(|bad| self.bad_escape(range.start + bad.0 as u32))?;
        Ok(true)
    }

    fn word_end(self) -> Result<Place<'a>> {
        // Overlays are full of these two.
        let rest = &self.text[self.at as usize..];
        for literal in [&b"false"[..], b"true"] {
            let ends = rest.get(literal.len()).is_none_or(|&byte| !Word::holds(byte));
            if ends && rest.starts_with(literal) {
                return Ok(Place { at: self.at + literal.len() as u32, ..self });
            }
        }
        let mut word = Word::new();
        let mut at = self.at;
        while let Some(byte) = self.byte(at).filter(|&byte| Word::holds(byte)) {
            word = word
                .feed(byte)
                .map_err(|kind| Error::at(kind, self.outline.origin + u64::from(at)))?;
            at += 1;
        }
        if at == self.at {
            return Err(self.expected("a value", at));
        }
        word.finish().map_err(|kind| Error::at(kind, self.offset()))?;
        Ok(Place { at, ..self })
    }

    /// The quote that closes a string whose text begins at `from`.
    #[inline]
    fn quote(self, from: u32) -> Result<u32> {
        match self.outline.next_quote(from) {
            Some(close) if (close as usize) < self.text.len() => Ok(close),
            _ => Err(self.unsteady()),
        }
    }

    #[inline]
    fn skip_space(mut self) -> Place<'a> {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte(self.at) {
            self.at += 1;
        }
        self
    }

    fn expected(self, expected: &'static str, at: u32) -> Error {
        let offset = self.outline.origin + u64::from(at);
        match self.byte(at) {
            Some(byte) => Error::at(ErrorKind::Syntax { expected, found: Found::of(byte) }, offset),
            None => Error::at(ErrorKind::Truncated, offset),
        }
    }

    fn bad_escape(self, at: u32) -> Error {
        Error::at(ErrorKind::Escape, self.outline.origin + u64::from(at))
    }

    /// The text is not the one that was outlined: someone writes to the file.
    fn unsteady(self) -> Error {
        Error::at(ErrorKind::Changed, self.offset())
    }
}

/// How deep a value may be nested to become a tree, whose parser and destructor recurse.
pub const TREE_DEPTH: u32 = 128;

impl<'a> Key<'a> {
    /// The bytes between the quotes, escapes and all.
    pub fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// The decoded text.
    ///
    /// # Errors
    ///
    /// A bad escape.
    pub fn text(self) -> Result<Cow<'a, str>> {
        string::decode(self.raw)
            .map_err(|bad| Error::at(ErrorKind::Escape, self.offset + bad.0 as u64))
    }

    /// The bytes of the decoded text; those between the quotes, when there are no escapes.
    ///
    /// # Errors
    ///
    /// A bad escape.
    #[inline]
    pub fn bytes(self) -> Result<Cow<'a, [u8]>> {
        if self.escaped == 0 {
            return Ok(Cow::Borrowed(self.raw));
        }
        Ok(Cow::Owned(self.text()?.into_owned().into_bytes()))
    }

    /// The order of two keys: that of the bytes of their decoded text.
    #[inline]
    pub fn compare(self, other: Key<'_>) -> Ordering {
        if (self.escaped | other.escaped) != 0 {
            return string::compare(self.raw, other.raw);
        }
        self.raw.cmp(other.raw)
    }

    /// Whether that is its decoded text.
    pub fn is(self, text: &str) -> bool {
        match self.escaped {
            0 => self.raw == text.as_bytes(),
            _ => string::compare(self.raw, text.as_bytes()).is_eq(),
        }
    }

    /// Bytes from the start of the input to the key's text.
    pub fn offset(self) -> u64 {
        self.offset
    }
}

/// The members of an object. Fused after an error.
#[derive(Clone, Debug)]
pub struct Members<'a>(Inside<'a>);

/// The elements of an array. Fused after an error.
#[derive(Clone, Debug)]
pub struct Elements<'a>(Inside<'a>);

/// A place between the brackets of a container.
#[derive(Clone, Debug)]
struct Inside<'a> {
    next: Place<'a>,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    First,
    Later,
    Done,
}

impl<'a> Inside<'a> {
    /// Goes to the next member or element; `false` at the closing bracket.
    #[inline]
    fn advance(&mut self, close: u8, expected: &'static str) -> Result<bool> {
        if self.state == State::Done {
            return Ok(false);
        }
        let first = std::mem::replace(&mut self.state, State::Done) == State::First;
        let mut next = self.next.skip_space();
        match next.byte(next.at) {
            Some(byte) if byte == close => return Ok(false),
            Some(b',') if !first => {
                next.at += 1;
                next = next.skip_space();
            }
            _ if first => {}
            _ => return Err(next.expected(expected, next.at)),
        }
        self.next = next;
        Ok(true)
    }

    /// Takes the value that begins here.
    #[inline]
    fn take(&mut self) -> Result<Value<'a>> {
        let start = self.next;
        self.next = start.after()?;
        self.state = State::Later;
        Ok(Value::new(start.text, start.outline, start.at..self.next.at, start.container))
    }
}

impl<'a> Members<'a> {
    #[inline]
    fn step(&mut self) -> Result<Option<(Key<'a>, Value<'a>)>> {
        if !self.0.advance(b'}', "a comma or the end of the object")? {
            return Ok(None);
        }
        let start = self.0.next;
        if start.byte(start.at) != Some(b'"') {
            return Err(start.expected("a key", start.at));
        }
        let close = start.quote(start.at + 1)?;
        let raw = &start.text[start.at as usize + 1..close as usize];
        let escaped = start.check_escapes(start.at + 1..close)?;
        let key = Key { raw, offset: start.offset() + 1, escaped: u64::from(escaped) };
        let colon = Place { at: close + 1, ..start }.skip_space();
        if colon.byte(colon.at) != Some(b':') {
            return Err(colon.expected("a colon", colon.at));
        }
        self.0.next = Place { at: colon.at + 1, ..colon }.skip_space();
        Ok(Some((key, self.0.take()?)))
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<(Key<'a>, Value<'a>)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Result<Value<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.0.advance(b']', "a comma or the end of the array") {
            Ok(true) => Some(self.0.take()),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}
