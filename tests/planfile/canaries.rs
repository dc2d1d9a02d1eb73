//! Secrets in plan files: no command prints one, with schemas or without.
//!
//! Every secret begins with `CANARY-`, and is marked by the configuration, by a schema, as an
//! output or in the state. Where a resource is replaced, only the object before it has the marks of
//! the schema.

use std::fs;
use std::path::Path;

use super::build::*;
use crate::run;

/// A step of a path: an attribute.
fn name(name: &str) -> Vec<u8> {
    bytes(1, bytes(1, name))
}

/// A step of a path: an element, by its key as MessagePack.
fn element(key: &[u8]) -> Vec<u8> {
    bytes(1, bytes(2, dynamic(key)))
}

/// Paths that are marked before or after a change, as fields of the change.
fn marked(side: u64, paths: &[Vec<u8>]) -> Vec<u8> {
    paths.iter().flat_map(|path| bytes(side, path)).collect()
}

const BEFORE: u64 = 3;
const AFTER: u64 = 4;

/// A text as MessagePack.
fn text(text: &str) -> Vec<u8> {
    let len = u8::try_from(text.len()).expect("a short text");
    [&[0xd9, len], text.as_bytes()].concat()
}

/// A map as MessagePack.
fn map(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let members_of = members.iter().flat_map(|(key, value)| [text(key), value.clone()].concat());
    [0x80 | members.len() as u8].into_iter().chain(members_of).collect()
}

fn list(elements: &[Vec<u8>]) -> Vec<u8> {
    [0x90 | elements.len() as u8].into_iter().chain(elements.concat()).collect()
}

/// An object with a secret in each of its attributes but `size`.
fn object(number: u32) -> Vec<u8> {
    let secret = |what: &str| text(&format!("CANARY-{what}-{number}"));
    map(&[
        ("secret", secret("attribute")),
        ("rules", list(&[map(&[("key", secret("element"))]), map(&[("key", text("plain"))])])),
        ("tags", map(&[("token", secret("key"))])),
        ("size", vec![number as u8]),
    ])
}

/// The paths of the secrets in an object.
fn paths(number: u32) -> [Vec<u8>; 3] {
    let whole = map(&[("key", text(&format!("CANARY-element-{number}")))]);
    [
        name("secret"),
        [name("rules"), element(&whole), name("key")].concat(),
        [name("tags"), element(&text("token"))].concat(),
    ]
}

/// A change from one object to the next, with the marks of these sides.
fn change_of(action: u64, number: u32, sides: &[u64]) -> Vec<u8> {
    let (one, two) = (object(number), object(number + 1));
    let values: &[&[u8]] = match action {
        1 | 5 => &[&one],
        _ => &[&one, &two],
    };
    let mut change = change(action, values);
    for side in sides {
        let number = if *side == AFTER && action != 1 { number + 1 } else { number };
        change.extend(marked(*side, &paths(number)));
    }
    change
}

/// The value of a dynamic type as MessagePack.
fn typed(value: &str) -> Vec<u8> {
    [&[0x92, 0xc4, 8][..], b"\"string\"", &text(value)].concat()
}

fn output(name: &str, action: u64, values: &[&str]) -> Vec<u8> {
    let values: Vec<_> = values.iter().map(|value| typed(value)).collect();
    let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
    bytes(4, [bytes(1, name), bytes(2, change(action, &values)), number(3, 1)].concat())
}

/// A plan file with a secret in every place that can be marked. With `only_schema`, a resource has
/// a secret that only its schema marks.
fn plan_file(only_schema: bool) -> Vec<u8> {
    let provider = bytes(8, "provider[\"registry.terraform.io/hashicorp/test\"]");
    let record = |address: &str, change: &[u8]| {
        [provider.clone(), bytes(9, change), bytes(13, address)].concat()
    };
    let mut parts = vec![
        bytes(2, [bytes(1, "password"), bytes(2, dynamic(typed("CANARY-variable")))].concat()),
        resource("test_one.created", &change_of(1, 10, &[AFTER])),
        resource("test_one.updated", &change_of(3, 20, &[BEFORE, AFTER])),
        resource("test_one.deleted", &change_of(5, 30, &[BEFORE])),
        resource("test_one.replaced", &change_of(6, 40, &[BEFORE])),
        resource("module.m[\"k\"].test_one.replaced", &change_of(7, 50, &[BEFORE])),
        resource("data.test_one.read", &change_of(2, 60, &[BEFORE, AFTER])),
        bytes(18, record("test_one.drifted", &change_of(3, 70, &[BEFORE, AFTER]))),
        bytes(
            27,
            [
                bytes(1, number(1, 2)),
                bytes(2, record("test_one.deferred", &change_of(1, 80, &[AFTER]))),
            ]
            .concat(),
        ),
        output("out", 3, &["CANARY-output-1", "CANARY-output-2"]),
        output("gone", 5, &["CANARY-output-3"]),
    ];
    if only_schema {
        parts.push(resource("test_one.unmarked", &change_of(1, 90, &[])));
    }
    let invocation = [
        bytes(1, "action.test_act.a"),
        bytes(2, "provider[\"registry.terraform.io/hashicorp/test\"]"),
        bytes(4, dynamic(map(&[("secret", text("CANARY-action"))]))),
        bytes(5, name("secret")),
        bytes(7, []),
    ];
    parts.push(bytes(30, invocation.concat()));
    let instances = [31, 21, 41].map(|number| {
        format!(
            r#"{{"schema_version":0,"attributes":{{"secret":"CANARY-state-{number}",
            "rules":[{{"key":"CANARY-element-state-{number}"}}],"tags":{{"token":"t"}},
            "size":{number}}},"sensitive_attributes":[
            [{{"type":"get_attr","value":"secret"}}],
            [{{"type":"get_attr","value":"rules"}}]],"index_key":{number}}}"#
        )
    });
    let state = format!(
        r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"","outputs":{{"out":
        {{"value":"CANARY-output-state","type":"string","sensitive":true}}}},"resources":[{{
        "mode":"managed","type":"test_one","name":"kept",
        "provider":"provider[\"registry.terraform.io/hashicorp/test\"]","instances":[{}]}}],
        "check_results":null}}"#,
        instances.join(",")
    );
    zip(&[Member::new("tfplan", &plan(&parts)), Member::new("tfstate", state.as_bytes())])
}

/// A schema that marks what the plan files hold.
const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{
    "registry.terraform.io/hashicorp/test":{"resource_schemas":{"test_one":{"version":0,"block":{
    "attributes":{"secret":{"type":"string","optional":true,"sensitive":true},
    "tags":{"type":["map","string"],"optional":true,"sensitive":true},
    "size":{"type":"number","optional":true}},
    "block_types":{"rules":{"nesting_mode":"set","block":{"attributes":{
    "key":{"type":"string","optional":true,"sensitive":true}}}}}}}}}}}"#;

/// Every command that must not print secrets, in every form.
const COMMANDS: &[&[&str]] = &[
    &["changes", "--all"],
    &["changes", "--format", "json"],
    &["changes", "--format", "csv", "--all"],
    &["changes", "--no-paths"],
    &["summary", "--all"],
    &["report", "-o", "term", "--values", "all", "--full"],
    &["report", "-o", "markdown", "--values", "all", "--full"],
    &["report", "-o", "html", "--values", "all"],
    &["report", "-o", "json"],
    &["report", "-o", "variables"],
    &["report", "-o", "junit"],
    &["report", "-o", "sarif"],
    &["report", "-o", "gitlab"],
    &["report", "-o", "github", "--values", "changed"],
    &["report", "-o", "term", "--echo", "contains", "--fail-on", "replace"],
    &["redact"],
    &["redact", "--echo", "off"],
    &["redact", "--echo", "contains", "--report", "out/places.ndjson"],
    &["redact", "--mask", "null"],
    &["redact", "--for-agent"],
    &["slim", "--for-agent", "-o", "out/agent.json"],
    &["redact", "--mask", "hash", "--key-file", "key"],
    &["slim"],
    &["slim", "--keep", "changes,outputs,drift,deferred,actions,variables,planned,prior,checks"],
    &["slim", "--echo", "off"],
    &["audit"],
    &["audit", "--format", "ndjson"],
    &["audit", "--format", "csv"],
    &["show", "--redact"],
    &["show", "--redact", "-o", "out/shown.json"],
    &["show", "--schema-key"],
    &["batch", "--out", "out/batch"],
    &["batch", "--format", "csv", "--out", "out/batch-csv"],
];

/// The bytes of all files below a folder.
fn written(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        bytes.extend(match path.is_dir() {
            true => written(&path),
            false => fs::read(path).expect("a file"),
        });
    }
    bytes
}

/// Runs every command on a plan file, and returns those that print a secret.
fn leaks(file: &[u8], commands: &[&[&str]], more: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("out")).expect("a folder");
    fs::write(path("a.tfplan"), file).expect("a file");
    fs::write(path("schemas.json"), SCHEMAS).expect("a file");
    fs::write(path("key"), [7; 32]).expect("a file");
    let mut leaks = Vec::new();
    let run = |args: &[&str]| {
        let output = run::plansift().args(args).current_dir(&folder).output().expect("it runs");
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 3)), "{args:?}: {output:?}");
        let printed = [output.stdout, output.stderr, written(&path("out"))].concat();
        assert!(printed.len() > 10, "{args:?}");
        let printed = String::from_utf8_lossy(&printed).into_owned();
        printed.find("CANARY").map(|at| printed[at..].chars().take(40).collect::<String>())
    };
    for command in commands {
        let args = [command, more, &["a.tfplan"]].concat();
        leaks.extend(run(&args).map(|leak| format!("{args:?}: {leak}")));
    }
    for form in ["table", "ndjson", "json", "markdown", "html"] {
        for since in [&[][..], &["--since", "out/batch"]] {
            let args = [&["merge", "--format", form, "out/batch"], since].concat();
            leaks.extend(run(&args).map(|leak| format!("{args:?}: {leak}")));
        }
    }
    leaks
}

#[test]
fn no_command_prints_a_secret_of_a_plan_file() {
    let shown = {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.tfplan");
        fs::write(&path, plan_file(false)).expect("a file");
        let output = run::plansift().arg("show").arg(&path).output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    // All secrets are in the JSON.
    for what in
        ["variable", "attribute-41", "key-51", "element-21", "output-3", "action", "state-21"]
    {
        assert!(shown.contains(&format!("CANARY-{what}")), "{what}: {shown}");
    }
    let leaks = leaks(&plan_file(false), COMMANDS, &[]);
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
fn no_command_prints_a_secret_that_a_schema_marks() {
    let leaks = leaks(&plan_file(true), COMMANDS, &["--schemas", "schemas.json"]);
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
fn no_command_prints_a_secret_of_plan_files_of_the_corpus() {
    // Terraform does not mark the output of `terraform_data` in the state, which repeats a marked
    // input. Only `--echo off` leaves it visible.
    let commands: Vec<&[&str]> =
        COMMANDS.iter().copied().filter(|command| !command.contains(&"off")).collect();
    for case in ["secrets", "secrets-replaced"] {
        let file = fs::read(super::corpus_folder().join(case).join("plan.tfplan")).expect("a file");
        let schemas = super::corpus_folder().join("schemas.json");
        let schemas = schemas.to_str().expect("UTF-8");
        for more in [&[][..], &["--schemas", schemas]] {
            let leaks = leaks(&file, &commands, more);
            assert!(leaks.is_empty(), "{case}: {}", leaks.join("\n"));
        }
    }
}

/// Errors of damaged plan files quote nothing of them.
#[test]
fn no_error_of_a_damaged_plan_file_quotes_a_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.tfplan");
    let whole = member(&plan_file(false), "tfplan");
    let step = whole.len() / 60;
    for at in (20 + run::first_of(step)..whole.len()).step_by(step) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        fs::write(&path, zip(&members(&damaged))).expect("a file");
        for command in ["changes", "redact"] {
            let output = run::plansift().arg(command).arg(&path).output().expect("it runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("CANARY"), "{command}, byte {at}: {said}");
        }
    }
}
