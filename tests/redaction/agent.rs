//! `--for-agent`: contained and encoded secrets, names that look secret, the audit of the result.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::encodings;
use crate::generated::generated;
use crate::run;

const SECRET: &str = "hunter22<&>p\u{e4}ss\"word";

/// A plan with a marked value, and these unmarked values.
fn plan(values: &Value) -> Value {
    let mut after = values.clone();
    after["marked"] = json!(SECRET);
    json!({"format_version": "1.2", "resource_changes": [{
        "address": "acme_server.a", "mode": "managed", "type": "acme_server", "name": "a",
        "provider_name": "registry.example.com/acme/acme",
        "change": {
            "actions": ["create"], "before": null, "after": after, "after_unknown": {},
            "before_sensitive": false, "after_sensitive": {"marked": true},
        },
    }]})
}

/// The unmarked values of a redacted plan.
fn values_of(redacted: &[u8]) -> Value {
    let mut plan: Value = serde_json::from_slice(redacted).expect("a plan");
    let mut after = plan["resource_changes"][0]["change"]["after"].take();
    assert_eq!(after["marked"], "(sensitive value)");
    after.as_object_mut().expect("values").remove("marked");
    after
}

fn for_agent(command: &str, args: &[&str], plan: &Value) -> Output {
    let args = [&[command, "--for-agent"], args, &["-"]].concat();
    run::piped(&args, plan.to_string().as_bytes())
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

#[test]
fn encoded_secrets_are_masked_whole_and_other_texts_stay() {
    let encoded = encodings::of(SECRET);
    let others = encodings::of("another text without it").into_iter().chain(
        [
            "arn:aws:iam::123456789012:role/deploy-hunter22",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJrVENCK3dJSkFL",
            "%7B%22a%22%3A1%7D",
            "{\"a\":\"b\"}",
            "aHVudGVyMjI=",
        ]
        .map(str::to_owned),
    );
    let others: Vec<String> = others.collect();
    let input = json!({ "encoded": encoded, "others": others });
    for command in ["redact", "slim"] {
        let output = for_agent(command, &[], &plan(&input));
        assert_eq!(output.status.code(), Some(0), "{command}: {}", said(&output));
        let found = values_of(&output.stdout);
        for (text, masked) in encoded.iter().zip(found["encoded"].as_array().expect("a list")) {
            assert_eq!(masked, "(sensitive value)", "{command}: {text}");
        }
        assert_eq!(found["others"], json!(others), "{command}");
    }
}

#[test]
fn audit_finds_what_for_agent_masks() {
    let encoded = encodings::of(SECRET);
    let count = encoded.len();
    let text = plan(&json!({ "encoded": encoded })).to_string();
    let args = ["audit", "--echo", "encoded", "--fail-on-echo", "--format", "ndjson", "-"];
    let output = run::piped(&args, text.as_bytes());
    assert_eq!(output.status.code(), Some(3));
    let found = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(found.matches("\"kind\":\"echo\"").count(), count, "{found}");
    let redacted = for_agent("redact", &[], &plan(&json!({ "encoded": encodings::of(SECRET) })));
    let output = run::piped(&args, &redacted.stdout);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn values_under_names_that_look_secret_are_masked() {
    let input = json!({
        "db_password": "visible-1", "apiKey": "visible-2", "nested": [{"TOKEN": "visible-3"}],
        "pin": "visible-4", "password_length": 12, "secret_arn": "arn:visible", "empty_token": "",
        "copy": "user:visible-1@host", "encoded": "dXNlcjp2aXNpYmxlLTE=", "plain": "visible",
    });
    for (args, pin) in
        [(&[][..], json!("visible-4")), (&["--also-names", "^pin$"], json!("(sensitive value)"))]
    {
        for command in ["redact", "slim"] {
            let output = for_agent(command, args, &plan(&input));
            assert_eq!(output.status.code(), Some(0), "{}", said(&output));
            let mut expected = input.clone();
            for key in ["db_password", "apiKey", "copy", "encoded", "empty_token"] {
                expected[key] = json!("(sensitive value)");
            }
            expected["nested"][0]["TOKEN"] = json!("(sensitive value)");
            expected["pin"] = pin.clone();
            assert_eq!(values_of(&output.stdout), expected, "{command} {args:?}");
        }
    }
    // Only the user's own pattern can match nothing.
    let unmatched = for_agent("redact", &["--also-names", "no-such-key"], &plan(&json!({})));
    assert!(said(&unmatched).contains("--also-names no-such-key matches nothing"));
    assert!(!said(&for_agent("redact", &[], &plan(&json!({})))).contains("--also-names"));
}

/// A plan with names that look secret where the format has no values.
fn plan_with_suspects(count: usize) -> Value {
    let mut plan = plan(&json!({ "a": 1 }));
    let change = &mut plan["resource_changes"][0];
    for number in 0..count {
        change[format!("token{number}")] = json!(format!("visible-{number}"));
    }
    plan
}

#[test]
fn nothing_is_written_if_the_audit_finds_suspects() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out.json");
    let path = out.to_str().expect("UTF-8");
    for command in ["redact", "slim"] {
        for more in [&[][..], &["--quiet"], &["--threads", "1"], &["--threads", "3"]] {
            let plan = plan_with_suspects(2);
            let output = for_agent(command, more, &plan);
            assert_eq!(output.status.code(), Some(3), "{}", said(&output));
            assert!(output.stdout.is_empty());
            for place in ["token0", "token1"] {
                let place = format!("-: resource_changes acme_server.a {place}: ");
                assert_eq!(said(&output).matches(&place).count(), 1, "{}", said(&output));
            }
            assert!(!said(&output).contains("visible"), "{}", said(&output));
            let to_file = [&["-o", path], more].concat();
            for earlier in [None, Some("an earlier result")] {
                earlier.inspect(|text| fs::write(&out, text).expect("a file"));
                let output = for_agent(command, &to_file, &plan);
                assert_eq!(output.status.code(), Some(3));
                assert_eq!(fs::read_to_string(&out).ok().as_deref(), earlier);
                let left = fs::read_dir(folder.path()).expect("a folder").count();
                assert_eq!(left, usize::from(earlier.is_some()));
            }
            fs::remove_file(&out).expect("a file");
        }
    }
    let output = for_agent("redact", &["--report", path], &plan_with_suspects(2));
    assert_eq!(output.status.code(), Some(3));
    assert!(!out.exists());
}

#[test]
fn many_suspects_are_counted() {
    let output = for_agent("redact", &[], &plan_with_suspects(1000));
    assert_eq!(output.status.code(), Some(3));
    let said = said(&output);
    assert!(said.lines().count() < 30 && said.contains("980 more"), "{said}");
}

#[test]
fn arguments_that_show_more_are_refused() {
    for (command, args) in [
        ("redact", "--echo off"),
        ("redact", "--echo contains"),
        ("redact", "--echo-min 9"),
        ("slim", "--echo equal"),
        ("slim", "--no-redact"),
        ("slim", "--wrap terraform"),
    ] {
        let args: Vec<_> = args.split(' ').collect();
        let output = for_agent(command, &args, &plan(&json!({})));
        assert_eq!(output.status.code(), Some(64), "{command} {args:?}");
        assert!(said(&output).contains("--for-agent"), "{}", said(&output));
        assert!(said(&output).contains(args[0]), "{}", said(&output));
    }
    let output = for_agent("redact", &["--echo-min", "4"], &plan(&json!({})));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn the_output_does_not_depend_on_threads_and_destination() {
    let folder = tempfile::tempdir().expect("a folder");
    let (busy, _) = generated(folder.path(), "busy", &[], 3 << 20);
    let path = folder.path().join("plan.json");
    let out = folder.path().join("out.json");
    for text in [String::from_utf8(busy).expect("UTF-8"), super::canaries::plan()] {
        fs::write(&path, &text).expect("a file");
        let mut first = None;
        for threads in ["1", "2", "3"] {
            let run = |args: &[&str], input: &Path| {
                let mut command = run::plansift();
                command.args(["redact", "--for-agent", "--threads", threads]).args(args);
                let output = command.arg(input).output().expect("it runs");
                assert_eq!(output.status.code(), Some(0), "{}", said(&output));
                output.stdout
            };
            let printed = run(&[], &path);
            assert!(printed.len() > 1000);
            run(&["-o", out.to_str().expect("UTF-8")], &path);
            let expected = first.get_or_insert_with(|| printed.clone());
            assert!(printed == *expected, "{threads} threads");
            assert!(fs::read(&out).expect("a file") == *expected, "{threads} threads, to a file");
        }
    }
}

#[test]
fn documents_of_all_inputs_are_audited() {
    let [clean, suspect] = [0, 1].map(|count| plan_with_suspects(count).to_string());
    let expected = [String::new(), "-#2: ".into(), "-#3: ".into()];
    for (at, name) in expected.iter().enumerate() {
        let mut documents = vec![clean.clone(); 3];
        if at > 0 {
            documents[at] = suspect.clone();
        }
        for text in [documents.join("\n"), format!("[{}]", documents.join(", "))] {
            let output = run::piped(&["redact", "--for-agent", "-"], text.as_bytes());
            let code = if at == 0 { 0 } else { 3 };
            assert_eq!(output.status.code(), Some(code), "{}", said(&output));
            assert_eq!(output.stdout.is_empty(), at > 0);
            assert!(said(&output).contains(&format!("{name}resource_changes")) || at == 0);
        }
    }
}

#[test]
fn damaged_inputs_are_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    let text = plan(&json!({ "encoded": encodings::of(SECRET) })).to_string();
    file("good.json", &text);
    file("suspect.json", &plan_with_suspects(1).to_string());
    let run = |inputs: &[&str]| {
        let mut command = run::plansift();
        command.current_dir(folder.path()).args(["redact", "--for-agent"]).args(inputs);
        command.output().expect("it runs")
    };
    let good = run(&["good.json"]);
    assert_eq!(good.status.code(), Some(0));
    for at in (1..text.len()).step_by(97) {
        file("cut.json", &text[..text.floor_char_boundary(at)]);
        let alone = run(&["cut.json"]);
        assert_eq!(alone.status.code(), Some(1), "cut at {at}");
        assert!(alone.stdout.is_empty(), "cut at {at}");
        assert!(!said(&alone).contains("hunter22"), "{}", said(&alone));
        let both = run(&["cut.json", "good.json"]);
        assert_eq!(both.status.code(), Some(4), "cut at {at}");
        assert!(both.stdout == good.stdout, "cut at {at}");
    }
    let with_suspect = run(&["cut.json", "suspect.json"]);
    assert_eq!(with_suspect.status.code(), Some(4));
    assert!(with_suspect.stdout.is_empty());
}

/// No plan of the corpus has a suspect that `--for-agent` cannot mask.
#[test]
fn the_audit_and_the_mask_agree_about_names() {
    let mut plans = 0;
    for entry in fs::read_dir(run::corpus("plans")).expect("a folder") {
        let path = entry.expect("an entry").path().join("plan.json");
        if !path.exists() {
            continue;
        }
        let mut command = run::plansift();
        let output = command.args(["redact", "--for-agent"]).arg(&path).output().expect("it runs");
        // Names need objects without repeated keys.
        let code = output.status.code();
        let is_refused = code == Some(1) && said(&output).contains("duplicate key");
        assert!(code == Some(0) || is_refused, "{}: {}", path.display(), said(&output));
        plans += usize::from(code == Some(0));
    }
    assert!(plans > 40, "{plans} plans");
}
