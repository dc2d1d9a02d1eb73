//! Assertions about a resource that refers to another resource of the document.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{assert_in, change, finding_in, folder, text};
use crate::run;

/// Rules that let groups in. Some groups are open.
fn elements() -> Vec<Value> {
    let rule = |name: &str, source: &Value, unknown: &Value| {
        let after = json!({"source": source, "port": 22});
        let sides = json!({"before": null, "after": after, "after_unknown": unknown});
        change(&format!("rule.{name}"), &["create"], &sides)
    };
    let group = |name: &str, values: &Value| {
        change(&format!("group.{name}"), &["no-op"], &json!({"before": values, "after": values}))
    };
    let number = json!({"before": {"id": 7}, "after": {"id": 7}});
    vec![
        rule("to_open", &json!("g-open"), &json!({})),
        rule("to_closed", &json!("g-closed"), &json!({})),
        rule("to_nothing", &json!("g-none"), &json!({})),
        rule("to_number", &json!(7), &json!({})),
        rule("to_gone", &json!("g-gone"), &json!({})),
        rule("to_many", &json!(["g-closed", "g-open"]), &json!({})),
        group("open", &json!({"id": "g-open", "name": "o", "open": true})),
        group("closed", &json!({"id": "g-closed", "name": "c", "open": false})),
        change("number.seven", &["no-op"], &number),
        change(
            "group.gone",
            &["delete"],
            &json!({
                "before": {"id": "g-gone", "open": true}, "after": null,
            }),
        ),
        change(
            "module.m.rule.late",
            &["create"],
            &json!({
                "before": null, "after": {"port": 22}, "after_unknown": {"source": true},
            }),
        ),
    ]
}

fn plan(elements: &[Value]) -> String {
    json!({
        "format_version": "1.2", "resource_changes": elements,
        "output_changes": {"group": {
            "actions": ["create"], "before": null, "after": "g-open", "after_unknown": false,
        }},
    })
    .to_string()
}

const OPEN: &str = "refers_to: {resource: group, path: open, known: true}";

/// Returns the place of the first failure of an assertion that refuses a new port.
fn place(elements: &[Value], resource: &str, when: &str) -> Option<String> {
    let assertion =
        format!("resource: {resource}, when: {{{when}}}, path: port, not_change: {{becomes: 22}}");
    let finding = finding_in(&plan(elements), &assertion)?;
    Some(finding.split('|').next().expect("a place").to_owned())
}

#[test]
fn a_condition_asks_what_a_value_refers_to() {
    let elements = elements();
    let mut reversed = elements.clone();
    reversed.reverse();
    let cases = [
        ("rule.to_open", "path: source, REF", true),
        ("rule.to_closed", "path: source, REF", false),
        ("rule.to_nothing", "path: source, REF", false),
        ("rule.to_gone", "path: source, REF", false),
        ("rule.to_closed", "path: source, refers_to: {resource: group}", true),
        ("rule.to_nothing", "path: source, refers_to: {resource: group}", false),
        ("rule.to_number", "path: source, refers_to: {resource: number}", true),
        ("rule.to_open", "path: source, refers_to: {resource: group, attribute: name}", false),
        ("rule.to_open", "path: source, refers_to: {resource: 'group.closed'}", false),
        ("rule.to_open", "path: source, refers_to: {resource: '*.group.open'}", true),
        // The value meets the other expectations, too.
        ("rule.to_open", "path: source, known: g-open, REF", true),
        ("rule.to_open", "path: source, known: {not: g-open}, REF", false),
        // Any of several values.
        ("rule.to_many", "path: source, REF", false),
        ("rule.to_many", "path: 'source[*]', REF", true),
        ("rule.to_many", "path: 'source[0]', REF", false),
        // A condition on an unknown value counts as met.
        ("module.m", "path: source, REF", true),
        ("module.m", "path: source, unknown: false, REF", false),
    ];
    for (resource, when, is_met) in cases {
        let when = when.replace("REF", OPEN);
        for elements in [&elements, &reversed] {
            let found = place(elements, resource, &when);
            assert_eq!(found.is_some(), is_met, "{resource}: {when}: {found:?}");
        }
    }
    let of_output = format!("output: group, when: {{{OPEN}}}, known: x");
    assert_eq!(
        finding_in(&plan(&elements), &of_output).as_deref(),
        Some("group||\"x\"|\"g-open\"")
    );
}

/// The failures that wait for the end of the document are shown in its order.
#[test]
fn failures_are_shown_in_the_order_of_the_document() {
    let elements: Vec<Value> = (0..30)
        .map(|number| {
            let address = format!("rule.r{number:02}");
            match number % 3 {
                0 => change(
                    &address,
                    &["create"],
                    &json!({
                        "before": null, "after": {"port": 22}, "after_unknown": {"source": true},
                    }),
                ),
                _ => rule(&address, "g-open"),
            }
        })
        .chain(elements())
        .collect();
    let assertion = format!(
        "resource: rule, optional: true, when: {{path: source, {OPEN}}}, not_action: create"
    );
    let record = record(&plan(&elements), &assertion);
    let expected: Vec<String> = (0..20).map(|number| format!("rule.r{number:02}")).collect();
    assert_eq!(places(&record), expected);
    assert_eq!(record["failed"], 32, "{record}");
}

/// A rule that lets a group in.
fn rule(address: &str, source: &str) -> Value {
    let after = json!({"source": source, "port": 22});
    change(address, &["create"], &json!({"before": null, "after": after}))
}

/// The record of an assertion about a plan.
fn record(plan: &str, assertion: &str) -> Value {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("plan.json"), plan).expect("a plan");
    let run = assert_in(folder.path(), &["plan.json", "-e", assertion, "-f", "ndjson"]);
    serde_json::from_str(&text(&run.stdout)).expect("a record")
}

fn places(record: &Value) -> Vec<&str> {
    let findings = record["findings"].as_array().expect("findings").iter();
    findings.map(|finding| finding["place"].as_str().expect("a text")).collect()
}

/// A failure that does not count leaves no trace, and a path with a typo is noticed.
#[test]
fn a_missing_path_counts_only_with_a_reference() {
    let finding = |reference: &str| {
        let assertion = format!(
            "resource: rule.to_open, when: {{path: source, refers_to: {reference}}}, path: prot, \
             known: 22"
        );
        finding_in(&plan(&elements()), &assertion)
    };
    assert_eq!(finding("{resource: group, path: open, known: 7}"), None);
    let found = finding("{resource: group}");
    assert_eq!(found.as_deref(), Some("rule.to_open|prot|22|nothing; did you mean port?"));
    let assertion = "resource: rule.to_open, when: {path: source, refers_to: {resource: group}}, \
                     path: prot, not_change: {becomes: 22}";
    assert!(finding_in(&plan(&elements()), assertion).is_some());
}

/// An empty string refers to nothing, and a number equals a string with its text.
#[test]
fn strings_and_numbers_refer_to_resources() {
    for (source, id, refers) in [
        (json!("7"), json!(7), true),
        (json!(7), json!("7"), true),
        (json!(7), json!("7.0"), false),
        (json!(""), json!(""), false),
        (json!(true), json!(true), false),
        (json!(null), json!(null), false),
    ] {
        let sides = json!({"before": null, "after": {"source": source, "port": 22}});
        let group = json!({"before": {"id": id}, "after": {"id": id}});
        let elements =
            [change("rule.r", &["create"], &sides), change("group.g", &["no-op"], &group)];
        let found = place(&elements, "rule", "path: source, refers_to: {resource: group}");
        assert_eq!(found.is_some(), refers, "{source} {id}");
    }
}

/// The verdict and the order do not depend on the parts that threads check.
#[test]
fn references_give_one_answer_with_any_number_of_threads() {
    let folder = folder(
        "a.yaml",
        "- {resource: rule, when: {path: '**.source', refers_to: {resource: group}}, \
         not_action: create}",
    );
    let padding = "x".repeat(2000);
    let group = json!({"id": "g-open", "padding": padding});
    let answers = |values: usize| {
        let many: Vec<Value> =
            (0..values).map(|number| json!({"source": format!("s{number}")})).collect();
        let big = json!({"before": null, "after": {"lists": many}});
        let big = change("rule.big", &["create"], &big);
        let rules = (0..400).map(|number| {
            let source = if number % 40 == 7 { "g-open" } else { "other" };
            let after = json!({"source": source, "padding": padding});
            let address = format!("rule.r{number:03}");
            change(&address, &["create"], &json!({"before": null, "after": after}))
        });
        let group = change("group.g", &["no-op"], &json!({"before": group, "after": group}));
        let elements: Vec<Value> =
            [rule("rule.first", "other"), big].into_iter().chain(rules).chain([group]).collect();
        fs::write(folder.path().join("plan.json"), plan(&elements)).expect("a plan");
        let answer = |threads: &str| {
            let mut command = run::plansift();
            command.args(["report", "--assert", "a.yaml", "-o", "json", "--threads", threads]);
            let run = command.arg("plan.json").current_dir(folder.path()).output().expect("a run");
            let report: Value = serde_json::from_str(&text(&run.stdout)).expect("a report");
            report["plans"][0]["broken_rules"].clone()
        };
        let answers = ["1", "2", "4", "8"].map(answer);
        assert!(answers.iter().all(|it| *it == answers[0]), "{answers:#?}");
        answers[0].clone()
    };
    let (few, many) = (answers(5000), answers(10_000));
    assert_eq!((few[0]["count"].as_u64(), many[0]["count"].as_u64()), (Some(10), Some(402)));
}

/// A pattern that covers nothing may be a typo.
#[test]
fn a_reference_to_nothing_fails() {
    let finding = |reference: &str, more: &str| {
        let assertion = format!(
            "resource: rule.to_open, {more} when: {{path: source, refers_to: {reference}}}, \
             not_action: create"
        );
        finding_in(&plan(&elements()), &assertion)
    };
    let expected = "a value at the path of `attribute` in `refers_to`|nothing";
    assert_eq!(finding("{resource: grup}", ""), Some(format!("grup|id|{expected}")));
    assert_eq!(
        finding("{resource: group, attribute: arn}", ""),
        Some(format!("group|arn|{expected}"))
    );
    assert_eq!(finding("{resource: grup}", "optional: true,"), None);
}

/// With too many values to compare, no failure is lost.
#[test]
fn with_too_many_references_every_failure_counts() {
    let group = |id: &str| {
        let values = json!({"id": id});
        change("group.g", &["no-op"], &json!({"before": values, "after": values}))
    };
    let values = |count: usize| {
        let sources: Vec<String> = (0..count).map(|number| format!("s{number}")).collect();
        let after = json!({"source": sources, "port": 22});
        let big = change("rule.r", &["create"], &json!({"before": null, "after": after}));
        vec![big, group("x")]
    };
    let groups = |count: usize| {
        let groups = (0..count).map(|number| group(&format!("g{number}")));
        groups.chain([rule("rule.r", "other")]).collect::<Vec<_>>()
    };
    let rules = |count: usize| {
        (0..count).map(|_| rule("rule.r", "other")).chain([group("x")]).collect::<Vec<_>>()
    };
    for (elements, path, counts) in [
        (values(10_000), "source[*]", false),
        (values(10_001), "source[*]", true),
        (groups(10_000), "source", false),
        (groups(10_001), "source", true),
        // The memory of their failures is bounded, too.
        (rules(1000), "source", false),
        (rules(20_000), "source", true),
    ] {
        let when = format!("path: '{path}', refers_to: {{resource: group}}");
        let found = place(&elements, "rule", &when);
        assert_eq!(found.as_deref(), counts.then_some("rule.r"), "{} at {path}", elements.len());
    }
}

#[test]
fn values_of_a_state_refer_to_resources() {
    let resource = |kind: &str, values: Value| {
        let address = format!("{kind}.x");
        json!({"address": address, "mode": "managed", "type": kind, "name": "x", "values": values})
    };
    let state = json!({"format_version": "1.0", "values": {"root_module": {"resources": [
        resource("rule", json!({"source": "g", "port": 22})),
        resource("group", json!({"id": "g", "open": true})),
    ]}}});
    let finding = |source: &str| {
        let assertion =
            format!("resource: rule, when: {{path: source, {OPEN}}}, path: port, known: 1");
        finding_in(&state.to_string().replace(r#""source":"g""#, source), &assertion)
    };
    assert_eq!(finding(r#""source":"g""#).as_deref(), Some("rule.x|port|1|22"));
    assert_eq!(finding(r#""source":"h""#), None);
}

#[test]
fn wrong_references_are_errors_with_their_line() {
    let cases = [
        (
            "refers_to: group",
            "`refers_to` must be a mapping like {resource: aws_security_group}, not a string",
        ),
        ("refers_to: {attribute: id}", "`refers_to` needs a `resource`"),
        (
            "refers_to: {resource: a, attribute: 'a[*]'}",
            "`attribute` must be a path without wildcards, such as id",
        ),
        ("refers_to: {resource: a, known: {regx: a}}", "unknown key `regx`"),
        ("refers_to: {resource: a, path: x}", "the condition expects nothing"),
        (
            "refers_to: {resource: a, refers_to: {resource: b}}",
            "a reference leads to one resource, and no further",
        ),
    ];
    for (reference, expected) in cases {
        let assertion = format!(
            "- resource: rule\n  when:\n    path: source\n    {reference}\n  not_action: create\n"
        );
        let folder = folder("a.yaml", &assertion);
        let run = assert_in(folder.path(), &["plan.json", "--file", "a.yaml"]);
        let said = text(&run.stderr);
        assert!(said.contains("a.yaml:4:") || said.contains("line 4"), "{reference}: {said}");
        assert!(said.contains(expected), "{reference}: {said}");
        assert_eq!(run.status.code(), Some(64));
    }
    let folder =
        folder("a.yaml", "- {resource: rule, when: {refers_to: {resource: a}}, action: create}");
    let run = assert_in(folder.path(), &["plan.json", "--file", "a.yaml"]);
    assert!(text(&run.stderr).contains("`refers_to` is about a value: add the `path`"));
}
