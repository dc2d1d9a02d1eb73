//! Assertions: their files, their answers, and the formats of results.

mod documents;
mod formats;
mod meaning;
mod packs;
mod pins;
mod references;
pub mod secrets;
mod transitions;
mod wildcards;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::run;

/// Prefix of every secret.
const CANARY: &str = "CANARY-";

/// A plan with a sensitive value, a copy of it without a mark, and changes of several kinds.
fn plan() -> String {
    json!({
        "format_version": "1.2", "terraform_version": "1.15.0",
        "resource_changes": [
            change("aws_db.main", &["update"], &json!({
                "before": {"size": 1, "engine": "pg", "password": "CANARY-of-db"},
                "after": {
                    "size": 2, "engine": "pg", "password": "CANARY-of-db",
                    "copy": "CANARY-of-db", "tags": {"Name": "db", "a.b": "x"},
                    "ports": [5432, 5433], "names": ["b", "a"],
                },
                "after_unknown": {"arn": true, "tags": {}},
                "before_sensitive": {"password": true}, "after_sensitive": {"password": true},
            })),
            change("aws_vm.a[0]", &["no-op"], &json!({"before": {"x": 1}, "after": {"x": 1}})),
            change("aws_vm.a[1]", &["delete", "create"], &json!({
                "before": {"x": 1}, "after": {"x": 1.0}, "after_unknown": {},
            })),
            change("module.net.aws_vpc.main", &["delete"], &json!({
                "before": {"id": "v"}, "after": null,
            })),
        ],
        "output_changes": {
            "url": {"actions": ["create"], "before": null, "after_unknown": true},
            "name": {"actions": ["no-op"], "before": "n", "after": "n", "after_unknown": false},
        },
        "deferred_changes": [{
            "reason": "absent_prereq", "resource_change": change("aws_late.x", &["create"], &json!({
                "before": null, "after": {},
            })),
        }],
    })
    .to_string()
}

pub fn change(address: &str, actions: &[&str], sides: &Value) -> Value {
    let name = address.rsplit('.').next().expect("a name");
    let type_name = address.rsplit('.').nth(1).expect("a type");
    let mut change = sides.clone();
    change["actions"] = json!(actions);
    json!({
        "address": address, "mode": "managed", "type": type_name, "name": name, "change": change,
    })
}

/// A folder with the plan and a file of assertions.
fn folder(name: &str, assertions: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("plan.json"), plan()).expect("a plan");
    fs::write(folder.path().join(name), assertions).expect("a file of assertions");
    folder
}

fn assert_in(folder: &Path, arguments: &[&str]) -> Output {
    run::plansift().arg("assert").args(arguments).current_dir(folder).output().expect("a run")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The finding of one assertion about the plan; `None` if it holds.
fn finding(assertion: &str) -> Option<String> {
    finding_in(&plan(), assertion)
}

/// The finding of one assertion about a document.
fn finding_in(document: &str, assertion: &str) -> Option<String> {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("plan.json"), document).expect("a plan");
    let run = assert_in(folder.path(), &["plan.json", "-e", assertion, "-f", "ndjson"]);
    let (out, said) = (text(&run.stdout), text(&run.stderr));
    let record: Value =
        serde_json::from_str(&out).unwrap_or_else(|_| panic!("{assertion}: {out}{said}"));
    let passed = record["passed"].as_bool().expect("a boolean");
    assert_eq!(run.status.code(), Some(if passed { 0 } else { 3 }), "{assertion}: {said}");
    assert!(!out.contains(CANARY), "{assertion}: {out}");
    (!passed).then(|| {
        let finding = &record["findings"][0];
        let part = |key: &str| finding[key].as_str().expect("a text").to_owned();
        format!("{}|{}|{}|{}", part("place"), part("path"), part("expected"), part("found"))
    })
}

/// Assertions about the plan, and what is found if they do not hold: the place, the path, what was
/// expected and what is there.
const ANSWERS: &[(&str, Option<&str>)] = &[
    ("resource: aws_db.main, action: update", None),
    ("resource: aws_db.main, not_action: [delete, replace]", None),
    ("resource: aws_db.main, action: no-op", Some("aws_db.main||no-op|update")),
    (
        "resource: aws_vm.*, not_action: replace",
        Some("aws_vm.a[1]||not replace|delete-then-create"),
    ),
    ("resource: aws_vm.a, action: [no-op, replace]", None),
    ("resource: module.net, action: delete", None),
    (
        "resource: aws_none.x, action: update",
        Some(
            "||a resource that the pattern covers|none: the assertion asks about nothing: add \
             optional: true if that is fine; did you mean aws_late.x?",
        ),
    ),
    ("resource: aws_none.x, action: update, optional: true", None),
    ("resource: aws_none.x, absent: true", None),
    ("resource: aws_db.main, absent: true", Some("aws_db.main||absent|update")),
    ("resource: aws_db.main, absent: false", None),
    // Values.
    ("resource: aws_db.main, path: size, known: 2", None),
    ("resource: aws_db.main, path: size, known: 2.0", None),
    ("resource: aws_db.main, path_style: tfjson, path: ports.0, known: 5432", None),
    (
        "resource: aws_db.main, path: ports.1, path_style: tfjson, known: 1",
        Some("aws_db.main|ports[1]|1|5433"),
    ),
    ("resource: aws_db.main, path: tags.0, path_style: tfjson, absent: true", None),
    ("resource: aws_db.main, path: 'ports[*]', path_style: tfjson, known: {range: {min: 1}}", None),
    ("resource: aws_db.main, path: size, known: '2'", Some("aws_db.main|size|\"2\"|2")),
    ("resource: aws_db.main, path: engine, known: {one_of: [pg, my]}", None),
    (
        "resource: aws_db.main, path: engine, known: {regex: '^m'}",
        Some("aws_db.main|engine|a match of ^m|\"pg\""),
    ),
    ("resource: aws_db.main, path: size, known: {range: {min: 1, max: 2}}", None),
    ("resource: aws_db.main, path: ports, known: {size: 2, contains: 5432}", None),
    (
        "resource: aws_db.main, path: ports, known: {size: {min: 3}}",
        Some("aws_db.main|ports|a size of at least 3|a list of 2"),
    ),
    ("resource: aws_db.main, path: ports, known: [5432, 5433]", None),
    (
        "resource: aws_db.main, path: names, known: {list_of: [a, b]}",
        Some("aws_db.main|names|the list [\"a\", \"b\"]|a list of 2"),
    ),
    ("resource: aws_db.main, path: names, known: {set_of: [a, {regex: .}]}", None),
    ("resource: aws_db.main, path: tags, known: {has: {Name: db}}", None),
    (
        "resource: aws_db.main, path: tags, known: {object_of: {Name: db}}",
        Some("aws_db.main|tags|the object {Name: \"db\"}|an object of 2"),
    ),
    (r#"resource: aws_db.main, path: 'tags["a.b"]', known: x"#, None),
    (
        "resource: aws_db.main, path: tags.None, known: x",
        Some("aws_db.main|tags.None|\"x\"|nothing"),
    ),
    ("resource: aws_db.main, path: tags.None, absent: true", None),
    (
        "resource: aws_db.main, path: 'ports[*]', known: {range: {min: 5433}}",
        Some("aws_db.main|ports[0]|a number of at least 5433|5432"),
    ),
    ("resource: aws_db.main, path: 'tags.*', known: {regex: .}", None),
    ("resource: aws_db.main, path: '**.password', sensitive: true", None),
    (
        "resource: aws_db.main, path: 'none[*].x', known: 1",
        Some("aws_db.main|none[*].x|1|nothing that the path matches"),
    ),
    ("resource: aws_db.main, path: arn, unknown: true", None),
    ("resource: aws_db.main, path: arn.deep, unknown: true", None),
    (
        "resource: aws_db.main, unknown: true",
        Some("aws_db.main||unknown|a value that is partly unknown"),
    ),
    ("resource: aws_db.main, path: tags, unknown: false", None),
    ("resource: aws_db.main, path: arn, known: x", Some("aws_db.main|arn|\"x\"|an unknown value")),
    ("resource: aws_db.main, path: password, sensitive: true", None),
    (
        "resource: aws_db.main, path: size, sensitive: true",
        Some("aws_db.main|size|sensitive|a value that is not sensitive"),
    ),
    ("resource: aws_db.main, path: size, null: true", Some("aws_db.main|size|null|a value")),
    ("resource: aws_db.main, path: engine, unchanged: true", None),
    ("resource: aws_db.main, path: password, unchanged: true", None),
    (
        "resource: aws_db.main, path: size, unchanged: true",
        Some("aws_db.main|size|unchanged|a change"),
    ),
    // Secrets and their copies.
    (
        "resource: aws_db.main, path: password, known: x",
        Some("aws_db.main|password|\"x\"|(sensitive value)"),
    ),
    (
        "resource: aws_db.main, path: copy, known: x",
        Some("aws_db.main|copy|\"x\"|(repeats a sensitive value)"),
    ),
    // Outputs, deferred changes, the plan.
    ("output: url, unknown: true", None),
    ("output: name, known: n", None),
    ("output: name, action: create", Some("name||create|no-op")),
    (
        "output: none, known: n",
        Some(
            "||an output of this name|none: the assertion asks about nothing: add optional: true \
             if that is fine",
        ),
    ),
    ("resource: aws_late.x, deferred: absent_prereq", None),
    (
        "resource: aws_late.x, deferred: false",
        Some("aws_late.x||not deferred|deferred for absent_prereq"),
    ),
    (
        "resource: aws_db.main, deferred: true",
        Some("aws_db.main||deferred|a change that is not deferred"),
    ),
    ("plan: non-empty", None),
    ("plan: empty", Some("aws_db.main||an empty plan|update")),
    ("only: [aws_db.main, aws_vm, module.net, output.u*, aws_late]", None),
    ("only: [aws_db.main, 'aws_vm.*', module.net, url, aws_late.x]", None),
    ("only: ['aws_*', url]", None),
    ("only: [aws_vm, url]", Some("aws_db.main||changes of only aws_vm, url|update")),
    ("count: {action: delete, max: 1}", None),
    ("count: {action: [delete, replace], max: 1}", Some("||at most 1 of delete or replace|2")),
    ("resource: aws_vm.*, count: {min: 1, max: 1}", None),
];

#[test]
fn assertions_hold_or_say_what_is_there() {
    for (assertion, found) in ANSWERS {
        assert_eq!(finding(assertion).as_deref(), *found, "{assertion}");
    }
}

#[test]
fn a_state_has_values_and_no_changes() {
    let folder = TempDir::new().expect("a folder");
    let state = r#"{"format_version":"1.0","terraform_version":"1.9.0","values":{"outputs":{
        "o":{"sensitive":true,"value":"s"}},"root_module":{"resources":[
        {"address":"a.b","mode":"managed","type":"a","name":"b","values":{"x":1},
         "sensitive_values":{"x":true}}]}}}"#;
    fs::write(folder.path().join("state.json"), state).expect("a state");
    for (assertion, code) in [
        ("resource: a.b, path: x, known: 1", 0),
        ("resource: a.b, path: x, sensitive: true", 0),
        ("resource: a.c, absent: true", 0),
        ("output: o, sensitive: true", 0),
        ("output: o, known: t", 3),
        ("resource: a.b, action: no-op", 3),
        ("plan: empty", 3),
    ] {
        let run = assert_in(folder.path(), &["state.json", "-e", assertion]);
        assert_eq!(run.status.code(), Some(code), "{assertion}: {}", text(&run.stdout));
    }
}

/// The same two assertions in each syntax. The second one fails.
const FILES: [(&str, &str); 3] = [
    (
        "expect.yaml",
        "# Comment\nassertions:\n  - resource: aws_db.main\n    action: update\n  - name: The VPC \
         stays\n    resource: module.net\n    not_action: delete\n    message: Ask us.\n",
    ),
    (
        "expect.toml",
        "[[assertions]]\nresource = \"aws_db.main\"\naction = \"update\"\n\n[[assertions]]\n\
         name = \"The VPC stays\"\nresource = \"module.net\"\nnot_action = \"delete\"\n\
         message = \"Ask us.\"\n",
    ),
    (
        "expect.json",
        r#"{"assertions":[{"resource":"aws_db.main","action":"update"},
           {"name":"The VPC stays","resource":"module.net","not_action":"delete",
            "message":"Ask us."}]}"#,
    ),
];

#[test]
fn assertion_files_give_the_same_result_in_every_syntax() {
    for (name, assertions) in FILES {
        let folder = folder(name, assertions);
        let run = assert_in(folder.path(), &["plan.json", "--file", name]);
        assert_eq!(run.status.code(), Some(3), "{name}: {}", text(&run.stderr));
        let line = if name == "expect.json" { 2 } else { 5 };
        let title = format!("plan.json: error: The VPC stays ({name}:{line})");
        let expected = [
            title.as_str(),
            "  module.net.aws_vpc.main: expected not delete, found delete",
            "  Ask us.",
            "1 passed, 1 failed",
        ];
        let out = text(&run.stdout);
        assert_eq!(out.lines().collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn a_warning_does_not_fail_the_run() {
    let assertion = "resource: aws_db.main, action: no-op, severity: warning";
    let folder = folder("none.yaml", "");
    let run = assert_in(folder.path(), &["plan.json", "-e", assertion]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(text(&run.stdout).contains("warning: aws_db.main"), "{}", text(&run.stdout));
}

#[test]
fn wrong_files_are_errors_with_their_line() {
    for (name, assertions, line, words) in [
        ("a.yaml", "- resource: a.b\n  acton: update\n", 2, "did you mean `action`?"),
        ("a.yaml", "- resource: a.b\n  action: updat\n", 2, "did you mean `update`?"),
        ("a.yaml", "- resource: a.b\n  path: a..b\n  known: 1\n", 2, "invalid at byte 1"),
        ("a.yaml", "- resource: a.b\n  path: '[0]'\n  known: 1\n", 2, "can never match"),
        ("a.yaml", "- resource: a.b\n  known: {regex: '('}\n", 2, "missing closing )"),
        ("a.yaml", "- resource: a.b\n  path: x\n  action: update\n", 2, "key about a value"),
        ("a.yaml", "\n- resource: a.b\n", 2, "expects nothing"),
        ("a.yaml", "- action: update\n", 1, "needs a `resource`"),
        ("a.yaml", "- resource: a.b\n  plan: empty\n", 1, "is about the plan"),
        ("a.yaml", "- resource: a.b\n  resource: c.d\n", 2, "occurs twice"),
        ("a.yaml", "- &x {resource: a.b}\n- *x\n", 2, "aliases"),
        ("a.yaml", "- count: {min: 3, max: 1}\n", 1, "`min` exceeds `max`"),
        ("a.yaml", "a: [\n", 2, "invalid YAML"),
        ("a.yaml", "", 1, "empty"),
        ("a.yaml", "[]", 1, "list is empty"),
        ("a.toml", "[[assertions]]\nresource = 'a.b'\n\nunknwn = true\n", 4, "`unknown`"),
        ("a.toml", "[[assertions]]\nresource = 1979-05-27\n", 2, "in quotes"),
        ("a.toml", "x = \n", 1, "invalid TOML"),
        ("a.json", "{\n\"assertions\": [\n{\"resource\": 5.5e1, \"nul\": true}]}", 3, "`null`"),
        ("a.json", "{\n\"assertions\": x}", 2, "invalid JSON"),
    ] {
        let folder = folder(name, assertions);
        let run = assert_in(folder.path(), &["plan.json", "--file", name]);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(64), "{assertions}: {said}");
        assert!(said.contains(&format!("{name}: line {line}: ")), "{assertions}: {said}");
        assert!(said.contains(words), "{assertions}: {said}");
    }
}

#[test]
fn hostile_assertion_files_are_rejected_quickly() {
    let deep_yaml = format!("- resource: a\n  known: {}1", "[".repeat(100_000));
    let nested = |open: &str, close: &str| {
        format!(
            "[{{\"resource\":\"a\",\"known\":{}1{}}}]",
            open.repeat(50_000),
            close.repeat(50_000)
        )
    };
    let repeated = format!("- resource: a\n  known: {{regex: '{}'}}\n", "(a{1000}".repeat(9));
    for (name, assertions) in [
        ("a.yaml", deep_yaml),
        ("a.yaml", "- ".repeat(100_000)),
        ("a.yaml", "a: ".repeat(100_000)),
        ("a.yaml", repeated),
        ("a.yaml", format!("- resource: a\n  known: {{regex: '{}'}}\n", "(".repeat(100_000))),
        ("a.json", nested("[", "]")),
        ("a.json", nested("{\"not\":", "}")),
        ("a.json", "[".repeat(9 << 20)),
        ("a.toml", format!("a = {}", "[".repeat(100_000))),
    ] {
        let folder = folder(name, &assertions);
        let run = assert_in(folder.path(), &["plan.json", "--file", name]);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(64), "{name}: {}", &said[..said.len().min(400)]);
        assert!(said.len() < 2000, "{name}: {} bytes", said.len());
    }
}

#[test]
fn results_are_valid_in_every_format() {
    let (name, assertions) = FILES[0];
    let folder = folder(name, assertions);
    let run = |format: &str| {
        let run = assert_in(folder.path(), &["plan.json", "--file", name, "-f", format]);
        assert_eq!(run.status.code(), Some(3), "{format}: {}", text(&run.stderr));
        text(&run.stdout)
    };
    let json: Value = serde_json::from_str(&run("json")).expect("JSON");
    assert_eq!(json[0]["passed"], true);
    assert_eq!(json[1]["findings"][0]["found"], "delete");
    assert_eq!(json[1]["line"], 5);
    assert_eq!(run("ndjson").lines().count(), 2);
    let suites = junit_parser::from_reader(run("junit").as_bytes()).expect("JUnit");
    assert_eq!((suites.suites[0].tests, suites.suites[0].failures), (2, 1));
    let sarif: serde_sarif::sarif::Sarif = serde_json::from_str(&run("sarif")).expect("SARIF");
    let results = sarif.runs[0].results.as_ref().expect("results");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0].rule_id.as_deref(), Some("The VPC stays"));
    assert_eq!(
        run("github"),
        "::error file=expect.yaml,line=5,title=Assertion failed%3A The VPC stays::plan.json: \
         module.net.aws_vpc.main: expected not delete, found delete: Ask us.\n"
    );
}

#[test]
fn the_schema_accepts_what_the_command_accepts() {
    let schema = run::plansift().args(["schema", "--of", "assertions"]).output().expect("a run");
    let schema: Value = serde_json::from_slice(&schema.stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for (assertions, is_valid) in [
        (serde_json::from_str(FILES[2].1).expect("JSON"), true),
        (
            json!([{"resource": "a.*", "path": "x[0]", "known": {"has": {"k": {"regex": "a"}}}}]),
            true,
        ),
        (json!([{"only": ["a", "b"]}, {"count": {"max": 1}}, {"plan": "empty"}]), true),
        (
            json!([{
                "resource": "a", "deferred": "absent_prereq", "optional": true,
                "severity": "warning",
            }]),
            true,
        ),
        (json!([{"plan": "complete"}, {"resource": "output.a", "action": "destroy"}]), true),
        (json!([{"resource": "a", "deferred": "absent"}]), false),
        (json!([{"resource": "a", "acton": "update"}]), false),
        (json!([{"resource": "a", "action": "updated"}]), false),
        (json!([{"resource": "a", "output": "b", "null": true}]), false),
        (json!([{"resource": "a", "known": {"regx": "a"}}]), false),
        (json!([]), false),
    ] {
        assert_eq!(validator.is_valid(&assertions), is_valid, "{assertions}");
        let folder = folder("a.json", &assertions.to_string());
        let run = assert_in(folder.path(), &["plan.json", "--file", "a.json"]);
        assert_eq!(run.status.code() != Some(64), is_valid, "{assertions}: {}", text(&run.stderr));
    }
}

#[test]
fn hidden_characters_of_addresses_are_escaped_and_still_match() {
    let folder = TempDir::new().expect("a folder");
    let address = "a.b[\"\u{202e}##[x]\u{e0041}é\"]";
    let plan = json!({
        "format_version": "1.2", "terraform_version": "1.15.0",
        "resource_changes": [change(address, &["create"], &json!({"before": null, "after": {}}))],
    });
    fs::write(folder.path().join("plan.json"), plan.to_string()).expect("a plan");
    let pinned = assert_in(folder.path(), &["--init", "plan.json"]);
    let pinned = text(&pinned.stdout);
    assert!(pinned.contains(r#""a.b[\"\u202e#\u0023[x]\U000e0041é\"]""#), "{pinned}");
    fs::write(folder.path().join("pinned.yaml"), pinned).expect("a file");
    let run = assert_in(folder.path(), &["plan.json", "--file", "pinned.yaml"]);
    assert_eq!(run.status.code(), Some(0), "{}{}", text(&run.stdout), text(&run.stderr));
    let wrong = r"- {resource: 'a.b', not_action: create}";
    fs::write(folder.path().join("wrong.yaml"), wrong).expect("a file");
    for format in ["text", "ndjson", "json", "junit", "sarif", "github"] {
        let run = assert_in(folder.path(), &["plan.json", "--file", "wrong.yaml", "-f", format]);
        let out = text(&run.stdout);
        assert_eq!(run.status.code(), Some(3), "{format}: {out}");
        assert!(!out.contains(['\u{202e}', '\u{e0041}']), "{format}: {out}");
    }
}

#[test]
fn a_plan_meets_the_assertions_that_pin_it() {
    let folder = folder("none.yaml", "");
    let run = assert_in(folder.path(), &["--init", "plan.json", "-o", "pinned.yaml"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let pinned = fs::read_to_string(folder.path().join("pinned.yaml")).expect("a file");
    for line in [
        "  - resource: \"aws_vm.a[1]\"\n    action: delete-then-create\n",
        "  - resource: \"aws_db.main\"\n    path: \"password\"\n    sensitive: true\n",
        "  - count: {action: change, min: 3, max: 3}\n",
    ] {
        assert!(pinned.contains(line), "{pinned}");
    }
    assert!(!pinned.contains(CANARY), "{pinned}");
    let run = assert_in(folder.path(), &["plan.json", "--file", "pinned.yaml"]);
    assert_eq!(run.status.code(), Some(0), "{}{}", text(&run.stdout), text(&run.stderr));
}
