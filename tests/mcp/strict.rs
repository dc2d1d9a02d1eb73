//! A check that may have checked nothing says so, and fails on request.

use std::fs;

use serde_json::{Value, json};

use super::{RICH, Session};

/// Returns the messages and the severities of an answer about patterns that match nothing.
fn unmatched<'a>(answer: &'a Value) -> Vec<(&'a str, &'a str)> {
    let rows = answer["unmatched"].as_array().expect("a list");
    let text = |row: &'a Value, key: &str| row[key].as_str().expect("a text");
    rows.iter().map(|row| (text(row, "message"), text(row, "severity"))).collect()
}

#[test]
fn a_pattern_without_a_match_is_in_the_answer() {
    let mut session = Session::of_corpus();
    let nothing = "matches nothing, no resource has such an address, type or module";
    let typo = format!("rule delete:aws_db_instnace {nothing}: did you mean aws_db_instance?");
    let other = format!("rule create:no_such_type {nothing}");
    let output = "rule output:databse matches nothing, no output has such a name: did you mean \
                  database?";
    let path = "rule changed-path:aws_db_*:enigne_version matches nothing, none of these resources \
                has such an attribute: did you mean engine_version?";
    let rules = [
        "delete:aws_db_instnace",
        "warning create:no_such_type",
        "output:databse",
        "changed-path:aws_db_*:enigne_version",
        "destroy:@data>9",
        "delete:aws_db_instance>9",
    ];
    let mut arguments = json!({"plan": RICH, "rules": rules});
    let answer = session.answer("check", &arguments);
    assert_eq!((&answer["verdict"], &answer["checked"]), (&json!("pass"), &json!(6)), "{answer}");
    let all = [&*typo, &*other, output, path];
    assert_eq!(unmatched(&answer), all.map(|message| (message, "warning")));
    arguments["rules"] = json!(&rules[4..]);
    assert_eq!(unmatched(&session.answer("check", &arguments)), []);
    // With few bytes, the rest is counted.
    let many: Vec<String> = (0..50).map(|number| format!("create:no_such_type_{number}")).collect();
    arguments["rules"] = json!(many);
    arguments["max_bytes"] = json!(2_000);
    let (text, answer) = session.ask("check", &arguments).expect("an answer");
    let shown = unmatched(&answer).len() as u64;
    assert!(text.len() <= 2_000 && shown > 5, "{text}");
    assert_eq!(answer["left_out"]["count"], 50 - shown);
    session.end();
}

#[test]
fn an_assertion_without_a_match_is_in_the_answer() {
    let mut session = Session::of_corpus();
    let assertions = "- {name: known, only: ['*', aws_db_instnace]}";
    let mut arguments = json!({"plan": RICH, "assertions": assertions});
    let answer = session.answer("check", &arguments);
    let message = "known: `only`: aws_db_instnace covers nothing: did you mean aws_db_instance?";
    assert_eq!(unmatched(&answer), [(message, "warning")]);
    assert_eq!(answer["verdict"], "pass", "{answer}");
    arguments["strict_rules"] = json!(true);
    arguments["rules"] = json!(["warning check", "warning unknown-check"]);
    let answer = session.answer("check", &arguments);
    assert_eq!(answer["verdict"], "fail", "{answer}");
    assert_eq!((unmatched(&answer), &answer["failed"][0]["assertion"]), (vec![], &json!("known")));
    session.end();
}

#[test]
fn a_strict_check_fails_if_it_may_have_checked_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = |status: &str| {
        json!({
            "format_version": "1.2",
            "resource_changes": [{
                "address": "aws_one.r", "mode": "managed", "type": "aws_one", "name": "r",
                "change": {"actions": ["delete"], "before": {"size": 1}, "after": null},
            }],
            "checks": [{
                "address": {"kind": "check", "name": "c", "to_display": "check.c"},
                "status": status,
            }],
        })
    };
    for status in ["pass", "fail", "unknown"] {
        let path = folder.path().join(format!("{status}.json"));
        fs::write(path, plan(status).to_string()).expect("a file");
    }
    let mut session = Session::open(folder.path());
    for (status, rules, plain, strict) in [
        ("pass", &["create:aws_oen"][..], "pass", "fail"),
        ("pass", &["warning create:aws_oen"], "pass", "pass"),
        ("pass", &["create:aws_one"], "pass", "pass"),
        ("pass", &["delete:aws_one", "create:aws_oen"], "fail", "fail"),
        ("fail", &["create:aws_one"], "pass", "fail"),
        ("unknown", &["create:aws_one"], "pass", "fail"),
        ("unknown", &["create:aws_one", "warning unknown-check"], "pass", "pass"),
    ] {
        for (is_strict, verdict) in [(false, plain), (true, strict)] {
            let plan = format!("{status}.json");
            let arguments = json!({"plan": plan, "rules": rules, "strict_rules": is_strict});
            let answer = session.answer("check", &arguments);
            assert_eq!(answer["verdict"], verdict, "{arguments}: {answer}");
            let fails = unmatched(&answer).iter().any(|(_, severity)| *severity == "error");
            assert_eq!(fails, is_strict && rules.contains(&"create:aws_oen"), "{answer}");
        }
    }
    // Without rules, the checks of the plan are checked.
    let answer = session.answer("check", &json!({"plan": "fail.json", "strict_rules": true}));
    assert_eq!(answer["verdict"], "fail", "{answer}");
    session.end();
}
