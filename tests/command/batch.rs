//! `plansift batch` and `plansift merge`: record files, reports, and what a rerun does.

mod assertions;
#[cfg(target_os = "linux")]
mod failures;
#[cfg(target_os = "linux")]
mod impostors;
#[cfg(target_os = "linux")]
mod kills;
mod merge;
#[cfg(target_os = "linux")]
mod signals;
mod since;
#[cfg(feature = "tables")]
mod tables;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{Folder, Run};
use crate::hostile::sample::{self, PLAN};
use crate::run;

/// Names each workspace by its file name, whatever other inputs exist.
const RULE: &str = "--workspace-from {workspace}.json";

/// Creates plans of four workspaces in `p`; one of them is truncated.
fn plans() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("p")).expect("a folder");
    folder.write("p/a.json", PLAN);
    folder.write("p/b.json", sample::of_changes(3, sample::create));
    folder.write("p/cut.json", &PLAN[..900]);
    folder.write("p/same.json", sample::update("{}", "{}").replace("update", "no-op"));
    folder
}

/// The files of a folder, by name, with their contents.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = folder.read_dir().expect("a folder");
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let entry = entry.expect("an entry");
        let content = std::fs::read(entry.path()).expect("a file");
        (entry.file_name().to_string_lossy().into_owned(), content)
    };
    entries.map(file).collect()
}

fn records(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    files(&folder.path("out/records"))
}

/// The rows of the report in the output folder.
fn report(folder: &Folder) -> Vec<Value> {
    rows(&std::fs::read_to_string(folder.path("out/report.ndjson")).expect("a report"))
}

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Source and status of each plan.
fn states(rows: &[Value]) -> Vec<String> {
    let plans = rows.iter().filter(|row| row["kind"] == "plan");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    plans.map(|row| format!("{} {}", text(&row["source"]), text(&row["status"]))).collect()
}

/// Asserts that no temporary file of an unfinished run is left.
fn assert_nothing_unfinished(folder: &Folder) {
    let names: Vec<String> = files_of(&folder.path("out"));
    assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
}

fn files_of(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn record_files_equal_the_output_of_changes() {
    for form in ["ndjson", "json", "csv", "csv --csv-raw", "ndjson --all", "ndjson --no-mmap"] {
        let folder = plans();
        let run = folder.run(&format!("batch {RULE} --format {form} --out out p"));
        assert_eq!(run.code, Some(4), "one is cut: {run:?}");
        let written = records(&folder);
        assert_eq!(written.len(), 3, "{:?}", written.keys());
        for name in ["a", "b", "same"] {
            let expected = folder.run(&format!("changes {RULE} --format {form} p/{name}.json")).out;
            let extension = form.split(' ').next().expect("a form");
            let content = &written[&format!("p~{name}.json.{extension}")];
            assert_eq!(String::from_utf8_lossy(content), expected, "{name} as {form}");
        }
        assert_nothing_unfinished(&folder);
        assert_eq!(files_of(&folder.path("out")), ["journal", "lock", "records", "report.ndjson"]);
    }
}

#[cfg(not(feature = "tables"))]
#[test]
fn a_build_without_tables_refuses_them() {
    let folder = plans();
    for command in ["batch p --out out --tables t", "changes p --format parquet -o t"] {
        let run = folder.run(command);
        assert!(run.code == Some(64) && run.err.contains("--features tables"), "{run:?}");
        assert_eq!(folder.names(), ["p"]);
    }
}

#[test]
fn batch_prints_the_same_table_as_summary() {
    let folder = plans();
    for options in ["", " --group-by type --sort name", " --top 1"] {
        let summary = folder.run(&format!("summary{options} p"));
        let batch = folder.run(&format!("batch{options} p --out out"));
        assert_eq!((batch.code, &batch.out), (summary.code, &summary.out), "{options}");
        let said = |run: &Run| run.err.lines().last().map(str::to_owned);
        assert_eq!(said(&batch), said(&summary), "what is cut is named");
        assert_eq!(folder.run(&format!("merge{options} out")).out, summary.out);
    }
    let table = folder.run("batch p --out out -o page");
    assert_eq!((table.code, table.out.as_str()), (Some(4), ""));
    let written = std::fs::read_to_string(folder.path("page")).expect("the table");
    assert_eq!(written, folder.run("summary p").out);
}

#[test]
fn the_report_has_a_row_for_each_plan_and_one_for_all() {
    let folder = plans();
    folder.run("batch p no-such-file.json --out out");
    let rows = report(&folder);
    assert_eq!(
        states(&rows),
        [
            "p/a.json done",
            "p/b.json done",
            "p/cut.json failed",
            "p/same.json done",
            "no-such-file.json failed"
        ]
    );
    let summary = folder.run("changes p/a.json").out;
    let mut summary: Value =
        serde_json::from_str(summary.lines().last().expect("a record")).expect("JSON");
    summary.as_object_mut().expect("an object").remove("kind");
    assert_eq!(rows[0]["summary"], summary);
    assert_eq!(rows[0]["records"], "records/p~a.json.ndjson");
    assert!(folder.path("out/records/p~a.json.ndjson").is_file());
    let error = rows[2]["error"].as_str().expect("an error");
    assert!(error.starts_with("byte 900, at resource_"), "{error}");
    let changes: Vec<&Value> = rows.iter().map(|row| &row["has_changes"]).collect();
    assert_eq!(changes[..2], [true, true]);
    assert_eq!(changes[3], false);
    let fleet = rows.last().expect("the last row");
    for (key, expected) in
        [("inputs", 5), ("plans", 3), ("failed", 2), ("pending", 0), ("changed", 2)]
    {
        assert_eq!(fleet[key], expected, "{key}");
    }
    assert_eq!((&fleet["kind"], &fleet["complete"]), (&"fleet".into(), &true.into()));
    assert_eq!(fleet["terraform"]["add"], 5, "{fleet}");
}

#[test]
fn report_rows_match_their_schema() {
    let output = run::plansift().args(["schema", "--of", "report"]).output().expect("it starts");
    let schema: Value = serde_json::from_slice(&output.stdout).expect("a schema is JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("a schema of its draft");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let folder = plans();
    let rich = run::root().join("corpus/plans");
    folder.run(&format!("batch p {} --out out", rich.display()));
    let mut rows = report(&folder);
    assert!(rows.len() > 40, "{}", rows.len());
    folder.run("batch p/a.json p/b.json p/same.json --out part --shard 1/2");
    folder.write("p/a.json", "");
    let partial = folder.run("merge part --partial --format ndjson");
    rows.extend(self::rows(&partial.out));
    for row in rows {
        assert!(validator.is_valid(&row), "{row}");
        let mut more = row.clone();
        more["value"] = "x".into();
        assert!(!validator.is_valid(&more), "{more}");
    }
}

#[test]
fn several_plans_of_an_input_are_in_one_file() {
    let folder = Folder::new();
    let line = |name: &str| sample::of_changes(1, sample::create).replace("a.n", name);
    let (one, cut) = (line("a.one"), line("a.cut"));
    folder.write("many.json", format!("{one}\n{}\n{}\n", line("a.two"), line("a.three")));
    folder.write("broken.json", format!("{one}\n{}\n{}\n", &cut[..cut.len() - 9], line("a.four")));
    let run = folder.run(&format!("batch {RULE} many.json broken.json --out out"));
    assert_eq!(run.code, Some(4), "{run:?}");
    for name in ["many", "broken"] {
        let written = &records(&folder)[&format!("{name}.json.ndjson")];
        let expected = folder.run(&format!("changes {RULE} {name}.json"));
        assert_eq!(String::from_utf8_lossy(written), expected.out);
        for line in expected.err.lines() {
            assert!(run.err.contains(line), "{line} is not in {}", run.err);
        }
    }
    assert_eq!(
        states(&report(&folder)),
        [
            "many.json done",
            "many.json#2 done",
            "many.json#3 done",
            "broken.json done",
            "broken.json#2 failed",
            "broken.json#3 done"
        ]
    );
}

#[test]
fn an_input_has_not_more_plans_than_the_limit() {
    let folder = Folder::new();
    folder.write("many.json", format!("{}\n", sample::of_changes(1, sample::create)).repeat(5));
    let run = folder.run("batch many.json --limit-plans 3 --out out");
    assert_eq!(run.code, Some(4), "{run:?}");
    let expected = ["many.json done", "many.json#2 done", "many.json#3 done", "many.json#4 failed"];
    assert_eq!(states(&report(&folder)), expected);
    assert!(run.err.contains("many.json#4: number of plans in"), "{}", run.err);
    assert!(run.err.contains("raise it with --limit-plans"), "{}", run.err);
    assert_eq!(folder.run("batch many.json --limit-plans 5 --out out").code, Some(0));
    assert_eq!(folder.run("changes many.json --limit-plans 3").code, Some(0), "kept by nobody");
}

#[test]
fn no_secret_is_in_any_file() {
    let folder = plans();
    folder.write("p/broken.json", PLAN.replace(r#""token":"hush"}"#, r#""token":"hush"]"#));
    assert!(PLAN.contains("hush"));
    for form in ["ndjson", "csv"] {
        folder.run(&format!("batch p --all --format {form} --out {form}"));
        let (out, records) = (folder.path(form), folder.path(&format!("{form}/records")));
        for path in files_of(&out)
            .into_iter()
            .map(|name| out.join(name))
            .chain(files_of(&records).into_iter().map(|name| records.join(name)))
        {
            if path.is_file() {
                let text = std::fs::read_to_string(&path).expect("a text");
                assert!(!text.contains("hush") && !text.contains("\"p1\""), "{}", path.display());
            }
        }
    }
}

/// Identifies one version of a file; a rewritten file has another.
#[cfg(unix)]
fn identities(folder: &Folder) -> BTreeMap<String, (u64, i64, i64)> {
    use std::os::unix::fs::MetadataExt;
    let path = folder.path("out/records");
    let identity = |name: String| {
        let there = path.join(&name).metadata().expect("a file");
        (name, (there.ino(), there.mtime(), there.mtime_nsec()))
    };
    files_of(&path).into_iter().map(identity).collect()
}

#[cfg(unix)]
#[test]
fn finished_inputs_are_skipped() {
    let folder = plans();
    let first = folder.run("batch p --out out");
    let before = identities(&folder);
    let again = folder.run("batch p --out out");
    assert_eq!((again.code, &again.out), (first.code, &first.out));
    assert!(again.err.starts_with("plansift: 3 inputs were done before\n"), "{}", again.err);
    assert_eq!(identities(&folder), before);
    // Adds one plan, removes one and changes one.
    folder.write("p/c.json", PLAN);
    folder.write("p/b.json", sample::of_changes(4, sample::create));
    std::fs::remove_file(folder.path("p/same.json")).expect("it is there");
    let third = folder.run("batch p --out out");
    assert!(third.err.contains("1 input was done before"), "{}", third.err);
    assert!(third.err.contains("1 input of an earlier run is no longer named"), "{}", third.err);
    let after = identities(&folder);
    for (name, is_same) in
        [("p~a.json.ndjson", true), ("p~b.json.ndjson", false), ("p~same.json.ndjson", true)]
    {
        assert_eq!(before[name] == after[name], is_same, "{name}");
    }
    let changes = folder.run("changes p/b.json").out.lines().count();
    let written = &records(&folder)["p~b.json.ndjson"];
    assert_eq!(String::from_utf8_lossy(written).lines().count(), changes);
    assert_eq!(third.out, folder.run("summary p").out);
}

#[test]
fn missing_and_failed_inputs_are_processed_again() {
    let folder = plans();
    folder.run("batch p --out out");
    let before = records(&folder);
    std::fs::remove_file(folder.path("out/records/p~a.json.ndjson")).expect("it is there");
    folder.write("out/records/p~b.json.ndjson", "torn");
    let run = folder.run("batch p --out out");
    assert!(run.err.contains("1 input was done before"), "{}", run.err);
    assert_eq!(records(&folder), before);
    // Completes the truncated plan and truncates a complete one.
    folder.write("p/cut.json", PLAN);
    folder.write("p/a.json", &PLAN[..900]);
    let run = folder.run("batch p --out out");
    assert_eq!(run.code, Some(4));
    let names: Vec<String> = records(&folder).into_keys().collect();
    assert_eq!(names, ["p~b.json.ndjson", "p~cut.json.ndjson", "p~same.json.ndjson"]);
    let expected = ["p/a.json failed", "p/b.json done", "p/cut.json done", "p/same.json done"];
    assert_eq!(states(&report(&folder)), expected);
}

#[test]
fn new_inputs_leave_finished_inputs_done() {
    let folder = plans();
    folder.run("batch p/a.json --out out");
    std::fs::create_dir(folder.path("q")).expect("a folder");
    folder.write("q/a.json", PLAN);
    let run = folder.run("batch p/a.json q/a.json --out out");
    assert!(run.err.contains("1 input was done before"), "{}", run.err);
    let text = String::from_utf8_lossy(&records(&folder)["p~a.json.ndjson"]).into_owned();
    assert!(text.contains(r#""workspace":"p/a""#), "{text}");
}

#[test]
fn inputs_with_a_new_workspace_are_processed_again() {
    let folder = plans();
    folder.run("batch p/a.json p/b.json --out out");
    let run = folder.run("batch p/a.json p/b.json --out out --workspace-from p/{workspace}.json");
    assert!(!run.err.contains("done before"), "{}", run.err);
    let text = String::from_utf8_lossy(&records(&folder)["p~a.json.ndjson"]).into_owned();
    assert!(text.contains(r#""workspace":"a""#), "{text}");
}

#[test]
fn a_folder_accepts_only_its_own_options() {
    let folder = plans();
    folder.run("batch p --out out --format csv");
    let before = records(&folder);
    for (options, option) in [
        ("", "--format"),
        ("--format json", "--format"),
        ("--format csv --csv-raw", "--format"),
        ("--format csv --all", "--all"),
        ("--format csv --strict", "--strict"),
        ("--format csv --shard 1/2", "--shard"),
    ] {
        let run = folder.run(format!("batch p {options} --out out").replace("  ", " ").as_str());
        assert_eq!(run.code, Some(1), "{options}: {run:?}");
        let expected = format!("out: this folder was made with another value of {option}: ");
        assert!(run.err.contains(&expected), "{options}: {}", run.err);
    }
    assert_eq!(records(&folder), before);
    assert_eq!(folder.run("batch p -j 1 --out out --format csv --limit-depth 99").code, Some(4));
}

#[test]
fn a_folder_accepts_only_the_schemas_that_it_began_with() {
    let folder = Folder::new();
    let copy = |from: &str, to: &str| {
        let from = run::root().join("corpus/planfiles").join(from);
        std::fs::copy(from, folder.path(to)).expect("a file");
    };
    copy("create/plan.tfplan", "a.tfplan");
    copy("schemas.json", "one.json");
    copy("schemas.json", "same.json");
    folder.write("other.json", r#"{"format_version":"1.0","provider_schemas":{}}"#);
    std::fs::create_dir(folder.path("cache")).expect("a folder");
    let key = folder.run("show --schema-key a.tfplan").out;
    let refused = |out: &str, options: &str, option: &str| {
        let run = folder.run(format!("batch a.tfplan {options} --out {out}").as_str());
        let expected = format!("{out}: this folder was made with another value of {option}: ");
        assert_eq!(run.code, Some(1), "{options}: {run:?}");
        assert!(run.err.contains(&expected), "{options}: {}", run.err);
    };
    let accepted = |out: &str, options: &str| {
        let run = folder.run(format!("batch a.tfplan {options} --out {out}").as_str());
        assert_eq!(run.code, Some(0), "{options}: {run:?}");
        run.err
    };
    accepted("named", "--schemas one.json");
    refused("named", "-q", "--schemas");
    refused("named", "--schemas other.json", "--schemas");
    refused("named", "--schemas one.json --schemas other.json", "--schemas");
    refused("named", "--schemas one.json --schema-cache cache", "--schema-cache");
    assert!(accepted("named", "--schemas same.json").contains("1 input was done before"));
    accepted("cached", "--schema-cache cache");
    folder.write("cache/notes.txt", "not a file of schemas");
    assert!(accepted("cached", "--schema-cache cache").contains("1 input was done before"));
    copy("schemas.json", &format!("cache/{}", key.trim_end()));
    refused("cached", "--schema-cache cache", "--schema-cache");
    refused("cached", "--schemas one.json", "--schemas");
    accepted("plain", "-q");
    refused("plain", "--schemas one.json", "--schemas");
}

#[test]
fn foreign_folders_are_refused() {
    let folder = plans();
    for content in ["p", "out"] {
        let _ = std::fs::create_dir(folder.path(content));
        folder.write(&format!("{content}/records"), "mine");
        let before = files_of(&folder.path(content));
        let run = folder.run(&format!("batch p/a.json --out {content}"));
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains("was not made by `plansift batch`"), "{}", run.err);
        let kept = std::fs::read_to_string(folder.path(&format!("{content}/records")));
        assert_eq!(kept.expect("it is there"), "mine");
        assert_eq!(files_of(&folder.path(content)), before);
    }
    assert_eq!(folder.run("batch p/a.json --out p/a.json").code, Some(64));
    for args in [
        "batch p",
        "batch --out",
        "batch p --out o --jobs 0",
        "batch p --out o -s 1/2",
        "batch p --out o --shard 2/1",
        "batch p --out o --memory lots",
        "merge",
        "batch p --out o --jobs 2 --threads 2",
    ] {
        assert_eq!(folder.run(args).code, Some(64), "{args}");
    }
}

#[test]
fn a_journal_may_be_torn_at_its_end_only() {
    let folder = plans();
    let first = folder.run("batch p --out out");
    let (before, path) = (records(&folder), folder.path("out/journal"));
    let journal = std::fs::read(&path).expect("a journal");
    let last = journal[..journal.len() - 1].iter().rposition(|&byte| byte == b'\n').expect("lines");
    for cut in [journal.len() - 1, journal.len() - 5, last + 30, last + 2, last + 1] {
        std::fs::write(&path, &journal[..cut]).expect("it is written");
        let run = folder.run("batch p --out out");
        assert_eq!((run.code, &run.out), (first.code, &first.out), "{cut}: {}", run.err);
        assert_eq!(records(&folder), before);
    }
    // The last group: a line that begins it, and the last outcomes.
    let outcomes = journal.windows(10).rposition(|window| window == b"\"outcomes\"").expect("one");
    let group = journal[..outcomes].iter().rposition(|&byte| byte == b'\n').expect("lines");
    for at in [3, 40, 150, group - 3, group + 3, last - 3] {
        let line = 1 + journal[..at].iter().filter(|&&byte| byte == b'\n').count();
        let mut damaged = journal.clone();
        damaged[at] ^= 1;
        damaged.extend_from_slice(&journal[group + 1..]);
        std::fs::write(&path, &damaged).expect("it is written");
        for args in ["batch p --out out", "merge out"] {
            let run = folder.run(args);
            assert_eq!(run.code, Some(1), "{args} at {at}: {run:?}");
            assert!(run.err.contains("the journal of this folder is damaged"), "{}", run.err);
            let place = format!("; damaged at line {line}\n");
            assert!(run.err.ends_with(&place), "{args} at {at}: {}", run.err);
        }
    }
}

#[test]
fn fail_fast_ends_the_batch_at_the_first_failure() {
    let folder = plans();
    let run = folder.run("batch no-such-file.json p/a.json p/b.json -j 1 --fail-fast --out out");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("the same command goes on from here"), "{}", run.err);
    let fleet = report(&folder).pop().expect("a row");
    assert_eq!(
        (&fleet["failed"], &fleet["complete"]),
        (&1.into(), &(fleet["pending"] == 0).into())
    );
    let run = folder.run("batch no-such-file.json p/a.json p/b.json -j 1 --out out");
    assert_eq!(run.code, Some(4), "{run:?}");
    assert_eq!(records(&folder).len(), 2);
}

#[test]
fn batches_have_the_exit_codes_of_other_commands() {
    let folder = plans();
    for (number, (args, code)) in [
        ("p/a.json p/same.json", 0),
        ("p/a.json p/same.json --detailed-exitcode", 2),
        ("p/same.json --detailed-exitcode", 0),
        ("p/cut.json", 1),
        ("p/cut.json p/a.json --detailed-exitcode", 4),
        ("no-such-folder/*.json", 1),
    ]
    .into_iter()
    .enumerate()
    {
        // First while the batch does the work, then when a rerun skips it.
        for _ in 0..2 {
            let run = folder.run(&format!("batch {args} --out out{number}"));
            assert_eq!(run.code, Some(code), "{args}: {run:?}");
        }
        let more =
            if args.contains("--detailed") { "--detailed-exitcode" } else { "--color=never" };
        assert_eq!(folder.run(&format!("merge out{number} {more}")).code, Some(code), "{args}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_unicode_stay_distinct() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let names = [b"\xfe.json", b"\xff.json"].map(|name| std::ffi::OsStr::from_bytes(name));
    let mut command = run::plansift();
    command.current_dir(folder.0.path()).args(["batch", "--out", "out"]);
    for (changes, name) in (1..).zip(names) {
        let plan = sample::of_changes(changes, sample::create);
        std::fs::write(folder.0.path().join(name), plan).expect("a file");
        command.arg(name);
    }
    let run = Run::of(&command.output().expect("it runs"));
    assert_eq!(run.code, Some(0), "{run:?}");
    let lines =
        |(name, content): (String, Vec<u8>)| (name, content.split(|&it| it == b'\n').count());
    let expected = [("%fe.json.ndjson", 4), ("%ff.json.ndjson", 5)];
    let expected = expected.map(|(name, lines)| (name.to_owned(), lines));
    assert_eq!(records(&folder).into_iter().map(lines).collect::<Vec<_>>(), expected);
}

#[test]
fn standard_input_is_always_processed_again() {
    let folder = Folder::new();
    let args = format!("batch - --out {}", folder.path("out").display());
    for changes in [2, 5] {
        let plan = sample::of_changes(changes, sample::create);
        let run = Run::piped(&args, &plan);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
        let written = String::from_utf8_lossy(&records(&folder)["%2d.ndjson"]).into_owned();
        let alone = Run::piped("changes -", &plan).out;
        assert_eq!(
            written,
            alone.replacen(r#""source":"-""#, r#""source":"-","workspace":"-""#, 1)
        );
    }
}

#[test]
fn inputs_named_twice_are_processed_once() {
    let folder = plans();
    let run = folder.run("batch p/a.json p/a.json ./p/a.json --out out");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(states(&report(&folder)), ["p/a.json done"]);
    assert_eq!(records(&folder).len(), 1);
    assert!(run.err.contains("inputs named more than once, and read once: 2"), "{}", run.err);
}

#[test]
fn names_do_not_lead_out_of_the_folder() {
    let folder = plans();
    std::fs::create_dir_all(folder.path("run/up")).expect("a folder");
    let long = format!("{}.json", "x".repeat(240));
    for name in ["Case.json", "case.json", "con.json", "a b.json", "-x.json", &long] {
        folder.write(&format!("run/{name}"), PLAN);
    }
    let absolute = folder.path("p/a.json");
    let args = format!(
        "batch ../p/a.json up/../../p/b.json {} Case.json case.json con.json ./-x.json {long} \
         --out out",
        absolute.display()
    );
    let mut command = run::plansift();
    command.current_dir(folder.path("run")).args(args.split(' '));
    let run = Run::of(&command.output().expect("it runs"));
    assert_eq!(run.code, Some(0), "{run:?}");
    let names = files_of(&folder.path("run/out/records"));
    assert_eq!(names.len(), 8, "{names:?}");
    let mut lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    lower.dedup();
    assert_eq!(lower.len(), 8, "different also where case is not told apart");
    assert!(names.iter().all(|name| name.len() <= 200 && !name.starts_with(['.', '-'])));
    assert!(names.iter().any(|name| name == "%63on.json.ndjson"), "{names:?}");
    assert_eq!(files_of(folder.0.path()), ["p", "run"]);
}

#[test]
fn plans_in_one_input_count_like_plans_in_many_inputs() {
    let folder = Folder::new();
    let plans: Vec<String> = (1..40)
        .map(|number| sample::of_changes(number, sample::create).replace("\n", ""))
        .map(|plan| plan.replace("\"type\":\"", "\"type\":\"x"))
        .collect();
    std::fs::create_dir(folder.path("many")).expect("a folder");
    for (number, plan) in plans.iter().enumerate() {
        folder.write(&format!("many/{number:02}.json"), plan);
    }
    folder.write("one.json", plans.join("\n"));
    let mut fleets = ["many", "one.json"].map(|inputs| {
        let run = folder.run(&format!("batch {inputs} --out out-{}", inputs.len()));
        assert_eq!(run.code, Some(0), "{run:?}");
        let report = folder.path(&format!("out-{}/report.ndjson", inputs.len()));
        let report = rows(&std::fs::read_to_string(report).expect("a report"));
        report.last().expect("a row of all").clone()
    });
    for fleet in &mut fleets {
        let fleet = fleet.as_object_mut().expect("an object");
        // The bytes between plans count, too.
        fleet.retain(|key, _| key != "inputs" && key != "bytes");
    }
    assert_eq!(fleets[0], fleets[1]);
    assert!(fleets[0]["types"][0]["plans"].as_u64() > Some(10), "{}", fleets[0]);
}
