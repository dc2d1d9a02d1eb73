//! A collection, a tuple or an object that is being read.
//!
//! Readers keep a stack of them, so the depth of the input costs no recursion.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::ErrorKind;
use super::types::{Attributes, Type};
use super::value::Value;

/// The form of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An array.
    Array,
    /// A map, or a JSON object.
    Map,
}

/// What has been read so far.
#[derive(Debug)]
pub enum Open {
    List { element: Arc<Type>, values: Vec<Value> },
    Set { element: Arc<Type>, values: Vec<Value> },
    Map { element: Arc<Type>, entries: BTreeMap<Vec<u8>, Value>, key: Vec<u8> },
    Tuple { types: Arc<[Type]>, values: Vec<Value> },
    Object { attributes: Arc<Attributes>, values: BTreeMap<String, Value>, name: String },
}

impl Open {
    /// Starts a value of a type.
    ///
    /// # Errors
    ///
    /// The type requires another form.
    pub fn new(ty: &Type, form: Form) -> Result<Open, ErrorKind> {
        let values = Vec::new();
        let required = match (ty, form) {
            (Type::List(element), Form::Array) => {
                return Ok(Open::List { element: Arc::clone(element), values });
            }
            (Type::Set(element), Form::Array) => {
                return Ok(Open::Set { element: Arc::clone(element), values });
            }
            (Type::Tuple(types), Form::Array) => {
                return Ok(Open::Tuple { types: Arc::clone(types), values });
            }
            (Type::Map(element), Form::Map) => {
                let (element, entries) = (Arc::clone(element), BTreeMap::new());
                return Ok(Open::Map { element, entries, key: Vec::new() });
            }
            (Type::Object(attributes), Form::Map) => {
                let (attributes, values) = (Arc::clone(attributes), BTreeMap::new());
                return Ok(Open::Object { attributes, values, name: String::new() });
            }
            _ => required(ty),
        };
        Err(ErrorKind::Required(required))
    }

    /// The type of the next part, whose key is given if the form is a map.
    ///
    /// # Errors
    ///
    /// The tuple is complete, or the object has no such attribute.
    pub fn next_type(&mut self, next: &[u8]) -> Result<Type, ErrorKind> {
        match self {
            Open::List { element, .. } | Open::Set { element, .. } => Ok(Type::clone(element)),
            Open::Tuple { types, values } => {
                types.get(values.len()).cloned().ok_or(ErrorKind::TupleLength)
            }
            Open::Map { element, key, .. } => {
                *key = next.to_vec();
                Ok(Type::clone(element))
            }
            Open::Object { attributes, name, .. } => {
                let key = std::str::from_utf8(next).map_err(|_| ErrorKind::Attribute)?;
                *name = key.to_owned();
                attributes.types.get(key).cloned().ok_or(ErrorKind::Attribute)
            }
        }
    }

    /// True if the next part was read before.
    pub fn is_repeated(&self) -> bool {
        matches!(self, Open::Object { values, name, .. } if values.contains_key(name))
    }

    /// Adds the part whose type was asked for. Of two with one key, the later stays.
    pub fn add(&mut self, value: Value) {
        match self {
            Open::List { values, .. } | Open::Set { values, .. } | Open::Tuple { values, .. } => {
                values.push(value);
            }
            Open::Map { entries, key, .. } => drop(entries.insert(std::mem::take(key), value)),
            Open::Object { values, name, .. } => drop(values.insert(std::mem::take(name), value)),
        }
    }

    /// The number of parts that a tuple or an object still lacks.
    pub fn absent(&self) -> usize {
        match self {
            Open::Tuple { types, values } => types.len() - values.len(),
            Open::Object { attributes, values, .. } => attributes.types.len() - values.len(),
            _ => 0,
        }
    }

    /// Makes the attributes null that an object lacks.
    pub fn add_nulls(&mut self) {
        if let Open::Object { attributes, values, .. } = self {
            for (name, ty) in &attributes.types {
                if !values.contains_key(name) {
                    values.insert(name.clone(), Value::null(ty));
                }
            }
        }
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// Elements of a collection have different types.
    pub fn finish(self) -> Result<Value, ErrorKind> {
        match self {
            Open::List { element, values } => Value::list(values, &element),
            Open::Set { element, values } => Value::set(values, &element),
            Open::Map { element, entries, .. } => Value::map(entries, &element),
            Open::Tuple { values, .. } => Ok(Value::tuple(values)),
            Open::Object { values, .. } => Ok(Value::object(values)),
        }
    }
}

/// What a type requires, in words.
pub fn required(ty: &Type) -> &'static str {
    match ty {
        Type::String => "a string is required",
        Type::Number => "a number is required",
        Type::Bool => "a bool is required",
        Type::Dynamic => "a type and a value is required",
        Type::List(_) => "a list is required",
        Type::Set(_) => "a set is required",
        Type::Map(_) => "a map is required",
        Type::Tuple(_) => "a tuple is required",
        Type::Object(_) => "an object is required",
    }
}
