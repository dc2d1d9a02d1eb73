//! Every SARIF output is valid under the schema that OASIS publishes for SARIF 2.1.0.
//!
//! The crate `serde-sarif`, which only tests use, ships this schema in its folder.

use std::path::{Path, PathBuf};
use std::process::Command;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::run;

/// The folder of the crate that ships the schema.
fn folder() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Cargo has downloaded the crates of this platform only.
    let mut command = Command::new(cargo);
    command.args(["metadata", "--offline", "--locked", "--format-version", "1"]);
    command.args(["--filter-platform", "host-tuple"]).current_dir(run::root());
    let output = command.output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == "serde-sarif");
    let manifest = package.expect("the crate")["manifest_path"].as_str().expect("a path");
    Path::new(manifest).parent().expect("a folder").to_owned()
}

fn validator() -> Validator {
    let schema = std::fs::read_to_string(folder().join("src/schema.json")).expect("a schema");
    // The engine of regular expressions refuses the stray bracket in the pattern of `language`,
    // which no report has.
    let schema = schema.replace("[a-zA-Z]{2}]?$", r"[a-zA-Z]{2}\\]?$");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    assert_eq!(schema["title"], "Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema");
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema).expect("a schema")
}

/// The output of a command, whatever its exit code is.
fn sarif(args: &[&str], input: &str) -> Value {
    let mut command = run::plansift();
    let output = command.args(args).arg(input).current_dir(run::root()).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{args:?} {input}: {text}"))
}

fn faults(validator: &Validator, sarif: &Value) -> Vec<String> {
    let fault =
        |fault: jsonschema::ValidationError<'_>| format!("{}: {fault}", fault.instance_path());
    validator.iter_errors(sarif).map(fault).collect()
}

#[test]
fn the_schema_of_sarif_accepts_every_report() {
    let validator = validator();
    let rules =
        ["replace", "delete", "warning create \"Look\"", "check", "changes>0", "incomplete"];
    let rules: Vec<&str> = rules.iter().flat_map(|rule| ["--fail-on", rule]).collect();
    let report = [&["report", "-q", "-o", "sarif"], &rules[..]].concat();
    let annotating = [&report[..], &["--annotate", "all"]].concat();
    let located = [&annotating[..], &["--source", "corpus/sources"]].concat();
    let asserting = [
        "assert",
        "-q",
        "-f",
        "sarif",
        "--source",
        "corpus/sources",
        "-e",
        "plan: empty",
        "-e",
        "resource: aws_*, action: no-op",
        "-e",
        "output: endpoint, action: no-op",
    ];
    let inputs = [
        "corpus/sources/plan.json",
        "corpus/plans",
        "corpus/wrong",
        "corpus/planfiles/modules/plan.tfplan",
    ];
    let mut results = 0;
    for input in inputs {
        for args in [&report[..], &annotating, &located, &asserting] {
            let found = sarif(args, input);
            assert_eq!(faults(&validator, &found), [""; 0], "{args:?} {input}");
            results += found["runs"][0]["results"].as_array().map_or(0, Vec::len);
        }
    }
    assert!(results > 100, "{results}");
}

#[test]
fn the_schema_of_sarif_refuses_what_is_wrong() {
    let validator = validator();
    let args = ["report", "-q", "-o", "sarif", "--source", "corpus/sources"];
    let valid = sarif(&args, "corpus/sources/plan.json");
    assert_eq!(faults(&validator, &valid), [""; 0]);
    let region = "/runs/0/results/0/locations/0/physicalLocation/region/startLine";
    for (pointer, wrong) in [
        ("/version", json!("2.0.0")),
        ("/runs/0/results/0/level", json!("notice")),
        ("/runs/0/results/0/message", json!("text")),
        (region, json!(0)),
        ("/runs/0/invocations/0/executionSuccessful", json!(null)),
    ] {
        let mut changed = valid.clone();
        *changed.pointer_mut(pointer).expect("a place") = wrong;
        assert_ne!(faults(&validator, &changed), [""; 0], "{pointer}");
    }
}
