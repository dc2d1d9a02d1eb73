//! `plansift slim` as a command: arguments, messages, and the same bytes from every kind of input.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use super::written;
use crate::run;
use crate::same_answer::forms;

/// A plan of several megabytes. Long and short ranges stay, and long and short ranges are dropped.
fn large() -> String {
    let element = |number: usize| {
        let actions = match number % 7 {
            0 => json!(["update"]),
            1 if number > 4000 => json!(["delete"]),
            _ => json!(["no-op"]),
        };
        let secret = format!("secret number {}", number / 3);
        let before = json!({"name": "n".repeat(number % 90), "password": secret, "list": [1, 2]});
        let mut after = before.clone();
        after["name"] = json!(format!("secret number {}", number / 2));
        let is_sensitive = json!({"password": true});
        json!({
            "address": format!("module.m.a.b[{number}]"), "mode": "managed", "type": "a",
            "name": "b", "index": number, "provider_name": "p",
            "change": {"actions": actions, "before": before, "after": after, "after_unknown": {},
                "before_sensitive": is_sensitive, "after_sensitive": is_sensitive}})
    };
    let elements: Vec<Value> = (0..9000).map(element).collect();
    let padding: Vec<Value> = (0..3000).map(|number| json!({"x": "y".repeat(number)})).collect();
    written(&json!({
        "format_version": "1.2",
        "planned_values": {"root_module": {}},
        "other": padding,
        "resource_changes": elements,
        "output_changes": {"o": {"actions": ["no-op"], "before": padding, "after": padding}},
        "configuration": {"root_module": {"resources": padding}},
        "errored": false,
    }))
}

fn slim(args: &[&str], input: &[u8]) -> Output {
    run::piped(&[&["slim"], args].concat(), input)
}

fn succeeded(output: Output) -> Vec<u8> {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
    output.stdout
}

#[test]
fn every_kind_of_input_gives_the_same_output() {
    let plan = large();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plan.json");
    fs::write(&file, &plan).expect("a file");
    let file = file.to_str().expect("a name in UTF-8");
    let all_options = [
        &["--echo", "equal"][..],
        &["--echo", "off", "--keep", "configuration,changes"],
        &["--no-redact", "--paths", "list", "--only", "*0]"],
    ];
    for (number, options) in all_options.into_iter().enumerate() {
        if !run::is_tried_of(3, number) {
            continue;
        }
        let expected = succeeded(slim(&[options, &["-"]].concat(), plan.as_bytes()));
        assert!(expected.len() > 40_000 && expected.len() * 2 < plan.len(), "{}", expected.len());
        let same = |found: Output, how: &str| {
            assert!(succeeded(found) == expected, "{options:?} {how}");
        };
        same(slim(&[options, &["-"]].concat(), &forms::gzip(plan.as_bytes())), "gzip");
        same(slim(&[options, &["-"]].concat(), &forms::zstd(plan.as_bytes())), "zstd");
        same(slim(&[options, &["-"]].concat(), &forms::utf16_le(&plan)), "UTF-16");
        for how in
            [&["--threads", "1"][..], &["--threads", "2"], &["--threads", "7"], &["--strict"]]
        {
            same(slim(&[options, how, &[file]].concat(), b""), &how.join(" "));
        }
        same(slim(&[options, &["--no-mmap", file]].concat(), b""), "read");
        for isa in plansift::scan::Isa::all() {
            let mut command = run::plansift();
            command.arg("slim").args([options, &[file]].concat()).env("PLANSIFT_ISA", isa.name());
            same(command.output().expect("the program runs"), isa.name());
        }
    }
}

#[test]
fn an_output_file_is_whole_or_not_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("slim.json");
    let args = ["-o", out.to_str().expect("a name in UTF-8"), "-"];
    let plan = large();
    let cut = slim(&args, &plan.as_bytes()[..plan.len() - 2]);
    assert_eq!(cut.status.code(), Some(1));
    assert!(!out.exists());
    assert!(succeeded(slim(&args, plan.as_bytes())).is_empty());
    let slim = fs::read(&out).expect("a file");
    assert!(slim.starts_with(br#"{"format_version":"1.2","resource_changes":[{"#));
}

#[test]
fn slim_refuses_a_state() {
    for state in [
        &br#"{"format_version":"1.0","values":{"root_module":{"resources":[]}}}"#[..],
        br#"{"format_version":"1.0"}"#,
    ] {
        let output = slim(&["-"], state);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("state"), "{said}");
    }
}

const PLAN: &str = r#"{"format_version":"1.2","resource_changes":[
{"address":"a.b","type":"a","change":{"actions":["create"],"before":null,
"after":{"p":"a long secret","q":"a long secret"},"after_sensitive":{"p":true}}},
{"address":"a.c","type":"a","change":{"actions":["no-op"]}}],
"variables":{},"new_section":{"n":1},"errored":false}
"#;

#[test]
fn standard_error_counts_what_was_dropped_and_masked() {
    let says = |args: &[&str], expected: &[&str]| {
        let output = slim(&[args, &["-"]].concat(), PLAN.as_bytes());
        assert!(output.status.success());
        let said = String::from_utf8(output.stderr).expect("a text");
        assert_eq!(said.lines().collect::<Vec<_>>(), expected, "{args:?}");
    };
    let masked = "masked 1 marked value, 1 echo, 0 values by name, \
                  0 equal constants and identities";
    says(
        &[],
        &[&format!(
            "plansift: -: left out 1 no-op changes, 1 unknown sections, variables; {masked}"
        )],
    );
    says(
        &["--keep", "changes,variables,other", "--all"],
        &[&format!("plansift: -: left out nothing; {masked}")],
    );
    says(
        &["--no-redact", "--only", "x"],
        &[
            "plansift: -: left out 1 no-op changes, 1 other resources, 1 unknown sections, \
             variables; masked nothing",
            "plansift: -: warning: the output contains the secrets of the plan (--no-redact)",
            "plansift: -: warning: --only left out every change of a resource: the output \
             shows none",
            "plansift: warning: --only x matches nothing, no resource has such an address, type or \
             module",
        ],
    );
    says(
        &["--keep", "variables"],
        &[
            "plansift: -: left out 1 unknown sections, resource_changes; masked 0 marked values, \
             0 echoes, 0 values by name, 0 equal constants and identities",
            "plansift: -: warning: the changes of resources were left out: the output shows \
             no change",
        ],
    );
    says(&["--quiet", "--no-redact"], &[]);
}

#[test]
fn wrap_puts_the_plan_into_an_object() {
    let plain = succeeded(slim(&["-"], PLAN.as_bytes()));
    let wrapped = succeeded(slim(&["--wrap", "terraform", "-"], PLAN.as_bytes()));
    let plain = plain.strip_suffix(b"\n").expect("a line");
    assert_eq!(wrapped, [b"{\"terraform\":", plain, b"}\n"].concat());
}

#[test]
fn useless_arguments_are_refused() {
    for args in [
        &["--keep", "secrets"][..],
        &["--keep", ""],
        &["--only", ""],
        &["--paths", "a..b"],
        &["--wrap", "opentofu"],
        &["--no-redact", "--mask", "null"],
        &["--no-redact", "--echo", "off"],
    ] {
        let output = slim(&[args, &["-"]].concat(), PLAN.as_bytes());
        assert_eq!(output.status.code(), Some(64), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}
