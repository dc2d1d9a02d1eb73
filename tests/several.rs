//! Several documents in one input, for the commands that read each document twice.
//!
//! Each document must give the same output as alone, with its own secrets, from every kind of
//! input.

use std::fs;
use std::process::Output;

use serde_json::{Map, Value, json};

use crate::run;
use crate::same_answer::forms;

/// A plan on one line. Its variables come before the declaration that makes one of them secret, as
/// the tools write them. The other variables have names that other plans declare secret.
fn plan(name: &str) -> String {
    let of = |other: &str| match other == name {
        true => format!("CANARY-{name}-declared"),
        false => format!("of-{other}-in-{name}"),
    };
    let variables =
        ["a", "b", "c"].map(|other| (format!("of_{other}"), json!({"value": of(other)})));
    let change = json!({
        "actions": ["update"],
        "before": {"key": format!("CANARY-{name}-marked"), "echo": format!("CANARY-{name}-marked"),
            "open": "open-before"},
        "after": {"key": format!("CANARY-{name}-marked-2"), "echo": of(name),
            "open": "open-after"},
        "after_unknown": {}, "before_sensitive": {"key": true}, "after_sensitive": {"key": true},
    });
    json!({
        "format_version": "1.2",
        "variables": Map::from_iter(variables),
        "resource_changes": [{"address": format!("x.{name}"), "mode": "managed", "type": "x",
            "name": name, "change": change}],
        "configuration": {"root_module": {"variables": {
            format!("of_{name}"): {"sensitive": true}}}},
    })
    .to_string()
}

fn run_on(args: &[&str], input: &str) -> Output {
    run::piped(&[args, &["-"]].concat(), input.as_bytes())
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The concatenated output for each text alone.
fn each_alone(args: &[&str], texts: &[String]) -> String {
    let alone = |text: &String| {
        let output = run_on(args, text);
        assert!(output.status.success(), "{args:?}: {}", self::text(&output.stderr));
        self::text(&output.stdout).to_owned()
    };
    texts.iter().map(alone).collect()
}

const REWRITING: [&[&str]; 9] = [
    &["redact"],
    &["redact", "--for-agent"],
    &["redact", "--echo", "contains"],
    &["redact", "--echo", "off"],
    &["slim"],
    &["slim", "--for-agent"],
    &["slim", "--wrap", "terraform"],
    &["slim", "--echo", "off"],
    &["slim", "--no-redact"],
];

#[test]
fn every_document_is_rewritten_as_if_it_were_alone() {
    let lines = ["a", "b", "c"].map(|name| plan(name) + "\n");
    let (stream, close) = (lines.concat(), lines.concat().replace('\n', ""));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.json");
    for args in REWRITING {
        let expected = each_alone(args, &lines);
        assert_eq!(expected.lines().count(), 3, "{args:?}");
        let is_same = |output: &Output, expected: &str, how: &str| {
            assert_eq!(output.status.code(), Some(0), "{args:?} {how}: {}", text(&output.stderr));
            assert_eq!(text(&output.stdout), expected, "{args:?} {how}");
        };
        is_same(&run_on(args, &stream), &expected, "piped");
        is_same(&run_on(args, &close), &expected.replace('\n', ""), "one after the other");
        for (how, bytes) in [
            ("file", stream.clone().into_bytes()),
            ("gzip", forms::gzip(stream.as_bytes())),
            ("zstd", forms::zstd(stream.as_bytes())),
            ("UTF-16", forms::utf16_le(&stream)),
        ] {
            fs::write(&path, bytes).expect("a file");
            for more in [&[][..], &["--no-mmap"], &["--threads", "1"], &["--threads", "3"]] {
                let args = [args, more, &[path.to_str().expect("UTF-8")]].concat();
                is_same(&run::piped(&args, b""), &expected, how);
            }
        }
    }
}

#[test]
fn an_array_stays_an_array() {
    let plans = ["a", "b", "c"].map(plan);
    let array = format!(" [{},{}\n,{}\n]\n", plans[0], plans[1], plans[2]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.json");
    fs::write(&path, &array).expect("a file");
    let path = path.to_str().expect("UTF-8");
    for args in REWRITING {
        let [a, b, c] = plans.each_ref().map(|plan| each_alone(args, std::slice::from_ref(plan)));
        let expected = format!(" [{a},{b}\n,{c}\n]\n");
        let _: Vec<Value> = serde_json::from_str(&expected).expect("an array");
        for output in [
            run_on(args, &array),
            run::piped(&[args, &[path]].concat(), b""),
            run::piped(&[args, &["--no-mmap", "--threads", "1", path]].concat(), b""),
            run::piped(&[args, &["--threads", "3", path]].concat(), b""),
        ] {
            assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
            assert_eq!(text(&output.stdout), expected, "{args:?}");
        }
    }
    // A part of an array is not an array.
    let damaged = array.replace(&plans[1], "{}");
    let out = folder.path().join("out");
    for args in REWRITING {
        let output = run_on(&[args, &["-o", out.to_str().expect("UTF-8")]].concat(), &damaged);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", text(&output.stderr));
        assert!(!out.exists(), "{args:?}");
        let said = text(&output.stderr);
        assert!(said.contains("was written before the error: the output ends"), "{said}");
    }
}

#[test]
fn every_command_reads_an_array_like_documents_in_a_row() {
    let plans = ["a", "b"].map(plan);
    let (array, row) = (format!("[{}]", plans.join(",")), plans.concat());
    let commands: [&[&str]; 14] = [
        &["changes"],
        &["changes", "--with-config"],
        &["summary"],
        &["summary", "--fail-on", "update>1"],
        &["report"],
        &["report", "-o", "markdown"],
        &["report", "-o", "json"],
        &["report", "-o", "html", "--values", "none"],
        &["resources"],
        &["outputs"],
        &["variables"],
        &["checks"],
        &["config"],
        &["assert", "-e", r#"{"plan":"empty"}"#],
    ];
    for args in commands {
        let [of_array, of_row] = [&array, &row].map(|text| run_on(args, text));
        assert_eq!(of_array.status.code(), of_row.status.code(), "{args:?}");
        assert_eq!(text(&of_array.stdout), text(&of_row.stdout), "{args:?}");
        assert_eq!(text(&of_array.stderr), text(&of_row.stderr), "{args:?}");
    }
}

#[test]
fn each_document_is_masked_by_its_own_secrets_only() {
    let stream = ["a", "b"].map(plan).join("\n");
    let output = run_on(&["redact"], &stream);
    let redacted = text(&output.stdout);
    for secret in ["-a-marked", "-b-marked", "-a-declared", "-b-declared"] {
        assert!(!redacted.contains(&format!("CANARY{secret}")), "{secret}");
    }
    // A declaration in one plan does not make variables of another plan secret.
    assert!(redacted.contains("of-b-in-a") && redacted.contains("of-a-in-b"));
    let said = text(&output.stderr);
    assert!(said.contains("plansift: -: masked 3 ") && said.contains("plansift: -#2: masked 3 "));
}

#[test]
fn broken_documents_are_left_out_and_named() {
    let [a, b, c] = ["a", "b", "c"].map(plan);
    let cut = &b[..b.len() / 2];
    let stream = format!("{a}\n{cut}\n{c}\n");
    for args in REWRITING {
        let expected = each_alone(args, &[a.clone() + "\n", c.clone() + "\n"]);
        let output = run_on(args, &stream);
        let said = text(&output.stderr);
        assert!(said.contains("plansift: -#2: "), "{args:?}: {said}");
        if args.contains(&"off") || args.contains(&"--no-redact") {
            // The command streams: it had already written a part of the document before the error.
            assert_eq!(output.status.code(), Some(1), "{args:?}");
            let first = expected.lines().next().expect("a line");
            assert!(text(&output.stdout).starts_with(first), "{args:?}");
        } else {
            assert_eq!(output.status.code(), Some(4), "{args:?}: {said}");
            assert_eq!(text(&output.stdout), expected, "{args:?}");
            assert!(said.contains("going on at byte "), "{args:?}: {said}");
        }
    }
    // Sections that the second pass checks are checked in the first pass, too.
    let bad = |section: &str| format!("{},{section}}}", &b[..b.len() - 1]);
    for section in [r#""checks":[trux]"#, r#""relevant_attributes":[trux]"#, r#""x":{"a":01}"#] {
        let output = run_on(&["redact"], &format!("{a}\n{}\n{c}\n", bad(section)));
        assert_eq!(output.status.code(), Some(4), "{section}: {}", text(&output.stderr));
        let expected = each_alone(&["redact"], &[a.clone() + "\n", c.clone() + "\n"]);
        assert_eq!(text(&output.stdout), expected, "{section}");
    }
    // The start of the next document cannot be found, so the rest is not read.
    let open = &b[..b.len() - 1];
    let output = run_on(&["redact"], &format!("{a} {open} {c}"));
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(text(&output.stdout), each_alone(&["redact"], &[a.clone() + " "]));
    assert!(text(&output.stderr).contains("what follows plan 2 was not read"));
    // An input that begins with a broken plan gets the same message; a single document does not.
    for command in ["changes", "redact", "slim", "audit"] {
        let output = run_on(&[command], &format!("{open}{b}{c}"));
        assert_eq!(output.status.code(), Some(1), "{command}");
        let said = text(&output.stderr);
        assert!(said.contains("what follows plan 1 was not read"), "{command}: {said}");
        let said = run_on(&[command], &open.replace(":[", ":[,")).stderr;
        assert!(!text(&said).contains("what follows"), "{command}: {}", text(&said));
    }
    // An input without valid plans creates no output.
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let output = run_on(&["redact", "-o", out.to_str().expect("UTF-8")], cut);
    assert!(output.status.code() == Some(1) && !out.exists());
}

#[test]
fn inputs_that_cannot_be_read_are_left_out_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["a.json", "torn.json", "none.json", "c.json"].map(|name| folder.path().join(name));
    let paths = names.each_ref().map(|path| path.to_str().expect("UTF-8"));
    let [a, torn, c] = [plan("a"), plan("b")[..200].to_owned(), plan("c")];
    for (path, text) in [(paths[0], &a), (paths[1], &torn), (paths[3], &c)] {
        fs::write(path, text).expect("a file");
    }
    for command in ["redact", "slim"] {
        let output = run::piped(&[&[command][..], &paths].concat(), b"");
        assert_eq!(output.status.code(), Some(4), "{command}");
        assert_eq!(text(&output.stdout), each_alone(&[command], &[a.clone(), c.clone()]));
        let said = text(&output.stderr);
        assert!(paths[1..3].iter().all(|path| said.contains(*path)), "{command}: {said}");
    }
}

#[test]
fn the_report_of_masked_places_has_all_documents() {
    let [a, b, c] = ["a", "b", "c"].map(plan);
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report");
    let args = ["redact", "--report", report.to_str().expect("UTF-8")];
    // Offsets in the report depend on the preceding documents.
    let entries_of = |stream: &str, code: i32| -> Vec<Value> {
        let output = run_on(&args, stream);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        let report = fs::read_to_string(&report).expect("a report");
        let mut entries: Vec<Value> =
            report.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        for entry in &mut entries {
            without(entry, &["offset", "bytes"]);
        }
        entries
    };
    let alone = |document: &str, number: u64| {
        let mut entries = entries_of(document, 0);
        if number > 1 {
            entries[0]["source"] = format!("-#{number}").into();
        }
        entries
    };
    let [first, second, third] = [alone(&a, 1), alone(&b, 2), alone(&c, 3)];
    assert!(first.len() > 5);
    assert_eq!(entries_of(&format!("{a}{b}{c}"), 0), [&first[..], &second, &third].concat());
    let cut = &b[..b.len() / 2];
    assert_eq!(entries_of(&format!("{a}\n{cut}\n{c}"), 4), [&first[..], &third].concat());
}

fn without(value: &mut Value, keys: &[&str]) {
    let Value::Object(members) = value else { return };
    members.retain(|key, _| !keys.contains(&key.as_str()));
    members.values_mut().for_each(|member| without(member, keys));
}

#[test]
fn an_audit_has_all_documents() {
    let stream = ["a", "b"].map(plan).join("\n");
    let output = run_on(&["audit", "--format", "ndjson"], &stream);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found = text(&output.stdout);
    assert!(found.contains(r#""source":"-""#) && found.contains(r##""source":"-#2""##));
    assert_eq!(found.matches(r#""kind":"summary""#).count(), 2);
    assert!(found.contains(r#""address":"x.b""#) && !found.contains("CANARY"));
    let array = ["a", "b"].map(plan).join(",");
    let of_array = run_on(&["audit", "--format", "ndjson"], &format!("[{array}]"));
    assert_eq!(text(&of_array.stdout).matches(r#""kind":"summary""#).count(), 2);
    assert_eq!(text(&of_array.stdout).lines().count(), found.lines().count());
    // An echo in any document breaks the rule.
    let quiet = r#"{"format_version":"1.2","resource_changes":[]}"#;
    for (stream, code) in [
        (format!("{quiet}\n{}", plan("a")), 3),
        (format!("{quiet}\n{quiet}"), 0),
        (format!("{quiet}\n{{\"format_version\":\"1.2\",\n{quiet}"), 4),
    ] {
        let output = run_on(&["audit", "--fail-on-echo"], &stream);
        assert_eq!(output.status.code(), Some(code), "{stream}: {}", text(&output.stderr));
    }
}

#[test]
fn a_report_shows_the_values_of_all_documents_but_their_secrets() {
    let [a, b, c] = ["a", "b", "c"].map(plan);
    let cut = &b[..b.len() / 2];
    for (stream, code) in [(format!("{a}\n{b}\n{c}"), 0), (format!("{a}\n{cut}\n{c}"), 4)] {
        for form in ["term", "markdown", "html"] {
            let output = run_on(&["report", "-o", form], &stream);
            assert_eq!(output.status.code(), Some(code), "{form}: {}", text(&output.stderr));
            let report = text(&output.stdout);
            assert!(!report.contains("CANARY"), "{form}: {report}");
            let shown = report.matches("open-after").count();
            assert_eq!(shown, if code == 0 { 3 } else { 2 }, "{form}: {report}");
        }
    }
}

#[test]
fn assertions_check_each_document_and_mask_its_secrets() {
    let [a, b, c] = ["a", "b", "c"].map(plan);
    let cut = &b[..b.len() / 2];
    let assertion = "resource: x.*, path: echo, known: none";
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(&file, format!("- {{{assertion}}}\n")).expect("a file");
    let file = file.path().to_str().expect("UTF-8");
    for (stream, code) in [(format!("{a}\n{b}\n{c}"), 3), (format!("{a}\n{cut}\n{c}"), 4)] {
        for args in [&["assert", "-e", assertion][..], &["report", "--assert", file]] {
            let output = run_on(args, &stream);
            let (out, said) = (text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
            assert!(!out.contains("CANARY") && !said.contains("CANARY"), "{out}{said}");
            // The value equals the one that its own plan declares sensitive.
            let masked =
                out.matches("expected \"none\", found (repeats a sensitive value)").count();
            assert_eq!(masked, if code == 3 { 3 } else { 2 }, "{args:?}: {out}");
        }
    }
}

#[test]
fn every_command_warns_about_text_around_a_document() {
    let text = format!("Running terraform show\n{}\ndone\n", plan("a"));
    for args in [
        &["changes"][..],
        &["summary"],
        &["report"],
        &["assert", "-e", "plan: non-empty"],
        &["redact"],
        &["slim"],
        &["audit"],
    ] {
        let output = run_on(args, &text);
        let said = self::text(&output.stderr);
        for place in ["bytes of other text before the plan", "bytes of other text after the plan"] {
            assert_eq!(said.matches(place).count(), 1, "{args:?}: {said}");
        }
        let quiet = run_on(&[args, &["--quiet"]].concat(), &text);
        assert!(!self::text(&quiet.stderr).contains("warning"), "{args:?}");
    }
}
