//! Type constraints, and their JSON form.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use super::error::{Error, ErrorKind};
use super::json_string::write_string;
use super::lexer::{Lexer, Token};
use super::text::normalize_str;

/// The deepest nesting of types, and of values that are read with a type.
pub const DEPTH_MAX: usize = 2_500;

/// A type constraint. Clones are cheap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// `"string"`
    String,
    /// `"number"`
    Number,
    /// `"bool"`
    Bool,
    /// `"dynamic"`: any type. The value then carries its own type.
    Dynamic,
    /// `["list",T]`
    List(Arc<Type>),
    /// `["set",T]`
    Set(Arc<Type>),
    /// `["map",T]`
    Map(Arc<Type>),
    /// `["tuple",[T,...]]`
    Tuple(Arc<[Type]>),
    /// `["object",{"name":T,...}]`
    Object(Arc<Attributes>),
}

/// The attributes of an object type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The types by name.
    pub types: BTreeMap<String, Type>,
    /// The names of attributes that may be absent from a value before its conversion.
    pub optional: BTreeSet<String>,
}

impl Type {
    /// Creates the type of a list of elements of this type.
    pub fn list(element: Type) -> Type {
        Type::List(Arc::new(element))
    }

    /// Creates the type of a set of elements of this type.
    pub fn set(element: Type) -> Type {
        Type::Set(Arc::new(element))
    }

    /// Creates the type of a map of elements of this type.
    pub fn map(element: Type) -> Type {
        Type::Map(Arc::new(element))
    }

    /// Creates an object type without optional attributes. Names are normalized.
    pub fn object(types: impl IntoIterator<Item = (String, Type)>) -> Type {
        let types = types.into_iter().map(|(name, ty)| (normalize_str(&name), ty)).collect();
        Type::Object(Arc::new(Attributes { types, optional: BTreeSet::new() }))
    }

    /// Reads the JSON form. A `]` or `}` after the type is ignored, as in go-cty.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a type, or is nested deeper than [`DEPTH_MAX`].
    pub fn parse(text: &[u8]) -> Result<Type, Error> {
        let mut lexer = Lexer::new(text);
        let ty = read(&mut lexer)?;
        match lexer.byte_after() {
            None | Some(b']' | b'}') => Ok(ty),
            Some(_) => Err(Error::new(ErrorKind::Type, lexer.offset())),
        }
    }

    /// Returns the type of the elements of a list, a set or a map.
    pub fn element(&self) -> Option<&Type> {
        match self {
            Type::List(element) | Type::Set(element) | Type::Map(element) => Some(element),
            _ => None,
        }
    }

    /// Returns the types of the parts of a value. A collection repeats its element type without
    /// end, and a dynamic type repeats itself. A tuple has its element types, and an object has its
    /// attribute types in the order of names. Other types have no parts.
    pub fn parts(&self) -> Parts<'_> {
        match self {
            Type::List(element) | Type::Set(element) | Type::Map(element) => Parts::Same(element),
            Type::Tuple(elements) => Parts::Elements(elements.iter()),
            Type::Object(attributes) => Parts::Attributes(attributes.types.values()),
            Type::Dynamic => Parts::Same(&Type::Dynamic),
            _ => Parts::Elements([].iter()),
        }
    }

    /// True for a string, a number and a boolean.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Type::String | Type::Number | Type::Bool)
    }

    /// True if the type is dynamic or has a dynamic part.
    pub fn has_dynamic(&self) -> bool {
        match self {
            Type::Dynamic => true,
            Type::String | Type::Number | Type::Bool => false,
            Type::List(element) | Type::Set(element) | Type::Map(element) => element.has_dynamic(),
            Type::Tuple(elements) => elements.iter().any(Type::has_dynamic),
            Type::Object(attributes) => attributes.types.values().any(Type::has_dynamic),
        }
    }

    /// Returns the type without optional attributes at any depth.
    pub fn without_optional(&self) -> Type {
        match self {
            Type::List(element) => Type::list(element.without_optional()),
            Type::Set(element) => Type::set(element.without_optional()),
            Type::Map(element) => Type::map(element.without_optional()),
            Type::Tuple(elements) => {
                Type::Tuple(elements.iter().map(Type::without_optional).collect())
            }
            Type::Object(attributes) => {
                let types = &attributes.types;
                let types = types.iter().map(|(name, ty)| (name.clone(), ty.without_optional()));
                let types = types.collect();
                Type::Object(Arc::new(Attributes { types, optional: BTreeSet::new() }))
            }
            _ => self.clone(),
        }
    }

    /// Appends the JSON form, with ascending names and without spaces.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Type::String => out.extend_from_slice(b"\"string\""),
            Type::Number => out.extend_from_slice(b"\"number\""),
            Type::Bool => out.extend_from_slice(b"\"bool\""),
            Type::Dynamic => out.extend_from_slice(b"\"dynamic\""),
            Type::List(element) => write_collection("list", element, out),
            Type::Set(element) => write_collection("set", element, out),
            Type::Map(element) => write_collection("map", element, out),
            Type::Tuple(elements) => {
                out.extend_from_slice(b"[\"tuple\",[");
                for (index, element) in elements.iter().enumerate() {
                    separate(index, out);
                    element.write(out);
                }
                out.extend_from_slice(b"]]");
            }
            Type::Object(attributes) => write_object(attributes, out),
        }
    }
}

/// The types of the parts of a value.
#[derive(Clone, Debug)]
pub enum Parts<'a> {
    /// One type for all parts.
    Same(&'a Type),
    /// A type for each element.
    Elements(std::slice::Iter<'a, Type>),
    /// A type for each attribute.
    Attributes(std::collections::btree_map::Values<'a, String, Type>),
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a Type;

    fn next(&mut self) -> Option<&'a Type> {
        match self {
            Parts::Same(element) => Some(element),
            Parts::Elements(elements) => elements.next(),
            Parts::Attributes(attributes) => attributes.next(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::new();
        self.write(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

fn write_collection(kind: &str, element: &Type, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("[\"{kind}\",").as_bytes());
    element.write(out);
    out.push(b']');
}

fn write_object(attributes: &Attributes, out: &mut Vec<u8>) {
    out.extend_from_slice(b"[\"object\",{");
    for (index, (name, ty)) in attributes.types.iter().enumerate() {
        separate(index, out);
        write_string(name.as_bytes(), out);
        out.push(b':');
        ty.write(out);
    }
    out.push(b'}');
    if !attributes.optional.is_empty() {
        out.extend_from_slice(b",[");
        for (index, name) in attributes.optional.iter().enumerate() {
            separate(index, out);
            write_string(name.as_bytes(), out);
        }
        out.push(b']');
    }
    out.push(b']');
}

fn separate(index: usize, out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
}

/// A type whose parts are being read.
enum Open {
    /// A collection, and the constructor of its type.
    Collection(fn(Type) -> Type),
    Tuple(Vec<Type>),
    Object {
        types: BTreeMap<String, Type>,
        name: String,
    },
}

/// Reads the JSON form of a type from the next value of a lexer, as [`Type::parse`] does. The
/// reader keeps its own stack, so deep text needs no recursion.
pub(super) fn read(lexer: &mut Lexer<'_>) -> Result<Type, Error> {
    let mut stack = Vec::new();
    loop {
        let mut complete = match begin(lexer)? {
            Begun::Whole(ty) => Some(ty),
            Begun::Open(open) => {
                stack.push(open);
                None
            }
        };
        if stack.len() > DEPTH_MAX {
            return Err(Error::new(ErrorKind::Depth, lexer.offset()));
        }
        // A complete type may also complete the open types around it.
        loop {
            let Some(open) = stack.last_mut() else {
                return complete.ok_or_else(|| wrong(lexer));
            };
            match open.add(complete.take(), lexer)? {
                Some(ty) => {
                    stack.pop();
                    complete = Some(ty);
                }
                None => break,
            }
        }
    }
}

enum Begun {
    Whole(Type),
    Open(Open),
}

fn wrong(lexer: &Lexer<'_>) -> Error {
    Error::new(ErrorKind::Type, lexer.offset())
}

/// Reads the beginning of a type, up to its first part.
fn begin(lexer: &mut Lexer<'_>) -> Result<Begun, Error> {
    let name = match lexer.next_token()? {
        Token::String(name) => name,
        Token::BeginArray => return begin_complex(lexer),
        _ => return Err(wrong(lexer)),
    };
    Ok(Begun::Whole(match &*name {
        "string" => Type::String,
        "number" => Type::Number,
        "bool" => Type::Bool,
        "dynamic" => Type::Dynamic,
        _ => return Err(wrong(lexer)),
    }))
}

fn begin_complex(lexer: &mut Lexer<'_>) -> Result<Begun, Error> {
    let Token::String(kind) = lexer.next_token()? else {
        return Err(wrong(lexer));
    };
    let open = match &*kind {
        "list" => Open::Collection(Type::list),
        "set" => Open::Collection(Type::set),
        "map" => Open::Collection(Type::map),
        "tuple" => match lexer.next_token()? {
            Token::BeginArray => Open::Tuple(Vec::new()),
            Token::Null => return end(Type::Tuple(Arc::new([])), lexer).map(Begun::Whole),
            _ => return Err(wrong(lexer)),
        },
        "object" => match lexer.next_token()? {
            Token::BeginObject => Open::Object { types: BTreeMap::new(), name: String::new() },
            Token::Null => return end_object(BTreeMap::new(), lexer).map(Begun::Whole),
            _ => return Err(wrong(lexer)),
        },
        _ => return Err(wrong(lexer)),
    };
    Ok(Begun::Open(open))
}

impl Open {
    /// Adds a complete part, and reads on. Returns the type if it is complete, or `None` if another
    /// part follows.
    fn add(&mut self, part: Option<Type>, lexer: &mut Lexer<'_>) -> Result<Option<Type>, Error> {
        match (self, part) {
            (Open::Collection(of), Some(element)) => end(of(element), lexer).map(Some),
            (Open::Collection(_), None) => Ok(None),
            (Open::Tuple(elements), part) => {
                elements.extend(part);
                if !lexer.ends_next()? {
                    return Ok(None);
                }
                lexer.next_token()?;
                end(Type::Tuple(std::mem::take(elements).into()), lexer).map(Some)
            }
            (Open::Object { types, name }, part) => {
                if let Some(ty) = part {
                    types.insert(std::mem::take(name), ty);
                }
                match lexer.next_token()? {
                    Token::Key(key) => *name = normalize_str(&key),
                    _ => return end_object(std::mem::take(types), lexer).map(Some),
                }
                Ok(None)
            }
        }
    }
}

/// Reads the end of a type's array.
fn end(ty: Type, lexer: &mut Lexer<'_>) -> Result<Type, Error> {
    match lexer.next_token()? {
        Token::EndArray => Ok(ty),
        _ => Err(wrong(lexer)),
    }
}

/// Reads the names of optional attributes, if there are any, and the end of the type's array.
fn end_object(types: BTreeMap<String, Type>, lexer: &mut Lexer<'_>) -> Result<Type, Error> {
    let mut optional = BTreeSet::new();
    match lexer.next_token()? {
        Token::EndArray => return Ok(Type::Object(Arc::new(Attributes { types, optional }))),
        Token::Null => {}
        Token::BeginArray => loop {
            let name = match lexer.next_token()? {
                Token::String(name) => normalize_str(&name),
                Token::Null => String::new(),
                Token::EndArray => break,
                _ => return Err(wrong(lexer)),
            };
            if !types.contains_key(&name) {
                return Err(wrong(lexer));
            }
            optional.insert(name);
        },
        _ => return Err(wrong(lexer)),
    }
    end(Type::Object(Arc::new(Attributes { types, optional })), lexer)
}
