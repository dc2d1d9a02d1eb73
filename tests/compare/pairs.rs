//! Pairs of plans, and other texts of plans.

use arbitrary::{Result, Unstructured};
use serde_json::{Value, json};

use super::{Element, LISTS, any, changed, fit, identity, marked, overlay, plan, scalar};

/// Two plans with much in common.
pub fn pair(u: &mut Unstructured<'_>) -> Result<(Value, Value)> {
    let (old, other) = (plan(u)?, plan(u)?);
    if u.ratio(1, 6)? {
        return Ok((old, other));
    }
    let mut new = old.clone();
    for (key, _, each) in LISTS {
        let mut list = Vec::new();
        for element in old[key].as_array().into_iter().flatten() {
            match u.int_in_range(0..=7)? {
                0 => {}
                1 => list.push(renewed(u, element, each)?),
                2 | 3 => list.push(varied(u, element)?),
                _ => list.push(element.clone()),
            }
        }
        for element in other[key].as_array().into_iter().flatten() {
            if u.ratio(1, 6)? && list.iter().all(|it| identity(it) != identity(element)) {
                list.push(element.clone());
            }
        }
        new[key] = list.into();
    }
    let outputs = other["output_changes"].as_object().cloned().unwrap_or_default();
    for (name, change) in outputs {
        if u.ratio(1, 2)? {
            new["output_changes"][name] = change;
        }
    }
    for key in ["timestamp", "terraform_version", "applyable", "complete", "errored"] {
        if u.ratio(1, 4)? {
            new[key] = other[key].clone();
        }
    }
    Ok((old, new))
}

/// The part of an element that has its identity.
fn inner(element: &mut Value) -> &mut Value {
    let keys = ["resource_change", "action_invocation"];
    match keys.into_iter().find(|key| element.get(key).is_some()) {
        Some(key) => &mut element[key],
        None => element,
    }
}

/// Another element with the identity of an element.
fn renewed(u: &mut Unstructured<'_>, element: &Value, each: Element) -> Result<Value> {
    let mut renewed = each(u)?;
    let mut element = element.clone();
    let [from, to] = [&mut element, &mut renewed].map(|it| inner(it).as_object_mut());
    let (Some(from), Some(to)) = (from, to) else { return Ok(element) };
    let triggers = ["lifecycle_action_trigger", "invoke_action_trigger"];
    for key in ["address", "mode", "type", "deposed"].into_iter().chain(triggers) {
        to.remove(key);
        to.extend(from.remove(key).map(|value| (key.to_owned(), value)));
    }
    Ok(renewed)
}

/// A change that differs a little.
fn varied(u: &mut Unstructured<'_>, element: &Value) -> Result<Value> {
    let mut element = element.clone();
    let Some(change) = inner(&mut element).get_mut("change") else { return Ok(element) };
    match u.int_in_range(0..=3)? {
        0 => {
            let sides = [change["before"].clone(), changed(u, &change["after"])?];
            let is_kind = sides[1].is_object() && change["after"].is_object();
            if let (Value::Object(change), true) = (&mut *change, is_kind) {
                let actions = change["actions"].clone();
                let marked = marked(u, actions, sides)?;
                change.extend(marked.as_object().cloned().unwrap_or_default());
            }
        }
        1 => other_scalars(u, &mut change["after"])?,
        2 => {
            let Value::Object(unknown) = change["after_unknown"].take() else { return Ok(element) };
            let (is_known, unknown): (Vec<_>, Vec<_>) =
                unknown.into_iter().partition(|(_, mark)| *mark == json!(true));
            change["after_unknown"] = Value::Object(unknown.into_iter().collect());
            for (key, _) in is_known {
                change["after"][key] = any(u, 2)?;
            }
        }
        _ => {
            for [value, mark] in [["before", "before_sensitive"], ["after", "after_sensitive"]] {
                if change[value].is_object() {
                    change[mark] = overlay(u, &change[value], 6)?;
                }
            }
        }
    }
    fit(change);
    Ok(element)
}

/// Replaces some scalars.
fn other_scalars(u: &mut Unstructured<'_>, value: &mut Value) -> Result<()> {
    match value {
        Value::Array(elements) => elements.iter_mut().try_for_each(|inner| other_scalars(u, inner)),
        Value::Object(members) => {
            members.iter_mut().try_for_each(|(_, inner)| other_scalars(u, inner))
        }
        // An unknown element stays `null`.
        Value::Null => Ok(()),
        _ if u.ratio(1, 4)? => scalar(u).map(|other| *value = other),
        _ => Ok(()),
    }
}

/// Another text of a document: other white space, and another order of keys and elements.
pub fn reformatted(u: &mut Unstructured<'_>, document: &Value) -> Result<String> {
    let mut document = document.clone();
    for (key, ..) in LISTS {
        if let Some(Value::Array(elements)) = document.get_mut(key) {
            shuffle(u, elements)?;
        }
    }
    reorder(u, &mut document)?;
    let text = match u.ratio(1, 2)? {
        true => serde_json::to_string(&document),
        false => serde_json::to_string_pretty(&document),
    };
    Ok(text.expect("a tree is JSON"))
}

fn shuffle<T>(u: &mut Unstructured<'_>, list: &mut [T]) -> Result<()> {
    for last in (1..list.len()).rev() {
        list.swap(last, u.choose_index(last + 1)?);
    }
    Ok(())
}

/// Shuffles the keys of a value.
fn reorder(u: &mut Unstructured<'_>, value: &mut Value) -> Result<()> {
    match value {
        Value::Array(elements) => elements.iter_mut().try_for_each(|inner| reorder(u, inner)),
        Value::Object(members) => {
            let mut list: Vec<_> = std::mem::take(members).into_iter().collect();
            shuffle(u, &mut list)?;
            for (key, mut inner) in list {
                reorder(u, &mut inner)?;
                members.insert(key, inner);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// One plan of several. The addresses of each plan get a prefix.
#[allow(dead_code, reason = "the fuzz targets have small plans")]
pub fn merged<'p>(plans: impl Iterator<Item = &'p Value>) -> Value {
    let mut merged = json!({"format_version": "1.2", "output_changes": {}});
    for (number, plan) in plans.enumerate() {
        let prefix = format!("module.p{number}.");
        for (key, ..) in LISTS {
            let mut list = merged[key].as_array().cloned().unwrap_or_default();
            for element in plan[key].as_array().into_iter().flatten() {
                let mut element = element.clone();
                let named = match inner(&mut element) {
                    check if key == "checks" => &mut check["address"],
                    element => element,
                };
                for key in ["address", "previous_address", "to_display"] {
                    if let Some(Value::String(address)) = named.get_mut(key) {
                        address.insert_str(0, &prefix);
                    }
                }
                list.push(element);
            }
            merged[key] = list.into();
        }
        for (name, change) in plan["output_changes"].as_object().into_iter().flatten() {
            merged["output_changes"][prefix.clone() + name] = change.clone();
        }
    }
    merged
}
