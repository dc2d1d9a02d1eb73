//! A value of an outlined text: a position, from which everything below is reached lazily.
//!
//! Copying one costs nothing and going past one takes constant time, whatever it holds. What is
//! looked at is held to the full grammar; what is passed over is not looked at.

mod inside;
mod sorted;

use std::cmp::Ordering;
use std::ops::Range;

pub use inside::{Elements, Members};
pub(crate) use inside::{Name, Spot};
pub(crate) use sorted::Sorted;

use super::outline::{Container, Outline};
use super::string;
use super::word::Word;
use crate::error::{Error, ErrorKind, Found, Result};

/// A value, borrowed from the window it stands in.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    /// From the outline's origin to the value's last byte.
    text: &'a [u8],
    outline: &'a Outline,
    /// Its first byte.
    at: u32,
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

/// A key or a string: the text between its quotes, escapes and all. The escapes were checked.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
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
        Value { text: &text[..range.end as usize], outline, at: range.start, container }
    }

    /// Bytes from the start of the input to the value's first byte.
    pub fn offset(self) -> u64 {
        self.outline.origin + u64::from(self.at)
    }

    /// Where it stands: bytes from the start of the input.
    pub fn range(self) -> Range<u64> {
        self.offset()..self.offset() + self.raw().len() as u64
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
            _ => Err(self.place().expected("a value")),
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
        &self.text[self.at as usize..]
    }

    /// The text of a string, with its escapes checked.
    ///
    /// # Errors
    ///
    /// It is no string, is too long to be decoded, or has a bad escape.
    #[inline]
    pub fn string(self) -> Result<Text<'a>> {
        let text = self.unbounded()?;
        self.outline.hold_to_limit(text.raw.len(), self.offset())?;
        Ok(text)
    }

    #[inline(always)]
    fn unbounded(self) -> Result<Text<'a>> {
        let raw = self.quoted()?;
        let close = self.text.len() as u32 - 1;
        let escaped = self.place().check_escapes(self.at + 1..close)?;
        Ok(Text { raw, offset: self.offset() + 1, escaped: u64::from(escaped) })
    }

    /// The bytes between the quotes of a string.
    #[inline(always)]
    fn quoted(self) -> Result<&'a [u8]> {
        match self.raw() {
            [b'"', raw @ .., b'"'] => Ok(raw),
            _ => Err(self.wrong_type("a string")),
        }
    }

    /// The decoded text of a string.
    ///
    /// # Errors
    ///
    /// It is no string, is too long to be decoded, or has a bad escape.
    pub fn text(self) -> Result<String> {
        self.string()?.decode()
    }

    /// Whether two strings are the same text, decoded.
    ///
    /// # Errors
    ///
    /// One is no string, or has a bad escape.
    pub fn is_same_string(self, other: Value<'_>) -> Result<bool> {
        let Text { raw: one, escaped, .. } = self.unbounded()?;
        let two = other.quoted()?;
        let close = other.text.len() as u32 - 1;
        if escaped == 0 && !other.outline.has_escape(other.at + 1..close) {
            return Ok(one == two);
        }
        // Up to where they part they have the same escapes, which were checked.
        let start = string::parting(one, two);
        other.place().check_escapes(other.at + 1 + start as u32..close)?;
        Ok(string::compare_from(start, one, two).is_eq())
    }

    /// The members of an object, in document order.
    ///
    /// # Errors
    ///
    /// It is no object.
    pub fn members(self) -> Result<Members<'a>> {
        match self.byte(self.at) {
            Some(b'{') => Ok(Members::of(self)),
            _ => Err(self.wrong_type("an object")),
        }
    }

    /// Whether the keys of an object are in order, and so no two of them the same.
    ///
    /// # Errors
    ///
    /// It is no object, or not well formed.
    pub(crate) fn has_ordered_keys(self) -> Result<bool> {
        let mut last: Option<Text<'_>> = None;
        for member in self.members()? {
            let (key, _) = member?;
            if last.replace(key).is_some_and(|last| last.compare(key).is_ge()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The elements of an array.
    ///
    /// # Errors
    ///
    /// It is no array.
    pub fn elements(self) -> Result<Elements<'a>> {
        match self.byte(self.at) {
            Some(b'[') => Ok(Elements::of(self)),
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
        let next = match self.outline.container(self.container) {
            Some(own) if matches!(self.kind()?, Kind::Object | Kind::Array) => own.next,
            _ => self.container,
        };
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
}

impl<'a> Place<'a> {
    #[inline(always)]
    fn byte(self, at: u32) -> Option<u8> {
        self.text.get(at as usize).copied()
    }

    fn offset(self) -> u64 {
        self.outline.origin + u64::from(self.at)
    }

    /// Goes to the next byte that is no space and looks at it; 0 where the text ends, which stands
    /// nowhere in the grammar.
    #[inline(always)]
    fn token(&mut self) -> u8 {
        loop {
            match self.byte(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(byte) => return byte,
                None => return 0,
            }
        }
    }

    /// Takes the value that begins here, with that byte, and goes past it.
    #[inline(always)]
    fn value(&mut self, first: u8) -> Result<Value<'a>> {
        let start = *self;
        self.pass(first)?;
        Ok(Value::new(start.text, start.outline, start.at..self.at, start.container))
    }

    /// Goes past the value that begins here, with that byte. Checks words; a string's escapes are
    /// checked when its text is looked at.
    #[inline(always)]
    fn pass(&mut self, first: u8) -> Result<()> {
        match first {
            b'"' => self.at = self.quote(self.at + 1)? + 1,
            b'{' | b'[' => match self.outline.container(self.container) {
                Some(Container { close, next }) if self.at < close && self.holds(close) => {
                    self.at = close + 1;
                    self.container = next;
                }
                _ => return Err(self.unsteady()),
            },
            _ => self.at = self.word_end()?,
        }
        Ok(())
    }

    /// Checks the escapes between two positions and says whether there are any.
    #[inline(always)]
    fn check_escapes(self, range: Range<u32>) -> Result<bool> {
        if !self.outline.has_escape(range.clone()) {
            return Ok(false);
        }
        self.check_each_escape(range).map(|()| true)
    }

    #[inline(never)]
    fn check_each_escape(self, range: Range<u32>) -> Result<()> {
        let bad = |at| Error::at(ErrorKind::Escape, self.outline.origin + u64::from(at));
        self.outline.check_escapes(self.text, range).map_err(bad)
    }

    /// Where the word ends that begins here.
    #[inline(always)]
    fn word_end(self) -> Result<u32> {
        match self.plain_word_end() {
            Some(end) => Ok(end),
            None => self.any_word_end(),
        }
    }

    /// The same for a literal or a natural number with punctuation behind it, which nearly all are.
    #[inline(always)]
    fn plain_word_end(self) -> Option<u32> {
        let rest = self.text.get(self.at as usize..)?;
        let first = *rest.first_chunk::<4>()?;
        let len = match first[0] {
            b'n' if first == *b"null" => 4,
            b't' if first == *b"true" => 4,
            b'f' if rest.get(1..5)? == b"alse" => 5,
            b'0' => 1,
            b'1'..=b'9' => rest.iter().position(|byte| !byte.is_ascii_digit())?,
            _ => return None,
        };
        matches!(rest.get(len)?, b',' | b'}' | b']').then_some(self.at + len as u32)
    }

    #[inline(never)]
    fn any_word_end(self) -> Result<u32> {
        let mut word = Word::new();
        let mut at = self.at;
        while let Some(byte) = self.byte(at).filter(|&byte| Word::holds(byte)) {
            word = word
                .feed(byte)
                .map_err(|kind| Error::at(kind, self.outline.origin + u64::from(at)))?;
            at += 1;
        }
        if at == self.at {
            return Err(self.expected("a value"));
        }
        word.finish().map_err(|kind| Error::at(kind, self.offset()))?;
        Ok(at)
    }

    #[inline(always)]
    fn holds(self, at: u32) -> bool {
        (at as usize) < self.text.len()
    }

    /// The quote that closes a string whose text begins at `from`.
    #[inline(always)]
    fn quote(self, from: u32) -> Result<u32> {
        match self.outline.next_quote(from) {
            Some(close) if self.holds(close) => Ok(close),
            _ => Err(self.unsteady()),
        }
    }

    #[cold]
    fn expected(self, expected: &'static str) -> Error {
        match self.byte(self.at) {
            Some(byte) => {
                let found = Found::of(byte);
                Error::at(ErrorKind::Syntax { expected, found }, self.offset())
            }
            None => Error::at(ErrorKind::Truncated, self.offset()),
        }
    }

    /// The text is not the one that was outlined: someone writes to the file.
    #[cold]
    fn unsteady(self) -> Error {
        Error::at(ErrorKind::Changed, self.offset())
    }
}

/// How deep a value may be nested to become a tree, whose parser and destructor recurse.
pub const TREE_DEPTH: u32 = 128;

impl<'a> Text<'a> {
    /// One of no bytes, for what might have stood there.
    pub(crate) fn empty(offset: u64) -> Text<'static> {
        Text { raw: b"", offset, escaped: 0 }
    }

    /// What stands between quotes whose escapes were checked; its first byte has that offset.
    pub(super) fn of_raw(raw: &'a [u8], offset: u64) -> Text<'a> {
        Text { raw, offset, escaped: u64::from(memchr::memchr(b'\\', raw).is_some()) }
    }

    /// The bytes between the quotes, escapes and all.
    pub fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// The decoded text. It is copied before it is checked, because the text may be that of a file
    /// that someone writes to.
    ///
    /// # Errors
    ///
    /// The file was written to since its text was scanned.
    pub fn decode(self) -> Result<String> {
        let mut copy = Vec::with_capacity(self.raw.len());
        self.copy_to(&mut copy)?;
        String::from_utf8(copy).map_err(|error| self.unsteady(error.utf8_error().valid_up_to()))
    }

    /// Appends the bytes of the decoded text. Whoever reads the copy as a text must check that it
    /// is UTF-8, for the reason that [`Text::decode`] has.
    ///
    /// # Errors
    ///
    /// The file was written to since its text was scanned.
    #[inline]
    pub fn copy_to(self, bytes: &mut Vec<u8>) -> Result<()> {
        if self.escaped == 0 {
            bytes.extend_from_slice(self.raw);
            return Ok(());
        }
        string::unescape(self.raw, bytes).map_err(|bad| self.unsteady(bad.0))
    }

    #[cold]
    fn unsteady(self, at: usize) -> Error {
        Error::at(ErrorKind::Changed, self.offset + at as u64)
    }

    /// Appends the decoded text, which needs no memory of its own where that is short and plain.
    ///
    /// # Errors
    ///
    /// The file was written to since its text was scanned.
    pub(crate) fn decode_to(self, decoded: &mut String) -> Result<()> {
        let mut copy = [0; 64];
        if let Some(copy) = copy.get_mut(..self.raw.len()).filter(|_| self.is_plain()) {
            copy.copy_from_slice(self.raw);
            if let Ok(text) = std::str::from_utf8(copy) {
                decoded.push_str(text);
                return Ok(());
            }
        }
        decoded.push_str(&self.decode()?);
        Ok(())
    }

    /// The order of two texts: that of the bytes of their decoded UTF-8.
    #[inline]
    pub fn compare(self, other: Text<'_>) -> Ordering {
        if (self.escaped | other.escaped) != 0 {
            return string::compare(self.raw, other.raw);
        }
        self.raw.cmp(other.raw)
    }

    /// Whether that is its decoded text.
    #[inline(always)]
    pub fn is(self, text: &str) -> bool {
        match self.escaped {
            0 => self.raw == text.as_bytes(),
            _ => string::compare(self.raw, text.as_bytes()).is_eq(),
        }
    }

    /// Whether its bytes are its text.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        self.escaped == 0
    }

    /// Bytes from the start of the input to its first byte after the quote.
    pub fn offset(self) -> u64 {
        self.offset
    }
}

/// An empty list in the memory of another, whose values may be of another text. The standard
/// library collects into it where both kinds of values have the same size.
pub(crate) fn recycled<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    list.into_iter().map(|_| unreachable!("a list that is empty")).collect()
}
