//! The JSON report: its schema accepts it, and every key of the schema occurs for some plan.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{folder, report, report_on};
use crate::{corpus, run};

fn schema() -> Value {
    let output = run::plansift().args(["schema", "--of", "fleet"]).output().expect("it runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Returns a report as JSON, which the schema accepts.
pub(super) fn valid(out: &str) -> Value {
    let schema = schema();
    jsonschema::draft202012::meta::validate(&schema).expect("a schema of its draft");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let document: Value = serde_json::from_str(out).expect("JSON");
    if let Err(error) = validator.validate(&document) {
        panic!("{error}: {document}");
    }
    document
}

/// An assertion that many plans fail.
const ASSERTION: &str =
    "- resource: '*'\n  optional: true\n  path: id\n  known: never\n  message: no\n";

/// The report on all plans of the corpus and on one file that is no plan.
fn corpus_report() -> Value {
    let mut args = vec!["-o".to_owned(), "json".to_owned(), "--fail-on".to_owned()];
    args.push("destroy \"Nothing goes.\"".to_owned());
    args.extend(corpus::cases().iter().map(|case| case.plan.to_string_lossy().into_owned()));
    args.push("Cargo.toml".to_owned());
    let assertions = folder(&[], &[("a.yaml", ASSERTION)]);
    args.extend(["--assert".to_owned(), assertions.path().join("a.yaml").display().to_string()]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let run = report(run::root(), &args, &[]);
    assert_eq!(run.code, Some(4), "{}", run.err);
    valid(&run.out)
}

#[test]
fn the_report_matches_its_schema() {
    let document = corpus_report();
    let plans = document["plans"].as_array().expect("plans");
    assert_eq!(plans.len(), corpus::cases().len() + 1);
    let totals = &document["totals"];
    let done: Vec<&Value> = plans.iter().filter(|plan| plan["status"] == "done").collect();
    for (key, pointer) in
        [("add", "/summary/terraform/add"), ("destroy", "/summary/terraform/destroy")]
    {
        let sum: u64 = done.iter().filter_map(|plan| plan.pointer(pointer)?.as_u64()).sum();
        assert_eq!(totals["terraform"][key].as_u64(), Some(sum), "{key}");
    }
    let broken: usize =
        done.iter().filter_map(|plan| plan["broken_rules"].as_array()).map(Vec::len).sum();
    assert_eq!(totals["broken_rules"].as_u64(), Some(broken as u64));
    assert_eq!(totals["plans"].as_u64(), Some(done.len() as u64));
    assert_eq!(totals["failed"].as_u64(), Some(1));
}

#[test]
fn every_key_of_the_schema_occurs() {
    let schema = schema();
    let mut described = BTreeSet::new();
    let mut waiting = vec![&schema];
    while let Some(value) = waiting.pop() {
        if let Some(properties) = value["properties"].as_object() {
            described.extend(properties.keys().cloned());
        }
        waiting.extend(value.as_object().into_iter().flat_map(|members| members.values()));
    }
    let (corpus, losses) = (corpus_report(), losses_report());
    let mut occurring = BTreeSet::new();
    let mut waiting = vec![&corpus, &losses];
    while let Some(value) = waiting.pop() {
        if let Some(members) = value.as_object() {
            occurring.extend(members.keys().cloned());
            waiting.extend(members.values());
        }
        waiting.extend(value.as_array().into_iter().flatten());
    }
    // Only a plan whose version stands behind long changes has this key in its summary. The plan is
    // named around its losses, and a deposed object has no dependents.
    let absent = ["format_version", "plan", "deposed"];
    let missing: Vec<&String> = described.difference(&occurring).collect();
    assert!(missing.iter().all(|key| absent.contains(&key.as_str())), "{missing:?}");
}

/// The number of resources that a plan loses in [`losses_report`].
const LOST: usize = 1002;

/// The report on a plan with more losses than a report lists, on which more depends than the search
/// follows.
fn losses_report() -> Value {
    let lost = |at: usize, kind: &str, more: &str| {
        format!(
            r#"{{"address":"{kind}.n{at}","type":"{kind}","name":"n{at}"{more},"change":
            {{"actions":["delete","create"],"replace_paths":[["x"]]}}}}"#
        )
    };
    let mut changes: Vec<String> = (0..LOST - 1).map(|at| lost(at, "t", "")).collect();
    let more = r#","previous_address":"t.before","action_reason":"replace_by_request""#;
    changes.push(lost(LOST, "aws_db_instance", more));
    changes.push(lost(LOST, "t", r#","deposed":"abc""#));
    let user = |at: usize| {
        let references = r#"{"references":["aws_db_instance.n1002","local.l"]}"#;
        format!(r#"{{"address":"t.n{at}","expressions":{{"x":{references}}}}}"#)
    };
    let users: Vec<String> = (0..LOST - 1).map(user).collect();
    let plan = format!(
        r#"{{"format_version":"1.2","resource_changes":[{}],
        "configuration":{{"root_module":{{"resources":[{}]}}}}}}"#,
        changes.join(","),
        users.join(",")
    );
    let folder = folder(&[], &[("plan.json", &plan)]);
    valid(&report_on(&["--impact", "-o", "json"], &folder.path().join("plan.json")))
}

#[test]
fn a_plan_lists_its_most_severe_losses_and_counts_the_others() {
    let document = losses_report();
    let plan = &document["plans"][0];
    let losses = plan["losses"].as_array().expect("losses");
    assert_eq!((losses.len(), &plan["losses_left_out"]), (1000, &2.into()));
    assert_eq!(losses[0]["address"], "aws_db_instance.n1002");
    assert_eq!(
        (&losses[0]["holds_data"], &losses[0]["moved_from"]),
        (&true.into(), &"t.before".into())
    );
    assert_eq!(losses[1]["address"], "t.n0");
    // Each resource has its own dependents.
    let impacts = [&losses[0]["impact"], &losses[1]["impact"]];
    assert_eq!(impacts.map(|it| it["count"].as_u64()), [Some(1000), Some(0)]);
}

#[test]
fn a_report_without_plans_is_a_document() {
    let folder = folder(&[], &[("a.json", "[]")]);
    let run = report(folder.path(), &["-o", "json", "a.json"], &[]);
    assert_eq!(run.code, Some(1));
    let document = valid(&run.out);
    assert_eq!(document["plans"].as_array().map(Vec::len), Some(1));
    assert_eq!(document["totals"]["plans"], 0);
}
