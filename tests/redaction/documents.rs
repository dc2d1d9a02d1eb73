//! Copies of secrets inside documents in strings: JSON, YAML, and documents inside these.

use std::fs;

use serde_json::{Value, json};

use super::decisions::{hold, joined};
use super::model::{Echo, Options};
use super::redact;
use crate::run;

const SECRET: &str = "secret-one";

/// A plan of one change from `before` to `after`, whose attribute `p` is marked.
fn plan(before: Value, after: Value) -> String {
    let change = json!({
        "actions": ["update"], "before": before, "after": after,
        "before_sensitive": {"p": true}, "after_sensitive": {"p": true},
    });
    let resource = json!({"address": "a.b", "type": "a", "name": "b", "change": change});
    json!({"format_version": "1.2", "resource_changes": [resource]}).to_string()
}

/// A plan of a new resource with a secret, and with `text` in an attribute without a mark.
fn plan_with(text: &str) -> String {
    plan(Value::Null, json!({"p": SECRET, "text": text}))
}

/// The text in a plan, redacted.
fn redacted_text(args: &[&str], text: &str) -> String {
    let redacted = redact(args, plan_with(text).as_bytes()).expect("a plan");
    let plan: Value = serde_json::from_str(&redacted).expect("JSON");
    let after = &plan["resource_changes"][0]["change"]["after"];
    assert_eq!(after["p"], "(sensitive value)", "{after}");
    after["text"].as_str().expect("a text").to_owned()
}

/// The findings of an audit: kind, path, and the text at the offset.
fn findings(args: &[&str], plan: &str) -> Vec<(String, String, String)> {
    let args = [&["audit", "--format", "ndjson"], args, &["-"]].concat();
    let output = run::piped(&args, plan.as_bytes());
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let found = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let found = found.filter(|it| it["kind"] == "echo" || it["kind"] == "key");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    found
        .map(|it| {
            let rest = &plan[it["offset"].as_u64().expect("an offset") as usize..];
            (text(&it["kind"]), text(&it["path"]), rest.chars().take(14).collect())
        })
        .collect()
}

#[test]
fn a_leaf_of_a_document_is_masked_in_place() {
    let around = |members: &str| {
        joined(&format!(
            r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","change":{{
                "actions":["update"],{members},"after_sensitive":{{"p":true}}}}}}]}}"#
        ))
    };
    let cases = [
        // Bytes outside the copy stay, escapes included.
        (
            r#""before":null,"after":{"p":"secret-one",
                "q":"{\"\u003ca\" : \"secret-one\", \"n\":1e3}"}"#,
            r#""before":null,"after":{"p":<>,
                "q":"{\"\u003ca\" : \"(sensitive value)\", \"n\":1e3}"}"#,
        ),
        (
            r#""before":null,"after":{"p":"secret-one",
                "q":["a:\n  k: secret-one\n","secret-one: x"]}"#,
            r#""before":null,"after":{"p":<>,
                "q":["a:\n  k: (sensitive value)\n","secret-one: x"]}"#,
        ),
        // The mask of a secret that changes says so, at the path of the secret.
        (
            r#""before":{"p":"secret-one","q":"{\"a\":\"secret-one\",\"b\":\"secret-one\"}"},
                "after":{"p":"secret_two","q":"{\"b\":\"secret_two\",\"a\":\"secret-one\"}"}"#,
            r#""before":{"p":<>,"q":"{\"a\":\"(sensitive value)\",\"b\":\"(sensitive value)\"}"},
                "after":{"p":<changed>,
                "q":"{\"b\":\"(sensitive value, changed)\",\"a\":\"(sensitive value)\"}"}"#,
        ),
        // A mask with a comma has quotes in YAML.
        (
            r#""before":{"p":"secret-one","q":"k: [secret-one]\nx: 1\n"},
                "after":{"p":"secret_two","q":"k: [secret_two]\nx: 1\n"}"#,
            r#""before":{"p":<>,"q":"k: [(sensitive value)]\nx: 1\n"},
                "after":{"p":<changed>,"q":"k: ['(sensitive value, changed)']\nx: 1\n"}"#,
        ),
        // The secret does not change, but the text around it does.
        (
            r#""before":{"p":"secret-one","q":"{\"a\":\"secret-one\",\"b\":1}"},
                "after":{"p":"secret-one","q":"{\"a\":\"secret-one\",\"b\":2}"}"#,
            r#""before":{"p":<>,"q":"{\"a\":\"(sensitive value)\",\"b\":1}"},
                "after":{"p":<>,"q":"{\"a\":\"(sensitive value)\",\"b\":2}"}"#,
        ),
    ];
    for (text, expected) in cases {
        let expected = expected
            .replace("<>", r#""(sensitive value)""#)
            .replace("<changed>", r#""(sensitive value, changed)""#);
        assert_eq!(redact(&[], around(text).as_bytes()), Ok(around(&expected)));
    }
    // The oracle agrees about documents that it reads.
    let cases = [(
        r#""before":null,"after":{"p":"secret-one","q":"{\"a\":[\"secret-one\"]}"}"#,
        r#""before":null,"after":{"p":<>,"q":"{\"a\":[\"(sensitive value)\"]}"}"#,
    )];
    for echo in [Echo::Equal, Echo::Contains] {
        hold(&cases, Options { echo, ..Options::default() }, around);
    }
}

#[test]
fn secrets_are_found_through_several_documents() {
    let inner = json!({"key": SECRET, "n": 1}).to_string();
    let indented = inner.replace(',', ",\n      ");
    let yaml = format!("config:\n  app.json: |\n    {indented}\n  other: x\n");
    let outer = json!({"values": yaml, "list": [yaml]}).to_string();
    let masked = redacted_text(&[], &outer);
    assert_eq!(masked, outer.replace(SECRET, "(sensitive value)"));
    let paths: Vec<_> =
        findings(&[], &plan_with(&outer)).into_iter().map(|(_, path, _)| path).collect();
    let path = |at: &str| {
        let yaml = format!("yamldecode(jsondecode(change.after.text){at})");
        format!(r#"jsondecode({yaml}.config["app.json"]).key"#)
    };
    assert_eq!(paths, [path(".values"), path(".list[0]")]);
}

#[test]
fn findings_inside_documents_have_paths_and_offsets() {
    let text = json!({"a": [1, SECRET], "Secret/two": {SECRET: 1, "x": "#"}}).to_string();
    let plan = plan(
        Value::Null,
        json!({"p": [SECRET, "Secret/two"], "text": text, "y": ["a: 1\nb: secret-one # c\n"]}),
    );
    let expected = [
        ("echo", "jsondecode(change.after.text).a[1]", r#"\"secret-one\""#),
        ("key", r#"jsondecode(change.after.text)["(sensitive value 2)"]"#, r#"\"Secret/two\""#),
        (
            "key",
            r#"jsondecode(change.after.text)["(sensitive value 2)"]["(sensitive value 1)"]"#,
            r#"\"secret-one\""#,
        ),
        ("echo", "yamldecode(change.after.y[0]).b", "secret-one # c"),
    ];
    let found = findings(&[], &plan);
    let found: Vec<_> = found
        .iter()
        .map(|(kind, path, text)| (kind.as_str(), path.as_str(), text.as_str()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_report_and_the_counts_name_copies_inside_documents() {
    let folder = tempfile::tempdir().expect("a folder");
    let [input, report] = ["plan.json", "report"].map(|name| folder.path().join(name));
    fs::write(&input, plan_with("{\"a\":\"secret-one\",\"b\":\"secret-one\\n\"}")).expect("a file");
    let run = |arguments: &[&str]| {
        let output = run::plansift().args(arguments).arg(&input).output().expect("it runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (_, _, said) = run(&["redact", "--report", report.to_str().expect("UTF-8")]);
    assert!(said.contains("masked 1 marked value, 2 echoes"), "{said}");
    let lines = fs::read_to_string(&report).expect("a report");
    let paths: Vec<_> = lines.lines().filter(|line| line.contains("jsondecode(")).collect();
    assert_eq!(paths.len(), 2, "{lines}");
    assert!(lines.contains(r#""marked":1,"echo":2,"#), "{lines}");
    assert_eq!(run(&["audit", "--fail-on-echo"]).0, Some(3));
    let (_, slim, _) = run(&["slim"]);
    assert!(slim.contains(r#""{\"a\":\"(sensitive value)\""#) && !slim.contains(SECRET), "{slim}");
    // With the mask `null`, and with digests, a document stays a document.
    let (_, null, _) = run(&["redact", "--mask", "null"]);
    assert!(null.contains(r#""{\"a\":null,\"b\":null}""#), "{null}");
    let key = folder.path().join("key");
    fs::write(&key, "a key of some length").expect("a file");
    let key = key.to_str().expect("UTF-8");
    let (_, hash, _) = run(&["redact", "--mask", "hash", "--key-file", key]);
    let masks: Vec<_> = hash.split("(sensitive value ").skip(1).map(|it| &it[..32]).collect();
    assert!(masks.len() == 3 && masks[0] == masks[1] && masks[1] != masks[2], "{hash}");
    let (_, open, _) = run(&["redact", "--echo-min", "11"]);
    assert!(open.contains(SECRET));
    assert_eq!(run(&["audit", "--fail-on-echo", "--echo-min", "12"]).0, Some(0));
}

/// A release of Helm: the provider repeats the values, as JSON and as YAML.
#[test]
fn values_of_helm_releases_are_masked() {
    let release = |key: &str| {
        json!({
            "set_sensitive": [{"name": "apiKey", "value": key}],
            "metadata": [{"values": json!({"apiKey": key, "n": 1}).to_string()}],
            "values": [format!("agent:\n  key: {key}\n")],
        })
    };
    let marks = json!({"set_sensitive": [{"value": true}], "metadata": [{}], "values": [false]});
    let change = json!({
        "actions": ["update"], "before": release("example-key-12345"),
        "after": release("example-key-67890"), "before_sensitive": marks, "after_sensitive": marks,
    });
    let resource = json!({"address": "helm_release.app", "type": "helm_release", "change": change});
    let plan = json!({"format_version": "1.2", "resource_changes": [resource]}).to_string();
    for command in ["redact", "slim"] {
        let output = run::piped(&[command, "-"], plan.as_bytes());
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(!text.contains("example-key"), "{text}");
        let redacted: Value = serde_json::from_str(&text).expect("JSON");
        let change = &redacted["resource_changes"][0]["change"];
        let [before, after] = ["before", "after"].map(|side| &change[side]);
        assert_eq!(before["metadata"][0]["values"], r#"{"apiKey":"(sensitive value)","n":1}"#);
        assert_eq!(
            after["metadata"][0]["values"],
            r#"{"apiKey":"(sensitive value, changed)","n":1}"#
        );
        assert_eq!(before["values"][0], "agent:\n  key: (sensitive value)\n");
        assert_eq!(after["values"][0], "agent:\n  key: '(sensitive value, changed)'\n");
    }
    let expected = [
        "jsondecode(change.before.metadata[0].values).apiKey",
        "yamldecode(change.before.values[0]).agent.key",
        "jsondecode(change.after.metadata[0].values).apiKey",
        "yamldecode(change.after.values[0]).agent.key",
    ];
    let mut found: Vec<_> = findings(&[], &plan).into_iter().map(|(_, path, _)| path).collect();
    let mut expected = expected.map(str::to_owned);
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn contains_finds_the_spellings_of_yaml() {
    let secret = "it's a long\nsecret \"text\"";
    for (text, expected) in [
        ("a: 'x it''s a long\n\n  secret \"text\"'\nb: 1\n", "a: '(sensitive value)'\nb: 1\n"),
        ("a: |\n  x it's a long\n  secret \"text\" y\nb: 1\n", "a: |\n  (sensitive value)\nb: 1\n"),
        ("{{ x }}: [\n  it's a long\n  secret \"text\"\n", "(sensitive value)"),
        ("{{ x }}: 'it''s a long\n\n  secret \"text\"", "(sensitive value)"),
        (r#"{{ x }}: "it's \x61 long\nsecret \"text\"""#, "(sensitive value)"),
    ] {
        let plan = plan(Value::Null, json!({"p": secret, "text": text}));
        let redacted = redact(&["--echo", "contains"], plan.as_bytes()).expect("a plan");
        let redacted: Value = serde_json::from_str(&redacted).expect("JSON");
        let found = &redacted["resource_changes"][0]["change"]["after"]["text"];
        assert_eq!(found, expected, "{text}");
    }
}

/// A YAML document inside a JSON document, with the escapes that `jsonencode` writes, and others.
#[test]
fn copies_behind_escapes_are_masked_in_place() {
    let mask = "(sensitive value)";
    for (secret, spelled, masked) in [
        ("p<w-secret", r"a: x\np: p\u003cw-secret\n", r"a: x\np: (sensitive value)\n"),
        (r"p\w-secret", r"a: x\np: p\\w-secret\n", r"a: x\np: (sensitive value)\n"),
        ("pä-secret", r"a: x\np: p\u00e4-secret\n", r"a: x\np: (sensitive value)\n"),
        ("hunter2-secret", r"a: x\nhunter2-secret: 2\n", r"a: x\n(sensitive value 1): 2\n"),
        ("hunter2-secret", r"a: x\n--- hunter2-secret\n", r"a: x\n--- (sensitive value)\n"),
        ("hunter2-secret", r"a: x\np:\u0020hunter2-secret\n", r"a: x\np:\u0020(sensitive value)\n"),
    ] {
        let texts = [spelled, masked].map(|inner| format!(r#"{{"o":"{inner}","n":1}}"#));
        let plan = plan(Value::Null, json!({"p": secret, "text": texts[0]}));
        let redacted = redact(&[], plan.as_bytes()).expect("a plan");
        let redacted: Value = serde_json::from_str(&redacted).expect("JSON");
        let after = &redacted["resource_changes"][0]["change"]["after"];
        assert_eq!((&after["p"], &after["text"]), (&mask.into(), &texts[1].as_str().into()));
    }
}

/// What `--echo equal` masks, `--echo contains` masks too.
#[test]
fn contains_masks_all_that_equals() {
    for (secret, text) in [
        ("hunter2-secret", "a: \"hunter2-\\\n   secret\"\nb: 1\n"),
        ("it's-a-secret", "a: 'b: ''it''''s-a-secret''\n\n  c: 1'\nd: 1\n"),
        ("a\u{a0}b-secret", "a: \"a\\_b-secret\"\nb: 1\n"),
    ] {
        let plan = plan(Value::Null, json!({"p": secret, "text": text}));
        let results = [&[][..], &["--echo", "contains"]].map(|options| {
            let redacted = redact(options, plan.as_bytes()).expect("a plan");
            let redacted: Value = serde_json::from_str(&redacted).expect("JSON");
            redacted["resource_changes"][0]["change"]["after"]["text"].clone()
        });
        assert!(results.iter().all(|it| it != text && it == &results[0]), "{results:?}");
    }
}

#[test]
fn records_of_redacted_documents_show_the_same_changes() {
    let text = |key: &str, n: u32| format!("{{\"k\":\"{key}\",\"n\":{n}}}");
    for (before, after, changes) in [
        (text("secret-one", 1), text("secret_two", 1), true),
        (text("secret-one", 1), text("secret-one", 1), false),
        (text("secret-one", 1), text("secret-one", 2), true),
    ] {
        let side = |text: &str| json!({"p": ["secret-one", "secret_two"], "q": text});
        let plan = plan(side(&before), side(&after));
        let redacted = redact(&[], plan.as_bytes()).expect("a plan");
        let records = run::piped(&["changes", "-q", "-"], redacted.as_bytes()).stdout;
        let records = String::from_utf8(records).expect("UTF-8");
        assert_eq!(records.contains(r#""changed":["q"]"#), changes, "{records}");
        assert_eq!(redact(&[], redacted.as_bytes()), Ok(redacted));
    }
}
