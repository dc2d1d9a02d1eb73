//! Converts values to other types by go-cty's rules, before they are encoded.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::error::{Error, ErrorKind};
use super::number::Number;
use super::refiner::Refiner;
use super::types::{Attributes, Type};
use super::unknown::{Range, Unknown};
use super::value::{Data, Value};

/// Returns the value itself if it conforms to the type, else the converted value.
pub fn conform<'a>(value: &'a Value, ty: &Type) -> Result<Cow<'a, Value>, Error> {
    if conforms(&value.ty, ty) {
        return Ok(Cow::Borrowed(value));
    }
    convert(value.clone(), ty).map(Cow::Owned).map_err(Error::without_offset)
}

/// True if a value of type `own` can be encoded as `wanted` without a conversion.
fn conforms(own: &Type, wanted: &Type) -> bool {
    match (own, wanted) {
        (_, Type::Dynamic) => true,
        (Type::List(own), Type::List(wanted))
        | (Type::Set(own), Type::Set(wanted))
        | (Type::Map(own), Type::Map(wanted)) => conforms(own, wanted),
        (Type::Tuple(own), Type::Tuple(wanted)) => {
            own.len() == wanted.len()
                && own.iter().zip(wanted.iter()).all(|(own, wanted)| conforms(own, wanted))
        }
        (Type::Object(own), Type::Object(wanted)) => {
            own.types.len() == wanted.types.len()
                && own
                    .types
                    .iter()
                    .zip(&wanted.types)
                    .all(|((name, own), (other, wanted))| name == other && conforms(own, wanted))
        }
        _ => own == wanted,
    }
}

fn convert(value: Value, ty: &Type) -> Result<Value, ErrorKind> {
    let known_ty = ty.without_optional();
    if value.ty == known_ty || *ty == Type::Dynamic {
        return Ok(value);
    }
    if !is_convertible(&value.ty, ty) {
        return Err(ErrorKind::Conversion);
    }
    match value.data {
        Data::Null => Ok(Value { ty: with_dynamic_of(&value.ty, &known_ty), data: Data::Null }),
        Data::Unknown(unknown) => convert_unknown(&unknown, &value.ty, &known_ty),
        data => convert_known(data, &value.ty, ty),
    }
}

/// True if at least some values of type `own` can be converted to `wanted`.
fn is_convertible(own: &Type, wanted: &Type) -> bool {
    match (own, wanted) {
        (_, Type::Dynamic) | (Type::Dynamic, _) => true,
        (Type::Number | Type::Bool, Type::String) | (Type::String, Type::Number | Type::Bool) => {
            true
        }
        (Type::Object(own), Type::Object(wanted)) => {
            wanted.types.iter().all(|(name, ty)| match own.types.get(name) {
                Some(own) => is_convertible(own, ty),
                None => wanted.optional.contains(name),
            })
        }
        (Type::Tuple(own), Type::Tuple(wanted)) => {
            own.len() == wanted.len()
                && own.iter().zip(wanted.iter()).all(|(own, wanted)| is_convertible(own, wanted))
        }
        (Type::List(own) | Type::Set(own), Type::List(wanted) | Type::Set(wanted))
        | (Type::Map(own), Type::Map(wanted)) => is_convertible(own, wanted),
        (Type::Tuple(own), Type::List(wanted) | Type::Set(wanted)) => {
            are_convertible(own.iter(), wanted)
        }
        (Type::Object(own), Type::Map(wanted)) => are_convertible(own.types.values(), wanted),
        (Type::Map(own), Type::Object(wanted)) => wanted
            .types
            .iter()
            .all(|(name, ty)| is_convertible(own, ty) || wanted.optional.contains(name)),
        _ => own == wanted,
    }
}

fn are_convertible<'a>(own: impl Iterator<Item = &'a Type> + Clone, wanted: &Type) -> bool {
    match common_element_type(own.clone(), wanted) {
        Some(wanted) => own.clone().all(|own| is_convertible(own, &wanted)),
        None => false,
    }
}

/// Returns the element type of a collection made from elements of the types `own`. If `wanted` is
/// dynamic, this is the type that all elements share, or string for different primitive types.
/// `None` if there is no such type.
fn common_element_type<'a>(mut own: impl Iterator<Item = &'a Type>, wanted: &Type) -> Option<Type> {
    if *wanted != Type::Dynamic {
        return Some(wanted.clone());
    }
    own.try_fold(Type::Dynamic, |common, ty| match (&common, ty) {
        (Type::Dynamic, ty) => Some(ty.clone()),
        (_, Type::Dynamic) => Some(common),
        _ if common == *ty => Some(common),
        _ if common.is_primitive() && ty.is_primitive() => Some(Type::String),
        _ => None,
    })
}

/// Returns the type `wanted`, with each dynamic type replaced by the type in `own`.
fn with_dynamic_of(own: &Type, wanted: &Type) -> Type {
    match (own, wanted) {
        (_, Type::Dynamic) => own.clone(),
        (Type::Map(own), Type::Map(wanted)) => Type::map(with_dynamic_of(own, wanted)),
        (Type::Set(own) | Type::List(own), Type::Set(wanted)) => {
            Type::set(with_dynamic_of(own, wanted))
        }
        (Type::Set(own) | Type::List(own), Type::List(wanted)) => {
            Type::list(with_dynamic_of(own, wanted))
        }
        (Type::Tuple(own), Type::Tuple(wanted)) => {
            let pairs = own.iter().zip(wanted.iter());
            Type::Tuple(pairs.map(|(own, wanted)| with_dynamic_of(own, wanted)).collect())
        }
        (Type::Object(own), Type::Object(wanted)) => {
            Type::object(wanted.types.iter().map(|(name, wanted)| {
                let own = own.types.get(name).unwrap_or(wanted);
                (name.clone(), with_dynamic_of(own, wanted))
            }))
        }
        _ => wanted.clone(),
    }
}

/// Returns an unknown value of type `wanted`, with the refinements that are still valid.
fn convert_unknown(unknown: &Unknown, own: &Type, wanted: &Type) -> Result<Value, ErrorKind> {
    let mut refiner = Refiner::new(&with_dynamic_of(own, wanted));
    if unknown.is_not_null {
        refiner.null(false)?;
    }
    let as_length = |len: usize| i64::try_from(len).unwrap_or(i64::MAX);
    let (min, max) = match (own, &unknown.range) {
        (Type::Object(own), _) => (as_length(own.types.len()), as_length(own.types.len())),
        (Type::Tuple(own), _) => (as_length(own.len()), as_length(own.len())),
        (_, Range::Length { min, max }) => (*min, *max),
        _ => (0, i64::MAX),
    };
    match wanted {
        Type::Set(_) => refiner.length(min.min(1), max)?,
        Type::List(_) | Type::Map(_) => refiner.length(min, max)?,
        _ => {}
    }
    refiner.finish(&mut as_length(1 << 20).unsigned_abs().try_into().unwrap_or(usize::MAX))
}

fn convert_known(data: Data, own: &Type, wanted: &Type) -> Result<Value, ErrorKind> {
    match (data, wanted) {
        (Data::Number(number), Type::String) => {
            let text = number.to_text().ok_or(ErrorKind::Digits)?;
            Ok(Value::string(text.as_bytes()))
        }
        (Data::Bool(truth), Type::String) => Ok(Value::string(truth.to_string().as_bytes())),
        (Data::String(text), Type::Number) => Number::parse(&text)
            .map(Value::number)
            .ok_or(ErrorKind::Required("a number is required")),
        (Data::String(text), Type::Bool) => to_bool(&text).map(Value::bool),
        (Data::List(elements), Type::Tuple(types)) => {
            let values = parts(elements, own).zip(types.iter());
            let values = values.map(|(value, ty)| convert(value, ty)).collect::<Result<_, _>>()?;
            Ok(Value::tuple(values))
        }
        (Data::List(elements), Type::List(element) | Type::Set(element)) => {
            let element = match own {
                Type::Tuple(types) => {
                    common_element_type(types.iter(), element).ok_or(ErrorKind::Conversion)?
                }
                _ => Type::clone(element),
            };
            let values =
                parts(elements, own).map(|value| convert(value, &element).map(without_optional));
            let values = values.collect::<Result<_, _>>()?;
            let empty = empty_element(own, &element);
            if let Type::List(_) = wanted {
                Value::list(values, &empty)
            } else {
                Value::set(values, &empty)
            }
        }
        (Data::Map(entries), Type::Map(element)) => {
            let element = match own {
                Type::Object(own) => {
                    common_element_type(own.types.values(), element).ok_or(ErrorKind::Conversion)?
                }
                _ => Type::clone(element),
            };
            let values = members(entries, own)
                .map(|(key, value)| convert(value, &element).map(|value| (key, value)));
            Value::map(values.collect::<Result<Vec<_>, _>>()?, &empty_element(own, &element))
        }
        (Data::Map(entries), Type::Object(attributes)) => to_object(entries, own, attributes),
        _ => Err(ErrorKind::Conversion),
    }
}

/// Returns the values of a list, a set or a tuple.
fn parts(elements: Vec<Data>, own: &Type) -> impl Iterator<Item = Value> {
    elements.into_iter().zip(own.parts()).map(|(data, ty)| Value { ty: ty.clone(), data })
}

/// Returns the values of a map or an object, with their keys.
fn members(entries: BTreeMap<Vec<u8>, Data>, own: &Type) -> impl Iterator<Item = (Vec<u8>, Value)> {
    let pairs = entries.into_iter().zip(own.parts());
    pairs.map(|((key, data), ty)| (key, Value { ty: ty.clone(), data }))
}

fn without_optional(mut value: Value) -> Value {
    if value.data == Data::Null {
        value.ty = value.ty.without_optional();
    }
    value
}

fn empty_element(own: &Type, wanted: &Type) -> Type {
    match own.element() {
        Some(own) if *wanted == Type::Dynamic => own.clone(),
        _ => wanted.without_optional(),
    }
}

/// Converts `true`, `false`, `1` or `0` to a boolean.
pub fn to_bool(text: &[u8]) -> Result<bool, ErrorKind> {
    match text {
        b"true" | b"1" => Ok(true),
        b"false" | b"0" => Ok(false),
        _ => Err(ErrorKind::Required("a bool is required")),
    }
}

/// Converts a map or an object to an object: drops other attributes, and sets absent optional
/// attributes to null.
fn to_object(
    entries: BTreeMap<Vec<u8>, Data>,
    own: &Type,
    wanted: &Attributes,
) -> Result<Value, ErrorKind> {
    let mut entries: BTreeMap<Vec<u8>, Value> = members(entries, own).collect();
    let mut attributes = Vec::with_capacity(wanted.types.len());
    for (name, ty) in &wanted.types {
        let value = match entries.remove(name.as_bytes()) {
            Some(value) => without_optional(convert(value, ty)?),
            None if wanted.optional.contains(name) => Value::null(&ty.without_optional()),
            None => return Err(ErrorKind::Attribute),
        };
        attributes.push((name.clone(), value));
    }
    Ok(Value::object(attributes))
}
