//! Reads the checks of vectors.

use std::collections::BTreeMap;

use plansift::known::{Comparer, Data, KnownValue, Regexp};
use plansift::path::{AttributePath, AttributeStep};
use plansift::plancheck::{AttributeAddress, PlanCheck, StateCheck};
use plansift::wire::Number;
use serde_json::Value as Json;

fn text(value: &Json) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}")).to_owned()
}

pub fn path(steps: &Json) -> AttributePath {
    let steps = steps.as_array().unwrap_or_else(|| panic!("a path: {steps}"));
    let step = |step: &Json| match step {
        Json::String(key) => AttributeStep::Key(key.clone()),
        _ => AttributeStep::Index(step.as_i64().expect("an index")),
    };
    steps.iter().map(step).collect()
}

/// The check of a plan that a vector asks.
pub fn plan_check(vector: &Json) -> PlanCheck {
    let args = &vector["args"];
    let address = || text(&args["address"]);
    let output = || text(&args["output"]);
    let optional = || args.get("path").map(path);
    match vector["check"].as_str().expect("a check") {
        "ExpectEmptyPlan" => PlanCheck::EmptyPlan,
        "ExpectNonEmptyPlan" => PlanCheck::NonEmptyPlan,
        "ExpectNoDeferredChanges" => PlanCheck::NoDeferredChanges,
        "ExpectResourceAction" => {
            PlanCheck::ResourceAction { address: address(), action: text(&args["action"]) }
        }
        "ExpectUnknownValue" => {
            PlanCheck::UnknownValue { address: address(), path: path(&args["path"]) }
        }
        "ExpectSensitiveValue" => {
            PlanCheck::SensitiveValue { address: address(), path: path(&args["path"]) }
        }
        "ExpectKnownValue" => PlanCheck::KnownValue {
            address: address(),
            path: path(&args["path"]),
            check: known_value(&args["value"]),
        },
        "ExpectDeferredChange" => {
            PlanCheck::DeferredChange { address: address(), reason: text(&args["reason"]) }
        }
        "ExpectUnknownOutputValue" | "ExpectUnknownOutputValueAtPath" => {
            PlanCheck::UnknownOutputValue { output: output(), path: optional() }
        }
        "ExpectNullOutputValue" | "ExpectNullOutputValueAtPath" => {
            PlanCheck::NullOutputValue { output: output(), path: optional() }
        }
        "ExpectKnownOutputValue" | "ExpectKnownOutputValueAtPath" => PlanCheck::KnownOutputValue {
            output: output(),
            path: optional(),
            check: known_value(&args["value"]),
        },
        other => panic!("another check: {other}"),
    }
}

/// The check of a state that a vector asks; `None` if it asks about a plan.
pub fn state_check(vector: &Json) -> Option<StateCheck> {
    let args = &vector["args"];
    let is_of_state = vector.get("state").is_some()
        || vector["id"].as_str().is_some_and(|id| id.starts_with("t-"));
    if !is_of_state {
        return None;
    }
    let place = || AttributeAddress { address: text(&args["address"]), path: path(&args["path"]) };
    let numbered = |number: &str| AttributeAddress {
        address: text(&args[format!("address_{number}")]),
        path: path(&args[format!("path_{number}")]),
    };
    let comparer = || match args["comparer"].as_str() {
        Some("values_same") => Comparer::Same,
        _ => Comparer::Differ,
    };
    Some(match vector["check"].as_str().expect("a check") {
        "ExpectKnownValue" => {
            StateCheck::KnownValue { attribute: place(), check: known_value(&args["value"]) }
        }
        "ExpectKnownOutputValue" | "ExpectKnownOutputValueAtPath" => StateCheck::KnownOutputValue {
            output: text(&args["output"]),
            path: args.get("path").map(path),
            check: known_value(&args["value"]),
        },
        "ExpectSensitiveValue" => StateCheck::SensitiveValue { attribute: place() },
        "ExpectIdentity" => StateCheck::Identity {
            address: text(&args["address"]),
            identity: members(&args["identity"]),
        },
        "ExpectIdentityValue" => {
            StateCheck::IdentityValue { attribute: place(), check: known_value(&args["value"]) }
        }
        "ExpectIdentityValueMatchesState" => {
            StateCheck::IdentityValueMatchesState { attribute: place() }
        }
        "ExpectIdentityValueMatchesStateAtPath" => StateCheck::IdentityValueMatchesStateAtPath {
            address: text(&args["address"]),
            identity_path: path(&args["identity_path"]),
            state_path: path(&args["state_path"]),
        },
        "CompareValue" => {
            let values = args["values"].as_array().expect("values").iter().map(|value| {
                AttributeAddress { address: text(&value["address"]), path: path(&value["path"]) }
            });
            StateCheck::CompareValue { comparer: comparer(), values: values.collect() }
        }
        "CompareValuePairs" => StateCheck::CompareValuePairs {
            comparer: comparer(),
            one: numbered("one"),
            two: numbered("two"),
        },
        "CompareValueCollection" => {
            let paths = args["collection_path"].as_array().expect("paths");
            StateCheck::CompareValueCollection {
                comparer: comparer(),
                address: text(&args["address_one"]),
                collection_path: paths.iter().map(path).collect(),
                value: numbered("two"),
            }
        }
        other => panic!("another check: {other}"),
    })
}

/// The check of a known value: an object with one key.
pub fn known_value(check: &Json) -> KnownValue {
    let check = check.as_object().expect("a check");
    let (name, value) = check.iter().next().expect("a check");
    let size = || value.as_i64().expect("a size");
    match name.as_str() {
        "bool" => KnownValue::Bool(value.as_bool().expect("a boolean")),
        "null" => KnownValue::Null,
        "not_null" => KnownValue::NotNull,
        "string_exact" => KnownValue::StringExact(text(value)),
        "string_regexp" => {
            let regexp = Regexp::new(&text(value));
            KnownValue::StringRegexp(regexp.unwrap_or_else(|error| panic!("{value}: {error}")))
        }
        "int32_exact" => KnownValue::Int32Exact(text(value).parse().expect("an integer")),
        "int64_exact" => KnownValue::Int64Exact(text(value).parse().expect("an integer")),
        "float32_exact" => KnownValue::Float32Exact(text(value).parse().expect("a float")),
        "float64_exact" => KnownValue::Float64Exact(text(value).parse().expect("a float")),
        "number_exact" if value.is_null() => KnownValue::NumberExact(None),
        "number_exact" => {
            let precision = match value["prec"].as_u64().expect("a precision") {
                0 => 64,
                precision => precision,
            };
            let number = Number::parse_at(text(&value["value"]).as_bytes(), precision);
            KnownValue::NumberExact(Some(number.expect("a number")))
        }
        "list_exact" => KnownValue::ListExact(list(value)),
        "tuple_exact" => KnownValue::TupleExact(list(value)),
        "set_exact" => KnownValue::SetExact(list(value)),
        "set_partial" => KnownValue::SetPartial(list(value)),
        "list_partial" => KnownValue::ListPartial(indices(value)),
        "tuple_partial" => KnownValue::TuplePartial(indices(value)),
        "map_exact" => KnownValue::MapExact(members(value)),
        "map_partial" => KnownValue::MapPartial(members(value)),
        "object_exact" => KnownValue::ObjectExact(members(value)),
        "object_partial" => KnownValue::ObjectPartial(members(value)),
        "list_size_exact" => KnownValue::ListSizeExact(size()),
        "set_size_exact" => KnownValue::SetSizeExact(size()),
        "tuple_size_exact" => KnownValue::TupleSizeExact(size()),
        "map_size_exact" => KnownValue::MapSizeExact(size()),
        other => panic!("another check: {other}"),
    }
}

fn list(checks: &Json) -> Vec<KnownValue> {
    checks.as_array().expect("checks").iter().map(known_value).collect()
}

fn indices(checks: &Json) -> BTreeMap<i64, KnownValue> {
    let checks = checks.as_object().expect("checks").iter();
    checks.map(|(index, check)| (index.parse().expect("an index"), known_value(check))).collect()
}

fn members(checks: &Json) -> BTreeMap<String, KnownValue> {
    let checks = checks.as_object().expect("checks").iter();
    checks.map(|(key, check)| (key.clone(), known_value(check))).collect()
}

/// A value as JSON with sorted keys and the text of numbers.
pub fn canonical(data: Data<'_>) -> plansift::Result<Json> {
    if let Some(members) = data.members()? {
        let members = members.into_iter().map(|(key, data)| Ok((key, canonical(data)?)));
        return members.collect::<plansift::Result<_>>().map(Json::Object);
    }
    if let Some(elements) = data.elements()? {
        let elements = elements.into_iter().map(canonical);
        return elements.collect::<plansift::Result<_>>().map(Json::Array);
    }
    if let Some(number) = data.number()? {
        return Ok(Json::Number(serde_json::from_str(&number).expect("a number")));
    }
    let text = data.string()?.map(Json::String);
    Ok(text.or(data.boolean().map(Json::Bool)).unwrap_or(Json::Null))
}
