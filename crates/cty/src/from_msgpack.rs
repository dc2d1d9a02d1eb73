//! Reads MessagePack as a value of a type.

use super::error::{Error, ErrorKind};
use super::msgpack::{Token, Tokens};
use super::number::Number;
use super::open::{Form, Open, required};
use super::refinement;
use super::type_cache::TypeCache;
use super::types::{DEPTH_MAX, Type};
use super::value::Value;

/// Maximum number of unknown elements to which one value expands. An unknown list of known length
/// expands to that many unknown elements.
const EXPANSION_MAX: usize = 1 << 16;

/// Reads a value of the type `ty`. Bytes after the value are ignored.
///
/// # Errors
///
/// Fails if the bytes are not a value of the type, or if the value is nested deeper than
/// [`DEPTH_MAX`].
pub fn from_msgpack(bytes: &[u8], ty: &Type) -> Result<Value, Error> {
    from_msgpack_with(bytes, ty, &TypeCache::default())
}

/// Like [`from_msgpack`]. Many values share the types before their dynamic values in `types`.
///
/// # Errors
///
/// Fails like [`from_msgpack`].
pub fn from_msgpack_with(bytes: &[u8], ty: &Type, types: &TypeCache) -> Result<Value, Error> {
    let mut reader = Reader { tokens: Tokens::new(bytes, 0), types, budget: EXPANSION_MAX };
    let mut stack: Vec<Frame> = Vec::new();
    let mut ty = ty.clone();
    loop {
        let mut complete = match reader.begin(ty)? {
            Begun::Whole(value) => Some(value),
            Begun::Open(frame) if stack.len() < DEPTH_MAX => {
                stack.push(frame);
                None
            }
            Begun::Open(frame) => return Err(Error::new(ErrorKind::Depth, frame.start)),
        };
        // A complete value may also complete the open values around it.
        ty = loop {
            let Some(frame) = stack.last_mut() else {
                return complete.ok_or_else(|| Error::new(ErrorKind::Truncated, bytes.len()));
            };
            if let Some(value) = complete.take() {
                frame.open.add(value);
            }
            if frame.left > 0 {
                break frame.next_type(&mut reader.tokens)?;
            }
            if let Some(Frame { open, start, .. }) = stack.pop() {
                complete = Some(open.finish().map_err(|kind| Error::new(kind, start))?);
            }
        };
    }
}

/// A value whose parts are being read.
struct Frame {
    open: Open,
    left: usize,
    start: usize,
}

impl Frame {
    /// Reads the key of the next part, if the part has a key. Returns the type of the part.
    fn next_type(&mut self, tokens: &mut Tokens<'_>) -> Result<Type, Error> {
        self.left -= 1;
        let start = tokens.offset();
        let key = if self.open.form == Form::Map { tokens.next_key()? } else { b"" };
        let ty = self.open.next_type(key).map_err(|kind| Error::new(kind, start))?;
        if self.open.is_repeated() {
            return Err(Error::new(ErrorKind::Attribute, start));
        }
        Ok(ty)
    }
}

enum Begun {
    Whole(Value),
    Open(Frame),
}

struct Reader<'a> {
    tokens: Tokens<'a>,
    types: &'a TypeCache,
    budget: usize,
}

impl Reader<'_> {
    /// Reads a leaf, or the head of a value with parts.
    fn begin(&mut self, mut ty: Type) -> Result<Begun, Error> {
        loop {
            let start = self.tokens.offset();
            let fail = |kind| Error::new(kind, start);
            let token = self.tokens.next_token()?;
            return Ok(Begun::Whole(match (token, &ty) {
                (Token::Ext(code, data), _) => {
                    refinement::read(code, data, &ty, &mut self.budget).map_err(fail)?
                }
                (Token::Nil, _) => Value::null(&ty),
                (_, Type::Dynamic) => {
                    ty = self.declared_type(token, start)?;
                    continue;
                }
                (Token::Bool(truth), Type::Bool) => Value::bool(truth),
                (Token::Str(text) | Token::Bin(text), Type::String) => Value::string(text),
                (_, Type::Number) => Number::from_token(token)
                    .map(Value::number)
                    .ok_or_else(|| fail(ErrorKind::Required("a number is required")))?,
                (Token::Array(len), _) => return begin_parts(&ty, Form::Array, len, start),
                (Token::Map(len), _) => return begin_parts(&ty, Form::Map, len, start),
                _ => return Err(fail(ErrorKind::Required(required(&ty)))),
            }));
        }
    }

    /// Reads the type before a dynamic value.
    fn declared_type(&mut self, token: Token<'_>, start: usize) -> Result<Type, Error> {
        let fail = |kind| Error::new(kind, start);
        if token != Token::Array(2) {
            return Err(fail(ErrorKind::Dynamic));
        }
        match self.tokens.next_token()? {
            Token::Str(text) | Token::Bin(text) => {
                self.types.parse(text).map_err(|error| fail(error.kind()))
            }
            _ => Err(fail(ErrorKind::Dynamic)),
        }
    }
}

/// Begins a value of `left` parts.
fn begin_parts(ty: &Type, form: Form, left: usize, start: usize) -> Result<Begun, Error> {
    let open = Open::new(ty, form).map_err(|kind| Error::new(kind, start))?;
    // An empty array or map is accepted for every tuple or object type, and is an empty tuple or
    // object.
    match ty {
        Type::Tuple(types) if left != 0 && left != types.len() => {
            Err(Error::new(ErrorKind::TupleLength, start))
        }
        Type::Object(attributes) if left != 0 && left != attributes.types.len() => {
            Err(Error::new(ErrorKind::ObjectLength, start))
        }
        _ => Ok(Begun::Open(Frame { open, left, start })),
    }
}
