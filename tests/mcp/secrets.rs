//! No answer has a secret, or a copy of one.

use std::fs;

use serde_json::{Value, json};

use super::Session;
use crate::assert::secrets::{SECRET, plan};
use crate::run;

/// Asks all tools about a plan. Returns the number of answers.
fn ask_all(session: &mut Session, name: &str) -> usize {
    let mut answers = 0;
    let mut ask = |tool: &str, arguments: Value| {
        let (text, answer) = match session.ask(tool, &arguments) {
            Ok(answered) => answered,
            Err(error) => (error.to_string(), error),
        };
        if let Some(at) = text.find(SECRET) {
            panic!("{name}: {tool} {arguments}: …{}", &text[at.saturating_sub(200)..]);
        }
        answers += 1;
        answer
    };
    ask("summarize", json!({"plan": name}));
    let page = ask("changes", json!({"plan": name, "limit": 2_000, "max_bytes": 200_000}));
    for row in page["changes"].as_array().into_iter().flatten() {
        let address = &row["address"];
        let deposed = &row["deposed"];
        let max = 200_000;
        ask(
            "change",
            json!({"plan": name, "address": address, "deposed": deposed, "max_bytes": max}),
        );
    }
    let rules = ["changes", "destroy", "update", "create", "read", "drift", "output", "check"];
    let assertions = json!([
        {"resource": "*", "action": "no-op"},
        {"resource": "*", "path": "**", "known": "zz"},
        {"resource": "*", "path": "**", "unknown": true},
        {"resource": "*", "deferred": true, "path": "**", "known": 1},
        {"output": "*", "path": "**", "known": "zz"},
    ]);
    let assertions = assertions.to_string();
    ask(
        "check",
        json!({"plan": name, "rules": rules, "assertions": assertions, "max_bytes": 200_000}),
    );
    for level in ["values", "all"] {
        for pair in [[name, "other.json"], ["other.json", name]] {
            let [old, new] = pair;
            ask("compare", json!({"old": old, "new": new, "level": level, "max_bytes": 200_000}));
        }
    }
    ask("fleet", json!({"folder": "."}));
    answers
}

#[test]
fn no_answer_has_a_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, plan: &Value| {
        fs::write(folder.path().join(name), plan.to_string()).expect("a file");
    };
    let mut plan = plan();
    write("other.json", &json!({"format_version": "1.2", "resource_changes": []}));
    write("canary.json", &plan);
    // Copies in names, which Terraform refuses, in reasons, and in messages.
    let secret = "CANARYsecretAAA1";
    let copied = &mut plan["resource_changes"][1];
    copied["address"] = json!(format!("acme_x.b[\"{secret}\"]"));
    copied["previous_address"] = json!(format!("acme_x.c[\"x {secret} y\"]"));
    copied["index"] = json!(secret);
    copied["action_reason"] = json!(secret);
    copied["change"]["importing"] = json!({"id": secret});
    let change = copied["change"].clone();
    plan["terraform_version"] = json!(secret);
    plan["output_changes"][secret] = json!({
        "actions": ["create"], "before": null, "after": 1, "after_unknown": false,
        "before_sensitive": false, "after_sensitive": false,
    });
    let mut drift = json!({
        "address": format!("acme_x.d[\"{secret}\"]"), "mode": "managed", "type": "acme_x",
        "name": "d", "change": change,
    });
    drift["change"]["actions"] = json!(["delete"]);
    plan["resource_drift"] = json!([drift]);
    plan["checks"] = json!([{
        "address": {"kind": "check", "to_display": format!("check.{secret}")},
        "status": "fail",
        "instances": [{
            "address": {"to_display": format!("check.{secret}")}, "status": "fail",
            "problems": [{"message": format!("the password is {secret}")}],
        }],
    }]);
    write("copied.json", &plan);
    let mut session = Session::open(folder.path());
    for name in ["canary.json", "copied.json"] {
        assert!(ask_all(&mut session, name) > 8, "{name}");
    }
    session.end();
}

#[test]
fn no_answer_about_the_corpus_has_a_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = json!({"format_version": "1.2", "resource_changes": []});
    fs::write(folder.path().join("other.json"), plan.to_string()).expect("a file");
    let names = [
        "secret-echoes",
        "secret-variables",
        "secret-misfits",
        "secret-modules",
        "secret-actions",
        "secret-parts",
        "sensitive",
        "sensitive-keys",
        "import-sensitive",
    ];
    for name in names {
        let to = folder.path().join(format!("{name}.json"));
        fs::copy(run::corpus(&format!("plans/{name}/plan.json")), to).expect("a copy");
    }
    let mut session = Session::open(folder.path());
    for name in names {
        ask_all(&mut session, &format!("{name}.json"));
    }
    session.end();
}
