//! Full disks, vanished and unreadable files, exhausted handles: each ends with its error, no file
//! is torn, and the next run continues.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use super::signals::Waiting;
use super::{assert_nothing_unfinished, files, plans, records, report, states};
use crate::command::{Folder, Run};
use crate::hostile::sample::{self, PLAN};
use crate::run;

/// Plans whose records take from 1 KB to 400 KB.
fn growing() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("p")).expect("a folder");
    for number in 0..10 {
        let plan = sample::of_changes(4 << number, sample::create);
        folder.write(&format!("p/{number}.json"), plan);
    }
    folder
}

/// Runs plansift in a shell that first executes `preparations`.
fn run_behind(folder: &Folder, preparations: &str, args: &str) -> Run {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{preparations} exec \"$0\" {args}")]);
    command.arg(run::plansift().get_program()).current_dir(folder.0.path());
    Run::of(&command.stdin(Stdio::null()).output().expect("it runs"))
}

/// The records of a run without failures.
fn undisturbed(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let run = folder.run("batch p --out whole");
    assert_eq!(run.code, Some(0), "{run:?}");
    files(&folder.path("whole/records"))
}

/// Asserts that each output file is complete, and that the next run processes the remaining inputs.
fn assert_goes_on(folder: &Folder, expected: &BTreeMap<String, Vec<u8>>) {
    if folder.path("out/records").is_dir() {
        for (name, content) in records(folder) {
            assert!(expected[&name] == content, "{name} is torn");
        }
    }
    let run = folder.run("batch p --out out");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(records(folder) == *expected, "all are there");
    assert_nothing_unfinished(folder);
}

#[test]
fn a_write_that_fails_ends_the_run() {
    let folder = growing();
    let expected = undisturbed(&folder);
    let mut failed = 0;
    // The maximum file size, in blocks of 512 bytes.
    for blocks in [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512] {
        let preparations = format!("ulimit -f {blocks};");
        let run = run_behind(&folder, &preparations, "batch p --out out -j 2");
        if run.code == Some(0) {
            continue;
        }
        failed += 1;
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{blocks}: {run:?}");
        assert!(run.err.contains("out: cannot write the output: "), "{blocks}: {}", run.err);
        assert!(run.err.contains("raise the limit (`ulimit -f`)"), "{blocks}: {}", run.err);
        let lines: Vec<&str> = run.err.lines().collect();
        assert!(lines.len() <= 2, "{lines:?}");
        assert_goes_on(&folder, &expected);
        std::fs::remove_dir_all(folder.path("out")).expect("it is there");
    }
    assert!(failed > 6, "{failed}");
}

#[test]
fn a_full_disk_ends_the_run() {
    let can =
        Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        run::left_out("nothing can be mounted here: no small disk");
        return;
    }
    let folder = growing();
    undisturbed(&folder);
    std::fs::create_dir(folder.path("disk")).expect("a folder");
    let script = r#"set -e
        mount -t tmpfs -o size="$1" none disk
        code=0; "$0" batch p --out disk/out || code=$?
        test $code = 1
        for file in disk/out/records/*; do
            test ! -e "$file" || cmp "$file" "whole/records/$(basename "$file")"
        done
        mount -o remount,size=64m disk
        "$0" batch p --out disk/out >/dev/null
        diff -r whole/records disk/out/records"#;
    for size in ["16k", "64k", "200k", "300k"] {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", script]).arg(run::plansift().get_program()).arg(size);
        let run = Run::of(&command.current_dir(folder.0.path()).output().expect("it runs"));
        assert_eq!(run.code, Some(0), "{size}: {run:?}");
        assert!(run.err.contains("disk/out: cannot write the output: "), "{size}: {}", run.err);
    }
}

#[test]
fn a_batch_resumes_after_running_out_of_file_handles() {
    let folder = growing();
    let expected = undisturbed(&folder);
    let mut codes = Vec::new();
    for handles in 4..=24 {
        let preparations = format!("ulimit -n {handles};");
        let run = run_behind(&folder, &preparations, "batch p --out out -j 4");
        codes.push(run.code);
        match run.code {
            Some(0) => {}
            // The output folder or an input cannot be opened. The shell may even fail to start
            // plansift.
            Some(1 | 4 | 127) => assert!(run.err.contains("pen files"), "{handles}: {}", run.err),
            _ => panic!("{handles}: {run:?}"),
        }
        assert_goes_on(&folder, &expected);
        std::fs::remove_dir_all(folder.path("out")).expect("it is there");
    }
    assert!(codes.contains(&Some(0)) && codes.iter().any(|code| *code != Some(0)), "{codes:?}");
}

#[test]
fn a_deleted_input_is_a_failed_row() {
    let folder = plans();
    let waiting = Waiting::start(&folder, 1);
    std::fs::remove_file(folder.path("p/b.json")).expect("it is there");
    std::fs::remove_file(folder.path("p/a.json")).expect("it is there");
    std::fs::create_dir(folder.path("p/a.json")).expect("a folder");
    let (_, run) = waiting.finish();
    assert_eq!(run.code, Some(4), "{run:?}");
    let expected =
        ["slow.json done", "a.json failed", "b.json failed", "cut.json failed", "same.json done"];
    let rows = report(&folder);
    assert_eq!(states(&rows), expected.map(|state| format!("p/{state}")));
    let error = rows[2]["error"].as_str().expect("a text");
    assert!(error.starts_with("cannot read the input: "), "{error}");
}

#[test]
fn a_read_error_is_a_failed_row() {
    let folder = plans();
    // The device returns an error when it is read at offset 0.
    let run = folder.run("batch p/a.json /proc/self/mem --out out");
    assert_eq!(run.code, Some(4), "{run:?}");
    let rows = report(&folder);
    assert_eq!(states(&rows), ["p/a.json done", "/proc/self/mem failed"]);
    let error = rows[1]["error"].as_str().expect("a text");
    assert!(error.starts_with("byte 0: cannot read the input: "), "{error}");
}

#[test]
fn missing_permissions_fail_the_input_or_the_batch() {
    let folder = plans();
    let allow = |name: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(folder.path(name), permissions).expect("its mode");
    };
    allow("p/b.json", 0o000);
    let mut command = run::plansift();
    if std::fs::File::open(folder.path("p/b.json")).is_ok() {
        // Permissions do not apply to root, so another user runs the command.
        allow("", 0o777);
        let program = command.get_program().to_owned();
        command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
        let version = command.arg("--version").output();
        if !version.is_ok_and(|output| output.status.success()) {
            run::left_out("nobody but the superuser can run the program here");
            return;
        }
        let program = run::plansift().get_program().to_owned();
        command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
    }
    command.current_dir(folder.0.path()).args(["batch", "p/a.json", "p/b.json", "--out", "out"]);
    let run = Run::of(&command.output().expect("it runs"));
    assert_eq!(run.code, Some(4), "{run:?}");
    let rows = report(&folder);
    assert_eq!(states(&rows), ["p/a.json done", "p/b.json failed"]);
    assert!(rows[1]["error"].as_str().expect("a text").contains("ermission denied"), "{rows:?}");
    // A read-only folder.
    allow("out/records", 0o555);
    folder.write("p/c.json", PLAN);
    command.arg("p/c.json");
    let run = Run::of(&command.output().expect("it runs"));
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("out: cannot write the output: "), "{}", run.err);
    allow("out/records", 0o755);
    allow("p/b.json", 0o644);
    let run = Run::of(&command.output().expect("it runs"));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(records(&folder).len(), 3);
}
