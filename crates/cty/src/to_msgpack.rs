//! Writes a value of a type as MessagePack, byte for byte as go-cty does.

use super::convert::conform;
use super::error::{Error, ErrorKind};
use super::msgpack::{write_array_header, write_map_header};
use super::number::Number;
use super::refinement;
use super::text::short_prefix;
use super::types::Type;
use super::unknown::{Bound, LENGTH_ANY, Range, Unknown};
use super::value::{Data, Value};
use super::walk::{Event, Walk};

/// Writes a value as the type `ty`. A value of another type is converted first.
///
/// # Errors
///
/// Fails if the value cannot be converted to the type, or if the text of a number would be too
/// long.
pub fn to_msgpack(value: &Value, ty: &Type) -> Result<Vec<u8>, Error> {
    let value = conform(value, ty)?;
    let mut out = Vec::new();
    for event in Walk::new(&value, ty) {
        match event {
            Event::BeginTyped(own) => {
                write_array_header(&mut out, 2);
                write_binary(own.to_string().as_bytes(), &mut out);
            }
            Event::Begin(Data::Map(entries), _) => write_map_header(&mut out, entries.len()),
            Event::Begin(Data::List(elements), _) => write_array_header(&mut out, elements.len()),
            Event::Part { key: Some(key), .. } => write_string(key, &mut out),
            Event::Leaf(data, _) => write_leaf(data, &mut out)?,
            _ => {}
        }
    }
    Ok(out)
}

fn write_leaf(data: &Data, out: &mut Vec<u8>) -> Result<(), Error> {
    match data {
        Data::Unknown(unknown) => write_unknown(unknown, out)?,
        Data::Bool(truth) => out.push(0xc2 | u8::from(*truth)),
        Data::Number(number) => write_number(number, out)?,
        Data::String(text) => write_string(text, out),
        _ => out.push(0xc0),
    }
    Ok(())
}

fn write_number(number: &Number, out: &mut Vec<u8>) -> Result<(), Error> {
    if let Some(integer) = number.to_i64() {
        write_integer(integer, out);
    } else if let Some(float) = number.to_fraction() {
        out.push(0xcb);
        out.extend_from_slice(&float.to_be_bytes());
    } else {
        let text = number.to_text().ok_or_else(|| Error::without_offset(ErrorKind::Digits))?;
        write_string(text.as_bytes(), out);
    }
    Ok(())
}

/// Writes an integer in its shortest form.
fn write_integer(number: i64, out: &mut Vec<u8>) {
    let bytes = number.to_be_bytes();
    let (code, width) = match number {
        -32..=127 => return out.push(bytes[7]),
        128..=0xff => (0xcc, 1),
        0x100..=0xffff => (0xcd, 2),
        0x1_0000..=0xffff_ffff => (0xce, 4),
        0x1_0000_0000.. => (0xcf, 8),
        -0x80.. => (0xd0, 1),
        -0x8000.. => (0xd1, 2),
        -0x8000_0000.. => (0xd2, 4),
        _ => (0xd3, 8),
    };
    out.push(code);
    out.extend_from_slice(&bytes[8 - width..]);
}

fn write_string(text: &[u8], out: &mut Vec<u8>) {
    match u8::try_from(text.len()) {
        Ok(len) if len < 32 => out.push(0xa0 | len),
        _ => write_length(text.len(), 0xd9, out),
    }
    out.extend_from_slice(text);
}

fn write_binary(bytes: &[u8], out: &mut Vec<u8>) {
    write_length(bytes.len(), 0xc4, out);
    out.extend_from_slice(bytes);
}

/// Writes the code for the width of a length, then the length in 8, 16 or 32 bits.
fn write_length(len: usize, code: u8, out: &mut Vec<u8>) {
    if let Ok(len) = u8::try_from(len) {
        out.extend([code, len]);
    } else if let Ok(len) = u16::try_from(len) {
        out.push(code + 1);
        out.extend_from_slice(&len.to_be_bytes());
    } else {
        out.push(code + 2);
        let Ok(len) = u32::try_from(len) else { panic!("{len} bytes do not fit 32 bits") };
        out.extend_from_slice(&len.to_be_bytes());
    }
}

fn write_unknown(unknown: &Unknown, out: &mut Vec<u8>) -> Result<(), Error> {
    let mut count = 0;
    let mut facts = Vec::new();
    let mut key = |key: u8, facts: &mut Vec<u8>| {
        count += 1;
        facts.push(key);
    };
    if unknown.is_not_null {
        key(1, &mut facts);
        facts.push(0xc2);
    }
    match &unknown.range {
        Range::Any => {}
        Range::Prefix(prefix) => {
            key(2, &mut facts);
            write_string(&short_prefix(prefix), &mut facts);
        }
        Range::Bounds { min, max } => {
            for (number, bound) in [(3, min), (4, max)] {
                if let Some(bound) = bound {
                    key(number, &mut facts);
                    write_bound(bound, &mut facts)?;
                }
            }
        }
        Range::Length { min, max } => {
            for (number, length, none) in [(5, *min, 0), (6, *max, LENGTH_ANY)] {
                if length != none {
                    key(number, &mut facts);
                    write_integer(length, &mut facts);
                }
            }
        }
    }
    if count == 0 {
        out.extend([0xd4, 0, 0]);
        return Ok(());
    }
    let len = facts.len() + 1;
    match len {
        4 | 8 | 16 => out.push(0xd4 + u8::try_from(len.ilog2()).unwrap_or_default()),
        _ => write_length(len, 0xc7, out),
    }
    out.push(refinement::CODE.cast_unsigned());
    write_map_header(out, count);
    out.append(&mut facts);
    Ok(())
}

fn write_bound(bound: &Bound, out: &mut Vec<u8>) -> Result<(), Error> {
    write_array_header(out, 2);
    write_number(&bound.number, out)?;
    out.push(0xc2 | u8::from(bound.is_inclusive));
    Ok(())
}
