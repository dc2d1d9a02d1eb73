//! Reads MessagePack one token at a time, and writes the headers of arrays and maps.

use std::fmt;

use super::error::{Error, ErrorKind};
use super::number;

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
    /// Binary data. A value contains it only as the type before a dynamic value.
    Bin(&'a [u8]),
    /// An array and its number of elements.
    Array(usize),
    /// A map and its number of entries.
    Map(usize),
    /// An extension: its code and its data. Every extension is an unknown value.
    Ext(i8, &'a [u8]),
}

/// A number in MessagePack. It is displayed as plain decimal text without an exponent, or as `Inf`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A float, never NaN.
    Float(f64),
}

impl number::Number {
    /// Converts a token of MessagePack: a number, or decimal text.
    pub fn from_token(token: Token<'_>) -> Option<number::Number> {
        match token {
            Token::Number(Number::Int(number)) => Some(number::Number::from(number)),
            Token::Number(Number::Uint(number)) => Some(number::Number::from(number)),
            Token::Number(Number::Float(number)) => number::Number::from_float(number),
            Token::Str(text) | Token::Bin(text) => number::Number::parse(text),
            _ => None,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(number) => write!(f, "{number}"),
            Number::Uint(number) => write!(f, "{number}"),
            // These are the digits of go-cty: Rust breaks a tie between two shortest texts the
            // other way.
            Number::Float(number) => {
                let text = number::Number::from_float(*number).and_then(|number| number.to_text());
                f.write_str(text.as_deref().unwrap_or("Inf"))
            }
        }
    }
}

/// Reads tokens from bytes.
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

    /// Returns the offset of the next token.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the number of bytes that are not read yet.
    pub fn rest(&self) -> usize {
        self.bytes.len() - self.offset
    }

    /// Reads a token. Lengths are checked against the bytes that follow, so a caller may allocate
    /// in proportion to them.
    ///
    /// # Errors
    ///
    /// Fails if the bytes end early, a length exceeds the remaining bytes, a number is NaN, or a
    /// byte is reserved.
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
    /// Fails like [`Tokens::next_token`], or if the key is not a string.
    pub fn next_key(&mut self) -> Result<&'a [u8], Error> {
        let start = self.offset;
        match self.next_token()? {
            Token::Str(key) | Token::Bin(key) => Ok(key),
            Token::Nil => Ok(b""),
            _ => Err(Error::new(ErrorKind::Key, start)),
        }
    }

    /// Skips a value of any depth.
    ///
    /// # Errors
    ///
    /// Fails like [`Tokens::next_token`].
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

    /// Skips the types before a value, and reads the first token of the value. A dynamic value is
    /// an array of two elements: its type, as binary data, and the value.
    ///
    /// # Errors
    ///
    /// Fails like [`Tokens::next_token`].
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

    /// Reads `len` bytes of data. The input declared this length.
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

    /// Makes an array token. Fails if fewer than `len` bytes follow, because each element takes at
    /// least one.
    fn array(&mut self, len: usize) -> Result<Token<'a>, Error> {
        self.room(len)?;
        Ok(Token::Array(len))
    }

    fn map(&mut self, len: usize) -> Result<Token<'a>, Error> {
        self.room(len.saturating_mul(2))?;
        Ok(Token::Map(len))
    }
}

/// The first token of a value, and the type before the value.
#[derive(Clone, Copy, Debug)]
pub struct Untyped<'a> {
    /// The offset of the token.
    pub start: usize,
    /// The first token of the value.
    pub token: Token<'a>,
    /// The innermost type before the value, as JSON text.
    pub declared: Option<&'a [u8]>,
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
            let Ok(len) = u32::try_from(len) else {
                panic!("{len} elements do not fit the 32 bits of a header")
            };
            out.extend_from_slice(&len.to_be_bytes());
        }
    }
}
