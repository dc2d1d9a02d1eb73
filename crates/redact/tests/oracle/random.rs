//! Random documents: values in every section, with overlays that fit them or do not.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// The overlays of a random document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlays {
    /// They fit their values, as those of the tools do.
    Fitting,
    /// They may be any value.
    Any,
}

/// Scalars as JSON text. Several equal, contain or resemble others. Some are too short for echoes.
const SCALARS: [&str; 24] = [
    "null",
    "true",
    "false",
    "0",
    "1.0",
    "10e-1",
    "12345678",
    "12345678.0",
    r#""""#,
    r#""short""#,
    r#""12345678""#,
    r#""secret-one""#,
    r#""secret\u002done""#,
    r#""see secret-one here""#,
    r#""secret_two""#,
    r#""secret_tw""#,
    r#""\ud834\udd1e-secret\n""#,
    r#""managed by nobody""#,
    r#""{\"a\" : \"secret-one\", \"secret_two\":[12345678.0, \"see secret-one here\"]}""#,
    r#""[\"{\\\"secret-one\\\":\\\"\\u0073ecret_two\\\"}\", 1]""#,
    r#""{\"x-y\":\"short\",\"b\":1}""#,
    r#""[{\"b\":1.0, \"x-y\":\"short\"}]""#,
    r#""a: secret-one\nb:\n  - 'secret_two'\n  - x""#,
    r#""{\"y\": \"a: |\\n  secret-one\\nb: c\\n\"}""#,
];
/// Ids of imports.
const IDS: [&str; 4] = [r#""short""#, r#""secret-one""#, r#""12345678""#, "null"];
/// Keys. Some of them are also texts of [`SCALARS`].
const KEYS: [&str; 7] = ["a", "b", "id", "x-y", "secret-one", "secret_two", "12345678"];
const MARKS: [&str; 7] = ["true", "true", "true", "false", "null", r#""secret-one""#, "1"];

/// A value, and numbers to make an overlay from.
type Seeds = (Value, Vec<u8>);

/// A random value. Scalars are strings that begin with [`RAW`] until [`text`] writes them, so that
/// their spelling stays.
fn tree(leaves: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let leaf = select(leaves).prop_map(raw);
    leaf.prop_recursive(3, 16, 4, |inner| {
        let array = vec(inner.clone(), 0..4).prop_map(Value::from);
        let object = btree_map(select(&KEYS[..]), inner, 0..5).prop_map(|members| {
            let owned = members.into_iter().map(|(key, value)| (key.to_owned(), value));
            Value::Object(owned.collect())
        });
        prop_oneof![array, object]
    })
}

/// Prefix of a string that [`text`] writes without quotes, as it is.
const RAW: &str = "\u{1}raw:";

fn raw(spelling: &str) -> Value {
    match spelling {
        "true" | "false" | "null" => serde_json::from_str(spelling).expect("a word"),
        _ => Value::from(format!("{RAW}{spelling}")),
    }
}

/// Writes a document, with each scalar in its given spelling.
fn text(document: &Value) -> String {
    match document {
        Value::String(string) => match string.strip_prefix(RAW) {
            Some(spelling) => spelling.to_owned(),
            None => document.to_string(),
        },
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(text).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("\"{key}\" :{}", text(value));
            let members: Vec<_> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}

/// An overlay that fits a value.
fn overlay(value: &Value, choices: &mut impl Iterator<Item = u8>) -> Value {
    match (choices.next().unwrap_or_default() % 4, value) {
        (0, _) => json!(true),
        (1, _) => json!(false),
        (_, Value::Array(elements)) => elements.iter().map(|it| overlay(it, choices)).collect(),
        (_, Value::Object(members)) => {
            let marks = members.iter().map(|(key, it)| (key.clone(), overlay(it, choices)));
            Value::Object(marks.filter(|(_, mark)| *mark != json!(false)).collect::<Map<_, _>>())
        }
        _ => json!(false),
    }
}

/// A value and an overlay for it.
fn marked(overlays: Overlays) -> impl Strategy<Value = (Value, Value)> {
    let seeds: BoxedStrategy<Seeds> = (tree(&SCALARS), vec(any::<u8>(), 24)).boxed();
    (seeds, tree(&MARKS), any::<bool>()).prop_map(move |((value, choices), other, fits)| {
        let fitting = overlay(&value, &mut choices.into_iter());
        let mark = if overlays == Overlays::Fitting || fits { fitting } else { other };
        (value, mark)
    })
}

fn change(overlays: Overlays) -> impl Strategy<Value = Value> {
    let unknown = vec(any::<u8>(), 24);
    let sides = [marked(overlays), marked(overlays)];
    let same = any::<bool>();
    (sides, unknown, tree(&IDS), tree(&SCALARS), same).prop_map(
        |([(before, before_marks), (after, after_marks)], unknown, importing, identity, same)| {
            let after = if same { before.clone() } else { after };
            let after_marks = if same { before_marks.clone() } else { after_marks };
            json!({
                "actions": ["update"], "before": before, "after": after,
                "after_unknown": overlay(&after, &mut unknown.into_iter()),
                "before_sensitive": before_marks, "after_sensitive": after_marks,
                "importing": {"id": importing}, "after_identity": identity,
            })
        },
    )
}

/// The values of a state, or planned values.
fn values(overlays: Overlays) -> impl Strategy<Value = Value> {
    let output = (any::<bool>(), tree(&SCALARS));
    (marked(overlays), marked(overlays), output, tree(&SCALARS)).prop_map(
        |((root, root_marks), (below, below_marks), (sensitive, value), identity)| {
            let resource = |values: Value, marks: Value| {
                json!({
                    "address": "a.b", "values": values, "sensitive_values": marks,
                    "identity": identity,
                })
            };
            json!({
                "outputs": {"o": {"sensitive": sensitive, "value": value}},
                "root_module": {
                    "resources": [resource(root, root_marks)],
                    "child_modules": [{"resources": [resource(below, below_marks)]}],
                },
            })
        },
    )
}

/// A state document.
pub fn state(overlays: Overlays) -> impl Strategy<Value = String> {
    values(overlays).prop_map(|values| text(&json!({"format_version": "1.0", "values": values})))
}

/// A plan with its configuration before or after the other sections.
pub fn plan(overlays: Overlays) -> impl Strategy<Value = String> {
    let variables = (tree(&SCALARS), tree(&SCALARS), any::<bool>(), any::<bool>());
    let resources = [change(overlays), change(overlays), change(overlays)];
    let rest = (marked(overlays), values(overlays), values(overlays), tree(&SCALARS));
    (variables, resources, change(overlays), rest).prop_map(
        |(
            (variable, default, sensitive, early),
            resources,
            output,
            (action, planned, prior, constant),
        )| {
            let [first, drift, deferred] =
                resources.map(|change| json!({"address": "a.b", "type": "a", "change": change}));
            let mut configuration = json!({"root_module": {
                "resources": [{"address": "a.b", "type": "a", "name": "b", "expressions": {
                    "a": {"constant_value": constant},
                    "b": [{"constant_value": default}, {"id": {"constant_value": variable}}],
                }}],
                "actions": [{"address": "action.a.b", "type": "a", "name": "b", "expressions": {
                    "a": {"constant_value": default},
                    "b": {"x-y": {"constant_value": constant}, "id": {"constant_value": variable}},
                }}],
                "variables": {"v": {"default": default}, "w": {"default": constant}},
            }});
            if sensitive {
                configuration["root_module"]["variables"]["v"]["sensitive"] = json!(true);
            }
            let (values, marks) = action;
            let mut plan = json!({"format_version": "1.2"});
            let sections = [
                ("configuration", early.then(|| configuration.clone())),
                ("variables", Some(json!({"v": {"value": variable}, "w": {"value": default}}))),
                ("planned_values", Some(planned)),
                ("resource_drift", Some(json!([drift]))),
                ("resource_changes", Some(json!([first]))),
                (
                    "deferred_changes",
                    Some(json!([{"reason": "unknown", "resource_change": deferred}])),
                ),
                ("output_changes", Some(json!({"o": output}))),
                (
                    "action_invocations",
                    Some(json!([{
                        "address": "action.a.b", "config_values": values, "config_sensitive": marks,
                        "config_unknown": marks,
                    }])),
                ),
                ("prior_state", Some(json!({"values": prior}))),
                ("configuration", (!early).then_some(configuration)),
            ];
            for (key, section) in sections {
                if let Some(section) = section {
                    plan[key] = section;
                }
            }
            text(&plan)
        },
    )
}
