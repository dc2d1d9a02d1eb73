//! Slim plans of small documents, and what a slim plan must be. Also a part of the tests of
//! `crates/redact`.

use std::num::NonZeroUsize;

use plansift::input::{Slice, Source};
use plansift::path::{AddressPattern, Pattern};
use plansift::plan::{Documents, PlanOptions};
use plansift::record::Show;
use plansift::redact::mask::Masking;
use plansift::redact::{RedactOptions, Secrecy, redact};
use plansift::secret::{EchoOf, SecretOptions, collect};
use plansift::slim::{self, PlanPart, SlimOptions};
use serde_json::{Value, json};

use super::model::{self, Wanted};
use crate::in_memory::{Cut, InMemory};
use crate::tried;

pub const DEFAULT: Wanted<'static> =
    Wanted { keep: &["changes", "outputs"], all: false, only: &[], paths: &[] };

const EVERY_PART: &[&str] = &[
    "changes",
    "outputs",
    "drift",
    "deferred",
    "actions",
    "variables",
    "planned",
    "prior",
    "configuration",
    "relevant",
    "checks",
    "other",
];

pub const WANTED: [Wanted<'static>; 12] = [
    DEFAULT,
    Wanted { all: true, ..DEFAULT },
    Wanted { keep: EVERY_PART, ..DEFAULT },
    Wanted { keep: EVERY_PART, all: true, ..DEFAULT },
    Wanted { keep: &["checks"], ..DEFAULT },
    Wanted { keep: &["configuration", "variables"], ..DEFAULT },
    Wanted { only: &["aws_*", "module.*"], ..DEFAULT },
    Wanted { paths: &["tags", "*_arn", "input.*", "triggers.a*b", "id"], ..DEFAULT },
    Wanted { keep: EVERY_PART, all: true, only: &["*a*"], paths: &["*.*", "name"] },
    Wanted { all: true, paths: &["no_such_attribute"], ..DEFAULT },
    Wanted { keep: EVERY_PART, paths: &["*.id", "list[1]", "*_block*[0].*name"], ..DEFAULT },
    Wanted { all: true, paths: &["=tags", "*.Name", r#"triggers["aab"]"#], ..DEFAULT },
];

fn selected(wanted: Wanted<'_>) -> SlimOptions {
    let part = |name: &&str| PlanPart::named(name).expect("the name of a section");
    let pattern = |path: &&str| Pattern::parse(path).expect("a path");
    SlimOptions {
        keep: wanted.keep.iter().map(part).collect(),
        show: if wanted.all { Show::All } else { Show::Changes },
        only: wanted.only.iter().map(|glob| AddressPattern::new(glob)).collect(),
        paths: wanted.paths.iter().map(pattern).collect(),
        ..SlimOptions::default()
    }
}

fn masking() -> RedactOptions {
    let read = PlanOptions::default();
    let secret = SecretOptions { read, echo: EchoOf::Whole, echo_min: 8, names: None };
    RedactOptions { secret, masking: Masking::Text }
}

/// How `slim` treats secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// Masks marked values and echoes, known from a first pass.
    Masked,
    /// Masks marks only, without a first pass: `--echo off`.
    MarksMasked,
    /// Masks nothing: `--no-redact`.
    Shown,
}

pub fn slim_with(
    source: impl Source,
    text: &[u8],
    wanted: Wanted<'_>,
    secrets: Secrets,
) -> Vec<u8> {
    slim_on_threads(1, source, text, wanted, secrets).0
}

/// The slim plan, and the result of the run.
pub fn slim_on_threads(
    threads: usize,
    source: impl Source,
    text: &[u8],
    wanted: Wanted<'_>,
    secrets: Secrets,
) -> (Vec<u8>, String) {
    let mut options = masking();
    options.secret.read.threads = NonZeroUsize::new(threads);
    let collected = collect(|| Ok(InMemory::new(text)), &options.secret).expect("a plan");
    let secrecy = match secrets {
        Secrets::Masked => Secrecy::Known(&collected),
        Secrets::MarksMasked => Secrecy::Unknown,
        Secrets::Shown => Secrecy::Off,
    };
    let mut out = Vec::new();
    let mut documents = Documents::only(source, &options.secret.read);
    let slimmed = slim::slim(&mut documents, &selected(wanted), secrecy, &options, &mut out)
        .unwrap_or_else(|error| panic!("{wanted:?}: {error}"));
    (out, format!("{slimmed:?}"))
}

pub fn slim(text: &[u8], wanted: Wanted<'_>) -> Vec<u8> {
    slim_with(Slice(text), text, wanted, Secrets::Masked)
}

/// The document as `redact` writes it.
pub fn redacted(text: &[u8], secrets: Secrets) -> Vec<u8> {
    let options = masking();
    let collected = collect(|| Ok(Slice(text)), &options.secret).expect("a plan");
    let mut out = Vec::new();
    match secrets {
        Secrets::Shown => out.extend_from_slice(text),
        secrets => {
            let collected = (secrets == Secrets::Masked).then_some(&collected);
            let mut documents = Documents::only(Slice(text), &options.secret.read);
            redact(&mut documents, collected, &options, &mut out).expect("a plan");
        }
    }
    out
}

/// The JSON text of a value, with keys in their order.
pub fn written(value: &Value) -> String {
    serde_json::to_string(value).expect("a tree is JSON")
}

pub fn parsed(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&text[..text.len().min(2000)]))
    })
}

/// Asserts that a slim plan is what the model keeps of a plan. Returns the number of plans whose
/// bytes were compared, too.
pub fn assert_model(name: &str, text: &[u8], secrets: Secrets) -> usize {
    let whole = redacted(text, secrets);
    let tree = parsed(if secrets == Secrets::Shown { text } else { &whole });
    let is_compact = whole.trim_ascii() == written(&tree).as_bytes();
    for wanted in WANTED {
        let slim = slim_with(Slice(text), text, wanted, secrets);
        let model = written(&model::slim(&tree, wanted));
        let context = || format!("{name}: {secrets:?} {wanted:?}");
        assert_eq!(written(&parsed(&slim)), model, "{}", context());
        // A compact document has the bytes of the tree, so the bytes must match, too.
        if is_compact {
            assert_eq!(slim.trim_ascii(), model.as_bytes(), "{}", context());
        }
    }
    if is_compact { WANTED.len() } else { 0 }
}

/// Workers drop whole ranges of elements, or the first elements of a range. Space surrounds commas.
#[test]
fn elements_that_workers_drop_leave_no_comma() {
    const COUNT: usize = 6000;
    let change = |number: usize, stays: bool| {
        let (kind, after) = if stays { ("update", "b") } else { ("no-op", "a") };
        let values =
            format!(r#""before":{{"v":"a"}},"after":{{"v":"{after}","p":"secret{number}"}}"#);
        let marks = r#""after_unknown":{},"before_sensitive":{},"after_sensitive":{"p":true}"#;
        format!(
            r#"{{"address":"a.b[{number}]","mode":"managed","type":"a","name":"b","index":{number},
            "change":{{"actions":["{kind}"],{values},{marks}}}}}"#
        )
    };
    let stays: [fn(usize) -> bool; 7] = [
        |_| false,
        |_| true,
        |number| number == COUNT - 1,
        |number| number >= COUNT - 20,
        |number| number == 4500,
        |number| number > 4500,
        |number| number % 700 == 699,
    ];
    for (case, stays) in stays.into_iter().enumerate() {
        for (place, separator) in [",", " ,\n "].into_iter().enumerate() {
            // One separator by day.
            if !tried::is_tried_of(2, case + place) {
                continue;
            }
            let changes: Vec<_> = (0..COUNT).map(|number| change(number, stays(number))).collect();
            let list = changes.join(separator);
            let text = format!(r#"{{"format_version":"1.2","resource_changes":[ {list} ]}}"#);
            let text = text.as_bytes();
            for secrets in [Secrets::Masked, Secrets::MarksMasked] {
                let expected = slim_on_threads(1, Slice(text), text, DEFAULT, secrets);
                let kept = &parsed(&expected.0)["resource_changes"];
                let count = (0..COUNT).filter(|number| stays(*number)).count();
                assert_eq!(kept.as_array().map(Vec::len), Some(count));
                for threads in [2, 3, 8] {
                    let source = InMemory::new(text);
                    let found = slim_on_threads(threads, source, text, DEFAULT, secrets);
                    assert!(found == expected, "{case}, {separator:?}, {threads} threads");
                }
            }
        }
    }
}

/// A plan with every kind of separator.
const SPACED: &str = r#" { "format_version" : "1.2" , "variables" : { "v" : { "value" : "x" } } ,
  "resource_changes" : [
    { "address" : "a.no" , "type" : "a" , "change" : { "actions" : [ "no-op" ] } } ,
    { "address" : "a.b" , "type" : "a" , "change" : { "actions" : [ "update" ] ,
      "before" : { "u" : [ { "x" : 1e2 , "y" : "\u0041\/" } , { } , 3 ] , "p" : "a long secret" } ,
      "after" : { "u" : [ { "y" : 1 , "x" : 2.50 } ] , "t" : "q" , "p" : "a long secret" } ,
      "after_unknown" : { } ,
      "before_sensitive" : { "p" : true } , "after_sensitive" : { "p" : true } } } ,
    { "address" : "c.d" , "type" : "c" , "change" : { "actions" : [ "delete" ] ,
      "before" : { "t" : "a long secret" } , "after" : null } } ,
    { "address" : "a.no2" , "type" : "a" , "change" : { "actions" : [ "no-op" ] } }
  ] ,
  "planned_values" : { "root_module" : { } } ,
  "output_changes" : { "o" : { "actions" : [ "no-op" ] } } ,
  "complete" : true } 
"#;

#[test]
fn slim_keeps_bytes_and_fixes_commas() {
    let text = |wanted| {
        let slim = slim(SPACED.as_bytes(), wanted);
        String::from_utf8(slim).expect("a text")
    };
    assert_eq!(
        text(Wanted { keep: &["changes"], only: &["c"], ..DEFAULT }),
        r#" { "format_version" : "1.2" ,
  "resource_changes" : [ 
    { "address" : "c.d" , "type" : "c" , "change" : { "actions" : [ "delete" ] ,
      "before" : { "t" : "(sensitive value)" } , "after" : null } }
  ] ,
  "complete" : true } 
"#
    );
    assert_eq!(
        text(Wanted { only: &["a.b"], paths: &["u.y", "p"], ..DEFAULT }),
        r#" { "format_version" : "1.2" ,
  "resource_changes" : [ 
    { "address" : "a.b" , "type" : "a" , "change" : { "actions" : [ "update" ] ,
      "before" : { "u" : [ {  "y" : "\u0041\/" } , { } , 3 ] , "p" : "(sensitive value)" } ,
      "after" : { "u" : [ { "y" : 1 } ] , "p" : "(sensitive value)" } ,
      "after_unknown" : { } ,
      "before_sensitive" : { "p" : true } , "after_sensitive" : { "p" : true } } }
  ] ,
  "output_changes" : { } ,
  "complete" : true } 
"#
    );
}

#[test]
fn slim_plans_are_recognised_as_plans() {
    let text = br#"{"format_version":"0.1","variables":{},"planned_values":{"root_module":{}}}"#;
    let text_of = |keep| String::from_utf8(slim(text, Wanted { keep, ..DEFAULT })).expect("text");
    assert_eq!(text_of(&["changes"]), r#"{"format_version":"0.1","planned_values":{}}"#);
    assert_eq!(
        text_of(&["variables"]),
        r#"{"format_version":"0.1","variables":{},"planned_values":{}}"#
    );
    assert_eq!(
        text_of(&["planned"]),
        r#"{"format_version":"0.1","planned_values":{"root_module":{}}}"#
    );
}

#[test]
fn parts_of_a_marked_map_stay_masked() {
    let plan = json!({"format_version": "1.2", "resource_changes": [{
        "address": "a.b", "type": "a",
        "change": {
            "actions": ["update"],
            "before": {"tags": {"a": "a secret, the first", "b": "1"}, "other": "shown"},
            "after": {"tags": {"a": "a secret, the second", "b": "1"}, "other": "shown"},
            "after_unknown": {"tags": {"b": true}},
            "before_sensitive": {"tags": true},
            "after_sensitive": {"tags": true}}}]});
    let slim = slim(written(&plan).as_bytes(), Wanted { paths: &["tags.b"], ..DEFAULT });
    let change = &parsed(&slim)["resource_changes"][0]["change"];
    assert_eq!(change["before"], json!({"tags": "(sensitive value)"}));
    assert_eq!(change["after"], json!({"tags": "(sensitive value, changed)"}));
    assert_eq!(change["after_unknown"], json!({"tags": true}));
    assert_eq!(change["after_sensitive"], json!({"tags": true}));
}

/// A plan with a secret in every section, and an echo of each in a section that is kept.
fn plan_of_canaries() -> Value {
    let canaries: Vec<String> = (0..8).map(|n| format!("CANARY-{n}-of-this-plan")).collect();
    let element = |address: &str, actions: Value, canary: &str| {
        json!({"address": address, "type": "a", "change": {"actions": actions,
            "before": {"p": canary, "q": 1}, "after": {"p": canary, "q": 1}, "after_unknown": {},
            "before_sensitive": {"p": true}, "after_sensitive": {"p": true}}})
    };
    let mut echoing = element("a.b", json!(["update"]), &canaries[0]);
    echoing["change"]["after"]["echoes"] = json!(canaries);
    let module = |canary: &str| {
        json!({"resources": [{"address": "a.b", "type": "a", "values": {"p": canary},
            "sensitive_values": {"p": true}}]})
    };
    json!({
        "format_version": "1.2",
        "variables": {"v": {"value": canaries[1]}},
        "planned_values": {"root_module": module(&canaries[2])},
        "resource_changes": [
            echoing,
            element("a.no", json!(["no-op"]), &canaries[3]),
            element("a.other", json!(["delete"]), &canaries[4])],
        "output_changes": {"o": {"actions": ["create"], "before": null, "after": canaries[5],
            "before_sensitive": false, "after_sensitive": true}},
        "prior_state": {"values": {"root_module": module(&canaries[6])}},
        "configuration": {"root_module": {
            "variables": {"v": {"sensitive": true, "default": canaries[7]}},
            "resources": [{"expressions": {"p": {"constant_value": canaries[3]}}}]}},
    })
}

#[test]
fn secrets_of_dropped_sections_are_masked() {
    let plan = written(&plan_of_canaries());
    for wanted in WANTED.into_iter().chain([Wanted { only: &["a.b"], ..DEFAULT }]) {
        let text = slim(plan.as_bytes(), wanted);
        assert!(!String::from_utf8_lossy(&text).contains("CANARY"), "{wanted:?}");
    }
    // Without echo detection, all constants are secret.
    let keep = ["configuration"];
    let wanted = Wanted { keep: &keep, ..DEFAULT };
    let text = slim_with(Slice(plan.as_bytes()), plan.as_bytes(), wanted, Secrets::MarksMasked);
    let text = String::from_utf8(text).expect("a text");
    assert!(!text.contains("CANARY") && text.contains("sensitive value"), "{text}");
    let shown = slim_with(Slice(plan.as_bytes()), plan.as_bytes(), DEFAULT, Secrets::Shown);
    let found = String::from_utf8(shown).expect("a text").matches("CANARY").count();
    assert_eq!(found, 8 + 2 + 2 + 1, "secrets are shown where that is asked for");
}

#[test]
fn every_cut_into_windows_gives_the_same_plan() {
    let text = SPACED.as_bytes();
    for wanted in [DEFAULT, Wanted { only: &["c"], paths: &["t"], ..DEFAULT }] {
        let expected = slim(text, wanted);
        for cut in 1..text.len() {
            let lengths = [cut, text.len()];
            let found = slim_with(Cut::new(text, &lengths), text, wanted, Secrets::Masked);
            assert!(found == expected, "cut at {cut}: {}", String::from_utf8_lossy(&found));
        }
        for len in [1, 2, 63, 64, 65, 127, 1000] {
            let found = slim_with(Cut::new(text, &[len]), text, wanted, Secrets::Masked);
            assert!(found == expected, "windows of {len}");
        }
    }
}
