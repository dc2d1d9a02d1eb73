//! The plan generator: plansift finds the counts that the generator writes beside a plan.
//!
//! The generator is the example `generate`. Cargo builds it with the tests, next to their binary.
//!
//! The generator writes what the tools write. A second, random generator here makes small plans
//! with anything in them: overlays that do not fit, numbers in several spellings, keys in any
//! order.

use std::fs;
use std::path::Path;
use std::process::Command;

use plansift::input::Slice;
use plansift::record::{RecordOptions, Show};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::{naive, run};

const SHAPES: [&str; 4] = ["estate", "busy", "first-run", "policy"];
const LAYOUTS: [&[&str]; 4] =
    [&[], &["--indent"], &["--sort-keys"], &["--indent", "--sort-keys", "--seed", "7"]];
const SIZE: usize = 300_000;

/// A generated plan of that shape and layout, and the counts that the generator wrote.
pub fn generated(folder: &Path, shape: &str, layout: &[&str], size: usize) -> (Vec<u8>, Value) {
    let plan = folder.join("plan.json");
    let status = Command::new(run::example("generate"))
        .args(["--size", &size.to_string(), "--shape", shape, "--many-marks"])
        .args(layout)
        .arg("-o")
        .arg(&plan)
        .arg("--list")
        .arg(folder.join("plan.json.list"))
        .status();
    assert!(status.expect("the example `generate` runs").success(), "{shape} {layout:?}");
    let counts = fs::read(folder.join("plan.json.counts.json")).expect("counts");
    (fs::read(plan).expect("a plan"), serde_json::from_slice(&counts).expect("counts are JSON"))
}

/// The records of a plan from the engine and from the oracle.
fn both(text: &[u8], document: &Value, show: Show) -> (Vec<Value>, Vec<Value>) {
    let options = RecordOptions { show, ..RecordOptions::default() };
    let engine = run::records(Slice(text), &options).expect("a plan").0;
    let oracle = naive::records(document, "plan.json", text.len() as u64, show == Show::All);
    (engine, oracle)
}

#[test]
fn counts_are_those_of_the_engine_and_of_the_oracle() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for shape in SHAPES {
        for layout in LAYOUTS {
            // The plans of one layout are large enough to contain every shape of marks.
            let size = if layout.is_empty() { SIZE * 10 } else { SIZE };
            let (text, counts) = generated(folder.path(), shape, layout, size);
            assert!(text.len() > size * 9 / 10, "{shape} {layout:?}: {} bytes", text.len());
            let document = serde_json::from_slice(&text).expect("a plan is JSON");
            for show in [Show::Changes, Show::All] {
                let (engine, oracle) = both(&text, &document, show);
                let difference = naive::difference(&engine, &oracle);
                assert_eq!(difference, None, "{shape} {layout:?}");
                assert_eq!(engine.last(), Some(&counts), "{shape} {layout:?}");
            }
        }
    }
}

#[test]
fn the_generated_list_has_every_change() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for shape in SHAPES {
        let (text, _) = generated(folder.path(), shape, &["--indent"], SIZE);
        let list = fs::read_to_string(folder.path().join("plan.json.list")).expect("a list");
        let document: Value = serde_json::from_slice(&text).expect("a plan is JSON");
        let elements = document["resource_changes"].as_array().expect("changes");
        let lines = elements.iter().filter_map(|it| {
            let actions = it["change"]["actions"].as_array().expect("actions");
            let words: Vec<_> = actions.iter().filter_map(Value::as_str).collect();
            let address = it["address"].as_str().expect("an address");
            (words != ["no-op"]).then(|| format!("{}\t{address}\n", words.join(",")))
        });
        assert_eq!(list, lines.collect::<String>(), "{shape}");
        assert!(!list.is_empty(), "{shape}");
    }
}

#[test]
fn each_shape_has_its_expected_most_common_action() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (shape, most) in SHAPES.into_iter().zip(["no-op", "update", "create", "no-op"]) {
        let (_, counts) = generated(folder.path(), shape, &[], SIZE);
        let words = counts["resource_changes"].as_object().expect("counts by word");
        let (word, _) = words.iter().max_by_key(|(_, count)| count.as_u64()).expect("a word");
        assert_eq!(word, most, "{shape}");
    }
}

/// Scalars as JSON text. Several spell the same value in different ways.
const SCALARS: [&str; 22] = [
    "null",
    "null",
    "true",
    "false",
    "0",
    "-0",
    "0.0e9",
    "1",
    "1.0",
    "10e-1",
    "1E+2",
    "100",
    "1e400",
    "9007199254740993",
    "9007199254740992",
    r#""""#,
    r#""a""#,
    r#""\u0061""#,
    r#""1""#,
    r#""é""#,
    r#""\u00e9""#,
    r#""\ud834\udd1e \" \\""#,
];
/// Keys as JSON text; all spell different keys.
const KEYS: [&str; 12] =
    ["a", "b", r"\u0063", "a-b", "_", "0", "", "x y", "é", r"\n", r#"q\""#, "k.l"];
const MARKS: [&str; 7] = ["true", "true", "true", "false", "null", r#""x""#, "1"];
const ACTIONS: [&str; 14] = [
    r#""no-op""#,
    r#""create""#,
    r#""read""#,
    r#""update""#,
    r#""delete""#,
    r#""forget""#,
    r#""open""#,
    r#""delete","create""#,
    r#""create","delete""#,
    r#""create","forget""#,
    r#""forget","create""#,
    r#""update","no-op""#,
    r#""caf\u00e9""#,
    "",
];
const STEPS: [&str; 8] = [
    "[]",
    r#"["a"]"#,
    r#"["a",0,"b"]"#,
    "[1,2]",
    r#"["x y",{},"b"]"#,
    "[null]",
    "[4294967295]",
    "[4294967296]",
];

/// A strategy for values made of `leaves`, with white space.
fn tree(leaves: &'static [&'static str]) -> impl Strategy<Value = String> {
    let leaf = select(leaves).prop_map(str::to_owned);
    leaf.prop_recursive(3, 16, 4, |inner| {
        let array =
            vec(inner.clone(), 0..4).prop_map(|elements| format!("[{}]", elements.join(",")));
        let object = btree_map(select(&KEYS[..]), inner, 0..4).prop_map(|members| {
            let members: Vec<_> =
                members.iter().map(|(key, it)| format!("\"{key}\" : {it}")).collect();
            format!("{{ {} }}", members.join(", "))
        });
        prop_oneof![array, object]
    })
}

/// The text of an object with the members that are present, in any order.
fn object(members: Vec<(&'static str, Option<String>)>) -> impl Strategy<Value = String> {
    Just(members).prop_shuffle().prop_map(|members| {
        let there = members.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let members: Vec<_> = there.map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    })
}

fn change() -> impl Strategy<Value = String> {
    let actions = select(&ACTIONS[..]).prop_map(|words| format!("[{words}]"));
    let value = || option::weighted(0.9, tree(&SCALARS));
    let overlay = || option::weighted(0.8, tree(&MARKS));
    let paths =
        option::of(vec(select(&STEPS[..]), 0..4).prop_map(|it| format!("[{}]", it.join(","))));
    let importing = option::of(tree(&SCALARS).prop_map(|id| format!("{{\"id\":{id}}}")));
    let parts = (actions, [value(), value()], [overlay(), overlay(), overlay()], paths, importing);
    parts.prop_flat_map(|(actions, values, overlays, paths, importing)| {
        let [before, after] = values;
        let [unknown, before_sensitive, after_sensitive] = overlays;
        object(vec![
            ("actions", Some(actions)),
            ("before", before),
            ("after", after),
            ("after_unknown", unknown),
            ("before_sensitive", before_sensitive),
            ("after_sensitive", after_sensitive),
            ("replace_paths", paths),
            ("importing", importing),
        ])
    })
}

fn element() -> impl Strategy<Value = String> {
    let text = |texts: &'static [&'static str]| option::of(select(texts).prop_map(str::to_owned));
    let mode = text(&[r#""managed""#, r#""data""#, r#""ephemeral""#]);
    let previous = text(&["null", r#""a.b""#, r#""a.c""#, r#""a\u002eb""#]);
    let index = text(&["0", "-1.50", r#""k\"""#, "null"]);
    (change(), mode, previous, index).prop_flat_map(|(change, mode, previous, index)| {
        object(vec![
            ("address", Some(r#""a.b""#.to_owned())),
            ("mode", mode),
            ("previous_address", previous),
            ("index", index),
            ("change", Some(change)),
        ])
    })
}

fn plan() -> impl Strategy<Value = String> {
    let elements = || vec(element(), 0..4).prop_map(|elements| format!("[{}]", elements.join(",")));
    let outputs = change().prop_map(|change| format!("{{\"o\":{change}}}"));
    let version = || Some(r#""1.2""#.to_owned());
    (elements(), elements(), outputs).prop_flat_map(move |(changes, drift, outputs)| {
        object(vec![
            ("format_version", version()),
            ("terraform_version", version()),
            ("resource_changes", Some(changes)),
            ("resource_drift", Some(drift)),
            ("output_changes", Some(outputs)),
        ])
    })
}

proptest! {
    #![proptest_config(run::property(300))]

    #[test]
    fn records_of_plans_made_at_random_are_those_of_the_oracle(text in plan()) {
        let document = serde_json::from_str(&text).expect("a plan is JSON");
        for show in [Show::Changes, Show::All] {
            let (engine, oracle) = both(text.as_bytes(), &document, show);
            prop_assert_eq!(naive::difference(&engine, &oracle), None, "{}", text);
        }
    }
}
