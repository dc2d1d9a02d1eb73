//! `assert --init`: files of assertions that a plan meets.

use std::fs;

use serde_json::{Value, json};

use super::{CANARY, assert_in, change, folder, text};
use crate::{run, shared_plans};

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
    let mut with_null = unlisted.clone();
    with_null["resource_changes"] = Value::Null;
    let two = format!("{}\n{}\n", super::plan(), super::plan());
    let state = r#"{"format_version":"1.0","values":{"root_module":{}}}"#;
    for (name, content) in [
        ("unlisted.json", unlisted.to_string().as_str()),
        ("null.json", with_null.to_string().as_str()),
        ("two.ndjson", two.as_str()),
        ("state.json", state),
    ] {
        fs::write(folder.path().join(name), content).expect("a file");
    }
    for (inputs, code, words) in [
        (&["plan.json", "state.json"][..], 64, "--init pins one plan"),
        (&["two.ndjson"], 64, "--init pins one plan"),
        (&["unlisted.json"], 1, "the plan does not list its changes"),
        (&["null.json"], 1, "the plan does not list its changes"),
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

/// Plans in which an address, read as a pattern, covers other resources that change in other ways.
#[test]
fn a_plan_meets_its_pinned_file_where_addresses_cover_others() {
    let sides = |before: Value, after: Value| {
        let marks = json!({"x": true});
        json!({"before": before, "after": after, "after_sensitive": marks})
    };
    let gone = || sides(json!({"x": 1}), json!(null));
    let new = || sides(json!(null), json!({"x": 1}));
    let same = || json!({"before": {"x": 1}, "after": {"x": 1}});
    let mut data = change("aws_ami.x", &["delete", "read"], &gone());
    data["mode"] = json!("data");
    let deferred = |address: &str| {
        let created = change(address, &["create"], &new());
        json!({"reason": "other", "resource_change": created})
    };
    let output = |actions: &[&str]| {
        let marked = true;
        json!({"actions": actions, "before": 1, "after": 2, "after_sensitive": marked})
    };
    for (name, plan) in [
        (
            "instances",
            json!({"resource_changes": [
                change("aws_db.a", &["delete"], &gone()),
                change("aws_db.a[0]", &["create"], &new()),
                change("aws_vm.a[\"k\"]", &["no-op"], &same()),
                change("aws_vm.a", &["create"], &new()),
                change("module.m.aws_ip.b", &["create"], &new()),
                change("module.m[0].aws_ip.b", &["update"], &new()),
            ]}),
        ),
        (
            "wildcards",
            json!({"resource_changes": [
                change("aws_db.a[\"*\"]", &["delete"], &gone()),
                change("aws_db.a[\"x\"]", &["create"], &new()),
                change("output.a", &["create"], &new()),
                data,
            ], "output_changes": {"o": output(&["create"]), "o*": output(&["delete"]),
                "output.o": output(&["update"])}}),
        ),
        (
            "odd",
            json!({"resource_changes": [
                change("aws_db.a", &["weird"], &new()),
                change("aws_db.list", &["create"], &json!({
                    "before": null, "after": [1], "after_sensitive": [true],
                })),
                change("aws_db.\u{85}\u{202e}\u{feff}\"'#{}\u{7f}\u{1f600}", &["create"], &new()),
            ]}),
        ),
        (
            "deferred",
            json!({"resource_changes": [], "deferred_changes": [
                deferred("aws_late.a[\"*\"]"), deferred("aws_late.b"),
            ]}),
        ),
    ] {
        let mut plan = plan;
        plan["format_version"] = json!("1.2");
        let folder = folder("none.yaml", "");
        fs::write(folder.path().join("p.json"), plan.to_string()).expect("a plan");
        for file in ["i.yaml", "i.toml", "i.json"] {
            let run = assert_in(folder.path(), &["--init", "p.json", "-o", file]);
            assert_eq!(run.status.code(), Some(0), "{name}: {}", text(&run.stderr));
            let pinned = fs::read_to_string(folder.path().join(file)).expect("a file");
            let run = assert_in(folder.path(), &["p.json", "-F", file]);
            let (out, said) = (text(&run.stdout), text(&run.stderr));
            assert_eq!(run.status.code(), Some(0), "{name}: {out}{said}{pinned}");
        }
    }
}

#[test]
fn a_plan_that_needs_too_many_assertions_is_refused() {
    let folder = folder("none.yaml", "");
    let outputs: Vec<String> = (0..100_001)
        .map(|at| format!(r#""o{at}":{{"actions":["create"],"before":null,"after":1}}"#))
        .collect();
    let plan = format!(r#"{{"format_version":"1.2","output_changes":{{{}}}}}"#, outputs.join(","));
    fs::write(folder.path().join("p.json"), plan).expect("a plan");
    let run = assert_in(folder.path(), &["--init", "p.json", "-o", "i.json"]);
    let said = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(said.contains("more than 100000 assertions"), "{said}");
}

#[test]
fn pinned_paths_contain_no_secret_key() {
    const SECRET: &str = "CANARY-of-8-bytes";
    let marked = json!({"p": true});
    let sides = |key: &str| {
        let [values, marks] = [json!({"m": {key: "x"}}), json!({"m": {key: true}})];
        json!({"before": null, "after": values, "after_sensitive": marks})
    };
    let whole = json!({
        "before": {"m": {"Key-of": "x"}}, "after": {"m": {"Key-of": "x"}},
        "before_sensitive": {"m": true}, "after_sensitive": {"m": {"Key-of": true}},
    });
    let secret = json!({"before": null, "after": {"p": SECRET}, "after_sensitive": marked});
    let plan = json!({"format_version": "1.2", "resource_changes": [
        change("aws_db.a", &["create"], &sides(SECRET)),
        change("aws_db.b", &["update"], &whole),
        change("aws_db.c", &["create"], &sides("Key-of")),
        change("aws_db.z", &["create"], &secret),
    ]});
    let folder = folder("none.yaml", "");
    fs::write(folder.path().join("p.json"), plan.to_string()).expect("a plan");
    let run = assert_in(folder.path(), &["--init", "p.json", "-o", "i.yaml"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let pinned = fs::read_to_string(folder.path().join("i.yaml")).expect("a file");
    assert!(!pinned.contains(CANARY) && pinned.matches("Key-of").count() == 1, "{pinned}");
    let run = assert_in(folder.path(), &["p.json", "-F", "i.yaml"]);
    assert_eq!(run.status.code(), Some(0), "{}{pinned}", text(&run.stdout));
}

/// Each plan of the corpus and each real plan meets its own pinned file.
#[test]
fn real_plans_meet_their_pinned_files() {
    let corpus = shared_plans::below(&run::corpus(""), "plans");
    let (folder, mut files, mut met) = (folder("none.yaml", ""), 0, 0);
    for (_, path) in corpus.into_iter().chain(shared_plans::files()) {
        let is_plan = path.extension().is_some_and(|it| it == "json" || it == "tfplan");
        if !is_plan {
            continue;
        }
        files += 1;
        if !run::is_tried(files) {
            continue;
        }
        let name = path.to_str().expect("UTF-8");
        let run = assert_in(folder.path(), &["-q", "--init", name, "-o", "i.json"]);
        // Some of the files are not plans.
        if run.status.code() == Some(0) {
            met += 1;
            let run = assert_in(folder.path(), &["-q", name, "-F", "i.json"]);
            let (out, said) = (text(&run.stdout), text(&run.stderr));
            assert_eq!(run.status.code(), Some(0), "{name}: {out}{said}");
        }
    }
    run::assert_enough(met, 90, 50);
}
