//! A value of an outlined text. Its members and elements are found lazily.
//!
//! A value is cheap to copy, and skipping a value takes constant time. Reading a value checks it
//! against the full grammar. Skipping a value does not check it again.

mod inside;
mod ordered;
mod sorted;
mod typed;
mod walk;

use std::cmp::Ordering;
use std::ops::Range;

pub use inside::{Elements, Members, Step};
pub use inside::{Entries, MemberSpan};
pub use ordered::Ordered;
pub use sorted::Sorted;
pub use typed::TREE_DEPTH;
pub use walk::decode;
pub use walk::{ValueWalk, WalkEvent};

use super::outline::{Container, Outline};
use super::string;
use super::word::Word;
use crate::error::{Error, ErrorKind, Result, TokenClass};

/// A value, borrowed from the window. Internally, it has the text from the outline's origin to the
/// value's end.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a>(ValueStart<'a>);

/// A position where a value begins or may begin.
#[derive(Clone, Copy, Debug)]
struct ValueStart<'a> {
    text: &'a [u8],
    outline: &'a Outline,
    at: u32,
    /// The number of containers that open before the position.
    container: u32,
}

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

impl Kind {
    /// Whether a value of this kind is a mark in an overlay of sensitive values. The tools write
    /// `true`. A string or a number has no meaning there, so it counts as a mark, to be safe.
    pub fn is_mark(self) -> bool {
        matches!(self, Kind::True | Kind::String | Kind::Number)
    }
}

/// The text of a key or a string: the bytes between its quotes. Its escapes are valid.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    raw: &'a [u8],
    offset: u64,
    /// Not 0 if there are escapes. A `u64` because copying it is cheaper than copying a `bool`.
    escaped: u64,
}

impl Outline {
    /// The outlined value. `text` is the text from [`Outline::origin`] to the value's end.
    pub(super) fn value<'a>(&'a mut self, text: &'a [u8]) -> Value<'a> {
        self.nest_once();
        Value::new(text, self, self.start_in_text()..text.len() as u32, 0)
    }
}

impl<'a> Value<'a> {
    pub(super) fn new(
        text: &'a [u8],
        outline: &'a Outline,
        range: Range<u32>,
        container: u32,
    ) -> Value<'a> {
        Value(ValueStart { text: &text[..range.end as usize], outline, at: range.start, container })
    }

    /// Bytes from the start of the input to the value's first byte.
    pub fn offset(self) -> u64 {
        self.0.offset()
    }

    /// The value's range in the input, in bytes.
    pub fn range(self) -> Range<u64> {
        self.offset()..self.offset() + self.raw().len() as u64
    }

    /// The type of the value, by its first byte.
    ///
    /// # Errors
    ///
    /// Fails if no value begins with this byte.
    pub fn kind(self) -> Result<Kind> {
        match self.0.byte(self.0.at) {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::String),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't') => Ok(Kind::True),
            Some(b'f') => Ok(Kind::False),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(self.0.expected("a value")),
        }
    }

    /// Whether the value is `null`, by its first byte.
    pub fn is_null(self) -> bool {
        self.0.byte(self.0.at) == Some(b'n')
    }

    /// Whether the value is `true`, by its first byte.
    pub fn is_true(self) -> bool {
        self.0.byte(self.0.at) == Some(b't')
    }

    /// The bytes of the value as they are in the document.
    #[inline]
    pub fn raw(self) -> &'a [u8] {
        &self.0.text[self.0.at as usize..]
    }

    /// The text of a string, after a check of its escapes.
    ///
    /// # Errors
    ///
    /// Fails if the value is not a string, is too long to be decoded, or has a bad escape.
    #[inline]
    pub fn string(self) -> Result<Text<'a>> {
        let text = self.unbounded()?;
        self.0.outline.check_string_limit(text.raw.len(), self.offset())?;
        Ok(text)
    }

    #[inline(always)]
    fn unbounded(self) -> Result<Text<'a>> {
        let raw = self.quoted()?;
        let close = self.0.text.len() as u32 - 1;
        let escaped = self.0.check_escapes(self.0.at + 1..close)?;
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
    /// Fails if the value is not a string, is too long to be decoded, or has a bad escape.
    pub fn text(self) -> Result<String> {
        self.string()?.decode()
    }

    /// Whether two strings are equal after decoding.
    ///
    /// # Errors
    ///
    /// Fails if one value is not a string, or has a bad escape.
    pub fn is_same_string(self, other: Value<'_>) -> Result<bool> {
        let Text { raw: one, escaped, .. } = self.unbounded()?;
        let two = other.quoted()?;
        let close = other.0.text.len() as u32 - 1;
        if escaped == 0 && !other.0.outline.has_escape(other.0.at + 1..close) {
            return Ok(one == two);
        }
        // Before the divergence, both texts have the same escapes. `unbounded` checked them.
        let start = string::divergence(one, two);
        other.0.check_escapes(other.0.at + 1 + start as u32..close)?;
        Ok(string::compare_from(start, one, two).is_eq())
    }

    /// The members of an object, in document order.
    ///
    /// # Errors
    ///
    /// Fails if the value is not an object.
    pub fn members(self) -> Result<Members<'a>> {
        match self.0.byte(self.0.at) {
            Some(b'{') => Ok(Members::of(self)),
            _ => Err(self.wrong_type("an object")),
        }
    }

    /// Whether the keys of an object are strictly ascending, and so free of duplicates. Fails if
    /// the value is not an object, or is invalid.
    pub fn has_ordered_keys(self) -> Result<bool> {
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
    /// Fails if the value is not an array.
    pub fn elements(self) -> Result<Elements<'a>> {
        match self.0.byte(self.0.at) {
            Some(b'[') => Ok(Elements::of(self)),
            _ => Err(self.wrong_type("an array")),
        }
    }

    /// The value of the first member with this decoded key. `None` if there is no such member, or
    /// if this value is not an object.
    ///
    /// # Errors
    ///
    /// Fails if the object is invalid before the end of the member.
    pub fn get(self, key: &str) -> Result<Option<Value<'a>>> {
        if self.0.byte(self.0.at) != Some(b'{') {
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

    /// The element at an index. `None` if there is no such element, or if this value is not an
    /// array.
    ///
    /// # Errors
    ///
    /// Fails if the array is invalid before the end of the element.
    pub fn element(self, index: u32) -> Result<Option<Value<'a>>> {
        if self.0.byte(self.0.at) != Some(b'[') {
            return Ok(None);
        }
        self.elements()?.nth(index as usize).transpose()
    }

    /// Returns the error that this value does not have the type `expected`.
    pub fn wrong_type(self, expected: &'static str) -> Error {
        Error::at(ErrorKind::WrongType { expected }, self.offset())
    }

    /// Whether the value is `{}` or `[]`, by its bytes. False if there is a space between the
    /// brackets.
    #[inline]
    pub fn is_empty(self) -> bool {
        matches!(self.raw(), b"{}" | b"[]")
    }
}

impl<'a> ValueStart<'a> {
    #[inline(always)]
    fn byte(self, at: u32) -> Option<u8> {
        self.text.get(at as usize).copied()
    }

    fn offset(self) -> u64 {
        self.outline.origin + u64::from(self.at)
    }

    /// Skips white space and returns the next byte. At the end of the text it returns 0, which is
    /// no token.
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

    /// Consumes the value that begins here with the byte `first`.
    #[inline(always)]
    fn value(&mut self, first: u8) -> Result<Value<'a>> {
        let start = *self;
        self.skip(first)?;
        Ok(Value::new(start.text, start.outline, start.at..self.at, start.container))
    }

    /// Skips the value that begins here with the byte `first`. Checks words. The escapes of a
    /// string are checked when its text is read.
    #[inline(always)]
    fn skip(&mut self, first: u8) -> Result<()> {
        match first {
            b'"' => self.at = self.quote(self.at + 1)? + 1,
            b'{' | b'[' => match self.outline.container(self.container) {
                Some(Container { close, next }) if self.at < close && self.holds(close) => {
                    self.at = close + 1;
                    self.container = next;
                }
                _ => return Err(self.changed()),
            },
            _ => self.at = self.word_end()?,
        }
        Ok(())
    }

    /// Checks the escapes in a range and returns whether there are any.
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

    /// The end of the word that begins here.
    #[inline(always)]
    fn word_end(self) -> Result<u32> {
        match self.plain_word_end() {
            Some(end) => Ok(end),
            None => self.any_word_end(),
        }
    }

    /// The fast path for literals and natural numbers with punctuation after them: nearly all
    /// words.
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

    /// The closing quote of a string whose text starts at `from`.
    #[inline(always)]
    fn quote(self, from: u32) -> Result<u32> {
        match self.outline.next_quote(from) {
            Some(close) if self.holds(close) => Ok(close),
            _ => Err(self.changed()),
        }
    }

    #[cold]
    fn expected(self, expected: &'static str) -> Error {
        match self.byte(self.at) {
            Some(byte) => {
                let found = TokenClass::of(byte);
                Error::at(ErrorKind::Syntax { expected, found }, self.offset())
            }
            None => Error::at(ErrorKind::Truncated, self.offset()),
        }
    }

    /// An error: another process wrote to the file since its text was outlined.
    #[cold]
    fn changed(self) -> Error {
        Error::at(ErrorKind::Changed, self.offset())
    }
}

impl PartialEq for Text<'_> {
    /// Compares the decoded texts.
    #[inline]
    fn eq(&self, other: &Text<'_>) -> bool {
        self.compare(*other).is_eq()
    }
}

impl<'a> Text<'a> {
    /// Returns the empty string at an offset.
    pub fn empty(offset: u64) -> Text<'static> {
        Text { raw: b"", offset, escaped: 0 }
    }

    /// The bytes between the quotes, with their escapes.
    pub fn raw(self) -> &'a [u8] {
        self.raw
    }

    /// The decoded text. Copies the bytes before it checks them, because another process may write
    /// to a mapped file.
    ///
    /// # Errors
    ///
    /// Fails if the file was written to since its text was scanned.
    pub fn decode(self) -> Result<String> {
        let mut copy = Vec::with_capacity(self.raw.len());
        self.copy_to(&mut copy)?;
        String::from_utf8(copy).map_err(|error| self.changed(error.utf8_error().valid_up_to()))
    }

    /// Appends the decoded text as bytes. A caller that uses the copy as text must check that it is
    /// UTF-8, for the reason given at [`Text::decode`].
    ///
    /// # Errors
    ///
    /// Fails if the file was written to since its text was scanned.
    #[inline]
    pub fn copy_to(self, bytes: &mut Vec<u8>) -> Result<()> {
        if self.escaped == 0 {
            bytes.extend_from_slice(self.raw);
            return Ok(());
        }
        string::unescape(self.raw, bytes).map_err(|bad| self.changed(bad.0))
    }

    #[cold]
    fn changed(self, at: usize) -> Error {
        Error::at(ErrorKind::Changed, self.offset + at as u64)
    }

    /// Appends the decoded text. A short text without escapes needs no allocation. Fails if the
    /// file was written to since its text was scanned.
    pub fn decode_to(self, decoded: &mut String) -> Result<()> {
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

    /// Compares the decoded texts by their UTF-8 bytes.
    #[inline]
    pub fn compare(self, other: Text<'_>) -> Ordering {
        if (self.escaped | other.escaped) != 0 {
            return string::compare(self.raw, other.raw);
        }
        self.raw.cmp(other.raw)
    }

    /// Whether the decoded text equals `text`.
    #[inline(always)]
    pub fn is(self, text: &str) -> bool {
        match self.escaped {
            0 => self.raw == text.as_bytes(),
            _ => self.decode().is_ok_and(|decoded| decoded == text),
        }
    }

    /// Whether the text has no escapes.
    #[inline]
    pub fn is_plain(self) -> bool {
        self.escaped == 0
    }

    /// Bytes from the start of the input to the first byte after the opening quote.
    pub fn offset(self) -> u64 {
        self.offset
    }
}

/// Clears a `Vec` and reuses its memory for items of another lifetime. The standard library
/// collects in place if the sizes of both item types are equal.
pub fn recycled<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    list.into_iter().map(|_| unreachable!("a list that is empty")).collect()
}
