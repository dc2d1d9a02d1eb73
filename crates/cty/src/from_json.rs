//! Reads JSON text as a value of a type, with the conversions that go-cty allows.

use super::convert::to_bool;
use super::error::{Error, ErrorKind};
use super::lexer::{Lexer, Token};
use super::number::Number;
use super::open::{Form, Open, required};
use super::types::{self, DEPTH_MAX, Type};
use super::value::Value;

/// Maximum number of absent attributes in one value that become null.
const EXPANSION_MAX: usize = 1 << 20;

/// Reads a value of the type `ty`. Text after the value is ignored.
///
/// # Errors
///
/// Fails if the text is not JSON, is not a value of the type, or is nested deeper than
/// [`DEPTH_MAX`].
pub fn from_json(text: &[u8], ty: &Type) -> Result<Value, Error> {
    let mut reader = Reader { lexer: Lexer::new(text), budget: EXPANSION_MAX };
    let mut stack: Vec<Frame<'_>> = Vec::new();
    let mut ty = ty.clone();
    loop {
        let mut complete = match reader.begin(&ty)? {
            Begun::Whole(value) => Some(value),
            Begun::Open(_) | Begun::Typed(..) if stack.len() >= DEPTH_MAX => {
                return Err(reader.error(ErrorKind::Depth));
            }
            Begun::Open(open) => {
                stack.push(Frame::Open(open));
                None
            }
            Begun::Typed(value_type, inner) => {
                stack.push(Frame::Typed(std::mem::replace(&mut reader, inner)));
                ty = value_type;
                continue;
            }
        };
        // A complete value may also complete the open values around it.
        ty = loop {
            let open = match stack.last_mut() {
                Some(Frame::Open(open)) => open,
                Some(Frame::Typed(_)) => {
                    if let Some(Frame::Typed(outer)) = stack.pop() {
                        let budget = reader.budget;
                        reader = Reader { budget, ..outer };
                    }
                    continue;
                }
                None => return complete.ok_or_else(|| reader.error(ErrorKind::Truncated)),
            };
            if let Some(value) = complete.take() {
                open.add(value);
            }
            if let Some(ty) = reader.next_type(open)? {
                break ty;
            }
            if let Some(Frame::Open(open)) = stack.pop() {
                complete = Some(reader.end(open)?);
            }
        };
    }
}

/// A value that is being read.
enum Frame<'a> {
    /// A value with parts: elements or members.
    Open(Open),
    /// A dynamic value, and the reader that continues after the value.
    Typed(Reader<'a>),
}

enum Begun<'a> {
    Whole(Value),
    Open(Open),
    /// The type of a dynamic value, and the reader of the value.
    Typed(Type, Reader<'a>),
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    /// The number of absent attributes that may still become null.
    budget: usize,
}

impl<'a> Reader<'a> {
    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.lexer.offset())
    }

    /// Reads a leaf, or the beginning of a value with parts.
    fn begin(&mut self, ty: &Type) -> Result<Begun<'a>, Error> {
        let token = self.lexer.next_token()?;
        let leaf = match (&token, ty) {
            (Token::Null, _) => Ok(Value::null(ty)),
            (Token::BeginObject, Type::Dynamic) => return self.typed(),
            (Token::BeginArray | Token::BeginObject, _) => {
                let is_array = token == Token::BeginArray;
                let form = if is_array { Form::Array } else { Form::Map };
                return Open::new(ty, form).map(Begun::Open).map_err(|kind| self.error(kind));
            }
            (_, Type::String) => string(&token),
            (_, Type::Number) => number(&token),
            (_, Type::Bool) => bool(&token),
            _ => Err(ErrorKind::Required(required(ty))),
        };
        leaf.map(Begun::Whole).map_err(|kind| self.error(kind))
    }

    /// Returns the type of the next part, if a part follows.
    fn next_type(&mut self, open: &mut Open) -> Result<Option<Type>, Error> {
        let key = match open.form {
            Form::Map => match self.lexer.next_token()? {
                Token::Key(key) => key,
                _ => return Ok(None),
            },
            Form::Array if self.lexer.ends_next()? => {
                self.lexer.next_token()?;
                return Ok(None);
            }
            Form::Array => "".into(),
        };
        open.next_type(key.as_bytes()).map(Some).map_err(|kind| self.error(kind))
    }

    /// Completes a value. Absent attributes become null. A tuple must be complete.
    fn end(&mut self, mut open: Open) -> Result<Value, Error> {
        let absent = open.absent();
        if open.form == Form::Array && absent > 0 {
            return Err(self.error(ErrorKind::TupleLength));
        }
        let left = self.budget.checked_sub(absent);
        self.budget = left.ok_or_else(|| self.error(ErrorKind::Expansion))?;
        open.add_nulls();
        open.finish().map_err(|kind| self.error(kind))
    }

    /// Reads `{"value":V,"type":T}`. The value may come before the type, and is read after it.
    fn typed(&mut self) -> Result<Begun<'a>, Error> {
        let (mut ty, mut value) = (None, None);
        while let Token::Key(key) = self.lexer.next_token()? {
            let text = self.lexer.skip()?;
            let mut inner = Lexer::at(text, self.lexer.offset() - text.len());
            match &*key {
                "type" => ty = Some(types::read(&mut inner)?),
                "value" => value = Some(inner),
                _ => return Err(self.error(ErrorKind::Dynamic)),
            }
        }
        let (Some(ty), Some(lexer)) = (ty, value) else {
            return Err(self.error(ErrorKind::Dynamic));
        };
        Ok(Begun::Typed(ty, Reader { lexer, budget: self.budget }))
    }
}

/// Converts a token to a string. A number keeps its text, and a boolean becomes `true` or `false`.
fn string(token: &Token<'_>) -> Result<Value, ErrorKind> {
    match token {
        Token::String(text) => Ok(Value::string(text.as_bytes())),
        Token::Number(text) => Ok(Value::string(text.as_bytes())),
        Token::Bool(truth) => Ok(Value::string(truth.to_string().as_bytes())),
        _ => Err(ErrorKind::Required("a string is required")),
    }
}

fn number(token: &Token<'_>) -> Result<Value, ErrorKind> {
    let number = match token {
        Token::String(text) => Number::parse(text.as_bytes()),
        Token::Number(text) => Number::parse(text.as_bytes()),
        _ => None,
    };
    number.map(Value::number).ok_or(ErrorKind::Required("a number is required"))
}

fn bool(token: &Token<'_>) -> Result<Value, ErrorKind> {
    match token {
        Token::Bool(truth) => Ok(Value::bool(*truth)),
        Token::String(text) => to_bool(text.as_bytes()).map(Value::bool),
        _ => Err(ErrorKind::Required("a bool is required")),
    }
}
