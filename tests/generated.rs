//! The plan generator: the counts it writes beside a plan are what is found in the plan.
//!
//! Its binary is the example `generate`, which is built along with the tests and stands beside them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use plansift::input::Slice;
use plansift::record::{Options, Show};
use serde_json::Value;

use crate::{naive, run, shared_plans};

const SHAPES: [&str; 4] = ["estate", "busy", "first-run", "policy"];
const LAYOUTS: [&[&str]; 4] =
    [&[], &["--indent"], &["--sort-keys"], &["--indent", "--sort-keys", "--seed", "7"]];
const SIZE: usize = 300_000;

/// A plan of that shape and layout, and the counts that were written beside it.
fn generated(folder: &Path, shape: &str, layout: &[&str]) -> (Vec<u8>, Value) {
    let plan = folder.join("plan.json");
    let status = Command::new(generator())
        .args(["--size", &SIZE.to_string(), "--shape", shape])
        .args(layout)
        .arg("-o")
        .arg(&plan)
        .status();
    assert!(status.expect("the example `generate` runs").success(), "{shape} {layout:?}");
    let counts = fs::read(folder.join("plan.json.counts.json")).expect("counts");
    (fs::read(plan).expect("a plan"), serde_json::from_slice(&counts).expect("counts are JSON"))
}

fn generator() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_plansift"));
    binary
        .with_file_name("examples")
        .join("generate")
        .with_extension(std::env::consts::EXE_EXTENSION)
}

#[test]
fn counts_are_those_of_the_engine_and_of_the_oracle() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for shape in SHAPES {
        for layout in LAYOUTS {
            let (text, counts) = generated(folder.path(), shape, layout);
            assert!(text.len() > SIZE * 9 / 10, "{shape} {layout:?}: {} bytes", text.len());
            let document = serde_json::from_slice(&text).expect("a plan is JSON");
            for show in [Show::Changes, Show::All] {
                let options = Options { show, ..Options::default() };
                let engine = run::records(Slice(&text), &options).expect("a plan").0;
                let oracle =
                    naive::records(&document, "plan.json", text.len() as u64, show == Show::All);
                let difference = shared_plans::difference(&engine, &oracle);
                assert_eq!(difference, None, "{shape} {layout:?}");
                assert_eq!(engine.last(), Some(&counts), "{shape} {layout:?}");
            }
        }
    }
}

#[test]
fn shapes_hold_what_they_are_named_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (shape, most) in SHAPES.into_iter().zip(["no-op", "update", "create", "no-op"]) {
        let (_, counts) = generated(folder.path(), shape, &[]);
        let words = counts["resource_changes"].as_object().expect("counts by word");
        let (word, _) = words.iter().max_by_key(|(_, count)| count.as_u64()).expect("a word");
        assert_eq!(word, most, "{shape}");
    }
}
