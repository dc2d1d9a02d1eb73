//! What sensitivity overlays mark: which paths, and which texts become secret.

use std::collections::BTreeSet;

use serde_json::{Number, Value, json};

use super::{Path, Step, child, children, decimal, sensitive};

/// Replaces a string that must not be shown.
pub const MASK: &str = "(sensitive value)";

/// The sensitive paths, and the paths of values whose own overlay does not fit.
pub fn secret_places(change: &Value) -> BTreeSet<Path> {
    let mut found = sensitive(change);
    let sides = [&change["before"], &change["after"]];
    let overlays = [&change["before_sensitive"], &change["after_sensitive"]];
    misfits(sides, overlays, &mut Path::new(), &mut found);
    found
}

fn misfits(sides: [&Value; 2], overlays: [&Value; 2], at: &mut Path, found: &mut BTreeSet<Path>) {
    let is_other_kind = |value: &Value, overlay: &Value| {
        !value.is_null()
            && (value.is_object(), value.is_array()) != (overlay.is_object(), overlay.is_array())
    };
    // Without values, an object and an array both fit. But they cannot be entered in step.
    let is_absent = sides.iter().all(|it| it.is_null());
    let both_mark = overlays.iter().all(|it| marks_anything(it));
    let is_scalar = |it: &Value| !it.is_object() && !it.is_array();
    if is_absent
        && both_mark
        && !overlays.iter().any(|it| is_scalar(it))
        && is_other_kind(overlays[0], overlays[1])
    {
        found.insert(at.clone());
        return;
    }
    let (mut steps, mut is_entered) = (BTreeSet::new(), true);
    for (side, overlay) in overlays.into_iter().enumerate() {
        if !marks_anything(overlay) {
            continue;
        }
        let (own, other) = (sides[side], sides[1 - side]);
        let lengths = [own, overlay].map(|it| it.as_array().map(Vec::len));
        let is_other_length = lengths.iter().all(Option::is_some) && lengths[0] != lengths[1];
        let is_scalar = !overlay.is_object() && !overlay.is_array();
        if is_scalar && *overlay != json!(true)
            || !is_scalar
                && (is_other_length
                    || is_other_kind(own, overlay)
                    || own.is_null() && is_other_kind(other, overlay))
        {
            found.insert(at.clone());
        }
        is_entered &= !is_scalar && !is_other_length;
        is_entered &= !sides.iter().any(|it| is_other_kind(it, overlay));
        steps.extend(children(overlay).into_iter().map(|(step, _)| step));
    }
    for step in steps.into_iter().filter(|_| is_entered) {
        let (sides, overlays) =
            (sides.map(|it| child(it, &step)), overlays.map(|it| child(it, &step)));
        at.push(step);
        misfits(sides, overlays, at, found);
        at.pop();
    }
}

/// The secret texts of both sides of a change.
pub fn secrets(change: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let sides = [&change["before"], &change["after"]];
    hidden(sides, [&change["before_sensitive"], &change["after_sensitive"]], &mut found);
    found
}

/// Collects the texts of both sides that overlays hide. If an overlay does not fit its value, all
/// texts of both sides are secret.
fn hidden(sides: [&Value; 2], overlays: [&Value; 2], found: &mut BTreeSet<String>) {
    let is_other_kind = |one: &Value, two: &Value| {
        !one.is_null() && (one.is_object(), one.is_array()) != (two.is_object(), two.is_array())
    };
    let mut steps = BTreeSet::new();
    for (side, overlay) in overlays.into_iter().enumerate() {
        if !marks_anything(overlay) {
            continue;
        }
        let lengths = [sides[side], overlay].map(|it| it.as_array().map(Vec::len));
        let is_other_length = lengths.iter().all(Option::is_some) && lengths[0] != lengths[1];
        let is_scalar = !overlay.is_object() && !overlay.is_array();
        if is_scalar || is_other_length || sides.iter().any(|it| is_other_kind(it, overlay)) {
            return sides.into_iter().for_each(|value| scalars(value, found));
        }
        steps.extend(children(overlay).into_iter().map(|(step, _)| step));
    }
    for step in steps {
        hidden(sides.map(|it| child(it, &step)), overlays.map(|it| child(it, &step)), found);
    }
}

fn marks_anything(overlay: &Value) -> bool {
    *overlay == json!(true)
        || overlay.is_string()
        || overlay.is_number()
        || children(overlay).iter().any(|(_, inner)| marks_anything(inner))
}

/// Collects the texts of a value, and its keys that are not attribute names.
fn scalars(value: &Value, found: &mut BTreeSet<String>) {
    found.extend(scalar(value));
    for (step, inner) in children(value) {
        match step {
            Step::Key(key) if !is_attribute_name(&key) => drop(found.insert(key)),
            _ => {}
        }
        scalars(inner, found);
    }
}

fn is_attribute_name(key: &str) -> bool {
    let may_begin = |first: char| first.is_ascii_lowercase() || first == '_';
    let may_follow = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    key.starts_with(may_begin) && key.chars().all(may_follow)
}

/// The spellings of a non-empty string, a number or a boolean.
fn scalar(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.is_empty() => vec![],
        Value::String(text) => vec![text.clone()],
        Value::Number(number) => vec![number.to_string(), spelling(&number.to_string())],
        Value::Bool(word) => vec![word.to_string()],
        _ => vec![],
    }
}

/// The canonical spelling of a number: without an exponent, unless that needs more than forty
/// zeros. Returns a text that is not a number unchanged.
pub fn spelling(text: &str) -> String {
    let Ok(number) = serde_json::from_str::<Number>(text) else { return text.to_owned() };
    let (is_negative, digits, exponent) = decimal(&number);
    let sign = if is_negative { "-" } else { "" };
    let zeros = |count: i128| "0".repeat(count as usize);
    let len = digits.len() as i128;
    match exponent {
        _ if digits.is_empty() => "0".to_owned(),
        0..=40 => format!("{sign}{digits}{}", zeros(exponent)),
        _ if exponent < 0 && -exponent < len => {
            let (whole, part) = digits.split_at((len + exponent) as usize);
            format!("{sign}{whole}.{part}")
        }
        _ if exponent < 0 && -exponent - len <= 40 => {
            format!("{sign}0.{}{digits}", zeros(-exponent - len))
        }
        _ => format!("{sign}{digits}e{exponent}"),
    }
}

pub fn masked(value: &Value, secrets: &BTreeSet<String>) -> Value {
    match value {
        it if scalar(it).iter().any(|text| secrets.contains(text)) => json!(MASK),
        Value::Array(elements) => elements.iter().map(|it| masked(it, secrets)).collect(),
        Value::Object(members) => Value::Object(
            members.iter().map(|(key, it)| (key.clone(), masked(it, secrets))).collect(),
        ),
        other => other.clone(),
    }
}
