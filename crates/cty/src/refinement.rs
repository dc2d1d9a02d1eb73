//! Reads the refinements of an unknown value in MessagePack: a map from small integers to facts.

use super::error::ErrorKind;
use super::msgpack::{self, Token, Tokens};
use super::number::Number;
use super::refiner::Refiner;
use super::types::Type;
use super::unknown::{Bound, LENGTH_ANY};
use super::value::Value;

/// The code of the extension that carries refinements.
pub const CODE: i8 = 12;
/// Maximum length of the data of such an extension, in bytes.
const LEN_MAX: usize = 1024;

/// Reads an unknown value of a type from the code and the data of an extension. An extension with
/// another code, or with at most one byte, has no refinements. Unknown keys and bytes after the map
/// are ignored.
///
/// A list of known length expands to unknown elements, whose number is taken from `budget`. Fails
/// if the data is too long or is not a map of refinements, does not fit the type, excludes every
/// value, or expands to too many elements.
pub fn read(code: i8, data: &[u8], ty: &Type, budget: &mut usize) -> Result<Value, ErrorKind> {
    if code != CODE || data.len() < 2 {
        return Ok(Value::unknown(ty));
    }
    if data.len() > LEN_MAX {
        return Err(ErrorKind::Refinement);
    }
    let mut tokens = Tokens::new(data, 0);
    let len = match next(&mut tokens)? {
        Token::Map(len) => len,
        Token::Nil => 0,
        _ => return Err(ErrorKind::Refinement),
    };
    if *ty == Type::Dynamic {
        return Ok(Value::unknown(ty));
    }
    let mut refiner = Refiner::new(ty);
    for _ in 0..len {
        refine(&mut refiner, &mut tokens)?;
    }
    refiner.finish(budget)
}

fn next<'a>(tokens: &mut Tokens<'a>) -> Result<Token<'a>, ErrorKind> {
    tokens.next_token().map_err(|_| ErrorKind::Refinement)
}

fn refine(refiner: &mut Refiner, tokens: &mut Tokens<'_>) -> Result<(), ErrorKind> {
    match integer(next(tokens)?)? {
        1 => refiner.null(boolean(next(tokens)?)?),
        2 => {
            let prefix = string(next(tokens)?)?;
            std::str::from_utf8(prefix).map_err(|_| ErrorKind::Refinement)?;
            refiner.prefix(prefix)
        }
        3 => refiner.bounds(Some(bound(tokens)?), None),
        4 => refiner.bounds(None, Some(bound(tokens)?)),
        5 => refiner.length(integer(next(tokens)?)?, LENGTH_ANY),
        6 => refiner.length(0, integer(next(tokens)?)?),
        _ => tokens.skip().map_err(|_| ErrorKind::Refinement),
    }
}

fn integer(token: Token<'_>) -> Result<i64, ErrorKind> {
    match token {
        Token::Nil => Ok(0),
        Token::Number(msgpack::Number::Int(number)) => Ok(number),
        Token::Number(msgpack::Number::Uint(number)) => Ok(number.cast_signed()),
        _ => Err(ErrorKind::Refinement),
    }
}

fn boolean(token: Token<'_>) -> Result<bool, ErrorKind> {
    match token {
        Token::Nil => Ok(false),
        Token::Bool(truth) => Ok(truth),
        _ => Err(ErrorKind::Refinement),
    }
}

fn string(token: Token<'_>) -> Result<&[u8], ErrorKind> {
    match token {
        Token::Nil => Ok(b""),
        Token::Str(text) | Token::Bin(text) => Ok(text),
        _ => Err(ErrorKind::Refinement),
    }
}

/// Reads `[number, inclusive]`.
fn bound(tokens: &mut Tokens<'_>) -> Result<Bound, ErrorKind> {
    if next(tokens)? != Token::Array(2) {
        return Err(ErrorKind::Refinement);
    }
    let number = Number::from_token(next(tokens)?).ok_or(ErrorKind::Refinement)?;
    match next(tokens)? {
        Token::Bool(is_inclusive) => Ok(Bound { number, is_inclusive }),
        _ => Err(ErrorKind::Refinement),
    }
}
