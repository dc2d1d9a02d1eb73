//! Walks over the parts of a MessagePack value.
//!
//! MessagePack stores a number with many digits as a string, and an unknown value without its
//! shape. The type of the value supplies these facts. The type comes from a schema, or precedes a
//! value of a dynamic type.

use super::fault::PlanFileFault;
use super::walk::{self, Shape, TextWriter, ValueEvent, ValueForm, Walk};
use plansift_core::error::{Error, Result};
use plansift_core::limits::Limits;
use plansift_cty::json_string::write_string_within;
use plansift_cty::msgpack::{self, Token, Tokens, Value};
use plansift_cty::number::Number;
use plansift_cty::{Type, TypeCache};

/// Writes values as JSON, within the limits.
#[derive(Clone, Copy)]
pub(super) struct ValueWriter<'w> {
    pub limits: &'w Limits,
    pub types: &'w TypeCache,
}

impl<'w> ValueWriter<'w> {
    /// Starts a walk over a value, like [`Packed::new`].
    pub(super) fn walk<'a>(
        self,
        bytes: &'a [u8],
        ty: Option<&Type>,
        offset: u64,
    ) -> Packed<'a, 'w> {
        Packed::new(bytes, ty, self.types, offset)
    }

    /// Writes a form of a value, or several in one walk.
    pub(super) fn write(
        self,
        value: &Value<'_>,
        ty: Option<&Type>,
        offset: u64,
        form: &mut impl ValueForm,
    ) -> Result<()> {
        let bytes = value.sorted();
        walk::write(&mut self.walk(&bytes, ty, offset), form, self.limits)
    }

    /// Appends the known parts of a value, like [`write_value`].
    pub(super) fn value(
        self,
        value: &Value<'_>,
        ty: Option<&Type>,
        offset: u64,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.write(value, ty, offset, &mut TextWriter::known(self.limits, out))
    }

    /// Appends the tree of the unknown values in a value, like [`write_unknown`].
    pub(super) fn unknown(self, value: &Value<'_>, offset: u64, out: &mut Vec<u8>) -> Result<()> {
        self.write(value, None, offset, &mut TextWriter::unknown(self.limits, out))
    }
}

/// Walks over a MessagePack value.
pub(super) struct Packed<'a, 't> {
    tokens: Tokens<'a>,
    types: &'t TypeCache,
    stack: Vec<Open>,
    /// The type of the next value, if it is known.
    next: Option<Type>,
    /// Whether the key of the next member was yielded.
    has_key: bool,
    leaf: Token<'a>,
    leaf_type: Option<Type>,
    offset: u64,
}

struct Open {
    left: usize,
    /// The number of elements begun so far.
    index: usize,
    is_object: bool,
    ty: Option<Type>,
}

impl<'a, 't> Packed<'a, 't> {
    /// Starts a walk over a validated value with keys in ascending order. `offset` is for errors.
    fn new(
        bytes: &'a [u8],
        ty: Option<&Type>,
        types: &'t TypeCache,
        offset: u64,
    ) -> Packed<'a, 't> {
        Packed {
            tokens: Tokens::new(bytes, 0),
            types,
            stack: Vec::new(),
            next: ty.cloned(),
            has_key: false,
            leaf: Token::Nil,
            leaf_type: None,
            offset,
        }
    }

    fn error(&self) -> Error {
        Error::at(PlanFileFault::Value, self.offset)
    }

    /// Reads a value, and returns its first part.
    fn value(&mut self) -> Result<ValueEvent<'a>> {
        let head = self.tokens.next_untyped().map_err(|_| self.error())?;
        let mut ty = self.next.take();
        if let Some(declared) = head.declared {
            ty = Some(self.types.parse(declared).map_err(|_| self.error())?);
        }
        let (left, is_object, part) = match head.token {
            Token::Map(len) => (len, true, ValueEvent::Object),
            Token::Array(len) => (len, false, ValueEvent::Array),
            Token::Nil => return Ok(ValueEvent::Null),
            Token::Ext(..) => return Ok(ValueEvent::Unknown(shape(ty.as_ref()))),
            leaf => {
                (self.leaf, self.leaf_type) = (leaf, ty);
                return Ok(ValueEvent::Leaf);
            }
        };
        self.stack.push(Open { left, index: 0, is_object, ty });
        Ok(part)
    }
}

fn shape(ty: Option<&Type>) -> Shape {
    match ty {
        None => Shape::Any,
        Some(Type::List(_) | Type::Set(_) | Type::Tuple(_)) => Shape::Array,
        Some(Type::Map(_) | Type::Object(_)) => Shape::Object,
        Some(_) => Shape::Leaf,
    }
}

impl Open {
    /// Returns the type of the element at `index`, or of the member `key`.
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

impl<'a> Walk<'a> for Packed<'a, '_> {
    fn next(&mut self) -> Result<ValueEvent<'a>> {
        if let Some(open) = self.stack.last_mut() {
            if open.left == 0 {
                self.stack.pop();
                return Ok(ValueEvent::Close);
            }
            if open.is_object && !self.has_key {
                let key = self.tokens.next_key();
                let key = key.map_err(|_| Error::at(PlanFileFault::Value, self.offset))?;
                self.has_key = true;
                self.next = open.inner(Some(key));
                return Ok(ValueEvent::Key(key.into()));
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
                    number.ok_or_else(|| Error::at(PlanFileFault::Number, self.offset))?.as_bytes(),
                );
            }
            Token::Str(text) | Token::Bin(text) => {
                write_string_within(text, max, out);
            }
            Token::Number(msgpack::Number::Float(float)) if float.is_infinite() => {
                return Err(Error::at(PlanFileFault::Number, self.offset));
            }
            Token::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
            _ => return Err(self.error()),
        }
        Ok(())
    }
}

/// Appends the known parts of a value as JSON, or null if the whole value is unknown. `ty` only
/// decides which strings are numbers, so it need not fit the value. `offset` is for errors.
///
/// # Errors
///
/// Fails if a number is infinite or has too many digits, a string of type number is not a number,
/// the type before a dynamic value is invalid, or the JSON text exceeds [`Limits::change`].
pub fn write_value(
    value: &Value<'_>,
    ty: Option<&Type>,
    limits: &Limits,
    offset: u64,
    out: &mut Vec<u8>,
) -> Result<()> {
    ValueWriter { limits, types: &TypeCache::default() }.value(value, ty, offset, out)
}

/// Appends the tree of the unknown values in a value: true for an unknown value, and false for a
/// known element. Members that are known leaves are left out. `offset` is for errors.
///
/// # Errors
///
/// Fails if the type before a dynamic value is invalid, or the JSON text exceeds
/// [`Limits::change`].
pub fn write_unknown(
    value: &Value<'_>,
    limits: &Limits,
    offset: u64,
    out: &mut Vec<u8>,
) -> Result<()> {
    ValueWriter { limits, types: &TypeCache::default() }.unknown(value, offset, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_cty::marked::bytes_of;
    use plansift_cty::msgpack::DEPTH_MAX;

    fn write(bytes: &[u8], ty: Option<&Type>) -> Result<String> {
        let (value, rest) = Value::read(bytes).expect("a value");
        assert!(rest.is_empty(), "{bytes:?}");
        let mut out = Vec::new();
        write_value(&value, ty, &Limits::default(), 0, &mut out)?;
        Ok(String::from_utf8(out).expect("UTF-8"))
    }

    fn unknown(bytes: &[u8]) -> String {
        let (value, _) = Value::read(bytes).expect("a value");
        let mut out = Vec::new();
        write_unknown(&value, &Limits::default(), 0, &mut out).expect("text");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn values_are_written_as_in_plan_json() {
        for (hex, known, tree) in [
            ("c0", "null", "false"),
            ("d40000", "null", "true"),
            ("81a16101", r#"{"a":1}"#, "{}"),
            ("82a161d40000a16201", r#"{"b":1}"#, r#"{"a":true}"#),
            ("93d4000001c0", "[null,1,null]", "[true,false,false]"),
            ("82a161d40000a16280", r#"{"b":{}}"#, r#"{"a":true,"b":{}}"#),
            ("82a161d40000a16290", r#"{"b":[]}"#, r#"{"a":true,"b":[]}"#),
            ("82a161d40000a1629101", r#"{"b":[1]}"#, r#"{"a":true,"b":[false]}"#),
            ("82a161d40000a16281a16301", r#"{"b":{"c":1}}"#, r#"{"a":true,"b":{}}"#),
            ("81a16f92c40822737472696e6722d40000", "{}", r#"{"o":true}"#),
            ("92c40822737472696e6722d40000", "null", "true"),
            ("92c40822737472696e6722a568656c6c6f", "\"hello\"", "false"),
            ("92c40822737472696e6722c0", "null", "false"),
            ("c7030c8101c2", "null", "true"),
            ("cb3fe999999999999a", "0.8", "false"),
            ("ca3fc00000", "1.5", "false"),
            ("d38000000000000000", "-9223372036854775808", "false"),
            ("cfffffffffffffffff", "18446744073709551615", "false"),
            ("a63c613e26220a", r#""\u003ca\u003e\u0026\"\n""#, "false"),
            ("a4ff61e280", r#""\ufffda\ufffd\ufffd""#, "false"),
            // A dynamic value: its type says that the string is a number.
            ("92c408226e756d62657222a431653330", "1000000000000000000000000000000", "false"),
            // Keys out of order, and duplicate keys.
            ("83a16201a16102a16203", r#"{"a":2,"b":3}"#, "{}"),
            ("82a16282a17a01a17902a16103", r#"{"a":3,"b":{"y":2,"z":1}}"#, r#"{"b":{}}"#),
            ("82c001a16101", r#"{"":1,"a":1}"#, "{}"),
        ] {
            let bytes = bytes_of(hex).expect(hex);
            assert_eq!(write(&bytes, None).expect(hex), known, "{hex}");
            assert_eq!(unknown(&bytes), tree, "{hex}");
        }
    }

    #[test]
    fn a_type_decides_between_numbers_and_strings() {
        let hex = "82a16191b339323233333732303336383534373735383038a162a138";
        let ty =
            Type::parse(br#"["object",{"a":["list","number"],"b":"string"}]"#).expect("a type");
        let text = write(&bytes_of(hex).expect(hex), Some(&ty)).expect(hex);
        assert_eq!(text, r#"{"a":[9223372036854775808],"b":"8"}"#);
    }

    #[test]
    fn infinity_is_an_error() {
        let error =
            write(&bytes_of("cb7ff0000000000000").expect("bytes"), None).expect_err("infinity");
        assert_eq!(error.fault(), Some(&PlanFileFault::Number), "{error}");
    }

    #[test]
    fn deep_values_do_not_overflow_the_stack() {
        let mut deep = vec![0x91; DEPTH_MAX];
        deep.push(0xc0);
        assert_eq!(write(&deep, None).expect("text").len(), 2 * DEPTH_MAX + 4);
    }
}
