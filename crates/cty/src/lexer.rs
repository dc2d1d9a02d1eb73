//! Reads tokens from JSON text, and checks the grammar. Strings are decoded as in Go.
//!
//! The lexer keeps its own stack of the open arrays and objects, so text of any depth up to
//! [`DEPTH_MAX`] needs no recursion. It stops after the first value.

use std::borrow::Cow;

use super::error::{Error, ErrorKind};
use plansift_core::json::string;

/// The deepest nesting of arrays and objects.
pub const DEPTH_MAX: usize = 10_000;

/// One token of JSON text. Commas and colons are checked, but are not tokens.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each name says it")]
pub enum Token<'a> {
    /// `{`
    BeginObject,
    /// `}`
    EndObject,
    /// `[`
    BeginArray,
    /// `]`
    EndArray,
    Key(Cow<'a, str>),
    String(Cow<'a, str>),
    /// A number, as its JSON text.
    Number(&'a str),
    Bool(bool),
    Null,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Value,
    /// A value, or the end of the array.
    FirstElement,
    /// A key, or the end of the object.
    FirstKey,
    /// A comma, or the end of the array or object.
    Next,
    /// Nothing: the value is complete.
    End,
}

/// Reads one JSON value.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a [u8],
    /// The offset of `text` in the whole input, for errors.
    base: usize,
    offset: usize,
    /// The offset at which the last value starts.
    start: usize,
    /// For each open array or object, whether it is an object.
    stack: Vec<bool>,
    state: State,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'a [u8]) -> Lexer<'a> {
        Lexer::at(text, 0)
    }

    /// Starts at the beginning of `text`, which is a part of an input at the offset `base`.
    pub fn at(text: &'a [u8], base: usize) -> Lexer<'a> {
        Lexer { text, base, offset: 0, start: 0, stack: Vec::new(), state: State::Value }
    }

    /// Returns the offset after the last token, in the whole input.
    pub fn offset(&self) -> usize {
        self.base + self.offset
    }

    /// Reads a token. Fails if the text is not JSON, ends early or is nested too deep, and after
    /// the end of the value.
    pub fn next_token(&mut self) -> Result<Token<'a>, Error> {
        let byte = self.peek()?;
        match (self.state, byte) {
            (State::Value, _) => self.value(byte),
            (State::FirstElement | State::Next, b']') if self.stack.last() == Some(&false) => {
                Ok(self.close(Token::EndArray))
            }
            (State::FirstKey | State::Next, b'}') if self.stack.last() == Some(&true) => {
                Ok(self.close(Token::EndObject))
            }
            (State::FirstElement, _) => self.value(byte),
            (State::FirstKey, b'"') => self.key(),
            (State::Next, b',') => {
                self.offset += 1;
                let byte = self.peek()?;
                match self.stack.last() {
                    Some(true) if byte == b'"' => self.key(),
                    Some(false) => self.value(byte),
                    _ => self.fail(ErrorKind::Json),
                }
            }
            _ => self.fail(ErrorKind::Json),
        }
    }

    /// Skips a value, and returns its JSON text.
    pub fn skip(&mut self) -> Result<&'a [u8], Error> {
        let depth = self.stack.len();
        self.next_token()?;
        let start = self.start;
        while self.stack.len() > depth {
            self.next_token()?;
        }
        Ok(&self.text[start..self.offset])
    }

    /// True if the open array or object ends next.
    pub fn ends_next(&mut self) -> Result<bool, Error> {
        Ok(matches!(self.peek()?, b']' | b'}'))
    }

    /// Returns the first byte after the value that is not whitespace.
    pub fn byte_after(&self) -> Option<u8> {
        let rest = &self.text[self.offset..];
        rest.iter().copied().find(|byte| !is_space(*byte))
    }

    fn peek(&mut self) -> Result<u8, Error> {
        while let Some(byte) = self.text.get(self.offset) {
            if !is_space(*byte) {
                return Ok(*byte);
            }
            self.offset += 1;
        }
        self.fail(ErrorKind::Truncated)
    }

    fn fail<T>(&self, kind: ErrorKind) -> Result<T, Error> {
        Err(Error::new(kind, self.offset()))
    }

    fn close(&mut self, token: Token<'a>) -> Token<'a> {
        self.offset += 1;
        self.stack.pop();
        self.complete();
        token
    }

    fn complete(&mut self) {
        self.state = if self.stack.is_empty() { State::End } else { State::Next };
    }

    fn key(&mut self) -> Result<Token<'a>, Error> {
        let key = self.string()?;
        if self.peek()? != b':' {
            return self.fail(ErrorKind::Json);
        }
        self.offset += 1;
        self.state = State::Value;
        Ok(Token::Key(key))
    }

    fn value(&mut self, byte: u8) -> Result<Token<'a>, Error> {
        self.start = self.offset;
        let token = match byte {
            b'{' => return self.open(true),
            b'[' => return self.open(false),
            b'"' => Token::String(self.string()?),
            b'-' | b'0'..=b'9' => self.number()?,
            _ => self.word()?,
        };
        self.complete();
        Ok(token)
    }

    fn open(&mut self, is_object: bool) -> Result<Token<'a>, Error> {
        if self.stack.len() == DEPTH_MAX {
            return self.fail(ErrorKind::Depth);
        }
        self.offset += 1;
        self.stack.push(is_object);
        self.state = if is_object { State::FirstKey } else { State::FirstElement };
        Ok(if is_object { Token::BeginObject } else { Token::BeginArray })
    }

    fn word(&mut self) -> Result<Token<'a>, Error> {
        let words =
            [("true", Token::Bool(true)), ("false", Token::Bool(false)), ("null", Token::Null)];
        for (word, token) in words {
            if self.text[self.offset..].starts_with(word.as_bytes()) {
                self.offset += word.len();
                return Ok(token);
            }
        }
        self.fail(ErrorKind::Json)
    }

    fn number(&mut self) -> Result<Token<'a>, Error> {
        let start = self.offset;
        let digits = |lexer: &mut Lexer<'a>| {
            let from = lexer.offset;
            while lexer.text.get(lexer.offset).is_some_and(u8::is_ascii_digit) {
                lexer.offset += 1;
            }
            if lexer.offset == from { lexer.fail(ErrorKind::Json) } else { Ok(()) }
        };
        self.accept(b"-");
        if !self.accept(b"0") {
            digits(self)?;
        }
        if self.accept(b".") {
            digits(self)?;
        }
        if self.accept(b"eE") {
            self.accept(b"+-");
            digits(self)?;
        }
        let text = &self.text[start..self.offset];
        Ok(Token::Number(std::str::from_utf8(text).unwrap_or_default()))
    }

    fn accept(&mut self, bytes: &[u8]) -> bool {
        let is_one = self.text.get(self.offset).is_some_and(|byte| bytes.contains(byte));
        self.offset += usize::from(is_one);
        is_one
    }

    /// Reads a string. The next byte is the opening quote.
    fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        self.offset += 1;
        let start = self.offset;
        let mut decoded: Option<Vec<u8>> = None;
        loop {
            let Some(byte) = self.text.get(self.offset) else {
                return self.fail(ErrorKind::Truncated);
            };
            match byte {
                b'"' => break,
                b'\\' => {
                    let so_far = &self.text[start..self.offset];
                    let out = decoded.get_or_insert_with(|| so_far.to_vec());
                    let c = self.escape()?;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                0..0x20 => return self.fail(ErrorKind::Json),
                _ => {
                    if let Some(out) = &mut decoded {
                        out.push(*byte);
                    }
                    self.offset += 1;
                }
            }
        }
        let raw = &self.text[start..self.offset];
        self.offset += 1;
        Ok(match decoded {
            Some(bytes) => Cow::Owned(replace_invalid(&bytes).into_owned()),
            None => replace_invalid(raw),
        })
    }

    /// Reads an escape. Half of a surrogate pair becomes U+FFFD.
    fn escape(&mut self) -> Result<char, Error> {
        let rest = &self.text[self.offset..];
        let Some((c, len)) = string::escape_lossy(rest) else {
            let is_cut = rest.len() < 2;
            return self.fail(if is_cut { ErrorKind::Truncated } else { ErrorKind::Json });
        };
        self.offset += len;
        Ok(c)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Replaces each byte that is not UTF-8 with U+FFFD.
pub fn replace_invalid(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(text)
}
