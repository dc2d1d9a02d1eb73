//! What assertions mean for plans with deferred changes, for plans that are not complete, for
//! deposed objects, and for names that a plan lacks.

use serde_json::{Value, json};

use super::{assert_in, change, finding_in, folder, text};

fn document(more: &Value) -> String {
    let mut document = json!({"format_version": "1.2", "terraform_version": "1.15.0"});
    for (key, value) in more.as_object().expect("an object") {
        document[key] = value.clone();
    }
    document.to_string()
}

fn created(address: &str) -> Value {
    change(address, &["create"], &json!({"before": null, "after": {"x": 1}}))
}

fn check(document: &str, answers: &[(&str, Option<&str>)]) {
    for (assertion, found) in answers {
        assert_eq!(finding_in(document, assertion).as_deref(), *found, "{assertion}");
    }
}

/// What assertions say about a deferred change of `aws_late.x`.
fn undecided(expected: &str) -> String {
    format!("aws_late.x||{expected}|a change that is not decided: it is deferred")
}

#[test]
fn assertions_about_deferred_changes_are_undecided() {
    let deferred = json!({"reason": "absent_prereq", "resource_change": created("aws_late.x")});
    let document = document(&json!({
        "resource_changes": [created("aws_db.a")], "deferred_changes": [deferred],
        "complete": false,
    }));
    for (keys, expected) in [
        ("action: delete", "delete"),
        ("action: create", "create"),
        ("not_action: delete", "not delete"),
        ("path: zz, known: 1", "1"),
        ("path: x, sensitive: false", "not sensitive"),
        ("path: x, unchanged: true", "unchanged"),
        ("absent: true", "absent"),
        ("absent: false", "present"),
        ("count: {max: 9}", "at most 9 of change"),
    ] {
        for more in ["", ", optional: true"] {
            let assertion = format!("resource: aws_late.x, {keys}{more}");
            let found = finding_in(&document, &assertion);
            assert_eq!(found, Some(undecided(expected)), "{assertion}");
        }
    }
    check(
        &document,
        &[
            ("resource: aws_late, deferred: true", None),
            ("resource: aws_late.x, deferred: true, action: create", None),
            ("resource: aws_late.x, deferred: absent_prereq, path: x, known: 1", None),
            (
                "resource: aws_late.x, deferred: true, action: delete",
                Some("aws_late.x||delete|create"),
            ),
            (
                "resource: aws_late.x, deferred: deferred_prereq",
                Some("aws_late.x||deferred for deferred_prereq|deferred for absent_prereq"),
            ),
            (
                "resource: '*', deferred: true",
                Some("aws_db.a||deferred|a change that is not deferred"),
            ),
            ("only: [aws_db]", Some("aws_late.x||changes of only aws_db|a deferred create")),
        ],
    );
}

#[test]
fn assertions_about_changes_fail_without_a_change_list() {
    let keys = json!({
        "planned_values": {"root_module": {"resources": [{
            "address": "aws_db.a", "mode": "managed", "type": "aws_db", "name": "a", "values": {},
        }]}},
        "output_changes": {"o": {"actions": ["create"], "before": null, "after": 1}},
        "complete": true, "applyable": true,
    });
    let mut with_null = keys.clone();
    with_null["resource_changes"] = json!(null);
    let [document, with_null] = [&keys, &with_null].map(document);
    let unknown = "not known, as the plan does not list its changes";
    for (assertion, expected) in [
        ("count: {action: delete, max: 0}", "at most 0 of delete"),
        ("plan: complete", "a complete plan"),
        ("only: [output.o]", "changes of only output.o"),
        ("resource: aws_db.a, not_action: delete, optional: true", "not delete"),
        ("resource: aws_db.a, absent: true", "absent"),
        ("resource: aws_db.a, deferred: false", "not deferred"),
    ] {
        for document in [&document, &with_null] {
            let found = finding_in(document, assertion).unwrap_or_else(|| panic!("{assertion}"));
            assert!(found.ends_with(&format!("|{expected}|{unknown}")), "{assertion}: {found}");
        }
    }
    check(
        &document,
        &[
            ("output: o, known: 1", None),
            ("plan: non-empty", None),
            ("plan: applyable", None),
            ("plan: empty", Some("output o||an empty plan|create")),
        ],
    );
}

#[test]
fn changes_that_are_not_understood_are_warnings() {
    let changes = [
        json!({"address": "a.a", "mode": "managed", "change": {"actions": ["update"]}}),
        json!({"address": "a.b", "mode": "managed", "type": "a", "change": {"actions": []}}),
        json!({"address": "a.c", "type": "a", "change": {"actions": ["destroy"]}}),
        json!({"address": "a.d", "type": "a", "change": {"actions": ["delete", "create"]}}),
        json!({"address": "e.e", "type": "e", "change": {"actions": ["open"]}}),
    ];
    let folder = folder("none.yaml", "");
    let document = document(&json!({"resource_changes": changes, "complete": true}));
    std::fs::write(folder.path().join("plan.json"), document).expect("a plan");
    let run = assert_in(
        folder.path(),
        &["plan.json", "-e", "resource: a, optional: true, not_action: delete"],
    );
    let said = text(&run.stderr);
    assert!(
        said.contains("with actions that this plansift does not know: 3. Assertions"),
        "{said}"
    );
    let run =
        assert_in(folder.path(), &["plan.json", "-q", "-e", "resource: a, not_action: delete"]);
    assert_eq!(text(&run.stderr), "");
}

#[test]
fn an_empty_plan_is_complete() {
    for (facts, incomplete) in [
        (json!({"errored": true, "complete": false}), "a plan whose planning failed"),
        (json!({"errored": true}), "a plan whose planning failed"),
        (json!({"complete": false, "applyable": false}), "an incomplete plan"),
    ] {
        let document = document(&facts);
        let found = finding_in(&document, "plan: empty");
        assert_eq!(found, Some(format!("||an empty plan|{incomplete}")));
        let found = finding_in(&document, "plan: complete");
        assert_eq!(found, Some(format!("||a complete plan|{incomplete}")));
        assert!(finding_in(&document, "plan: applyable").is_some());
        let folder = folder("none.yaml", "");
        std::fs::write(folder.path().join("p.json"), &document).expect("a plan");
        for (assertion, count) in [
            ("resource: '*', not_action: delete, optional: true", 1),
            ("plan: applyable", 1),
            ("plan: complete", 0),
            ("plan: empty", 0),
        ] {
            let run = assert_in(folder.path(), &["p.json", "-e", assertion]);
            let said = text(&run.stderr);
            let warning = format!("p.json: warning: this is {incomplete}, and no assertion asks");
            assert_eq!(said.matches(&warning).count(), count, "{assertion}: {said}");
            let run = assert_in(folder.path(), &["--quiet", "p.json", "-e", assertion]);
            assert_eq!(text(&run.stderr), "", "{assertion}");
        }
    }
    for facts in [json!({"errored": false, "complete": true}), json!({"resource_changes": []})] {
        let document = document(&facts);
        check(&document, &[("plan: empty", None), ("plan: complete", None)]);
    }
    check(
        &document(&json!({"applyable": false})),
        &[("plan: applyable", Some("||a plan that can be applied|a plan that cannot be applied"))],
    );
}

#[test]
fn an_empty_state_is_a_state() {
    let state = r#"{"format_version":"1.0"}"#;
    for assertion in ["plan: empty", "plan: complete", "count: {max: 0}", "only: [x]"] {
        let found = finding_in(state, assertion).unwrap_or_else(|| panic!("{assertion}"));
        assert!(found.ends_with("|a state, which plans no changes"), "{assertion}: {found}");
    }
}

#[test]
fn one_language_of_patterns_covers_resources_and_outputs() {
    let output = |action: &str, before: Value, after: Value| {
        let actions = [action];
        json!({"actions": actions, "before": before, "after": after, "after_unknown": false})
    };
    let document = document(&json!({
        "resource_changes": [created("aws_db.a"), created("module.m.aws_vm.b")],
        "output_changes": {
            "o_new": output("create", json!(null), json!(1)),
            "o_gone": output("delete", json!(1), json!(null)),
        },
    }));
    check(
        &document,
        &[
            ("only: [aws_db, module.m, output.*]", None),
            ("only: [aws_db.a, aws_vm, 'o_*']", None),
            (
                "only: [aws_db, module.m]",
                Some("output o_new||changes of only aws_db, module.m|create"),
            ),
            ("output: 'o_*', action: [create, delete]", None),
            ("resource: output.o_new, known: 1", None),
            ("output: output.o_new, known: 1", None),
            ("output: 'o_*', action: create", Some("o_gone||create|delete")),
            ("output: o_gone, known: null", Some("o_gone||null|nothing: it is deleted")),
            ("output: o_gone, null: true", Some("o_gone||null|nothing: it is deleted")),
            (
                "output: o_nwe, known: 1",
                Some(
                    "||an output of this name|none: the assertion asks about nothing: add \
                     optional: true if that is fine; did you mean o_new?",
                ),
            ),
            (
                "resource: aws_bd.a, action: create",
                Some(
                    "||a resource that the pattern covers|none: the assertion asks about nothing: \
                     add optional: true if that is fine; did you mean aws_db.a?",
                ),
            ),
        ],
    );
    let folder = folder("none.yaml", "");
    std::fs::write(folder.path().join("p.json"), &document).expect("a plan");
    for (assertion, warning) in [
        ("only: ['*', aws_bd.a]", "`only`: aws_bd.a covers nothing: did you mean aws_db.a?\n"),
        (
            "only: ['*', output.o_nwe]",
            "`only`: output.o_nwe covers nothing: did you mean output.o_new?\n",
        ),
        ("only: ['*', zzzzzz]", "`only`: zzzzzz covers nothing\n"),
        (
            "resource: aws_bd.x, absent: true",
            "no resource has the type aws_bd: did you mean aws_db?\n",
        ),
    ] {
        let run = assert_in(folder.path(), &["p.json", "p.json", "-e", assertion]);
        let said = text(&run.stderr);
        assert_eq!(said.matches(warning).count(), 1, "{assertion}: {said}");
        assert_eq!(run.status.code(), Some(0), "{assertion}: {said}");
        // A pattern that covers something in one of the plans gives no warning.
        let run = assert_in(folder.path(), &["p.json", "plan.json", "--quiet", "-e", assertion]);
        assert_eq!(text(&run.stderr), "", "{assertion}");
    }
    let run = assert_in(folder.path(), &["p.json", "plan.json", "-e", "only: ['*', aws_db.main]"]);
    assert_eq!(text(&run.stderr), "");
}

#[test]
fn a_path_that_no_value_has_fails() {
    let main = change(
        "aws_db.a",
        &["update"],
        &json!({
            "before": {"size": 1, "old": 1, "tags": null},
            "after": {"size": 1, "tags": null, "secrets": {"hunter2": 1}, "rule": [{"port": 1}]},
            "after_unknown": {"arn": true}, "after_sensitive": {"secrets": true},
        }),
    );
    let other = change("aws_db.b", &["no-op"], &json!({"before": {"own": 1}, "after": {"own": 1}}));
    let document = document(&json!({"resource_changes": [main, other]}));
    check(
        &document,
        &[
            (
                "resource: aws_db.a, path: szie, sensitive: false",
                Some("aws_db.a|szie|not sensitive|nothing; did you mean size?"),
            ),
            (
                "resource: aws_db.a, path: szie, unchanged: true",
                Some("aws_db.a|szie|unchanged|nothing; did you mean size?"),
            ),
            (
                "resource: aws_db.a, path: anr, unknown: false",
                Some("aws_db.a|anr|known|nothing; did you mean arn?"),
            ),
            (
                "resource: aws_db.a, path: 'rule[0].prot', sensitive: false",
                Some("aws_db.a|rule[0].prot|not sensitive|nothing; did you mean port?"),
            ),
            (
                "resource: aws_db.a, path: szie, known: 1",
                Some("aws_db.a|szie|1|nothing; did you mean size?"),
            ),
            (
                "resource: aws_db.a, path: zzzz, sensitive: false",
                Some("aws_db.a|zzzz|not sensitive|nothing"),
            ),
            // Every path below a sensitive value counts as present: an error would tell which keys
            // the value has.
            ("resource: aws_db.a, path: secrets.hunter3, sensitive: true", None),
            ("resource: aws_db.a, path: old, sensitive: false", None),
            ("resource: aws_db.a, path: tags, sensitive: false", None),
            ("resource: aws_db.a, path: arn.deep, unknown: true", None),
            ("resource: aws_db.a, path: szie, sensitive: false, optional: true", None),
            ("resource: aws_db.a, path: szie, absent: true", None),
            // `aws_db.a` lacks the path, but `aws_db.b` has it.
            ("resource: aws_db, path: own, sensitive: false", None),
        ],
    );
}

#[test]
fn a_count_whose_pattern_matches_nothing_fails() {
    let document = document(&json!({"resource_changes": [created("aws_db.a")]}));
    check(
        &document,
        &[
            (
                "resource: aws_zz.x, count: {action: delete, max: 0}",
                Some(
                    "||a resource that the pattern covers|none: the assertion asks about nothing: \
                     add optional: true if that is fine",
                ),
            ),
            ("resource: aws_zz.x, count: {action: delete, max: 0}, optional: true", None),
            ("resource: aws_db, count: {action: delete, max: 0}", None),
            ("count: {action: delete, max: 0}", None),
        ],
    );
}

#[test]
fn destroy_includes_replacements_and_deposed_objects() {
    let sides = json!({"before": {}, "after": null});
    let mut deposed = change("aws_db.old", &["delete"], &sides);
    deposed["deposed"] = json!("abc");
    let mut data = change("aws_ami.x", &["delete"], &sides);
    data["mode"] = json!("data");
    let document = document(&json!({"resource_changes": [
        change("aws_db.old", &["no-op"], &json!({"before": {}, "after": {}})),
        deposed,
        change("aws_vm.new", &["create", "delete"], &json!({"before": {}, "after": {}})),
        change("aws_ip.gone", &["delete"], &sides),
        change("aws_if.kept", &["create", "forget"], &json!({"before": {}, "after": {}})),
        data,
    ]}));
    let gone = |expected: &str| format!("aws_db.old (deposed abc)||{expected}|delete");
    check(
        &document,
        &[
            ("resource: aws_db.old, not_action: delete", Some(&gone("not delete"))),
            ("resource: aws_db.old, not_action: destroy", Some(&gone("not destroy"))),
            ("resource: aws_db.old, action: no-op", None),
            ("resource: aws_db.old, not_action: [create, update]", None),
            (
                "resource: aws_vm, not_action: delete",
                Some("aws_vm.new||not delete|create-then-delete"),
            ),
            ("resource: aws_vm, action: destroy", None),
            ("resource: aws_vm, action: delete", Some("aws_vm.new||delete|create-then-delete")),
            ("resource: aws_ip, action: [delete]", None),
            ("resource: aws_if, not_action: destroy", None),
            (
                "resource: aws_if, not_action: forget",
                Some("aws_if.kept||not forget|create-then-forget"),
            ),
            // As in `--fail-on` rules, deleting a data source does not count as `destroy`.
            ("resource: aws_ami, not_action: destroy", None),
            ("count: {action: destroy, min: 3, max: 3}", None),
            ("count: {action: delete, min: 3, max: 3}", None),
        ],
    );
}

#[test]
fn a_number_that_is_a_text_is_explained() {
    let change = change(
        "aws_db.a",
        &["create"],
        &json!({
            "before": null, "after": {"big": "12345678901234567890", "name": "12a"},
        }),
    );
    let document = document(&json!({"resource_changes": [change]}));
    let hint = "\"12345678901234567890\" (a text, not a number)";
    for (matcher, expected) in [
        ("12345678901234567890", "12345678901234567890"),
        ("{range: {min: 1}}", "a number of at least 1"),
    ] {
        let found =
            finding_in(&document, &format!("resource: aws_db.a, path: big, known: {matcher}"));
        assert_eq!(found, Some(format!("aws_db.a|big|{expected}|{hint}")));
    }
    check(
        &document,
        &[
            ("resource: aws_db.a, path: name, known: 12", Some("aws_db.a|name|12|\"12a\"")),
            (
                "resource: aws_db.a, path: big, known: a",
                Some("aws_db.a|big|\"a\"|\"12345678901234567890\""),
            ),
        ],
    );
}
