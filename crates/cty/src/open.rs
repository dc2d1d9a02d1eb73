//! A collection, a tuple or an object that is being read.
//!
//! Readers keep a stack of [`Open`] values, so a deep input needs no recursion.

use std::collections::BTreeMap;

use super::error::ErrorKind;
use super::types::Type;
use super::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Array,
    /// A map, or a JSON object.
    Map,
}

/// The parts of a value that have been read so far, and the type of the value.
#[derive(Debug)]
pub struct Open {
    ty: Type,
    pub form: Form,
    values: Vec<Value>,
    /// The parts of a map, and the key of the next part.
    entries: BTreeMap<Vec<u8>, Value>,
    key: Vec<u8>,
}

impl Open {
    /// Starts a value of a type. Fails if the type requires another form.
    pub fn new(ty: &Type, form: Form) -> Result<Open, ErrorKind> {
        let fits = match ty {
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => form == Form::Array,
            Type::Map(_) | Type::Object(_) => form == Form::Map,
            _ => false,
        };
        if !fits {
            return Err(ErrorKind::Required(required(ty)));
        }
        let (values, entries, key) = (Vec::new(), BTreeMap::new(), Vec::new());
        Ok(Open { ty: ty.clone(), form, values, entries, key })
    }

    /// Returns the type of the next part. `key` is its key in a map, and empty in an array. Fails
    /// if the tuple is complete, or if the object has no such attribute.
    pub fn next_type(&mut self, key: &[u8]) -> Result<Type, ErrorKind> {
        self.key = key.to_vec();
        match &self.ty {
            Type::Tuple(types) => {
                types.get(self.values.len()).cloned().ok_or(ErrorKind::TupleLength)
            }
            Type::Object(attributes) => {
                let ty = std::str::from_utf8(key).ok().and_then(|key| attributes.types.get(key));
                ty.cloned().ok_or(ErrorKind::Attribute)
            }
            ty => ty.element().cloned().ok_or(ErrorKind::Required(required(ty))),
        }
    }

    /// True if the next part is an attribute that was read before.
    pub fn is_repeated(&self) -> bool {
        matches!(self.ty, Type::Object(_)) && self.entries.contains_key(&self.key)
    }

    /// Adds the part whose type [`Open::next_type`] returned. A later part replaces an earlier part
    /// with the same key.
    pub fn add(&mut self, value: Value) {
        match self.form {
            Form::Array => self.values.push(value),
            Form::Map => drop(self.entries.insert(std::mem::take(&mut self.key), value)),
        }
    }

    /// Returns the number of parts that a tuple or an object still lacks.
    pub fn absent(&self) -> usize {
        match &self.ty {
            Type::Tuple(types) => types.len() - self.values.len(),
            Type::Object(attributes) => attributes.types.len() - self.entries.len(),
            _ => 0,
        }
    }

    /// Sets the absent attributes of an object to null.
    pub fn add_nulls(&mut self) {
        if let Type::Object(attributes) = &self.ty {
            for (name, ty) in &attributes.types {
                if !self.entries.contains_key(name.as_bytes()) {
                    self.entries.insert(name.clone().into_bytes(), Value::null(ty));
                }
            }
        }
    }

    /// Returns the complete value. Fails if elements of a collection have different types.
    pub fn finish(self) -> Result<Value, ErrorKind> {
        match &self.ty {
            Type::List(element) => Value::list(self.values, element),
            Type::Set(element) => Value::set(self.values, element),
            Type::Map(element) => Value::map(self.entries, element),
            Type::Tuple(_) => Ok(Value::tuple(self.values)),
            _ => {
                let text = |key: Vec<u8>| String::from_utf8_lossy(&key).into_owned();
                let entries = self.entries.into_iter();
                Ok(Value::object(entries.map(|(key, value)| (text(key), value))))
            }
        }
    }
}

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
