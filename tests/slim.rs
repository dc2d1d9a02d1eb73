//! Slim plans keep what a model over the tree keeps. Kept values have the bytes of the plan, and no
//! slim plan contains a secret.

mod command;
mod kept;
mod model;
mod policies;

use std::fs;

use kept::{
    DEFAULT, Secrets, WANTED, assert_model, redacted, slim, slim_on_threads, slim_with, written,
};
use plansift::input::Slice;
use plansift::record;
use serde_json::Value;

use crate::in_memory::InMemory;
use crate::{corpus, generated, run, shared_plans};

/// A plan and its text.
struct Plan {
    name: String,
    text: String,
}

/// Plans of the corpus and of the reference folder that are plain JSON in UTF-8, and generated
/// plans that need several chunks of output.
fn plans() -> Vec<Plan> {
    let of_corpus = corpus::cases().into_iter().map(|case| case.plan);
    let of_others = shared_plans::plans().into_iter().map(|(_, path)| path);
    let mut plans = Vec::new();
    for path in of_corpus.chain(of_others) {
        let text = fs::read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(text) = text else { continue };
        if serde_json::from_str::<Value>(&text).is_ok() {
            plans.push(Plan { name: path.display().to_string(), text });
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    for shape in ["estate", "busy"] {
        let (text, _) = generated::generated(folder.path(), shape, &[], 700_000);
        let text = String::from_utf8(text).expect("UTF-8");
        plans.push(Plan { name: format!("generated, {shape}"), text });
    }
    run::assert_enough(plans.len(), 300, 150);
    plans
}

/// The plan is long enough for several threads, both in the first pass and in the second.
#[test]
fn any_number_of_threads_gives_the_same_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let (text, _) = generated::generated(folder.path(), "estate", &[], 4 << 20);
    for wanted in [WANTED[0], WANTED[3], WANTED[5], WANTED[7]] {
        for secrets in [Secrets::Masked, Secrets::MarksMasked, Secrets::Shown] {
            let expected = slim_on_threads(1, Slice(&text), &text, wanted, secrets);
            for threads in [2, 3, 8] {
                let source = InMemory::new(&text);
                let found = slim_on_threads(threads, source, &text, wanted, secrets);
                assert!(found == expected, "{wanted:?}, {secrets:?}, {threads} threads");
            }
        }
    }
}

#[test]
fn slim_plans_match_the_model() {
    let (mut compact, mut number) = (0, 0);
    for Plan { name, text } in plans() {
        for secrets in [Secrets::Masked, Secrets::MarksMasked, Secrets::Shown] {
            number += 1;
            if run::is_tried(number) {
                compact += assert_model(&name, text.as_bytes(), secrets);
            }
        }
    }
    let least = if run::is_nightly() { 200 } else { 50 };
    assert!(compact > least, "{compact} comparisons of bytes");
}

#[test]
fn records_of_a_slim_plan_are_those_of_the_plan() {
    let kept = ["plan", "resource_change", "output_change"];
    let options = record::RecordOptions::default();
    let mut changes = 0;
    // In this plan, a section that `slim` drops declares outputs sensitive. Without that section,
    // the records of output changes show no keys.
    let is_old = |name: &str| name.contains("secret-outputs-0.14");
    let plans = plans().into_iter().filter(|plan| !is_old(&plan.name));
    let cases = plans.flat_map(|plan| {
        let text = plan.text.into_bytes();
        [Secrets::Masked, Secrets::Shown].map(|secrets| {
            let slim = slim_with(Slice(&text), &text, DEFAULT, secrets);
            (plan.name.clone(), redacted(&text, secrets), slim)
        })
    });
    for (name, whole, slim) in cases {
        let [whole, slim] = [whole, slim].map(|text| {
            let (records, outcome) = run::records(Slice(&text), &options).expect("a plan");
            (records, outcome.summary)
        });
        let is_kept = |record: &Value| kept.iter().any(|kind| record["kind"] == *kind);
        let [expected, found]: [Vec<Value>; 2] =
            [whole.0, slim.0].map(|records| records.into_iter().filter(is_kept).collect());
        assert_eq!(found, expected, "{name}");
        let facts = |summary: &record::counts::Summary| {
            let json = serde_json::to_value(summary).expect("a summary is JSON");
            ["terraform", "moved", "applyable", "complete", "errored", "timestamp"]
                .map(|key| json[key].clone())
        };
        assert_eq!(facts(&slim.1), facts(&whole.1), "{name}");
        changes += found.len();
    }
    assert!(changes > 100, "{changes} records");
}

#[test]
fn slimming_twice_changes_nothing() {
    for Plan { name, text, .. } in plans() {
        for wanted in WANTED {
            let once = slim(text.as_bytes(), wanted);
            let twice = slim(&once, wanted);
            assert!(once == twice, "{name}: {wanted:?}");
        }
    }
}
