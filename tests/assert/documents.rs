//! Assertions about values in YAML documents in strings, and in documents inside these.

use serde_json::{Value, json};

use super::{change, finding_in};

const VALUES: &str = "# Values of a chart.\nimage:\n  tag: v2\n  pull: &pull Always\n\
    sidecar: {pull: *pull}\nports: [80, 443]\non: yes\nrole: !Ref Admin\n";

/// A plan with YAML in strings. Every secret contains `CANARY-`.
fn plan() -> Value {
    let inner = json!({"z": {"deep": [1, 2]}}).to_string();
    let deep = |levels: usize| format!("a:\n  {}x\n", "- ".repeat(levels));
    json!({
        "format_version": "1.2", "terraform_version": "1.15.0",
        "resource_changes": [change("helm_release.r", &["update"], &json!({
            "before": {
                "values": VALUES.replace("v2", "v1").replace("443", "8443"),
                "one": "\"a\": \"b\"\n", "json": r#"{"a": 1}"#, "stream": "a: 1\n---\nb: 2\n",
                "secret": "key: CANARY-old\nother: 1\n", "part": "key: CANARY-part\nother: 1\n",
                "pw": "CANARY-part", "list": [{"v": "k: 1\nl: 1\n"}],
            },
            "after": {
                "values": VALUES, "one": "\"a\": \"c\"\n", "json": r#"{"a": 1}"#,
                "stream": "a: 1\n---\nb: 3\n", "list": [{"v": "k: 2\nl: 1\n"}],
                "mixed": format!("y: '{inner}'\nw: 1\n"),
                "other": json!({"y": "a: 1\nb: 2\n"}).to_string(),
                "secret": "key: CANARY-new\nother: 1\n", "part": "key: CANARY-part\nother: 2\n",
                "pw": "CANARY-part", "twice": "a: 1\na: 2\n", "text": "no document",
                "huge": format!("a: 1\nb: {}\n", "x".repeat(1 << 20)),
                "deep": deep(199), "deeper": deep(200), "loop": "a: &a [*a]\nb: 1\n",
            },
            "after_unknown": {"late": true},
            "before_sensitive": {"secret": true, "pw": true},
            "after_sensitive": {"secret": true, "pw": true},
        }))],
    })
}

/// Assertions about the release, and what is found if they do not hold.
const ANSWERS: &[(&str, Option<&str>)] = &[
    ("path: yamldecode(values).image.tag, known: v2, before: v1", None),
    ("path: yamldecode(values).image.tag, known: v3", Some("\"v3\"|a text")),
    ("path: yamldecode(values).image.pull, unchanged: true", None),
    ("path: 'yamldecode(values).ports[*]', known: {range: {max: 443}}", None),
    ("path: 'yamldecode(values).ports[1]', change: {shrinks: true}", None),
    ("path: yamldecode(values).ports, known: [80, 443]", None),
    ("path: 'yamldecode(values).**', known: {not: v1}", None),
    // Words that only some readers take for a boolean are texts.
    ("path: yamldecode(values).on, known: 'yes'", None),
    // An alias has the value of its node, and a node with a custom tag is an object.
    ("path: yamldecode(values).sidecar.pull, known: Always", None),
    ("path: yamldecode(values).role, known: {equals: {'!Ref': Admin}}", None),
    // A line that ends with a line break.
    ("path: yamldecode(one).a, before: b, known: c", None),
    // Several documents are a list.
    ("path: 'yamldecode(stream)[1].b', before: 2, known: 3", None),
    ("path: 'yamldecode(stream)[0].a', unchanged: true", None),
    ("path: 'yamldecode(list[0].v).k', before: 1, known: 2", None),
    ("path: 'yamldecode(list[*].v).k', known: 2", None),
    // The function names the syntax.
    ("path: jsondecode(json).a, known: 1", None),
    ("path: yamldecode(json).a, known: 1", Some("1|nothing that the path matches")),
    ("path: jsondecode(values).on, known: x", Some("\"x\"|nothing that the path matches")),
    // Documents in documents.
    ("path: 'jsondecode(yamldecode(mixed).y).z.deep[1]', known: 2", None),
    ("path: 'yamldecode(jsondecode(other).y).b', known: 2", None),
    ("path: 'yamldecode(jsondecode(other).y).b', known: 3", Some("3|a number")),
    // Conditions.
    (
        "when: {path: yamldecode(values).image.tag, known: v2}, path: one, known: x",
        Some("\"x\"|\"\\\"a\\\": \\\"c\\\"\\n\""),
    ),
    ("when: {path: yamldecode(values).image.tag, known: v9}, path: one, known: x", None),
    // Marks hold for everything in the string.
    ("path: yamldecode(secret).key, known: x", Some("\"x\"|(sensitive value)")),
    ("path: yamldecode(secret).other, sensitive: true", None),
    ("path: yamldecode(late).key, unknown: true", None),
    // A result shows no value of a document.
    ("path: yamldecode(part).key, known: x", Some("\"x\"|a text")),
    ("path: yamldecode(part).key, change: {becomes: x}", Some("a change to \"x\"|a text")),
    // The last of two members counts, as for Terraform.
    ("path: yamldecode(twice).a, known: 2", None),
    ("path: yamldecode(deep).a, absent: false", None),
    ("path: yamldecode(deeper).a, known: x", Some("\"x\"|nothing that the path matches")),
    ("path: yamldecode(huge).a, known: 1", Some("1|nothing that the path matches")),
    ("path: yamldecode(huge).a, known: 1, optional: true", None),
    ("path: yamldecode(loop).b, known: 1", Some("1|nothing that the path matches")),
    ("path: yamldecode(text).b, known: 1", Some("1|nothing that the path matches")),
    ("path: yamldecode(values).image.tga, known: v2", Some("\"v2\"|nothing")),
];

#[test]
fn assertions_lead_into_yaml() {
    let plan = plan().to_string();
    let wrong: Vec<_> = ANSWERS
        .iter()
        .filter_map(|(assertion, expected)| {
            let found = finding_in(&plan, &format!("resource: helm_release.r, {assertion}"));
            let found = found.map(|it| it.splitn(3, '|').nth(2).unwrap_or_default().to_owned());
            (found.as_deref() != *expected).then(|| format!("{assertion}: {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// YAML written as JSON has the same answers, because JSON on several lines is YAML too.
#[test]
fn one_value_has_the_same_answers_in_both_syntaxes() {
    let sides = |tag: &str, ports: &[u32]| {
        let json = json!({"image": {"tag": tag}, "ports": ports, "n": null, "f": 1.5}).to_string();
        // A comment makes it YAML.
        json!({"yaml": format!("{json}\n# YAML\n"), "json": json})
    };
    let plan = json!({"format_version": "1.2", "resource_changes": [
        change("a_b.c", &["update"], &json!({
            "before": sides("v1", &[80]), "after": sides("v2", &[80, 443]), "after_unknown": {},
        })),
    ]})
    .to_string();
    let mut answers = [0, 0];
    for path in
        [".image.tag", ".image", ".ports", ".ports[0]", ".ports[*]", ".n", ".f", ".none", ""]
    {
        for expected in [
            "known: v2",
            "known: 80",
            "before: v1",
            "unchanged: true",
            "null: true",
            "absent: true",
            "change: {adds: 443}",
            "not_change: {was: v1}",
            "known: {size: 2}",
            "known: 1.50",
        ] {
            let found = ["json", "yaml"].map(|syntax| {
                let path = format!("{syntax}decode({syntax}){path}");
                let found =
                    finding_in(&plan, &format!("resource: a_b.c, path: '{path}', {expected}"));
                found.map(|found| found.replace("yaml", "json"))
            });
            assert_eq!(found[0], found[1], "{path} {expected}");
            answers[usize::from(found[0].is_some())] += 1;
        }
    }
    assert!(answers.iter().all(|count| *count > 10), "{answers:?}");
}
