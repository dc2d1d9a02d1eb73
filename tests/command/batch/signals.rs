//! Signals to a batch, and a second batch on the same folder.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{assert_nothing_unfinished, plans, records, rows, states};
use crate::command::{Folder, Run};
use crate::hostile::sample::{self, PLAN};
use crate::run;

/// A running batch of `p` that waits for the rest of a plan in a pipe.
pub(super) struct Waiting {
    pub(super) child: Child,
    pipe: File,
    rest: String,
}

impl Waiting {
    /// Starts the batch with `jobs` threads.
    pub(super) fn start(folder: &Folder, jobs: usize) -> Waiting {
        let made = Command::new("mkfifo").arg(folder.path("p/slow.json")).status();
        assert!(made.expect("mkfifo").success());
        let jobs = jobs.to_string();
        let mut command = run::plansift();
        command.current_dir(folder.0.path()).args(["batch", "p/slow.json", "p", "--out", "out"]);
        command.args(["--exclude", "slow.json", "-j", &jobs]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().expect("it starts");
        // Opening the FIFO blocks until the batch opens it.
        let mut pipe = File::options().write(true).open(folder.path("p/slow.json")).expect("it");
        let mut plan = sample::of_changes(5000, sample::create);
        let rest = plan.split_off(plan.len() / 2);
        pipe.write_all(plan.as_bytes()).expect("it reads");
        Waiting { child, pipe, rest }
    }

    /// Waits until all inputs except the pipe are done.
    fn until_others_are_done(&self, folder: &Folder) {
        let pending = || {
            let run = folder.run("merge out --format ndjson");
            let fleet = rows(&run.out).pop();
            fleet.and_then(|fleet| fleet["pending"].as_u64())
        };
        while pending() != Some(1) {
            std::thread::yield_now();
        }
    }

    fn send(&self, signal: &str) {
        let mut kill = Command::new("kill");
        let sent = kill.args(["-s", signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
    }

    /// Writes the rest of the plan and waits for the batch to end.
    pub(super) fn finish(mut self) -> (Option<i32>, Run) {
        // The batch may have closed the pipe already.
        let _ = self.pipe.write_all(self.rest.as_bytes());
        drop(self.pipe);
        let output = self.child.wait_with_output().expect("it ends");
        (output.status.signal(), Run::of(&output))
    }
}

/// Whether an interrupt ends child processes: they inherit an ignored SIGINT.
fn interrupts_are_heeded() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("a mask");
    u64::from_str_radix(ignored.trim(), 16).expect("a number") & 0b10 == 0
}

#[test]
fn a_batch_is_reported_while_it_runs_and_is_the_only_one() {
    let folder = plans();
    let waiting = Waiting::start(&folder, 2);
    waiting.until_others_are_done(&folder);
    let merged = folder.run("merge out --format ndjson");
    assert_eq!(merged.code, Some(4));
    assert!(merged.err.contains("1 input is not done yet"), "{}", merged.err);
    let expected =
        ["slow.json pending", "a.json done", "b.json done", "cut.json failed", "same.json done"];
    assert_eq!(states(&rows(&merged.out)), expected.map(|state| format!("p/{state}")));
    let table = folder.run("merge out").out;
    assert!(table.contains("! 1 input is not done yet: what it does is not counted."), "{table}");
    let second = folder.run("batch p/a.json --out out");
    assert_eq!(second.code, Some(1));
    assert_eq!(second.err, "plansift: out: another run is writing to this folder\n");
    let (_, run) = waiting.finish();
    assert_eq!(run.code, Some(4), "{run:?}");
    assert_eq!(records(&folder).len(), 4);
    assert!(!folder.run("merge out").out.contains("not done yet"));
}

#[test]
fn the_first_interrupt_stops_in_order() {
    if !interrupts_are_heeded() {
        run::left_out("interrupts are ignored here, and so by what is started");
        return;
    }
    let folder = plans();
    let waiting = Waiting::start(&folder, 2);
    waiting.until_others_are_done(&folder);
    waiting.send("INT");
    let (signal, run) = waiting.finish();
    assert_eq!((signal, run.out.as_str()), (Some(2), ""), "{}", run.err);
    let last = run.err.lines().last().expect("a line");
    let expected = "plansift: stopped: 3 of 5 inputs are done; the same command goes on from here";
    assert_eq!(last, expected);
    assert_nothing_unfinished(&folder);
    assert_eq!(records(&folder).len(), 3);
    let report = folder.path("out/report.ndjson");
    let report = std::fs::read_to_string(report).expect("a report");
    assert_eq!(states(&rows(&report))[0], "p/slow.json pending");
    std::fs::remove_file(folder.path("p/slow.json")).expect("the pipe");
    folder.write("p/slow.json", PLAN);
    let run = folder.run("batch p/slow.json p --exclude slow.json --out out -j 2");
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.err.contains("3 inputs were done before"), "{}", run.err);
    assert_eq!(records(&folder).len(), 4);
}

#[test]
fn the_second_interrupt_stops_at_once() {
    if !interrupts_are_heeded() {
        run::left_out("interrupts are ignored here, and so by what is started");
        return;
    }
    let folder = plans();
    let mut waiting = Waiting::start(&folder, 1);
    // No more data arrives in the pipe, so a single thread would block.
    waiting.send("INT");
    waiting.send("TERM");
    let status = waiting.child.wait().expect("it ends");
    assert!(matches!(status.signal(), Some(2 | 15)), "{status:?}");
    std::fs::remove_file(folder.path("p/slow.json")).expect("the pipe");
    let run = folder.run("batch p --out out");
    assert_eq!(run.code, Some(4), "{run:?}");
    assert_nothing_unfinished(&folder);
    assert_eq!(records(&folder).len(), 3);
}

/// The reason why a batch waits for an input.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wait {
    /// Nobody opens the FIFO for writing.
    NoWriter,
    /// A writer has the FIFO open and writes nothing.
    SilentWriter,
    /// A writer has written half of a plan to the FIFO.
    HalfAPlan,
    /// Standard input is a pipe without data.
    Stdin,
}

/// A batch that waits for one input, and the handles that must stay open meanwhile.
struct Stalled {
    child: Child,
    _writer: Option<File>,
    _stdin: Option<ChildStdin>,
}

impl Stalled {
    fn start(folder: &Folder, wait: Wait, jobs: usize) -> Stalled {
        let slow = folder.path("p/slow.json");
        let first = if wait == Wait::Stdin { "-" } else { "p/slow.json" };
        if wait != Wait::Stdin {
            assert!(Command::new("mkfifo").arg(&slow).status().expect("mkfifo").success());
        }
        // Opened for reading and writing, so that opening does not block.
        let open = || File::options().read(true).write(true).open(&slow).expect("the FIFO");
        let mut writer = (wait == Wait::SilentWriter || wait == Wait::HalfAPlan).then(open);
        let mut command = run::plansift();
        command.current_dir(folder.0.path()).args(["batch", first, "p", "--out", "out"]);
        command.args(["--exclude", "slow.json", "-j", &jobs.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let stdin = child.stdin.take();
        if let (Wait::HalfAPlan, Some(writer)) = (wait, &mut writer) {
            writer.write_all(&PLAN.as_bytes()[..900]).expect("it fits into the pipe");
        }
        Stalled { child, _writer: writer, _stdin: stdin }
    }

    /// Waits for the batch to end, and fails if that takes longer than `limit`.
    fn end_within(mut self, limit: Duration) -> (ExitStatus, Run) {
        let started = Instant::now();
        while self.child.try_wait().expect("a child").is_none() {
            if started.elapsed() > limit {
                self.child.kill().expect("it is a child");
                let said = Run::of(&self.child.wait_with_output().expect("it ends"));
                panic!("it still runs after {limit:?}: {said:?}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = self.child.wait_with_output().expect("it ends");
        (output.status, Run::of(&output))
    }
}

/// Waits until `count` inputs of the batch in `out` are pending.
fn await_pending(folder: &Folder, count: u64) {
    let started = Instant::now();
    loop {
        let merged = folder.run("merge out --format ndjson");
        let fleet = rows(&merged.out).pop();
        if fleet.and_then(|fleet| fleet["pending"].as_u64()) == Some(count) {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "{merged:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_first_signal_ends_a_batch_that_waits_for_a_pipe() {
    if !interrupts_are_heeded() {
        run::left_out("interrupts are ignored here, and so by what is started");
        return;
    }
    let waits = [Wait::NoWriter, Wait::SilentWriter, Wait::HalfAPlan, Wait::Stdin];
    for (number, wait) in waits.into_iter().enumerate() {
        let (name, signal) = [("INT", 2), ("TERM", 15)][number % 2];
        for jobs in [1, 2] {
            let folder = plans();
            let stalled = Stalled::start(&folder, wait, jobs);
            // A single thread starts with the pipe, which may be large.
            await_pending(&folder, if jobs == 1 { 5 } else { 1 });
            let mut kill = Command::new("kill");
            let sent = kill.args(["-s", name, &stalled.child.id().to_string()]).status();
            assert!(sent.expect("kill").success());
            let (status, run) = stalled.end_within(Duration::from_secs(30));
            let what = format!("{wait:?}, {name}, {jobs} jobs");
            assert_eq!((status.signal(), run.out.as_str()), (Some(signal), ""), "{what}: {run:?}");
            let done = if jobs == 1 { 0 } else { 3 };
            let last = run.err.lines().last().expect("a line");
            assert!(last.contains(&format!("stopped: {done} of 5 inputs")), "{what}: {}", run.err);
            assert_nothing_unfinished(&folder);
            assert_eq!(records(&folder).len(), done, "{what}");
            // The journal is complete, and the next run processes the remaining inputs.
            let merged = folder.run("merge out --format ndjson");
            assert!(states(&rows(&merged.out))[0].ends_with(" pending"), "{what}: {merged:?}");
            let _ = std::fs::remove_file(folder.path("p/slow.json"));
            let run = match wait {
                Wait::Stdin => {
                    let mut command = run::plansift();
                    command.current_dir(folder.0.path()).args(["batch", "-", "p", "--out", "out"]);
                    Run::of(&run::with_input(command, PLAN.as_bytes()))
                }
                _ => {
                    folder.write("p/slow.json", PLAN);
                    folder.run("batch p/slow.json p --exclude slow.json --out out")
                }
            };
            assert_eq!(run.code, Some(4), "{what}: {run:?}");
            assert_eq!(records(&folder).len(), 4, "{what}");
        }
    }
}
