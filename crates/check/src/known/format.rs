//! Prints values as Go's `fmt` does.

use super::data::Data;
use super::mask::SENSITIVE;
use super::traverse::MaskedValue;
use plansift_core::error::Result;

/// A part of a value that is still to be printed.
enum Item<'a> {
    Text(&'static str),
    Key(String),
    Value(MaskedValue<'a>),
}

/// Prints a value like Go's `%v`. [`SENSITIVE`] replaces sensitive parts.
pub(crate) fn print(value: MaskedValue<'_>) -> Result<String> {
    let mut text = String::new();
    let mut left = vec![Item::Value(value)];
    while let Some(item) = left.pop() {
        match item {
            Item::Text(piece) => text.push_str(piece),
            Item::Key(key) => {
                text.push_str(&key);
                text.push(':');
            }
            Item::Value(MaskedValue { mask, .. }) if mask.is_marked() => text.push_str(SENSITIVE),
            Item::Value(value) => print_value(value, &mut text, &mut left)?,
        }
    }
    Ok(text)
}

/// Prints a scalar. For a container, pushes the parts onto the stack `left`, the last part first.
fn print_value<'a>(
    value: MaskedValue<'a>,
    text: &mut String,
    left: &mut Vec<Item<'a>>,
) -> Result<()> {
    let MaskedValue { data, mask } = value;
    if let Some(elements) = data.elements()? {
        text.push('[');
        left.push(Item::Text("]"));
        for (index, element) in elements.into_iter().enumerate().rev() {
            left.push(Item::Value(MaskedValue { data: element, mask: mask.at_index(index) }));
            if index > 0 {
                left.push(Item::Text(" "));
            }
        }
    } else if let Some(members) = data.members()? {
        text.push_str("map[");
        left.push(Item::Text("]"));
        for (place, (key, member)) in members.into_iter().enumerate().rev() {
            left.push(Item::Value(MaskedValue { data: member, mask: mask.at_key(&key) }));
            left.push(Item::Key(key));
            if place > 0 {
                left.push(Item::Text(" "));
            }
        }
    } else {
        text.push_str(&scalar(data)?);
    }
    Ok(())
}

fn scalar(data: Data<'_>) -> Result<String> {
    if let Some(boolean) = data.boolean() {
        return Ok(boolean.to_string());
    }
    if let Some(number) = data.number()? {
        return Ok(number);
    }
    Ok(data.string()?.unwrap_or_else(|| "<nil>".to_owned()))
}

/// Returns the result of Go's `FormatFloat(number, 'f', -1, 64)`.
pub(super) fn float(number: f64) -> String {
    match number {
        _ if number.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        _ => number.to_string(),
    }
}

/// Returns the result of Go's `FormatFloat(number, 'f', -1, 32)`.
pub(super) fn float32(number: f32) -> String {
    if number.is_finite() { number.to_string() } else { float(number.into()) }
}
