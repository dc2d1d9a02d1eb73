//! Values as in go-cty: a type, and data that does not repeat the types of its parts.

use std::collections::BTreeMap;

use super::error::ErrorKind;
use super::number::Number;
use super::text::normalize;
use super::types::Type;
use super::unknown::Unknown;

/// A value and its type. If the expected type is dynamic, `ty` is the actual type of the value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The type of the value.
    pub ty: Type,
    /// The data, which has a meaning only with this type.
    pub data: Data,
}

/// The data of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// Null.
    Null,
    /// An unknown value and its refinements.
    Unknown(Box<Unknown>),
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string, in normal form C. Its bytes need not be UTF-8.
    String(Vec<u8>),
    /// A list, a set in go-cty's order, or a tuple.
    List(Vec<Data>),
    /// A map, or an object.
    Map(BTreeMap<Vec<u8>, Data>),
}

impl Data {
    /// Returns an unknown value without refinements.
    pub fn unknown() -> Data {
        Data::Unknown(Box::default())
    }
}

impl Value {
    /// Creates a null of a type.
    pub fn null(ty: &Type) -> Value {
        Value { ty: ty.clone(), data: Data::Null }
    }

    /// Creates an unknown value of a type.
    pub fn unknown(ty: &Type) -> Value {
        Value { ty: ty.clone(), data: Data::unknown() }
    }

    /// Creates a boolean.
    pub fn bool(truth: bool) -> Value {
        Value { ty: Type::Bool, data: Data::Bool(truth) }
    }

    /// Creates a number.
    pub fn number(number: Number) -> Value {
        Value { ty: Type::Number, data: Data::Number(number) }
    }

    /// Creates a string in normal form C.
    pub fn string(text: &[u8]) -> Value {
        Value { ty: Type::String, data: Data::String(normalize(text).into_owned()) }
    }

    /// Creates a list. `element` is the element type of an empty list.
    ///
    /// # Errors
    ///
    /// Fails if elements have different types.
    pub fn list(values: Vec<Value>, element: &Type) -> Result<Value, ErrorKind> {
        let (element, data) = unify(values, element)?;
        Ok(Value { ty: Type::list(element), data: Data::List(data) })
    }

    /// Creates a map. Keys are normalized.
    ///
    /// # Errors
    ///
    /// Fails if elements have different types.
    pub fn map(
        entries: impl IntoIterator<Item = (Vec<u8>, Value)>,
        element: &Type,
    ) -> Result<Value, ErrorKind> {
        let (keys, values): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        let (element, data) = unify(values, element)?;
        let keys = keys.iter().map(|key| normalize(key).into_owned());
        Ok(Value { ty: Type::map(element), data: Data::Map(keys.zip(data).collect()) })
    }

    /// Creates a tuple.
    pub fn tuple(values: Vec<Value>) -> Value {
        let (types, data): (Vec<_>, _) =
            values.into_iter().map(|value| (value.ty, value.data)).unzip();
        Value { ty: Type::Tuple(types.into()), data: Data::List(data) }
    }

    /// Creates an object. If a name repeats, its last value is kept.
    pub fn object(attributes: impl IntoIterator<Item = (String, Value)>) -> Value {
        let mut types = Vec::new();
        let mut data = BTreeMap::new();
        for (name, value) in attributes {
            data.insert(normalize(name.as_bytes()).into_owned(), value.data);
            types.push((name, value.ty));
        }
        Value { ty: Type::object(types), data: Data::Map(data) }
    }
}

/// Returns the common type of elements, and their data. An element of a dynamic type is null or
/// unknown, and fits every common type. `empty` is the type without elements.
pub(super) fn unify(values: Vec<Value>, empty: &Type) -> Result<(Type, Vec<Data>), ErrorKind> {
    let mut element = Type::Dynamic;
    if values.is_empty() {
        return Ok((empty.clone(), Vec::new()));
    }
    let mut data = Vec::with_capacity(values.len());
    for value in values {
        if element == Type::Dynamic {
            element = value.ty;
        } else if value.ty != Type::Dynamic && value.ty != element {
            return Err(ErrorKind::MixedTypes);
        }
        data.push(value.data);
    }
    Ok((element, data))
}
