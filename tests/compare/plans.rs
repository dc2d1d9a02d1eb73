//! Builds small plans and states from choices. Addresses, keys and values come from small sets, so
//! that two random documents have much in common.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

#[path = "pairs.rs"]
pub mod pairs;

/// Addresses with their types.
const ADDRESSES: [(&str, &str); 8] = [
    ("a.b", "a"),
    ("a.c[0]", "a"),
    (r#"a.c["k.1"]"#, "a"),
    ("b.d", "b"),
    ("module.m.a.b", "a"),
    (r#"module.m["x"].b.e"#, "b"),
    ("data.a.f", "a"),
    ("old.one", "old"),
];

/// Scalars as JSON. Neighbours mean the same, or nearly the same.
const SCALARS: [&str; 22] = [
    "null",
    "true",
    "false",
    "1",
    "1.0",
    "10e-1",
    "10",
    "9007199254740993",
    "9007199254740992",
    "1e400",
    r#""x""#,
    r#""y""#,
    r#""""#,
    r#""1""#,
    r#""{\"a\":1,\"b\":[1,2]}""#,
    r#""{ \"b\": [1, 2.0],\n \"a\": 1 }""#,
    r#""{\"a\":1,\"b\":[2,1]}""#,
    r#""[\"x\"]""#,
    r#""[ \"x\" ]\n""#,
    r#""a: word\nb: 1\n""#,
    r#""b: 1\na: 'word'\n""#,
    r#""{ \"b\": [1,""#,
];

const KEYS: [&str; 6] = ["a", "b", "id", "tags", "x-y", "9"];

const REASONS: [&str; 4] =
    ["replace_because_tainted", "replace_by_request", "delete_because_no_module", "other"];

/// Lists of actions of a change. Each one has a shape: which sides it has.
const ACTIONS: [(&[&str], Sides); 14] = [
    (&["update"], Sides::Both),
    (&["create"], Sides::After),
    (&["delete"], Sides::Before),
    (&["delete", "create"], Sides::Both),
    (&["create", "delete"], Sides::Both),
    (&["no-op"], Sides::Same),
    (&["read"], Sides::After),
    (&["forget"], Sides::Before),
    (&["create", "forget"], Sides::Both),
    (&["forget", "create"], Sides::Both),
    (&["open"], Sides::None),
    (&["purge"], Sides::Both),
    (&["delete", "forget"], Sides::Before),
    (&["update"], Sides::Both),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    Both,
    After,
    Before,
    Same,
    None,
}

/// Builds an element of a section.
type Element = fn(&mut Unstructured<'_>) -> Result<Value>;

/// The lists of a plan, with the largest number of their elements.
const LISTS: [(&str, usize, Element); 6] = [
    ("resource_drift", 2, resource_change),
    ("resource_changes", 6, resource_change),
    ("deferred_changes", 2, deferred),
    ("deferred_action_invocations", 1, deferred_invocation),
    ("action_invocations", 2, invocation),
    ("checks", 2, check),
];

/// A random plan.
pub fn plan(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut plan = json!({ "format_version": "1.2" });
    let versions = ["1.14.2", "1.11.4"];
    maybe(u, &mut plan, "terraform_version", |u| Ok(json!(u.choose(&versions)?)))?;
    for (key, most, each) in LISTS {
        let list = distinct(u, most, each)?;
        if !list.is_empty() || key == "resource_changes" {
            plan[key] = list.into();
        }
    }
    let mut outputs = Map::new();
    for name in ["one", "two", "a.b"] {
        if u.ratio(1, 3)? {
            outputs.insert(name.to_owned(), output_change(u)?);
        }
    }
    if !outputs.is_empty() {
        plan["output_changes"] = outputs.into();
    }
    maybe(u, &mut plan, "relevant_attributes", |u| {
        let attribute = |key| json!({"resource": "a.b", "attribute": [key]});
        Ok(KEYS.into_iter().filter(|_| u.ratio(1, 3).unwrap_or(false)).map(attribute).collect())
    })?;
    maybe(u, &mut plan, "timestamp", |u| {
        Ok(json!(u.choose(&["2026-01-02T03:04:05Z", "2026-01-03T03:04:05Z"])?))
    })?;
    for key in ["applyable", "complete", "errored"] {
        maybe(u, &mut plan, key, |u| Ok(json!(u.arbitrary::<bool>()?)))?;
    }
    Ok(plan)
}

/// A random state.
pub fn state(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut state = json!({"format_version": "1.0", "terraform_version": "1.14.2"});
    let mut outputs = Map::new();
    for name in ["one", "two"] {
        if u.ratio(1, 2)? {
            let value = any(u, 2)?;
            outputs.insert(name.to_owned(), json!({"sensitive": u.ratio(1, 4)?, "value": value}));
        }
    }
    let [root, inner] = [distinct(u, 4, resource)?, distinct(u, 2, resource)?];
    let is_inner = |it: &Value| it["address"].as_str().is_some_and(|it| it.starts_with("module"));
    let root: Vec<Value> = root.into_iter().filter(|it| !is_inner(it)).collect();
    let inner: Vec<Value> = inner.into_iter().filter(is_inner).collect();
    state["values"] = json!({
        "outputs": outputs,
        "root_module": {
            "resources": root, "child_modules": [{"address": "module.m", "resources": inner}],
        },
    });
    Ok(state)
}

/// Adds a member, in half of all cases.
fn maybe(
    u: &mut Unstructured<'_>,
    value: &mut Value,
    key: &str,
    make: impl FnOnce(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<()> {
    if u.ratio(1, 2)? {
        value[key] = make(u)?;
    }
    Ok(())
}

/// A list of at most `most` elements without a pair that one name identifies.
fn distinct(
    u: &mut Unstructured<'_>,
    most: usize,
    each: fn(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<Vec<Value>> {
    let mut list: Vec<Value> = Vec::new();
    for _ in 0..u.int_in_range(0..=most)? {
        let element = each(u)?;
        if list.iter().all(|other| identity(other) != identity(&element)) {
            list.push(element);
        }
    }
    Ok(list)
}

/// What identifies an element of its section.
pub fn identity(element: &Value) -> Vec<Value> {
    let inner = ["resource_change", "action_invocation"].iter().find_map(|key| element.get(key));
    let element = inner.unwrap_or(element);
    let keys = ["/address/to_display", "/address", "/deposed", "/deposed_key"];
    let trigger = ["/triggering_resource_address", "/action_trigger_event"]
        .map(|key| format!("/lifecycle_action_trigger{key}"));
    let keys = keys.into_iter().map(str::to_owned).chain(trigger);
    keys.map(|key| element.pointer(&key).cloned().unwrap_or_default()).collect()
}

fn resource_change(u: &mut Unstructured<'_>) -> Result<Value> {
    let (address, type_name) = *u.choose(&ADDRESSES)?;
    let mode = if address.contains("data.") { "data" } else { "managed" };
    let mut element = json!({"address": address, "mode": mode, "type": type_name, "name": "n"});
    if u.ratio(1, 6)? {
        element["deposed"] = json!(u.choose(&["00000001", "00000002"])?);
    }
    if u.ratio(1, 4)? {
        element["previous_address"] = json!(u.choose(&["old.one", "old.two"])?);
    }
    if u.ratio(1, 4)? {
        element["action_reason"] = json!(u.choose(&REASONS)?);
    }
    let (actions, sides) = *u.choose(&ACTIONS)?;
    element["change"] = change(u, actions, sides)?;
    if sides == Sides::Both && u.ratio(1, 3)? {
        element["change"]["replace_paths"] = replace_paths(u)?;
    }
    if matches!(sides, Sides::Both | Sides::Same) && u.ratio(1, 4)? {
        let identity = |number| json!({"identity": {"a": "x", "b": number}});
        let choices = [json!({"id": "i-1"}), json!({"id": "x"}), identity(1), identity(2)];
        let unknown = json!({"unknown": true});
        element["change"]["importing"] = u.choose(&[&choices[..], &[unknown]].concat())?.clone();
    }
    Ok(element)
}

fn replace_paths(u: &mut Unstructured<'_>) -> Result<Value> {
    let paths = [json!(["a"]), json!(["tags", "b"]), json!(["b", 0]), json!(["b", 1, "id"])];
    let paths = paths.into_iter().filter(|_| u.ratio(1, 2).unwrap_or(false));
    Ok(paths.collect())
}

fn output_change(u: &mut Unstructured<'_>) -> Result<Value> {
    let index = *u.choose(&[0, 1, 2, 5])?;
    let (actions, sides) = ACTIONS[index];
    let [before, after] = both(u, sides, any)?;
    let is_unknown = sides != Sides::Before && u.ratio(1, 4)?;
    let mark = u.ratio(1, 4)?;
    let mut change = json!({
        "actions": actions, "before": before, "after": after, "after_unknown": is_unknown,
        "before_sensitive": mark, "after_sensitive": mark,
    });
    if is_unknown {
        change.as_object_mut().expect("an object").remove("after");
    }
    Ok(change)
}

fn both(
    u: &mut Unstructured<'_>,
    sides: Sides,
    make: fn(&mut Unstructured<'_>, usize) -> Result<Value>,
) -> Result<[Value; 2]> {
    let before = make(u, 3)?;
    Ok(match sides {
        Sides::Both => {
            let after = changed(u, &before)?;
            let is_whole = !after.is_null() && after.is_object() == before.is_object();
            [before, if is_whole { after } else { json!({}) }]
        }
        Sides::After => [Value::Null, before],
        Sides::Before => [before, Value::Null],
        Sides::Same => [before.clone(), before],
        Sides::None => [Value::Null, Value::Null],
    })
}

fn change(u: &mut Unstructured<'_>, actions: &[&str], sides: Sides) -> Result<Value> {
    let sides = both(u, sides, object)?;
    marked(u, json!(actions), sides)
}

/// A change with random overlays.
fn marked(
    u: &mut Unstructured<'_>,
    actions: Value,
    [before, mut after]: [Value; 2],
) -> Result<Value> {
    let is_known = after.is_null() || actions == json!(["no-op"]);
    let mut unknown = if is_known { json!({}) } else { overlay(u, &after, 4)? };
    if !is_known && u.ratio(1, 3)? {
        unknown["computed"] = json!(true);
    }
    hide(&mut after, &unknown);
    let mut marks = [overlay(u, &before, 6)?, overlay(u, &after, 6)?];
    for (key, mark) in unknown.as_object().into_iter().flatten() {
        if *mark == json!(true) && u.ratio(1, 6)? {
            marks[1][key] = json!(true);
        }
    }
    let mut change = json!({
        "actions": actions, "before": before, "after": after, "after_unknown": unknown,
        "before_sensitive": marks[0], "after_sensitive": marks[1],
    });
    for (key, overlay) in [("before", "before_sensitive"), ("after", "after_sensitive")] {
        if change[key].is_null() {
            change[overlay] = json!(false);
        } else if u.ratio(1, 8)? {
            change[overlay]["secret"] = json!(true);
        }
    }
    fit(&mut change);
    Ok(change)
}

/// Marks a place as a whole if something in it is unknown, and the other side has another kind of
/// value there. The tools write no such overlays for attributes with a schema.
fn fit(change: &mut Value) {
    for (key, other) in [("before_sensitive", "after"), ("after_sensitive", "before")] {
        let mut mark = change[key].take();
        fit_to(&mut mark, &change[other], &change["after_unknown"]);
        change[key] = mark;
    }
}

fn fit_to(mark: &mut Value, other: &Value, unknown: &Value) {
    let kind = |it: &Value| (it.is_object(), it.is_array());
    let is_other = !other.is_null() && kind(other) != kind(mark);
    if kind(mark) != (false, false) && is_other && unknown.to_string().contains("true") {
        *mark = json!(true);
    }
    match mark {
        Value::Object(marks) => {
            marks.iter_mut().for_each(|(key, mark)| fit_to(mark, &other[key], &unknown[key]));
        }
        Value::Array(marks) => {
            let marks = marks.iter_mut().enumerate();
            marks.for_each(|(index, mark)| fit_to(mark, &other[index], &unknown[index]));
        }
        _ => {}
    }
}

/// Removes the unknown members of a value, and replaces its unknown elements with `null`.
fn hide(value: &mut Value, unknown: &Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, _| unknown[key] != json!(true));
            members.iter_mut().for_each(|(key, inner)| hide(inner, &unknown[key]));
        }
        Value::Array(elements) => {
            for (index, inner) in elements.iter_mut().enumerate() {
                match unknown[index] == json!(true) {
                    true => *inner = Value::Null,
                    false => hide(inner, &unknown[index]),
                }
            }
        }
        _ => {}
    }
}

/// An overlay as the tools write it, with one mark for each `rarity` values.
fn overlay(u: &mut Unstructured<'_>, value: &Value, rarity: u8) -> Result<Value> {
    let mark = |u: &mut Unstructured<'_>, inner: &Value| match u.ratio(1, rarity)? {
        true => Ok(json!(true)),
        false => overlay(u, inner, rarity),
    };
    Ok(match value {
        Value::Array(elements) => {
            elements.iter().map(|inner| mark(u, inner)).collect::<Result<Value>>()?
        }
        Value::Object(members) => {
            let mut marks = Map::new();
            for (key, inner) in members {
                let mark = mark(u, inner)?;
                if mark != json!(false) {
                    marks.insert(key.clone(), mark);
                }
            }
            Value::Object(marks)
        }
        _ => json!(false),
    })
}

fn deferred(u: &mut Unstructured<'_>) -> Result<Value> {
    let reason = *u.choose(&["unknown", "deferred_prereq"])?;
    Ok(json!({"reason": reason, "resource_change": resource_change(u)?}))
}

fn deferred_invocation(u: &mut Unstructured<'_>) -> Result<Value> {
    let reason = *u.choose(&["unknown", "deferred_prereq"])?;
    Ok(json!({"reason": reason, "action_invocation": invocation(u)?}))
}

fn invocation(u: &mut Unstructured<'_>) -> Result<Value> {
    let address = *u.choose(&["action.a.b", r#"action.a.b["k"]"#])?;
    let mut element = json!({"address": address, "type": "a", "name": "b"});
    if u.ratio(3, 4)? {
        element["lifecycle_action_trigger"] = json!({
            "triggering_resource_address": u.choose(&["a.b", "b.d"])?,
            "action_trigger_event": u.choose(&["BeforeCreate", "AfterUpdate"])?,
            "action_trigger_block_index": 0, "actions_list_index": 0,
        });
    } else {
        element["invoke_action_trigger"] = json!({});
    }
    let mut values = object(u, 2)?;
    element["config_sensitive"] = overlay(u, &values, 6)?;
    let unknown = overlay(u, &values, 6)?;
    hide(&mut values, &unknown);
    element["config_values"] = values;
    element["config_unknown"] = unknown;
    Ok(element)
}

fn check(u: &mut Unstructured<'_>) -> Result<Value> {
    let name = *u.choose(&["check.one", "check.two", "output.three"])?;
    let status = *u.choose(&["pass", "fail", "error", "unknown"])?;
    let problems = if status == "fail" { u.int_in_range(0..=2)? } else { 0 };
    let problems: Vec<Value> = (0..problems)
        .map(|_| Ok(json!({"message": u.choose(&["one", "two"])?})))
        .collect::<Result<_>>()?;
    let mut instance = json!({"address": {"to_display": name}, "status": status});
    if !problems.is_empty() {
        instance["problems"] = problems.into();
    }
    Ok(json!({
        "address": {"kind": "check", "to_display": name}, "status": status,
        "instances": [instance],
    }))
}

fn resource(u: &mut Unstructured<'_>) -> Result<Value> {
    let (address, type_name) = *u.choose(&ADDRESSES)?;
    let values = object(u, 3)?;
    let marks = overlay(u, &values, 6)?;
    let mut resource = json!({
        "address": address, "mode": "managed", "type": type_name, "name": "n",
        "values": values, "sensitive_values": marks,
    });
    if u.ratio(1, 6)? {
        resource["deposed_key"] = json!("00000001");
    }
    Ok(resource)
}

/// A random value.
pub fn any(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match u.int_in_range(0..=if depth == 0 { 5 } else { 8 })? {
        0..=5 => scalar(u)?,
        6 => (0..u.int_in_range(0..=3)?).map(|_| any(u, depth - 1)).collect::<Result<Value>>()?,
        _ => object(u, depth)?,
    })
}

/// A random scalar.
pub fn scalar(u: &mut Unstructured<'_>) -> Result<Value> {
    Ok(serde_json::from_str(u.choose(&SCALARS)?).expect("a scalar"))
}

/// A random object.
fn object(u: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let mut members = Map::new();
    for key in KEYS {
        if u.ratio(1, 2)? {
            members.insert(key.to_owned(), any(u, depth.saturating_sub(1))?);
        }
    }
    Ok(Value::Object(members))
}

/// A value with a few changes.
pub fn changed(u: &mut Unstructured<'_>, value: &Value) -> Result<Value> {
    if u.ratio(1, 5)? {
        return any(u, 1);
    }
    Ok(match value {
        Value::Array(elements) => {
            let mut elements =
                elements.iter().map(|inner| changed(u, inner)).collect::<Result<Vec<_>>>()?;
            match u.int_in_range(0..=5)? {
                0 => drop(elements.pop()),
                1 => elements.push(any(u, 1)?),
                _ => {}
            }
            elements.into()
        }
        Value::Object(members) => {
            let mut kept = Map::new();
            for (key, inner) in members {
                if !u.ratio(1, 8)? {
                    kept.insert(key.clone(), changed(u, inner)?);
                }
            }
            Value::Object(kept)
        }
        other => other.clone(),
    })
}
