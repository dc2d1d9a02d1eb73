//! Assertions in a batch: rows, records, the exit code, and a rerun.

use serde_json::Value;

use super::{Folder, Run, files_of, plans, report};
use crate::run;

/// Holds for `p/same.json` alone.
const NOTHING: &str = "- {plan: empty, name: Nothing changes, message: Ask.}\n";

/// Runs a batch with the assertions of `a.yaml`.
fn batch(folder: &Folder, arguments: &str) -> Run {
    folder.run(&format!("batch p/a.json p/b.json p/same.json --out out --assert {arguments}"))
}

fn failed(row: &Value) -> Vec<&Value> {
    row["failed_assertions"].as_array().into_iter().flatten().collect()
}

#[test]
fn rows_and_records_name_the_assertions_that_a_plan_fails() {
    let folder = plans();
    folder.write("a.yaml", NOTHING);
    let run = batch(&folder, "a.yaml");
    assert_eq!(run.code, Some(3), "{run:?}");
    let said = "p/b.json: assertion failed: Nothing changes: ";
    assert!(run.err.contains(said) && run.err.contains(": Ask.\n"), "{}", run.err);
    assert!(run.out.contains("! 2 assertions failed.\n"), "{}", run.out);
    assert!(run.out.contains("Fails assertions: 2\n! p/a\n! p/b\n"), "{}", run.out);
    let rows = report(&folder);
    let numbers: Vec<usize> = rows.iter().map(|row| failed(row).len()).collect();
    assert_eq!(numbers, [1, 1, 0, 0], "{rows:?}");
    let first = failed(&rows[0])[0];
    assert_eq!(
        (&first["name"], &first["severity"], &first["file"], &first["line"], &first["message"]),
        (&"Nothing changes".into(), &"error".into(), &"a.yaml".into(), &1.into(), &"Ask.".into())
    );
    assert_eq!(first["findings"][0]["expected"], "an empty plan", "{first}");
    assert_eq!(rows[3]["failed_assertions"], 2, "{}", rows[3]);
    let records = std::fs::read_to_string(folder.path("out/records/p~a.json.ndjson"));
    let records = super::rows(&records.expect("records"));
    let [.., record, summary] = &records[..] else { panic!("{records:?}") };
    assert_eq!(
        (&record["kind"], &summary["kind"]),
        (&"failed_assertion".into(), &"summary".into())
    );
    assert_eq!(record["findings"], first["findings"]);
    for (format, of) in [("ndjson", "records"), ("report", "report")] {
        let schema = run::plansift().args(["schema", "--of", of]).output().expect("it starts");
        let schema: Value = serde_json::from_slice(&schema.stdout).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        for row in if format == "report" { &rows } else { &records } {
            assert!(validator.is_valid(row), "{row}");
        }
    }
    let merged = folder.run("merge out");
    assert_eq!((merged.code, &merged.out), (Some(3), &run.out));
}

#[test]
fn a_rerun_knows_what_failed_and_refuses_other_assertions() {
    let folder = plans();
    folder.write("a.yaml", NOTHING);
    let first = batch(&folder, "a.yaml");
    let rows = report(&folder);
    let again = batch(&folder, "a.yaml");
    assert!(again.err.contains("3 inputs were done before"), "{}", again.err);
    assert_eq!((again.code, &again.out, report(&folder)), (Some(3), &first.out, rows));
    // Other assertions, or none, are another batch.
    folder.write("b.yaml", NOTHING);
    folder.write("a.yaml", NOTHING.replace("Ask.", "Ask us."));
    for arguments in ["a.yaml", "b.yaml"] {
        let run = batch(&folder, arguments);
        assert_eq!(run.code, Some(1), "{arguments}: {run:?}");
        assert!(run.err.contains("--assert"), "{arguments}: {}", run.err);
    }
    assert_eq!(folder.run("batch p/a.json --out out").code, Some(1));
    assert!(files_of(&folder.path("out")).contains(&"journal".to_owned()));
}

#[test]
fn a_warning_does_not_fail_a_batch() {
    let folder = plans();
    folder.write("a.yaml", NOTHING.replace("}", ", severity: warning}"));
    let run = batch(&folder, "a.yaml");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("p/a.json: warning: assertion failed: Nothing"), "{}", run.err);
    assert!(run.out.contains("! 2 assertions failed as warnings.\n"), "{}", run.out);
    assert_eq!(report(&folder)[3]["failed_warnings"], 2);
}

/// A plan with a secret, and a copy of it without a mark.
const SECRET: &str = r#"{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[
    {"address":"a.b","mode":"managed","type":"a","name":"b","change":{"actions":["create"],
    "before":null,"after":{"key":"CANARY-of-b","copy":"CANARY-of-b","open":"word"},
    "after_unknown":{},"before_sensitive":false,"after_sensitive":{"key":true}}}]}"#;

#[test]
fn a_batch_shows_no_secret_in_a_failure() {
    let folder = Folder::new();
    folder.write("p.json", SECRET);
    let of = |key: &str| format!("- {{resource: a.b, path: {key}, known: none}}\n");
    folder.write("a.yaml", ["key", "copy", "open"].map(of).concat());
    let found = |folder: &Folder| -> Vec<String> {
        let rows = report(folder);
        let found = failed(&rows[0]).into_iter().map(|it| it["findings"][0]["found"].to_string());
        found.collect()
    };
    let run = folder.run("batch p.json --out out --assert a.yaml");
    assert_eq!(run.code, Some(3), "{run:?}");
    let [masked, echo] = [r#""(sensitive value)""#, r#""(repeats a sensitive value)""#];
    assert_eq!(found(&folder), [masked, echo, r#""\"word\"""#]);
    // A pipe cannot be read twice, so values that may repeat a secret are not shown.
    std::fs::remove_dir_all(folder.path("out")).expect("a folder");
    let mut command = run::plansift();
    let args = ["batch", "-", "--out", "out", "--assert", "a.yaml"];
    command.current_dir(folder.path(".")).args(args);
    let run = Run::of(&run::with_input(command, SECRET.as_bytes()));
    assert_eq!(run.code, Some(3), "{run:?}");
    let unchecked = r#""(not shown, because the input cannot be read twice)""#;
    assert_eq!(found(&folder), [masked, unchecked, unchecked]);
    for name in ["report.ndjson", "journal"] {
        let text = std::fs::read_to_string(folder.path("out").join(name)).expect("a file");
        assert!(!text.contains("CANARY"), "{name}: {text}");
    }
}
