//! `importing` as a record shows it: compact, and without a secret that serves as an id
//! (records.md).
//!
//! Importing a `random_password` by its value is the real case: the id is then the very string that
//! the change marks as sensitive, in a place that has no mark of its own.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::diff::{may_mark, refuse_twins};
use crate::error::Result;
use crate::json::value::{Elements, Kind, Members, Value};
use crate::plan::Change;

/// What stands for a string that must not be shown.
const MASK: &str = "\"(sensitive value)\"";

/// The `importing` object of a change as compact JSON text.
///
/// # Errors
///
/// The object, an overlay or a marked value is not well formed; the object has a key twice.
pub(super) fn compact(importing: Value<'_>, change: &Change<'_>) -> Result<Box<RawValue>> {
    let secrets = secrets(change)?;
    let mut text = String::new();
    write(importing, &secrets, &mut text)?;
    RawValue::from_string(text).map_err(|_| importing.wrong_type("an object"))
}

/// The non-empty strings of both sides at or below a place that either overlay marks.
fn secrets(change: &Change<'_>) -> Result<HashSet<String>> {
    let mut secrets = HashSet::new();
    for overlay in [change.before_sensitive, change.after_sensitive].into_iter().flatten() {
        for value in [change.before, change.after].into_iter().flatten() {
            marked(value, overlay, &mut secrets)?;
        }
    }
    Ok(secrets)
}

/// Adds the strings of `value` that `overlay` marks.
fn marked(value: Value<'_>, overlay: Value<'_>, secrets: &mut HashSet<String>) -> Result<()> {
    let mut waiting = vec![(value, Some(overlay))];
    while let Some((value, overlay)) = waiting.pop() {
        // No overlay any more: everything from here on is marked.
        let overlay = overlay.filter(|overlay| !overlay.is_true());
        match (value.kind()?, overlay) {
            (Kind::String, None) => {
                let text = value.text()?;
                if !text.is_empty() {
                    secrets.insert(text.into_owned());
                }
            }
            (Kind::Object, None) => {
                for member in value.members()? {
                    waiting.push((member?.1, None));
                }
            }
            (Kind::Array, None) => {
                for element in value.elements()? {
                    waiting.push((element?, None));
                }
            }
            (Kind::Object, Some(overlay)) if overlay.kind()? == Kind::Object => {
                let mut marks: Vec<_> = overlay.members()?.collect::<Result<_>>()?;
                marks.retain(|(_, mark)| may_mark(*mark));
                marks.sort_by(|(a, _), (b, _)| a.compare(*b));
                for member in value.members()? {
                    let (key, value) = member?;
                    if let Ok(mark) = marks.binary_search_by(|(mark, _)| mark.compare(key)) {
                        waiting.push((value, Some(marks[mark].1)));
                    }
                }
            }
            (Kind::Array, Some(overlay)) if overlay.kind()? == Kind::Array => {
                for (element, mark) in value.elements()?.zip(overlay.elements()?) {
                    waiting.push((element?, Some(mark?)));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// A container that is being written.
enum Open<'a> {
    Object(Members<'a>),
    Array(Elements<'a>),
}

/// Writes a value without space between its tokens.
fn write(value: Value<'_>, secrets: &HashSet<String>, text: &mut String) -> Result<()> {
    let mut open = Vec::new();
    let mut next = Some(value);
    loop {
        match next.take() {
            Some(value) => match value.kind()? {
                Kind::Object => {
                    refuse_twins(value)?;
                    text.push('{');
                    open.push(Open::Object(value.members()?));
                }
                Kind::Array => {
                    text.push('[');
                    open.push(Open::Array(value.elements()?));
                }
                Kind::String => {
                    let string = value.text()?;
                    if secrets.contains(string.as_ref()) {
                        text.push_str(MASK);
                    } else {
                        text.push_str(&serde_json::Value::from(string.as_ref()).to_string());
                    }
                }
                _ => text.push_str(&String::from_utf8_lossy(value.raw())),
            },
            None => match open.last_mut() {
                None => return Ok(()),
                Some(Open::Object(members)) => match members.next().transpose()? {
                    Some((key, value)) => {
                        separate(text);
                        text.push_str(&serde_json::Value::from(key.decode()?.as_ref()).to_string());
                        text.push(':');
                        next = Some(value);
                    }
                    None => {
                        text.push('}');
                        open.pop();
                    }
                },
                Some(Open::Array(elements)) => match elements.next().transpose()? {
                    Some(element) => {
                        separate(text);
                        next = Some(element);
                    }
                    None => {
                        text.push(']');
                        open.pop();
                    }
                },
            },
        }
    }
}

/// A comma, unless this is the first of its container.
fn separate(text: &mut String) {
    if !text.ends_with(['{', '[']) {
        text.push(',');
    }
}
