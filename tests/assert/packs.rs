//! The packs of assertions: each assertion judges a dangerous change and a harmless one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use plansift::assertion::{Pack, Severity};
use plansift::record::UNKNOWN;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{assert_in, text};
use crate::run;

/// A case on each line: a pack, an assertion, and changes that fail it and that pass it. Each of
/// the two is one change or a list of changes.
const CASES: &str = include_str!("packs.ndjson");

/// The assertions that each plan fails, by the name of its file.
type Failed = BTreeMap<String, BTreeSet<String>>;

/// Checks a pack on plans.
fn failed(packs: &[&str], plans: &[(String, Value)]) -> Failed {
    let folder = TempDir::new().expect("a folder");
    for (name, plan) in plans {
        fs::write(folder.path().join(name), plan.to_string()).expect("a plan");
    }
    let packs = packs.iter().flat_map(|pack| ["--pack", pack]);
    let mut args: Vec<&str> = packs.chain(["--quiet", "-f", "ndjson"]).collect();
    args.extend(plans.iter().map(|(name, _)| name.as_str()));
    let run = assert_in(folder.path(), &args);
    let records = text(&run.stdout);
    let records = records.lines().map(|line| serde_json::from_str(line).expect("a record"));
    let failed = records.filter(|record: &Value| record["passed"] == false);
    let mut found: Failed = plans.iter().map(|(name, _)| (name.clone(), BTreeSet::new())).collect();
    for record in failed {
        let part = |key: &str| record[key].as_str().expect("a text").to_owned();
        found.get_mut(&part("source")).expect("a plan").insert(part("name"));
    }
    found
}

/// The changes of a case that fail its assertion (`fails`), or that pass it (`passes`).
fn changes<'a>(case: &'a Value, kind: &str) -> &'a [Value] {
    match &case[kind] {
        Value::Array(changes) => changes,
        change => std::slice::from_ref(change),
    }
}

/// A plan with a change, and with the changes of other resources in `others`.
fn plan(change: &Value) -> Value {
    let mut plan = json!({
        "format_version": "1.2", "terraform_version": "1.14.0", "resource_changes": [],
        "resource_drift": [],
    });
    let others = change["others"].as_array().into_iter().flatten();
    for (number, change) in [change].into_iter().chain(others).enumerate() {
        let type_name = word(&change["type"]);
        let name = format!("x{number}");
        let element = json!({
            "address": format!("{type_name}.{name}"), "mode": "managed", "type": type_name,
            "name": name, "change": change,
        });
        let section = change["section"].as_str().unwrap_or("resource_changes");
        plan[section].as_array_mut().expect("a section").push(element);
    }
    plan
}

#[test]
fn each_assertion_fails_dangerous_changes_and_passes_harmless_ones() {
    let cases: Vec<Value> =
        CASES.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for pack in Pack::ALL {
        let cases: Vec<&Value> = cases.iter().filter(|case| case["pack"] == pack.name).collect();
        let names: Vec<&str> =
            cases.iter().map(|case| case["assertion"].as_str().expect("a text")).collect();
        let expected: Vec<String> = pack.assertions().into_iter().map(|it| it.name).collect();
        assert_eq!(names, expected, "the cases of {}", pack.name);
        let mut plans = Vec::new();
        // For each plan, its change, the name of the assertion, and whether it fails.
        let mut expected = Vec::new();
        for (case, name) in cases.iter().zip(&names) {
            for kind in ["fails", "passes"] {
                for change in changes(case, kind) {
                    let file = format!("{}.json", plans.len());
                    plans.push((file.clone(), plan(change)));
                    expected.push((file, change, *name, kind == "fails"));
                }
            }
        }
        let found = failed(&[pack.name], &plans);
        for (file, change, name, fails) in expected {
            let found = &found[&file];
            assert_eq!(found.contains(name), fails, "{name}: {change} fails {found:?}");
        }
    }
}

/// Longest text of a value in the manual, in characters.
const VALUE: usize = 60;

/// Describes a change of a case in one line: its type, its actions, and the members that differ.
fn told(change: &Value) -> String {
    let actions: Vec<&str> =
        change["actions"].as_array().expect("actions").iter().map(word).collect();
    let drift = if change.get("section").is_some() { ", as drift" } else { "" };
    let head = format!("`{}` {}{drift}", word(&change["type"]), actions.join(" then "));
    let side = |name: &str| change[name].as_object().cloned().unwrap_or_default();
    let (before, after, unknown) = (side("before"), side("after"), side("after_unknown"));
    let keys: BTreeSet<&String> = after.keys().chain(before.keys()).chain(unknown.keys()).collect();
    let value = |side: &serde_json::Map<String, Value>, key: &str| match side.get(key) {
        None => "null".to_owned(),
        Some(value) => value.to_string(),
    };
    let is_created = change["before"].is_null();
    let differs =
        |key: &&&String| unknown.contains_key(**key) || before.get(**key) != after.get(**key);
    let members = keys.iter().filter(differs).map(|key| {
        let new = if unknown.contains_key(*key) { UNKNOWN.to_owned() } else { value(&after, key) };
        let text = match is_created {
            true => format!("{key} = {new}"),
            false => format!("{key} = {} -> {new}", value(&before, key)),
        };
        let cut: String = text.chars().take(VALUE).collect();
        let end = if cut.len() < text.len() { "…" } else { "" };
        format!("`{cut}{end}`").replace('|', "\\|")
    });
    let members: Vec<String> = members.collect();
    let mut told = match members.is_empty() || change["after"].is_null() {
        true => head,
        false => format!("{head}: {}", members.join(", ")),
    };
    for other in change["others"].as_array().into_iter().flatten() {
        told += &format!("; with {}", told_whole(other));
    }
    told
}

/// Describes a resource that does not change.
fn told_whole(change: &Value) -> String {
    let mut created = change.clone();
    created["before"] = Value::Null;
    told(&created)
}

fn word(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// `UPDATE=1` in the environment writes the page.
#[test]
fn the_manual_lists_the_cases_of_the_packs() {
    let mut page = String::from(PAGE);
    let cases: Vec<Value> =
        CASES.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for pack in Pack::ALL {
        page += &format!("\n## {}\n\n| assertion | flagged | not flagged |\n", pack.name);
        page += "| --- | --- | --- |\n";
        let severities = pack.assertions().into_iter().map(|it| it.severity);
        let cases = cases.iter().filter(|case| case["pack"] == pack.name);
        for (case, severity) in cases.zip(severities) {
            let level = if severity == Severity::Warning { " (warning)" } else { "" };
            let [fails, passes] = ["fails", "passes"].map(|kind| told(&changes(case, kind)[0]));
            page += &format!("| {}{level} | {fails} | {passes} |\n", word(&case["assertion"]));
        }
    }
    let path = run::root().join("docs/labelled-changes.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).expect("the manual");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "{} is out of date: run this test with UPDATE=1", path.display());
}

/// The start of the page about the cases.
const PAGE: &str = "\
# Labelled changes

Each assertion of a [pack](commands/assert.md#packs) has a change that it flags, and a similar one
that it does not. The tests of plansift check all of them, and more changes of many assertions. An
assertion without `(warning)` has the severity `error`. After `with`, a line names another resource
of the plan. Long values are cut here.

On 68 labelled plans of another reviewer of AWS plans, the packs judge as follows.

| labelled | plans | flagged |
| --- | ---: | ---: |
| dangerous | 42 | 42 |
| harmless | 26 | 0 |
";

/// The types of a pack are no typos, even if a plan has types with similar names.
#[test]
fn packs_suggest_no_other_types() {
    let plan = run::corpus("plans/rich/plan.json");
    let mut command = run::plansift();
    command.arg("assert").arg(plan).args(Pack::ALL.iter().flat_map(|pack| ["--pack", pack.name]));
    let said = text(&command.output().expect("a run").stderr);
    assert!(!said.contains("did you mean"), "{said}");
}

/// The public cases of another tool's tests, in the reference folder.
#[test]
fn labelled_transitions_are_judged_as_their_labels_say() {
    let Some(shared) = run::shared() else { return };
    let cases = fs::read_to_string(shared.join("risk/cases.ndjson")).expect("cases");
    let cases: Vec<Value> =
        cases.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let id = |case: &Value| case["id"].as_str().expect("a text").to_owned();
    let plans = cases.iter().map(|case| (format!("{}.json", id(case)), case["plan"].clone()));
    let found = failed(&Pack::ALL.map(|pack| pack.name), &plans.collect::<Vec<_>>());
    let wrong: BTreeSet<String> = cases
        .iter()
        .filter(|case| {
            let is_flagged = !found[&format!("{}.json", id(case))].is_empty();
            case["dangerous"] != is_flagged
        })
        .map(id)
        .collect();
    assert!(cases.len() > 60, "{} cases", cases.len());
    assert_eq!(wrong, BTreeSet::new());
}
