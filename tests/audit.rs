//! Where the secrets of a document are (`plansift audit`, `plansift redact --report`).
//!
//! The plan below has each kind of finding once or twice, with the expected findings beside it.
//! Every secret text begins with [`CANARY`], which no audit may contain in any form.

mod threads;

use std::collections::BTreeMap;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::same_answer::forms;
use crate::{corpus, run};

/// Prefix of every secret.
const CANARY: &str = "CANARY-";

/// A plan with a marked secret and everything that can repeat it.
fn plan() -> Value {
    let secret = "CANARY-of-the-vault";
    json!({
        "format_version": "1.2", "terraform_version": "1.15.0",
        "variables": {"key": {"value": "CANARY-declared"}, "api_token": {"value": "CANARY-open"}},
        "resource_changes": [
            {
                "address": "acme_vault.a", "mode": "managed", "type": "acme_vault", "name": "a",
                "provider_name": "registry.example.com/acme/acme",
                "change": {
                    "actions": ["update"],
                    "before": {"key": secret, "echo": secret, "list": [1, {"in": secret}]},
                    "after": {
                        "key": "CANARY-new", "map": {"CANARY-as-a-key": "CANARY-pin"},
                        "tags": {"x.y": secret, secret: 1, "\"": {"CANARY-as-a-key": secret}},
                    },
                    "after_unknown": {
                        "map": {"CANARY-as-a-key": true}, "n": {"CANARY-as-a-key": 1},
                    },
                    "before_sensitive": {"key": true},
                    "after_sensitive": {"key": true, "map": true},
                    "importing": {"id": "CANARY-new"},
                },
            },
            {
                "address": format!("acme_vault.b[\"{secret}\"]"), "index": secret,
                "mode": "managed", "type": "acme_vault", "name": "b",
                "change": {
                    "actions": ["create"], "before": null,
                    "after": {"password": "CANARY-open", "token": "", "secret_arn": "arn"},
                    "after_unknown": {}, "before_sensitive": false, "after_sensitive": {},
                },
            },
        ],
        "configuration": {"root_module": {
            "resources": [{"address": "acme_vault.a", "type": "acme_vault", "expressions": {
                "key": {"constant_value": "CANARY-new"},
                "password": {"constant_value": "CANARY-open"},
            }}],
            "variables": {"key": {"sensitive": true}},
        }},
    })
}

/// Expected findings in document order: kind, name or address, path, and the path of the repeated
/// value.
const EXPECTED: [(&str, &str, &str, &str); 17] = [
    ("marked", "key", "value", ""),
    ("suspect", "api_token", "value", ""),
    ("marked", "acme_vault.a", "change.before.key", ""),
    ("echo", "acme_vault.a", "change.before.echo", "change.before.key"),
    ("echo", "acme_vault.a", "change.before.list[1].in", "change.before.key"),
    ("marked", "acme_vault.a", "change.after.key", ""),
    ("marked", "acme_vault.a", "change.after.map", ""),
    ("echo", "acme_vault.a", r#"change.after.tags["x.y"]"#, "change.before.key"),
    ("key", "acme_vault.a", r#"change.after.tags["(sensitive value 1)"]"#, "change.before.key"),
    (
        "key",
        "acme_vault.a",
        r#"change.after.tags["\""]["(sensitive value 3)"]"#,
        "change.after.map",
    ),
    (
        "echo",
        "acme_vault.a",
        r#"change.after.tags["\""]["(sensitive value 3)"]"#,
        "change.before.key",
    ),
    ("key", "acme_vault.a", "change.after_unknown", "change.after.map"),
    ("equal", "acme_vault.a", "change.importing.id", "change.after.key"),
    ("echo", r#"acme_vault.b["(sensitive value)"]"#, "index", "change.before.key"),
    ("suspect", r#"acme_vault.b["(sensitive value)"]"#, "change.after.password", ""),
    ("marked", "acme_vault.a", "expressions.key.constant_value", ""),
    ("suspect", "acme_vault.a", "expressions.password.constant_value", ""),
];

fn audit(args: &[&str], input: &[u8]) -> Output {
    run::piped(&[&["audit"], args].concat(), input)
}

/// The entries of an NDJSON text.
fn entries(text: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(text).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The entries that an audit prints.
fn audited(args: &[&str], input: &[u8]) -> Vec<Value> {
    let output = audit(&[&["--format", "ndjson"], args].concat(), input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    entries(&output.stdout)
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Findings in the form of [`EXPECTED`].
fn brief(entries: &[Value]) -> Vec<(&str, &str, &str, &str)> {
    let findings = entries.iter().filter(|entry| entry.get("path").is_some());
    let label = |entry| match text(entry, "address") {
        "" => text(entry, "name"),
        address => address,
    };
    findings
        .map(|entry| {
            (text(entry, "kind"), label(entry), text(entry, "path"), text(&entry["of"], "path"))
        })
        .collect()
}

#[test]
fn every_kind_of_finding_has_its_path() {
    let plan = plan().to_string();
    let entries = audited(&[], plan.as_bytes());
    assert_eq!(brief(&entries), EXPECTED, "{entries:#?}");
    let (first, last) = (&entries[0], &entries[entries.len() - 1]);
    assert_eq!(*first, json!({"kind": "audit", "schema_version": 1, "source": "-"}));
    assert_eq!(text(last, "kind"), "summary");
    assert_eq!(last["bytes"], plan.len());
    for kind in ["marked", "echo", "key", "equal", "name", "suspect"] {
        let count = EXPECTED.iter().filter(|finding| finding.0 == kind).count();
        assert_eq!(last[kind], count, "{kind}");
    }
}

/// Arguments of child modules, and values that only a change marks.
#[test]
fn marked_constants_and_their_echoes_have_their_paths() {
    let path = run::root().join("corpus/plans/secret-modules/plan.json");
    let entries = audited(&[], &std::fs::read(path).expect("a plan"));
    let found: Vec<_> =
        brief(&entries).into_iter().map(|(kind, _, path, of)| [kind, path, of]).collect();
    let expected = [
        ["marked", "values.pin", ""],
        ["marked", "change.before.pin", ""],
        ["echo", "change.before.note", "token.constant_value"],
        ["marked", "change.after.pin", ""],
        ["echo", "change.after.note", "expression.constant_value"],
        ["marked", "token.constant_value", ""],
        ["marked", "expression.constant_value", ""],
        ["marked", "expressions.password_wo.constant_value", ""],
        ["marked", "expressions.pin.constant_value", ""],
    ];
    assert_eq!(found, expected);
}

#[test]
fn findings_come_in_the_order_of_the_document_with_their_offsets() {
    let plan = plan().to_string();
    let entries = audited(&[], plan.as_bytes());
    let findings = &entries[1..entries.len() - 1];
    let offsets: Vec<u64> =
        findings.iter().map(|finding| finding["offset"].as_u64().expect("a number")).collect();
    assert!(offsets.is_sorted_by(|a, b| a < b), "{offsets:?}");
    for (finding, offset) in findings.iter().zip(offsets) {
        let rest = &plan[offset as usize..];
        let is_there = match text(finding, "path") {
            "change.after.map" => rest.starts_with(r#"{"CANARY-"#),
            _ => rest.starts_with("\"CANARY-"),
        };
        assert!(is_there, "{finding}");
    }
}

#[test]
fn options_change_the_findings() {
    let plan = plan().to_string();
    let count = |args: &[&str], kind: &str| {
        let entries = audited(args, plan.as_bytes());
        entries[entries.len() - 1][kind].as_u64().expect("a number")
    };
    assert_eq!(count(&["--echo", "off"], "echo"), 0);
    assert_eq!(count(&["--echo", "off"], "marked"), 5);
    assert_eq!(count(&["--echo-min", "100"], "echo"), 0);
    assert_eq!(count(&["--also-names", "^password$"], "name"), 2);
    // Partial matches also find the address of the second resource.
    assert_eq!(count(&["--echo", "contains"], "echo"), count(&[], "echo") + 1);
}

#[test]
fn states_of_a_folder_are_audited_and_redacted_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let resource = json!({
        "address": "a.b", "values": {"p": "a-secret", "q": "a-secret"},
        "sensitive_values": {"p": true},
    });
    let state = json!({
        "format_version": "1.0", "values": {"root_module": {"resources": [resource]}},
    });
    for (name, document) in [("state", &state), ("other", &json!({"a": 1}))] {
        let path = folder.path().join(format!("{name}.json"));
        std::fs::write(path, document.to_string()).expect("a file");
    }
    let run = |args: &[&str]| {
        let output = run::plansift().args(args).arg(folder.path()).output().expect("it runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    assert_eq!(run(&["audit", "--fail-on-echo"]).0, Some(3));
    let (code, redacted) = run(&["redact"]);
    assert!(code == Some(0) && redacted.contains("a.b") && !redacted.contains("a-secret"));
    assert_eq!(run(&["changes"]), (Some(1), String::new()));
}

#[test]
fn fail_on_echo_fails_on_echoes() {
    let plan = plan();
    let code = |args: &[&str], plan: &Value| audit(args, plan.to_string().as_bytes()).status.code();
    assert_eq!(code(&["--fail-on-echo"], &plan), Some(3));
    assert_eq!(code(&[], &plan), Some(0));
    // `--fail-on-echo` without echo detection could never fail, so the combination is rejected.
    assert_eq!(code(&["--fail-on-echo", "--echo", "off"], &plan), Some(64));
    let mut without = plan.clone();
    without["resource_changes"] = json!([]);
    assert_eq!(code(&["--fail-on-echo"], &without), Some(0));
    assert_eq!(code(&["--fail-on-echo"], &json!({"version": 4})), Some(1));
}

#[test]
fn no_format_shows_a_value() {
    let plan = plan().to_string();
    assert!(plan.matches(CANARY).count() > 15);
    for form in ["--format ndjson", "--format csv", "--format csv --csv-raw", "--color always"] {
        for more in ["", "--strict", "--stats --progress=always", "--echo contains", "--echo off"] {
            let args: Vec<_> = form.split(' ').chain(more.split_whitespace()).collect();
            let output = audit(&args, plan.as_bytes());
            assert!(output.status.success(), "{args:?}");
            for stream in [output.stdout, output.stderr] {
                let text = String::from_utf8(stream).expect("UTF-8");
                assert!(!text.contains(CANARY), "{args:?}: {text}");
            }
        }
    }
}

#[test]
fn errors_show_no_value() {
    let plan = plan().to_string();
    for len in (run::first_of(97)..plan.len()).step_by(97) {
        let output = audit(&[], &plan.as_bytes()[..len]);
        assert_eq!(output.status.code(), Some(1), "{len}");
        assert!(output.stdout.is_empty(), "{len}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains(CANARY), "{len}");
    }
}

/// A state as `show -json` prints it.
fn state() -> Value {
    json!({
        "format_version": "1.0", "terraform_version": "1.15.0",
        "values": {
            "outputs": {"o": {"sensitive": true, "type": "string", "value": "CANARY-output"}},
            "root_module": {"child_modules": [{"address": "module.m", "resources": [{
                "address": "module.m.acme_vault.a", "type": "acme_vault",
                "values": {"id": 1, "copy": "CANARY-output"}, "sensitive_values": {},
            }]}]},
        },
    })
}

#[test]
fn states_are_audited_too() {
    let entries = audited(&[], state().to_string().as_bytes());
    let expected =
        [("marked", "o", "value", ""), ("echo", "module.m.acme_vault.a", "values.copy", "value")];
    assert_eq!(brief(&entries), expected);
    assert_eq!(entries[2]["of"]["section"], "values");
}

#[test]
fn hostile_names_are_escaped() {
    let name = "=1+1\u{1b}[31m\u{202e}\n";
    let mut plan = plan();
    let resource = &mut plan["resource_changes"][0];
    for key in ["address", "type", "provider_name"] {
        resource[key] = name.into();
    }
    let plan = plan.to_string();
    let shown =
        |args: &[&str]| String::from_utf8(audit(args, plan.as_bytes()).stdout).expect("UTF-8");
    let table = shown(&[]);
    assert!(table.contains(r"=1+1\u{1b}[31m\u{202e}\n"), "{table}");
    assert!(!table.contains(['\u{1b}', '\u{202e}']), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    let csv = shown(&["--format", "csv"]);
    let cells: Vec<Vec<String>> = csv::Reader::from_reader(csv.as_bytes())
        .records()
        .map(|row| row.expect("a row").iter().map(str::to_owned).collect())
        .collect();
    assert_eq!(cells.len(), EXPECTED.len() + 2);
    assert!(cells.iter().flatten().any(|cell| cell == r"'=1+1\u{1b}[31m\u{202e}\n"), "{csv}");
    assert!(!csv.contains(['\u{1b}', '\u{202e}']), "{csv}");
    assert!(cells.iter().flatten().all(|cell| !cell.starts_with('=')));
}

#[test]
fn the_table_counts_what_it_leaves_out() {
    let mut plan = plan();
    let change = &mut plan["resource_changes"][0]["change"];
    change["before"]["echoes"] = json!(vec!["CANARY-of-the-vault"; 100]);
    let output = audit(&[], plan.to_string().as_bytes());
    let table = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(table.contains("(108)") && table.contains("and 98 more"), "{table}");
    assert!(table.contains("of resource_changes acme_vault.a change.before.key"), "{table}");
}

/// A plan with many echoes, nested deeply below a long key, and as many secrets.
fn hostile(number: usize) -> String {
    let secrets: Vec<_> = (0..number).map(|number| format!("CANARY-{number:08}")).collect();
    let (open, close) = ("[".repeat(2000), "]".repeat(2000));
    let key = "k".repeat(100_000);
    let (secrets, marks) = (json!(secrets), json!(vec![true; number]));
    format!(
        r#"{{"format_version":"1.2","resource_changes":[{{"address":"a.b","change":{{
            "actions":["create"],"before":null,"after":{{"marked":{secrets},
            "{key}":{secrets},"deep":{open}{secrets}{close}}},
            "after_sensitive":{{"marked":{marks}}}}}}}]}}"#
    )
}

#[test]
fn many_echoes_take_little_memory_and_time() {
    const NUMBER: usize = 50_000;
    let plan = hostile(NUMBER);
    let output = audit(&["--format", "ndjson", "--stats"], plan.as_bytes());
    let said = String::from_utf8_lossy(&output.stderr);
    let peak = said.split("peak resident memory ").nth(1).and_then(|rest| rest.split(' ').next());
    let peak: f64 = peak.and_then(|peak| peak.parse().ok()).expect("a number of MiB");
    assert!(peak < 64.0, "{said}");
    let entries = entries(&output.stdout);
    assert_eq!(entries[entries.len() - 1]["echo"], 2 * NUMBER);
    assert_eq!(entries[entries.len() - 1]["marked"], NUMBER);
    // The path of a value that is nested too deeply, or below a key that is too long, is truncated.
    assert!(output.stdout.len() < NUMBER * 3 * 2000);
    assert_eq!(text(&entries[entries.len() - 2], "address"), "a.b");
}

#[test]
fn first_locations_of_secrets_take_bounded_memory() {
    let long: BTreeMap<String, String> =
        (0..8000).map(|n| (format!("{n:01000}"), format!("CANARY-{n:08}"))).collect();
    let marks: BTreeMap<&String, bool> = long.keys().map(|key| (key, true)).collect();
    let mut plan = plan();
    let echoes: Vec<_> = long.values().collect();
    plan["resource_changes"] = json!([{"address": "a.b", "change": {
        "actions": ["create"], "before": null, "after": {"map": long, "z": echoes},
        "after_sensitive": {"map": marks},
    }}]);
    let entries = audited(&[], plan.to_string().as_bytes());
    let echoes: Vec<_> = entries.iter().filter(|entry| entry["kind"] == "echo").collect();
    assert_eq!(echoes.len(), 8000);
    let (with_path, without_path): (Vec<&Value>, Vec<_>) =
        echoes.iter().partition(|echo| echo["of"]["path"].is_string());
    assert!(
        with_path.len() > 2000 && without_path.len() > 2000,
        "{} {}",
        with_path.len(),
        without_path.len()
    );
    assert!(without_path.iter().all(|echo| {
        echo["of"]["section"] == "resource_changes" && echo["of"]["offset"].is_u64()
    }));
}

#[test]
fn findings_do_not_depend_on_the_encoding_or_the_kernel() {
    let plan = plan().to_string();
    let expected = audited(&[], plan.as_bytes());
    let forms = [
        forms::gzip(plan.as_bytes()),
        forms::zstd(plan.as_bytes()),
        forms::utf16_le(&plan),
        plan.clone().into_bytes(),
    ];
    for form in forms {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), &form).expect("a file");
        assert_eq!(audited(&[], &form), expected);
        for isa in ["scalar", "avx2", "avx512", "neon"] {
            let mut command = run::plansift();
            let output = command
                .args(["audit", "--format", "ndjson"])
                .arg(file.path())
                .env("PLANSIFT_ISA", isa)
                .output()
                .expect("the binary starts");
            // Not every processor supports every kernel.
            if output.status.code() == Some(64) && isa != "scalar" {
                continue;
            }
            let entries = entries(&output.stdout);
            assert_eq!(entries[1..], expected[1..], "{isa}");
        }
    }
}

/// Redacts a file. Returns the report and standard error.
fn report(path: &std::path::Path) -> (Vec<Value>, String) {
    let report = tempfile::NamedTempFile::new().expect("a file");
    let output = run::plansift()
        .arg("redact")
        .args([path, "--report".as_ref(), report.path()])
        .output()
        .expect("the binary starts");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success(), "{}: {said}", path.display());
    (entries(&std::fs::read(report.path()).expect("a report")), said)
}

/// Asserts that the report of a redacted document agrees with the counts of masked values and with
/// an audit of the document.
fn assert_report_agrees(path: &std::path::Path) {
    let (report, said) = report(path);
    let summary = &report[report.len() - 1];
    let number = |key: &str| summary[key].as_u64().expect("a number");
    let counted = |number: u64, words: [&str; 2]| {
        format!("{number} {}", if number == 1 { words[0] } else { words[1] })
    };
    let masked = format!(
        "masked {}, {}, {}, {}",
        counted(number("marked"), ["marked value", "marked values"]),
        counted(number("echo") + number("key"), ["echo", "echoes"]),
        counted(number("name"), ["value by name", "values by name"]),
        counted(number("equal"), ["equal constant", "equal constants"]),
    );
    assert!(said.contains(&masked), "{}: {masked}\n{said}", path.display());
    let mut args: Vec<&str> = vec!["--format", "ndjson"];
    args.push(path.to_str().expect("UTF-8"));
    let mut audited = entries(&audit(&args, b"").stdout);
    audited.retain(|entry| entry["kind"] != "suspect");
    let last = audited.len() - 1;
    audited[last]["suspect"] = json!(0);
    assert_eq!(report, audited, "{}", path.display());
}

#[test]
fn an_audit_of_several_inputs_names_their_workspaces() {
    let plans = run::root().join("corpus/plans");
    let plans = plans.to_str().expect("UTF-8");
    let rule = format!("{plans}/{{workspace}}/plan.json");
    let inputs = ["create", "delete"].map(|name| format!("{plans}/{name}/plan.json"));
    let entries = audited(&["--workspace-from", &rule, &inputs[0], &inputs[1]], b"");
    let heads: Vec<&Value> = entries.iter().filter(|entry| entry["kind"] == "audit").collect();
    assert_eq!([text(heads[0], "workspace"), text(heads[1], "workspace")], ["create", "delete"]);
}

#[test]
fn the_report_of_redact_lists_masked_places() {
    for case in corpus::cases() {
        assert_report_agrees(&case.plan);
    }
    let file = tempfile::NamedTempFile::new().expect("a file");
    for document in [plan(), state()] {
        std::fs::write(file.path(), document.to_string()).expect("a file");
        assert_report_agrees(file.path());
    }
}

#[test]
fn a_redacted_document_has_no_findings_but_suspects() {
    for document in [plan(), state()] {
        let redacted = run::piped(&["redact", "-"], document.to_string().as_bytes());
        let entries = audited(&[], &redacted.stdout);
        let found = brief(&entries);
        assert!(found.iter().all(|finding| finding.0 == "suspect"), "{found:?}");
    }
}

#[test]
fn a_report_is_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let [input, report] = ["plan.json", "report"].map(|name| folder.path().join(name));
    let plan = plan().to_string();
    std::fs::write(&input, &plan[..plan.len() - 10]).expect("a file");
    std::fs::write(&report, "as it was").expect("a file");
    let redact = |args: &[&str]| {
        let mut command: Command = run::plansift();
        command.arg("redact").arg(&input).arg("--report").args(args);
        command.output().expect("the binary starts").status.code()
    };
    let text = report.to_str().expect("UTF-8");
    assert_eq!(redact(&[text]), Some(1));
    assert_eq!(std::fs::read_to_string(&report).expect("a file"), "as it was");
    std::fs::write(&input, &plan).expect("a file");
    assert_eq!(redact(&[text]), Some(0));
    assert_ne!(std::fs::read_to_string(&report).expect("a file"), "as it was");
    assert_eq!(redact(&[text, "-o", text]), Some(64));
    let otherwise = folder.path().join("..").join(folder.path().file_name().expect("a name"));
    for (report, output) in [("new", otherwise.join("new")), ("-", "-".into())] {
        let report = if report == "-" { report.into() } else { folder.path().join(report) };
        let [report, output] = [&report, &output].map(|path| path.to_str().expect("UTF-8"));
        assert_eq!(redact(&[report, "-o", output]), Some(64), "{report} is {output}");
    }
    assert_eq!(redact(&[input.to_str().expect("UTF-8")]), Some(64));
    assert_eq!(redact(&[text, "--echo", "off"]), Some(64));
    assert_eq!(std::fs::read_to_string(&input).expect("a file"), plan);
    assert_eq!(redact(&["/dev/full"]), Some(1));
}

#[test]
fn the_echoes_of_real_plans_are_found() {
    for tool in ["terraform1.11", "terraform-dev1.17", "tofu1.12"] {
        let plan = run::corpus("real").join(tool).join("secrets-change.plan.json");
        assert_report_agrees(&plan);
        let entries = audited(&[plan.to_str().expect("UTF-8")], b"");
        let found = brief(&entries);
        // Sensitive inputs of these resources reappear in `output`, which has no marks.
        for (address, path) in [
            ("terraform_data.json", "change.before.output"),
            ("terraform_data.map", "change.before.output.deep.obj.pass"),
            ("terraform_data.whole", "change.before.output.pass"),
        ] {
            let is_it = |finding: &&(&str, &str, &str, &str)| {
                finding.0 == "echo" && finding.1 == address && finding.2 == path
            };
            assert!(found.iter().any(|finding| is_it(&finding)), "{}: {path}", plan.display());
        }
        assert_report_agrees(&plan.with_file_name("secrets-change.state.json"));
    }
}

#[test]
fn audit_entries_match_their_schema() {
    let output = run::plansift().args(["schema", "--of", "audit"]).output().expect("it starts");
    let schema: Value = serde_json::from_slice(&output.stdout).expect("a schema is JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("a schema of its draft");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for document in [plan(), state()] {
        let entries = audited(&[], document.to_string().as_bytes());
        assert!(entries.len() > 2);
        for entry in entries {
            assert!(validator.is_valid(&entry), "{entry}");
            let mut more = entry.clone();
            more["value"] = json!("x");
            assert!(!validator.is_valid(&more), "{more}");
        }
    }
}
