//! The oracle: a slim plan, computed from the whole tree. It shares no code with the engine.

use serde_json::{Map, Value, json};

/// What is wanted of a plan, in the words of the command line.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'w> {
    /// Names of sections.
    pub keep: &'w [&'w str],
    pub all: bool,
    pub only: &'w [&'w str],
    /// Paths of keys with dots between them.
    pub paths: &'w [&'w str],
}

/// The sections by the names that keep them.
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

/// What always stays.
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
const OF_PLANS: [&str; 10] = [
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
    if !slim.keys().any(|key| OF_PLANS.contains(&key.as_str())) {
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
    let paths: Vec<Vec<&str>> = wanted.paths.iter().map(|path| path.split('.').collect()).collect();
    for key in keys {
        if let Some(value) = object.get_mut(*key).filter(|_| !paths.is_empty()) {
            prune(value, &paths);
        }
    }
}

/// Leaves what lies on one of the paths, or on the way to it.
fn prune(value: &mut Value, paths: &[Vec<&str>]) {
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|element| prune(element, paths)),
        Value::Object(members) => {
            let mut kept = Map::new();
            for (key, mut value) in std::mem::take(members) {
                let leading: Vec<Vec<&str>> = paths
                    .iter()
                    .filter(|path| matches(path[0], &key))
                    .map(|path| path[1..].to_vec())
                    .collect();
                if !leading.is_empty() {
                    if leading.iter().all(|rest| !rest.is_empty()) {
                        prune(&mut value, &leading);
                    }
                    kept.insert(key, value);
                }
            }
            *members = kept;
        }
        _ => {}
    }
}

/// Whether a text matches a pattern whose `*` is any text.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_at_checked(1) {
        None => text.is_empty(),
        Some(("*", rest)) => {
            text.char_indices().any(|(at, _)| matches(rest, &text[at..])) || matches(rest, "")
        }
        Some((first, rest)) => text.strip_prefix(first).is_some_and(|text| matches(rest, text)),
    }
}
