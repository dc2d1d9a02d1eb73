//! A value as Go decodes it.

use std::collections::BTreeMap;

use plansift_core::error::Result;
use plansift_core::json::string::{BadEscape, unescape};
use plansift_core::json::value::{Kind, Text, Value};

/// A value as Go's `encoding/json` decodes it into `any`.
#[derive(Clone, Copy, Debug)]
pub enum Data<'a> {
    /// Go's `nil`: JSON's `null`, or a member that is absent.
    Nil,
    /// A map that is a field of a struct. If the field is repeated, Go merges the members of all
    /// its objects. Without any object, the map is empty.
    Map(&'a [Value<'a>]),
    /// Any other value.
    Value(Value<'a>),
}

/// The type of a value in Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the types")]
pub enum Type {
    Nil,
    Bool,
    Number,
    String,
    Slice,
    Map,
}

impl Type {
    /// Returns the name of the type in Go, as `%T` prints it.
    pub fn name(self) -> &'static str {
        match self {
            Type::Nil => "<nil>",
            Type::Bool => "bool",
            Type::Number => "json.Number",
            Type::String => "string",
            Type::Slice => "[]interface {}",
            Type::Map => "map[string]interface {}",
        }
    }
}

impl<'a> From<Option<Value<'a>>> for Data<'a> {
    fn from(value: Option<Value<'a>>) -> Data<'a> {
        value.map_or(Data::Nil, Data::from)
    }
}

impl<'a> From<Value<'a>> for Data<'a> {
    fn from(value: Value<'a>) -> Data<'a> {
        if value.is_null() { Data::Nil } else { Data::Value(value) }
    }
}

impl<'a> Data<'a> {
    /// Returns the type of the value.
    ///
    /// # Errors
    ///
    /// Fails if the document is invalid in this value.
    pub fn ty(self) -> Result<Type> {
        let value = match self {
            Data::Nil => return Ok(Type::Nil),
            Data::Map(_) => return Ok(Type::Map),
            Data::Value(value) => value,
        };
        Ok(match value.kind()? {
            Kind::Null => Type::Nil,
            Kind::True | Kind::False => Type::Bool,
            Kind::Number => Type::Number,
            Kind::String => Type::String,
            Kind::Array => Type::Slice,
            Kind::Object => Type::Map,
        })
    }

    /// Returns the length of the value in the document, in bytes.
    pub(crate) fn raw_len(self) -> usize {
        match self {
            Data::Value(value) => value.raw().len(),
            Data::Nil | Data::Map(_) => 0,
        }
    }

    /// Returns the boolean; `None` if the value is not a boolean.
    pub fn boolean(self) -> Option<bool> {
        match self {
            Data::Value(value) if value.is_true() => Some(true),
            Data::Value(value) if value.raw() == b"false" => Some(false),
            _ => None,
        }
    }

    /// Returns the text of the number; `None` if the value is not a number.
    ///
    /// # Errors
    ///
    /// Fails if the document is invalid in this value.
    pub fn number(self) -> Result<Option<String>> {
        match self {
            Data::Value(value) if value.kind()? == Kind::Number => {
                Ok(Some(String::from_utf8_lossy(value.raw()).into_owned()))
            }
            _ => Ok(None),
        }
    }

    /// Returns the decoded string; `None` if the value is not a string.
    ///
    /// # Errors
    ///
    /// Fails if the document is invalid in this value.
    pub fn string(self) -> Result<Option<String>> {
        match self {
            Data::Value(value) if value.kind()? == Kind::String => Ok(Some(text_of(value))),
            _ => Ok(None),
        }
    }

    /// Returns the elements of the array; `None` if the value is not an array.
    ///
    /// # Errors
    ///
    /// Fails if the document is invalid in this value.
    pub fn elements(self) -> Result<Option<Vec<Data<'a>>>> {
        match self {
            Data::Value(value) if value.kind()? == Kind::Array => {
                let elements = value.elements()?.map(|element| element.map(Data::from));
                elements.collect::<Result<_>>().map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the members of the object by their names. If a name occurs twice, its last member
    /// counts. Returns `None` if the value is not an object.
    ///
    /// # Errors
    ///
    /// Fails if the document is invalid in this value.
    pub fn members(self) -> Result<Option<BTreeMap<String, Data<'a>>>> {
        let mut members = BTreeMap::new();
        let is_object = self.each_member(|name, value| {
            members.insert(key_of(name), value);
        })?;
        Ok(is_object.then_some(members))
    }

    /// Returns the member with the name `key`. Returns `Some(None)` if the object has no such
    /// member, and `None` if the value is not an object.
    ///
    /// # Errors
    ///
    /// Fails if the document is invalid in this value.
    pub fn member(self, key: &str) -> Result<Option<Option<Data<'a>>>> {
        let mut found = None;
        let is_object = self.each_member(|name, value| {
            if is_key(name, key) {
                found = Some(value);
            }
        })?;
        Ok(is_object.then_some(found))
    }

    /// Calls `each` with the members of the object. Returns `false` if the value is not an object.
    fn each_member(self, mut each: impl FnMut(Text<'a>, Data<'a>)) -> Result<bool> {
        let one;
        let objects = match self {
            Data::Map(objects) => objects,
            Data::Value(value) if value.kind()? == Kind::Object => {
                one = [value];
                &one
            }
            _ => return Ok(false),
        };
        for object in objects {
            for member in object.members()? {
                let (name, value) = member?;
                each(name, Data::from(value));
            }
        }
        Ok(true)
    }
}

/// Whether a name equals `key` after decoding.
fn is_key(name: Text<'_>, key: &str) -> bool {
    name.raw() == key.as_bytes() || (name.raw().contains(&b'\\') && key_of(name) == key)
}

/// Decodes a key.
pub(crate) fn key_of(key: Text<'_>) -> String {
    decode(key.raw())
}

/// Decodes a string. The result is empty if the value is not a string.
pub(crate) fn text_of(value: Value<'_>) -> String {
    match value.raw() {
        [b'"', text @ .., b'"'] => decode(text),
        _ => String::new(),
    }
}

/// Decodes the text between quotes. An unpaired half of a surrogate pair becomes U+FFFD.
fn decode(text: &[u8]) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Err(BadEscape(at)) = unescape(rest, &mut bytes) {
        bytes.extend_from_slice("\u{fffd}".as_bytes());
        rest = rest.get(at + r"\ud800".len()..).unwrap_or_default();
    }
    String::from_utf8(bytes).unwrap_or_else(|error| {
        // Another process may have written to the mapped file.
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_surrogate_pairs_become_replacement_characters() {
        for (text, decoded) in [
            (r"a\u0041\n\/\u00e9é", "aA\n/éé"),
            (r"\ud83d\ude00!", "😀!"),
            (r"\ud800", "\u{fffd}"),
            (r"\ud800\u0041", "\u{fffd}A"),
            (r"\ude00\ud83d\ude00", "\u{fffd}😀"),
            (r"\ud800\n", "\u{fffd}\n"),
        ] {
            assert_eq!(decode(text.as_bytes()), decoded, "{text}");
        }
    }
}
