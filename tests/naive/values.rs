//! The oracle for what a document holds: its resources, outputs, variables and checks as records
//! (docs/format/records.md, section 12), from a tree of values.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{Path, elements, given, marked, members, text};

/// The keys of values at the top of a document, and their sections.
const SECTIONS: [&str; 3] = ["planned_values", "prior_state", "values"];

/// The records of all resources in one of the sections `planned_values`, `prior_state`, `values`.
pub fn resources(document: &Value, section: &str, show_all: bool) -> Vec<Value> {
    assert!(SECTIONS.contains(&section));
    let mut found = Vec::new();
    let root = root_of(document, section);
    collect(&root["root_module"], None, &mut |resource, module| {
        let is_shown = show_all || matches!(resource["mode"].as_str(), None | Some("managed"));
        let is_forgotten = section == "planned_values"
            && given(resource, "values").is_none()
            && resource["sensitive_values"] == json!(false);
        if is_shown && !is_forgotten {
            found.push(self::resource(resource, module, section));
        }
    });
    found
}

/// The values in a section.
fn root_of<'d>(document: &'d Value, section: &str) -> &'d Value {
    match section {
        "prior_state" => &document["prior_state"]["values"],
        section => &document[section],
    }
}

/// Calls `each` with every resource below a module and the address of its module, in the order of
/// the document.
fn collect<'d>(
    module: &'d Value,
    address: Option<&'d str>,
    each: &mut impl FnMut(&'d Value, Option<&'d str>),
) {
    for (key, value) in members(module) {
        match key.as_str() {
            "resources" => elements(value).for_each(|resource| each(resource, address)),
            "child_modules" => {
                elements(value).for_each(|child| collect(child, child["address"].as_str(), each));
            }
            _ => {}
        }
    }
}

fn resource(resource: &Value, module: Option<&str>, section: &str) -> Value {
    let mut record = Map::new();
    record.insert("kind".into(), "resource".into());
    record.insert("section".into(), section.into());
    record.insert("address".into(), resource["address"].clone());
    // Terraform 0.12 writes addresses in states relative to their module.
    let address = resource["address"].as_str().unwrap_or_default();
    let module = module.filter(|module| address.starts_with(&format!("{module}.")));
    record.extend(module.map(|module| ("module_address".to_owned(), module.into())));
    for (key, to) in [
        ("mode", "mode"),
        ("type", "type"),
        ("name", "name"),
        ("index", "index"),
        ("deposed_key", "deposed"),
        ("provider_name", "provider_name"),
        ("schema_version", "schema_version"),
    ] {
        let value = given(resource, key).filter(|value| to != "deposed" || **value != json!(""));
        record.extend(value.map(|value| (to.to_owned(), value.clone())));
    }
    if resource["tainted"] == json!(true) {
        record.insert("tainted".into(), true.into());
    }
    if elements(&resource["depends_on"]).next().is_some() {
        record.insert("depends_on".into(), resource["depends_on"].clone());
    }
    let mut places = BTreeSet::new();
    marked(&resource["sensitive_values"], &mut Path::new(), &mut places);
    if !places.is_empty() {
        let places: Vec<Value> = places.iter().map(|path| text(path).into()).collect();
        record.insert("sensitive".into(), places.into());
    }
    if given(resource, "identity").is_some() {
        record.insert("identity".into(), true.into());
    }
    record.into()
}

/// The records of all outputs in a section, without their values.
pub fn outputs(document: &Value, section: &str) -> Vec<Value> {
    let outputs = members(&root_of(document, section)["outputs"]);
    let record = |(name, output): (&String, &Value)| {
        let is_sensitive = output["sensitive"] == json!(true);
        let mut record = Map::new();
        record.insert("kind".into(), "output".into());
        record.insert("section".into(), section.into());
        record.insert("name".into(), name.clone().into());
        // The names of attributes are part of the secret.
        let type_name = given(output, "type");
        let type_name = type_name.filter(|it| !(is_sensitive && it.to_string().contains('{')));
        record.extend(type_name.map(|it| ("type".to_owned(), it.clone())));
        record.insert("sensitive".into(), is_sensitive.into());
        if section == "planned_values" && output.get("value").is_none() {
            record.insert("unknown".into(), true.into());
        }
        record.extend(given(output, "deprecated").map(|it| ("deprecated".to_owned(), it.clone())));
        record.into()
    };
    outputs.map(record).collect()
}

/// The records of all variables, without their values.
pub fn variables(document: &Value) -> Vec<Value> {
    let declared = &document["configuration"]["root_module"]["variables"];
    let values = members(&document["variables"]).map(|(name, _)| name);
    let mut names: Vec<&String> = values.collect();
    let mut others: Vec<&String> = members(declared).map(|(name, _)| name).collect();
    others.retain(|name| !names.contains(name));
    others.sort();
    names.extend(others);
    let record = |name: &String| {
        let declared = &declared[name];
        let is_true = |key: &str| declared[key] == json!(true);
        let mut record = Map::new();
        record.insert("kind".into(), "variable".into());
        record.insert("name".into(), name.clone().into());
        record.extend(given(declared, "type").map(|it| ("type".to_owned(), it.clone())));
        let has_declaration = !declared.is_null();
        if has_declaration {
            record.insert("sensitive".into(), is_true("sensitive").into());
        }
        for key in ["ephemeral", "required"] {
            if is_true(key) {
                record.insert(key.into(), true.into());
            }
        }
        if has_declaration {
            record.insert("default".into(), declared.get("default").is_some().into());
        }
        for key in ["description", "deprecated"] {
            record.extend(given(declared, key).map(|it| (key.to_owned(), it.clone())));
        }
        record.into()
    };
    names.into_iter().map(record).collect()
}

/// The records of all checks.
pub fn checks(document: &Value) -> Vec<Value> {
    let record = |check: &Value| {
        let address = &check["address"];
        let mut record = Map::new();
        record.insert("kind".into(), "check".into());
        record.insert("address".into(), address["to_display"].clone());
        for (key, to) in [
            ("kind", "check_kind"),
            ("module", "module"),
            ("mode", "mode"),
            ("type", "type"),
            ("name", "name"),
        ] {
            record.extend(given(address, key).map(|it| (to.to_owned(), it.clone())));
        }
        record.insert("status".into(), check["status"].clone());
        let instances = elements(&check["instances"]).filter(|instance| !instance.is_null());
        let instances: Vec<Value> = instances.map(instance).collect();
        if !instances.is_empty() {
            record.insert("instances".into(), instances.into());
        }
        record.into()
    };
    elements(&document["checks"]).map(record).collect()
}

fn instance(instance: &Value) -> Value {
    let address = &instance["address"];
    let mut record = Map::new();
    record.extend(given(address, "to_display").map(|it| ("address".to_owned(), it.clone())));
    for key in ["instance_key", "module"] {
        record.extend(given(address, key).map(|it| (key.to_owned(), it.clone())));
    }
    record.extend(given(instance, "status").map(|it| ("status".to_owned(), it.clone())));
    let problems = elements(&instance["problems"]).filter_map(|problem| given(problem, "message"));
    let problems: Vec<Value> = problems.cloned().collect();
    if !problems.is_empty() {
        record.insert("problems".into(), problems.into());
    }
    record.into()
}
