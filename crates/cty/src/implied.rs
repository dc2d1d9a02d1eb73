//! Derives the type of a value from the value alone: objects, tuples and primitive types, and
//! dynamic for null and unknown values.

use std::collections::BTreeMap;

use super::error::{Error, ErrorKind};
use super::lexer::{self, Lexer};
use super::msgpack::{Token, Tokens};
use super::types::{DEPTH_MAX, Type};

/// A tuple or an object whose parts are being read.
enum Open {
    Tuple(Vec<Type>),
    Object { types: BTreeMap<String, Type>, name: String },
}

impl Open {
    fn object() -> Open {
        Open::Object { types: BTreeMap::new(), name: String::new() }
    }

    /// Adds the type of a part. Returns the earlier type of an attribute of the same name.
    fn add(&mut self, ty: Type) -> Option<Type> {
        match self {
            Open::Tuple(types) => {
                types.push(ty);
                None
            }
            Open::Object { types, name } => types.insert(std::mem::take(name), ty),
        }
    }

    fn finish(self) -> Type {
        match self {
            Open::Tuple(types) => Type::Tuple(types.into()),
            Open::Object { types, .. } => Type::object(types),
        }
    }
}

/// Returns the implied type of a MessagePack value. Null and unknown values are dynamic.
///
/// # Errors
///
/// Fails if the bytes are damaged, contain binary data or a key that is not a string, are nested
/// deeper than [`DEPTH_MAX`], or continue after the value.
pub fn of_msgpack(bytes: &[u8]) -> Result<Type, Error> {
    let mut tokens = Tokens::new(bytes, 0);
    let mut stack: Vec<(Open, usize)> = Vec::new();
    loop {
        let start = tokens.offset();
        let mut complete = match tokens.next_token()? {
            Token::Nil | Token::Ext(..) => Some(Type::Dynamic),
            Token::Bool(_) => Some(Type::Bool),
            Token::Number(_) => Some(Type::Number),
            Token::Str(_) => Some(Type::String),
            Token::Bin(_) => {
                return Err(Error::new(ErrorKind::Required("a value is required"), start));
            }
            Token::Array(len) => {
                stack.push((Open::Tuple(Vec::new()), len));
                None
            }
            Token::Map(len) => {
                stack.push((Open::object(), len));
                None
            }
        };
        if stack.len() > DEPTH_MAX {
            return Err(Error::new(ErrorKind::Depth, start));
        }
        while let Some((open, left)) = stack.last_mut() {
            if let Some(ty) = complete.take() {
                open.add(ty);
            }
            if *left > 0 {
                *left -= 1;
                if let Open::Object { name, .. } = open {
                    *name = String::from_utf8_lossy(tokens.next_key()?).into_owned();
                }
                break;
            }
            complete = stack.pop().map(|(open, _)| open.finish());
        }
        if let Some(ty) = complete {
            let rest = Error::new(ErrorKind::Trailing, tokens.offset());
            return if tokens.rest() == 0 { Ok(ty) } else { Err(rest) };
        }
    }
}

/// Returns the implied type of a JSON value. Null is dynamic.
///
/// # Errors
///
/// Fails if the text is not JSON, is nested deeper than [`DEPTH_MAX`], has two members of the same
/// name with different types, or continues after the value. As in go-cty, text after the value is
/// ignored if it starts with `]` or `}`.
pub fn of_json(text: &[u8]) -> Result<Type, Error> {
    use lexer::Token;
    let mut lexer = Lexer::new(text);
    let mut stack: Vec<Open> = Vec::new();
    loop {
        let complete = match lexer.next_token()? {
            Token::Key(key) => {
                if let Some(Open::Object { name, .. }) = stack.last_mut() {
                    *name = key.into_owned();
                }
                continue;
            }
            Token::BeginArray => {
                stack.push(Open::Tuple(Vec::new()));
                None
            }
            Token::BeginObject => {
                stack.push(Open::object());
                None
            }
            Token::EndArray | Token::EndObject => stack.pop().map(Open::finish),
            Token::Bool(_) => Some(Type::Bool),
            Token::Number(_) => Some(Type::Number),
            Token::String(_) => Some(Type::String),
            Token::Null => Some(Type::Dynamic),
        };
        let fail = |kind| Err(Error::new(kind, lexer.offset()));
        if stack.len() > DEPTH_MAX {
            return fail(ErrorKind::Depth);
        }
        match (complete, stack.last_mut()) {
            (None, _) => {}
            (Some(ty), Some(open)) => {
                if open.add(ty.clone()).is_some_and(|known| known != ty) {
                    return fail(ErrorKind::Attribute);
                }
            }
            (Some(ty), None) => match lexer.byte_after() {
                None | Some(b']' | b'}') => return Ok(ty),
                Some(_) => return fail(ErrorKind::Trailing),
            },
        }
    }
}
