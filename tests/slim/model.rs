//! The oracle: a slim plan, computed from the whole tree. It shares no code with the engine.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The arguments of `slim`.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'w> {
    /// Names of sections.
    pub keep: &'w [&'w str],
    pub all: bool,
    pub only: &'w [&'w str],
    /// Patterns of paths.
    pub paths: &'w [&'w str],
}

/// Each section, and the name for `--keep` that selects it.
const SECTIONS: [(&str, &str); 12] = [
    ("resource_changes", "changes"),
    ("output_changes", "outputs"),
    ("resource_drift", "drift"),
    ("deferred_changes", "deferred"),
    ("action_invocations", "actions"),
    ("deferred_action_invocations", "actions"),
    ("variables", "variables"),
    ("planned_values", "planned"),
    ("prior_state", "prior"),
    ("configuration", "configuration"),
    ("relevant_attributes", "relevant"),
    ("checks", "checks"),
];

/// Keys that always stay.
const SCALARS: [&str; 7] = [
    "format_version",
    "plan_format_version",
    "terraform_version",
    "timestamp",
    "applyable",
    "complete",
    "errored",
];

/// Keys that only plans have.
const PLAN_KEYS: [&str; 10] = [
    "planned_values",
    "resource_drift",
    "resource_changes",
    "deferred_changes",
    "output_changes",
    "action_invocations",
    "configuration",
    "relevant_attributes",
    "applyable",
    "errored",
];

const PRIOR_MODULE: &str = "/values/root_module";

/// The slim plan.
pub fn slim(plan: &Value, wanted: Wanted<'_>) -> Value {
    let mut slim = Map::new();
    for (key, value) in plan.as_object().expect("a plan") {
        let section = SECTIONS.iter().find(|(section, _)| section == key);
        let name = section.map_or("other", |(_, name)| *name);
        if SCALARS.contains(&key.as_str()) || wanted.keep.contains(&name) {
            slim.insert(key.clone(), section_of(key, value, wanted));
        }
    }
    if !slim.keys().any(|key| PLAN_KEYS.contains(&key.as_str())) {
        slim.insert("planned_values".to_owned(), json!({}));
    }
    Value::Object(slim)
}

fn section_of(key: &str, value: &Value, wanted: Wanted<'_>) -> Value {
    let mut value = value.clone();
    match (key, &mut value) {
        ("resource_changes" | "resource_drift", Value::Array(elements)) => {
            elements.retain(|element| {
                let is_no_op = key == "resource_changes" && is_no_op(element);
                (wanted.all || !is_no_op) && is_resource_wanted(element, wanted)
            });
            elements.iter_mut().for_each(|element| prune_change(&mut element["change"], wanted));
        }
        ("deferred_changes", Value::Array(elements)) => {
            elements.retain(|element| is_resource_wanted(&element["resource_change"], wanted));
            for element in elements {
                prune_change(&mut element["resource_change"]["change"], wanted);
            }
        }
        ("output_changes", Value::Object(outputs)) if !wanted.all => {
            *outputs = std::mem::take(outputs)
                .into_iter()
                .filter(|(_, change)| change["actions"] != json!(["no-op"]))
                .collect();
        }
        _ => {}
    }
    for (section, module) in [("planned_values", "/root_module"), ("prior_state", PRIOR_MODULE)] {
        if let Some(module) = value.pointer_mut(module).filter(|_| section == key) {
            prune_module(module, wanted);
        }
    }
    value
}

/// Whether an element changes nothing.
fn is_no_op(element: &Value) -> bool {
    let previous = &element["previous_address"];
    let stays = previous.is_null() || *previous == element["address"];
    let change = &element["change"];
    change["actions"] == json!(["no-op"]) && stays && change["importing"].is_null()
}

fn is_resource_wanted(element: &Value, wanted: Wanted<'_>) -> bool {
    let names = [&element["address"], &element["type"]];
    let matches = |pattern: &&str| {
        names.iter().any(|name| name.as_str().is_some_and(|name| matches(pattern, name)))
    };
    wanted.only.is_empty() || wanted.only.iter().any(matches)
}

fn prune_module(module: &mut Value, wanted: Wanted<'_>) {
    let Some(module) = module.as_object_mut() else { return };
    if let Some(Value::Array(resources)) = module.get_mut("resources") {
        resources.retain(|resource| is_resource_wanted(resource, wanted));
        for resource in resources {
            prune_members(resource, &["values", "sensitive_values"], wanted);
        }
    }
    if let Some(Value::Array(modules)) = module.get_mut("child_modules") {
        modules.iter_mut().for_each(|module| prune_module(module, wanted));
    }
}

fn prune_change(change: &mut Value, wanted: Wanted<'_>) {
    let values = ["before", "after", "after_unknown", "before_sensitive", "after_sensitive"];
    prune_members(change, &values, wanted);
}

fn prune_members(object: &mut Value, keys: &[&str], wanted: Wanted<'_>) {
    if wanted.paths.is_empty() {
        return;
    }
    let mut kept = BTreeSet::new();
    for key in keys {
        let layer = if matches!(*key, "before" | "after" | "values") { VALUE } else { OVERLAY };
        if let Some(value) = object.get_mut(*key) {
            prune(value, ["", ""], layer, wanted.paths, &mut kept);
        }
    }
}

const VALUE: bool = true;
const OVERLAY: bool = false;

/// Removes the members of a value that no pattern matches. A container stays if something inside
/// it stays. Returns whether any member stays.
///
/// `texts` are the path of the value with list indexes and without. `kept` collects the paths of
/// the containers that stay only because of their members.
fn prune(
    value: &mut Value,
    texts: [&str; 2],
    layer: bool,
    patterns: &[&str],
    kept: &mut BTreeSet<String>,
) -> bool {
    let mut has_wanted = false;
    match value {
        Value::Array(elements) => {
            for (place, element) in elements.iter_mut().enumerate() {
                let texts = [&format!("{}[{place}]", texts[0]), texts[1]];
                has_wanted |=
                    is_wanted(texts, patterns) || prune(element, texts, layer, patterns, kept);
            }
        }
        Value::Object(members) => {
            for (key, mut value) in std::mem::take(members) {
                let texts = texts.map(|text| with_key(text, &key));
                let texts = [&*texts[0], &texts[1]];
                let is_container = value.is_object() || value.is_array();
                let stays = is_wanted(texts, patterns) || {
                    let has = prune(&mut value, texts, layer, patterns, kept);
                    let is_kept = has && is_container && !is_named(texts, patterns);
                    kept.extend((is_kept && layer == VALUE).then(|| texts[1].to_owned()));
                    let is_marked = layer == OVERLAY && !is_container && kept.contains(texts[1]);
                    has || is_named(texts, patterns) || (is_marked && can_lead(texts, patterns))
                };
                if stays {
                    has_wanted = true;
                    members.insert(key, value);
                }
            }
        }
        _ => {}
    }
    has_wanted
}

/// Appends a key to a path.
fn with_key(path: &str, key: &str) -> String {
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    let starts = key.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
    match (starts && key.chars().all(is_name), path) {
        (true, "") => key.to_owned(),
        (true, path) => format!("{path}.{key}"),
        (false, path) => format!("{path}[{}]", json!(key)),
    }
}

/// Pairs each pattern with each form of the path to match it against.
fn candidates<'t>(texts: [&'t str; 2], patterns: &[&'t str]) -> Vec<(String, &'t str)> {
    let mut candidates = Vec::new();
    for pattern in patterns {
        let (pattern, texts) = match pattern.strip_prefix('=') {
            Some(exact) => (exact, &texts[..1]),
            None => (*pattern, &texts[..]),
        };
        // Records write this key without quotes.
        let pattern = pattern.replace("[\"aab\"]", ".aab");
        for text in texts {
            candidates.extend(pattern.strip_prefix("*.").map(|behind| (behind.to_owned(), *text)));
            candidates.push((pattern.clone(), text));
        }
    }
    candidates
}

fn is_wanted(texts: [&str; 2], patterns: &[&str]) -> bool {
    candidates(texts, patterns).iter().any(|(pattern, text)| matches(pattern, text))
}

/// Whether the text of a pattern before its first star names something below the path.
fn is_named(texts: [&str; 2], patterns: &[&str]) -> bool {
    candidates(texts, patterns).iter().any(|(pattern, text)| {
        let head = pattern.split('*').next().unwrap_or_default();
        head.strip_prefix(text).is_some_and(|rest| rest.starts_with(['.', '[']))
    })
}

/// Whether a pattern with a star may match below the path.
fn can_lead(texts: [&str; 2], patterns: &[&str]) -> bool {
    candidates(texts, patterns).iter().any(|(pattern, text)| match pattern.split_once('*') {
        Some((head, _)) => text.starts_with(head),
        None => false,
    })
}

/// Whether a text matches a pattern, in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_at_checked(1) {
        None => text.is_empty(),
        Some(("*", rest)) => {
            text.char_indices().any(|(at, _)| matches(rest, &text[at..])) || matches(rest, "")
        }
        Some((first, rest)) => text.strip_prefix(first).is_some_and(|text| matches(rest, text)),
    }
}
