//! Contents of documents: compares the records of `resources`, `outputs`, `variables` and `checks`
//! with the oracle, and native states with the JSON of the tools. Also tests the commands.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Output;

use plansift::error::Result;
use plansift::input::{Rereadable, Slice, into_error};
use plansift::limits::Limits;
use plansift::plan::{self, Documents};
use plansift::planfile;
use plansift::record::Label;
use plansift::record::values::{RowKind, Select, ValuesOptions, ValuesSource, read};
use plansift::sink::ndjson::Ndjson;
use serde_json::{Value, json};

use crate::naive::values as oracle;
use crate::{naive, reference, run, shared_plans};

fn options(what: RowKind, of: ValuesSource) -> ValuesOptions {
    ValuesOptions {
        read: plan::PlanOptions::default(),
        what,
        of,
        only: Vec::new(),
        all: true,
        select: Select::default(),
        patterns: None,
    }
}

/// The rows of a document, without its first and last record.
fn rows(text: &str, options: &ValuesOptions) -> Result<Vec<Value>> {
    let mut out = Vec::new();
    let mut sink = Ndjson::new(&mut out);
    let label = Label { source: "-", workspace: None };
    let mut documents = Documents::new(Slice(text.as_bytes()), &options.read);
    let held = read(&mut documents, label, options, None, &mut sink)?;
    plansift::record::Sink::finish(&mut sink)?;
    drop(sink);
    let text = String::from_utf8(out).expect("UTF-8");
    let records = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let records: Vec<Value> = records.collect();
    let (first, last) = (&records[0], &records[records.len() - 1]);
    assert_eq!((&first["kind"], &last["kind"]), (&json!("document"), &json!("summary")));
    assert_eq!(last["rows"], json!(records.len() - 2));
    assert_eq!(held.summary.rows as usize, records.len() - 2);
    Ok(records[1..records.len() - 1].to_vec())
}

fn is_state(document: &Value) -> bool {
    let has = |key: &str| document.get(key).is_some();
    !shared_plans::is_plan(document) && has("format_version") && has("values")
}

/// Every way to read a document, with the rows of the oracle.
fn expected(document: &Value) -> Vec<(ValuesOptions, Vec<Value>)> {
    let plan = [(ValuesSource::Auto, "planned_values"), (ValuesSource::Prior, "prior_state")];
    let state = [(ValuesSource::Auto, "values"), (ValuesSource::State, "values")];
    let sections = if is_state(document) { state } else { plan };
    let mut expected = Vec::new();
    for (of, section) in sections {
        let resources = oracle::resources(document, section, true);
        expected.push((options(RowKind::Resources, of), resources));
        let managed = ValuesOptions { all: false, ..options(RowKind::Resources, of) };
        expected.push((managed, oracle::resources(document, section, false)));
        expected.push((options(RowKind::Outputs, of), oracle::outputs(document, section)));
    }
    expected.push((options(RowKind::Checks, ValuesSource::Auto), oracle::checks(document)));
    if !is_state(document) {
        expected
            .push((options(RowKind::Variables, ValuesSource::Auto), oracle::variables(document)));
    }
    expected
}

/// Compares the rows of a document with those of the oracle. Returns the number of rows.
fn compare(name: &str, text: &str, document: &Value, failures: &mut Vec<String>) -> usize {
    // The documents of the corpus are written by hand.
    let is_misplaced = name.contains("corpus/") || MISPLACED.contains(&name);
    let mut count = 0;
    for (options, oracle) in expected(document) {
        let (what, of) = (options.what, options.of);
        match rows(text, &options) {
            Ok(engine) => {
                count += engine.len();
                let [engine, oracle] = match is_misplaced {
                    true => [engine, oracle].map(without_modules),
                    false => [engine, oracle],
                };
                let difference = naive::difference(&engine, &oracle);
                failures.extend(difference.map(|it| format!("{name} {what:?} {of:?}: {it}")));
            }
            Err(error) => failures.push(format!("{name} {what:?} {of:?}: {error}")),
        }
    }
    count
}

/// The text of a file that holds one document in UTF-8, and its tree, if it is a plan or a state.
fn document(path: &Path) -> Option<(String, Value)> {
    let text = String::from_utf8(reference::read(path).ok()?).ok()?;
    let text = text.trim_start_matches('\u{feff}').to_owned();
    let document: Value = serde_json::from_str(&text).ok()?;
    (shared_plans::is_plan(&document) || is_state(&document)).then_some((text, document))
}

/// Documents whose resources stand in another module than their addresses say.
const MISPLACED: [&str; 1] = ["terracost/aws.asg-plan.json"];

/// Rows without the address of their module, which the engine takes from the address and the oracle
/// from the tree.
fn without_modules(mut rows: Vec<Value>) -> Vec<Value> {
    for row in rows.iter_mut().filter_map(Value::as_object_mut) {
        if row["kind"] == "resource" {
            row.shift_remove("module_address");
        }
    }
    rows
}

/// Documents that the engine refuses, and why.
const REFUSED: [(&str, &str); 3] = [
    ("terraform-validator/tf1_0plan.applied.json", "the same key twice in a change"),
    ("tf-plan-format/artificial.full.json", "its format_version is a word"),
    ("tf-plan-format/artificial.no-resource-changes.json", "its format_version is a word"),
];

#[test]
fn values_of_real_documents_match_the_oracle() {
    let files = shared_plans::files().into_iter().chain(shared_plans::configured());
    let (mut failures, mut documents, mut count) = (Vec::new(), 0, 0);
    for (name, path) in files {
        if REFUSED.iter().any(|(refused, _)| *refused == name) {
            continue;
        }
        if let Some((text, document)) = self::document(&path) {
            documents += 1;
            count += compare(&name, &text, &document, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    run::assert_enough(documents, 400, 193);
    run::assert_enough(count, 20_000, 20_000);
}

#[test]
fn values_of_the_corpus_match_the_oracle() {
    let (mut failures, mut documents) = (Vec::new(), 0);
    for folder in ["corpus/plans", "corpus/states", "corpus/native-states", "corpus/planfiles"] {
        let mut folders = vec![run::root().join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Some((text, document)) = document(&path) {
                    documents += 1;
                    compare(&path.to_string_lossy(), &text, &document, &mut failures);
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(documents > 80, "{documents}");
}

fn states() -> PathBuf {
    run::root().join("corpus/native-states")
}

/// The JSON text of a native state file.
fn transcoded(path: &Path) -> Result<String> {
    let limits = Limits::default();
    let file = Rereadable::open_file(path, &limits)?;
    let mut text = String::new();
    planfile::open_state(&file, &limits)?.read_to_string(&mut text).map_err(into_error)?;
    Ok(text)
}

#[test]
fn transcoded_native_states_equal_the_json_of_terraform() {
    let mut pairs = 0;
    for entry in fs::read_dir(states()).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "tfstate") {
            pairs += 1;
            let text = fs::read_to_string(path.with_extension("json")).expect("its JSON");
            assert_eq!(transcoded(&path).expect("a state"), text, "{}", path.display());
        }
    }
    assert!(pairs >= 3, "{pairs}");
}

#[test]
fn native_states_of_other_versions_are_named() {
    for (state, what) in [
        (
            r#"{"version":3,"terraform_version":"0.11.0","serial":1,"lineage":"x","modules":[]}"#,
            "version 3",
        ),
        (r#"{"version":5,"serial":1,"lineage":"x","resources":[]}"#, "after 4"),
        (r#"{"serial":1,"lineage":"x","meta":{},"encrypted_data":"AAAA"}"#, "encrypted"),
        (r#"{"version":4,"serial":1,"lineage":"x","resources":7}"#, "expected an array"),
        (r#"{"version":4,"serial":1,"lineage":"x","resources":[{"mode":"new"}]}"#, "damaged"),
    ] {
        let output = run::piped(&["resources"], state.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{state}");
        assert!(text(&output.stderr).contains(what), "{state}: {}", text(&output.stderr));
    }
}

#[test]
fn damaged_native_states_give_errors_and_no_panic() {
    let path = states().join("modules.tfstate");
    let bytes = fs::read(path).expect("the state");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("damaged.tfstate");
    for at in (0..bytes.len()).filter(|at| run::is_tried_of(97, *at)) {
        for damaged in [&bytes[..at], &[&bytes[..at], b"\"", &bytes[at + 1..]].concat()] {
            fs::write(&file, damaged).expect("written");
            if let Ok(text) = transcoded(&file) {
                serde_json::from_str::<Value>(&text).expect("whole JSON or an error");
            }
        }
    }
}

fn plansift(arguments: &[&str]) -> Output {
    let mut command = run::plansift();
    command.current_dir(run::root()).args(arguments).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_native_state_and_its_json_give_the_same_records() {
    for command in ["resources", "outputs", "checks", "audit"] {
        let all: &[&str] = if command == "resources" { &["--all"] } else { &[] };
        let records = |file: &str| {
            let output = plansift(&[&[command, "-f", "ndjson", file], all].concat());
            assert!(output.status.success(), "{}", text(&output.stderr));
            text(&output.stdout).replace(file, "-")
        };
        let [native, json] =
            ["corpus/native-states/modules.tfstate", "corpus/native-states/modules.json"];
        assert_eq!(records(native), records(json), "{command}");
    }
}

#[test]
fn every_command_reads_native_states_from_pipes() {
    let path = states().join("modules.tfstate");
    let bytes = fs::read(path).expect("the state");
    for arguments in [
        &["resources", "--all", "--select", "input"][..],
        &["outputs", "--values"],
        &["checks"],
        &["summary"],
        &["redact"],
        &["audit"],
    ] {
        let output = run::piped(arguments, &bytes);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        assert!(!text(&output.stdout).contains("CANARY-"), "{arguments:?}");
    }
}

#[test]
fn errors_name_the_command_that_reads_the_document() {
    for (arguments, hint) in [
        (&["changes", "corpus/native-states/modules.json"][..], "`resources`"),
        (&["changes", "corpus/native-states/modules.tfstate"], "`resources`"),
        (&["variables", "corpus/native-states/modules.tfstate"], "not a plan"),
        (&["resources", "--of", "planned", "corpus/native-states/modules.json"], "not a plan"),
        (&["resources", "--of", "state", "corpus/plans/update/plan.json"], "--of planned"),
        (
            &["checks", "--fail-on", "delete", "corpus/native-states/modules.json"],
            "not about checks",
        ),
    ] {
        let output = plansift(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(text(&output.stderr).contains(hint), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn a_failed_check_breaks_the_rule_about_checks() {
    let file = "corpus/native-states/modules.json";
    let output = plansift(&["checks", "--fail-on", "check", file]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("rule broken: check: 1 in check.health"));
    let output = plansift(&["checks", "--fail-on", "check:check.other", file]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn groups_count_the_resources_of_all_inputs() {
    let files = ["corpus/native-states/modules.json", "corpus/native-states/modules.tfstate"];
    let group = |by: &str| {
        let arguments = [&["resources", "-f", "ndjson", "--group-by", by][..], &files].concat();
        let output = plansift(&arguments);
        let lines = text(&output.stdout).lines();
        let records = lines.map(|line| serde_json::from_str(line).expect("JSON"));
        records.collect::<Vec<Value>>()
    };
    let records = group("type");
    assert_eq!(records[0]["by"], "type");
    assert_eq!(records[0]["name"], "terraform_data");
    assert_eq!(records[0]["documents"], 2);
    let summary = &records[records.len() - 1];
    assert_eq!(summary["documents"], 2);
    assert_eq!(summary["rows"], records[0]["resources"]);
    let modules: u64 =
        group("module").iter().filter_map(|record| record["resources"].as_u64()).sum();
    assert_eq!(Some(modules), records[0]["resources"].as_u64());
}

#[test]
fn selected_values_are_those_of_the_document_apart_from_secrets() {
    let file = "corpus/native-states/modules.json";
    let output = plansift(&["resources", "-f", "ndjson", "--select", "input", file]);
    let document: Value =
        serde_json::from_str(&fs::read_to_string(run::root().join(file)).expect("a state"))
            .expect("JSON");
    let mut inputs = Vec::new();
    let root = &document["values"]["root_module"]["resources"];
    for resource in root.as_array().expect("resources") {
        inputs.push((resource["values"]["input"].clone(), resource["sensitive_values"].clone()));
    }
    let rows: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|record: &Value| record["kind"] == "resource")
        .collect();
    let (mut masked, mut shown) = (0, 0);
    for ((input, marks), row) in inputs.iter().zip(&rows) {
        if marks.to_string().contains("true") {
            assert!(row["values"]["input"].to_string().contains("(sensitive value)"));
            masked += 1;
        } else {
            assert_eq!(row["values"]["input"], *input);
            shown += 1;
        }
    }
    assert!(masked > 0 && shown > 0);
}

#[test]
fn a_selected_path_that_no_resource_has_is_named() {
    let file = "corpus/native-states/modules.json";
    let output = plansift(&["resources", "--select", "inptu.b", "--select", "input.b", file]);
    let said = text(&output.stderr);
    assert!(said.contains("warning: --select inptu.b matches nothing"), "{said}");
    assert!(!said.contains("--select input.b"), "{said}");
    // Its column stays, because the user asked for it.
    let heading = text(&output.stdout).lines().nth(1).expect("a heading");
    assert_eq!(heading.split_whitespace().last(), Some("input.b"), "{heading}");
    assert!(heading.contains("inptu.b") && !heading.contains("provider"), "{heading}");
}

#[test]
fn unknown_planned_outputs_are_reported() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"planned_values":{"outputs":{
        "a":{"sensitive":false},"b":{"sensitive":false,"type":"string","value":""}},
        "root_module":{}}}"#;
    let output = run::piped(&["outputs", "--values", "--format", "ndjson"], plan.as_bytes());
    let rows: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|record: &Value| record["kind"] == "output")
        .collect();
    assert_eq!(rows[0]["unknown"], true);
    assert_eq!((rows[1].get("unknown"), &rows[1]["value"]), (None, &"".into()));
    let table = run::piped(&["outputs", "--values"], plan.as_bytes());
    assert!(text(&table.stdout).contains("a             unknown\n"), "{}", text(&table.stdout));
}

#[test]
fn errored_plans_are_warnings() {
    let plan = r#"{"format_version":"1.2","errored":true,"planned_values":{"root_module":{}}}"#;
    for command in ["resources", "outputs", "checks"] {
        let output = run::piped(&[command], plan.as_bytes());
        let told = text(&output.stderr);
        assert!(told.contains("warning: planning failed"), "{command}: {told}");
        assert_eq!(text(&run::piped(&[command, "-q"], plan.as_bytes()).stderr), "");
        let whole = plan.replace("true", "false");
        assert_eq!(text(&run::piped(&[command], whole.as_bytes()).stderr), "", "{command}");
    }
    let variables = run::piped(&["variables"], plan.as_bytes());
    assert!(text(&variables.stderr).contains("warning: planning failed"));
}

#[test]
fn tables_write_types_as_terraform_does() {
    let state = r#"{"format_version":"1.0","terraform_version":"1.11.4","values":{"outputs":{
        "a":{"sensitive":false,"type":["map",["list","string"]],"value":{}}},"root_module":{}}}"#;
    let table = run::piped(&["outputs"], state.as_bytes());
    assert!(text(&table.stdout).contains("a     map(list(string))\n"), "{}", text(&table.stdout));
}

#[test]
fn the_summary_of_a_state_has_its_tool_and_the_group_that_the_user_asks_for() {
    let title = |args: &[&str]| {
        let page = plansift(&[&["summary"], args].concat());
        text(&page.stdout).lines().next().expect("a title").to_owned()
    };
    let state = "corpus/native-states/modules.tfstate";
    assert_eq!(title(&[state]), format!("{state}  made by Terraform or OpenTofu 1.11.4"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state.json");
    let path = path.to_str().expect("UTF-8");
    for (registry, tool) in
        [("registry.terraform.io", "Terraform"), ("registry.opentofu.org", "OpenTofu")]
    {
        let of = |version: &str| {
            format!(
                r#"{{"format_version":"1.0",{version}"values":{{"root_module":{{"resources":[{{
                "address":"a.b","mode":"managed","type":"a","name":"b","values":{{}},
                "provider_name":"{registry}/x/y","sensitive_values":{{}}}}]}}}}}}"#
            )
        };
        fs::write(path, of(r#""terraform_version":"1.9.0","#)).expect("a file");
        assert!(title(&[path]).ends_with(&format!("  made by {tool} 1.9.0")), "{}", title(&[path]));
        fs::write(path, of("")).expect("a file");
        assert!(!title(&[path]).contains("made by"), "{}", title(&[path]));
        // The version is not that of the plan before it.
        let page = plansift(&["summary", "corpus/plans/rich/plan.json", path]);
        assert!(!text(&page.stdout).contains("made by"), "{}", text(&page.stdout));
    }
    let groups = ["workspace", "type", "module", "provider"];
    for group in groups {
        let page = plansift(&["summary", "--group-by", group, state]);
        let names = text(&page.stdout).lines().filter_map(|line| line.trim().split(' ').next());
        let headings: Vec<&str> = names.filter(|name| groups.contains(name)).collect();
        assert_eq!(headings, [group]);
    }
}

#[test]
fn variables_without_declarations_have_no_marks_of_their_own() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"variables":{"a":{"value":1}}}"#;
    let output = run::piped(&["variables", "--format", "ndjson"], plan.as_bytes());
    let row = text(&output.stdout).lines().nth(1).expect("a row");
    assert_eq!(row, r#"{"kind":"variable","name":"a"}"#);
    assert!(text(&output.stderr).contains("has no declarations of its variables"));
    let file = "corpus/planfiles/secrets/plan.tfplan";
    assert!(text(&plansift(&["variables", file]).stderr).contains("no declarations"));
    assert_eq!(text(&plansift(&["variables", "-q", file]).stderr), "");
}

#[test]
fn a_problem_names_the_instance_that_has_it() {
    let plan = r#"{"format_version":"1.2","resource_changes":[],"checks":[{
        "address":{"to_display":"t.a","kind":"resource"},"status":"fail","instances":[
        {"address":{"to_display":"t.a[0]"},"status":"pass"},
        {"address":{"to_display":"t.a[1]"},"status":"fail","problems":[{"message":"no"}]}]}]}"#;
    let output = run::piped(&["checks"], plan.as_bytes());
    assert!(text(&output.stdout).contains("fail    t.a[1]: no"), "{}", text(&output.stdout));
}

#[test]
fn no_output_of_these_commands_has_a_planted_secret() {
    let states = ["corpus/states/secrets.json", "corpus/native-states/modules.tfstate"];
    let plans: Vec<String> = fs::read_dir(run::root().join("corpus/plans"))
        .expect("a folder")
        .map(|case| case.expect("an entry").path().join("plan.json"))
        .filter(|plan| fs::read_to_string(plan).is_ok_and(|text| text.contains("CANARY-")))
        .map(|plan| plan.to_string_lossy().into_owned())
        .collect();
    assert!(plans.len() >= 5, "{}", plans.len());
    let files = states.map(str::to_owned).into_iter().chain(plans);
    let selects = ["secret", "password", "input", "output", "id", "tags", "text", "result"];
    let selects: Vec<&str> = selects.iter().flat_map(|path| ["--select", path]).collect();
    for file in files {
        for format in ["table", "ndjson", "json", "csv"] {
            let resources = [&["resources", "--all"][..], &selects].concat();
            for command in [
                &resources[..],
                &["resources", "--all", "--of", "prior", "--select", "password"],
                &["outputs", "--values"],
                &["variables", "--values"],
                &["checks"],
            ] {
                let output = plansift(&[command, &["-f", format, &file]].concat());
                for bytes in [&output.stdout, &output.stderr] {
                    let text = String::from_utf8_lossy(bytes);
                    assert!(!text.contains("CANARY-"), "{command:?} {file} {format}: {text}");
                }
            }
        }
    }
}

#[test]
fn every_record_fits_the_schema_of_its_command() {
    let files = [
        "corpus/native-states/modules.json",
        "corpus/native-states/deposed.tfstate",
        "corpus/states/secrets.json",
        "corpus/plans/secret-variables/plan.json",
        "corpus/plans/checks/plan.json",
    ];
    let mut kinds = std::collections::BTreeSet::new();
    for command in [
        &["resources", "--all", "--select", "input"][..],
        &["resources", "--group-by", "provider"],
        &["outputs", "--values"],
        &["variables", "--values"],
        &["checks"],
    ] {
        let schema = plansift(&["schema", "--of", command[0]]).stdout;
        let schema: Value = serde_json::from_slice(&schema).expect("a schema is JSON");
        jsonschema::draft202012::meta::validate(&schema).expect("a schema of its draft");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        let output = plansift(&[command, &["-f", "ndjson"], &files].concat());
        for line in text(&output.stdout).lines() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            if let Err(error) = validator.validate(&record) {
                panic!("{command:?}: {error}\n{record}");
            }
            kinds.insert(record["kind"].to_string());
        }
    }
    assert_eq!(kinds.len(), 7, "{kinds:?}");
}
