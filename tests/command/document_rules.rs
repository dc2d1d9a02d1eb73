//! Rules and `--select` with paths into the documents in strings.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::gates::covers;
use super::{Folder, Run};
use crate::{naive, run, tried};

/// A plan with an update of each pair of values.
fn plan(sides: &[[Value; 2]], marks: &Value) -> String {
    let changes = sides.iter().enumerate().map(|(index, [before, after])| {
        json!({
            "address": format!("a_b.c[{index}]"), "mode": "managed", "type": "a_b", "name": "c",
            "index": index, "change": {
                "actions": ["update"], "before": before, "after": after, "after_unknown": {},
                "before_sensitive": marks, "after_sensitive": marks,
            },
        })
    });
    let changes: Vec<Value> = changes.collect();
    json!({"format_version": "1.2", "resource_changes": changes}).to_string()
}

/// Runs a command with rules, and returns the count of each rule.
fn counts(command: &str, plan: &str, rules: &[&str]) -> (Vec<u64>, Run) {
    let args = command.split(' ').chain(rules.iter().flat_map(|rule| ["--fail-on", rule]));
    let args: Vec<&str> = args.chain(["-"]).collect();
    let run = Run::of(&run::piped(&args, plan.as_bytes()));
    let count = |rule: &&str| {
        let start = format!(" rule broken: {rule}: ");
        let found = run.err.lines().find_map(|line| line.split_once(&start));
        found.map_or(0, |(_, words)| {
            let number = words.split(' ').next().expect("a count");
            number.parse().expect("a number")
        })
    };
    (rules.iter().map(count).collect(), run)
}

fn document() -> impl Strategy<Value = Value> {
    let scalar = prop::sample::select(vec![json!(1), json!(2), json!("x"), json!(null)]);
    let inner = scalar.prop_recursive(3, 16, 3, |inner| {
        let key = prop::sample::select(vec!["a", "b", "c d", "e"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..3).prop_map(Value::from_iter),
        ]
    });
    prop::collection::vec(inner, 1..4).prop_map(|values| {
        ["a", "b", "list"]
            .into_iter()
            .zip(values)
            .map(|(key, value)| (key.to_owned(), value))
            .collect()
    })
}

proptest! {
    #![proptest_config(tried::property(20))]

    /// The oracle compares the documents as values of the plan.
    #[test]
    fn rules_count_the_paths_that_the_oracle_finds_in_documents(
        pairs in prop::collection::vec((document(), document()), 30),
    ) {
        let sides = |encode: &dyn Fn(&Value) -> Value| -> Vec<[Value; 2]> {
            let side = |value: &Value| json!({"p": encode(value), "other": "x"});
            pairs.iter().map(|(before, after)| [side(before), side(after)]).collect()
        };
        let values = plan(&sides(&Value::clone), &json!({}));
        let records = naive::records(
            &serde_json::from_str(&values).expect("JSON"), "-", values.len() as u64, false,
        );
        let paths = records.iter().filter_map(|record| record["changed"].as_array()).flatten();
        let paths: Vec<&str> = paths.filter_map(Value::as_str).collect();
        // JSON with a comment is YAML.
        for (decoder, end) in [("jsondecode", ""), ("yamldecode", "\n# YAML")] {
            let text = plan(&sides(&|value| json!(format!("{value}{end}"))), &json!({}));
            let inside = |path: &&str| path.replacen('p', &format!("{decoder}(p)"), 1);
            let paths: Vec<String> = paths.iter().map(inside).collect();
            let patterns = [
                "D(p)", "=D(p)", "D(p).a", "=D(p).a", "D(p).list[0]", "D(p).a.b", "D(*).*.b",
                "*D(p)*", "D(p).a[\"c d\"]", "*(p).b",
            ];
            let patterns = patterns.map(|pattern| pattern.replace('D', decoder));
            let rules = patterns.clone().map(|pattern| format!("changed-path:{pattern}"));
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            let expected: Vec<u64> = patterns
                .iter()
                .map(|pattern| paths.iter().filter(|path| covers(pattern, path)).count() as u64)
                .collect();
            for command in ["changes", "summary", "report -o variables"] {
                let (found, run) = counts(command, &text, &rules);
                prop_assert_eq!(&found, &expected, "{} {}", command, run.err);
            }
            // Files are mapped, and several threads make their rows.
            let folder = Folder::new();
            folder.write("p.json", &text);
            let mut args = "changes p.json --threads 3".to_owned();
            for rule in rules.iter().filter(|rule| !rule.contains(' ')) {
                write!(args, " --fail-on {rule}").expect("a text");
            }
            let run = folder.run(&args);
            for (rule, count) in rules.iter().zip(&expected).filter(|(_, count)| **count > 0) {
                let said = format!("rule broken: {rule}: {count} in ");
                prop_assert!(rule.contains(' ') || run.err.contains(&said), "{} {}", said, run.err);
            }
        }
    }
}

/// The count of a rule for the two texts of an attribute `p`.
fn count(rule: &str, before: &str, after: &str) -> u64 {
    let plan = plan(&[[json!({"p": before}), json!({"p": after})]], &json!({}));
    let (counts, run) = counts("changes", &plan, &[rule]);
    assert!(matches!(run.code, Some(0 | 3)), "{rule}: {}", run.err);
    counts[0]
}

#[test]
fn documents_change_only_if_both_sides_are_documents_of_one_syntax() {
    let huge = |text: &str| format!("{{\"a\": \"{}{text}\"}}", "x".repeat(1 << 20));
    let deep = |text: &str| format!("{}{text}{}", "[".repeat(300), "]".repeat(300));
    let json = |text: &str| format!(r#"{{"a": {{"b": "{text}"}}, "c": 1}}"#);
    let yaml = |text: &str| format!("a: {{b: {text}}}\nc: 1\n");
    let stream = |text: &str| format!("{}---\nd: 1\n", yaml(text));
    for (before, after, expected) in [
        (json("1"), json("2"), [1, 0]),
        (yaml("1"), yaml("2"), [0, 1]),
        // Format, comments and the order of keys are no changes.
        (json("1"), json("1").replace(' ', ""), [0, 0]),
        (yaml("1"), format!("# A comment\n{}", yaml("1")), [0, 0]),
        (json("1"), r#"{"c": 1.0, "a": {"b": "1"}}"#.to_owned(), [0, 0]),
        // A line that ends with a line break.
        ("\"a\": {\"b\": 1}\n".to_owned(), "\"a\": {\"b\": 2}\n".to_owned(), [0, 1]),
        // A document that appears or goes changes only at the path of the string.
        ("text".to_owned(), json("1"), [0, 0]),
        (json("1"), "text".to_owned(), [0, 0]),
        (yaml("1"), String::new(), [0, 0]),
        // Documents that cannot be compared count once for every rule that leads into them.
        (json("1"), yaml("1"), [1, 1]),
        (yaml("1"), stream("1"), [1, 1]),
        (huge("1"), huge("2"), [1, 1]),
        (deep("1"), deep("2"), [1, 1]),
        (json("1"), deep("2"), [1, 1]),
        (json("1"), r#"{"a": {"b": "1"}, "a": {"b": "2"}}"#.to_owned(), [1, 1]),
        (huge("1"), "text".to_owned(), [0, 0]),
    ] {
        let rules = ["changed-path:jsondecode(p).a.b", "changed-path:yamldecode(p).a.b"];
        let found = rules.map(|rule| count(rule, &before, &after));
        let start = |text: &str| text.chars().take(60).collect::<String>();
        assert_eq!(found, expected, "{} {}", start(&before), start(&after));
    }
    // The documents of a stream are a list, and an alias has the value of its node.
    assert_eq!(count("changed-path:yamldecode(p)[0].a", &stream("1"), &stream("2")), 1);
    assert_eq!(count("changed-path:yamldecode(p)[1]", &stream("1"), &stream("2")), 0);
    let alias = |text: &str| format!("a: &a {text}\nb: *a\n");
    assert_eq!(count("changed-path:yamldecode(p).b", &alias("1"), &alias("2")), 1);
    // A nested document is a string of its document.
    let outer = |text: &str| json!({"a": json(text)}).to_string();
    assert_eq!(count("changed-path:jsondecode(p).a", &outer("1"), &outer("2")), 1);
    assert_eq!(count("changed-path:jsondecode(p).a.b", &outer("1"), &outer("2")), 0);
    // The string itself changes, too.
    assert_eq!(count("changed-path:p", &json("1"), &json("2")), 1);
}

#[test]
fn rules_do_not_open_marked_strings() {
    let side = |text: &str| {
        let text = json!({"key": text}).to_string();
        json!({"p": text, "m": {"q": text}, "open": text})
    };
    let sides = [[side("CANARY-old"), side("CANARY-new")]];
    let rules = [
        "changed-path:jsondecode(p)",
        "changed-path:jsondecode(m.q).key",
        "changed-path:jsondecode(open).key",
    ];
    for (marks, expected) in [
        (json!({"p": true, "m": true}), [0, 0, 1]),
        (json!({"p": true, "m": {"q": true}}), [0, 0, 1]),
        // A mark that does not fit its value.
        (json!({"p": {"x": true}, "m": [true]}), [0, 0, 1]),
        (json!(true), [0, 0, 0]),
        (json!({}), [1, 1, 1]),
    ] {
        for command in ["changes", "report"] {
            let (found, run) = counts(command, &plan(&sides, &marks), &rules);
            assert_eq!(found, expected, "{command} {marks}: {}", run.err);
            // A pattern that leads into a marked string has no known typo.
            assert!(!run.err.contains("matches nothing"), "{}", run.err);
            assert!(!run.err.contains("CANARY"), "{}", run.err);
        }
    }
}

#[test]
fn records_contain_no_paths_in_documents() {
    let side = |text: &str| json!({"p": json!({"key": text}).to_string()});
    let plan = plan(&[[side("1"), side("2")]], &json!({}));
    for command in ["changes", "changes --format json", "report -o json", "summary"] {
        let [with, without] = [&["changed-path:jsondecode(p).key>9"][..], &[]]
            .map(|rules| counts(command, &plan, rules).1);
        if command != "report -o json" {
            assert_eq!(with.out, without.out);
        }
        assert!(!with.out.contains("jsondecode(p).key\""), "{}", with.out);
    }
}

#[test]
fn many_changes_in_documents_exceed_the_limit_of_paths() {
    let document = |value: u32| {
        let members = (0..5000).map(|key| (format!("key{key}"), json!(value)));
        json!({"p": Value::from_iter(members).to_string(), "other": value})
    };
    let plan = plan(&[[document(1), document(2)]], &json!({}));
    let limit = "changes --limit-paths 65536";
    assert_eq!(counts(limit, &plan, &["changed-path:other"]).0, [1]);
    let rule = "changed-path:jsondecode(p)";
    assert_eq!(counts("changes", &plan, &[rule]).0, [5000]);
    let (_, run) = counts(limit, &plan, &[rule]);
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.err.contains("--limit-paths"), "{}", run.err);
}

#[test]
fn typos_in_documents_are_named() {
    let side = |text: &str| {
        json!({
            "policy": json!({"Statement": [{"Action": text}]}).to_string(),
            "values": format!("image: {{tag: {text}}}\nports: [1]\n"),
        })
    };
    let plan = plan(&[[side("a"), side("a")], [side("x"), side("y")]], &json!({}));
    for (path, is_known) in [
        ("jsondecode(policy).Statement[0].Action", true),
        ("jsondecode(policy).Statement.Action", true),
        ("jsondecode(policy)", true),
        ("yamldecode(values).ports[0]", true),
        ("yamldecode(*).image", true),
        ("jsondecode(policy).Statment", false),
        ("yamldecode(policy).Statement", false),
        ("jsondecode(polici).Statement", false),
    ] {
        let rule = format!("changed-path:{path}>9");
        let (_, run) = counts("changes --strict-rules", &plan, &[&rule]);
        let said = "matches nothing, no document in a string has such a value";
        assert_eq!(run.err.contains(said), !is_known, "{path}: {}", run.err);
        assert_eq!(run.code, Some(if is_known { 0 } else { 3 }), "{path}");
    }
}

/// A state whose resource has documents in its values. Every secret contains `CANARY`.
fn state() -> String {
    let secret = "CANARY-secret-one";
    let nested = json!({"y": "k: 1\nl: [2, 3]\n"}).to_string();
    json!({"format_version": "1.0", "values": {"root_module": {"resources": [{
        "address": "a_b.c", "mode": "managed", "type": "a_b", "name": "c",
        "values": {
            "policy": format!(r#"{{"Statement":[{{"Action":"s3:*","n":1.50}}],"key":"{secret}"}}"#),
            "values": format!("# c\nimage: {{tag: &t v1}}\nalias: *t\nkey: {secret}\n"),
            "marked": json!({"a": secret}).to_string(), "pw": secret, "nested": nested,
            "line": "\"a\": 1\n", "text": "no document", "m": {"k d": r#"{"x": [1]}"#},
            "twice": r#"{"a": 1, "a": 2, "b": {"c": 3}}"#,
            "huge": format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20)),
        },
        "sensitive_values": {"marked": true, "pw": true},
    }]}}})
    .to_string()
}

#[test]
fn selected_paths_lead_into_documents() {
    let state = state();
    let deeper = "… (not shown: too long or too deep to search for secrets)";
    let [sensitive, echo] =
        ["(sensitive value)", "(repeats a sensitive value)"].map(|it| json!(it));
    for (path, expected) in [
        ("jsondecode(policy).Statement[0].Action", json!("s3:*")),
        ("jsondecode(policy).Statement", json!([{"Action": "s3:*", "n": 1.5}])),
        ("jsondecode(policy).Statement[1]", json!(null)),
        ("jsondecode(policy).key", echo.clone()),
        ("jsondecode(policy)", json!({"Statement": [{"Action": "s3:*", "n": 1.5}], "key": echo})),
        ("yamldecode(values).image.tag", json!("v1")),
        ("yamldecode(values).alias", json!("v1")),
        ("yamldecode(values).key", echo.clone()),
        ("yamldecode(line).a", json!(1)),
        ("jsondecode(values).image", json!(null)),
        ("yamldecode(policy).key", json!(null)),
        ("yamldecode(jsondecode(nested).y).l[1]", json!(3)),
        ("jsondecode(jsondecode(nested).y).l[1]", json!(null)),
        (r#"jsondecode(m["k d"]).x[0]"#, json!(1)),
        ("jsondecode(m).x", json!(null)),
        ("jsondecode(text).x", json!(null)),
        ("jsondecode(none).x", json!(null)),
        ("jsondecode(marked).a", sensitive.clone()),
        ("jsondecode(marked)", sensitive.clone()),
        ("jsondecode(pw).x", sensitive.clone()),
        ("jsondecode(twice).b.c", sensitive),
        ("jsondecode(huge).a", json!(deeper)),
    ] {
        let args = ["resources", "-f", "ndjson", "--select", path, "-"];
        let run = Run::of(&run::piped(&args, state.as_bytes()));
        assert!(!run.out.contains("CANARY"), "{path}: {}", run.out);
        let row = run.out.lines().nth(1).expect("a row");
        let row: Value = serde_json::from_str(row).expect("JSON");
        let found = &row["values"][path];
        // A number keeps its zeros.
        let texts = [found, &expected].map(|value| value.to_string().replace("1.50", "1.5"));
        assert_eq!(texts[0], texts[1], "{path}: {}", run.err);
        let is_nowhere = expected.is_null() && !path.starts_with("jsondecode(jsondecode");
        assert_eq!(run.err.contains("matches nothing"), is_nowhere, "{path}: {}", run.err);
    }
}
