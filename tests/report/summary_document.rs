//! The JSON summary: its schema accepts it, it is never longer than its budget, and it says what it
//! leaves out.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{fit, folder, write};
use crate::{corpus, run};

/// The summary of some inputs, checked against the schema.
pub(super) fn summary(args: &[&str], code: i32) -> (Value, usize) {
    let output = run::plansift()
        .args(["summary", "--format", "json", "-q"])
        .args(args)
        .current_dir(run::root())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let schema = schema();
    jsonschema::draft202012::meta::validate(&schema).expect("a schema of its draft");
    if let Err(error) = jsonschema::validator_for(&schema).expect("a schema").validate(&document) {
        panic!("{args:?}: {error}: {document}");
    }
    (document, output.stdout.len())
}

fn schema() -> Value {
    let output = run::plansift().args(["schema", "--of", "summary"]).output().expect("it runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn list<'d>(document: &'d Value, name: &str) -> &'d [Value] {
    document[name].as_array().unwrap_or_else(|| panic!("{name}: {document}"))
}

#[test]
fn a_json_summary_says_what_a_plan_loses_and_counts() {
    let (document, _) = summary(&["corpus/plans/rich/plan.json"], 0);
    assert_eq!(document["totals"]["terraform"]["destroy"], 13);
    assert_eq!(document["terraform_version"], "1.15.0");
    let losses = list(&document, "losses");
    assert_eq!(losses.len(), 15);
    assert_eq!(losses[0]["address"], "module.database.aws_db_instance.replica[0]");
    assert_eq!(losses[0]["replace_paths"][0], "availability_zone");
    assert!(losses[0]["holds_data"] == true && losses[1].get("holds_data").is_none());
    let actions: Vec<&str> = losses.iter().filter_map(|loss| loss["action"].as_str()).collect();
    assert_eq!(actions[1..7], ["delete"; 6]);
    assert_eq!(actions[13..], ["forget"; 2]);
    assert_eq!(list(&document, "warnings").len(), 2);
    assert!(document.get("left_out").is_none(), "{document}");
    let (document, _) = summary(&["--top", "3", "corpus/plans/rich/plan.json"], 0);
    for name in ["losses", "types", "modules", "actions"] {
        assert_eq!(list(&document, name).len(), 3, "{name}");
    }
    assert_eq!(document["left_out"]["losses"], 12);
}

#[test]
fn every_key_of_the_schema_occurs_and_every_plan_fits_the_smallest_budget() {
    let mut keys = BTreeSet::new();
    for case in corpus::cases() {
        let path = case.plan.to_string_lossy().into_owned();
        let (document, length) = summary(&["--max-bytes", "2000", &path], 0);
        assert!(length <= 2000, "{path}: {length}");
        note_keys(&document, &mut keys);
    }
    let many: Vec<String> = (0..300).map(|number| format!("update[{number}].json")).collect();
    let plans = folder(&["rich", "deposed", "moved"], &[("cut.json", "{")]);
    let path = plans.path().to_string_lossy().into_owned();
    let (document, _) = summary(&[&path], 4);
    note_keys(&document, &mut keys);
    for name in &many {
        write(&plans, name, "{");
    }
    let (document, length) = summary(&["--max-tokens", "500", &path], 4);
    assert!(length <= 2000 && document["left_out"]["failures"].as_u64() > Some(200), "{document}");
    note_keys(&document, &mut keys);
    for name in ["losses", "failures", "warnings", "types", "modules", "actions", "left_out"] {
        assert!(keys.contains(name), "{name}");
    }
    for name in ["plan", "deposed", "reason", "replace_paths", "holds_data", "ask", "error"] {
        assert!(keys.contains(name), "{name}");
    }
}

fn note_keys(value: &Value, keys: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            keys.insert(key.clone());
            note_keys(value, keys);
        }),
        Value::Array(items) => items.iter().for_each(|item| note_keys(item, keys)),
        _ => {}
    }
}

#[test]
fn a_json_summary_stays_within_its_budget() {
    let plans = fit::plans();
    let folder = tempfile::tempdir().expect("a folder");
    for (name, plan) in &plans {
        write(&folder, &format!("{name}.json"), plan);
    }
    let path = folder.path().to_string_lossy().into_owned();
    let (whole, _) = summary(&[&path], 0);
    let lost = |document: &Value| list(document, "losses").len() as u64;
    let more = |document: &Value| document["left_out"]["losses"].as_u64().unwrap_or(0);
    let all = lost(&whole) + more(&whole);
    for max in [2000, 2001, 2500, 4000, 10_000, 100_000_u64] {
        let (document, length) = summary(&["--max-bytes", &max.to_string(), &path], 0);
        assert!(length as u64 <= max, "{length} of {max}");
        assert_eq!(lost(&document) + more(&document), all, "{max}");
        assert!(lost(&document) > 0 && length as u64 > max / 2, "{max}: {document}");
        assert_eq!(document["totals"], whole["totals"]);
    }
}

#[test]
fn a_json_summary_refuses_what_it_cannot_do() {
    for (args, words) in [
        (&["--max-bytes", "4000"][..], "add --format json"),
        (&["--format", "json", "--max-bytes", "100"], "expected a number from 2000"),
        (&["--format", "json", "--sort", "add"], "leave out --format json"),
        (&["--format", "json", "--group-by", "type"], "leave out --format json"),
    ] {
        let mut command = run::plansift();
        command.arg("summary").args(args).arg("corpus/plans/rich/plan.json");
        let output = command.current_dir(run::root()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(64) && said.contains(words), "{args:?}: {said}");
    }
}
