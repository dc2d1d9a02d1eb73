//! Output formats, and output files that are written completely or not at all.

use std::io::{self, Write};

use plansift::error::ErrorKind;
use plansift::input::Slice;
use plansift::record::RecordOptions;
use plansift::report::csv::{Csv, Formulas};
use plansift::report::screen::Screen;
use plansift::report::summary::View;
use plansift::sink::Sink;
use plansift::sink::json::Json;
use plansift::sink::ndjson::Ndjson;
use serde_json::Value;

use super::{Folder, Run};
use crate::hostile::sample::{self, PLAN};
use crate::run;

#[test]
fn json_output_is_one_array_of_the_ndjson_records() {
    let folder = Folder::of_plans();
    for inputs in ["plan.json", "plan.json same.json", "plan.json cut.json", "--all plan.json"] {
        let lines = folder.run(&format!("changes {inputs}")).out;
        let lines: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let array = folder.run(&format!("changes --format json {inputs}")).out;
        let array: Vec<Value> = serde_json::from_str(&array).expect("one array");
        assert!(array == lines && array.len() > 4, "{inputs}");
    }
}

/// The rows of a CSV text, with the column names of its header.
fn rows(text: &str) -> Vec<Vec<(String, String)>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let row = |row: csv::StringRecord| {
        assert_eq!(row.len(), header.len());
        let cells = header.iter().zip(row.iter());
        cells.map(|(name, cell)| (name.to_owned(), cell.to_owned())).collect()
    };
    reader.records().map(|record| row(record.expect("a row"))).collect()
}

fn cell<'a>(row: &'a [(String, String)], column: &str) -> &'a str {
    &row.iter().find(|(name, _)| name == column).expect("the column").1
}

#[test]
fn csv_has_a_row_for_each_record() {
    let folder = Folder::of_plans();
    let lines = folder.run("changes plan.json same.json").out;
    let rows = rows(&folder.run("changes --format csv plan.json same.json").out);
    assert_eq!(rows.len(), lines.lines().count());
    for (row, line) in rows.iter().zip(lines.lines()) {
        let record: Value = serde_json::from_str(line).expect("JSON");
        for column in ["kind", "address", "action", "type", "action_reason", "format_version"] {
            let expected = record[column].as_str().unwrap_or_default();
            assert_eq!(cell(row, column), expected, "{line}");
        }
        let changed = record["changed"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let changed: Vec<&str> =
            changed.map(|path| if path.is_empty() { "." } else { path }).collect();
        if record["kind"] != "summary" {
            assert_eq!(cell(row, "changed"), changed.join("\n"), "{line}");
        }
    }
    assert!(rows.iter().any(|row| cell(row, "changed").contains('\n')), "a cell of two lines");
    let sources: Vec<&str> = rows.iter().map(|row| cell(row, "source")).collect();
    assert!(sources.contains(&"plan.json") && sources.contains(&"same.json"));
}

#[test]
fn csv_quotes_commas_and_quotes_and_escapes_line_breaks() {
    let plan = sample::of_changes(1, |_| {
        r#"{"address":"a.b[\"x,\\\"y\\n\"]","type":"a, \"b\"\r\nc",
        "change":{"actions":["create"]}}"#
            .to_owned()
    });
    let rows = rows(&Run::piped("changes --format csv", plan).out);
    assert_eq!(rows.len(), 3);
    assert_eq!(cell(&rows[1], "address"), r#"a.b["x,\"y\n"]"#);
    assert_eq!(cell(&rows[1], "type"), r#"a, "b"\r\nc"#);
}

#[test]
fn csv_has_no_formulas_unless_asked_for() {
    for start in ["=", "+", "-", "@", " =", "  @", "\\u00a0+", "\\u3000="] {
        let plan = sample::of_changes(1, |_| {
            format!(
                r#"{{"address":"{start}HYPERLINK(1)","module_address":"{start}x",
                "change":{{"actions":["create"]}}}}"#
            )
        });
        let address: String =
            serde_json::from_str(&format!("\"{start}HYPERLINK(1)\"")).expect("a string");
        let safe = rows(&Run::piped("changes --format csv", &plan).out);
        assert_eq!(cell(&safe[1], "address"), format!("'{address}"));
        assert!(cell(&safe[1], "module_address").starts_with('\''));
        let raw = rows(&Run::piped("changes --format csv --csv-raw", &plan).out);
        assert_eq!(cell(&raw[1], "address"), address);
    }
}

#[test]
fn csv_escapes_control_characters_with_csv_raw_too() {
    let plan = sample::of_changes(1, |_| {
        r#"{"address":"\t=1","type":"\r\n@a","change":{"actions":["create"]}}"#.to_owned()
    });
    for args in ["changes --format csv", "changes --format csv --csv-raw"] {
        let rows = rows(&Run::piped(args, &plan).out);
        assert_eq!(cell(&rows[1], "address"), r"\t=1");
        assert_eq!(cell(&rows[1], "type"), r"\r\n@a");
    }
}

#[test]
fn csv_has_no_formulas_in_lists() {
    let plan = sample::of_changes(1, |_| {
        r#"{"address":"a.b","change":{"actions":["=1+1"],"before":{"k":1},"after":{"k":2}}}"#.into()
    });
    for row in rows(&Run::piped("changes --format csv --all", plan).out) {
        for (column, cell) in row {
            assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{column}: {cell}");
        }
    }
    // The name of the input may be hostile, too.
    let folder = Folder::new();
    folder.write("=x.json", PLAN);
    let rows = rows(&folder.run("changes --format csv =x.json").out);
    assert!(rows.iter().all(|row| cell(row, "source") == "'=x.json"));
}

#[test]
fn an_output_file_equals_standard_output() {
    let folder = Folder::of_plans();
    for command in ["changes", "changes --format json", "changes --format csv", "summary"] {
        let printed = folder.run(&format!("{command} plan.json"));
        let run = folder.run(&format!("{command} --output out plan.json"));
        assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
        let written = std::fs::read_to_string(folder.path("out")).expect("the output");
        assert_eq!(written, printed.out, "{command}");
    }
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = Folder::of_plans();
    folder.write("out", "before");
    let names = folder.names();
    for args in [
        "changes -o out cut.json",
        "changes -o out no-such-file.json cut.json",
        "summary -o out cut.json",
        "changes -o out --limit-depth 3 plan.json",
        "changes -o new cut.json",
        "changes -o folder/out plan.json",
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(1), "{args}: {run:?}");
        assert_eq!(std::fs::read_to_string(folder.path("out")).expect("it is there"), "before");
        assert_eq!(folder.names(), names, "{args}: nothing is left behind");
    }
    let run = folder.run("changes -o out cut.json plan.json");
    assert_eq!(run.code, Some(4), "the others are done");
    let written = std::fs::read_to_string(folder.path("out")).expect("the output");
    assert_eq!(Run { out: written, ..run }.count("summary"), 1);
    assert_eq!(folder.names(), names);
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = Folder::of_plans();
    let names = folder.names();
    for args in [
        "changes -o plan.json plan.json",
        "summary -o ./plan.json same.json plan.json",
        #[cfg(unix)]
        "changes -o link plan.json",
    ] {
        #[cfg(unix)]
        let _ = std::os::unix::fs::symlink("plan.json", folder.path("link"));
        let run = folder.run(args);
        assert_eq!(run.code, Some(64), "{args}: {run:?}");
        assert!(run.err.contains("this is an input: name another file"), "{}", run.err);
        let content = std::fs::read_to_string(folder.path("plan.json")).expect("the input");
        assert_eq!(content, PLAN, "{args}");
    }
    assert!(folder.names().iter().all(|name| name == "link" || names.contains(name)));
}

#[cfg(unix)]
#[test]
fn dangling_links_stay_links() {
    use std::os::unix::fs::symlink;
    let folder = Folder::of_plans();
    std::fs::create_dir(folder.path("deep")).expect("a folder");
    symlink("deep/second", folder.path("first")).expect("a link");
    symlink("../target", folder.path("deep/second")).expect("a link");
    symlink("circle", folder.path("circle")).expect("a link");
    symlink("no/such/folder/out", folder.path("astray")).expect("a link");
    let expected = folder.run("changes plan.json").out;
    // The first run creates the target, the second replaces it.
    for _ in 0..2 {
        assert_eq!(folder.run("changes -o first plan.json").code, Some(0));
        assert!(folder.path("first").is_symlink() && folder.path("deep/second").is_symlink());
        assert_eq!(std::fs::read_to_string(folder.path("target")).expect("it"), expected);
    }
    for name in ["circle", "astray"] {
        let run = folder.run(&format!("changes -o {name} plan.json"));
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(folder.path(name).is_symlink());
    }
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_permissions_and_owner() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let folder = Folder::of_plans();
    folder.write("out", "before");
    let path = folder.path("out");
    // Only root may change the owner of a file; for other users it stays the same.
    let _ = chown(&path, Some(12_345), Some(54_321));
    // More permissions than a new file gets.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).expect("its mode");
    let state = || {
        let metadata = path.metadata().expect("it is there");
        (metadata.uid(), metadata.gid(), metadata.mode())
    };
    let before = state();
    assert_eq!(folder.run("changes -o out plan.json").code, Some(0));
    assert_eq!(state(), before);
    assert_ne!(std::fs::read_to_string(&path).expect("the output"), "before");
}

#[cfg(unix)]
#[test]
fn a_new_output_file_has_the_default_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::of_plans();
    let mode = |name: &str| folder.path(name).metadata().expect("it is there").permissions().mode();
    folder.run("changes -o out plan.json");
    assert_eq!(mode("out"), mode("plan.json"));
}

/// Starts a run in a shell that first executes `preparations`. The first of `outputs` is the
/// command, the others are output files. The run waits for the rest of its plan.
#[cfg(target_os = "linux")]
fn waiting(folder: &Folder, preparations: &str, outputs: &[&str]) -> std::process::Child {
    let mut command = std::process::Command::new("sh");
    let script = format!("{preparations} exec \"$0\" {} -", outputs.join(" -o "));
    command.args(["-c", &script]).arg(crate::run::plansift().get_program());
    command.current_dir(folder.0.path()).stdin(std::process::Stdio::piped());
    let child = command.spawn().expect("it starts");
    let unfinished = || folder.names().iter().filter(|name| name.starts_with(".plansift-")).count();
    while unfinished() + 1 < outputs.len() {
        std::thread::yield_now();
    }
    child
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_runs_leave_no_files() {
    use std::os::unix::process::ExitStatusExt;
    let folder = Folder::of_plans();
    folder.write("out", "before");
    let names = folder.names();
    let send = |signal: &str, child: &std::process::Child| {
        let mut kill = std::process::Command::new("kill");
        assert!(
            kill.args(["-s", signal, &child.id().to_string()]).status().expect("kill").success()
        );
    };
    // Child processes inherit ignored signals. If the tests started with a signal ignored (a
    // background job of a script), that signal ends no child.
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a mask");
    let ignored = u64::from_str_radix(ignored.trim(), 16).expect("a number");
    let signals = [("HUP", 1), ("INT", 2), ("TERM", 15)];
    let one = &["changes", "out"][..];
    let three = &["report", "markdown=out", "html=page", "json=fleet"][..];
    let not_ignored = signals.into_iter().filter(|(_, number)| ignored >> (number - 1) & 1 == 0);
    for ((signal, number), outputs) in not_ignored.flat_map(|it| [(it, one), (it, three)]) {
        let mut child = waiting(&folder, "", outputs);
        // Standard input stays open; otherwise the run might reach the end of its input first.
        let stdin = child.stdin.take();
        send(signal, &child);
        assert_eq!(child.wait().expect("it ends").signal(), Some(number));
        drop(stdin);
        assert_eq!(folder.names(), names, "{signal}");
        let out = std::fs::read_to_string(folder.path("out"));
        assert_eq!(out.expect("it is there"), "before");
    }
    // `nohup` also makes a program ignore HUP.
    let mut child = waiting(&folder, "trap '' HUP;", one);
    send("HUP", &child);
    child.stdin.take().expect("a pipe").write_all(PLAN.as_bytes()).expect("it reads");
    assert!(child.wait().expect("it ends").success());
    let out = std::fs::read_to_string(folder.path("out"));
    assert!(out.expect("it is there").contains("summary"));
}

/// A run that is killed cannot remove its file, which may hold what nobody else may read.
#[cfg(target_os = "linux")]
#[test]
fn an_unfinished_output_file_is_readable_only_by_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::of_plans();
    folder.write("out", "before");
    let public = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(folder.path("out"), public).expect("its mode");
    for name in ["out", "new"] {
        let mut child = waiting(&folder, "", &["changes", name]);
        let unfinished: Vec<_> =
            folder.names().into_iter().filter(|name| name.starts_with(".plansift-")).collect();
        let mode = |name: &str| folder.path(name).metadata().expect("a file").permissions().mode();
        let modes = || unfinished.iter().map(|name| mode(name) & 0o777).collect::<Vec<_>>();
        // The run may just have made the file.
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        while modes() != [0o600] {
            assert!(std::time::Instant::now() < deadline, "{:?}", modes());
            std::thread::yield_now();
        }
        child.stdin.take().expect("a pipe").write_all(PLAN.as_bytes()).expect("it reads");
        assert!(child.wait().expect("it ends").success());
        assert_eq!(mode(name) & 0o777, mode("plan.json") & 0o777, "{name}");
    }
}

/// `RUST_MIN_STACK` asks for a stack that no thread can have, so the signal thread fails to start.
#[cfg(target_os = "linux")]
#[test]
fn signals_end_a_run_without_a_signal_thread() {
    use std::os::unix::process::ExitStatusExt;
    let folder = Folder::of_plans();
    for outputs in [&["changes", "out"][..], &["report", "markdown=out", "html=page"]] {
        let mut child = waiting(&folder, "export RUST_MIN_STACK=1125899906842624;", outputs);
        let stdin = child.stdin.take();
        let mut kill = std::process::Command::new("kill");
        kill.args(["-s", "TERM", &child.id().to_string()]);
        assert!(kill.status().expect("kill").success());
        // A run that ignored the signal would end here.
        drop(stdin);
        assert_eq!(child.wait().expect("it ends").signal(), Some(15));
        let left = folder.names().into_iter().filter(|name| name.starts_with(".plansift-"));
        left.for_each(|name| std::fs::remove_file(folder.path(&name)).expect("it is removed"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::of_plans();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    for args in [&["changes", "plan.json"][..], &["summary", "plan.json"], &["schema"]] {
        let mut command = crate::run::plansift();
        command.current_dir(folder.0.path()).args(args).stdout(full());
        let run = Run::of(&command.output().expect("it runs"));
        assert_eq!(run.code, Some(1), "{args:?}: {run:?}");
        assert!(run.err.contains("cannot write the output"), "{args:?}: {}", run.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_above_the_limit_of_file_sizes_is_an_error_and_leaves_no_file() {
    let folder = Folder::new();
    folder.write("plan.json", sample::of_changes(300, sample::create));
    folder.write("large.json", sample::of_changes(3000, sample::create));
    folder.write("old", "before");
    let (write, spool) = ("cannot write the output: ", "cannot spool the input ");
    for (script, message) in [
        ("$0 changes plan.json", write),
        ("$0 changes large.json", write),
        ("$0 changes plan.json -o new", write),
        ("$0 changes large.json -o new", write),
        ("$0 changes plan.json -o old", write),
        ("$0 report plan.json -o json=new -o html=old -o markdown=more", write),
        ("$0 redact plan.json -o new", write),
        ("$0 slim plan.json -o old", write),
        ("$0 changes plan.json --format csv -o new", write),
        ("$0 man", write),
        ("cat plan.json | $0 redact - -o old", spool),
        ("cat plan.json | $0 report - -o html=new", spool),
    ] {
        // A wrapper may have made the system ignore the signal.
        for preparations in ["", "trap '' XFSZ;"] {
            let names = folder.names();
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &format!("{preparations} ulimit -f 1; ({script}) >printed")]);
            command.arg(crate::run::plansift().get_program());
            command.current_dir(folder.0.path()).env("TMPDIR", ".");
            let run = Run::of(&command.output().expect("it runs"));
            assert_eq!(run.code, Some(1), "{script}: {run:?}");
            assert!(run.err.contains(message), "{script}: {}", run.err);
            assert!(run.err.contains("raise the limit (`ulimit -f`)"), "{script}: {}", run.err);
            std::fs::remove_file(folder.path("printed")).expect("a file");
            assert_eq!(folder.names(), names, "{script}");
            assert_eq!(std::fs::read_to_string(folder.path("old")).expect("a file"), "before");
        }
    }
}

/// A writer that accepts a number of bytes and then returns an error of this kind.
struct Failing(usize, io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken > 0 { Ok(taken) } else { Err(self.1.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn failed_writes_keep_the_kind_of_their_error() {
    type Make = fn(Failing) -> Box<dyn Sink>;
    let sinks: [(&str, Make, usize); 4] = [
        ("ndjson", |out| Box::new(Ndjson::new(out)), 200_000),
        ("json", |out| Box::new(Json::new(out)), 200_000),
        ("csv", |out| Box::new(Csv::new(out, Formulas::Quoted)), 200_000),
        ("summary", |out| Box::new(View::new(out, Screen::FILE, None)), 100),
    ];
    let plan = sample::of_changes(3000, sample::create);
    for (name, make, len) in sinks {
        for kind in [io::ErrorKind::BrokenPipe, io::ErrorKind::StorageFull] {
            for taken in (run::first_of(len / 20)..len).step_by(len / 20) {
                let mut sink = make(Failing(taken, kind));
                let source = Slice(plan.as_bytes());
                let error =
                    run::write_plan(source, "plan.json", &RecordOptions::default(), sink.as_mut())
                        .and_then(|_| sink.finish())
                        .expect_err("nothing takes it");
                assert_eq!(error.kind(), ErrorKind::Write);
                let found = error.io_error().map(io::Error::kind);
                assert_eq!(found, Some(kind), "{name} after {taken} bytes");
            }
        }
    }
}

/// Terraform's own options begin with one dash.
#[test]
fn long_options_with_one_dash_are_understood_or_refused() {
    let folder = Folder::of_plans();
    for args in ["batch plan.json -out out", "batch -out=out plan.json"] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(0), "{args}: {}", run.err);
        assert!(folder.path("out/journal").exists(), "{args}");
    }
    let run = folder.run("changes -out records plan.json -json");
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""), "{}", run.err);
    assert!(folder.path("records").exists());
    for (args, option) in [
        ("changes -format csv plan.json", "format"),
        ("changes plan.json -output=x", "output"),
        ("summary -top 3 plan.json", "top"),
        ("report -values none plan.json", "values"),
        ("batch -jobs 3 --out out plan.json", "jobs"),
    ] {
        let run = folder.run(args);
        assert_eq!((run.code, run.out.as_str()), (Some(64), ""), "{args}");
        let said = format!("error: -{option} has one dash: did you mean --{option}?\n");
        assert!(run.err.starts_with(&said), "{args}: {}", run.err);
    }
    for args in ["changes -fcsv plan.json", "changes -qo x plan.json", "changes -- plan.json"] {
        assert_eq!(folder.run(args).code, Some(0), "{args}");
    }
}

#[test]
fn a_folder_is_refused_as_an_output_before_anything_is_read() {
    let folder = Folder::of_plans();
    std::fs::create_dir(folder.path("there")).expect("a folder");
    for args in [
        "redact plan.json -o there",
        "redact plan.json -o new/",
        "summary plan.json -o there/",
        "slim plan.json -o there",
        "report plan.json -o html=there",
        "batch plan.json --out out -o there",
    ] {
        let run = folder.run(args);
        assert_eq!((run.code, run.out.as_str()), (Some(64), ""), "{args}");
        assert!(run.err.contains("this is a folder, and --output takes a file"), "{}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
    }
    assert!(!folder.path("out").exists() && !folder.path("new").exists());
}

#[test]
fn an_output_in_a_missing_folder_names_the_folder() {
    let folder = Folder::of_plans();
    let run = folder.run("summary plan.json -o no/dir/page");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.err.contains("no/dir/page: cannot write the output: there is no folder"),
        "{run:?}"
    );
    assert!(!run.err.contains(".plansift-"), "{run:?}");
}

/// Not even the superuser can create a file there.
#[cfg(target_os = "linux")]
#[test]
fn an_output_in_a_folder_that_takes_no_files_names_the_folder_and_the_reason() {
    let run = Folder::of_plans().run("summary plan.json -o /proc/page");
    let said = "plansift: /proc/page: cannot write the output: cannot create a file in the folder \
                /proc: No such file or directory (os error 2)\n";
    assert_eq!((run.code, run.err.as_str()), (Some(1), said));
}

#[test]
fn a_file_as_the_folder_of_a_batch_is_refused() {
    let folder = Folder::of_plans();
    let run = folder.run("batch plan.json --out same.json");
    assert_eq!((run.code, run.out.as_str()), (Some(64), ""), "{run:?}");
    assert!(run.err.contains("same.json: this is a file: --out takes a folder"), "{run:?}");
}
