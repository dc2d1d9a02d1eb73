//! Assertions about the step from the value before a change to the planned value.

use serde_json::{Value, json};

use super::{assert_in, change, finding_in, folder, text};
use crate::run;

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
                "after": {"protected": false, "ports": [22], "engine": "pg", "nothing": null},
                "after_unknown": {},
            })),
            change("aws_iam_policy.p", &["update"], &json!({
                "before": {
                    "policy": policy(&["s3:GetObject"]), "text": "no document",
                    "outer": json!({"inner": policy(&["a"])}).to_string(),
                    "single": policy(&["a"]),
                    "secret": json!({"key": "CANARY-old"}).to_string(),
                },
                "after": {
                    "policy": policy(&["s3:GetObject", "*"]), "text": "{",
                    "outer": json!({"inner": policy(&["a", "b"])}).to_string(),
                    "single": json!({"Statement": {"Effect": "Allow", "Action": "b"}}).to_string(),
                    "secret": json!({"key": "CANARY-new"}).to_string(),
                },
                "after_unknown": {"late": true},
                "before_sensitive": {"secret": true}, "after_sensitive": {"secret": true},
            })),
            change("aws_late.x", &["update"], &json!({
                "before": {"protected": true, "days": 35, "zero": 0, "size": null},
                "after": {"zero": null, "size": 5}, "after_unknown": {"protected": true},
            })),
            change("aws_late.new", &["create"], &json!({"before": null, "after": {"size": 5}})),
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
    // A positive number that goes shrinks, and one that comes grows, unless its object is new.
    (
        "resource: aws_late.x, path: days, not_change: {shrinks: true}",
        Some("aws_late.x|days|not a change to a smaller number|null"),
    ),
    ("resource: aws_late.x, path: zero, not_change: {shrinks: true}", None),
    (
        "resource: aws_late.x, path: size, not_change: {grows: true}",
        Some("aws_late.x|size|not a change to a larger number|5"),
    ),
    ("resource: aws_late.new, path: size, not_change: {grows: true}", None),
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
    ("resource: aws_late.x, path: protected, not_change: {was: true, becomes: {not: true}}", None),
    (
        "resource: aws_late.x, path: protected, not_change: {was: true, becomes: {not: true}}, \
         unknown: false",
        Some("aws_late.x|protected|known|an unknown value"),
    ),
    (
        "resource: aws_late.x, path: protected, not_change: {was: true, unknown: true}",
        Some("aws_late.x|protected|not a change from true to an unknown value|an unknown value"),
    ),
    // Conditions.
    ("resource: aws_db.*, when: {action: create}, path: ports, known: [22]", None),
    (
        "resource: aws_db.*, when: {path: engine, before: my}, not_action: delete",
        Some("aws_db.old||not delete|delete"),
    ),
    ("resource: aws_db.*, when: {path: engine, before: 'no'}, not_action: delete", None),
    // The planned value of a resource that goes is gone.
    ("resource: aws_db.*, when: {path: engine, known: my}, not_action: delete", None),
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
    // A missing value is null, and null is no change.
    ("resource: aws_db.new, path: none, not_change: {becomes: null}, optional: true", None),
    ("resource: aws_db.new, path: nothing, not_change: {becomes: null}", None),
    ("resource: aws_db.old, path: nothing, not_change: {was: {not: true}}, optional: true", None),
    // One value must meet a condition.
    (
        "resource: aws_db.main, when: {path: 'ports[*]', before: 22, known: 443}, path: days, \
         known: 8",
        None,
    ),
    (
        "resource: aws_db.main, when: {path: 'ports[*]', before: 22, known: 80}, path: days, \
         known: 8",
        Some("aws_db.main|days|8|7"),
    ),
    // A condition on an unknown value counts as met, and one that no value has is a typo.
    (
        "resource: aws_db.main, when: {path: arn, known: x}, path: days, known: 8",
        Some("aws_db.main|days|8|7"),
    ),
    (
        "resource: aws_late.x, when: {path: protected, change: {was: true, becomes: false}}, \
         not_action: update",
        Some("aws_late.x||not update|update"),
    ),
    (
        "resource: aws_late.x, when: {path: protected, change: {was: false, becomes: true}}, \
         not_action: update",
        None,
    ),
    (
        "resource: aws_late.x, when: {path: protected, change: {becomes: false, unknown: false}}, \
         not_action: update",
        None,
    ),
    (
        "resource: aws_late.x, when: {path: protected, unchanged: true}, not_action: update",
        Some("aws_late.x||not update|update"),
    ),
    (
        "resource: aws_db.main, when: {path: engien, known: pg}, path: days, known: 8",
        Some("aws_db.main|engien|a value at the path of `when`|nothing"),
    ),
    (
        "resource: aws_db.main, when: {path: engien, known: pg}, path: days, known: 8, optional: \
         true",
        None,
    ),
    // Sets of types are about resources.
    ("resource: '@data', absent: true", None),
    ("resource: '@data', not_action: destroy", None),
    (
        "resource: '@data', absent: false",
        Some(
            "||a resource that the pattern covers|none: the assertion asks about nothing: add \
             optional: true if that is fine",
        ),
    ),
    // Documents in strings.
    (
        "resource: aws_iam_policy.p, path: jsondecode(single).Statement, not_change: {adds: {has: \
         {Action: b}}}",
        Some(
            "aws_iam_policy.p|jsondecode(single).Statement|not a change that adds the object \
             {Action: \"b\", ...}|an object of 2",
        ),
    ),
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
        Some("aws_iam_policy.p|jsondecode(policy).Statement[*].Action|not \"*\"|a text"),
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
            "aws_iam_policy.p|jsondecode(jsondecode(outer).inner).Statement[1].Action|\"x\"|a text",
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

/// The assertions in the manual are valid, and the one about SSH refuses each rule with port 22.
#[test]
fn the_examples_of_the_manual_refuse_what_they_name() {
    let page = run::root().join("docs/commands/assert.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let files: Vec<&str> = blocks.filter(|block| block.contains("- name: ")).collect();
    assert!(files.len() > 3, "{files:?}");
    let rule = |protocol: &str, ports: [u32; 2], range: &str| {
        json!({
            "protocol": protocol, "from_port": ports[0], "to_port": ports[1],
            "cidr_blocks": [range],
        })
    };
    for (rule, is_refused) in [
        (rule("tcp", [22, 22], "0.0.0.0/0"), true),
        (rule("tcp", [0, 65535], "8.0.0.0/8"), true),
        (rule("-1", [0, 0], "0.0.0.0/0"), true),
        (rule("-1", [0, 0], "10.0.0.0/8"), false),
        (rule("tcp", [443, 443], "0.0.0.0/0"), false),
    ] {
        let sides = json!({"before": {"ingress": []}, "after": {"ingress": [rule]}});
        let plan = json!({"format_version": "1.2", "resource_changes": [
            change("aws_security_group.a", &["update"], &sides),
        ]});
        let mut refused = 0;
        for file in &files {
            let folder = folder("examples.yaml", file);
            std::fs::write(folder.path().join("plan.json"), plan.to_string()).expect("a plan");
            let run = assert_in(folder.path(), &["plan.json", "--file", "examples.yaml"]);
            assert_ne!(run.status.code(), Some(64), "{file}: {}", text(&run.stderr));
            let finding = "aws_security_group.a: ingress: expected not a change";
            refused += u32::from(text(&run.stdout).contains(finding));
        }
        assert_eq!(refused, u32::from(is_refused), "{rule}");
    }
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

/// Reports recognise a copy of a marked document as a whole, so its parts are not shown.
#[test]
fn parts_of_a_copy_of_a_marked_document_are_hidden() {
    let document = json!({"pin": "CANARY-1", "flag": "CANARY-2"}).to_string();
    let sides = json!({
        "before": {"secret": document, "copy": document},
        "after": {"secret": document, "copy": "{}"},
        "after_unknown": {}, "before_sensitive": {"secret": true},
        "after_sensitive": {"secret": true},
    });
    let plan = json!({"format_version": "1.2", "resource_changes": [
        change("aws_a.a", &["update"], &sides),
    ]});
    for (assertion, found) in [
        ("path: jsondecode(copy).pin, before: x", "\"x\" before the change|a text"),
        ("path: 'jsondecode(copy).*', before: x", "\"x\" before the change|a text"),
        ("path: copy, before: x", "\"x\" before the change|(repeats a sensitive value)"),
    ] {
        let path =
            assertion.split(['\'', ' ', ',']).find(|it| it.contains("copy")).expect("a path");
        let finding = finding_in(&plan.to_string(), &format!("resource: aws_a.a, {assertion}"));
        assert_eq!(finding, Some(format!("aws_a.a|{path}|{found}")));
    }
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
    let assertion = "resource: aws_db.main, when: {action: update}, path: days, known: 7";
    let found = finding_in(&state.to_string(), assertion);
    assert_eq!(found.as_deref(), Some("aws_db.main||7|a state, which plans no changes"));
}

#[test]
fn conditions_that_cannot_hold_are_refused() {
    let nested = "jsondecode(".repeat(5) + "a" + &")".repeat(5);
    for (assertion, words) in [
        ("path: x, change: {grows: true, shrinks: true}", "exclude each other"),
        ("path: x, change: {unknown: true, becomes: 1}", "an unknown value has no other keys"),
        ("path: x, change: {was: 1, bcomes: 2}", "did you mean `becomes`?"),
        ("path: x, change: {}", "`change` is empty: write one of was"),
        ("when: {action: create}, count: {max: 1}", "goes without `when`"),
        ("when: {path: x}, action: create", "the condition expects nothing"),
        ("when: {name: x}, action: create", "unknown key `name`"),
        ("when: x, action: create", "a mapping like {path: engine, before: postgres}"),
        ("path: x, becomes: 4", "write `change: {becomes: ...}`"),
        ("when: {path: x, becomes: 4}, action: create", "write `change: {becomes: ...}`"),
        ("path: x, regex: a", "write `known: {regex: ...}`"),
        ("path: x, change: {regex: a}", "write `becomes: {regex: ...}`"),
        ("path: x, not_change: {becomes: {min: 5}}", "write `range: {min: ...}`"),
        ("path: x, not_change: {was: yes, becomes: no}", "`yes` is a string in YAML 1.2"),
        ("path: x, known: {one_of: [a, Off]}", "put it in quotes if you mean the string"),
        ("path: x[0], known: 1", "put an address or a path with brackets in quotes"),
        ("path: x, known: {network: Public}", "`network` is `public` or `private`"),
        (&*format!("path: '{nested}', known: 1"), "more than 4 nested documents"),
    ] {
        let said = refusal(&format!("resource: a.b, {assertion}"));
        assert!(said.contains(words), "{assertion}: {said}");
    }
    for path in ["jsondecode(a).p*", "jsondecode(a)b", "jsondecode(a).", "jsondecode(a"] {
        let said = refusal(&format!("resource: a.b, path: '{path}', known: 1"));
        assert!(said.contains("write one like jsondecode(policy).Statement"), "{path}: {said}");
    }
    let said = refusal("output: '@data', known: 1");
    assert!(said.contains("a set of types has no outputs"), "{said}");
    let said = refusal("resource: @data, absent: true");
    assert!(said.contains("put a set of types in quotes"), "{said}");
    for pattern in ["*", "*.web", "*web"] {
        let said = refusal(&format!("resource: {pattern}, absent: true"));
        assert!(said.contains("in quotes, as in \"*"), "{pattern}: {said}");
    }
    let said = refusal("resource: '@dta', absent: true");
    assert!(said.contains("the sets are @access, @data, @network"), "{said}");
}

/// The message about an assertion that is refused.
fn refusal(assertion: &str) -> String {
    let folder = folder("none.yaml", "");
    let run = assert_in(folder.path(), &["plan.json", "-e", assertion]);
    assert_eq!(run.status.code(), Some(64), "{assertion}");
    text(&run.stderr)
}
