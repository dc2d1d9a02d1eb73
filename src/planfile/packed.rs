//! The parts of a MessagePack value.
//!
//! The bytes do not say that a string is a number of many digits, or what an unknown value will be.
//! A type says so. It comes from a schema, or stands in front of a value of a dynamic type.

use super::protobuf::fault;
use super::walk::{Part, Shape, Walk};
use crate::error::{Error, PlanFileFault, Result};
use crate::limits::Limits;
use crate::wire::json_string::write_string_within;
use crate::wire::msgpack::{Token, Tokens, Value};
use crate::wire::number::Number;
use crate::wire::types::Type;

/// Walks over a MessagePack value.
pub(super) struct Packed<'a> {
    tokens: Tokens<'a>,
    stack: Vec<Open>,
    /// The type of the next value, if it is known.
    next: Option<Type>,
    /// Whether the key of the next member was yielded.
    has_key: bool,
    leaf: Token<'a>,
    /// The type of the leaf.
    leaf_type: Option<Type>,
    offset: u64,
}

/// An open container.
struct Open {
    left: usize,
    /// The number of elements that were begun.
    index: usize,
    is_object: bool,
    ty: Option<Type>,
}

impl<'a> Packed<'a> {
    /// A walk over the bytes of a checked value whose keys ascend. `offset` is for errors.
    pub(super) fn new(bytes: &'a [u8], ty: Option<&Type>, offset: u64) -> Packed<'a> {
        Packed {
            tokens: Tokens::new(bytes, 0),
            stack: Vec::new(),
            next: ty.cloned(),
            has_key: false,
            leaf: Token::Nil,
            leaf_type: None,
            offset,
        }
    }

    fn error(&self) -> Error {
        fault(PlanFileFault::Value, self.offset)
    }

    /// Reads a value, and returns its first part.
    fn value(&mut self) -> Result<Part<'a>> {
        let head = self.tokens.next_untyped().map_err(|_| self.error())?;
        let mut ty = self.next.take();
        if let Some(declared) = head.declared {
            ty = Some(Type::parse(declared).map_err(|_| self.error())?);
        }
        let (left, is_object, part) = match head.token {
            Token::Map(len) => (len, true, Part::Object),
            Token::Array(len) => (len, false, Part::Array),
            Token::Nil => return Ok(Part::Null),
            Token::Ext(..) => return Ok(Part::Unknown(shape(ty.as_ref()))),
            leaf => {
                (self.leaf, self.leaf_type) = (leaf, ty);
                return Ok(Part::Leaf);
            }
        };
        self.stack.push(Open { left, index: 0, is_object, ty });
        Ok(part)
    }
}

/// What an unknown value of a type will be.
fn shape(ty: Option<&Type>) -> Shape {
    match ty {
        None => Shape::Any,
        Some(Type::List(_) | Type::Set(_) | Type::Tuple(_)) => Shape::Array,
        Some(Type::Map(_) | Type::Object(_)) => Shape::Object,
        Some(_) => Shape::Leaf,
    }
}

impl Open {
    /// The type of an element or a member.
    fn inner(&self, key: Option<&[u8]>) -> Option<Type> {
        match (self.ty.as_ref()?, key) {
            (Type::List(element) | Type::Set(element) | Type::Map(element), _) => {
                Some((**element).clone())
            }
            (Type::Tuple(elements), None) => elements.get(self.index).cloned(),
            (Type::Object(attributes), Some(key)) => {
                attributes.types.get(std::str::from_utf8(key).ok()?).cloned()
            }
            _ => None,
        }
    }
}

impl<'a> Walk<'a> for Packed<'a> {
    fn next(&mut self) -> Result<Part<'a>> {
        if let Some(open) = self.stack.last_mut() {
            if open.left == 0 {
                self.stack.pop();
                return Ok(Part::Close);
            }
            if open.is_object && !self.has_key {
                let key = self.tokens.next_key();
                let key = key.map_err(|_| fault(PlanFileFault::Value, self.offset))?;
                self.has_key = true;
                self.next = open.inner(Some(key));
                return Ok(Part::Key(key.into()));
            }
            if !open.is_object {
                self.next = open.inner(None);
            }
            open.left -= 1;
            open.index += 1;
            self.has_key = false;
        }
        self.value()
    }

    fn offset(&self) -> u64 {
        self.offset
    }

    fn write_leaf(&self, max: usize, out: &mut Vec<u8>) -> Result<()> {
        match self.leaf {
            Token::Bool(truth) => out.extend_from_slice(if truth { b"true" } else { b"false" }),
            Token::Str(text) | Token::Bin(text) if self.leaf_type == Some(Type::Number) => {
                let number = Number::parse(text).and_then(|number| number.to_text());
                out.extend_from_slice(
                    number.ok_or_else(|| fault(PlanFileFault::Number, self.offset))?.as_bytes(),
                );
            }
            Token::Str(text) | Token::Bin(text) => {
                write_string_within(text, max, out);
            }
            Token::Number(number) => match number {
                crate::wire::msgpack::Number::Float(float) if float.is_infinite() => {
                    return Err(fault(PlanFileFault::Number, self.offset));
                }
                number => out.extend_from_slice(number.to_string().as_bytes()),
            },
            _ => return Err(self.error()),
        }
        Ok(())
    }
}

/// Appends what is known of a value, and null for a value that is unknown as a whole.
pub(super) fn write_value(
    value: &Value<'_>,
    ty: Option<&Type>,
    limits: &Limits,
    offset: u64,
    out: &mut Vec<u8>,
) -> Result<()> {
    super::walk::write_known(&mut Packed::new(&value.sorted(), ty, offset), limits, out)
}

/// Appends the tree of what is unknown in a value.
pub(super) fn write_unknown(
    value: &Value<'_>,
    limits: &Limits,
    offset: u64,
    out: &mut Vec<u8>,
) -> Result<()> {
    super::walk::write_unknown(&mut Packed::new(&value.sorted(), None, offset), limits, out)
}
