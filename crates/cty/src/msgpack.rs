//! Reads MessagePack without a type. [`Tokens`] reads one token at a time, and [`Value`] is a view
//! of one checked value. Neither copies data or recurses.
//!
//! [`Value::read`] checks a whole value once: its lengths, its depth, its map keys. After that,
//! access through the view cannot fail.

use std::borrow::Cow;

use super::error::{Error, ErrorKind};
use super::sort::sort;
pub use super::tokens::{Number, Token, Tokens, Untyped, write_array_header, write_map_header};

/// The deepest nesting of arrays and maps.
pub const DEPTH_MAX: usize = 10_000;

/// A view of a checked value. It skips the types before dynamic values.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    bytes: &'a [u8],
    /// True if the keys of every map are strictly ascending, as Terraform and OpenTofu write them.
    is_sorted: bool,
}

impl<'a> Value<'a> {
    /// Checks the value at the start of `bytes`, and returns it with the bytes after it.
    ///
    /// # Errors
    ///
    /// Fails if the value is damaged, ends early or is nested deeper than [`DEPTH_MAX`], if a map
    /// key is not a string, or if a number is NaN.
    pub fn read(bytes: &'a [u8]) -> Result<(Value<'a>, &'a [u8]), Error> {
        let (end, is_sorted) = check(bytes)?;
        let (bytes, rest) = bytes.split_at(end);
        Ok((Value { bytes, is_sorted }, rest))
    }

    /// Returns the bytes of the value.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the first token of the value: a whole leaf, or the header of an array or a map.
    pub fn token(&self) -> Token<'a> {
        self.head().token
    }

    /// Returns the innermost type before a dynamic value, as JSON text.
    pub fn declared_type(&self) -> Option<&'a [u8]> {
        self.head().declared
    }

    /// True if the value is null.
    pub fn is_null(&self) -> bool {
        self.token() == Token::Nil
    }

    /// True if the whole value is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self.token(), Token::Ext(..))
    }

    /// True if no part of the value is unknown. If a key repeats, only its last entry counts.
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

    /// Returns the bytes of the value with ascending keys in every map. If a key repeats, only its
    /// last entry is kept.
    pub fn sorted(&self) -> Cow<'a, [u8]> {
        match self.is_sorted {
            true => Cow::Borrowed(self.bytes),
            false => Cow::Owned(checked(sort(self.bytes))),
        }
    }

    fn head(&self) -> Untyped<'a> {
        checked(Tokens::new(self.bytes, 0).next_untyped())
    }
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

/// Checks a value. Returns its end, and whether the keys of every map are strictly ascending.
fn check(bytes: &[u8]) -> Result<(usize, bool), Error> {
    let mut tokens = Tokens::new(bytes, 0);
    let mut stack: Vec<Open<'_>> = Vec::new();
    let mut is_sorted = true;
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
            return Ok((tokens.offset(), is_sorted));
        };
        open.left -= 1;
        if open.is_map {
            let key = tokens.next_key()?;
            if open.last_key.is_some_and(|last| last >= key) {
                is_sorted = false;
            }
            open.last_key = Some(key);
        }
    }
}
