//! Converts a MessagePack value to plan JSON, token by token, without building a tree.
//!
//! [`write_value`] writes `before`, `after` and `value`: it omits unknown members, and writes null
//! for unknown elements. [`write_unknown`] writes `after_unknown`: true for unknown values, without
//! the members that are known leaves.
//!
//! MessagePack encodes numbers of many digits as strings. To recognize them, the writer uses the
//! types of dynamic values, which MessagePack contains, and the type from its caller.

use std::sync::Arc;

use super::error::{Error, ErrorKind};
use super::json_string::write_string;
use super::msgpack::{Number, Token, Tokens, Untyped, Value};
use super::number;
use super::types::{Attributes, Type};

/// What [`write_value`] wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The value.
    Value,
    /// Nothing, because the whole value is unknown. The caller writes null or omits the member.
    Nothing,
}

/// Appends the value as JSON text, with its keys ascending and without spaces. `ty` is optional and
/// may differ from the value: it is used only to find strings that are numbers.
///
/// # Errors
///
/// A number is infinite or has too many digits, or a string of type number is not a number.
pub fn write_value(
    value: &Value<'_>,
    ty: Option<&Type>,
    out: &mut Vec<u8>,
) -> Result<Written, Error> {
    if value.is_unknown() {
        return Ok(Written::Nothing);
    }
    write(&value.sorted(), ty, Leaves::Values, out)?;
    Ok(Written::Value)
}

/// Appends the `after_unknown` of the value. It is `{}` for a wholly known value, as for resources;
/// for outputs, the caller must write `false` instead.
pub fn write_unknown(value: &Value<'_>, out: &mut Vec<u8>) {
    if value.is_wholly_known() {
        out.extend_from_slice(b"{}");
    } else {
        let written = write(&value.sorted(), None, Leaves::Unknown, out);
        assert!(written.is_ok(), "a leaf of this tree is true or false: {written:?}");
    }
}

/// What [`write`] writes for each leaf.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// Its value.
    Values,
    /// Whether it is unknown.
    Unknown,
}

impl Leaves {
    /// True if an object omits a member that starts with this token.
    fn omits(self, token: &Token<'_>) -> bool {
        let is_unknown = matches!(token, Token::Ext(..));
        let is_container = matches!(token, Token::Array(_) | Token::Map(_));
        match self {
            Leaves::Values => is_unknown,
            Leaves::Unknown => !is_unknown && !is_container,
        }
    }
}

/// An array or an object that is being written.
struct Open {
    left: usize,
    index: usize,
    is_object: bool,
    is_empty: bool,
    types: Types,
}

/// The types of the elements or members of an [`Open`].
enum Types {
    Any,
    Same(Arc<Type>),
    Elements(Arc<[Type]>),
    Attributes(Arc<Attributes>),
}

impl Types {
    fn of(ty: Option<Type>) -> Types {
        match ty {
            Some(Type::List(element) | Type::Set(element) | Type::Map(element)) => {
                Types::Same(element)
            }
            Some(Type::Tuple(elements)) => Types::Elements(elements),
            Some(Type::Object(attributes)) => Types::Attributes(attributes),
            _ => Types::Any,
        }
    }

    fn part(&self, index: usize, key: Option<&[u8]>) -> Option<Type> {
        match self {
            Types::Any => None,
            Types::Same(element) => Some(Type::clone(element)),
            Types::Elements(elements) => elements.get(index).cloned(),
            Types::Attributes(attributes) => {
                attributes.types.get(std::str::from_utf8(key?).ok()?).cloned()
            }
        }
    }
}

/// Writes checked bytes whose maps are sorted.
fn write(bytes: &[u8], ty: Option<&Type>, leaves: Leaves, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut tokens = Tokens::new(bytes, 0);
    let mut stack: Vec<Open> = Vec::new();
    stack.extend(begin(&tokens.next_untyped()?, ty.cloned(), leaves, out)?);
    while let Some(open) = stack.last_mut() {
        if open.left == 0 {
            out.push(if open.is_object { b'}' } else { b']' });
            stack.pop();
            continue;
        }
        open.left -= 1;
        open.index += 1;
        let key = if open.is_object { Some(tokens.next_key()?) } else { None };
        let head = tokens.next_untyped()?;
        if key.is_some() && leaves.omits(&head.token) {
            continue;
        }
        if !std::mem::take(&mut open.is_empty) {
            out.push(b',');
        }
        if let Some(key) = key {
            write_string(key, out);
            out.push(b':');
        }
        let ty = open.types.part(open.index - 1, key);
        stack.extend(begin(&head, ty, leaves, out)?);
    }
    Ok(())
}

/// Writes a leaf, or opens an array or an object.
fn begin(
    head: &Untyped<'_>,
    ty: Option<Type>,
    leaves: Leaves,
    out: &mut Vec<u8>,
) -> Result<Option<Open>, Error> {
    let ty = match head.declared {
        Some(declared) => Type::parse(declared).ok(),
        None => ty,
    };
    let (left, is_object) = match (head.token, leaves) {
        (Token::Array(left), _) => (left, false),
        (Token::Map(left), _) => (left, true),
        (_, Leaves::Values) => {
            write_leaf(head, ty.as_ref(), out)?;
            return Ok(None);
        }
        (token, Leaves::Unknown) => {
            let is_unknown = matches!(token, Token::Ext(..));
            out.extend_from_slice(if is_unknown { b"true" } else { b"false" });
            return Ok(None);
        }
    };
    out.push(if is_object { b'{' } else { b'[' });
    Ok(Some(Open { left, index: 0, is_object, is_empty: true, types: Types::of(ty) }))
}

fn write_leaf(head: &Untyped<'_>, ty: Option<&Type>, out: &mut Vec<u8>) -> Result<(), Error> {
    let fail = |kind| Error::new(kind, head.start);
    match head.token {
        Token::Bool(true) => out.extend_from_slice(b"true"),
        Token::Bool(false) => out.extend_from_slice(b"false"),
        Token::Number(Number::Float(number)) if number.is_infinite() => {
            return Err(fail(ErrorKind::Infinite));
        }
        Token::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        Token::Str(text) | Token::Bin(text) if ty == Some(&Type::Number) => {
            let number = number::Number::parse(text);
            let number = number.ok_or_else(|| fail(ErrorKind::Required("a number is required")))?;
            let text = number.to_text().ok_or_else(|| fail(ErrorKind::Digits))?;
            out.extend_from_slice(text.as_bytes());
        }
        Token::Str(text) | Token::Bin(text) => write_string(text, out),
        _ => out.extend_from_slice(b"null"),
    }
    Ok(())
}
