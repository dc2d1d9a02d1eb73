//! Findings name no key of a marked value, and hide what reports hide beside them.

use std::fs;

use serde_json::{Value, json};

use super::{assert_in, change, finding_in, folder, text};
use crate::run;

/// Every secret, and every key of a marked value, contains this word.
pub(crate) const SECRET: &str = "CANARY";

/// A plan with marked values of every kind, and copies of their texts and keys.
pub(crate) fn plan() -> Value {
    let map = json!({"CANARYkeyone": "v", "CANARY key/two": "w"});
    json!({
        "format_version": "1.2", "terraform_version": "1.15.0",
        "resource_changes": [
            change("acme_x.a", &["update"], &json!({
                "before": {
                    "m": {"CANARYkeyold": "x"}, "pw": "q", "l": [map.clone()],
                    "gone": {"CANARYkeygone": 1}, "dropped": {"CANARYkeydropped": 1},
                    "misfit": {"CANARYkeymisfit": 1},
                },
                "after": {
                    "m": map.clone(), "pw": "CANARYsecretAAA1", "l": [map.clone()],
                    "dropped": {"CANARYkeydropped": 2}, "misfit": {"CANARYkeymisfit": 2},
                    "deep": {"plain": {"CANARYkeydeep": [{"CANARYkeydeeper": 1}]}},
                },
                "after_unknown": {},
                "before_sensitive": {
                    "m": true, "pw": true, "l": [true], "gone": true, "dropped": true,
                },
                "after_sensitive": {
                    "m": true, "pw": true, "l": [true], "misfit": [true],
                    "deep": {"plain": true},
                },
            })),
            change("acme_x.b", &["create"], &json!({
                "before": null,
                "after": {
                    "env": "PASSWORD=CANARYsecretAAA1", "doc": "{\"p\": \"CANARYsecretAAA1\"}",
                    "yaml": "a: 1\nb:\n  - CANARYsecretAAA1\n", "secret_attr": {"canary_attr": 1},
                    "map": {"CANARYsecretAAA1": "visible", "open": "plain"},
                    "nested": {"open": [{"CANARYsecretAAA1": {"CANARYsecretAAA1": 1}}]},
                },
                "after_unknown": {}, "before_sensitive": false,
                "after_sensitive": {"secret_attr": true},
            })),
        ],
        "output_changes": {
            "o": {
                "actions": ["create"], "before": null, "after": {"CANARYout": 1},
                "after_unknown": false, "before_sensitive": true, "after_sensitive": true,
            },
            "p": {
                "actions": ["create"], "before": null,
                "after": {"CANARYsecretAAA1": "CANARYsecretAAA1"},
                "after_unknown": false, "before_sensitive": false, "after_sensitive": false,
            },
        },
        "deferred_changes": [{
            "reason": "absent_prereq",
            // The change of this address marks `m`, and the deferred change does not.
            "resource_change": change("acme_x.a", &["create"], &json!({
                "before": null, "after": {"m": {"CANARYkeylate": "CANARYlate"}},
                "after_unknown": {}, "before_sensitive": false, "after_sensitive": {},
            })),
        }],
    })
}

/// Assertions that all fail.
fn assertions() -> String {
    let paths = [
        "*",
        "**",
        "*.*",
        "m.*",
        "l[*]",
        "l[*].*",
        "**[*].*",
        "gone.*",
        "dropped.*",
        "misfit.*",
        "deep.**",
        "map.*",
        "nested.**",
        "env",
        "doc",
        "yaml",
        "map.CANARY_typed",
        "deep.plain.x",
        "m.CANARYkeytow",
        "map.CANARYsecretAAA2",
        "secret_attr.*",
    ];
    let expectations = [
        "known: zz",
        "known: 1",
        "known: {range: {min: 5}}",
        "known: {size: 9}",
        "unknown: true",
        "sensitive: true",
        "sensitive: false",
        "unchanged: true",
        "unchanged: false",
        "null: true",
        "absent: true",
    ];
    let mut text = String::new();
    for path in paths {
        for expectation in expectations {
            text += &format!("- {{resource: 'acme_x.*', path: '{path}', {expectation}}}\n");
            text += &format!("- {{output: '*', path: '{path}', {expectation}}}\n");
            text +=
                &format!("- {{resource: acme_x, deferred: true, path: '{path}', {expectation}}}\n");
        }
    }
    // The names of assertions repeat what the user wrote.
    text.replace("CANARY_typed", "typed")
        .replace("CANARYkeytow", "keytow")
        .replace("CANARYsecretAAA2", "secretAAA2")
}

#[test]
fn no_form_shows_a_secret_in_a_finding() {
    let folder = folder("a.yaml", &assertions());
    fs::write(folder.path().join("p.json"), plan().to_string()).expect("a plan");
    let forms = ["text", "json", "ndjson", "junit", "sarif", "github"];
    let of_assert = forms.map(|form| vec!["assert", "p.json", "--file", "a.yaml", "-f", form]);
    let forms = [
        "term",
        "markdown",
        "compact",
        "html",
        "github",
        "json",
        "variables",
        "junit",
        "sarif",
        "gitlab",
        "code-quality",
    ];
    let of_report = forms.iter().flat_map(|form| {
        ["none", "changed", "all"].map(|values| {
            vec!["report", "p.json", "--assert", "a.yaml", "-o", form, "--values", values]
        })
    });
    let others = [
        vec!["assert", "p.json", "--file", "a.yaml", "--echo", "contains"],
        vec!["assert", "p.json", "--file", "a.yaml", "--also-names", "^pw$"],
        vec!["batch", "p.json", "--out", "out", "--assert", "a.yaml"],
    ];
    for arguments in of_assert.into_iter().chain(of_report).chain(others) {
        let run = run::plansift().args(&arguments).current_dir(folder.path()).output();
        let run = run.expect("a run");
        let (out, said) = (text(&run.stdout), text(&run.stderr));
        assert_eq!(run.status.code(), Some(3), "{arguments:?}: {said}");
        for text in [&out, &said] {
            let at = text
                .find(SECRET)
                .map(|at| &text[at.saturating_sub(200)..(at + 60).min(text.len())]);
            assert_eq!(at, None, "{arguments:?}");
        }
    }
    for file in ["report.ndjson", "journal"] {
        let written = fs::read_to_string(folder.path().join("out").join(file)).expect("a file");
        assert!(!written.contains(SECRET), "{file}");
    }
    // A pipe of a batch cannot be read twice.
    let mut command = run::plansift();
    command.current_dir(folder.path()).args(["batch", "-", "--out", "piped", "--assert", "a.yaml"]);
    run::with_input(command, plan().to_string().as_bytes());
    let written = fs::read_to_string(folder.path().join("piped/report.ndjson")).expect("a file");
    assert!(written.contains("not shown") && !written.contains(SECRET), "{written}");
}

#[test]
fn findings_say_what_is_hidden() {
    let document = plan().to_string();
    for (assertion, found) in [
        ("resource: acme_x.a, path: 'm.*', known: zz", "acme_x.a|m|\"zz\"|(sensitive value)"),
        ("resource: acme_x.a, path: 'l[*].*', known: zz", "acme_x.a|l[0]|\"zz\"|(sensitive value)"),
        (
            "resource: acme_x.a, path: 'misfit.*', known: zz",
            "acme_x.a|misfit|\"zz\"|(sensitive value)",
        ),
        (
            "resource: acme_x.a, path: 'dropped.*', known: zz",
            "acme_x.a|dropped|\"zz\"|(sensitive value)",
        ),
        ("resource: acme_x.a, path: 'm.*', unchanged: true", "acme_x.a|m|unchanged|a change"),
        (
            "resource: acme_x.b, path: env, known: zz",
            "acme_x.b|env|\"zz\"|(repeats a sensitive value)",
        ),
        (
            "resource: acme_x.b, path: doc, known: zz",
            "acme_x.b|doc|\"zz\"|(repeats a sensitive value)",
        ),
        (
            "resource: acme_x.b, path: 'map.*', known: zz",
            "acme_x.b|map[\"(repeats a sensitive value)\"]|\"zz\"|\"visible\"",
        ),
        ("output: o, path: '*', known: zz", "o||\"zz\"|(sensitive value)"),
        (
            "output: p, path: '*', known: zz",
            "p|[\"(repeats a sensitive value)\"]|\"zz\"|(repeats a sensitive value)",
        ),
        // The user wrote this key.
        (
            "resource: acme_x.b, path: map.opne, known: zz",
            "acme_x.b|map.opne|\"zz\"|nothing; did you mean open?",
        ),
        (
            "resource: acme_x.b, path: secret_attr.canary, known: 1",
            "acme_x.b|secret_attr.canary|1|nothing",
        ),
    ] {
        let mut plan = plan();
        plan.as_object_mut().expect("an object").remove("deferred_changes");
        let found_in_plan = finding_in(&plan.to_string(), assertion);
        assert_eq!(found_in_plan.as_deref(), Some(found), "{assertion}");
    }
    // The change of the address marks `m`, so its keys are hidden in the deferred change, too.
    let assertion = "resource: acme_x.a, deferred: true, path: 'm.*', known: zz";
    let folder = folder("none.yaml", "");
    fs::write(folder.path().join("p.json"), document).expect("a plan");
    let run = assert_in(folder.path(), &["p.json", "-e", assertion]);
    let found = text(&run.stdout);
    assert_eq!(
        found.matches("acme_x.a: m: expected \"zz\", found (sensitive value)").count(),
        2,
        "{found}"
    );
}

#[test]
fn a_marked_value_counts_as_one_failure() {
    let folder = folder("a.yaml", "- {resource: acme_x.a, path: 'm.*', known: zz}\n");
    let mut plan = plan();
    plan.as_object_mut().expect("an object").remove("deferred_changes");
    fs::write(folder.path().join("p.json"), plan.to_string()).expect("a plan");
    let run = assert_in(folder.path(), &["p.json", "--file", "a.yaml", "-f", "json"]);
    let found: Value = serde_json::from_str(&text(&run.stdout)).expect("JSON");
    assert_eq!(found[0]["failed"], 1, "{found}");
}
