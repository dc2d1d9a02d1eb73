//! Encodes secrets, and decodes whatever in a text may be an encoding, without knowing where it is.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

/// The encodings of a secret that a redaction for an agent finds.
pub fn of(secret: &str) -> Vec<String> {
    let json = json!({ "user": "u", "password": secret }).to_string();
    let html = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    let plain = [
        secret.to_owned(),
        format!("u{secret}"),
        format!("us{secret}"),
        format!("user:{secret}"),
        format!("a longer text, {secret}, and its end"),
        json,
        html,
    ];
    let mut all = Vec::new();
    for text in &plain {
        for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE, &URL_SAFE_NO_PAD] {
            let base64 = engine.encode(text);
            all.push(format!("Authorization: Basic {base64} and more"));
            all.push(format!("https://example.com/?q={}&r=1", percent(&base64, is_reserved, true)));
            all.push(wrapped(&base64, "\n"));
            all.push(wrapped(&base64, "\r\n    "));
            all.push(base64);
        }
    }
    for is_upper in [false, true] {
        let connection = |password: String| format!("acme://user:{password}@host/db");
        all.push(connection(percent(secret, is_reserved, is_upper)));
        all.push(connection(percent(secret, |_| true, is_upper)));
    }
    all
}

fn is_reserved(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && !b"-._~".contains(&byte)
}

fn percent(text: &str, is_encoded: fn(u8) -> bool, is_upper: bool) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match (is_encoded(byte) || !byte.is_ascii(), is_upper) {
            (false, _) => encoded.push(char::from(byte)),
            (true, false) => encoded += &format!("%{byte:02x}"),
            (true, true) => encoded += &format!("%{byte:02X}"),
        }
    }
    encoded
}

fn wrapped(text: &str, line_end: &str) -> String {
    let lines: Vec<_> = text.as_bytes().chunks(16).map(String::from_utf8_lossy).collect();
    lines.join(line_end)
}

/// A text, and all bytes that it or a string of it may encode.
pub fn decoded(text: &str) -> impl Iterator<Item = Vec<u8>> {
    let mut strings = Vec::new();
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        match document {
            Ok(document) => add_strings(&document, &mut strings),
            Err(_) => strings.push(text.to_owned()),
        }
    }
    let decoded = strings.into_iter().flat_map(|string| {
        let mut all = Vec::new();
        let unescaped = without_percent(&string);
        for plain in [string.into_bytes(), unescaped] {
            all.push(from_base64(plain.iter().copied()));
            if plain.contains(&b'\n') {
                let line = plain.iter().copied().filter(|byte| !byte.is_ascii_whitespace());
                all.push(from_base64(line));
            }
            all.push(plain);
        }
        all
    });
    std::iter::once(text.as_bytes().to_vec()).chain(decoded)
}

/// Adds the strings and keys of a document, and those of documents in its strings.
fn add_strings(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            strings.push(text.clone());
            if let Ok(inner) = serde_json::from_str::<Value>(text) {
                add_strings(&inner, strings);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|it| add_strings(it, strings)),
        Value::Object(members) => {
            for (key, value) in members {
                strings.push(key.clone());
                add_strings(value, strings);
            }
        }
        _ => {}
    }
}

fn without_percent(text: &str) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::new(), text.as_bytes());
    while let [byte, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match (byte, escaped) {
            (b'%', Some(escaped)) => {
                plain.push(escaped);
                rest = &after[2..];
            }
            _ => {
                plain.push(*byte);
                rest = after;
            }
        }
    }
    plain
}

/// What every word of base64 encodes, in either alphabet, from each of its first four characters.
fn from_base64(text: impl Iterator<Item = u8> + Clone) -> Vec<u8> {
    let mut plain = Vec::new();
    for from in 0..4 {
        let (mut place, mut bits, mut count) = (0, 0_u32, 0);
        for byte in text.clone() {
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => {
                    (place, bits, count) = (0, 0, 0);
                    plain.push(b'\n');
                    continue;
                }
            };
            place += 1;
            if place <= from {
                continue;
            }
            (bits, count) = (bits << 6 | u32::from(value), count + 6);
            if count >= 8 {
                count -= 8;
                plain.push((bits >> count) as u8);
            }
        }
        plain.push(b'\n');
    }
    plain
}

#[test]
fn every_encoding_is_decoded() {
    for secret in ["CANARY-1.", "p@ss<w>&\u{f6}rd/+?", "{\"k\":\"CANARY\\n\"}"] {
        for encoded in of(secret) {
            let found = decoded(&encoded).any(|text| {
                let escaped = json!(secret).to_string();
                let html = escaped.replace('<', "\\u003c").replace('>', "\\u003e");
                let html = html.replace('&', "\\u0026");
                let inner = |text: &str| text.trim_matches('"').to_owned();
                [secret.to_owned(), inner(&escaped), inner(&html)]
                    .iter()
                    .any(|secret| memchr::memmem::find(&text, secret.as_bytes()).is_some())
            });
            assert!(found, "{secret}: {encoded}");
        }
    }
}
