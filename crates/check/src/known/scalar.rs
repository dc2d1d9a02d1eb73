//! Reads values for checks, and writes the messages of failures.

use std::collections::BTreeMap;
use std::num::IntErrorKind;

use super::data::Data;
use super::failure::{Failure, FailureKind};
use super::mask::SENSITIVE;
use super::traverse::MaskedValue;
use plansift_core::error::Result;
use plansift_cty::Number;
use plansift_cty::quote;

/// The result of a check: `Ok(Err(_))` if the value does not pass.
pub(super) type Checked = Result<std::result::Result<(), Failure>>;

/// Returns a failure of the kind [`FailureKind::Value`].
pub(super) fn fail(text: String) -> Checked {
    Ok(Err(Failure::new(FailureKind::Value, text)))
}

/// Unwraps the result of a step, or returns its failure from the calling function.
macro_rules! found {
    ($found:expr) => {
        match $found {
            Ok(found) => found,
            Err(failure) => return Ok(Err(failure)),
        }
    };
}
pub(crate) use found;

pub(super) fn wrong_type(expected: &str, name: &str, value: MaskedValue<'_>) -> Checked {
    let ty = value.data.ty()?.name();
    fail(format!("expected {expected} value for {name} check, got: {ty}"))
}

pub(super) fn differs(expected: &str, name: &str, found: &str, value: MaskedValue<'_>) -> Checked {
    let found = shown(found, value);
    fail(format!("expected value {expected} for {name} check, got: {found}"))
}

/// Checks that two scalars are equal. `text` formats them for the message.
pub(super) fn equals<T: PartialEq>(
    expected: T,
    found: T,
    text: impl Fn(&T) -> String,
    name: &str,
    value: MaskedValue<'_>,
) -> Checked {
    match found == expected {
        true => Ok(Ok(())),
        false => differs(&text(&expected), name, &text(&found), value),
    }
}

/// Returns the text of a scalar, or [`SENSITIVE`] if the scalar is sensitive.
pub(super) fn shown<'t>(text: &'t str, value: MaskedValue<'_>) -> &'t str {
    if value.mask.is_marked() { SENSITIVE } else { text }
}

pub(super) fn size_is(expected: i64, found: usize, name: &str) -> Checked {
    let found = found as i64;
    if found == expected {
        return Ok(Ok(()));
    }
    let noun = |count: i64| if count == 1 { "element" } else { "elements" };
    let (noun, other) = (noun(expected), noun(found));
    fail(format!("expected {expected} {noun} for {name} check, got {found} {other}"))
}

/// The result of reading a value as a type, or a failure.
type Read<T> = Result<std::result::Result<T, Failure>>;

/// Returns the value in `read`. If there is none, returns the failure for a wrong type.
fn of_type<T: Default>(
    read: Option<T>,
    expected: &str,
    name: &str,
    value: MaskedValue<'_>,
) -> Read<T> {
    match read {
        Some(read) => Ok(Ok(read)),
        None => Ok(wrong_type(expected, name, value)?.map(|()| T::default())),
    }
}

pub(super) fn string(name: &str, value: MaskedValue<'_>) -> Read<String> {
    of_type(value.data.string()?, "string", name, value)
}

fn number(name: &str, value: MaskedValue<'_>) -> Read<String> {
    of_type(value.data.number()?, "json.Number", name, value)
}

pub(super) fn elements<'a>(name: &str, value: MaskedValue<'a>) -> Read<Vec<Data<'a>>> {
    of_type(value.data.elements()?, "[]any", name, value)
}

pub(super) fn members<'a>(name: &str, value: MaskedValue<'a>) -> Read<BTreeMap<String, Data<'a>>> {
    of_type(value.data.members()?, "map[string]any", name, value)
}

fn unparseable(ty: &str, name: &str, reason: &str, function: &str, text: &str) -> Failure {
    let text = format!(
        "expected json.Number to be parseable as {ty} value for {name} check: {function}: \
         parsing {text}: {reason}"
    );
    Failure::new(FailureKind::Value, text)
}

/// Quotes a number for a message, or returns [`SENSITIVE`] if the number is sensitive.
fn quoted(text: &str, value: MaskedValue<'_>) -> String {
    if value.mask.is_marked() { SENSITIVE.to_owned() } else { quote(text) }
}

pub(super) fn integer(bits: u32, name: &str, value: MaskedValue<'_>) -> Read<i64> {
    let text = found!(number(name, value)?);
    Ok(parse_int(&text, bits).map_err(|reason| {
        let ty = if bits == 32 { "int32" } else { "int64" };
        unparseable(ty, name, reason, "strconv.ParseInt", &quoted(&text, value))
    }))
}

pub(super) fn single(name: &str, value: MaskedValue<'_>) -> Read<f32> {
    let text = found!(number(name, value)?);
    Ok(match text.parse::<f32>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(out_of_range("float32", name, &quoted(&text, value))),
    })
}

pub(super) fn double(name: &str, value: MaskedValue<'_>) -> Read<f64> {
    let text = found!(number(name, value)?);
    Ok(match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(out_of_range("float64", name, &quoted(&text, value))),
    })
}

fn out_of_range(ty: &str, name: &str, text: &str) -> Failure {
    unparseable(ty, name, "value out of range", "strconv.ParseFloat", text)
}

pub(super) fn big(name: &str, value: MaskedValue<'_>) -> Read<Number> {
    let text = found!(number(name, value)?);
    Ok(Number::parse(text.as_bytes()).ok_or_else(|| {
        let text = format!(
            "expected json.Number to be parseable as big.Float value for {name} check: exponent \
             overflow"
        );
        Failure::new(FailureKind::Value, text)
    }))
}

/// Writes a number in decimal. Go writes all digits of any number. This function writes a number
/// with more than about 150 000 digits with a power of two instead.
pub(super) fn plain(number: &Number) -> String {
    const EXPONENT_MAX: u64 = 1 << 19;
    number.to_text_within(EXPONENT_MAX).unwrap_or_else(|| number.to_exact())
}

/// Parses an integer like Go's `ParseInt`. `Err` contains Go's reason.
fn parse_int(text: &str, bits: u32) -> std::result::Result<i64, &'static str> {
    const RANGE: &str = "value out of range";
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    // Like Go, `parse` ignores the bytes after the digit that causes an overflow.
    let size = match bits {
        32 => digits.parse::<u32>().map(u64::from),
        _ => digits.parse::<u64>(),
    };
    let size = size.map_err(|error| match error.kind() {
        IntErrorKind::PosOverflow => RANGE,
        _ => "invalid syntax",
    })?;
    let limit = 1_i128 << (bits - 1);
    let number = if is_negative { -i128::from(size) } else { i128::from(size) };
    if number < -limit || number >= limit {
        return Err(RANGE);
    }
    i64::try_from(number).map_err(|_| RANGE)
}
