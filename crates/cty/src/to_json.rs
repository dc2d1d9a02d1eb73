//! Writes a value of a type as JSON text, byte for byte as go-cty does.

use super::convert::conform;
use super::error::{Error, ErrorKind};
use super::json_string::write_string;
use super::types::Type;
use super::value::{Data, Value};
use super::walk::{Event, Walk};

/// Writes a value as the type `ty`. A value of another type is converted first.
///
/// # Errors
///
/// Fails if the value cannot be converted to the type, if a part of the value is unknown, or if a
/// number is infinite or its text would be too long.
pub fn to_json(value: &Value, ty: &Type) -> Result<Vec<u8>, Error> {
    let value = conform(value, ty)?;
    let mut out = Vec::new();
    for event in Walk::new(&value, ty) {
        match event {
            Event::BeginTyped(_) => out.extend_from_slice(b"{\"value\":"),
            Event::EndTyped(own) => {
                out.extend_from_slice(b",\"type\":");
                own.write(&mut out);
                out.push(b'}');
            }
            Event::Begin(data, _) => out.push(if is_map(data) { b'{' } else { b'[' }),
            Event::End(data, _) => out.push(if is_map(data) { b'}' } else { b']' }),
            Event::Part { index, key, .. } => {
                if index > 0 {
                    out.push(b',');
                }
                if let Some(key) = key {
                    write_string(key, &mut out);
                    out.push(b':');
                }
            }
            Event::Leaf(data, _) => write_leaf(data, &mut out).map_err(Error::without_offset)?,
        }
    }
    Ok(out)
}

fn is_map(data: &Data) -> bool {
    matches!(data, Data::Map(_))
}

fn write_leaf(data: &Data, out: &mut Vec<u8>) -> Result<(), ErrorKind> {
    match data {
        Data::Unknown(_) => return Err(ErrorKind::Unknown),
        Data::Bool(truth) => out.extend_from_slice(if *truth { b"true" } else { b"false" }),
        Data::Number(number) if number.is_infinite() => return Err(ErrorKind::Infinite),
        Data::Number(number) => {
            out.extend_from_slice(number.to_text().ok_or(ErrorKind::Digits)?.as_bytes());
        }
        Data::String(text) => write_string(text, out),
        _ => out.extend_from_slice(b"null"),
    }
    Ok(())
}
