//! Decodes JSON strings.

use crate::wire::lexer::replace_invalid;

/// Decodes a quoted string. Invalid UTF-8 and unpaired surrogates become replacement characters.
/// Returns the number of bytes up to and including the first invalid byte.
pub fn decode(string: &[u8]) -> Result<String, usize> {
    let mut out = Vec::with_capacity(string.len());
    let mut at = 1;
    loop {
        let rest = string.get(at..).unwrap_or_default();
        let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..32));
        let plain = plain.unwrap_or(rest.len());
        out.extend_from_slice(rest.get(..plain).unwrap_or_default());
        at += plain;
        match string.get(at) {
            Some(b'"') => return Ok(replace_invalid(&out).into_owned()),
            Some(b'\\') => at = escape(string, at, &mut out)?,
            Some(_) => return Err(at + 1),
            None => return Err(string.len()),
        }
    }
}

/// Decodes the escape at an offset, and returns the offset after it.
fn escape(string: &[u8], at: usize, out: &mut Vec<u8>) -> Result<usize, usize> {
    let byte = match string.get(at + 1) {
        Some(b'u') => return unicode(string, at, out),
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
        Some(_) => return Err(at + 2),
        None => return Err(string.len()),
    };
    out.push(byte);
    Ok(at + 2)
}

/// Decodes one `\u` escape, or a surrogate pair of two.
fn unicode(string: &[u8], at: usize, out: &mut Vec<u8>) -> Result<usize, usize> {
    let first = unit(string, at)?;
    let mut end = at + 6;
    let mut units = vec![first];
    if (0xd800..0xdc00).contains(&first) && string.get(end..end + 2) == Some(b"\\u") {
        let second = unit(string, end)?;
        if (0xdc00..0xe000).contains(&second) {
            units.push(second);
            end += 6;
        }
    }
    for char in char::decode_utf16(units) {
        let char = char.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(end)
}

/// Decodes the four digits of the `\u` escape at an offset.
fn unit(string: &[u8], at: usize) -> Result<u16, usize> {
    let mut unit = 0;
    for index in at + 2..at + 6 {
        let byte = string.get(index).ok_or(string.len())?;
        let digit = char::from(*byte).to_digit(16).ok_or(index + 1)?;
        unit = unit << 4 | u16::try_from(digit).unwrap_or_default();
    }
    Ok(unit)
}
