//! Assertions about the step from the value before a change to the planned value.

use serde_json::{Value, json};

use super::{change, finding_in};

/// A plan in which protection ends, ports open, and retention shrinks.
fn plan() -> Value {
    json!({
        "format_version": "1.2", "terraform_version": "1.15.0",
        "resource_changes": [
            change("aws_db.main", &["update"], &json!({
                "before": {
                    "protected": true, "days": 35, "engine": "pg", "password": "CANARY-old",
                    "ports": [22, 80], "tags": {"a": "1", "b": "2"},
                    "rules": [{"from": "10.0.0.0/8"}],
                },
                "after": {
                    "protected": false, "days": 7, "engine": "pg", "password": "CANARY-new",
                    "ports": [80, 443], "tags": {"a": "1", "c": "3"},
                    "rules": [{"from": "0.0.0.0/0"}, {"from": "10.0.0.0/8"}],
                },
                "after_unknown": {"arn": true},
                "before_sensitive": {"password": true}, "after_sensitive": {"password": true},
            })),
            change("aws_db.new", &["create"], &json!({
                "before": null,
                "after": {"protected": false, "ports": [22], "engine": "pg"}, "after_unknown": {},
            })),
            change("aws_iam_policy.p", &["update"], &json!({
                "before": {
                    "policy": policy(&["s3:GetObject"]), "text": "no document",
                    "outer": json!({"inner": policy(&["a"])}).to_string(),
                    "secret": json!({"key": "CANARY-old"}).to_string(),
                },
                "after": {
                    "policy": policy(&["s3:GetObject", "*"]), "text": "{",
                    "outer": json!({"inner": policy(&["a", "b"])}).to_string(),
                    "secret": json!({"key": "CANARY-new"}).to_string(),
                },
                "after_unknown": {"late": true},
                "before_sensitive": {"secret": true}, "after_sensitive": {"secret": true},
            })),
            change("aws_db.old", &["delete"], &json!({
                "before": {"protected": true, "days": 35, "engine": "my"}, "after": null,
            })),
        ],
        "output_changes": {
            "name": {"actions": ["update"], "before": "n", "after": "m", "after_unknown": false},
        },
    })
}

/// A policy with a statement for each action.
fn policy(actions: &[&str]) -> String {
    let statement = |action: &&str| json!({"Effect": "Allow", "Action": action});
    json!({"Statement": actions.iter().map(statement).collect::<Vec<_>>()}).to_string()
}

/// Assertions, and what is found if they do not hold.
const ANSWERS: &[(&str, Option<&str>)] = &[
    // The value before the change, also of a resource that goes.
    ("resource: aws_db.main, path: days, before: 35", None),
    (
        "resource: aws_db.main, path: days, before: {range: {max: 30}}",
        Some("aws_db.main|days|a number of at most 30 before the change|35"),
    ),
    ("resource: aws_db.old, path: engine, before: my", None),
    (
        "resource: aws_db.old, path: engine, before: pg",
        Some("aws_db.old|engine|\"pg\" before the change|\"my\""),
    ),
    (
        "resource: aws_db.new, path: engine, before: pg",
        Some("aws_db.new|engine|\"pg\" before the change|nothing"),
    ),
    (
        "resource: aws_db.main, path: password, before: x",
        Some("aws_db.main|password|\"x\" before the change|(sensitive value)"),
    ),
    // Pairs.
    (
        "resource: aws_db.main, path: protected, not_change: {was: true, becomes: {not: true}}",
        Some("aws_db.main|protected|not a change from true to not true|false"),
    ),
    ("resource: aws_db.new, path: protected, not_change: {was: true, becomes: false}", None),
    ("resource: aws_db.new, path: protected, change: {was: null, becomes: false}", None),
    ("resource: aws_db.old, path: protected, not_change: {was: true, becomes: {not: true}}", None),
    (
        "resource: aws_db.old, path: protected, not_change: {was: true}",
        Some("aws_db.old|protected|not a change from true|delete"),
    ),
    (
        "resource: aws_db.main, path: engine, change: {was: pg, becomes: my}",
        Some("aws_db.main|engine|a change from \"pg\" to \"my\"|\"pg\""),
    ),
    (
        "resource: aws_db.main, path: password, not_change: {becomes: {not: x}}",
        Some("aws_db.main|password|not a change to not \"x\"|(sensitive value)"),
    ),
    ("output: name, change: {was: n, becomes: m}", None),
    // Numbers.
    (
        "resource: aws_db.main, path: days, not_change: {shrinks: true}",
        Some("aws_db.main|days|not a change to a smaller number|7"),
    ),
    ("resource: aws_db.main, path: days, not_change: {grows: true}", None),
    ("resource: aws_db.old, path: days, not_change: {shrinks: true}", None),
    // Elements and members.
    (
        "resource: aws_db.main, path: ports, not_change: {adds: 443}",
        Some("aws_db.main|ports|not a change that adds 443|a list of 2"),
    ),
    ("resource: aws_db.main, path: ports, not_change: {adds: 80}", None),
    ("resource: aws_db.main, path: ports, change: {adds: 443, removes: 22}", None),
    (
        "resource: aws_db.new, path: ports, not_change: {adds: 22}",
        Some("aws_db.new|ports|not a change that adds 22|a list of 1"),
    ),
    ("resource: aws_db.main, path: tags, change: {adds: '3', removes: '2'}", None),
    ("resource: aws_db.main, path: tags, not_change: {adds: '1'}", None),
    (
        "resource: aws_db.main, path: rules, not_change: {adds: {has: {from: 0.0.0.0/0}}}",
        Some(
            "aws_db.main|rules|not a change that adds the object {from: \"0.0.0.0/0\", ...}|a list \
             of 2",
        ),
    ),
    ("resource: aws_db.main, path: rules, not_change: {adds: {has: {from: 10.0.0.0/8}}}", None),
    // Unknown values.
    (
        "resource: aws_db.main, path: arn, not_change: {unknown: true}",
        Some("aws_db.main|arn|not a change to an unknown value|an unknown value"),
    ),
    ("resource: aws_db.main, path: arn, not_change: {becomes: x}", None),
    ("resource: aws_db.main, path: days, change: {unknown: false}", None),
    // Conditions.
    ("resource: aws_db.*, when: {action: create}, path: ports, known: [22]", None),
    (
        "resource: aws_db.*, when: {path: engine, before: my}, not_action: delete",
        Some("aws_db.old||not delete|delete"),
    ),
    ("resource: aws_db.*, when: {path: engine, before: no}, not_action: delete", None),
    (
        "resource: aws_db.*, when: {path: 'ports[*]', known: 443}, path: days, known: 8",
        Some("aws_db.main|days|8|7"),
    ),
    // Networks.
    (
        "resource: aws_db.main, path: rules, not_change: {adds: {has: {from: {network: public}}}}",
        Some(
            "aws_db.main|rules|not a change that adds the object {from: a public network, ...}|a \
             list of 2",
        ),
    ),
    ("resource: aws_db.main, path: 'rules[0].from', change: {was: {network: private}}", None),
    ("resource: aws_db.main, path: 'rules[1].from', known: {prefix_length: {max: 8}}", None),
    (
        "resource: aws_db.main, path: 'rules[1].from', known: {prefix_length: {min: 9}}",
        Some(
            "aws_db.main|rules[1].from|a network with a prefix length of at least 9|\"10.0.0.0/8\"",
        ),
    ),
    // Only values that change.
    ("resource: aws_db.main, path: engine, not_change: {becomes: pg}", None),
    (
        "resource: aws_db.main, path: '**', not_change: {sensitive: true}",
        Some("aws_db.main|password|not a change of a sensitive value|(sensitive value)"),
    ),
    ("resource: aws_db.main, path: days, not_change: {sensitive: true, shrinks: true}", None),
    // Documents in strings.
    (
        "resource: aws_iam_policy.p, path: jsondecode(policy).Statement, not_change: {adds: {has: \
         {Action: '*'}}}",
        Some(
            "aws_iam_policy.p|jsondecode(policy).Statement|not a change that adds the object \
             {Action: \"*\", ...}|a list of 2",
        ),
    ),
    (
        "resource: aws_iam_policy.p, path: jsondecode(policy).Statement, not_change: {adds: {has: \
         {Action: 's3:GetObject'}}}",
        None,
    ),
    (
        "resource: aws_iam_policy.p, path: 'jsondecode(policy).Statement[*].Action', known: {not: \
         '*'}",
        Some("aws_iam_policy.p|jsondecode(policy).Statement[*].Action|not \"*\"|\"*\""),
    ),
    (
        "resource: aws_iam_policy.p, path: 'jsondecode(policy).Statement[0].Action', unchanged: \
         true",
        None,
    ),
    (
        "resource: aws_iam_policy.p, path: 'jsondecode(policy)', known: {has: {Statement: {size: \
         2}}}",
        None,
    ),
    (
        "resource: aws_iam_policy.p, path: \
         'jsondecode(jsondecode(outer).inner).Statement[1].Action', known: x",
        Some(
            "aws_iam_policy.p|jsondecode(jsondecode(outer).inner).Statement[1].Action|\"x\"|\"b\"",
        ),
    ),
    (
        "resource: aws_iam_policy.p, path: jsondecode(secret).key, known: x",
        Some("aws_iam_policy.p|jsondecode(secret).key|\"x\"|(sensitive value)"),
    ),
    ("resource: aws_iam_policy.p, path: jsondecode(secret).key, sensitive: true", None),
    ("resource: aws_iam_policy.p, path: jsondecode(late).key, unknown: true", None),
    (
        "resource: aws_iam_policy.p, path: jsondecode(text).key, known: x",
        Some("aws_iam_policy.p|jsondecode(text).key|\"x\"|nothing that the path matches"),
    ),
    ("resource: aws_iam_policy.p, path: jsondecode(text).key, known: x, optional: true", None),
    (
        "resource: aws_iam_policy.p, path: jsondecode(policy).Statment, not_change: {adds: x}",
        Some("aws_iam_policy.p|jsondecode(policy).Statment|not a change that adds \"x\"|nothing"),
    ),
    (
        "resource: aws_iam_policy.p, when: {path: 'jsondecode(policy).Statement[*].Action', known: \
         '*'}, path: text, known: x",
        Some("aws_iam_policy.p|text|\"x\"|\"{\""),
    ),
];

#[test]
fn transitions_have_these_answers() {
    let plan = plan().to_string();
    let wrong: Vec<_> = ANSWERS
        .iter()
        .filter_map(|(assertion, expected)| {
            let found = finding_in(&plan, assertion);
            (found.as_deref() != *expected).then(|| format!("{assertion}: {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn plans_with_drift_are_no_undrifted_plans() {
    let drift = |action: &str| {
        let drifted =
            change("aws_db.main", &[action], &json!({"before": {"a": 1}, "after": {"a": 2}}));
        json!({"format_version": "1.2", "resource_drift": [drifted], "resource_changes": []})
            .to_string()
    };
    let answer = |plan: &str| finding_in(plan, "plan: undrifted");
    assert_eq!(answer(&drift("update")).as_deref(), Some("||a plan without drift|drift"));
    assert_eq!(answer(&drift("no-op")), None);
    assert_eq!(answer(&plan().to_string()), None);
}

/// A state has no changes, so nothing can be said about one.
#[test]
fn states_have_no_transitions() {
    let state = json!({"format_version": "1.0", "values": {"root_module": {"resources": [
        {"address": "aws_db.main", "type": "aws_db", "name": "main", "values": {"days": 7}},
    ]}}});
    for (key, expected) in [
        ("before: 7", "7 before the change"),
        ("change: {was: 7}", "a change from 7"),
        ("not_change: {was: 8}", "not a change from 8"),
    ] {
        let assertion = format!("resource: aws_db.main, path: days, {key}");
        let found = finding_in(&state.to_string(), &assertion);
        let expected = format!("aws_db.main|days|{expected}|a state, which plans no changes");
        assert_eq!(found, Some(expected));
    }
}
