//! plansift writes records while it still reads the plan. When the reader of its output closes the
//! pipe, the run ends without an error.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::Folder;
use crate::hostile::sample;
use crate::run;

/// Ends a test that hangs. No passing test takes so long.
const TIMEOUT: Duration = Duration::from_secs(60);

fn start(folder: &Folder, args: &[&str], stdin: Stdio) -> Child {
    let mut command = run::plansift();
    command.current_dir(folder.0.path()).args(args).stdin(stdin);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// Runs a step that may hang on a child process; kills the child at the timeout.
fn with_timeout<T: Send>(child: &mut Child, step: impl FnOnce() -> T + Send) -> T {
    let (done, waiting) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || done.send(step()));
        let result = waiting.recv_timeout(TIMEOUT);
        if result.is_err() {
            // Killing the child unblocks the step, so the scope can end.
            child.kill().expect("it is ours");
        }
        result.expect("nothing came in time")
    })
}

/// A plan of `changes` elements. It begins with its versions, as Terraform writes them, because
/// plansift keeps records back until it knows the versions.
fn plan_of(changes: usize) -> String {
    let plan = sample::of_changes(changes, sample::create);
    plan.replacen(r#""1.2","#, r#""1.2","terraform_version":"1.9.0","#, 1)
}

#[test]
fn a_record_appears_before_the_plan_has_ended() {
    for format in ["ndjson", "csv"] {
        let plan = plan_of(200);
        let (head, tail) = plan.split_at(plan.len() / 2);
        let args = ["changes", "--format", format, "-"];
        let mut child = start(&Folder::new(), &args, Stdio::piped());
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        stdin.write_all(head.as_bytes()).expect("it reads");
        let lines: Vec<String> = with_timeout(&mut child, || {
            stdout.by_ref().lines().take(3).map(|line| line.expect("UTF-8")).collect()
        });
        assert!(lines[2].contains("a.n["), "{lines:?}");
        stdin.write_all(tail.as_bytes()).expect("it reads");
        drop(stdin);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).expect("UTF-8");
        assert!(child.wait().expect("it ends").success());
        assert!(rest.lines().last().expect("lines").contains("summary"), "{rest}");
    }
}

#[test]
fn the_plan_record_appears_with_the_first_change() {
    let plan = plan_of(40);
    // The first twenty elements are complete.
    let head = plan.match_indices("\"address\"").nth(20).expect("many").0;
    let mut child = start(&Folder::new(), &["changes"], Stdio::piped());
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    stdin.write_all(&plan.as_bytes()[..head]).expect("it reads");
    let mut line = String::new();
    with_timeout(&mut child, || stdout.read_line(&mut line).expect("UTF-8"));
    assert!(line.contains(r#""terraform_version":"1.9.0""#), "{line}");
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(1), "the plan was never whole");
}

#[test]
fn a_pipe_closed_while_writing_is_no_error() {
    let folder = Folder::new();
    for name in ["plan.json", "other.json"] {
        folder.write(name, sample::of_changes(20_000, sample::create));
    }
    for args in [
        &["changes", "plan.json"][..],
        &["changes", "--format", "csv", "plan.json"],
        &["changes", "--format", "json", "plan.json", "other.json"],
        &["changes", "--detailed-exitcode", "plan.json"],
        &["changes", "--stats", "plan.json"],
    ] {
        let mut child = start(&folder, args, Stdio::null());
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("UTF-8");
        drop(stdout);
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{args:?}");
    }
}

#[test]
fn a_pipe_closed_from_the_start_is_no_error() {
    let folder = Folder::of_plans();
    for args in [&["summary", "plan.json"][..], &["changes", "plan.json"], &["schema"], &["-help"]]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = run::plansift();
        command.current_dir(folder.0.path()).args(args).stdout(writer).stdin(Stdio::null());
        let ended = command.output().expect("it runs");
        assert_eq!(ended.status.code(), Some(0), "{args:?}: {ended:?}");
        assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{args:?}");
    }
}

#[test]
fn a_closed_standard_error_does_not_end_the_run() {
    let folder = Folder::of_plans();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = run::plansift();
    command.current_dir(folder.0.path()).args(["changes", "--stats", "cut.json", "plan.json"]);
    let ended = command.stdin(Stdio::null()).stderr(writer).output().expect("it runs");
    assert_eq!(ended.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&ended.stdout).trim_end().ends_with('}'));
}
