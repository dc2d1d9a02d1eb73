//! `batch --tables`: which files a run writes, and their rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

use plansift_arrow::arrow_array::RecordBatch;
use plansift_arrow::arrow_array::cast::AsArray;
use plansift_arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use plansift_arrow::part::Day;
use plansift_arrow::table::Family;

use super::{RULE, files_of, plans, records, report, states};

const DAY: &str = "--tables t --date 2026-11-28";

/// The files of tables below `folder`, by their relative paths, with their contents. None if the
/// folder does not exist.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    if !folder.exists() {
        return files;
    }
    for table in files_of(folder) {
        for day in files_of(&folder.join(&table)) {
            for part in files_of(&folder.join(&table).join(&day)) {
                let path = format!("{table}/{day}/{part}");
                let content = std::fs::read(folder.join(&path)).expect("a file");
                files.insert(path, content);
            }
        }
    }
    files
}

fn batches(file: &Path) -> Vec<RecordBatch> {
    let file = File::open(file).expect("a file");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    reader.build().expect("a reader").map(|batch| batch.expect("a batch")).collect()
}

/// The rows of all files below `folder`, each with the name of its table, sorted.
fn rows(folder: &Path) -> Vec<String> {
    let mut rows = Vec::new();
    for path in files(folder).keys() {
        let table = path.split('/').next().expect("a table");
        for batch in batches(&folder.join(path)) {
            let cells = |row| format!("{table} {:?}", batch.slice(row, 1).columns());
            rows.extend((0..batch.num_rows()).map(cells));
        }
    }
    rows.sort_unstable();
    rows
}

/// The cells of a column of text.
fn texts(file: &Path, column: &str) -> Vec<Option<String>> {
    let mut texts = Vec::new();
    for batch in batches(file) {
        let column = batch.column_by_name(column).expect("a column").as_string::<i32>();
        texts.extend(column.iter().map(|text| text.map(str::to_owned)));
    }
    texts
}

#[test]
fn a_repeated_run_writes_the_same_files() {
    let folder = plans();
    let run = folder.run(&format!("batch {RULE} p --out out {DAY}"));
    assert_eq!(run.code, Some(4), "one is cut: {run:?}");
    let first = files(&folder.path("t"));
    let names: Vec<String> = first.keys().cloned().collect();
    let tables = Family::Changes.tables();
    let mut expected: Vec<String> = tables
        .iter()
        .map(|table| format!("{}/dt=2026-11-28/part-1-of-1.parquet", table.name))
        .collect();
    expected.sort_unstable();
    assert_eq!(names, expected, "no other file, and no name of an input");
    // In the same folder, nothing is left to do but the tables.
    folder.run(&format!("batch {RULE} p --out out {DAY}"));
    assert!(files(&folder.path("t")) == first);
    // Another folder, and other inputs before.
    folder.run(&format!("batch {RULE} p/same.json p/b.json --out resumed -j 1"));
    folder.run(&format!("batch {RULE} p --out resumed {DAY} --fail-fast -j 1"));
    folder.run(&format!("batch {RULE} p --out resumed --tables t2 --date 2026-11-28"));
    assert!(files(&folder.path("t2")) == first);
    assert!(files(&folder.path("t")) == first);
}

#[test]
fn every_plan_is_a_row_with_its_status() {
    let folder = plans();
    folder.write("p/a2.json", "{");
    folder.run(&format!("batch {RULE} p gone.json --out out {DAY}"));
    let path = |table: &str| folder.path(&format!("t/{table}/dt=2026-11-28/part-1-of-1.parquet"));
    let column = |name: &str| texts(&path("plans"), name);
    let (sources, statuses) = (column("source"), column("status"));
    let rows = sources.into_iter().flatten().zip(statuses.into_iter().flatten());
    let mut rows: Vec<String> = rows.map(|(source, status)| format!("{source} {status}")).collect();
    rows.sort_unstable();
    let mut expected = states(&report(&folder));
    expected.sort_unstable();
    assert_eq!(rows, expected);
    let errors: Vec<String> = column("error").into_iter().flatten().collect();
    let cut = errors.iter().filter(|error| error.starts_with("byte 900, at resource_"));
    assert_eq!((errors.len(), cut.count()), (3, 1), "{errors:?}");
    let workspaces = texts(&path("resource_changes"), "workspace");
    assert!(workspaces.is_sorted(), "{workspaces:?}");
    let lines = records(&folder).into_values().flatten().collect::<Vec<u8>>();
    let lines = String::from_utf8(lines).expect("text");
    let kinds = [r#"{"kind":"resource_change""#, r#"{"kind":"deferred_change""#];
    let changes = lines.lines().filter(|line| kinds.iter().any(|kind| line.starts_with(kind)));
    assert_eq!(workspaces.len(), changes.count());
}

#[test]
fn shards_have_the_rows_of_one_run() {
    let folder = plans();
    folder.run(&format!("batch {RULE} p --out out --tables one --date 2026-11-28"));
    for shard in 1..=3 {
        folder.run(&format!("batch {RULE} p --shard {shard}/3 --out out{shard} {DAY}"));
    }
    let (one, three) = (rows(&folder.path("one")), rows(&folder.path("t")));
    assert!(one.len() > 10 && one == three, "{one:#?}\n{three:#?}");
    let refused = folder.run(&format!("batch {RULE} p --out again {DAY}"));
    assert_eq!(refused.code, Some(64), "{refused:?}");
    assert!(refused.err.contains("part-1-of-3.parquet: this file comes"), "{}", refused.err);
    assert!(!folder.path("again").exists());
}

#[test]
fn a_run_removes_the_unfinished_files_of_its_part() {
    let folder = plans();
    let day = "t/plans/dt=2026-11-28";
    std::fs::create_dir_all(folder.path(day)).expect("a folder");
    let other = ".plansift-part-2-of-3.parquet-a";
    for name in [other, ".plansift-part-1-of-3.parquet-b", ".plansift-part-1-of-3.parquet-c"] {
        folder.write(&format!("{day}/{name}"), "cut");
    }
    folder.run(&format!("batch {RULE} p --shard 1/3 --out out {DAY}"));
    assert_eq!(files_of(&folder.path(day)), [other, "part-1-of-3.parquet"]);
}

#[test]
fn the_default_date_is_today_in_utc() {
    let folder = plans();
    let before = Day::today();
    folder.run("batch p/a.json --out out --tables some/where");
    let days = [before, Day::today()].map(|day| format!("dt={day}"));
    let found = files_of(&folder.path("some/where/plans"));
    assert!(found.len() == 1 && days.contains(&found[0]), "{found:?}");
}

#[test]
fn wrong_options_and_stopped_runs_write_no_tables() {
    let folder = plans();
    for (options, words) in [
        ("--tables t --format csv", "--tables reads the records as NDJSON: leave out --format"),
        ("--tables t --date 2026-02-30", "--date 2026-02-30: this is not a day"),
        ("--date 2026-02-28", "--tables <DIR>"),
    ] {
        let run = folder.run(&format!("batch p --out out {options}"));
        assert!(run.code == Some(64) && run.err.contains(words), "{run:?}");
        assert!(!folder.path("out").exists());
    }
    let run = folder.run("batch p --out out --fail-fast -j 1 --tables t");
    assert!(run.code == Some(1) && !folder.path("t").exists(), "{run:?}");
    folder.write("file", "");
    let run = folder.run("batch p/a.json --out out --tables file");
    assert!(run.code == Some(1) && run.err.contains("file"), "{run:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn killed_runs_leave_only_complete_files() {
    use super::kills;
    let folder = kills::estate();
    let arguments: Vec<&str> = DAY.split(' ').collect();
    let started = Instant::now();
    let output = kills::start(&folder, &arguments).wait_with_output().expect("it ends");
    let whole = started.elapsed();
    assert!(output.status.success(), "{output:?}");
    let expected = files(&folder.path("t"));
    let mut moments = kills::Moments(u64::from(std::process::id()));
    for _ in 0..kills::count(5) {
        for name in ["out", "t"] {
            std::fs::remove_dir_all(folder.path(name)).expect("it is there");
        }
        for is_last in [false, false, true] {
            let mut child = kills::start(&folder, &arguments);
            if !is_last {
                std::thread::sleep(moments.next(whole));
                child.kill().expect("it is a child");
            }
            child.wait().expect("it ends");
            let mut found = files(&folder.path("t"));
            // The last run removes the unfinished files of the runs before.
            found.retain(|path, _| is_last || path.ends_with(".parquet"));
            let is_whole = found.iter().all(|(path, content)| expected.get(path) == Some(content));
            assert!(is_whole && (!is_last || found.len() == expected.len()));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn killed_shards_have_the_rows_of_one_run() {
    use super::kills;
    const KILLS: usize = 2;
    let folder = kills::estate();
    let started = Instant::now();
    let run = folder.run("batch p -q --out out --tables one --date 2026-11-28");
    let (whole, expected) = (started.elapsed(), rows(&folder.path("one")));
    assert!(run.code == Some(0) && expected.len() > 10_000, "{} rows", expected.len());
    let merged = folder.run("merge out").out;
    // Runs a shard until it ends, and returns how many of its runs were killed.
    let run_shard = |shard: u64, seed: u64| {
        let options = format!("--shard {shard}/3 --out out{shard} {DAY}");
        let options: Vec<&str> = options.split(' ').collect();
        let mut moments = kills::Moments(seed);
        for killed in 0.. {
            let mut child = kills::start(&folder, &options);
            if killed < KILLS {
                std::thread::sleep(moments.next(whole));
                child.kill().expect("it is a child");
            }
            let output = child.wait_with_output().expect("it ends");
            assert!(output.stderr.is_empty(), "{output:?}");
            if output.status.success() {
                return killed;
            }
        }
        unreachable!("the loop ends with a run that is not killed");
    };
    let (run_shard, mut killed, rounds) = (&run_shard, 0, kills::count(3));
    for round in 0..rounds {
        killed += std::thread::scope(|scope| {
            let seed = u64::from(std::process::id()) << 32 | u64::from(round) << 8;
            let shards = [1, 2, 3].map(|it| scope.spawn(move || run_shard(it, seed + it)));
            shards.map(|shard| shard.join().expect("no panic")).iter().sum::<usize>()
        });
        assert!(rows(&folder.path("t")) == expected, "round {round}");
        assert_eq!(folder.run("merge out1 out2 out3").out, merged);
        for name in ["out1", "out2", "out3", "t"] {
            std::fs::remove_dir_all(folder.path(name)).expect("it is there");
        }
    }
    println!("{rounds} rounds, {killed} runs of shards were killed");
    assert!(killed > 0);
}
