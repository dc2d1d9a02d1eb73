//! The results of assertions for people and for other programs, and messages about arguments.

use serde_json::Value;

use super::{assert_in, folder, text};
use crate::run;

const ASSERTIONS: &str = "- {name: Same, resource: aws_db.main, action: no-op}\n\n- {name: Same, \
    resource: aws_vm, action: update}\n- {resource: aws_none.x, action: update, optional: true}\n- \
    {name: Empty, plan: empty, severity: warning}\n- {output: url, unknown: true}\n";

#[test]
fn the_text_names_the_line_of_each_failed_assertion_and_counts_what_is_there() {
    let folder = folder("a.yaml", ASSERTIONS);
    let run = assert_in(folder.path(), &["plan.json", "-F", "a.yaml"]);
    assert_eq!(
        text(&run.stdout),
        "plan.json: error: Same (a.yaml:1)\n  aws_db.main: expected no-op, found update\n\
         plan.json: error: Same (a.yaml:3)\n  expected update, found:\n    aws_vm.a[0]: no-op\n    \
         aws_vm.a[1]: delete-then-create\n\
         plan.json: warning: Empty (a.yaml:5)\n  expected an empty plan, found:\n    aws_db.main: \
         update\n    aws_vm.a[1]: delete-then-create\n    module.net.aws_vpc.main: delete\n    \
         output url: create\n    aws_late.x: a deferred create\n\
         1 passed, 2 failed, 1 failed as a warning, 1 skipped\n"
    );
    let run = assert_in(folder.path(), &["plan.json", "-e", "plan: non-empty"]);
    assert_eq!(text(&run.stdout), "1 passed, 0 failed\n");
    let run = assert_in(folder.path(), &["none.json", "-e", "plan: empty"]);
    assert_eq!((text(&run.stdout), run.status.code()), (String::new(), Some(1)));
}

#[test]
fn a_line_of_a_file_does_not_change_the_identifiers_in_sarif() {
    let found = |assertions: &str| {
        let folder = folder("a.yaml", assertions);
        let run = assert_in(folder.path(), &["plan.json", "-F", "a.yaml", "-f", "sarif"]);
        let sarif: serde_sarif::sarif::Sarif =
            serde_json::from_slice(&run.stdout).expect("valid SARIF");
        let sarif = serde_json::to_value(sarif).expect("JSON");
        let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules").clone();
        let results = sarif["runs"][0]["results"].as_array().expect("results").clone();
        let results: Vec<(String, String, u64)> = results
            .iter()
            .map(|result| {
                let place = &result["locations"][0]["physicalLocation"];
                let index = result["ruleIndex"].as_u64().expect("an index") as usize;
                assert_eq!(rules[index]["id"], result["ruleId"]);
                (
                    result["ruleId"].as_str().expect("an identifier").to_owned(),
                    place["artifactLocation"]["uri"].as_str().expect("a file").to_owned(),
                    place["region"]["startLine"].as_u64().expect("a line"),
                )
            })
            .collect();
        results
    };
    let result = |id: &str, line| (id.to_owned(), "a.yaml".to_owned(), line);
    let expected = [result("Same", 1), result("Same (2)", 3), result("Empty", 5)];
    assert_eq!(found(ASSERTIONS), expected);
    let moved = expected.map(|(id, file, line)| (id, file, line + 1));
    assert_eq!(found(&format!("# A comment.\n{ASSERTIONS}")), moved);
}

#[test]
fn an_optional_assertion_about_nothing_is_skipped_in_every_format() {
    let folder = folder("a.yaml", ASSERTIONS);
    let run = |form: &str| {
        text(&assert_in(folder.path(), &["plan.json", "-F", "a.yaml", "-f", form]).stdout)
    };
    let records: Vec<Value> =
        run("ndjson").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |key: &str| records.iter().map(|it| it[key].as_bool()).collect::<Vec<_>>();
    assert_eq!(of("passed"), [false, false, true, false, true].map(Some));
    assert_eq!(of("skipped"), [false, false, true, false, false].map(Some));
    let suites = junit_parser::from_reader(run("junit").as_bytes()).expect("JUnit");
    let suite = &suites.suites[0];
    assert_eq!((suite.tests, suite.failures, suite.skipped), (5, 2, 2));
}

#[test]
fn the_schema_of_results_describes_them() {
    let schema =
        run::plansift().args(["schema", "--of", "assert-results"]).output().expect("a run");
    let schema: Value = serde_json::from_slice(&schema.stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let folder = folder("a.yaml", ASSERTIONS);
    let run = assert_in(folder.path(), &["plan.json", "no.json", "-F", "a.yaml", "-f", "ndjson"]);
    let lines = text(&run.stdout);
    assert_eq!(lines.lines().count(), 6);
    let sources = run::root().join("corpus/sources");
    let plan = sources.join("plan.json").into_os_string().into_string().expect("UTF-8");
    let at = sources.to_str().expect("UTF-8");
    let assertion = "resource: '*', action: delete";
    let args = [&plan, "--source", at, "-e", assertion, "-f", "ndjson"];
    let located = assert_in(folder.path(), &args);
    let located = text(&located.stdout);
    assert!(located.contains(r#""source":{"file""#), "{located}");
    for line in lines.lines().chain(located.lines()) {
        let record: Value = serde_json::from_str(line).expect("JSON");
        assert!(validator.is_valid(&record), "{line}");
        let mut wrong = record.clone();
        wrong["more"] = Value::Null;
        assert!(!validator.is_valid(&wrong), "{line}");
    }
}

#[test]
fn errors_about_arguments_suggest_a_correction() {
    let folder = folder("none.yaml", "");
    for (assertion, words) in [
        ("resource: aws_vm.a[5], absent: true", "put an address or a path with brackets in quotes"),
        ("plan:empty", "a blank is missing after `plan:`"),
        (
            "resource: a.b, deferred: instance_count_unknow",
            "did you mean `instance_count_unknown`?",
        ),
        ("resource: a.b, action: destory", "did you mean `destroy`?"),
        ("plan: complet", "did you mean `complete`?"),
    ] {
        let run = assert_in(folder.path(), &["plan.json", "-e", assertion]);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(64), "{assertion}: {said}");
        assert!(said.contains(words), "{assertion}: {said}");
    }
    let quoted = "resource: \"aws_vm.a[5]\", absent: true";
    assert_eq!(assert_in(folder.path(), &["plan.json", "-e", quoted]).status.code(), Some(0));
}
