//! Failed assertions in every form of report.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Run, folder, report};
use crate::run;

/// Prefix of every secret.
const CANARY: &str = "CANARY-";

/// Every form, and a text that only a failed assertion can bring there.
const FORMS: [(&str, &str); 10] = [
    ("term", "Failed assertions"),
    ("markdown", "**Failed assertions:**"),
    ("html", "Assertion failed: The engine stays: "),
    ("github", "title=Assertion failed%3A The engine stays::"),
    ("json", r#""rule":"The engine stays""#),
    ("variables", "PLANSIFT_BROKEN_RULES=3"),
    ("junit", "assertion The engine stays"),
    ("sarif", "The plan fails the assertion The engine stays: "),
    ("gitlab", r#"{"broken_rules":3,"broken_warnings":1,"#),
    ("code-quality", "The plan fails the assertion The engine stays: "),
];

/// A plan with a sensitive value and a copy of it without a mark.
fn plan() -> String {
    let change = |address: &str, actions: &[&str], sides: Value| {
        let (kind, name) = address.split_once('.').expect("a type and a name");
        let mut change = sides;
        change["actions"] = json!(actions);
        json!({
            "address": address, "mode": "managed", "type": kind, "name": name, "change": change,
        })
    };
    json!({
        "format_version": "1.2", "terraform_version": "1.15.0",
        "resource_changes": [
            change("aws_db.main", &["update"], json!({
                "before": {"engine": "pg", "password": "CANARY-of-db", "copy": "old"},
                "after": {"engine": "my", "password": "CANARY-of-db", "copy": "CANARY-of-db"},
                "after_unknown": {},
                "before_sensitive": {"password": true}, "after_sensitive": {"password": true},
            })),
            change("aws_vm.a", &["delete"], json!({"before": {"x": 1}, "after": null})),
        ],
    })
    .to_string()
}

const ASSERTIONS: &str = r#"
- name: The engine stays
  resource: aws_db.main
  path: engine
  known: pg
  message: Ask the storage team.
- name: The password is long
  resource: aws_db
  path: password
  known: {regex: '.{99}'}
- name: The copy is empty
  resource: aws_db
  path: copy
  known: ""
- name: Nothing is deleted
  resource: aws_vm.*
  not_action: delete
  severity: warning
- name: The database is updated
  resource: aws_db.main
  action: update
"#;

fn folder_of_assertions() -> TempDir {
    folder(&[], &[("plan.json", &plan()), ("a.yaml", ASSERTIONS)])
}

/// A report with the assertions, and other arguments with blanks between them.
fn asserted(folder: &Path, arguments: &str) -> Run {
    let arguments = arguments.split_whitespace();
    let arguments: Vec<&str> = arguments.chain(["--assert", "a.yaml", "plan.json"]).collect();
    report(folder, &arguments, &[])
}

#[test]
fn every_form_shows_failed_assertions_and_no_secret() {
    let folder = folder_of_assertions();
    for (form, sign) in FORMS {
        for values in ["", "--values none", "--values all --full", "--threads 1"] {
            let run = asserted(
                folder.path(),
                &format!(
                    "-o {form} {}",
                    values.replace(
                        " --full",
                        if matches!(form, "term" | "markdown" | "html" | "github") {
                            " --full"
                        } else {
                            ""
                        }
                    )
                ),
            );
            let Run { code, out, err } = &run;
            assert_eq!(*code, Some(3), "{form} {values}: {err}");
            assert!(out.contains(sign), "{form} {values}: {out}");
            assert!(!out.contains(CANARY) && !err.contains(CANARY), "{form} {values}: {out}{err}");
            for said in [
                "plan.json: assertion failed: The engine stays: aws_db.main: engine: expected \
                 \"pg\", found \"my\": Ask the storage team.\n",
                "found (sensitive value)\n",
                "found (repeats a sensitive value)\n",
                "plan.json: warning: assertion failed: Nothing is deleted: aws_vm.a: expected not \
                 delete, found delete\n",
            ] {
                assert!(err.contains(said), "{form} {values}: {err}");
            }
            assert_eq!(err.matches("assertion failed").count(), 4, "{form} {values}: {err}");
            if !matches!(form, "variables" | "gitlab") {
                for (text, count) in [("The database is updated", 0), ("Nothing is deleted", 1)] {
                    // JUnit has a test for what passes; SARIF lists all rules.
                    let count = count.max(usize::from(matches!(form, "junit" | "sarif")));
                    assert!(out.matches(text).count() >= count, "{form} {values}: {text}: {out}");
                }
                assert!(out.contains("Ask the storage team."), "{form} {values}: {out}");
                assert!(out.contains("expected"), "{form} {values}: {out}");
            }
        }
    }
}

#[test]
fn failed_assertions_stand_before_the_changes_and_beside_broken_rules() {
    let folder = folder_of_assertions();
    let run = asserted(folder.path(), "--fail-on changes");
    let places = ["Broken rules and failed assertions", "changes", "The engine stays", "Changes\n"];
    let places = places.map(|text| run.out.find(text).unwrap_or_else(|| panic!("{}", run.out)));
    assert!(places.is_sorted(), "{}", run.out);
    let run = asserted(folder.path(), "--fail-on changes -o markdown");
    let title = "**Broken rules and failed assertions:**\n\n- `changes`: 2 in `aws_db.main`, \
                 `aws_vm.a` (`plan.json`)\n- `The engine stays`: `aws_db.main: engine: expected \
                 \"pg\", found \"my\"` (`plan.json`): `Ask the storage team.`\n";
    assert!(run.out.contains(title), "{}", run.out);
    // A filter hides changes, not failures.
    let run = asserted(folder.path(), "--only aws_other");
    assert!(run.out.contains("The engine stays"), "{}", run.out);
}

#[test]
fn an_assertion_with_the_severity_warning_does_not_fail_the_run() {
    let warning = "- {resource: aws_vm.a, absent: true, severity: warning, name: It is gone}\n";
    let folder = folder(&[], &[("plan.json", &plan()), ("a.yaml", warning)]);
    let run = asserted(folder.path(), "");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("It is gone  warning"), "{}", run.out);
    let run = asserted(folder.path(), "--detailed-exitcode");
    assert_eq!(run.code, Some(2), "{}", run.err);
}

#[test]
fn several_assertion_files_are_checked_and_errors_have_a_line() {
    let two = "- {resource: aws_vm.a, absent: true, name: Second}\n";
    let files = [("plan.json", &*plan()), ("a.yaml", ASSERTIONS), ("b.yaml", two)];
    let folder = folder(&[], &files);
    let run = asserted(folder.path(), "--assert b.yaml -o github");
    let at = "::error file=b.yaml,line=1,endLine=1,title=Assertion failed%3A Second::";
    assert!(run.out.contains(at), "{}", run.out);
    let at = "::error file=a.yaml,line=2,endLine=2,title=Assertion failed%3A The engine stays::";
    assert!(run.out.contains(at), "{}", run.out);
    fs::write(folder.path().join("a.yaml"), "- name: x\n  resuorce: y\n").expect("a file");
    let run = asserted(folder.path(), "");
    assert_eq!(run.code, Some(64), "{}", run.err);
    assert!(run.err.contains("a.yaml: line 2"), "{}", run.err);
    let run = report(folder.path(), &["--assert", "none.yaml", "plan.json"], &[]);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("--assert none.yaml: cannot read it"), "{}", run.err);
    let arguments = ["--assert", "b.yaml", "plan.json", "-o", "json=b.yaml"];
    assert_ne!(report(folder.path(), &arguments, &[]).code, Some(0));
    assert_eq!(fs::read_to_string(folder.path().join("b.yaml")).expect("a file"), two);
}

/// Assertions of every kind that hold or fail in generated plans.
const MANY: &str = r#"
- {resource: 'aws_*', not_action: [delete, replace]}
- {resource: '*', not_action: update, name: updates}
- {resource: aws_instance, path: '**', known: {not: 17}, optional: true}
- {resource: '*', path: tags.*, known: {regex: '^a'}, optional: true}
- {resource: '*', path: id, unknown: false, optional: true}
- {resource: '*', path: '**', sensitive: false, optional: true}
- {plan: empty}
- {only: ['module.*']}
- {count: {action: update, max: 3}}
- {resource: nothing.here, action: no-op}
"#;

/// `assert` has no lookahead and no view.
#[test]
fn reports_fail_the_assertions_that_assert_fails() {
    let plans = crate::corpus::cases().into_iter().map(|case| case.plan);
    let generated = tempfile::tempdir().expect("a folder");
    let large = generated.path().join("large.json");
    let (text, _) = crate::generated::generated(generated.path(), "busy", &[], 6_000_000);
    fs::write(&large, text).expect("a plan");
    let files = folder(&[], &[("a.yaml", MANY)]);
    let mut compared = 0;
    for plan in plans.chain([large]) {
        let asked = run::plansift()
            .args(["assert", "-f", "ndjson", "--file", "a.yaml"])
            .arg(&plan)
            .current_dir(files.path())
            .output()
            .expect("it runs");
        if asked.status.code() == Some(1) {
            continue;
        }
        let lines = String::from_utf8(asked.stdout).expect("UTF-8");
        let records = lines.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        let records: Vec<Value> = records.filter(|it: &Value| it["passed"] == false).collect();
        let expected: Vec<Value> = records
            .iter()
            .map(|record| {
                let findings = record["findings"].as_array().expect("findings");
                let place =
                    |it: &Value| json!([it["place"], it["path"], it["expected"], it["found"]]);
                let findings: Vec<Value> = findings.iter().map(place).collect();
                json!([record["name"], record["failed"], record["line"], findings])
            })
            .collect();
        for arguments in ["--threads 1", "--threads 4", "--threads 2 -o html=x.html"] {
            let arguments = arguments.split(' ').chain(["-o", "json", "--assert", "a.yaml"]);
            let output = run::plansift()
                .arg("report")
                .args(arguments.clone())
                .arg(&plan)
                .current_dir(files.path())
                .output()
                .expect("it runs");
            let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let plans = document["plans"].as_array().expect("plans");
            let broken = plans.iter().filter_map(|plan| plan["broken_rules"].as_array()).flatten();
            let found: Vec<Value> = broken
                .map(|rule| {
                    let findings = rule["assertion"]["findings"].as_array().expect("findings");
                    let text = |it: &Value| json!(it.as_str().unwrap_or_default());
                    let findings = findings.iter().map(|it| {
                        json!([text(&it["place"]), text(&it["path"]), it["expected"], it["found"]])
                    });
                    let findings: Vec<Value> = findings.collect();
                    json!([rule["rule"], rule["count"], rule["assertion"]["line"], findings])
                })
                .collect();
            assert_eq!(found, expected, "{}: {arguments:?}", plan.display());
            compared += found.len();
        }
    }
    assert!(compared > 300, "{compared}");
}
