//! Documents that are not a plan: the error names the kind of document and the command to run
//! instead.
//!
//! Every kind has an example here. The real documents of `../shared/plans/wrong` are read if they
//! exist. `CANARY` stands for the content of an input, which no message may repeat.

use std::fs;
use std::process::Output;

use plansift::input::{self, Input, Mapping, Slice};
use plansift::plan::WrongDocument;
use plansift::record::RecordOptions;

use crate::run;

/// Kinds of documents, each with an example and the words by which the message names it.
const EXAMPLES: [(WrongDocument, &[u8], &str); 46] = [
    (WrongDocument::OldPlan, b"tfplan\x02CANARY", "0.11"),
    (
        WrongDocument::CloudPlan,
        br#"{"remote_plan_format":1,"run_id":"run-CANARY","hostname":"CANARY"}"#,
        "bookmark",
    ),
    (
        WrongDocument::Encrypted,
        br#"{"meta":{"k":"CANARY"},"encrypted_data":"CANARY"}"#,
        "encrypted",
    ),
    (
        WrongDocument::Encrypted,
        br#"{"serial":1,"lineage":"CANARY","meta":{},"encrypted_data":"CANARY"}"#,
        "encrypted",
    ),
    (WrongDocument::State, br#"{"format_version":"1.0","values":{"CANARY":{}}}"#, "state"),
    (WrongDocument::State, br#"{"values":{},"terraform_version":"1.9.0"}"#, "state"),
    (WrongDocument::EmptyState, b"{\"format_version\":\"1.0\"}\n", "empty state"),
    (
        WrongDocument::NativeState,
        br#"{"version":4,"terraform_version":"1.9.0","serial":7,"lineage":"CANARY","outputs":{}}"#,
        "state",
    ),
    (
        WrongDocument::Log,
        b"{\"@level\":\"info\",\"@message\":\"CANARY\"}\n{\"@level\":\"info\"}\n",
        "log",
    ),
    (
        WrongDocument::ProviderSchema,
        br#"{"format_version":"1.0","provider_schemas":{"CANARY":{}}}"#,
        "provider schema",
    ),
    (
        WrongDocument::Outputs,
        br#"{"CANARY":{"sensitive":false,"type":"string","value":"x"}}"#,
        "output",
    ),
    (WrongDocument::NoOutputs, b"{}\n", "empty object"),
    (WrongDocument::StateList, b"module.m[\"CANARY\"].a.b\na.c[0]\n", "list of addresses"),
    (
        WrongDocument::Version,
        br#"{"terraform_version":"1.9.0","platform":"CANARY"}"#,
        "version -json",
    ),
    (
        WrongDocument::Validation,
        br#"{"format_version":"1.0","valid":true,"diagnostics":["CANARY"]}"#,
        "validate -json",
    ),
    (
        WrongDocument::Functions,
        br#"{"format_version":"1.0","function_signatures":{"CANARY":{}}}"#,
        "functions -json",
    ),
    (
        WrongDocument::HumanText,
        b"\nTerraform will perform the following actions:\n\n  # a.CANARY will be created\n",
        "not JSON",
    ),
    (WrongDocument::HumanText, b"No changes. Your infrastructure matches CANARY.\n", "not JSON"),
    (
        WrongDocument::HumanText,
        b"# a.b:\nresource \"a\" \"b\" {\n    id = \"CANARY\"\n}\n",
        "not JSON",
    ),
    (WrongDocument::WebPage, b"\n<!DOCTYPE HTML>\n<p>CANARY</p>\n", "web page"),
    (
        WrongDocument::WebPage,
        b"<html lang=en><script>\n{\"CANARY\":[1]}\n</script></html>",
        "web page",
    ),
    (
        WrongDocument::Source,
        b"# CANARY\n/* a\nb */\n\nresource \"a\" \"b\" {\n}\n",
        "Terraform source",
    ),
    (
        WrongDocument::Source,
        b"terraform {\r\n  required_version = \"CANARY\"\r\n",
        "Terraform source",
    ),
    (
        WrongDocument::Source,
        b"data \"a\" \"b\" {\n  p = <<EOF\n{\n  \"CANARY\": {}\n}\nEOF\n}\n",
        "Terraform source",
    ),
    (
        WrongDocument::Source,
        br#"{"//":"CANARY","resource":{"a":{"b":{}}},"variable":{"v":{"type":"CANARY"}}}"#,
        "Terraform source",
    ),
    (
        WrongDocument::Outputs,
        br#"{"resource":{"sensitive":false,"type":"string","value":"CANARY"}}"#,
        "output",
    ),
    (WrongDocument::NotJson, b"data is CANARY\n{}\n", "not JSON"),
    (WrongDocument::Empty, b"", "empty"),
    (WrongDocument::Empty, b" \r\n", "empty"),
    (WrongDocument::EmptyArray, b" [ ]\n", "empty array"),
    (
        WrongDocument::Wrapped,
        br#"{"terraform":{"format_version":"1.2","CANARY":{}}}"#,
        "slim --wrap terraform",
    ),
    (
        WrongDocument::Wrapped,
        b"{\n  \"CANARY\": {\n    \"applyable\": true,\n    \"format_version\": \"1.2\"\n  }\n}",
        "an object around a plan",
    ),
    (
        WrongDocument::Wrapped,
        br#"{"meta":{"a":1},"planJson":"{\"format_version\":\"1.2\",\"CANARY\":{}}"}"#,
        "an object around a plan",
    ),
    (
        WrongDocument::Wrapped,
        br#"{"input":{"plans":[{"format_version":"1.2","CANARY":{}}]}}"#,
        "an object around a plan",
    ),
    (
        WrongDocument::WrappedElement,
        br#"[{"terraform":{"format_version":"1.2","CANARY":{}}}]"#,
        "`jq '.[].KEY' FILE | plansift ...`",
    ),
    (
        WrongDocument::CombinedElement,
        br#"{"path":"CANARY","contents":{"format_version":"1.2"}}"#,
        "`jq .contents FILE | plansift ...`",
    ),
    (
        WrongDocument::NestedArray,
        br#"[[{"format_version":"1.2","CANARY":{}}],[{"format_version":"1.2"}]]"#,
        "`jq 'flatten[]' FILE | plansift ...`",
    ),
    (
        WrongDocument::NestedArray,
        br#"[[{"format_version":"1.2","resource_changes":[]}]"#,
        "an array inside an array",
    ),
    (
        WrongDocument::Combined,
        br#"[{"path":"CANARY","contents":{"format_version":"1.2","resource_changes":[]}}]"#,
        "conftest",
    ),
    (
        WrongDocument::Combined,
        b"[\n  {\n    \"contents\": {\"a\": 1},\n    \"path\": \"CANARY\"\n  }\n]\n",
        "conftest",
    ),
    (WrongDocument::Utf16, b"{\0\"\0C\0A\0N\0A\0R\0Y\0\"\0:\0", "without a byte order mark"),
    (WrongDocument::Utf16, b"\0[\0{\0\"\0C\0A\0N\0A\0R\0Y\0\"", "without a byte order mark"),
    (WrongDocument::OtherJson, br#"{"CANARY":"CANARY"}"#, "not a plan"),
    (WrongDocument::OtherJson, br#"["CANARY",1]"#, "not a plan"),
    (WrongDocument::NotJson, b"CANARY: the provider crashed\n", "not JSON"),
    (WrongDocument::NotJson, b"\x7fELF\x02\x01CANARY", "not JSON"),
];

/// Stored files that are not the output of a tool, and words of their messages.
const STORED: [(WrongDocument, &[u8], [&str; 2]); 8] = [
    (
        WrongDocument::BinaryPlan,
        b"PK\x03\x04\x14\x00\x08\x00CANARY",
        ["binary plan file is damaged", "make the plan again"],
    ),
    (WrongDocument::Xz, b"\xfd7zXZ\0\0\x04CANARY", ["with xz", "xz -dc FILE"]),
    (WrongDocument::Bzip2, b"BZh91AY&SYCANARY", ["with bzip2", "bzip2 -dc FILE"]),
    (
        WrongDocument::Archive,
        b"PK\x03\x04\x14\0\x08\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x06\0\0\0CANARY",
        ["an archive", "unpack it and name the plan in it"],
    ),
    (WrongDocument::Archive, &TAR, ["an archive", "unpack it and name the plan in it"]),
    (WrongDocument::Archive, &TAR_OF_A_PLAN, ["an archive", "unpack it and name the plan in it"]),
    (WrongDocument::Null, b"null", ["the JSON value null", "look at the command"]),
    (WrongDocument::Null, b" null\r\n", ["the JSON value null", "look at the command"]),
];

/// A command that asks an assertion.
const ASSERT: &str = r#"assert -e {"plan":"empty"}"#;

/// The documents that hold a state.
const STATES: [WrongDocument; 3] =
    [WrongDocument::State, WrongDocument::EmptyState, WrongDocument::NativeState];

/// Documents that contain a plan, or whose message advises something else than another plan.
const HAVE_OTHER_ADVICE: [WrongDocument; 13] = [
    WrongDocument::State,
    WrongDocument::EmptyState,
    WrongDocument::NativeState,
    WrongDocument::ProviderSchema,
    WrongDocument::Empty,
    WrongDocument::EmptyArray,
    WrongDocument::NestedArray,
    WrongDocument::Wrapped,
    WrongDocument::WrappedElement,
    WrongDocument::Combined,
    WrongDocument::CombinedElement,
    WrongDocument::Utf16,
    WrongDocument::WebPage,
];

/// The header of a tar archive.
const TAR: [u8; 512] = {
    let mut block = [0; 512];
    (block[0], block[1], block[2], block[3]) = (b'p', b'l', b'a', b'n');
    (block[257], block[258], block[259], block[260], block[261]) = (b'u', b's', b't', b'a', b'r');
    block
};

/// A tar archive that contains the beginning of a plan.
const TAR_OF_A_PLAN: [u8; 1024] = {
    let (mut file, plan) = ([0; 1024], br#"{"format_version":"1.2","resource_changes":[]}"#);
    let mut at = 0;
    while at < TAR.len() {
        file[at] = TAR[at];
        file[TAR.len() + at] = if at < plan.len() { plan[at] } else { 0 };
        at += 1;
    }
    file
};

/// The real documents.
const FILES: [(&str, WrongDocument); 15] = [
    ("binary.tfplan", WrongDocument::BinaryPlan),
    ("empty.json", WrongDocument::Empty),
    ("functions.json", WrongDocument::Functions),
    ("native.tfstate", WrongDocument::NativeState),
    ("opentofu-encrypted.tfplan", WrongDocument::Encrypted),
    ("opentofu-encrypted.tfstate", WrongDocument::Encrypted),
    ("output.json", WrongDocument::NoOutputs),
    ("plan-human.txt", WrongDocument::HumanText),
    ("plan-json-log.ndjson", WrongDocument::Log),
    ("providers-schema.json", WrongDocument::ProviderSchema),
    ("state-list.txt", WrongDocument::StateList),
    ("state-none.json", WrongDocument::EmptyState),
    ("state.json", WrongDocument::State),
    ("validate.json", WrongDocument::Validation),
    ("version.json", WrongDocument::Version),
];

/// Asserts that the binary failed, printed one line with the command to run, and wrote no output.
fn assert_refused(output: &Output, kind: WrongDocument, names: &str) {
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert_eq!(output.stdout, b"", "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.contains(names), "not named as {names}: {message}");
    // `show` takes no states. Commands for plans say that the file is a state.
    if kind == WrongDocument::NativeState && message.contains("native state file") {
        assert!(message.contains("show -json STATEFILE"), "no command to run: {message}");
        return;
    }
    assert!(!message.contains("CANARY"), "{message}");
    if HAVE_OTHER_ADVICE.contains(&kind) {
        assert!(!message.contains("PLANFILE"), "{message}");
        return;
    }
    assert!(message.contains("show -json PLANFILE"), "no command to run: {message}");
    let needs_the_tool = [WrongDocument::CloudPlan, WrongDocument::Encrypted];
    if !needs_the_tool.contains(&kind) {
        let reads = message.find("give plansift the plan file").expect("the plan file, first");
        assert!(message.find("show -json PLANFILE") > Some(reads), "{message}");
    }
}

#[test]
fn every_kind_of_document_is_recognised() {
    for (kind, text, _) in EXAMPLES {
        let error = run::error(Slice(text), &RecordOptions::default());
        assert_eq!(error.fault(), Some(&kind), "{}", text.escape_ascii());
    }
}

#[test]
fn messages_name_the_document_and_a_command() {
    for (kind, text, names) in EXAMPLES {
        for command in ["changes", "summary", "show", ASSERT] {
            let reads_states = command == "summary" || command == ASSERT;
            if reads_states && STATES.contains(&kind) {
                // `summary` says what a state holds, and `assert` asks about it.
                continue;
            }
            assert_refused(&run::piped(&command.split(' ').collect::<Vec<_>>(), text), kind, names);
        }
    }
}

#[test]
fn messages_name_the_command_that_reads_the_document() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = br#"{"version":4,"serial":1,"lineage":"x","outputs":{},"resources":[]}"#;
    let plan_file = run::root().join("corpus/planfiles/create/plan.tfplan");
    let plan_file = fs::read(plan_file).expect("a file");
    let files: [(&str, &[u8]); 6] = [
        ("plan.json", br#"{"format_version":"1.2","resource_changes":[]}"#),
        ("plan.tfplan", &plan_file),
        ("terraform.tfstate", state),
        ("schemas.json", br#"{"format_version":"1.0","provider_schemas":{}}"#),
        ("main.tf.json", br#"{"resource":{"a":{"b":{}}}}"#),
        ("main.tf", b"variable \"a\" {\n}\n"),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    for (command, name, words) in [
        ("config", "plan.tfplan", "with `plansift blocks PLANFILE`"),
        (
            "changes",
            "terraform.tfstate",
            "`resources`, `outputs`, `checks`, `summary`, `digest`, `compare`, `assert`, `redact` \
             and `audit` read states",
        ),
        ("show", "terraform.tfstate", "`redact` and `audit` read version 4 of it"),
        ("changes", "schemas.json", "with --schemas beside a plan file"),
        ("changes", "main.tf", "`plansift blocks` reads its folder"),
        ("changes", "main.tf.json", "`plansift blocks` reads its folder"),
        ("blocks", "plan.json", "`plansift config` reads the JSON of plans"),
        ("blocks", "main.tf", "name its folder"),
        ("blocks", "main.tf.json", "name its folder"),
        ("wire decode", "plan.json", "this is JSON, not MessagePack"),
        ("wire check", "plan.json", "this is JSON, not MessagePack"),
    ] {
        let mut run = run::plansift();
        run.args(command.split(' ')).arg(name).current_dir(folder.path());
        let output = run.output().expect("the binary runs");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command} {name}: {message}");
        assert!(message.contains(words), "{command} {name}: {message}");
    }
}

#[test]
fn messages_about_archives_say_what_to_do() {
    for (kind, bytes, words) in STORED {
        let error = run::error(Slice(bytes), &RecordOptions::default());
        assert_eq!(error.fault(), Some(&kind), "{}", bytes.escape_ascii());
        for command in ["changes", "summary", ASSERT, "redact", "audit", "slim"] {
            let output = run::piped(&command.split(' ').collect::<Vec<_>>(), bytes);
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]), "{message}");
            assert!(words.iter().all(|words| message.contains(words)), "{command}: {message}");
            assert!(!message.contains("CANARY"), "{message}");
        }
    }
}

#[test]
fn real_documents_are_recognised() {
    let Some(folder) = run::shared().map(|shared| shared.join("plans/wrong")) else {
        return;
    };
    for entry in fs::read_dir(&folder).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        assert!(
            FILES.iter().any(|(listed, _)| name == *listed),
            "{} is not listed",
            name.display()
        );
    }
    for (name, kind) in FILES {
        let path = folder.join(name);
        for mapping in [run::mapped(), Mapping::NEVER] {
            let error =
                Input::open_file(&path, &input::InputOptions { mapping, ..Default::default() })
                    .and_then(|input| run::records(input, &RecordOptions::default()))
                    .expect_err(name);
            assert_eq!(error.fault(), Some(&kind), "{name}");
        }
        let output = run::plansift().arg("changes").arg(&path).output().expect("the binary runs");
        if kind == WrongDocument::BinaryPlan {
            // The command reads the plan in it.
            assert!(output.status.success(), "{output:?}");
            continue;
        }
        let names = EXAMPLES.iter().find(|(listed, ..)| *listed == kind).expect("an example").2;
        assert_refused(&output, kind, names);
    }
}
