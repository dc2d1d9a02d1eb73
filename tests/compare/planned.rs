//! The planned paths of a change with their values, and when two values mean the same
//! (docs/format/comparison.md, section 3).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::naive::{Path, Step, child, children, decimal, holds_true, sensitive};

/// The planned paths of a change.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    /// Whether the object does not exist before the change.
    pub is_created: bool,
    /// The paths that are known, with the meaning of their values. A path that the change removes
    /// has no value.
    pub known: BTreeMap<Path, Option<String>>,
    pub unknown: BTreeSet<Path>,
    /// The meanings of the known parts of sensitive values that are unknown in part.
    pub parts: BTreeMap<Path, String>,
}

impl Planned {
    /// All planned paths.
    pub fn paths(&self) -> BTreeSet<Path> {
        self.known.keys().chain(&self.unknown).cloned().collect()
    }

    /// The planned paths of an object that does not exist before.
    pub fn created(after: Option<&Value>, unknown: &Value, marks: &BTreeSet<Path>) -> Planned {
        let mut planned = Planned { is_created: true, ..Planned::default() };
        planned.walk([None, after], unknown, marks, &mut Path::new());
        planned.known.retain(|_, value| value.as_deref() != Some("null"));
        planned
    }

    /// The planned paths of an object that exists before.
    pub fn updated(change: &Value, marks: &BTreeSet<Path>) -> Planned {
        let mut planned = Planned::default();
        let sides = ["before", "after"].map(|key| change.get(key));
        planned.walk(sides, &change["after_unknown"], marks, &mut Path::new());
        planned
    }

    /// Compares the two sides of a change. A side is `None` if it has nothing there.
    fn walk(
        &mut self,
        sides: [Option<&Value>; 2],
        unknown: &Value,
        marks: &BTreeSet<Path>,
        at: &mut Path,
    ) {
        let is_marked = marks.contains(at);
        if *unknown == json!(true) || (is_marked && holds_true(unknown)) {
            self.unknown.insert(at.clone());
            if let Some(part) = sides[1].filter(|_| *unknown != json!(true)) {
                self.parts.insert(at.clone(), meaning(part));
            }
            return;
        }
        if is_marked {
            let [before, after] = sides.map(|side| side.map(meaning));
            if before != after {
                self.known.insert(at.clone(), after);
            }
            return;
        }
        let [before, after] = sides.map(|side| side.filter(|it| is_leaf(it)).map(meaning));
        let are_containers = |kind: fn(&Value) -> bool| sides.iter().all(|it| it.is_some_and(kind));
        let are_entered = are_containers(Value::is_object) || are_containers(Value::is_array);
        let is_removed = before.is_some() && sides[1].is_none();
        let is_set = after.is_some() && after != before;
        if !are_entered && !holds_true(unknown) && (is_removed || is_set) {
            self.known.insert(at.clone(), after);
        }
        let inside = [sides[0], sides[1], Some(unknown)].map(|it| it.map(children));
        let steps: BTreeSet<Step> =
            inside.iter().flatten().flatten().map(|(step, _)| step.clone()).collect();
        for step in steps {
            let [before, after, unknown] = [sides[0], sides[1], Some(unknown)].map(|it| {
                let mut inside = it.map(children).unwrap_or_default().into_iter();
                inside.find(|(other, _)| *other == step).map(|(_, value)| value)
            });
            at.push(step);
            self.walk([before, after], unknown.unwrap_or(&Value::Null), marks, at);
            at.pop();
        }
    }
}

/// The places at which paths end: the marks, and the values that a mark below them does not fit.
pub fn ends(change: &Value) -> BTreeSet<Path> {
    let mut found = sensitive(change);
    let sides = ["before", "after"].map(|key| &change[key]);
    let overlays = ["before_sensitive", "after_sensitive"].map(|key| &change[key]);
    misfits(sides, overlays, &mut Path::new(), &mut found);
    found
}

fn misfits(sides: [&Value; 2], overlays: [&Value; 2], at: &mut Path, found: &mut BTreeSet<Path>) {
    let kind = |it: &Value| (it.is_object(), it.is_array());
    let len = |it: &Value| it.as_array().map(Vec::len);
    for (own, overlay) in sides.into_iter().zip(overlays) {
        let is_entered = kind(overlay) != (false, false) && holds_true(overlay);
        let is_other = |it: &&Value| !it.is_null() && kind(it) != kind(overlay);
        let is_longer = len(own).is_some() && len(overlay).is_some() && len(own) != len(overlay);
        if is_entered && (is_longer || sides.iter().any(is_other)) {
            found.insert(at.clone());
            return;
        }
    }
    let steps = overlays.into_iter().filter(|it| holds_true(it)).flat_map(children);
    for step in steps.map(|(step, _)| step).collect::<BTreeSet<Step>>() {
        let [sides, overlays] = [sides, overlays].map(|pair| pair.map(|it| child(it, &step)));
        at.push(step);
        misfits(sides, overlays, at, found);
        at.pop();
    }
}

/// Whether a value is a scalar or an empty container.
fn is_leaf(value: &Value) -> bool {
    children(value).is_empty()
}

/// A text that is equal for values that mean the same.
pub fn meaning(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("{:?}", decimal(number)),
        Value::String(text) => match document(text) {
            Some(document) => format!("document {}", meaning(&document)),
            None => value.to_string(),
        },
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(meaning).collect();
            format!("[{}]", elements.join(","))
        }
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("{key:?}:{}", meaning(value));
            let members: BTreeSet<String> = members.iter().map(member).collect();
            format!("{{{}}}", members.into_iter().collect::<Vec<_>>().join(","))
        }
        word => word.to_string(),
    }
}

/// The document in a string: JSON, or a block of YAML with one word or number for each key.
fn document(text: &str) -> Option<Value> {
    let json = serde_json::from_str(text).ok();
    json.filter(|it: &Value| it.is_object() || it.is_array()).or_else(|| block(text))
}

fn block(text: &str) -> Option<Value> {
    if text.starts_with('#') {
        return None;
    }
    let is_word = |it: &str| !it.is_empty() && it.chars().all(|it| it.is_ascii_lowercase());
    let lines = text.strip_suffix('\n')?.lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let members = lines.map(|line| {
        let (key, value) = line.split_once(':').filter(|(key, _)| is_word(key))?;
        let value = value.strip_prefix(' ')?.trim_matches(' ');
        let quoted = ['"', '\''].iter().find_map(|quote| {
            value.strip_prefix(*quote)?.strip_suffix(*quote).filter(|it| is_word(it))
        });
        match serde_json::from_str(value) {
            Ok(number @ Value::Number(_)) => Some((key.to_owned(), number)),
            _ => Some((key.to_owned(), quoted.or(Some(value).filter(|it| is_word(it)))?.into())),
        }
    });
    members
        .collect::<Option<_>>()
        .filter(|it: &serde_json::Map<_, _>| !it.is_empty())
        .map(Value::Object)
}
