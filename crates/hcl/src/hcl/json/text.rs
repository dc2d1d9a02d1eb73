//! Decodes JSON strings.

use plansift_core::json::string;
use plansift_cty::lexer::replace_invalid;

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
            Some(b'\\') => {
                let escape = string::escape_lossy(&string[at..]);
                let (c, len) = escape.ok_or_else(|| wrong_escape(string, at))?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                at += len;
            }
            Some(_) => return Err(at + 1),
            None => return Err(string.len()),
        }
    }
}

/// Returns the number of bytes up to and including the first byte that makes the escape at an
/// offset invalid.
fn wrong_escape(string: &[u8], at: usize) -> usize {
    let digits = at + 2..at + if string.get(at + 1) == Some(&b'u') { 6 } else { 2 };
    let is_digit = |byte: &u8| byte.is_ascii_hexdigit();
    let wrong = digits.into_iter().find(|place| !string.get(*place).is_some_and(is_digit));
    (wrong.unwrap_or(at + 1) + 1).min(string.len())
}
