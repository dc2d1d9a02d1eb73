//! Tests of the wire format: tables of cases, one file for each part.

mod decoding;
mod encoding;
mod msgpack;
mod numbers;
mod schemas;
mod types;

use super::error::{Error, ErrorKind};
use super::marked;
use super::types::Type;
use super::value::Value;

/// Decodes hexadecimal digits. Blanks are ignored.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    marked::bytes_of(&digits).expect("pairs of digits")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses a type. A type of one word, such as `string`, needs no quotes.
fn ty(text: &str) -> Type {
    let quoted = if text.starts_with('[') { text.to_owned() } else { format!("\"{text}\"") };
    Type::parse(quoted.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn value(text: &str) -> Value {
    marked::read(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn shown(value: &Value) -> String {
    let mut text = Vec::new();
    marked::write(value, &mut text);
    String::from_utf8(text).expect("UTF-8")
}

fn place(error: &Error) -> (ErrorKind, Option<usize>) {
    (error.kind(), error.offset())
}
