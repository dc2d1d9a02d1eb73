//! A lossless JSON form of values, with types, unknown values and their refinements.
//!
//! | form | value |
//! | --- | --- |
//! | `{"null":TYPE}` | null |
//! | `{"unknown":TYPE}` | an unknown value |
//! | `{"string":S}` `{"bool":true}` | a string, a boolean |
//! | `{"number":TEXT,"prec":BITS}` | a number; `{"number":"inf"}` and `"-inf"` |
//! | `{"list":TYPE,"elements":[V]}` | a list with elements of TYPE; `set` instead for a set |
//! | `{"map":TYPE,"entries":[[KEY,V]]}` | a map |
//! | `{"tuple":[V]}` `{"object":[[NAME,V]]}` | a tuple, an object |
//! | `{"sensitive":TYPE}` | a hidden part; [`read`] rejects it |
//!
//! The refinements of an unknown value are members next to `unknown`: `not_null`, `prefix`, `min`
//! and `max` (`[NUMBER,inclusive]`), `len_min`, `len_max`. A string that is not UTF-8 is
//! `{"hex":"..."}`. Members are sorted by name.

use std::collections::BTreeMap;

use super::error::{Error, ErrorKind};
use super::json_string::write_string;
use super::lexer::{Lexer, Token};
use super::number::{Number, TEXT_PRECISION};
use super::path::{Path, Step};
use super::refiner::Refiner;
use super::types::Type;
use super::unknown::{Bound, LENGTH_ANY, Range, Unknown};
use super::value::{Data, Value};
use super::walk::{Event, Walk};

/// Maximum nesting of a value to read. Each level costs another pass over the text inside it.
const DEPTH_MAX: usize = 400;
/// Maximum length of an unknown list of known length, which is read as a list of unknown elements.
const EXPANSION_MAX: usize = 1 << 16;

/// Appends a value.
pub fn write(value: &Value, out: &mut Vec<u8>) {
    write_hiding(value, &[], out);
}

/// Appends a value. Writes `{"sensitive":TYPE}` for parts at the hidden paths.
pub fn write_hiding(value: &Value, hidden: &[Path], out: &mut Vec<u8>) {
    let mut hidden: Vec<&Path> = hidden.iter().collect();
    hidden.sort_unstable();
    let mut path: Vec<Step<'_>> = Vec::new();
    let mut walk = Walk::of_data(&value.data, &value.ty);
    while let Some(event) = walk.next() {
        match event {
            Event::Begin(_, own) => {
                out.extend_from_slice(match own {
                    Type::Tuple(_) => b"{\"tuple\":[",
                    Type::Object(_) => b"{\"object\":[",
                    Type::Map(_) => b"{\"entries\":[",
                    _ => b"{\"elements\":[",
                });
            }
            Event::Part { index, key, .. } => {
                let is_entry = key.is_some();
                if index > 0 {
                    out.extend_from_slice(if is_entry { b"]," } else { b"," });
                }
                if let Some(key) = key {
                    out.push(b'[');
                    write_text(key, out);
                    out.push(b',');
                }
                if index > 0 {
                    path.pop();
                }
                path.push(match key {
                    Some(key) => Step::Name(key.into()),
                    None => Step::Index(index as i64),
                });
                if hidden.binary_search_by(|hidden| hidden[..].cmp(&path)).is_ok()
                    && let Some(ty) = walk.skip_part()
                {
                    out.extend_from_slice(b"{\"sensitive\":");
                    ty.write(out);
                    out.push(b'}');
                }
            }
            Event::End(data, own) => {
                if !is_empty(data) {
                    path.pop();
                }
                if matches!(data, Data::Map(_)) && !is_empty(data) {
                    out.push(b']');
                }
                out.push(b']');
                write_element_type(own, out);
                out.push(b'}');
            }
            Event::Leaf(data, own) => write_leaf(data, own, out),
            Event::BeginTyped(_) | Event::EndTyped(_) => {}
        }
    }
}

fn is_empty(data: &Data) -> bool {
    match data {
        Data::List(elements) => elements.is_empty(),
        Data::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

fn write_element_type(ty: &Type, out: &mut Vec<u8>) {
    let (kind, element) = match ty {
        Type::List(element) => ("list", element),
        Type::Set(element) => ("set", element),
        Type::Map(element) => ("map", element),
        _ => return,
    };
    out.extend_from_slice(format!(",\"{kind}\":").as_bytes());
    element.write(out);
}

fn write_leaf(data: &Data, ty: &Type, out: &mut Vec<u8>) {
    match data {
        Data::Unknown(unknown) => write_unknown(unknown, ty, out),
        Data::Bool(truth) => {
            out.extend_from_slice(format!("{{\"bool\":{truth}").as_bytes());
        }
        Data::Number(number) => return write_number(number, out),
        Data::String(text) => {
            out.extend_from_slice(b"{\"string\":");
            write_text(text, out);
        }
        _ => {
            out.extend_from_slice(b"{\"null\":");
            ty.write(out);
        }
    }
    out.push(b'}');
}

fn write_text(text: &[u8], out: &mut Vec<u8>) {
    if std::str::from_utf8(text).is_ok() {
        return write_string(text, out);
    }
    let hex: String = text.iter().map(|byte| format!("{byte:02x}")).collect();
    out.extend_from_slice(format!("{{\"hex\":\"{hex}\"}}").as_bytes());
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    let text = match number.to_text() {
        Some(text) => format!("{{\"number\":\"{text}\",\"prec\":{}}}", number.precision()),
        None if number.is_infinite() => {
            format!("{{\"number\":\"{}inf\"}}", if number.is_negative() { "-" } else { "" })
        }
        None => format!("{{\"number\":\"{}\"}}", number.to_general()),
    };
    out.extend_from_slice(text.as_bytes());
}

fn write_unknown(unknown: &Unknown, ty: &Type, out: &mut Vec<u8>) {
    let begin = |name: &str, out: &mut Vec<u8>| {
        let open = if out.last() == Some(&b'{') { "" } else { "," };
        out.extend_from_slice(format!("{open}\"{name}\":").as_bytes());
    };
    out.push(b'{');
    if let Range::Length { min, max } = unknown.range {
        if max != LENGTH_ANY {
            begin("len_max", out);
            out.extend_from_slice(max.to_string().as_bytes());
        }
        if min != 0 {
            begin("len_min", out);
            out.extend_from_slice(min.to_string().as_bytes());
        }
    }
    if let Range::Bounds { min, max } = &unknown.range {
        for (name, bound) in [("max", max), ("min", min)] {
            if let Some(bound) = bound {
                begin(name, out);
                out.push(b'[');
                write_number(&bound.number, out);
                out.extend_from_slice(format!(",{}]", bound.is_inclusive).as_bytes());
            }
        }
    }
    if unknown.is_not_null {
        begin("not_null", out);
        out.extend_from_slice(b"true");
    }
    if let Range::Prefix(prefix) = &unknown.range {
        begin("prefix", out);
        write_text(prefix, out);
    }
    begin("unknown", out);
    ty.write(out);
}

/// Reads a value. Sorts sets and normalizes strings.
///
/// # Errors
///
/// Fails if the text does not have this form or is nested too deeply.
pub fn read(text: &[u8]) -> Result<Value, Error> {
    let mut lexer = Lexer::new(text);
    let value = read_value(&mut lexer, 0)?;
    match lexer.byte_after() {
        None => Ok(value),
        Some(_) => Err(Error::new(ErrorKind::Trailing, lexer.offset())),
    }
}

/// The members of an object, each with the JSON text of its value.
type Members<'a> = BTreeMap<String, &'a [u8]>;

fn read_value(lexer: &mut Lexer<'_>, depth: usize) -> Result<Value, Error> {
    if depth > DEPTH_MAX {
        return Err(Error::new(ErrorKind::Depth, lexer.offset()));
    }
    let value = value_of(&members_of(lexer)?, depth);
    // Errors in members have no offset of their own, so they get the offset of the whole value.
    value.map_err(|kind| Error::new(kind, lexer.offset()))
}

fn members_of<'a>(lexer: &mut Lexer<'a>) -> Result<Members<'a>, Error> {
    if lexer.next_token()? != Token::BeginObject {
        return Err(Error::new(ErrorKind::Marked, lexer.offset()));
    }
    let mut members = Members::new();
    while let Token::Key(key) = lexer.next_token()? {
        members.insert(key.into_owned(), lexer.skip()?);
    }
    Ok(members)
}

fn value_of(members: &Members<'_>, depth: usize) -> Result<Value, ErrorKind> {
    let ty = |name: &str| members.get(name).map(|text| Type::parse(text)).transpose();
    if let Some(ty) = ty("null")? {
        return Ok(Value::null(&ty));
    }
    if let Some(ty) = ty("unknown")? {
        return unknown_of(members, &ty);
    }
    if let Some(text) = members.get("string") {
        return Ok(Value::string(&text_of(text)?));
    }
    if let Some(text) = members.get("bool") {
        return Ok(Value::bool(bool_of(text)?));
    }
    if members.contains_key("number") {
        return number_of(members).map(Value::number);
    }
    if let Some(element) = ty("map")? {
        return Value::map(entries_of(members.get("entries"), depth)?, &element);
    }
    if let Some(element) = ty("set")? {
        return Value::set(elements_of(members.get("elements"), depth)?, &element);
    }
    if let Some(element) = ty("list")? {
        return Value::list(elements_of(members.get("elements"), depth)?, &element);
    }
    if let Some(text) = members.get("tuple") {
        return Ok(Value::tuple(elements_of(Some(text), depth)?));
    }
    if let Some(text) = members.get("object") {
        let named = |(name, value): (Vec<u8>, Value)| match String::from_utf8(name) {
            Ok(name) => Ok((name, value)),
            Err(_) => Err(ErrorKind::Marked),
        };
        let entries = entries_of(Some(text), depth)?.into_iter().map(named);
        return Ok(Value::object(entries.collect::<Result<Vec<_>, _>>()?));
    }
    Err(ErrorKind::Marked)
}

fn unknown_of(members: &Members<'_>, ty: &Type) -> Result<Value, ErrorKind> {
    let mut refiner = Refiner::new(ty);
    if let Some(text) = members.get("not_null")
        && bool_of(text)?
    {
        refiner.null(false)?;
    }
    if let Some(text) = members.get("prefix") {
        refiner.prefix(&text_of(text)?)?;
    }
    if let Some(text) = members.get("min") {
        refiner.bounds(Some(bound_of(text)?), None)?;
    }
    if let Some(text) = members.get("max") {
        refiner.bounds(None, Some(bound_of(text)?))?;
    }
    if let Some(text) = members.get("len_min") {
        refiner.length(integer_of(text)?, LENGTH_ANY)?;
    }
    if let Some(text) = members.get("len_max") {
        refiner.length(0, integer_of(text)?)?;
    }
    let mut budget = EXPANSION_MAX;
    refiner.finish(&mut budget)
}

fn bool_of(text: &[u8]) -> Result<bool, ErrorKind> {
    match Lexer::new(text).next_token()? {
        Token::Bool(truth) => Ok(truth),
        _ => Err(ErrorKind::Marked),
    }
}

fn integer_of(text: &[u8]) -> Result<i64, ErrorKind> {
    match Lexer::new(text).next_token()? {
        Token::Number(text) => text.parse().map_err(|_| ErrorKind::Marked),
        _ => Err(ErrorKind::Marked),
    }
}

/// Reads a string, or `{"hex":"..."}`.
fn text_of(text: &[u8]) -> Result<Vec<u8>, ErrorKind> {
    let mut lexer = Lexer::new(text);
    match lexer.next_token()? {
        Token::String(text) => Ok(text.as_bytes().to_vec()),
        Token::BeginObject => match (lexer.next_token()?, lexer.next_token()?) {
            (Token::Key(key), Token::String(digits)) if key == "hex" => {
                bytes_of(&digits).ok_or(ErrorKind::Marked)
            }
            _ => Err(ErrorKind::Marked),
        },
        _ => Err(ErrorKind::Marked),
    }
}

/// Decodes hexadecimal digits.
pub fn bytes_of(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| match pair {
        [high, low] => {
            let digit = |byte: &u8| char::from(*byte).to_digit(16);
            u8::try_from(digit(high)? << 4 | digit(low)?).ok()
        }
        _ => None,
    };
    pairs.map(byte).collect()
}

fn number_of(members: &Members<'_>) -> Result<Number, ErrorKind> {
    let text = text_of(members.get("number").ok_or(ErrorKind::Marked)?)?;
    let precision = match members.get("prec") {
        Some(text) => u64::try_from(integer_of(text)?).map_err(|_| ErrorKind::Marked)?,
        None => TEXT_PRECISION,
    };
    if !(1..=TEXT_PRECISION).contains(&precision) {
        return Err(ErrorKind::Marked);
    }
    Number::parse_at(&text, precision).ok_or(ErrorKind::Marked)
}

/// Reads `[NUMBER,inclusive]`.
fn bound_of(text: &[u8]) -> Result<Bound, ErrorKind> {
    let mut lexer = Lexer::new(text);
    lexer.next_token()?;
    let members = members_of(&mut lexer)?;
    match lexer.next_token()? {
        Token::Bool(is_inclusive) => Ok(Bound { number: number_of(&members)?, is_inclusive }),
        _ => Err(ErrorKind::Marked),
    }
}

fn array_of<'a>(text: Option<&&'a [u8]>) -> Result<Lexer<'a>, ErrorKind> {
    let mut lexer = Lexer::new(text.ok_or(ErrorKind::Marked)?);
    match lexer.next_token()? {
        Token::BeginArray => Ok(lexer),
        _ => Err(ErrorKind::Marked),
    }
}

fn elements_of(text: Option<&&[u8]>, depth: usize) -> Result<Vec<Value>, ErrorKind> {
    let mut lexer = array_of(text)?;
    let mut values = Vec::new();
    while !lexer.ends_next()? {
        values.push(read_value(&mut lexer, depth + 1)?);
    }
    Ok(values)
}

/// Reads `[[KEY,V],...]`.
fn entries_of(text: Option<&&[u8]>, depth: usize) -> Result<Vec<(Vec<u8>, Value)>, ErrorKind> {
    let mut lexer = array_of(text)?;
    let mut entries = Vec::new();
    while let Token::BeginArray = lexer.next_token()? {
        let key = text_of(lexer.skip()?)?;
        entries.push((key, read_value(&mut lexer, depth + 1)?));
        if lexer.next_token()? != Token::EndArray {
            return Err(ErrorKind::Marked);
        }
    }
    Ok(entries)
}
