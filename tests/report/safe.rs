//! No report shows a secret, and no text of a plan acts as a command in a report.

use std::path::Path;

use super::{plan_of, report_of};
use crate::run;

/// The formats, by their names on the command line.
const FORMATS: [&str; 5] = ["term", "html", "junit", "sarif", "gitlab"];

/// A plan that marks a secret in one place and repeats it in others without a mark.
fn with_echoes() -> String {
    plan_of(&[
        (
            "a",
            r#""actions":["create"],"before":null,"after":{"p":"Canary-of-it","open":"x"},
               "after_sensitive":{"p":true}"#,
        ),
        (
            "b",
            r#""actions":["update"],"before":{"o":"Canary-of-it","t":{"Canary-of-it":1}},
               "after":{"o":"other","j":"{\"k\":\"Canary-of-it\"}","t":{"Canary-of-it":2},
                        "n":["Canary-of-it"],"u":"\u0043anary-of-it"}"#,
        ),
    ])
}

#[test]
fn echoes_are_hidden() {
    let plan = with_echoes();
    for format in FORMATS {
        for values in ["changed", "all"] {
            let args = ["-o", format, "--values", values, "--fail-on", "changed-path:t>9"];
            let text = report_of(&args, &plan);
            assert!(!text.contains("Canary"), "{format} {values}: {text}");
        }
    }
    let text = report_of(&[], &plan);
    assert!(text.contains("+ open = \"x\"") && text.contains("(sensitive value)"), "{text}");
    // `--echo contains` hides texts that contain the secret.
    let plan = with_echoes().replace("\"other\"", "\"url://Canary-of-it@host\"");
    assert!(report_of(&[], &plan).contains("url://"));
    let text = report_of(&["--echo", "contains"], &plan);
    assert!(!text.contains("url://") && !text.contains("Canary"), "{text}");
    // `--also-names` hides the values of matching keys, also in documents in strings.
    let text = report_of(&["--also-names", "^open$"], &plan);
    assert!(!text.contains("\"x\""), "{text}");
    let named = plan_of(&[(
        "a",
        r#""actions":["update"],"before":{"u":"{\"pw\":\"qa\",\"b\":1}","v":"b: 1\npw: qa\n"},
           "after":{"u":"{\"pw\":\"qb\",\"b\":2}","v":"b: 2\npw: qc\n","w":"{\"pw\":\"qd\"}"}"#,
    )]);
    let text = report_of(&["--also-names", "^pw$"], &named);
    let shown = ["qa", "qb", "qc", "qd"].iter().any(|secret| text.contains(secret));
    assert!(!shown && text.contains("jsondecode(u).b  = 1 -> 2"), "{text}");
}

#[test]
fn a_marked_document_and_a_secret_in_parentheses_are_hidden() {
    let marked = r#""s":"{\"user\":\"qa\",\"pin\":[1,\"qb\"]}","t":"Canary-of-it""#;
    let change = format!(
        r#""actions":["update"],
           "before":{{{marked},"j":"{{\"a\":1}}","y":"a: 1\nb: 2\n","u":"x"}},
           "after":{{{marked},"j":"{{\"a\":{{\"pin\":[1.0,\"qb\"],\"user\":\"qa\"}}}}",
                    "y":"a: 1\nb:\n  pin: [1, qb]\n  user: qa\n","u":"f(Canary-of-it)"}},
           "before_sensitive":{{"s":true,"t":true}},"after_sensitive":{{"s":true,"t":true}}"#
    );
    let plan = plan_of(&[("a", &change)]);
    for format in FORMATS {
        for values in ["changed", "all"] {
            let text = report_of(&["-o", format, "--values", values], &plan);
            let is_shown = ["Canary", "qa", "qb"].iter().any(|secret| text.contains(secret));
            assert!(!is_shown, "{format} {values}: {text}");
        }
    }
}

#[test]
fn texts_that_cannot_be_searched_are_hidden() {
    // A text that is too long to search is hidden.
    let pad = ",".repeat(60_000);
    let side = |member: &str| {
        let text = format!(r"p: Canary-of-it\n{member}\nq: |\n  {pad}");
        format!(r#"{{"s":"Canary-of-it","long_text":"{text}"}}"#)
    };
    for member in ["x: 2", "y: 1"] {
        let [before, after] = [side("x: 1"), side(member)];
        let change = format!(
            r#""actions":["update"],"before":{before},"after":{after},
               "before_sensitive":{{"s":true}},"after_sensitive":{{"s":true}}"#
        );
        let long = plan_of(&[("a", &change)]);
        for values in ["changed", "all"] {
            let text = report_of(&["--values", values], &long);
            assert!(text.contains("long_text") && !text.contains("Canary"), "{text}");
        }
    }
    // A JSON or YAML document that is too deep to search is hidden.
    let deep_json = format!(r#"[\"Canary-of-it\",{}1{}]"#, "[".repeat(210), "]".repeat(210));
    let deep_yaml = format!(r"k:\n  {}Canary-of-it\n", "- ".repeat(210));
    for text in [deep_json, deep_yaml] {
        let change = format!(
            r#""actions":["update"],"before":{{"s":"Canary-of-it","deep_text":"x"}},
               "after":{{"s":"Canary-of-it","deep_text":"{text}"}},
               "before_sensitive":{{"s":true}},"after_sensitive":{{"s":true}}"#
        );
        let deep = plan_of(&[("a", &change)]);
        let combinations =
            ["changed", "all"].map(|values| ["term", "html"].map(|form| (values, form)));
        for (values, form) in combinations.into_iter().flatten() {
            let text = report_of(&["-o", form, "--values", values], &deep);
            assert!(text.contains("deep_text") && !text.contains("Canary"), "{text}");
        }
    }
    // A document with the same key twice is hidden, because its keys are ambiguous.
    let twice = plan_of(&[(
        "a",
        r#""actions":["update"],"before":{"u":"{\"v\":1,\"w\":{\"pw\":\"qa\",\"pw\":\"qb\"}}"},
           "after":{"u":"{\"v\":2,\"w\":{\"pw\":\"qa\",\"pw\":\"qb\"}}"}"#,
    )]);
    let text = report_of(&["--also-names", "^pw$"], &twice);
    assert!(text.contains("~ u = ") && !text.contains("qa") && !text.contains("qb"), "{text}");
}

#[test]
fn echoes_in_imports_and_messages_are_hidden() {
    // The id and the identity of an import.
    let imported = plan_of(&[
        ("a", r#""actions":["create"],"after":{"p":"Canary-of-it"},"after_sensitive":{"p":true}"#),
        (
            "b",
            r#""actions":["create"],"after":{"o":1},"importing":{"id":"Canary-of-it",
               "identity":{"i":["u:Canary-of-it@h"]}}"#,
        ),
    ]);
    for format in FORMATS {
        let text = report_of(&["-o", format, "--echo", "contains"], &imported);
        assert!(!text.contains("Canary"), "{format}: {text}");
    }
    assert!(report_of(&[], &imported).contains("u:Canary-of-it@h"));
    // The messages of checks.
    let check = r#"{"address":{"to_display":"check.c"},"status":"fail",
                    "instances":[{"problems":[{"message":"Canary-of-it"}]}]}"#;
    let plan = with_echoes();
    let checked = format!(r#"{},"checks":[{check}]}}"#, &plan[..plan.len() - 1]);
    let text = report_of(&[], &checked);
    assert!(text.contains("check.c") && !text.contains("Canary"), "{text}");
}

#[test]
fn real_plans_show_none_of_their_secrets() {
    for tool in ["terraform1.11", "terraform-dev1.17", "tofu1.12"] {
        let plan = run::corpus("real").join(tool).join("secrets-change.plan.json");
        let secrets = secrets_of(&plan);
        assert!(!secrets.is_empty(), "{tool}");
        for format in FORMATS {
            let text = super::report_on(&["-o", format, "--values", "all"], &plan);
            for secret in &secrets {
                assert!(!text.contains(secret.as_str()), "{tool} {format}");
            }
        }
    }
}

/// The marked strings of a plan that have at least eight bytes.
fn secrets_of(plan: &Path) -> Vec<String> {
    let text = std::fs::read(plan).expect("a file");
    let document: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let mut found = Vec::new();
    for change in document["resource_changes"].as_array().into_iter().flatten() {
        for (side, marks) in [("before", "before_sensitive"), ("after", "after_sensitive")] {
            let change = &change["change"];
            marked(&change[side], &change[marks], &mut found);
        }
    }
    found
}

fn marked(value: &serde_json::Value, mark: &serde_json::Value, found: &mut Vec<String>) {
    use serde_json::Value;
    match (value, mark) {
        (Value::String(text), Value::Bool(true)) if text.len() >= 8 => found.push(text.clone()),
        (Value::Object(members), Value::Bool(true)) => {
            members.values().for_each(|value| marked(value, mark, found));
        }
        (Value::Array(elements), Value::Bool(true)) => {
            elements.iter().for_each(|value| marked(value, mark, found));
        }
        (Value::Object(members), Value::Object(marks)) => {
            members.iter().for_each(|(key, value)| {
                marked(value, marks.get(key).unwrap_or(&Value::Null), found);
            });
        }
        (Value::Array(elements), Value::Array(marks)) => {
            elements.iter().zip(marks).for_each(|(value, mark)| marked(value, mark, found));
        }
        _ => {}
    }
}

/// A text that acts as a command or as markup in a terminal, in XML or in a log, unless escaped.
const HOSTILE: &str = concat!(
    r"\u001b[31m\u0007\u009b2J\r\n::error::x\n\u202e</testcase>]]>",
    r"<!--&amp;--><script>alert(1)</script>\u0000\ufffe\uffff\ufdd0\ud83f\udffe\ufeff=cmd()"
);

#[test]
fn hostile_texts_are_escaped() {
    let plan = format!(
        r#"{{"format_version":"1.2","terraform_version":"1.9.0{HOSTILE}","resource_changes":[
            {{"address":"a.b{HOSTILE}","module_address":"module.m{HOSTILE}","mode":"managed",
              "type":"a{HOSTILE}","name":"b{HOSTILE}","index":"{HOSTILE}",
              "previous_address":"{HOSTILE}",
              "action_reason":"{HOSTILE}","deposed":"{HOSTILE}",
              "change":{{"actions":["update"],"before":{{"{HOSTILE}":"{HOSTILE}","x":"x"}},
                         "after":{{"{HOSTILE}":"y","x":"{HOSTILE}"}},
                         "importing":{{"id":"{HOSTILE}"}}}}}},
            {{"address":"c.d","change":{{"actions":["{HOSTILE}"]}}}}],
          "output_changes":{{"o{HOSTILE}":
              {{"actions":["create"],"before":null,"after":"{HOSTILE}"}}}},
          "checks":[{{"address":{{"to_display":"check.c{HOSTILE}","kind":"check"}},"status":"fail",
                      "instances":[{{"problems":[{{"message":"{HOSTILE}"}}]}}]}}]}}"#
    );
    for format in FORMATS {
        let args = ["report", "-o", format, "--fail-on", "update", "--fail-on", "check", "-"];
        let output = run::piped(&args, plan.as_bytes());
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
        for (text, is_report) in [(output.stdout, true), (output.stderr, false)] {
            let text = String::from_utf8(text).expect("UTF-8");
            let is_obeyed =
                |it: char| (it.is_control() && it != '\n') || matches!(it, '\u{202e}' | '\u{feff}');
            // XML does not allow the first two, and no character has the others.
            let is_none =
                |it: char| matches!(it, '\u{fffe}' | '\u{ffff}' | '\u{fdd0}' | '\u{1fffe}');
            assert!(!text.contains(is_none), "{format}: {text:?}");
            assert!(!text.contains(is_obeyed), "{format}: {text:?}");
            assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
            if format == "html" && is_report {
                assert!(!text.contains("<script>a") && !text.contains("<!--"), "{text}");
            }
            if format == "junit" && is_report {
                assert!(!text.contains("<script") && !text.contains("<!--"), "{text}");
            }
        }
    }
}

#[test]
fn useless_options_about_secrets_are_refused() {
    for args in ["--echo contains", "--also-names x"] {
        let mut command = run::plansift();
        command.args(["report", "--values", "none"]).args(args.split(' ')).arg("plan.json");
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(64), "{args}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("--values none"), "{args}");
    }
}
