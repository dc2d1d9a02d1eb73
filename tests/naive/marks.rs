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

/// How a change changes a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Added,
    Removed,
}

/// The paths at which a change adds marks, or removes marks. Empty unless both sides exist.
pub fn mark_changes(change: &Value, which: Mark) -> BTreeSet<Path> {
    let mut found = BTreeSet::new();
    let is_unknown = change["after_unknown"] == json!(true);
    if !change["before"].is_null() && (!change["after"].is_null() || is_unknown) {
        let [before, after, unknown] = ["before", "after", "after_unknown"].map(|key| &change[key]);
        let overlays = [&change["before_sensitive"], &change["after_sensitive"]];
        changed_marks([before, after, unknown], overlays, &mut Path::new(), &mut |at, mark| {
            if mark == which {
                found.insert(at.clone());
            }
        });
    }
    found
}

fn changed_marks(
    [before, after, unknown]: [&Value; 3],
    [old, new]: [&Value; 2],
    at: &mut Path,
    each: &mut impl FnMut(&Path, Mark),
) {
    let marks = [old, new].map(marks_anything);
    let whole = [old, new].map(|it| *it == json!(true) || it.is_string() || it.is_number());
    let fits = |overlay| [before, after].into_iter().all(|value| fits(value, overlay));
    let length_fits = fits_length(before, old) && fits_length(after, new);
    if !marks[0] && !marks[1] {
        return;
    }
    if whole == [false; 2] && length_fits && (!marks[0] || fits(old)) && (!marks[1] || fits(new)) {
        let steps: BTreeSet<Step> =
            [old, new].iter().flat_map(|it| children(it)).map(|(step, _)| step).collect();
        for step in steps {
            let values = [before, after, unknown].map(|it| child(it, &step));
            let overlays = [old, new].map(|it| child(it, &step));
            at.push(step);
            changed_marks(values, overlays, at, each);
            at.pop();
        }
        return;
    }
    if before.is_null() || (after.is_null() && *unknown != json!(true)) {
        return;
    }
    match (marks, whole) {
        ([true, false], _) => each(at, Mark::Removed),
        ([false, true], _) => each(at, Mark::Added),
        (_, [true, false]) if is_partial(after, new) || super::holds_true(unknown) => {
            each(at, Mark::Removed);
        }
        (_, [false, true]) if is_partial(before, old) => each(at, Mark::Added),
        _ => {}
    }
}

/// Whether an overlay has the kind of a value, or there is no value.
fn fits(value: &Value, overlay: &Value) -> bool {
    let is_container = overlay.is_object() || overlay.is_array();
    is_container
        && (value.is_null()
            || (value.is_object(), value.is_array()) == (overlay.is_object(), overlay.is_array()))
}

fn fits_length(value: &Value, overlay: &Value) -> bool {
    let lengths = [value, overlay].map(|it| it.as_array().map(Vec::len));
    !marks_anything(overlay) || !lengths.iter().all(Option::is_some) || lengths[0] == lengths[1]
}

/// Whether an overlay leaves a scalar of a value unmarked. An overlay that does not fit marks the
/// whole value.
fn is_partial(value: &Value, overlay: &Value) -> bool {
    match overlay {
        _ if value.is_null() => false,
        _ if !marks_anything(overlay) && children(value).is_empty() => {
            !value.is_object() && !value.is_array()
        }
        _ if !marks_anything(overlay) => {
            children(value).iter().any(|(_, inner)| is_partial(inner, &Value::Null))
        }
        overlay if !fits(value, overlay) || !fits_length(value, overlay) => false,
        overlay => children(value)
            .into_iter()
            .any(|(step, inner)| is_partial(inner, child(overlay, &step))),
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
