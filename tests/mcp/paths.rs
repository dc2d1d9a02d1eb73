//! Calls read only files below the root.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::Session;
use crate::run;
use crate::stores::s3::S3;

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
    let s3 = S3::start();
    for key in ["allowed/a/plan.json", "other/plan.json"] {
        s3.put(key, fs::read(run::corpus(super::RICH)).expect("a plan"));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["--allow-store", "s3://plans/allowed/"];
    let mut session = Session::open_with(folder.path(), &args, &s3.variables());
    let name = "s3://plans/allowed/a/plan.json";
    let page = |session: &mut Session, start: u64| {
        session.answer("changes", &json!({"plan": name, "start": start, "limit": 1}))
    };
    assert_eq!(page(&mut session, 0)["total"], 57);
    let compared = session.answer("compare", &json!({"old": name, "new": name}));
    assert_eq!(compared["verdict"], "same");
    assert!(!s3.gate.take_objects().is_empty());
    // The next page needs no other download, unless the object has changed.
    page(&mut session, 1);
    assert!(s3.gate.take_objects().is_empty());
    s3.put("allowed/a/plan.json", fs::read(run::corpus("plans/update/plan.json")).expect("a plan"));
    assert_ne!(page(&mut session, 1)["total"], 57);
    s3.gate.take_objects();
    for name in [
        "s3://plans/other/plan.json",
        "s3://plans/allowed/../other/plan.json",
        "s3://plans/allowed/",
        "s3://plans/allowed/a",
        "s3://plans/allowed/a/",
        "s3://plans/allowed/*/plan.json",
        "s3://plans/allowed/missing.json",
        "https://example.com/plan.json",
    ] {
        session.refusal("summarize", &json!({"plan": name}));
    }
    assert!(s3.gate.take_objects().iter().all(|asked| asked.line.contains("/missing.json")));
    session.end();
}
