//! Reads MessagePack without a type: [`Tokens`] pulls one token after the other, and [`Value`] is a
//! view of one checked value. Nothing is copied, and nothing recurses.
//!
//! [`Value::read`] checks a whole value once: its lengths, its depth, its map keys. After that,
//! access through the view cannot fail. Skipping an element takes time in proportion to its size,
//! so a caller that needs every leaf of a deep value reads the tokens instead.

use std::borrow::Cow;

use super::error::{Error, ErrorKind};
use super::sort::sort;
pub use super::tokens::{Number, Token, Tokens, Untyped, write_array_header, write_map_header};

/// The deepest nesting of arrays and maps.
pub const DEPTH_MAX: usize = 10_000;

/// A view of a checked value. It skips the types in front of dynamic values.
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
    /// Each key is greater than the one before. Terraform and OpenTofu write keys in this order.
    Ascending,
    /// Some map has a key that is not greater than the one before.
    Any,
}

/// The kind and the content of a value.
#[derive(Clone, Debug)]
pub enum View<'a> {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A MessagePack number. Numbers of many digits are encoded as strings.
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

    /// The kind and the content of the value.
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

    /// True if no part of the value is unknown. Of entries with the same key, only the last counts.
    pub fn is_wholly_known(&self) -> bool {
        let bytes = self.sorted();
        let mut tokens = Tokens::new(&bytes, 0);
        while tokens.rest() > 0 {
            if matches!(checked(tokens.next_token()), Token::Ext(..)) {
                return false;
            }
        }
        true
    }

    /// The last member with this key, if the value is a map or an object.
    pub fn get(&self, key: &[u8]) -> Option<Value<'a>> {
        match self.view() {
            View::Map(entries) => {
                entries.filter(|(name, _)| *name == key).last().map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The bytes of the value with ascending keys in every map. Of entries with the same key, the
    /// last stays.
    pub fn sorted(&self) -> Cow<'a, [u8]> {
        match self.order {
            Order::Ascending => Cow::Borrowed(self.bytes()),
            Order::Any => Cow::Owned(checked(sort(self.bytes()))),
        }
    }

    fn head(&self) -> (Untyped<'a>, Tokens<'a>) {
        let mut tokens = Tokens::new(&self.bytes[..self.end], self.start);
        let head = checked(tokens.next_untyped());
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
        checked(self.tokens.skip());
        let end = self.tokens.offset();
        Some(Value { bytes: self.tokens.bytes(), start, end, order: self.order })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Items<'_> {}

/// The entries of a map, in the order of the bytes.
#[derive(Clone, Debug)]
pub struct Entries<'a>(Items<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = (&'a [u8], Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.left == 0 {
            return None;
        }
        let key = checked(self.0.tokens.next_key());
        Some((key, self.0.next()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Entries<'_> {}

/// An unknown value. Its refinements depend on its type; [`super::from_msgpack`] reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<'a> {
    /// The code of the extension: 12 if the value has refinements.
    pub code: i8,
    /// The encoded refinements.
    pub data: &'a [u8],
}

/// Unwraps the result of reading bytes that [`Value::read`] accepted.
fn checked<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| panic!("checked bytes are read again: {error}"))
}

/// An array or a map whose elements are being read.
struct Open<'a> {
    left: usize,
    is_map: bool,
    last_key: Option<&'a [u8]>,
}

/// Checks a value, and returns its end and the order of its keys.
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
