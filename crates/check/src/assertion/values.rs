//! Reads matchers of values from the tree of a file.
//!
//! | matcher | matches |
//! | --- | --- |
//! | `a text`, `1.5`, `true`, `null` | this value |
//! | `[a, b]` | this list |
//! | `{regex: ^a}` | strings with a match |
//! | `{one_of: [a, b]}` | one of these |
//! | `{range: {min: 1, max: 5}}` | numbers within bounds |
//! | `{size: 2}`, `{size: {min: 1}}` | lists, objects and strings of this length |
//! | `{network: public}`, `{network: private}` | strings that are such an address or range |
//! | `{prefix_length: {max: 8}}` | strings that are a range with such a prefix |
//! | `{contains: a}` | lists with this element, strings that contain this string |
//! | `{list_of: [...]}`, `{set_of: [...]}` | lists in order, sets in any order |
//! | `{object_of: {...}}` | objects with these members and no others |
//! | `{has: {...}}` | objects with these members |
//! | `{not: ...}` | values that the inner matcher does not match |
//! | `{not_null: true}` | any value except null |
//! | `{equals: ...}` | exactly this value, also an object |

use super::bounds::Bounds;
use super::matcher::{Matcher, SET_MAX};
use super::node::{FileError, Member, Node, NodeKind, boolean, text, unknown_key};
use super::subject::{Action, Expectation, PlanState};
use super::transition::{Growth, Transition};
use crate::known::{KnownValue, Regexp};
use plansift_cty::Number;

const KEYS: [&str; 14] = [
    "equals",
    "regex",
    "one_of",
    "range",
    "size",
    "network",
    "prefix_length",
    "contains",
    "list_of",
    "set_of",
    "object_of",
    "has",
    "not",
    "not_null",
];

/// Reads a matcher. The depth of the tree bounds the recursion.
pub(super) fn matcher(node: &Node) -> Result<Matcher, FileError> {
    let NodeKind::Mapping(members) = &node.kind else { return literal(node) };
    let mut all = Vec::new();
    for Member { line, key, value } in members {
        all.push(match key.as_str() {
            "equals" => literal(value)?,
            "regex" => Matcher::Known(KnownValue::StringRegexp(regexp(value)?)),
            "one_of" => Matcher::OneOf(list(value, key)?),
            "range" => range(value)?,
            "size" => Matcher::Size(size(value, key)?),
            "prefix_length" => Matcher::PrefixLength(size(value, key)?),
            "network" => match text(value, key)?.as_str() {
                "public" => Matcher::Network { is_private: false },
                "private" => Matcher::Network { is_private: true },
                _ => {
                    let text = "`network` is `public` or `private`";
                    return Err(FileError::new(value.line, text));
                }
            },
            "contains" => {
                let text = match &value.kind {
                    NodeKind::Text(text) => Some(text.clone()),
                    _ => None,
                };
                Matcher::Contains(Box::new(matcher(value)?), text)
            }
            "list_of" => Matcher::ListOf(list(value, key)?),
            "set_of" => {
                let elements = list(value, key)?;
                if elements.len() > SET_MAX {
                    let text = format!("`set_of` has more than {SET_MAX} elements");
                    return Err(FileError::new(value.line, text));
                }
                Matcher::SetOf(elements)
            }
            "object_of" | "has" => {
                let NodeKind::Mapping(members) = &value.kind else {
                    return Err(value.wrong(key, "a mapping"));
                };
                let members = members.iter().map(|it| Ok((it.key.clone(), matcher(&it.value)?)));
                let is_partial = key == "has";
                Matcher::ObjectOf { members: members.collect::<Result<_, _>>()?, is_partial }
            }
            "not" => Matcher::Not(Box::new(matcher(value)?)),
            "not_null" => match boolean(value, key)? {
                true => Matcher::Known(KnownValue::NotNull),
                false => Matcher::Known(KnownValue::Null),
            },
            _ => return Err(misplaced_key(*line, key, &KEYS, "known")),
        });
    }
    match all.len() {
        0 => Err(FileError::new(node.line, "the matcher is empty: write `equals: {}` for {}")),
        1 => Ok(all.remove(0)),
        _ => Ok(Matcher::All(all)),
    }
}

/// The keys of a condition on the change of a value. The last two are also keys of assertions.
const TRANSITION_KEYS: [&str; 8] =
    ["was", "becomes", "adds", "removes", "grows", "shrinks", "unknown", "sensitive"];

/// Returns the error about a key that a mapping does not have. If the key belongs to another
/// mapping, the error says where to write it. `around` is the key whose value is a matcher.
pub(super) fn misplaced_key(line: usize, key: &str, known: &[&str], around: &str) -> FileError {
    let written = match key {
        "min" | "max" => format!("range: {{{key}: ...}}"),
        key if TRANSITION_KEYS[..6].contains(&key) => format!("change: {{{key}: ...}}"),
        key if KEYS.contains(&key) => format!("{around}: {{{key}: ...}}"),
        _ => return unknown_key(line, key, known),
    };
    FileError::new(line, format!("the key `{key}` has another place: write `{written}`"))
}

/// Reads a condition on the change of a value, such as `{was: true, becomes: false}`.
pub(super) fn transition(node: &Node, name: &str) -> Result<Transition, FileError> {
    let NodeKind::Mapping(members) = &node.kind else {
        return Err(node.wrong(name, "a mapping like {was: true, becomes: false}"));
    };
    let mut transition = Transition::default();
    for Member { line, key, value } in members {
        match key.as_str() {
            "was" => transition.was = Some(matcher(value)?),
            "becomes" => transition.becomes = Some(matcher(value)?),
            "adds" => transition.adds = Some(matcher(value)?),
            "removes" => transition.removes = Some(matcher(value)?),
            "unknown" => transition.unknown = Some(boolean(value, key)?),
            "sensitive" => transition.sensitive = Some(boolean(value, key)?),
            "grows" | "shrinks" => {
                let growth = if key == "grows" { Growth::Grows } else { Growth::Shrinks };
                if !boolean(value, key)? {
                    let text = format!("write `{key}: true`, or leave it out");
                    return Err(FileError::new(*line, text));
                }
                if transition.growth.replace(growth).is_some() {
                    let text = "`grows` and `shrinks` exclude each other";
                    return Err(FileError::new(*line, text));
                }
            }
            _ => return Err(misplaced_key(*line, key, &TRANSITION_KEYS, "becomes")),
        }
    }
    if transition.unknown == Some(true) && transition.needs_planned() {
        let text = "an unknown value has no other keys than `was` and `sensitive`";
        return Err(FileError::new(node.line, text));
    }
    if members.is_empty() {
        let text = format!("`{name}` is empty: write one of {}", TRANSITION_KEYS.join(", "));
        return Err(FileError::new(node.line, text));
    }
    Ok(transition)
}

fn list(node: &Node, name: &str) -> Result<Vec<Matcher>, FileError> {
    match &node.kind {
        NodeKind::List(elements) => elements.iter().map(matcher).collect(),
        _ => Err(node.wrong(name, "a list")),
    }
}

/// A matcher of exactly this value.
fn literal(node: &Node) -> Result<Matcher, FileError> {
    Ok(match &node.kind {
        NodeKind::Null => Matcher::Known(KnownValue::Null),
        NodeKind::Boolean(value) => Matcher::Known(KnownValue::Bool(*value)),
        NodeKind::Number(text) => Matcher::Number(number(node.line, text)?),
        NodeKind::Text(text) => Matcher::Known(KnownValue::StringExact(text.clone())),
        NodeKind::FormerBoolean(word) => {
            let text = format!(
                "`{word}` is a string in YAML 1.2: write true or false, or put it in quotes if you \
                 mean the string"
            );
            return Err(FileError::new(node.line, text));
        }
        NodeKind::List(elements) => {
            Matcher::ListOf(elements.iter().map(literal).collect::<Result<_, _>>()?)
        }
        NodeKind::Mapping(members) => {
            let members = members.iter().map(|it| Ok((it.key.clone(), literal(&it.value)?)));
            Matcher::ObjectOf { members: members.collect::<Result<_, _>>()?, is_partial: false }
        }
    })
}

fn number(line: usize, text: &str) -> Result<Number, FileError> {
    Number::parse(text.as_bytes())
        .ok_or_else(|| FileError::new(line, "the exponent of the number is too large"))
}

fn regexp(node: &Node) -> Result<Regexp, FileError> {
    let text = text(node, "regex")?;
    Regexp::new(&text).map_err(|error| FileError::new(node.line, error.to_string()))
}

fn range(node: &Node) -> Result<Matcher, FileError> {
    let NodeKind::Mapping(members) = &node.kind else {
        return Err(node.wrong("range", "a mapping like {min: 1, max: 5}"));
    };
    let (mut min, mut max) = (None, None);
    for Member { line, key, value } in members {
        let bound = match key.as_str() {
            "min" => &mut min,
            "max" => &mut max,
            _ => return Err(unknown_key(*line, key, &["min", "max"])),
        };
        let NodeKind::Number(text) = &value.kind else { return Err(value.wrong(key, "a number")) };
        *bound = Some(number(value.line, text)?);
    }
    match (&min, &max) {
        (None, None) => Err(FileError::new(node.line, "`range` needs `min` or `max`")),
        (Some(least), Some(most)) if least.compare(most).is_gt() => {
            Err(FileError::new(node.line, "no number is in this range: `min` exceeds `max`"))
        }
        _ => Ok(Matcher::Range { min, max }),
    }
}

/// Reads a length, or its bounds.
fn size(node: &Node, name: &str) -> Result<Bounds, FileError> {
    let mut limits = Bounds::default();
    let NodeKind::Mapping(members) = &node.kind else {
        bounds(&mut limits, "min", node)?;
        return Ok(Bounds { max: limits.min, ..limits });
    };
    for Member { line, key, value } in members {
        match key.as_str() {
            "min" | "max" => bounds(&mut limits, key, value)?,
            _ => return Err(unknown_key(*line, key, &["min", "max"])),
        }
    }
    match limits == Bounds::default() {
        true => Err(FileError::new(node.line, format!("`{name}` needs `min` or `max`"))),
        false => Ok(limits),
    }
}

/// Reads a bound that is a natural number.
pub(super) fn bounds(bounds: &mut Bounds, key: &str, node: &Node) -> Result<(), FileError> {
    let number = match &node.kind {
        NodeKind::Number(text) => text.parse::<u64>().ok(),
        _ => None,
    };
    let Some(number) = number else { return Err(node.wrong(key, "a natural number")) };
    match key {
        "min" => bounds.min = Some(number),
        _ => bounds.max = Some(number),
    }
    match (bounds.min, bounds.max) {
        (Some(min), Some(max)) if min > max => {
            Err(FileError::new(node.line, "no number is within the bounds: `min` exceeds `max`"))
        }
        _ => Ok(()),
    }
}

pub(super) fn words(expectation: &Expectation) -> String {
    let actions = |actions: &[Action]| {
        actions.iter().map(|action| action.word()).collect::<Vec<_>>().join(" or ")
    };
    let no = |is: bool, word: &str| if is { word.to_owned() } else { format!("not {word}") };
    match expectation {
        Expectation::Action(list) => actions(list),
        Expectation::NotAction(list) => format!("not {}", actions(list)),
        Expectation::Known(matcher) => matcher.words(),
        Expectation::Before(matcher) => format!("{} before the change", matcher.words()),
        Expectation::Change(transition) => transition.words(),
        Expectation::NotChange(transition) => format!("not {}", transition.words()),
        Expectation::Unknown(is) => if *is { "unknown" } else { "known" }.to_owned(),
        Expectation::Sensitive(is) => no(*is, "sensitive"),
        Expectation::Null(is) => no(*is, "null"),
        Expectation::Unchanged(is) => if *is { "unchanged" } else { "changed" }.to_owned(),
        Expectation::Absent(is) => if *is { "absent" } else { "present" }.to_owned(),
        Expectation::Deferred(is) => no(*is, "deferred"),
        Expectation::DeferredFor(reason) => format!("deferred for {reason}"),
        Expectation::Plan(PlanState::Empty) => "an empty plan".to_owned(),
        Expectation::Plan(PlanState::NonEmpty) => "a plan with changes".to_owned(),
        Expectation::Plan(PlanState::Complete) => "a complete plan".to_owned(),
        Expectation::Plan(PlanState::Applyable) => "a plan that can be applied".to_owned(),
        Expectation::Plan(PlanState::Undrifted) => "a plan without drift".to_owned(),
        Expectation::Only(patterns) => {
            let patterns: Vec<&str> = patterns.iter().map(|pattern| pattern.text()).collect();
            format!("changes of only {}", patterns.join(", "))
        }
        Expectation::Count(list, bounds) => format!("{} of {}", bounds.words(), actions(list)),
    }
}
