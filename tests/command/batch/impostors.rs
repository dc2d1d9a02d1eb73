//! A FIFO, a socket, a device or a folder in place of a file of a batch is refused without
//! blocking. Also record files that a user edited.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{plans, records};
use crate::command::{Folder, Run};
use crate::run;

/// Runs plansift and fails if it takes longer than `limit`.
fn run_within(folder: &Folder, args: &str, limit: Duration) -> Run {
    let mut command = run::plansift();
    command.current_dir(folder.0.path()).args(args.split(' ')).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let started = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if started.elapsed() > limit {
            child.kill().expect("it is a child");
            child.wait().expect("it ends");
            panic!("`plansift {args}` still runs after {limit:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Run::of(&child.wait_with_output().expect("it ends"))
}

/// Replaces a file by something of another kind.
fn replace(path: &Path, kind: &str) {
    std::fs::remove_file(path).expect("it is there");
    match kind {
        "FIFO" => {
            let made = Command::new("mkfifo").arg(path).status().expect("mkfifo");
            assert!(made.success());
        }
        "socket" => drop(UnixListener::bind(path).expect("a short path")),
        "folder" => std::fs::create_dir(path).expect("a folder"),
        "device" => std::os::unix::fs::symlink("/dev/zero", path).expect("a link"),
        other => panic!("{other}"),
    }
}

#[test]
fn special_files_in_a_batch_folder_are_refused() {
    let limit = Duration::from_secs(30);
    for name in ["journal", "lock", "report.ndjson", "records/p~a.json.ndjson"] {
        for kind in ["FIFO", "socket", "folder", "device"] {
            let folder = plans();
            folder.run("batch p --out out");
            let path = folder.path("out").join(name);
            replace(&path, kind);
            let is_journal = name == "journal";
            let commands =
                if is_journal { &["batch p --out", "merge"][..] } else { &["batch p --out"] };
            for command in commands {
                let run = run_within(&folder, &format!("{command} out"), limit);
                assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{name}, {kind}: {run:?}");
                let expected = format!(
                    "plansift: out: this folder has something other than a regular file where a \
                     file of the batch belongs: remove it, or name another folder: {name}\n"
                );
                assert_eq!(run.err, expected, "{name}, {kind}");
            }
            let found = std::fs::symlink_metadata(&path).expect("it is left alone");
            assert!(!found.is_file(), "{name}, {kind}");
        }
    }
}

#[test]
fn a_record_file_that_was_edited_is_made_again() {
    let folder = plans();
    let first = folder.run("batch p --out out");
    let before = records(&folder);
    let name = "out/records/p~a.json.ndjson";
    let text = std::fs::read_to_string(folder.path(name)).expect("records");
    let edited = text.replacen("\"update\"", "\"no--op\"", 1);
    assert!(edited != text && edited.len() == text.len());
    // Edited texts of the same length, longer and shorter.
    for edited in [edited.clone(), format!("{text}\n"), text[..text.len() / 2].to_owned()] {
        for quiet in ["", " --quiet"] {
            folder.write(name, &edited);
            let again = folder.run(&format!("batch p --out out{quiet}"));
            assert_eq!((again.code, &again.out), (first.code, &first.out));
            let said = "records/p~a.json.ndjson: this file was modified after it was written: \
                        p/a.json is processed again";
            assert_eq!(again.err.contains(said), quiet.is_empty(), "{}", again.err);
            assert_eq!(again.err.contains("2 inputs were done before"), quiet.is_empty());
            assert!(records(&folder) == before, "it is as it was");
        }
    }
    // Untouched record files are not written again.
    let run = folder.run("batch p --out out");
    assert!(run.err.contains("3 inputs were done before"), "{}", run.err);
    assert!(!run.err.contains("was modified after"), "{}", run.err);
}
