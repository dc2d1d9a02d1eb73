//! Calls read only files below the root.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::Session;
use crate::run;
use crate::stores::gate::{Gate, answer};

#[test]
fn other_paths_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("a")).expect("a folder");
    let plan = fs::read(run::corpus("plans/update/plan.json")).expect("a plan");
    fs::write(folder.path().join("outside.json"), &plan).expect("a file");
    fs::write(root.join("a/plan.json"), &plan).expect("a file");
    let mut names = vec![
        "../outside.json".to_owned(),
        "a/../../outside.json".to_owned(),
        folder.path().join("outside.json").to_str().expect("a path").to_owned(),
        "/etc/passwd".to_owned(),
        "-".to_owned(),
        "@a/plan.json".to_owned(),
        "a/*.json".to_owned(),
        "https://example.com/plan.json".to_owned(),
        "s3://bucket/plan.json".to_owned(),
        "file:///etc/passwd".to_owned(),
        "a".to_owned(),
        String::new(),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../../outside.json", root.join("a/link.json")).expect("a link");
        std::os::unix::fs::symlink("../..", root.join("a/up")).expect("a link");
        let made = Command::new("mkfifo").arg(root.join("a/fifo")).status().expect("mkfifo runs");
        assert!(made.success());
        let others = ["a/link.json", "a/up/outside.json", "a/fifo", "/dev/null"];
        names.extend(others.map(str::to_owned));
    }
    let mut session = Session::open(&root);
    session.answer("summarize", &json!({"plan": "a/plan.json"}));
    for name in &names {
        session.refusal("summarize", &json!({"plan": name}));
        session.refusal("changes", &json!({"plan": name}));
        session.refusal("change", &json!({"plan": name, "address": "a.b"}));
        session.refusal("check", &json!({"plan": name, "rules": ["changes"]}));
        session.refusal("compare", &json!({"old": name, "new": "a/plan.json"}));
        session.refusal("compare", &json!({"old": "a/plan.json", "new": name}));
    }
    for folder in ["..", "/", "a/up", "a/plan.json", "", "https://example.com/"] {
        session.refusal("fleet", &json!({"folder": folder}));
    }
    // A folder has a row for each plan below the root, and none for what a link leads to.
    let fleet = session.answer("fleet", &json!({"folder": "a"}));
    assert_eq!((&fleet["total"], &fleet["plans"][0]["plan"]), (&json!(1), &json!("a/plan.json")));
    session.end();
}

/// A store is read only below an address that the command allows.
#[test]
fn objects_below_an_allowed_address_are_answered() {
    let plan = fs::read(run::corpus(super::RICH)).expect("a plan");
    let gate = Gate::answering(move |_| answer(200, "ETag: \"1\"", &plan));
    let base = gate.url();
    let allowed = format!("{base}/plans/");
    let folder = tempfile::tempdir().expect("a folder");
    let mut session = Session::open_with(folder.path(), &["--allow-store", &allowed]);
    let name = format!("{allowed}a/plan.json");
    let first = session.answer("changes", &json!({"plan": name, "limit": 1}));
    assert_eq!(first["total"], 57);
    let compared = session.answer("compare", &json!({"old": name, "new": name}));
    assert_eq!(compared["verdict"], "same");
    let asked = gate.take_objects().len();
    assert!(asked > 0);
    // The next page needs no other download.
    session.answer("changes", &json!({"plan": name, "start": 1, "limit": 1}));
    assert!(gate.take_objects().is_empty());
    for name in [
        format!("{base}/other/plan.json"),
        format!("{allowed}../other/plan.json"),
        format!("{allowed}%2e%2e/other/plan.json"),
        format!("{allowed}plan.json?x=1"),
        allowed.clone(),
        "s3://bucket/plan.json".to_owned(),
    ] {
        session.refusal("summarize", &json!({"plan": name}));
    }
    assert!(gate.take_objects().is_empty());
    session.end();
}
