//! Shards, and the batch that they are merged into.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{files, files_of, plans, report, rows, states};
use crate::command::Folder;
use crate::hostile::sample::{self, PLAN};

const SHARDS: [&str; 3] = ["1/3", "2/3", "3/3"];

/// Creates twelve plans; one of them is truncated.
fn many() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("p")).expect("a folder");
    for number in 0..12 {
        let plan = sample::of_changes(number, sample::create);
        let len = if number == 7 { plan.len() - 1 } else { plan.len() };
        folder.write(&format!("p/{number}.json"), &plan[..len]);
    }
    folder
}

/// Runs all shards, each into its own output folder.
fn do_shards(folder: &Folder) {
    for (number, shard) in SHARDS.iter().enumerate() {
        let run = folder.run(&format!("batch p --out out{number} --shard {shard}"));
        assert!(matches!(run.code, Some(0 | 4)), "{run:?}");
    }
}

/// Report rows without the folder of their records.
fn without_folders(mut rows: Vec<Value>) -> Vec<Value> {
    for row in &mut rows {
        if let Some(Value::String(path)) = row.get_mut("records") {
            let at = path.find("records/").expect("the folder of records");
            path.drain(..at);
        }
    }
    rows
}

#[test]
fn merged_shards_equal_the_unsharded_batch() {
    let folder = many();
    let whole = folder.run("batch p --out out");
    do_shards(&folder);
    let parts: Vec<BTreeMap<String, Vec<u8>>> =
        (0..3).map(|number| files(&folder.path(&format!("out{number}/records")))).collect();
    assert!(parts.iter().all(|part| !part.is_empty()), "each has something");
    let all: BTreeMap<String, Vec<u8>> = parts.into_iter().flatten().collect();
    assert_eq!(all, files(&folder.path("out/records")));
    for order in ["out0 out1 out2", "out2 out0 out1"] {
        let merged = folder.run(&format!("merge {order}"));
        assert_eq!((merged.code, &merged.out), (whole.code, &whole.out), "{}", merged.err);
        let merged = folder.run(&format!("merge {order} --format ndjson -o merged"));
        assert_eq!((merged.code, merged.out.as_str()), (Some(4), ""));
        let text = std::fs::read_to_string(folder.path("merged")).expect("a report");
        let merged = rows(&text);
        for row in merged.iter().filter(|row| row["status"] == "done") {
            assert!(folder.path(row["records"].as_str().expect("a path")).is_file(), "{row}");
        }
        assert_eq!(without_folders(merged), report(&folder));
    }
}

#[test]
fn independent_batches_are_merged_in_their_order() {
    let folder = plans();
    for account in ["b", "a"] {
        std::fs::create_dir(folder.path(account)).expect("a folder");
        folder.write(&format!("{account}/1.json"), sample::of_changes(1, sample::create));
        folder.write(&format!("{account}/2.json"), &PLAN[..PLAN.len() - 1]);
        folder.run(&format!("batch {account} --out out-{account}"));
    }
    let whole = folder.run("batch b a --out out");
    let merged = folder.run("merge out-b out-a");
    assert_eq!((merged.code, &merged.out), (whole.code, &whole.out), "{}", merged.err);
    assert!(merged.out.starts_with("4 workspaces: "), "{}", merged.out);
    let merged = rows(&folder.run("merge out-b out-a --format ndjson").out);
    assert!(folder.path(merged[0]["records"].as_str().expect("a path")).is_file(), "{merged:?}");
    assert_eq!(without_folders(merged), report(&folder));
}

#[test]
fn an_input_stays_in_its_shard() {
    let folder = many();
    do_shards(&folder);
    let names = || -> Vec<Vec<String>> {
        let shard = |number: usize| files_of(&folder.path(&format!("out{number}/records")));
        (0..3).map(shard).collect()
    };
    let before = names();
    // An input that sorts first, and other workspace names for all inputs.
    folder.write("p/+.json", PLAN);
    folder.write("p/more.txt.json", PLAN);
    do_shards(&folder);
    let after = names();
    for (before, after) in before.iter().zip(&after) {
        assert!(before.iter().all(|name| after.contains(name)), "{before:?} {after:?}");
    }
    assert_eq!(after.iter().map(Vec::len).sum::<usize>(), 13);
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let folder = many();
    do_shards(&folder);
    folder.run("batch p --out whole");
    folder.run("batch p/1.json --out other-options --all");
    folder.run("batch p --out half --shard 1/2");
    folder.run("batch p --out csv --shard 2/3 --format csv");
    std::fs::create_dir(folder.path("q")).expect("a folder");
    std::fs::create_dir(folder.path("copy")).expect("a folder");
    // The inputs of the first shard under the number of the second.
    let journal = std::fs::read(folder.path("out0/journal")).expect("a journal");
    let end = journal.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
    let begun = std::fs::read(folder.path("out1/journal")).expect("a journal");
    let begun = &begun[..begun.iter().position(|&byte| byte == b'\n').expect("a line") + 1];
    folder.write("copy/journal", [begun, &journal[end..]].concat());
    // A folder that holds only the beginning of a journal is not a run without inputs.
    std::fs::create_dir(folder.path("early")).expect("a folder");
    let whole = std::fs::read(folder.path("whole/journal")).expect("a journal");
    let end = whole.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
    folder.write("early/journal", &whole[..end]);
    for (args, place, text) in [
        ("out0 out1 out0", "out0", "this shard was given twice"),
        ("whole whole", "whole", "an input of this folder is in another one as well"),
        ("whole other-options", "other-options", "made with other options"),
        ("whole out0", "out0", "--shard i/n"),
        ("out0 half", "half", "--shard i/n"),
        ("out0 csv out2", "csv", "made with other options"),
        ("out0 copy", "copy", "an input of this folder is in another one as well"),
        ("out0 out2", "out0", "shards are missing: 2/3: name their folders"),
        ("out1", "out1", "shards are missing: 1/3, 3/3: name"),
        ("half", "half", "merge the others with --partial"),
        ("early", "early", "the run in this folder has not listed its inputs: run it again"),
        ("out0 q", "q", "this folder has no output of `plansift batch`"),
        ("p", "p", "this folder has no output of `plansift batch`"),
        ("no-such-folder", "no-such-folder", "there is no such folder"),
        ("out0 no-such-folder", "no-such-folder", "there is no such folder"),
    ] {
        let run = folder.run(&format!("merge {args}"));
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{args}: {run:?}");
        assert!(run.err.starts_with(&format!("plansift: {place}: ")), "{args}: {}", run.err);
        assert!(run.err.contains(text), "{args}: {}", run.err);
    }
}

#[test]
fn the_report_lists_missing_shards() {
    let folder = many();
    do_shards(&folder);
    let run = folder.run("merge out2 --partial");
    assert!(run.out.contains("! Shards are missing: 1, 2.\n"), "{}", run.out);
    let run = folder.run("merge out2 --partial --format ndjson");
    let rows = rows(&run.out);
    let fleet = rows.last().expect("a row");
    assert_eq!(fleet["missing_shards"], serde_json::json!([1, 2]));
    assert_eq!(fleet["complete"], false);
    let inputs = fleet["inputs"].as_u64().expect("a number") as usize;
    assert_eq!(states(&rows).len(), inputs);
}

#[test]
fn a_shard_may_be_empty() {
    let folder = plans();
    for number in 1..=3 {
        let run = folder.run(&format!("batch p/same.json --out out{number} --shard {number}/3"));
        assert_eq!(run.code, Some(0), "{run:?}");
    }
    let run = folder.run("merge out1 out2 out3 --format ndjson");
    assert_eq!(states(&rows(&run.out)), ["p/same.json done"]);
}

#[test]
fn shards_of_different_input_lists_are_refused() {
    let folder = many();
    for (out, shard, inputs) in [("s1", "1/2", "p"), ("s2", "2/2", "./p")] {
        let run = folder.run(&format!("batch {inputs} --out {out} --shard {shard}"));
        assert!(matches!(run.code, Some(0 | 4)), "{run:?}");
    }
    let run = folder.run("merge s1 s2");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("does not fit the others"), "{}", run.err);
}

#[test]
fn outputs_in_the_folder_of_a_batch_are_refused() {
    let folder = many();
    folder.run("batch p --out out");
    let kept = files_of(&folder.path("out"));
    for args in [
        "merge out -o out/journal",
        "batch p --out out -o out/records/x",
        "merge out -o out/x",
        "batch p --out new -o new/journal",
        "batch p --out ./new -o p/../new/journal",
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(64), "{args}: {run:?}");
        assert!(run.err.contains("in the folder of a batch"), "{}", run.err);
    }
    assert_eq!(files_of(&folder.path("out")), kept);
    assert_eq!(folder.run("merge out").code, Some(4));
}

#[test]
fn inputs_without_their_record_file_are_pending() {
    let folder = plans();
    let first = folder.run("batch p --out out");
    let lost = "out/records/p~a.json.ndjson";
    let kept = std::fs::read(folder.path(lost)).expect("records");
    std::fs::remove_file(folder.path(lost)).expect("it is removed");
    let merged = folder.run("merge out --format ndjson");
    let rows = rows(&merged.out);
    assert!(states(&rows).contains(&"p/a.json pending".to_owned()), "{rows:?}");
    assert_eq!(rows.last().expect("a row of all")["complete"], false);
    assert!(merged.err.contains("1 input is not done yet"), "{}", merged.err);
    // A new run produces the same output.
    assert_eq!(folder.run("batch p --out out").out, first.out);
    assert_eq!(std::fs::read(folder.path(lost)).expect("records"), kept);
}
