//! No sensitive value reaches an output, and no value at all reaches an error.
//!
//! A canary is a string that occurs once, so any output that contains it copied it. The plans here
//! have a canary in every place where the format allows a value, and each byte of them is damaged
//! in turn.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use plansift::input::{Slice, Source};
use plansift::json::Validation;
use plansift::plan;
use plansift::record::{Extent, RecordOptions, Show};
use plansift::report::csv::{Csv, Formulas};
use plansift::report::screen::Screen;
use plansift::report::summary::View;
use plansift::sink::Sink;
use plansift::sink::json::Json;
use plansift::sink::ndjson::Ndjson;
use serde_json::{Value, json};

use crate::{corpus, run};

/// Prefix of every canary.
const CANARY: &str = "CANARY-";

/// Output formats of records.
#[derive(Clone, Copy, Debug)]
enum Form {
    Ndjson,
    Json,
    Csv,
    CsvRaw,
    Summary,
}

const FORMS: [Form; 5] = [Form::Ndjson, Form::Json, Form::Csv, Form::CsvRaw, Form::Summary];

/// Generates strings that occur once.
#[derive(Default)]
struct Canaries(u32);

impl Canaries {
    fn next(&mut self) -> String {
        self.0 += 1;
        format!("{CANARY}{}.", self.0)
    }
}

/// A change with values at marked paths: below the root, nested, in lists, in sets, null.
fn change(canaries: &mut Canaries) -> Value {
    let mut canary = || canaries.next();
    json!({
        "actions": ["update"],
        "before": {
            "key": canary(),
            "deep": {"er": [{"key": canary(), "open": 1}]},
            "list": ["open", canary()],
            "set": [canary(), {"in": canary()}],
            "was": canary(), "both": canary(), "gone": canary(),
        },
        "after": {
            "key": canary(),
            "deep": {"er": [{"key": canary(), "open": 2}]},
            "list": ["open", canary(), canary()],
            "set": [{"in": canary()}],
            "is": canary(), "was": canary(), "both": canary(), "new": canary(),
        },
        "after_unknown": {"later": true},
        "before_sensitive": {
            "key": true,
            "deep": {"er": [{"key": true}]},
            "list": [false, true],
            "set": true,
            "was": true, "both": true, "gone": true, "absent": {"too": true},
        },
        "after_sensitive": {
            "key": true,
            "deep": {"er": [{"key": true}]},
            "list": [false, true, true],
            "set": true,
            "is": true, "both": true, "new": true, "later": true, "absent": true,
        },
        "replace_paths": [["set", {"in": canary()}], ["list", 1]],
        "generated_config": canary(),
        "before_identity": {"id": canary()},
        "after_identity": {"id": canary()},
    })
}

/// A change of maps that are marked as a whole: their keys are secret, too, including keys that are
/// unknown until apply.
fn keyed(canaries: &mut Canaries) -> Value {
    let mut map = |value: Value| json!({canaries.next(): value, "kept": {canaries.next(): value}});
    json!({
        "actions": ["update"],
        "before": {"map": map(json!(1)), "list": [{"map": map(json!([1]))}], "gone": map(json!(1))},
        "after": {"map": map(json!(2)), "list": [{"map": map(json!([2]))}], "new": map(json!(1))},
        "after_unknown": {"map": map(json!(true)), "list": [{"map": map(json!([true]))}]},
        "before_sensitive": {"map": true, "list": [{"map": true}], "gone": true},
        "after_sensitive": {"map": true, "list": [{"map": true}], "new": true},
        "replace_paths": [["map", canaries.next(), "x"], ["list", 0, "map", canaries.next()]],
    })
}

/// Like [`keyed`], with the mark at the root.
fn keyed_root(canaries: &mut Canaries) -> Value {
    let mut keyed = keyed(canaries);
    keyed["before_sensitive"] = json!(true);
    keyed["after_sensitive"] = json!(true);
    keyed
}

/// A change whose value is marked as a whole, with one or both sides.
fn wholly(actions: Value, before: Value, after: Value) -> Value {
    json!({
        "actions": actions, "before": before, "after": after, "after_unknown": false,
        "before_sensitive": true, "after_sensitive": true,
    })
}

/// A change with an import whose id is marked.
fn import(canaries: &mut Canaries) -> Value {
    let [id, old, new, below] = [(); 4].map(|()| canaries.next());
    json!({
        "actions": ["update"],
        "before": {"result": id, "old": old, "all": {"list": [below]}},
        "after": {"result": id, "new": new, "all": null},
        "before_sensitive": {"result": true, "all": true},
        "after_sensitive": {"old": true, "new": true},
        "importing": {"id": id, "identity": {"a": old, "b": [{"c": new}, id], "d": {"e": below}}},
    })
}

fn resource(name: &str, change: Value) -> Value {
    json!({
        "address": format!("acme_server.{name}"), "mode": "managed", "type": "acme_server",
        "name": name, "provider_name": "registry.example.com/acme/acme", "change": change,
    })
}

/// Removes the sensitivity overlays of a change.
fn without_overlays(mut change: Value) -> Value {
    let change_members = change.as_object_mut().expect("a change");
    for key in ["before_sensitive", "after_sensitive", "after_unknown", "replace_paths"] {
        change_members.remove(key);
    }
    change
}

/// A module of values, as in `planned_values` and in a state.
fn values(canaries: &mut Canaries) -> Value {
    let resource = json!({
        "address": "acme_server.nested", "values": {"key": canaries.next()},
        "sensitive_values": {"key": true}, "identity": {"id": canaries.next()},
    });
    json!({
        "outputs": {"o": {"sensitive": true, "type": "string", "value": canaries.next()}},
        "root_module": {"resources": [resource]},
    })
}

/// A plan with a canary wherever the format allows a value.
fn plan() -> String {
    let canaries = &mut Canaries::default();
    let resources = [
        resource("nested", change(canaries)),
        resource(
            "update",
            wholly(json!(["update"]), json!(canaries.next()), json!(canaries.next())),
        ),
        resource(
            "no_op",
            wholly(json!(["no-op"]), json!([canaries.next()]), json!([canaries.next()])),
        ),
        resource("create", wholly(json!(["create"]), Value::Null, json!({"a": canaries.next()}))),
        resource("delete", wholly(json!(["delete"]), json!({"a": canaries.next()}), Value::Null)),
        resource("import", import(canaries)),
        resource("keyed", keyed(canaries)),
        resource("keyed_root", keyed_root(canaries)),
    ];
    let outputs = json!({
        "create": wholly(json!(["create"]), Value::Null, json!(canaries.next())),
        "delete": wholly(json!(["delete"]), json!(canaries.next()), Value::Null),
        "no_op": wholly(json!(["no-op"]), json!(canaries.next()), json!(canaries.next())),
        "update": wholly(json!(["update"]), json!([canaries.next()]), json!([canaries.next()])),
        "keyed": keyed(canaries),
        "keyed_root": keyed_root(canaries),
    });
    let trigger =
        json!({"triggering_resource_address": "acme_server.nested", "event": canaries.next()});
    json!({
        "format_version": "1.2",
        "terraform_version": "1.15.0",
        "variables": {"token": {"value": canaries.next()}},
        "planned_values": values(canaries),
        "resource_drift": [
            resource("drift", change(canaries)), resource("keyed", keyed(canaries)),
            resource("nested", without_overlays(change(canaries))),
        ],
        "resource_changes": resources,
        "deferred_changes": [
            {"reason": "unknown", "resource_change": resource("deferred", change(canaries))},
            {"reason": "unknown", "resource_change": resource("keyed", keyed(canaries))},
            {
                "reason": "unknown",
                "resource_change": resource("nested", without_overlays(change(canaries))),
            },
        ],
        "output_changes": outputs,
        "action_invocations": [{
            "address": "action.acme_notify.a", "type": "acme_notify", "name": "a",
            "config_values": {"token": canaries.next()}, "config_sensitive": {"token": true},
            "config_unknown": {}, "lifecycle_action_trigger": trigger,
        }],
        "prior_state": {"format_version": "1.0", "values": values(canaries)},
        "configuration": {"root_module": {
            "variables": {"token": {"default": canaries.next(), "sensitive": true}},
            "resources": [{"expressions": {"key": {"constant_value": canaries.next()}}}],
        }},
        "checks": [{
            "address": {"kind": "check", "to_display": "check.c", "value": canaries.next()},
            "status": "fail",
            "instances": [{"status": "fail", "values": canaries.next(),
                           "problems": [{"message": "It fails.", "value": canaries.next()}]}],
        }],
        "something_new": {"secret": canaries.next()},
        "errored": false,
    })
    .to_string()
}

/// The output for a plan, followed by its error if it fails.
fn written(source: impl Source, form: Form, options: &RecordOptions) -> String {
    let mut out = Vec::new();
    let error = {
        let mut sink: Box<dyn Sink + '_> = match form {
            Form::Ndjson => Box::new(Ndjson::new(&mut out)),
            Form::Json => Box::new(Json::new(&mut out)),
            Form::Csv => Box::new(Csv::new(&mut out, Formulas::Quoted)),
            Form::CsvRaw => Box::new(Csv::new(&mut out, Formulas::Raw)),
            Form::Summary => Box::new(View::new(&mut out, Screen::FILE, None)),
        };
        let outcome = run::write_plan(source, "plan.json", options, sink.as_mut());
        sink.finish().expect("memory can be written");
        outcome.err()
    };
    let mut text = String::from_utf8(out).expect("an output is UTF-8");
    if let Some(error) = error {
        text.push_str(&error.to_string());
    }
    text
}

fn showing(show: Show) -> RecordOptions {
    RecordOptions { show, ..RecordOptions::default() }
}

#[test]
fn no_canary_reaches_the_outputs_of_the_command() {
    let plan = plan();
    assert!(plan.matches(CANARY).count() > 150);
    for args in [
        "changes",
        "changes --format json",
        "changes --format csv",
        "changes --format csv --csv-raw",
        "summary",
        "summary --color always",
        "report",
        "report --values all",
        "report --values none",
        "report -o junit --fail-on errored",
        "report -o sarif --fail-on errored",
        "report -o gitlab",
        "summary --format json",
        "report -o compact",
        "report -o compact --values all",
        "report -o compact --max-bytes 4000",
        "report -o markdown",
        "report -o markdown --fit github",
        "report -o github --fail-on changes",
        "report -o json --fail-on changes",
        "report -o variables",
        "report -o html",
    ] {
        for more in ["", "--all", "--all --strict", "--stats --progress=always"] {
            let args: Vec<_> =
                args.split(' ').chain(more.split_whitespace()).chain(["-"]).collect();
            let output = run::piped(&args, plan.as_bytes());
            assert!(matches!(output.status.code(), Some(0 | 3)), "{args:?}");
            for stream in [output.stdout, output.stderr] {
                let text = String::from_utf8(stream).expect("UTF-8");
                assert!(!text.contains(CANARY), "{args:?}: {text}");
            }
        }
    }
}

#[test]
fn records_of_imports_do_not_show_secrets() {
    let plan = plan();
    let text = written(Slice(plan.as_bytes()), Form::Ndjson, &showing(Show::Changes));
    let importing =
        r#""importing":{"id":"*","identity":{"a":"*","b":[{"c":"*"},"*"],"d":{"e":"*"}}}"#;
    let importing = importing.replace('*', "(sensitive value)");
    assert!(text.contains(&importing), "{text}");
}

#[test]
fn records_of_imports_do_not_show_misfitting_values() {
    for (after, overlay) in [
        (json!({"id": "CANARY-1"}), json!([true])),
        (json!({"m": {"CANARY-1": 1}}), json!({"m": true})),
        (json!({"l": ["CANARY-1", 1]}), json!({"l": [false, false, true]})),
        (json!("CANARY-1"), json!("yes")),
    ] {
        let change = json!({
            "actions": ["create"], "before": null, "after": after, "after_sensitive": overlay,
            "importing": {"id": "CANARY-1"},
        });
        let plan = json!({"format_version": "1.2", "resource_changes": [resource("r", change)]});
        for extent in [Extent::Paths, Extent::Actions] {
            let options = RecordOptions { extent, ..showing(Show::Changes) };
            let text = written(Slice(plan.to_string().as_bytes()), Form::Ndjson, &options);
            assert!(text.contains("(sensitive value)") && !text.contains("CANARY"), "{text}");
        }
    }
}

#[test]
fn no_canary_of_the_corpus_reaches_an_output() {
    for case in corpus::cases() {
        for form in FORMS {
            for show in [Show::Changes, Show::All] {
                let input = corpus::open(&case.plan).expect("it opens");
                let text = written(input, form, &showing(show));
                assert!(!text.contains(CANARY), "{}, {form:?}", case.plan.display());
            }
        }
    }
}

/// A function that damages the byte at a position.
type Damage = fn(&[u8], usize) -> Vec<u8>;

const DAMAGES: [Damage; 8] = [
    |text, at| text[..at].to_vec(),
    |text, at| [&text[..at], &text[at + 1..]].concat(),
    |text, at| [&text[..at], b"\"", &text[at..]].concat(),
    |text, at| [&text[..at], b"\\u", &text[at..]].concat(),
    |text, at| replaced(text, at, b'"'),
    |text, at| replaced(text, at, b']'),
    |text, at| replaced(text, at, 0xff),
    |text, at| replaced(text, at, text[at] ^ 1),
];

fn replaced(text: &[u8], at: usize, byte: u8) -> Vec<u8> {
    let mut text = text.to_vec();
    text[at] = byte;
    text
}

/// A plan of one change without an import. Its values never reach an output, even if its marks are
/// damaged.
fn small_plan(canaries: &mut Canaries) -> String {
    let mut change = change(canaries);
    change["after"]["number"] = json!(8_305_417_296_u64);
    let output = wholly(json!(["update"]), json!(canaries.next()), json!(canaries.next()));
    json!({
        "format_version": "1.2",
        "resource_changes": [resource("nested", change)],
        "output_changes": {"o": output},
        "prior_state": {"values": canaries.next()},
    })
    .to_string()
}

#[test]
fn errors_about_damaged_plans_show_no_value() {
    let plan = small_plan(&mut Canaries::default());
    let runs = runs(&serde_json::from_str(&plan).expect("JSON"));
    for validation in [Validation::Structure, Validation::Grammar] {
        let read = plan::PlanOptions { validation, ..plan::PlanOptions::default() };
        let options = RecordOptions { read, show: Show::All, ..RecordOptions::default() };
        let mut errors = 0;
        for at in 0..plan.len() {
            for damage in DAMAGES {
                let damaged = damage(plan.as_bytes(), at);
                let found = run::records(Slice(&damaged), &options);
                errors += usize::from(found.is_err());
                let error = found.map_or_else(|error| error.to_string(), |_| String::new());
                if let Some(run) = runs.iter().find(|run| error.contains(run.as_str())) {
                    panic!("byte {at}: `{run}` of the plan in: {error}");
                }
                let text = written(Slice(&damaged), Form::Ndjson, &options);
                assert!(!text.contains("CANAR"), "byte {at}: {text}");
            }
        }
        assert!(errors > 4 * plan.len(), "{errors} errors");
    }
}

/// All sequences of six bytes in the values of a tree, without keywords of the format.
fn runs(tree: &Value) -> BTreeSet<String> {
    const WORDS: [&str; 3] = ["managed", "update", "acme_server"];
    const LENGTH: usize = 6;
    let mut runs = BTreeSet::new();
    let mut waiting = vec![tree];
    while let Some(value) = waiting.pop() {
        let text = match value {
            Value::Object(members) => {
                waiting.extend(members.values());
                continue;
            }
            Value::Array(elements) => {
                waiting.extend(elements);
                continue;
            }
            Value::String(text) if !WORDS.contains(&text.as_str()) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => continue,
        };
        let windows = text.as_bytes().windows(LENGTH);
        runs.extend(windows.map(|run| String::from_utf8(run.to_vec()).expect("ASCII")));
    }
    assert!(runs.len() > 80, "{} runs", runs.len());
    runs
}

/// Plans that the tools made from configurations with secrets.
fn real_plans() -> Vec<PathBuf> {
    let folders = fs::read_dir(run::corpus("real")).expect("the real plans");
    let files = folders.flat_map(|folder| fs::read_dir(folder.expect("an entry").path()));
    let paths = files.flatten().map(|file| file.expect("an entry").path());
    let plans: Vec<_> =
        paths.filter(|path| path.to_string_lossy().ends_with(".plan.json")).collect();
    assert!(plans.len() > 50, "{} plans", plans.len());
    plans
}

/// Secrets that these configurations pass to the tools begin with `SECRET-`. Some occur at paths
/// without a mark, because of `nonsensitive()` or because a provider returned them. None of them
/// reaches an output.
#[test]
fn no_secret_of_the_real_plans_reaches_an_output() {
    for plan in real_plans() {
        let text = fs::read(&plan).expect("a plan");
        for form in FORMS {
            for show in [Show::Changes, Show::All] {
                let written = written(Slice(&text), form, &showing(show));
                assert!(!written.contains("SECRET-"), "{}, {form:?}", plan.display());
            }
        }
    }
}

/// Marked values of the same plans, such as generated keys and passwords, reach no output either.
#[test]
fn no_marked_string_of_the_real_plans_reaches_an_output() {
    let mut marked = 0;
    for plan in real_plans() {
        let text = fs::read(&plan).expect("a plan");
        let tree: Value = serde_json::from_slice(&text).expect("JSON");
        let secrets = marked_strings(&tree);
        marked += secrets.len();
        for form in FORMS {
            let written = written(Slice(&text), form, &showing(Show::All));
            for secret in &secrets {
                let escaped = Value::from(secret.as_str()).to_string();
                let escaped = escaped.trim_matches('"');
                assert!(!written.contains(escaped), "{}, {form:?}: {secret}", plan.display());
            }
        }
    }
    assert!(marked > 100, "{marked} marked strings");
}

/// The strings of a plan that its changes mark, except those too short to search for.
fn marked_strings(plan: &Value) -> BTreeSet<String> {
    let elements = |key: &str| plan[key].as_array().into_iter().flatten();
    let changes = elements("resource_changes").chain(elements("resource_drift"));
    let deferred = elements("deferred_changes").map(|deferred| &deferred["resource_change"]);
    let changes = changes.chain(deferred).map(|resource| &resource["change"]);
    let outputs =
        plan["output_changes"].as_object().into_iter().flat_map(|outputs| outputs.values());
    let mut strings = BTreeSet::new();
    for change in changes.chain(outputs) {
        for overlay in ["before_sensitive", "after_sensitive"] {
            for side in ["before", "after"] {
                collect(&change[side], &change[overlay], &mut strings);
            }
        }
    }
    strings.retain(|string| string.len() >= 8);
    strings
}

fn collect(value: &Value, overlay: &Value, strings: &mut BTreeSet<String>) {
    match (value, overlay) {
        (Value::String(text), Value::Bool(true)) => {
            strings.insert(text.clone());
        }
        (Value::Object(members), Value::Bool(true)) => {
            members.values().for_each(|value| collect(value, overlay, strings));
        }
        (Value::Array(elements), Value::Bool(true)) => {
            elements.iter().for_each(|value| collect(value, overlay, strings));
        }
        (Value::Object(_), Value::Object(marks)) => {
            marks.iter().for_each(|(key, mark)| collect(&value[key.as_str()], mark, strings));
        }
        (Value::Array(elements), Value::Array(marks)) => {
            elements.iter().zip(marks).for_each(|(value, mark)| collect(value, mark, strings));
        }
        _ => {}
    }
}

/// Versions before 0.15 mark an output as sensitive, but have no overlays in its change.
#[test]
fn outputs_declared_sensitive_elsewhere_show_no_value() {
    let after = json!({"password": format!("{CANARY}1"), "short": "CAN"});
    let plan = json!({
        "format_version": "0.1", "terraform_version": "0.14.0",
        "planned_values": {"outputs": {"o": {"sensitive": true}}, "root_module": {}},
        "output_changes": {"o": {"actions": ["create"], "before": null, "after": after,
            "after_unknown": {"id": true}}},
    });
    let plan = plan.to_string();
    for args in [
        "redact -",
        "redact --echo off -",
        "slim --keep outputs -",
        "slim --keep outputs --echo off -",
        "report --values all -o json -",
        "audit --format ndjson -",
    ] {
        let args: Vec<_> = args.split(' ').collect();
        let output = run::piped(&args, plan.as_bytes());
        assert!(output.status.success(), "{args:?}: {output:?}");
        let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
        assert!(!said.contains("CAN"), "{args:?}: {said}");
    }
}

/// A string in an overlay marks the whole value, so a later mark on a part of it removes a mark.
#[test]
fn a_string_in_an_overlay_is_a_mark_that_a_change_can_remove() {
    for (before, after, rule) in [
        (json!("text"), json!({"k": true}), "sensitive-removed"),
        (json!({"k": true}), json!(1), "sensitive-added"),
    ] {
        let values = json!({"m": {"k": "x", "l": "y"}});
        let plan = json!({"format_version": "1.2", "resource_changes": [{
            "address": "a.b", "mode": "managed", "type": "a", "name": "b", "change": {
                "actions": ["update"], "before": values, "after": values, "after_unknown": {},
                "before_sensitive": {"m": before}, "after_sensitive": {"m": after},
            },
        }]});
        let arguments = ["changes", "--fail-on", rule, "-"];
        let output = run::piped(&arguments, plan.to_string().as_bytes());
        assert_eq!(output.status.code(), Some(3), "{rule}");
    }
}
