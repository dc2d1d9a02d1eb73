//! No text of a plan has an effect where it is printed: no command of a CI runner and no hidden
//! character, in any format and on standard error.
//!
//! Hostile texts stand in every field that some format prints, in file names and in arguments. The
//! checks are independent of the program: a pattern for each runner, and the character classes of
//! another implementation of Unicode.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::LazyLock;

use plansift::input::Slice;
use plansift::record::RecordOptions;
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::run;

/// Texts that try to have an effect.
const HOSTILE: [&str; 22] = [
    "::error title=pwned::hello",
    "  ::set-output name=a::b",
    "\u{3000}\u{a0}::add-mask::x",
    "\t::stop-commands::x",
    "x\n::error::y",
    "\r\n::error::y",
    "::",
    "##[command]x",
    "x ##[add-mask]a",
    "##vso[task.setvariable variable=x]y",
    "x##vso[task.setvariable variable=x]y",
    "###[group]x",
    "##teamcity[buildStatus text='x']",
    "#",
    "##",
    "[error]x",
    "\u{1b}[0Ksection_start:1:a\r\u{1b}[0Kx",
    "\u{1b}]0;x\u{7}\u{1b}[31m\u{8}\u{c}\u{b}\u{7f}\u{0}",
    "\u{85}\u{9b}2J\u{90}\u{ad}\u{34f}\u{600}\u{61c}\u{115f}\u{17b4}\u{180e}",
    "\u{200b}\u{200d}\u{202e}\u{2028}\u{2029}\u{2060}\u{2066}\u{206a}",
    "\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{e0001}\u{e0041}\u{e0100}\u{1d173}\u{1bca0}",
    "#\u{200b}#vso[task.x]\u{ad}:\u{2060}:error::",
];

/// Kinds of output that the program itself adds to plain text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    Nothing,
    /// Colours of the terminal.
    Colours,
    /// GitHub annotations.
    Annotations,
}

/// The first thing in a text that a runner or a terminal would obey, or that a reader would not
/// see.
fn obeyed(text: &str, own: Own) -> Option<String> {
    static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
        let hidden = r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}--[\n\t]]";
        Regex::new(hidden).expect("a pattern")
    });
    static COLOUR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("\u{1b}\\[(0|1|2|31|32|33|36)m").expect("a pattern"));
    static GITHUB: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*::").expect("a pattern"));
    static ANYWHERE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"##[\w.-]*\[").expect("a pattern"));
    let text = match own {
        Own::Colours => COLOUR.replace_all(text, ""),
        _ => text.into(),
    };
    if let Some(hidden) = HIDDEN.find(&text) {
        let around: String = text[..hidden.end()].chars().rev().take(80).collect();
        return Some(format!("hidden: {:?}", around.chars().rev().collect::<String>()));
    }
    let is_own = |line: &str| {
        let words = ["::error ", "::warning ", "::notice "];
        let rest = words.iter().find_map(|word| line.strip_prefix(word));
        let places = ["title=", "file=asserted.json,line="];
        let is_annotation = |rest: &str| places.iter().any(|place| rest.starts_with(place));
        own == Own::Annotations && rest.is_some_and(is_annotation)
    };
    let mut lines = text.lines();
    let line =
        lines.find(|line| ANYWHERE.is_match(line) || (GITHUB.is_match(line) && !is_own(line)));
    line.map(|line| format!("a command: {line:?}"))
}

fn expect_inert(what: &str, bytes: &[u8], own: Own) {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    if let Some(obeyed) = obeyed(text, own) {
        panic!("{what}: {obeyed}");
    }
}

#[test]
fn the_detector_finds_commands_and_hidden_characters() {
    let live = HOSTILE.iter().filter(|text| obeyed(text, Own::Nothing).is_some());
    assert_eq!(live.count(), HOSTILE.len() - 3, "all but those that need a text beside them");
    for text in ["a\n\u{a0}::error::x", "\u{1b}[31m::error::x", "\u{1b}[35m"] {
        assert!(obeyed(text, Own::Colours).is_some(), "{text:?}");
    }
    for text in ["arn:aws:s3:::bucket", "## Heading", "\u{1b}[31mred\u{1b}[0m\n"] {
        assert_eq!(obeyed(text, Own::Colours), None, "{text:?}");
    }
}

/// A resource change with a text in every field.
fn change(text: &str, address: &str, actions: &Value) -> Value {
    let secret = "Canary-secret-text";
    let side = |end: &str| {
        json!({
            text: format!("{text}{end}"), "list": [text, {text: end}], "map": {text: {text: end}},
            "json": format!("{{\"k\":{}}}", json!(format!("{text}{end}"))),
            "lines": format!("first\n{text}\nlast{end}"), "password": secret,
            format!("{text}="): secret, "token": text,
        })
    };
    json!({
        "address": address, "previous_address": text, "module_address": "module.m",
        "mode": "managed", "type": text, "name": text, "index": text, "provider_name": text,
        "action_reason": text,
        "change": {
            "actions": actions, "before": side(""), "after": side("."),
            "after_unknown": {format!("{text}?"): true},
            "after_sensitive": {"password": true}, "before_sensitive": {"password": true},
            "replace_paths": [[text], ["map", text]],
            "importing": {"id": text, "identity": {text: text}},
            "generated_config": text,
        },
    })
}

/// A plan with a text in every field that some output format prints.
fn plan(text: &str) -> Value {
    let addresses = [text.to_owned(), format!("module.m.{text}"), format!("acme_x.a[\"{text}\"]")];
    let actions = [
        json!(["update"]),
        json!(["delete", "create"]),
        json!(["create"]),
        json!(["delete"]),
        json!([text]),
        json!(["no-op"]),
    ];
    let mut changes = Vec::new();
    for address in &addresses {
        changes.extend(actions.iter().map(|actions| change(text, address, actions)));
    }
    let mut modular = change(text, &format!("{text}.x"), &actions[0]);
    modular["module_address"] = json!(text);
    let mut deposed = change(text, &addresses[0], &json!(["delete"]));
    deposed["deposed"] = json!(text);
    let mut quiet = change(text, &addresses[1], &json!(["update"]));
    quiet["change"]["after"] = quiet["change"]["before"].clone();
    changes.extend([modular, deposed, quiet]);
    let deferred = json!({"reason": text, "resource_change": changes[0]});
    let output = json!({"actions": ["update"], "before": text, "after": {text: text}});
    let check = |status: &str| {
        let problems = json!([{"message": text}, {"message": format!("a\n{text}")}]);
        json!({
            "address": {"kind": text, "to_display": text}, "status": status,
            "instances": [{"address": {"to_display": text}, "status": status,
                           "problems": problems}],
        })
    };
    let invocation = json!({
        "address": text, "type": text, "name": text,
        "lifecycle_action_trigger": {
            "triggering_resource_address": text, "action_trigger_event": text,
        },
    });
    let mut plan = json!({
        "format_version": "1.2", "terraform_version": text, "timestamp": text,
        "resource_drift": changes, "resource_changes": changes, "deferred_changes": [deferred],
        "output_changes": Map::from_iter([(text.to_owned(), output.clone())]),
        "checks": [check("fail"), check("unknown"), check(text)],
        "action_invocations": [invocation],
    });
    plan[format!("{text}!")] = json!({text: "Canary-secret-text"});
    plan
}

/// The file of assertions on a stage.
const ASSERTIONS: &str = "asserted.json";

/// Assertions with a text in every field, most of which the plan fails.
fn assertions(text: &str) -> Value {
    let about = |subject: &str, name: &str, key: &str, value: Value| {
        let mut assertion = json!({"name": text, "message": text, key: value});
        assertion[subject] = json!(name);
        assertion
    };
    let mut known = about("resource", "*", "known", json!({"regex": "^never$"}));
    known["path"] = json!("**");
    let mut warning = about("resource", text, "action", json!("create"));
    warning["severity"] = json!("warning");
    let pattern = json!({"resource": format!("acme_x.a[\"{text}\"]"), "absent": true});
    let output = about("output", text, "known", json!(text));
    json!([known, warning, pattern, output, {"name": text, "plan": "empty"}])
}

/// A folder with a plan and a truncated plan, both under hostile names.
struct Stage {
    folder: tempfile::TempDir,
    plan: OsString,
    cut: OsString,
}

impl Stage {
    fn of(own: &str) -> Stage {
        let text = own;
        let folder = tempfile::tempdir().expect("a folder");
        let name = text.replace(['/', '\0'], "");
        let [plan_name, cut] = [format!("{name}.json"), format!("{name}.cut.json")];
        let text = plan(text).to_string();
        std::fs::write(folder.path().join(&plan_name), &text).expect("a file");
        std::fs::write(folder.path().join(&cut), &text[..text.len() - 1]).expect("a file");
        std::fs::write(folder.path().join(ASSERTIONS), assertions(own).to_string())
            .expect("a file");
        Stage { folder, plan: plan_name.into(), cut: cut.into() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs plansift with the arguments and the inputs.
    fn run(&self, args: &[&str], inputs: &[&OsString]) -> Output {
        let mut command = run::plansift();
        command.current_dir(self.path()).args(args).arg("--").args(inputs);
        for variable in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
            command.env(variable, self.path().join(variable));
        }
        command.stdin(Stdio::null()).output().expect("it runs")
    }

    /// Asserts that the output has no effect, and that the arguments are accepted.
    fn expect_inert(&self, args: &[&str], own: Own) {
        for inputs in [&[&self.plan][..], &[&self.plan, &self.cut]] {
            let output = self.run(args, inputs);
            let what = format!("{args:?} on {inputs:?}");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{what}: {stderr}");
            expect_inert(&what, &output.stderr, Own::Nothing);
            expect_inert(&what, &output.stdout, own);
        }
    }
}

#[test]
fn hostile_texts_are_inert_in_every_output_format() {
    for (text_number, text) in HOSTILE.into_iter().enumerate() {
        let stage = Stage::of(text);
        let forms = [
            "summary",
            "summary --group-by type",
            "summary --group-by action --stats",
            "changes --format ndjson --stats",
            "changes --format json --all",
            "changes --format csv",
            "changes --format csv --csv-raw",
            "report",
            "report --values all --ignore whitespace",
            "report -o markdown",
            "report -o compact",
            "report -o compact --max-bytes 2000",
            "report -o compact --assert asserted.json",
            "summary --format json",
            "summary --format json --max-bytes 2000",
            "report -o html",
            "report -o junit --fail-on check",
            "report -o sarif --fail-on check --fail-on changes",
            "report -o gitlab",
            "report -o json --fail-on changes",
            "report -o variables",
            "report --assert asserted.json",
            "report -o markdown --assert asserted.json",
            "report -o html --assert asserted.json",
            "report -o junit --assert asserted.json",
            "report -o sarif --assert asserted.json",
            "report -o json --assert asserted.json",
            "report -o code-quality --assert asserted.json",
            "assert --file asserted.json",
            "assert --file asserted.json --format ndjson",
            "assert --file asserted.json --format json",
            "assert --file asserted.json --format junit",
            "assert --file asserted.json --format sarif",
            "audit",
            "audit --format ndjson",
            "audit --format csv",
        ];
        for (number, args) in forms.into_iter().enumerate() {
            if !run::is_tried(text_number + number) {
                continue;
            }
            let args: Vec<&str> = args.split(' ').collect();
            stage.expect_inert(&args, Own::Nothing);
        }
        stage.expect_inert(&["summary", "--color", "always"], Own::Colours);
        stage.expect_inert(&["report", "--color", "always"], Own::Colours);
        stage.expect_inert(&["report", "-o", "github", "--fail-on", "check"], Own::Annotations);
        let asserted = ["report", "-o", "github", "--assert", ASSERTIONS];
        stage.expect_inert(&asserted, Own::Annotations);
        let asserted = ["assert", "--format", "github", "--file", ASSERTIONS];
        stage.expect_inert(&asserted, Own::Annotations);
        for file in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
            let written = std::fs::read(stage.path().join(file)).expect("a file");
            expect_inert(file, &written, Own::Nothing);
        }
    }
}

#[test]
fn hostile_texts_are_inert_in_comparisons_approvals_and_digests() {
    for (text_number, text) in HOSTILE.into_iter().enumerate() {
        let stage = Stage::of(text);
        let plan = std::fs::read_to_string(stage.path().join(&stage.plan)).expect("a plan");
        let others = [
            plan.replace("first", "second").replace("acme", "other"),
            plan.replace(r#"["update"]"#, r#"["delete"]"#).replace("after_sens", "x"),
        ];
        for (number, other) in others.into_iter().enumerate() {
            std::fs::write(stage.path().join("other.json"), other).expect("a file");
            let other = "other.json".into();
            let expect = |args: &[&str], inputs: &[&OsString], code, own| {
                let output = stage.run(args, inputs);
                let what = format!("{args:?}");
                let stderr = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(code), "{what}: {stderr}");
                expect_inert(&what, &output.stderr, Own::Nothing);
                expect_inert(&what, &output.stdout, own);
            };
            for (form_number, form) in
                ["term", "markdown", "html", "json", "ndjson"].into_iter().enumerate()
            {
                if run::is_tried(text_number + number + form_number) {
                    let args = ["compare", "--level", "all", "--full", "--format", form];
                    expect(&args, &[&stage.plan, &other], 0, Own::Nothing);
                    expect(&args, &[&stage.plan, &stage.cut], 1, Own::Nothing);
                }
            }
            let colours = ["compare", "--level", "all", "--color", "always"];
            expect(&colours, &[&other, &stage.plan], 0, Own::Colours);
            expect(&["approve"], &[&stage.plan], 0, Own::Nothing);
            expect(&["digest"], &[&stage.plan, &stage.cut], 4, Own::Nothing);
        }
    }
}

#[test]
fn hostile_texts_are_inert_in_rules_batches_and_rewrites() {
    for (text_number, text) in HOSTILE.into_iter().enumerate() {
        let stage = Stage::of(text);
        let rule = format!("update:acme_x.a[\"{text}\"]");
        let forms = [
            ("term", Own::Nothing),
            ("markdown", Own::Nothing),
            ("compact", Own::Nothing),
            ("junit", Own::Nothing),
            ("sarif", Own::Nothing),
            ("json", Own::Nothing),
            ("github", Own::Annotations),
        ];
        for (number, (form, own)) in forms.into_iter().enumerate() {
            // An argument cannot contain a zero byte. Other tests cover invalid rules.
            if run::is_tried(text_number + number) && !text.contains('\0') {
                stage.expect_inert(&["report", "-o", form, "--fail-on", &rule], own);
            }
        }
        for args in [&["redact", "--report", "report.ndjson"][..], &["slim"]] {
            // The output is a document that keeps the plan's own texts.
            let output = stage.run(args, &[&stage.plan, &stage.cut]);
            assert_eq!(output.status.code(), Some(4), "{args:?}");
            expect_inert(&format!("{args:?}: standard error"), &output.stderr, Own::Nothing);
        }
        let report = std::fs::read(stage.path().join("report.ndjson")).expect("a file");
        expect_inert("redact --report", &report, Own::Nothing);
        for (number, format) in ["ndjson", "json", "csv"].into_iter().enumerate() {
            if !run::is_tried_of(3, text_number + number) {
                continue;
            }
            let out = format!("out-{format}");
            stage.expect_inert(
                &[
                    "batch",
                    "--progress",
                    "always",
                    "--out",
                    &out,
                    "--format",
                    format,
                    "--assert",
                    ASSERTIONS,
                ],
                Own::Nothing,
            );
            let mut files = vec![stage.path().join(&out).join("report.ndjson")];
            let records = std::fs::read_dir(stage.path().join(&out).join("records"));
            files.extend(records.expect("a folder").map(|entry| entry.expect("an entry").path()));
            assert!(files.len() > 1);
            for file in files {
                let written = std::fs::read(&file).expect("a file");
                expect_inert(&file.display().to_string(), &written, Own::Nothing);
            }
            for format in ["table", "ndjson", "json", "markdown", "html"] {
                for since in [&[][..], &["--since", &out]] {
                    let merged = [&["merge", "--format", format], since].concat();
                    let output = stage.run(&merged, &[&OsString::from(&out)]);
                    expect_inert(&format!("{merged:?}"), &output.stderr, Own::Nothing);
                    expect_inert(&format!("{merged:?}"), &output.stdout, Own::Nothing);
                }
            }
        }
    }
}

#[test]
fn error_messages_about_hostile_texts_are_inert() {
    for text in HOSTILE.iter().filter(|text| !text.contains('\0')) {
        let stage = Stage::of(text);
        let option = format!("--{text}");
        let file = format!("@{text}");
        let cases: [&[&str]; 19] = [
            &[text],
            &["summary", &option],
            &["summary", "--color", text],
            &["changes", "--format", text],
            &["changes", "--fail-on", text],
            &["changes", "--fail-on", &file],
            &["changes", "--limit-depth", text],
            &["changes", "-o", &format!("{text}/{text}")],
            &["summary", "--include", text, "--workspace-from", text],
            &["report", "-o", text],
            &["report", "-o", &format!("{text}={text}")],
            &["report", "--only", text, "--ignore", text],
            &["report", "--assert", text],
            &["assert", "--file", text],
            &["assert", "--expect", text],
            &["assert", "--expect", &format!("resource: {text}, {text}: {text}")],
            &["redact", "--also-names", &format!("({text}")],
            &["redact", "--mask", "hash", "--key-file", text],
            &["batch", "--out", "out", "--shard", text],
        ];
        for args in cases {
            let output = stage.run(args, &[&stage.plan]);
            expect_inert(&format!("{args:?}"), &output.stderr, Own::Nothing);
            expect_inert(&format!("{args:?}"), &output.stdout, Own::Nothing);
        }
        for document in [
            json!({"format_version": text, "resource_changes": []}),
            json!({"format_version": "1.2", "resource_changes": [{text.to_string(): 1}]}),
            json!({text.to_string(): text, "version": 4, "terraform_version": text}),
            json!({"format_version": "1.2", "resource_changes": {text.to_string(): 1}}),
            json!(text),
        ] {
            std::fs::write(stage.path().join("wrong.json"), document.to_string()).expect("a file");
            for args in [
                "summary",
                "changes",
                "report",
                "report --assert asserted.json",
                "assert --file asserted.json",
                "redact",
                "slim",
                "audit",
            ] {
                let list: Vec<&str> = args.split(' ').collect();
                let output = stage.run(&list, &[&"wrong.json".into()]);
                expect_inert(&format!("{args} {document}"), &output.stderr, Own::Nothing);
            }
        }
    }
}

#[test]
fn json_output_keeps_the_values_of_hostile_texts() {
    for text in HOSTILE {
        let plan = plan(text).to_string();
        let (expected, _) =
            run::records(Slice(plan.as_bytes()), &RecordOptions::default()).unwrap();
        let without_source = |record: &Value| {
            let mut record = record.clone();
            record.as_object_mut().map(|members| members.remove("source"));
            record
        };
        let expected: Vec<Value> = expected.iter().map(without_source).collect();
        let output = run::piped(&["changes", "-"], plan.as_bytes());
        let lines = String::from_utf8(output.stdout).expect("UTF-8");
        let records = lines.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        let records: Vec<Value> = records.map(|record| without_source(&record)).collect();
        assert_eq!(records, expected, "{text:?}");
        let output = run::piped(&["changes", "--format", "json", "-"], plan.as_bytes());
        let records: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
        let records: Vec<Value> = records.iter().map(without_source).collect();
        assert_eq!(records, expected, "{text:?}");
    }
}

#[test]
fn the_attack_plan_is_inert() {
    let plan = run::corpus("attack/F1-workflow-commands.json");
    for args in
        ["summary", "changes", "changes --format csv", "report", "audit", "audit --format csv"]
    {
        let output = run::plansift().args(args.split(' ')).arg(&plan).output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{args}");
        expect_inert(args, &output.stdout, Own::Nothing);
        expect_inert(args, &output.stderr, Own::Nothing);
    }
}

#[test]
fn redact_keeps_hostile_texts_and_starts_no_command() {
    let starts_command = Regex::new(r"(?m)^\s*::").expect("a pattern");
    for text in HOSTILE {
        let change = json!({
            "actions": ["update"], "before": {text: text}, "after": {text: "."},
            "before_sensitive": {}, "after_sensitive": {},
        });
        let resource = json!({
            "address": text, "mode": "managed", "type": text, "name": text, "change": change,
        });
        let plan = json!({"format_version": "1.2", "resource_changes": [resource]});
        let plan = serde_json::to_string_pretty(&plan).expect("JSON");
        let output = run::piped(&["redact", "--quiet", "-"], plan.as_bytes());
        assert_eq!(String::from_utf8(output.stdout).expect("UTF-8"), plan, "byte for byte");
        assert!(!starts_command.is_match(&plan), "{plan}");
    }
}
