//! Writes a value as compact JSON.

use super::descent::{Descent, walk};
use super::string::push_quoted;
use super::value::{Kind, Value, WalkEvent};
use crate::error::Result;

/// Appends a value as compact JSON.
pub fn push_plain(value: Value<'_>, json: &mut String) -> Result<()> {
    push_compact(
        value,
        json,
        |_| Descent::Enter,
        |value, kind, json| {
            match kind {
                Kind::String => push_quoted(&value.text()?, json),
                Kind::Object => json.push_str("{}"),
                Kind::Array => json.push_str("[]"),
                _ => json.push_str(&String::from_utf8_lossy(value.raw())),
            }
            Ok(())
        },
        push_quoted,
    )
}

/// Appends a value as compact JSON. `scalar` appends scalars, empty containers, and containers that
/// `entry` passes. `key` appends keys.
pub fn push_compact<'a>(
    value: Value<'a>,
    json: &mut String,
    entry: impl Fn(Value<'a>) -> Descent,
    mut scalar: impl FnMut(Value<'a>, Kind, &mut String) -> Result<()>,
    mut key: impl FnMut(&str, &mut String),
) -> Result<()> {
    walk(value, entry, |met| {
        let is_first = json.is_empty() || json.ends_with(['{', '[']);
        match met {
            WalkEvent::Key(name) => {
                if !is_first {
                    json.push(',');
                }
                key(&name.decode()?, json);
                json.push(':');
            }
            WalkEvent::Index(0) => {}
            WalkEvent::Index(_) => json.push(','),
            WalkEvent::Open(Kind::Object, _) => json.push('{'),
            WalkEvent::Open(..) => json.push('['),
            WalkEvent::Close(Kind::Object) => json.push('}'),
            WalkEvent::Close(_) => json.push(']'),
            WalkEvent::Leaf(kind, value) => scalar(value, kind, json)?,
        }
        Ok(())
    })
}
