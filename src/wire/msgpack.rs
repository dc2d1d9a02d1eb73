//! Reads MessagePack without a type: [`Tokens`] pulls one token after the other, and [`Value`] is a
//! view of one checked value. Nothing is copied, and nothing recurses.
//!
//! [`Value::read`] checks a whole value once: its lengths, its depth, its map keys. What is reached
//! from the view afterwards cannot fail. A step over an element costs time in proportion to the size
//! of the element; whoever needs every leaf of a deep value should read the tokens instead.

use std::borrow::Cow;
use std::fmt;

use super::error::{Error, ErrorKind};
use super::number;

/// The deepest nesting of arrays and maps.
pub const DEPTH_MAX: usize = 10_000;

/// One token of MessagePack. The elements of an array and the entries of a map follow as tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// Nil.
    Nil,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string. Its bytes need not be UTF-8.
    Str(&'a [u8]),
    /// Binary data. Values hold it only as the type in front of a dynamic value.
    Bin(&'a [u8]),
    /// An array and its number of elements.
    Array(usize),
    /// A map and its number of entries.
    Map(usize),
    /// An extension: its code and its data. Every extension is an unknown value.
    Ext(i8, &'a [u8]),
}

/// A number as the wire has it. Its text is plain decimal, without an exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A float, never NaN.
    Float(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(number) => write!(f, "{number}"),
            Number::Uint(number) => write!(f, "{number}"),
            // The digits of go-cty: Rust rounds a tie between two shortest texts the other way.
            Number::Float(number) => {
                let text = number::Number::from_float(*number).and_then(|number| number.to_text());
                f.write_str(text.as_deref().unwrap_or("Inf"))
            }
        }
    }
}

/// Pulls tokens from bytes.
#[derive(Clone, Copy, Debug)]
pub struct Tokens<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Tokens<'a> {
    /// Starts at `offset` of `bytes`.
    pub fn new(bytes: &'a [u8], offset: usize) -> Tokens<'a> {
        Tokens { bytes, offset }
    }

    /// The offset of the next token.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The number of bytes from here to the end.
    pub fn rest(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// Reads a token. Lengths are checked against the bytes that follow, so a caller may allocate
    /// in proportion to them.
    ///
    /// # Errors
    ///
    /// The bytes end early, a length exceeds them, a number is NaN, or a byte is reserved.
    pub fn next_token(&mut self) -> Result<Token<'a>, Error> {
        let start = self.offset;
        let code = self.take(1)?[0];
        let token = match code {
            0x00..=0x7f => Token::Number(Number::Int(i64::from(code))),
            0x80..=0x8f => self.map(usize::from(code & 0x0f))?,
            0x90..=0x9f => self.array(usize::from(code & 0x0f))?,
            0xa0..=0xbf => Token::Str(self.data(usize::from(code & 0x1f))?),
            0xc0 => Token::Nil,
            0xc1 => return Err(Error::new(ErrorKind::Reserved, start)),
            0xc2 | 0xc3 => Token::Bool(code == 0xc3),
            0xc4..=0xc6 => {
                let len = self.length(1 << (code - 0xc4))?;
                Token::Bin(self.data(len)?)
            }
            0xc7..=0xc9 => {
                let len = self.length(1 << (code - 0xc7))?;
                self.ext(len)?
            }
            0xca..=0xcb => self.float(code == 0xca, start)?,
            0xcc..=0xcf => Token::Number(Number::Uint(self.unsigned(1 << (code - 0xcc))?)),
            0xd0..=0xd3 => self.signed(1 << (code - 0xd0))?,
            0xd4..=0xd8 => self.ext(1 << (code - 0xd4))?,
            0xd9..=0xdb => {
                let len = self.length(1 << (code - 0xd9))?;
                Token::Str(self.data(len)?)
            }
            0xdc | 0xdd => {
                let len = self.length(2 << (code - 0xdc))?;
                self.array(len)?
            }
            0xde | 0xdf => {
                let len = self.length(2 << (code - 0xde))?;
                self.map(len)?
            }
            0xe0..=0xff => Token::Number(Number::Int(i64::from(code.cast_signed()))),
        };
        Ok(token)
    }

    /// Reads the key of a map entry. Nil is the empty key.
    ///
    /// # Errors
    ///
    /// As [`Tokens::next_token`], or the key is not a string.
    pub fn next_key(&mut self) -> Result<&'a [u8], Error> {
        let start = self.offset;
        match self.next_token()? {
            Token::Str(key) | Token::Bin(key) => Ok(key),
            Token::Nil => Ok(b""),
            _ => Err(Error::new(ErrorKind::Key, start)),
        }
    }

    /// Steps over a value, however deep.
    ///
    /// # Errors
    ///
    /// As [`Tokens::next_token`].
    pub fn skip(&mut self) -> Result<(), Error> {
        let mut left = 1_usize;
        while left > 0 {
            left -= 1;
            match self.next_token()? {
                Token::Array(len) => left = left.saturating_add(len),
                Token::Map(len) => left = left.saturating_add(len.saturating_mul(2)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads a value without the types in front of it: its offset, and its first token. The types
    /// of dynamic values stand in arrays of two elements, the first of them binary.
    ///
    /// # Errors
    ///
    /// As [`Tokens::next_token`].
    pub fn next_untyped(&mut self) -> Result<Untyped<'a>, Error> {
        let mut declared = None;
        loop {
            let start = self.offset;
            let token = self.next_token()?;
            if token == Token::Array(2) {
                let mut ahead = *self;
                if let Token::Bin(text) = ahead.next_token()? {
                    *self = ahead;
                    declared = Some(text);
                    continue;
                }
            }
            return Ok(Untyped { start, token, declared });
        }
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let end = self.offset.checked_add(len).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| Error::new(ErrorKind::Truncated, self.bytes.len()))?;
        let taken = &self.bytes[self.offset..end];
        self.offset = end;
        Ok(taken)
    }

    /// `len` bytes of data, whose length the input declared.
    fn data(&mut self, len: usize) -> Result<&'a [u8], Error> {
        self.room(len)?;
        self.take(len)
    }

    fn room(&self, len: usize) -> Result<(), Error> {
        if len > self.rest() {
            return Err(Error::new(ErrorKind::Length, self.offset));
        }
        Ok(())
    }

    fn unsigned(&mut self, width: usize) -> Result<u64, Error> {
        let bytes = self.take(width)?;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn signed(&mut self, width: usize) -> Result<Token<'a>, Error> {
        let unused = 64 - 8 * width;
        let number = self.unsigned(width)?.cast_signed() << unused >> unused;
        Ok(Token::Number(Number::Int(number)))
    }

    fn float(&mut self, is_short: bool, start: usize) -> Result<Token<'a>, Error> {
        let number = if is_short {
            let bits = self.unsigned(4)?;
            f64::from(f32::from_bits(u32::try_from(bits).unwrap_or_default()))
        } else {
            f64::from_bits(self.unsigned(8)?)
        };
        if number.is_nan() {
            return Err(Error::new(ErrorKind::NotANumber, start));
        }
        Ok(Token::Number(Number::Float(number)))
    }

    fn length(&mut self, width: usize) -> Result<usize, Error> {
        let start = self.offset;
        let len = self.unsigned(width)?;
        usize::try_from(len).map_err(|_| Error::new(ErrorKind::Length, start))
    }

    fn ext(&mut self, len: usize) -> Result<Token<'a>, Error> {
        let code = self.take(1)?[0].cast_signed();
        Ok(Token::Ext(code, self.data(len)?))
    }

    /// An element takes one byte at least.
    fn array(&mut self, len: usize) -> Result<Token<'a>, Error> {
        self.room(len)?;
        Ok(Token::Array(len))
    }

    fn map(&mut self, len: usize) -> Result<Token<'a>, Error> {
        self.room(len.saturating_mul(2))?;
        Ok(Token::Map(len))
    }
}

/// The head of a value, after the types in front of it.
#[derive(Clone, Copy, Debug)]
pub struct Untyped<'a> {
    /// The offset of the token.
    pub start: usize,
    /// The first token of the value.
    pub token: Token<'a>,
    /// The innermost type in front of the value, as JSON text.
    pub declared: Option<&'a [u8]>,
}

/// A checked value. Types in front of dynamic values are stepped over.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    bytes: &'a [u8],
    start: usize,
    end: usize,
    order: Order,
}

/// The order of the keys in every map of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each key is greater than the one before, as both tools write them.
    Ascending,
    /// Some map has a key that is not greater than the one before.
    Any,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum View<'a> {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number that the wire has as one. Numbers of many digits are strings there.
    Number(Number),
    /// A string, or a number of many digits. Its bytes need not be UTF-8.
    String(&'a [u8]),
    /// A list, a set or a tuple.
    List(Items<'a>),
    /// A map or an object.
    Map(Entries<'a>),
    /// An unknown value.
    Unknown(Extension<'a>),
}

impl<'a> Value<'a> {
    /// Checks the value at the start of `bytes`, and returns it with the bytes after it.
    ///
    /// # Errors
    ///
    /// The value is damaged, ends early or is nested deeper than [`DEPTH_MAX`]; a map key is not a
    /// string; a number is NaN.
    pub fn read(bytes: &'a [u8]) -> Result<(Value<'a>, &'a [u8]), Error> {
        let (end, order) = check(bytes)?;
        Ok((Value { bytes, start: 0, end, order }, &bytes[end..]))
    }

    /// The bytes of the value.
    pub fn bytes(&self) -> &'a [u8] {
        &self.bytes[self.start..self.end]
    }

    /// What the value is.
    pub fn view(&self) -> View<'a> {
        let (head, tokens) = self.head();
        match head.token {
            Token::Nil => View::Null,
            Token::Bool(truth) => View::Bool(truth),
            Token::Number(number) => View::Number(number),
            Token::Str(text) | Token::Bin(text) => View::String(text),
            Token::Array(left) => View::List(Items { tokens, left, order: self.order }),
            Token::Map(left) => View::Map(Entries(Items { tokens, left, order: self.order })),
            Token::Ext(code, data) => View::Unknown(Extension { code, data }),
        }
    }

    /// The innermost type in front of a dynamic value, as JSON text.
    pub fn declared_type(&self) -> Option<&'a [u8]> {
        self.head().0.declared
    }

    /// True if the value is null.
    pub fn is_null(&self) -> bool {
        self.head().0.token == Token::Nil
    }

    /// True if the whole value is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self.head().0.token, Token::Ext(..))
    }

    /// True if no part of the value is unknown. Entries that a later one with their key replaces do
    /// not count.
    pub fn is_wholly_known(&self) -> bool {
        let bytes = self.sorted();
        let mut tokens = Tokens::new(&bytes, 0);
        while tokens.rest() > 0 {
            if matches!(tokens.next_token().expect("a checked token"), Token::Ext(..)) {
                return false;
            }
        }
        true
    }

    /// The member of a map or an object. Of several with the key, the last.
    pub fn get(&self, key: &[u8]) -> Option<Value<'a>> {
        match self.view() {
            View::Map(entries) => {
                entries.filter(|(name, _)| *name == key).last().map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The bytes of the value with the keys of every map ascending, each of them once: the last
    /// entry of a key stays.
    pub fn sorted(&self) -> Cow<'a, [u8]> {
        match self.order {
            Order::Ascending => Cow::Borrowed(self.bytes()),
            Order::Any => Cow::Owned(sort(self.bytes())),
        }
    }

    fn head(&self) -> (Untyped<'a>, Tokens<'a>) {
        let mut tokens = Tokens::new(&self.bytes[..self.end], self.start);
        let head = tokens.next_untyped().expect("a checked value");
        (head, tokens)
    }
}

/// The elements of a list.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    tokens: Tokens<'a>,
    left: usize,
    order: Order,
}

impl<'a> Iterator for Items<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        self.left = self.left.checked_sub(1)?;
        let start = self.tokens.offset();
        self.tokens.skip().expect("a checked value");
        let end = self.tokens.offset();
        Some(Value { bytes: self.tokens.bytes, start, end, order: self.order })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Items<'_> {}

/// The entries of a map, in the order of the wire.
#[derive(Clone, Debug)]
pub struct Entries<'a>(Items<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a [u8], Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.left == 0 {
            return None;
        }
        let key = self.0.tokens.next_key().expect("a checked key");
        Some((key, self.0.next()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Entries<'_> {}

/// An unknown value. What is known of it depends on its type; [`super::from_msgpack`] reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    /// The code, 12 if something is known.
    pub code: i8,
    /// The data.
    pub data: &'a [u8],
}

/// An array or a map whose elements are being read.
struct Open<'a> {
    left: usize,
    is_map: bool,
    last_key: Option<&'a [u8]>,
}

/// Checks a value: its end, and the order of its keys.
fn check(bytes: &[u8]) -> Result<(usize, Order), Error> {
    let mut tokens = Tokens::new(bytes, 0);
    let mut stack: Vec<Open<'_>> = Vec::new();
    let mut order = Order::Ascending;
    loop {
        let start = tokens.offset();
        let opened = match tokens.next_token()? {
            Token::Array(left) => Some(Open { left, is_map: false, last_key: None }),
            Token::Map(left) => Some(Open { left, is_map: true, last_key: None }),
            _ => None,
        };
        if let Some(open) = opened {
            if stack.len() == DEPTH_MAX {
                return Err(Error::new(ErrorKind::Depth, start));
            }
            stack.push(open);
        }
        while stack.last().is_some_and(|open| open.left == 0) {
            stack.pop();
        }
        let Some(open) = stack.last_mut() else {
            return Ok((tokens.offset(), order));
        };
        open.left -= 1;
        if open.is_map {
            let key = tokens.next_key()?;
            if open.last_key.is_some_and(|last| last >= key) {
                order = Order::Any;
            }
            open.last_key = Some(key);
        }
    }
}

/// A map whose entries are being copied, or an array.
struct Copied<'a> {
    left: usize,
    map: Option<CopiedMap<'a>>,
}

/// Where the copy of a map starts, and that of each entry by its key.
struct CopiedMap<'a> {
    start: usize,
    entries: Vec<(&'a [u8], usize)>,
}

/// Copies a checked value with the keys of its maps sorted.
fn sort(bytes: &[u8]) -> Vec<u8> {
    let mut tokens = Tokens::new(bytes, 0);
    let mut out = Vec::with_capacity(bytes.len());
    let mut stack: Vec<Copied<'_>> = Vec::new();
    loop {
        let start = tokens.offset();
        let token = tokens.next_token().expect("a checked token");
        match token {
            Token::Array(left) => stack.push(Copied { left, map: None }),
            Token::Map(left) => {
                let map = CopiedMap { start: out.len(), entries: Vec::new() };
                stack.push(Copied { left, map: Some(map) });
            }
            _ => {}
        }
        if !matches!(token, Token::Map(_)) {
            out.extend_from_slice(&bytes[start..tokens.offset()]);
        }
        while stack.last().is_some_and(|open| open.left == 0) {
            if let Some(Copied { map: Some(map), .. }) = stack.pop() {
                map.close(&mut out);
            }
        }
        let Some(open) = stack.last_mut() else {
            return out;
        };
        open.left -= 1;
        if let Some(map) = &mut open.map {
            let key_start = tokens.offset();
            let key = tokens.next_key().expect("a checked key");
            map.entries.push((key, out.len()));
            out.extend_from_slice(&bytes[key_start..tokens.offset()]);
        }
    }
}

impl CopiedMap<'_> {
    /// Puts the copied entries in order, behind a header.
    fn close(self, out: &mut Vec<u8>) {
        let ends = self.entries.iter().skip(1).map(|entry| entry.1).chain([out.len()]);
        let entries = self.entries.iter().zip(ends);
        let mut spans: Vec<_> = entries.map(|((key, from), to)| (*key, *from..to)).collect();
        spans.sort_by_key(|span| span.0);
        // The sort is stable, hence the last of equal keys is the last of the wire.
        let is_last =
            |index: usize| spans.get(index + 1).is_none_or(|next| next.0 != spans[index].0);
        let kept: Vec<usize> = (0..spans.len()).filter(|index| is_last(*index)).collect();
        let mut sorted = Vec::with_capacity(out.len() - self.start);
        write_map_header(&mut sorted, kept.len());
        for index in kept {
            sorted.extend_from_slice(&out[spans[index].1.clone()]);
        }
        out.truncate(self.start);
        out.append(&mut sorted);
    }
}

/// Writes the shortest header of a map of `len` entries.
pub fn write_map_header(out: &mut Vec<u8>, len: usize) {
    write_header(out, len, 0x80, 0xde);
}

/// Writes the shortest header of an array of `len` elements.
pub fn write_array_header(out: &mut Vec<u8>, len: usize) {
    write_header(out, len, 0x90, 0xdc);
}

fn write_header(out: &mut Vec<u8>, len: usize, fix: u8, long: u8) {
    match (u8::try_from(len), u16::try_from(len)) {
        (Ok(len), _) if len < 16 => out.push(fix | len),
        (_, Ok(len)) => {
            out.push(long);
            out.extend_from_slice(&len.to_be_bytes());
        }
        _ => {
            out.push(long + 1);
            let len = u32::try_from(len).expect("an array or a map fits 32 bits");
            out.extend_from_slice(&len.to_be_bytes());
        }
    }
}
