//! `assert --init`: files of assertions that a plan meets.

use std::fs;

use serde_json::json;

use super::{CANARY, assert_in, folder, text};

#[test]
fn a_plan_meets_its_pinned_file_in_each_syntax() {
    let folder = folder("none.yaml", "");
    for (name, line) in [
        ("pinned.yaml", "  - resource: \"aws_late.x\"\n    deferred: absent_prereq\n"),
        (
            "pinned.toml",
            "[[assertions]]\nresource = \"aws_late.x\"\ndeferred = \"absent_prereq\"\n",
        ),
        ("pinned.json", "{\"resource\": \"aws_late.x\", \"deferred\": \"absent_prereq\"}"),
    ] {
        let run = assert_in(folder.path(), &["--init", "plan.json", "-o", name]);
        assert_eq!(run.status.code(), Some(0), "{name}: {}", text(&run.stderr));
        let pinned = fs::read_to_string(folder.path().join(name)).expect("a file");
        assert!(pinned.contains(line) && !pinned.contains(CANARY), "{pinned}");
        let run = assert_in(folder.path(), &["plan.json", "-F", name]);
        assert_eq!(
            run.status.code(),
            Some(0),
            "{name}: {}{}",
            text(&run.stdout),
            text(&run.stderr)
        );
        assert!(text(&run.stdout).starts_with("7 passed, 0 failed"), "{}", text(&run.stdout));
    }
}

#[test]
fn a_plan_that_changes_outputs_only_meets_its_pinned_file() {
    let folder = folder("none.yaml", "");
    for (facts, last) in [
        (json!({"o": {"actions": ["create"], "before": null, "after": 1}}), "count"),
        (json!({}), "plan: empty"),
    ] {
        let plan = json!({
            "format_version": "1.2", "terraform_version": "1.15.0", "output_changes": facts,
            "complete": true,
        });
        fs::write(folder.path().join("p.json"), plan.to_string()).expect("a plan");
        let run = assert_in(folder.path(), &["--init", "p.json", "-o", "i.yaml"]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        let pinned = fs::read_to_string(folder.path().join("i.yaml")).expect("a file");
        assert!(pinned.contains(last), "{pinned}");
        let run = assert_in(folder.path(), &["p.json", "-F", "i.yaml"]);
        assert_eq!(run.status.code(), Some(0), "{}{pinned}", text(&run.stdout));
    }
}

#[test]
fn inputs_that_cannot_be_pinned_are_refused_without_output() {
    let folder = folder("none.yaml", "");
    let unlisted = json!({
        "format_version": "1.2", "terraform_version": "1.15.0",
        "planned_values": {"root_module": {"resources": [{
            "address": "aws_db.a", "mode": "managed", "type": "aws_db", "name": "a", "values": {},
        }]}},
        "output_changes": {"o": {"actions": ["create"], "before": null, "after": 1}},
    });
    let two = format!("{}\n{}\n", super::plan(), super::plan());
    let state = r#"{"format_version":"1.0","values":{"root_module":{}}}"#;
    for (name, content) in [
        ("unlisted.json", unlisted.to_string().as_str()),
        ("two.ndjson", two.as_str()),
        ("state.json", state),
    ] {
        fs::write(folder.path().join(name), content).expect("a file");
    }
    for (inputs, code, words) in [
        (&["plan.json", "state.json"][..], 64, "--init pins one plan"),
        (&["two.ndjson"], 64, "--init pins one plan"),
        (&["unlisted.json"], 1, "the plan does not list its changes"),
        (&["state.json"], 1, "state"),
    ] {
        let arguments: Vec<&str> = ["--init"].into_iter().chain(inputs.iter().copied()).collect();
        let run = assert_in(folder.path(), &arguments);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(code), "{inputs:?}: {said}");
        assert_eq!(text(&run.stdout), "", "{inputs:?}");
        assert!(said.contains(words), "{inputs:?}: {said}");
    }
}
