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

/// A plan with a secret of 1000 bytes, which is also an instance key and the name of an output.
fn repeated() -> (String, String) {
    let secret: String = (0..250).map(|number| format!("{number:04}")).collect();
    let change = |address: &str, more: &str| {
        format!(
            r#"{{"address":{},"mode":"managed","type":"a","name":"x",
            "change":{{"actions":["update"],"before":{{"v":"x"}},"after":{{"v":"y"}}{more}}}}}"#,
            json!(address)
        )
    };
    let marked = r#","after_sensitive":{"v":true}"#;
    let changes = [
        change("a.marked", marked).replace(r#""y""#, &format!(r#""{secret}""#)),
        change(&format!(r#"a.x["{secret}"]"#), ""),
    ];
    let outputs = format!(r#"{{"{secret}":{{"actions":["create"],"before":null,"after":1}}}}"#);
    let text = format!(
        r#"{{"format_version":"1.2","resource_changes":[{}],"output_changes":{outputs}}}"#,
        changes.join(",")
    );
    (text, secret)
}

#[test]
fn a_long_name_shows_no_part_of_a_secret() {
    let (text, secret) = repeated();
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.json"), text).expect("a file");
    let mut session = Session::open(folder.path());
    let assertions = "[{resource: '*', action: no-op}, {output: '*', path: v, known: zz}, \
                      {resource: '*', deferred: true}, {plan: empty}]";
    for (tool, arguments) in [
        ("check", json!({"plan": "p.json", "rules": ["changes"], "assertions": assertions})),
        ("changes", json!({"plan": "p.json"})),
        ("summarize", json!({"plan": "p.json"})),
    ] {
        let (text, _) = session.ask(tool, &arguments).expect("an answer");
        assert!(!text.contains(&secret[..12]) && !text.contains(&secret[400..412]), "{text}");
    }
    // A pattern does not tell parts of a name that is masked.
    for (key, pattern) in [("address", "*00000001*"), ("only", "output.0000*")] {
        let page = session.answer("changes", &json!({"plan": "p.json", key: [pattern]}));
        assert_eq!(page["total"], 0, "{page}");
    }
    let checked =
        session.answer("check", &json!({"plan": "p.json", "rules": ["update:*00000001*"]}));
    assert_eq!(checked["verdict"], "pass");
    session.end();
}

#[test]
fn a_pattern_without_a_match_tells_no_secret() {
    let secret: String = (0..25).map(|number| format!("{number:04}")).collect();
    let values = json!({
        "v": secret, "tags": {&secret: "x"}, "hidden": {"alpha": "x"}, "lists": [{"alpha": "x"}],
        "password": {"alpha": "x"}, "policy": r#"{"alpha":"x"}"#,
    });
    let marks = json!({"v": true, "hidden": true, "lists": [true]});
    let names = [format!("a.x[\"{secret}\"]"), format!("module.m{secret}.a.y")];
    let changes = names.map(|address| {
        json!({
            "address": address, "mode": "managed", "type": "a", "name": "x",
            "change": {
                "actions": ["no-op"], "before": values, "after": values,
                "before_sensitive": marks, "after_sensitive": marks,
            },
        })
    });
    let plan = json!({
        "format_version": "1.2", "resource_changes": changes,
        "output_changes": {&secret: {"actions": ["create"], "before": null, "after": 1}},
        "checks": [{
            "address": {"kind": "check", "to_display": format!("check.{secret}")}, "status": "pass",
        }],
    });
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.json"), plan.to_string()).expect("a file");
    let mut session = Session::open(folder.path());
    // The first pattern of each pair fits the secret name, and the second one does not.
    for [right, wrong] in [
        ["update:*00010002*", "update:*77777777*"],
        ["update:module.m0*", "update:module.m7*"],
        ["drift:module.m0000", "drift:module.m7777"],
        ["output:0000*", "output:7777*"],
        ["check:check.0000*", "check:check.7777*"],
        [r#"changed-path:tags["0000*"]"#, r#"changed-path:tags["7777*"]"#],
        ["changed-path:hidden.al*", "changed-path:hidden.zz*"],
        ["changed-path:lists.al*", "changed-path:lists.zz*"],
        ["changed-path:password.al*", "changed-path:password.zz*"],
        ["changed-path:jsondecode(policy).al*", "changed-path:jsondecode(policy).zz*"],
        ["changed-path:hidden", "changed-path:password"],
    ] {
        let mut ask = |rule: &str| {
            let (text, answer) =
                session.ask("check", &json!({"plan": "p.json", "rules": [rule]})).expect("one");
            assert!(!text.contains(&secret[..12]), "{rule}: {text}");
            let message = answer["unmatched"][0]["message"].as_str().unwrap_or_default();
            message.strip_prefix(&format!("rule {rule} ")).unwrap_or(message).to_owned()
        };
        assert_eq!(ask(right), ask(wrong), "{right}");
    }
    let rules =
        ["changed-path:hidden.x", "changed-path:tags.x", "changed-path:jsondecode(policy).x"];
    let answer = session.answer("check", &json!({"plan": "p.json", "rules": rules}));
    let unmatched: Vec<&Value> = answer["unmatched"].as_array().expect("a list").iter().collect();
    assert_eq!(unmatched.len(), 2, "{answer}");
    session.end();
}

/// A plan with these changes and drift.
fn plan_of(changes: &Value, drift: &Value) -> Value {
    let of = |changes: &Value| -> Vec<Value> {
        let list = changes.as_array().expect("a list").iter();
        list.map(|change| {
            let names = json!({"address": "a.x", "mode": "managed", "type": "a", "name": "x"});
            let mut row = names;
            row["change"] = change.clone();
            row
        })
        .collect()
    };
    json!({"format_version": "1.2", "resource_changes": of(changes), "resource_drift": of(drift)})
}

/// Asserts that the answers about the two rules of each pair differ in the rules only.
#[track_caller]
fn assert_same_answers(plan: &Value, pairs: &[[&str; 2]]) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.json"), plan.to_string()).expect("a file");
    let mut session = Session::open(folder.path());
    for rules in pairs {
        let [one, two] = rules.map(|rule| {
            let answer = session.ask("check", &json!({"plan": "p.json", "rules": [rule]}));
            let (text, _) = answer.expect("an answer");
            text.replace(json!(rule).to_string().trim_matches('"'), "RULE")
        });
        assert_eq!(one, two, "{rules:?}");
    }
    session.end();
}

#[test]
fn a_pattern_near_a_secret_key_tells_nothing() {
    let secret = "12345678901234567890";
    let marks = json!({"v": true});
    let side = |tag: &str| json!({"v": secret, "tags": {secret: tag}, secret: tag});
    let change = json!({
        "actions": ["update"], "before": side("x"), "after": side("y"),
        "before_sensitive": marks, "after_sensitive": marks,
    });
    let [near, far] = ["12345678901234560000", "99999999999999999999"];
    assert_same_answers(
        &plan_of(&json!([change]), &json!([])),
        &[
            [&format!("changed-path:tags.{near}"), &format!("changed-path:tags.{far}")],
            [&format!("changed-path:{near}"), &format!("changed-path:{far}")],
        ],
    );
}

#[test]
fn a_pattern_finds_no_key_below_a_secret_value() {
    let secret = "CANARYsecretAAA1";
    let side = |value: &str| {
        let inner = json!({"hidden": {"alpha": value}});
        json!({
            "v": secret, "m": {secret: inner}, "n": {"k\u{202e}": inner},
            "hidden": {"alpha": value}, "misfit": {"alpha": value}, "password": {"alpha": value},
        })
    };
    let marks = json!({
        "v": true, "m": {secret: {"hidden": true}}, "n": {"k\u{202e}": {"hidden": true}},
        "hidden": true, "misfit": [true],
    });
    let pairs = [
        ["changed-path:hidden.al*", "changed-path:hidden.zz*"],
        ["changed-path:misfit.al*", "changed-path:misfit.zz*"],
        ["changed-path:password.al*", "changed-path:password.zz*"],
        ["changed-path:*.hidden.al*", "changed-path:*.hidden.zz*"],
        ["changed-path:n*.al*", "changed-path:n*.zz*"],
        ["unknown-path:password.al*", "unknown-path:password.zz*"],
    ];
    for (action, before) in [("no-op", side("y")), ("update", side("x")), ("create", Value::Null)] {
        let change = json!({
            "actions": [action], "before": before, "after": side("y"),
            "before_sensitive": marks, "after_sensitive": marks,
        });
        assert_same_answers(&plan_of(&json!([change]), &json!([])), &pairs);
    }
    let unknown = json!({"password": {"alpha": true}, "m": {"password": {"alpha": true}}});
    let change = json!({
        "actions": ["update"], "before": {"a": 1}, "after": {"a": 2}, "after_unknown": unknown,
    });
    let pairs = [
        ["unknown-path:password.al*", "unknown-path:password.zz*"],
        ["unknown-path:m.password.al*", "unknown-path:m.password.zz*"],
        ["changed-path:*.al*", "changed-path:*.zz*"],
    ];
    assert_same_answers(&plan_of(&json!([change]), &json!([])), &pairs);
}

#[test]
fn a_mark_of_a_change_hides_the_keys_in_other_sections() {
    let side = |value: &str| json!({"hidden": {"alpha": value}, "plain": {"alpha": value}});
    let marks = json!({"hidden": true});
    let change = json!({
        "actions": ["no-op"], "before": side("y"), "after": side("y"),
        "before_sensitive": marks, "after_sensitive": marks,
    });
    let drift = json!({"actions": ["update"], "before": side("x"), "after": side("y")});
    let plan = plan_of(&json!([change]), &json!([drift]));
    assert_same_answers(&plan, &[["changed-path:hidden.al*", "changed-path:hidden.zz*"]]);
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.json"), plan.to_string()).expect("a file");
    let mut session = Session::open(folder.path());
    let page = session.answer("changes", &json!({"plan": "p.json"}));
    assert_eq!(page["changes"][0]["paths"], json!(["hidden", "plain.alpha"]), "{page}");
    for (pattern, total) in [("hidden.al*", 0), ("hidden", 1), ("plain.al*", 1)] {
        let page = session.answer("changes", &json!({"plan": "p.json", "path": [pattern]}));
        assert_eq!(page["total"], total, "{pattern}: {page}");
    }
    session.end();
}

#[test]
fn a_key_that_is_secret_by_name_hides_the_unknown_keys_below_it() {
    let unknown = json!({"password": {"alpha": true}, "plain": {"alpha": true}});
    let change = json!({
        "actions": ["update"], "before": {"a": 1}, "after": {"a": 2}, "after_unknown": unknown,
    });
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan_of(&json!([change]), &json!([]));
    fs::write(folder.path().join("p.json"), plan.to_string()).expect("a file");
    let mut session = Session::open(folder.path());
    let page = session.answer("changes", &json!({"plan": "p.json"}));
    assert_eq!(page["changes"][0]["unknown"], json!(["password", "plain.alpha"]), "{page}");
    session.end();
}

#[test]
fn values_are_compared_as_a_whole_only() {
    let mut session = Session::of_corpus();
    let mut check = |known: &str| {
        let assertions = format!("[{{resource: 'aws_*', path: name, known: {known}}}]");
        session.ask("check", &json!({"plan": super::RICH, "assertions": assertions})).is_ok()
    };
    for known in [
        "x",
        "3",
        "true",
        "[a, {b: c}]",
        "{equals: {regex: a}}",
        "{not_null: true}",
        "{not: x}",
        "{one_of: [x, y]}",
    ] {
        assert!(check(known), "{known}");
    }
    for known in [
        "{regex: '^a'}",
        "{not: {regex: '^a'}}",
        "{range: {min: 3}}",
        "{one_of: [x, {regex: a}]}",
        "{list_of: [{regex: a}]}",
        "{set_of: [{regex: a}]}",
        "{has: {a: {regex: a}}}",
        "{contains: a}",
        "{size: 3}",
    ] {
        assert!(!check(known), "{known}");
    }
    for (known, is_exact) in [("x", true), ("{regex: '^a'}", false)] {
        let more = format!(
            "x, when: {{path: name, refers_to: {{resource: 'aws_*', path: arn, known: {known}}}}}"
        );
        assert_eq!(check(&more), is_exact, "{known}");
    }
    session.end();
}
