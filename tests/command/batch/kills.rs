//! A batch that is killed at any moment: no torn file, no lost plan, no duplicate.
//!
//! Each test kills a few batches, or 50 by night. `PLANSIFT_KILLS=200 cargo test kill` kills more.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{assert_nothing_unfinished, files, report, states};
use crate::command::Folder;
use crate::hostile::sample;
use crate::run;

/// Returns the number of kills or rounds of a test.
pub(super) fn count(usual: u32) -> u32 {
    match std::env::var("PLANSIFT_KILLS") {
        Ok(count) => count.parse().expect("a number"),
        Err(_) if run::is_nightly() => 50,
        Err(_) => usual,
    }
}

/// Number of inputs, which differ widely in size.
const INPUTS: usize = 60;

/// Creates inputs of very different sizes in `p`.
pub(super) fn estate() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("p")).expect("a folder");
    for number in 0..INPUTS {
        let changes = if number % 20 == 0 { 4000 } else { 20 + number };
        folder.write(&format!("p/{number}.json"), sample::of_changes(changes, sample::create));
    }
    folder
}

/// Starts a batch of the inputs in `p`, which writes to `out` unless `arguments` name a folder.
pub(super) fn start(folder: &Folder, arguments: &[&str]) -> Child {
    let mut command = run::plansift();
    command.current_dir(folder.0.path()).args(["batch", "p", "-j", "2", "-q"]);
    command.args(arguments);
    if !arguments.contains(&"--out") {
        command.args(["--out", "out"]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

/// A source of pseudo-random moments.
pub(super) struct Moments(pub u64);

impl Moments {
    /// A moment within a run that takes `whole`.
    pub(super) fn next(&mut self, whole: Duration) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        whole.mul_f64((self.0 >> 33) as f64 / f64::from(1_u32 << 31))
    }
}

/// Number of outcomes that the journal records for each input.
fn outcomes(folder: &Folder) -> BTreeMap<String, u64> {
    let journal = std::fs::read_to_string(folder.path("out/journal")).expect("a journal");
    let mut counts = BTreeMap::new();
    for line in journal.lines() {
        let (_, text) = line.split_once(' ').expect("a digest and a text");
        let line: Value = serde_json::from_str(text).expect("JSON");
        if let Some(outcome) = line.get("outcome") {
            *counts.entry(outcome["source"].as_str().expect("a text").to_owned()).or_default() += 1;
        }
    }
    counts
}

/// Asserts that each output file is complete.
fn assert_whole(folder: &Folder, expected: &BTreeMap<String, Vec<u8>>) {
    let path = folder.path("out/records");
    if path.is_dir() {
        for (name, content) in files(&path) {
            assert!(expected[&name] == content, "{name} is torn");
        }
    }
}

#[test]
fn killed_batches_continue() {
    let kills = count(10);
    let folder = estate();
    let started = Instant::now();
    let output = start(&folder, &[]).wait_with_output().expect("it ends");
    let whole = started.elapsed();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let (expected, rows) = (files(&folder.path("out/records")), report(&folder));
    assert_eq!(expected.len(), INPUTS);
    let mut moments = Moments(u64::from(std::process::id()));
    let mut killed = 0;
    while killed < kills {
        std::fs::remove_dir_all(folder.path("out")).expect("it is there");
        // Starts the batch again until one run finishes.
        loop {
            let mut child = start(&folder, &[]);
            // The number of kills is limited, so the loop always ends.
            if killed < kills {
                std::thread::sleep(moments.next(whole));
                child.kill().expect("it is a child");
                killed += 1;
            }
            let output = child.wait_with_output().expect("it ends");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.is_empty(), "{said}");
            assert_whole(&folder, &expected);
            if output.status.success() {
                break;
            }
            assert_eq!(output.status.code(), None, "it was killed");
        }
        assert!(files(&folder.path("out/records")) == expected, "all are there");
        assert_eq!(report(&folder), rows);
        assert_nothing_unfinished(&folder);
        let counts = outcomes(&folder);
        assert!(counts.len() == INPUTS && counts.values().all(|&count| count == 1), "{counts:?}");
    }
}

#[test]
fn a_batch_that_was_killed_can_be_reported() {
    let folder = estate();
    let mut child = start(&folder, &[]);
    // The report is written once the inputs are listed.
    while !folder.path("out/report.ndjson").is_file() {
        std::thread::yield_now();
    }
    child.kill().expect("it is a child");
    child.wait().expect("it ends");
    let merged = folder.run("merge out --format ndjson");
    assert!(matches!(merged.code, Some(0 | 1 | 4)), "{merged:?}");
    let rows = super::rows(&merged.out);
    let fleet = rows.last().expect("a row");
    let pending = states(&rows).iter().filter(|state| state.ends_with(" pending")).count();
    assert_eq!(fleet["pending"], pending);
    assert_eq!(fleet["complete"], pending == 0);
    for row in rows.iter().filter(|row| row["status"] == "done") {
        assert!(folder.path(row["records"].as_str().expect("a path")).is_file(), "{row}");
    }
}
