//! The schema that `plansift schema` prints accepts every record and refuses anything else. Every
//! key of the schema occurs for some plan.

use std::collections::BTreeSet;
use std::path::Path;

use jsonschema::Validator;
use plansift::input::Slice;
use plansift::record::{RecordOptions, Show};
use serde_json::{Value, json};

use crate::{corpus, run, shared_plans};

/// Keys that every record of a kind has.
const REQUIRED: [(&str, &str); 9] = [
    ("plan", "kind schema_version source"),
    ("resource_change", "kind address action actions"),
    ("resource_drift", "kind action actions"),
    ("deferred_change", "kind address action actions"),
    ("output_change", "kind name action actions"),
    ("check", "kind address status"),
    ("action_invocation", "kind address"),
    ("relevant_attribute", "kind resource"),
    (
        "summary",
        "kind bytes resource_changes resource_drift output_changes deferred_changes terraform \
         moved checks",
    ),
];

/// The schema that the command prints.
fn schema() -> Value {
    let output = run::plansift().arg("schema").output().expect("the binary starts");
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).expect("a schema is JSON")
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::meta::validate(schema).expect("a schema of its draft");
    jsonschema::validator_for(schema).expect("a schema")
}

/// The records of a plan; empty if the plan is invalid.
fn records(plan: &Path, show: Show) -> Vec<Value> {
    let options = RecordOptions { show, ..RecordOptions::default() };
    corpus::open(plan)
        .and_then(|input| run::records(input, &options))
        .map_or_else(|_| Vec::new(), |(records, _)| records)
}

/// All records of every plan of the corpus.
fn corpus_records() -> Vec<Value> {
    corpus::cases().iter().flat_map(|case| records(&case.plan, Show::All)).collect()
}

/// The records of a plan whose versions stand behind more records than plansift keeps in memory.
fn late_version() -> Vec<Value> {
    let change = json!({"address": "a".repeat(1 << 20), "change": {"actions": ["create"]}});
    let plan = json!({
        "resource_changes": vec![change; 9],
        "format_version": "1.2",
        "terraform_version": "1.15.0",
    });
    let (records, _) = run::records(Slice(plan.to_string().as_bytes()), &RecordOptions::default())
        .expect("a plan");
    records
}

/// The records of two plans. With several inputs, a `plan` record has a workspace.
fn with_workspaces() -> Vec<Value> {
    let plan = |name: &str| run::root().join(format!("corpus/plans/{name}/plan.json"));
    let plans = ["update", "create"].map(plan);
    let output = run::plansift().arg("changes").args(plans).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

/// The records of a plan with every kind of change, with the places of their blocks.
fn with_sources() -> Vec<Value> {
    let run = run::plansift()
        .args(["changes", "--all", "--source", "corpus/sources"])
        .args(["corpus/plans/every-key/plan.json", "corpus/sources/plan.json"])
        .current_dir(run::root())
        .output()
        .expect("it runs");
    let text = String::from_utf8(run.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

/// The records of a plan with the blocks of its resources.
fn with_blocks() -> Vec<Value> {
    let change = r#"{"address":"module.m.a.b","module_address":"module.m","mode":"managed",
        "type":"a","name":"b","provider_name":"p","change":{"actions":["update"],
        "before":{"x":1},"after":{"x":2},"after_unknown":{}}}"#;
    let plan = format!(
        r#"{{"format_version":"1.2","resource_changes":[{change}],"resource_drift":[{change}],
        "deferred_changes":[{{"reason":"unknown","resource_change":{change}}}],
        "configuration":{{"provider_config":{{"module.m:p.x":{{"name":"p","alias":"x",
        "module_address":"module.m"}}}},"root_module":{{"module_calls":{{"m":{{"source":"./m",
        "version_constraint":"1.0","module":{{"resources":[{{"address":"a.b","mode":"managed",
        "type":"a","name":"b","provider_config_key":"module.m:p.x"}}]}}}}}}}}}}}}"#
    );
    let run = run::piped(&["changes", "--with-config"], plan.as_bytes());
    let text = String::from_utf8(run.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

/// The records of a plan with the attributes that it depends on.
fn with_relevant() -> Vec<Value> {
    let run = run::plansift()
        .args(["changes", "--relevant", "corpus/plans/rich/plan.json"])
        .current_dir(run::root())
        .output()
        .expect("it runs");
    let text = String::from_utf8(run.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

/// The records of a plan that fails an assertion.
fn with_failed_assertions() -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    file("plan.json", r#"{"format_version":"1.2","resource_changes":[]}"#);
    file("a.yaml", "- resource: a.b\n  action: update\n  message: Update it.\n");
    let mut batch = run::plansift();
    batch.args(["batch", "--assert", "a.yaml", "--out", "out", "plan.json"]);
    batch.current_dir(folder.path()).output().expect("it runs");
    let records = std::fs::read_dir(folder.path().join("out/records")).expect("a folder");
    let texts = records.map(|it| std::fs::read_to_string(it.expect("an entry").path()));
    let lines = texts.flat_map(|text| {
        let text = text.expect("records");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines.map(|line| serde_json::from_str(&line).expect("a record")).collect()
}

fn assert_all_valid(validator: &Validator, records: &[Value], plan: &Path) {
    for record in records {
        if let Err(error) = validator.validate(record) {
            panic!("{}: {error}\n{record}", plan.display());
        }
    }
}

#[test]
fn every_record_of_the_corpus_is_valid() {
    let validator = validator(&schema());
    for case in corpus::cases() {
        for show in [Show::Changes, Show::All] {
            let records = records(&case.plan, show);
            assert!(records.len() > 1, "{}", case.plan.display());
            assert_all_valid(&validator, &records, &case.plan);
        }
    }
    assert_all_valid(&validator, &late_version(), Path::new("a version that comes late"));
    assert_all_valid(&validator, &with_workspaces(), Path::new("one of several"));
    assert_all_valid(&validator, &with_sources(), Path::new("with sources"));
    assert_all_valid(&validator, &with_blocks(), Path::new("with blocks"));
    assert_all_valid(&validator, &with_relevant(), Path::new("with relevant attributes"));
}

#[test]
fn every_record_of_the_real_plans_is_valid() {
    let validator = validator(&schema());
    let mut plans = 0;
    for (_, plan) in shared_plans::files() {
        let records = records(&plan, Show::All);
        assert_all_valid(&validator, &records, &plan);
        plans += usize::from(!records.is_empty());
    }
    run::assert_enough(plans, 201, 77);
}

#[test]
fn a_key_that_is_unknown_missing_or_of_another_type_is_refused() {
    let validator = validator(&schema());
    for record in corpus_records().into_iter().chain(with_relevant()) {
        let keys = record.as_object().expect("an object").keys();
        for key in keys.clone() {
            let mut wrong = record.clone();
            // No record contains a list of lists.
            wrong[key] = json!([[]]);
            assert!(!validator.is_valid(&wrong), "{wrong}");
        }
        let mut more = record.clone();
        more["values"] = json!({});
        assert!(!validator.is_valid(&more), "{more}");
        let kind = record["kind"].as_str().expect("a kind");
        let (_, required) = REQUIRED.iter().find(|(name, _)| *name == kind).expect("a known kind");
        for key in required.split_whitespace() {
            let mut less = record.clone();
            let removed = less.as_object_mut().expect("an object").remove(key);
            assert!(removed.is_some() && !validator.is_valid(&less), "{less}");
        }
    }
}

#[test]
fn the_schema_refuses_invalid_records() {
    let validator = validator(&schema());
    let change = |key: &str, value: Value| {
        let mut record =
            json!({"kind": "resource_change", "address": "a.b", "action": "read", "actions": []});
        assert!(validator.is_valid(&record), "{record}");
        record[key] = value;
        record
    };
    for wrong in [
        json!(null),
        json!([]),
        json!({}),
        json!({"kind": "resource"}),
        json!({"kind": "plan", "schema_version": 2, "source": "-"}),
        change("index", json!(null)),
        change("changed", json!([])),
        change("changed", json!(["a", "a"])),
        change("unknown", json!([0])),
        change("generated_config", json!(false)),
        change("deferred_reason", json!("unknown")),
        change("importing", json!("id")),
        json!({"kind": "check", "address": "a", "status": "fail", "problems": []}),
        json!({"kind": "action_invocation", "address": "a", "trigger": "other"}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}

#[test]
fn every_key_of_the_schema_occurs() {
    let schema = schema();
    let mut written: BTreeSet<(String, String)> = BTreeSet::new();
    let records = corpus_records().into_iter().chain(late_version());
    let records = records.chain(with_workspaces()).chain(with_sources()).chain(with_blocks());
    let records = records.chain(with_relevant()).chain(with_failed_assertions());
    for record in records {
        let kind = record["kind"].as_str().expect("a kind");
        let keys = record.as_object().expect("an object").keys();
        written.extend(keys.map(|key| (kind.to_owned(), key.clone())));
    }
    let mut described = BTreeSet::new();
    for (kind, _) in REQUIRED.iter().chain(&[("failed_assertion", "")]) {
        let keys = schema["$defs"][kind]["properties"].as_object().expect("keys").keys();
        described.extend(keys.map(|key| ((*kind).to_owned(), key.clone())));
    }
    assert_eq!(schema["oneOf"].as_array().expect("kinds").len(), REQUIRED.len() + 1);
    assert_eq!(written, described);
}
