//! A file that is modified while it is read: an error that says so, never a crash or a result.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use plansift::error::{ErrorKind, Result};
use plansift::input::{self, Input, Mapping, SharedText, Source};
use plansift::record::RecordOptions;

use crate::hostile::sample;
use crate::run;

/// An input that calls a function before it is filled for the `when`th time.
struct ModifiedWhileRead<'a> {
    input: Input,
    fills: usize,
    when: usize,
    change: &'a dyn Fn(),
}

impl Source for ModifiedWhileRead<'_> {
    fn window(&self) -> &[u8] {
        self.input.window()
    }

    fn offset(&self) -> u64 {
        self.input.offset()
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        if self.fills == self.when {
            (self.change)();
        }
        self.fills += 1;
        self.input.fill(keep)
    }

    fn finish(&mut self) -> Result<()> {
        self.input.finish()
    }

    fn changed(&mut self) -> bool {
        self.input.changed()
    }

    fn shared_text(&self) -> Option<SharedText> {
        self.input.shared_text()
    }
}

/// Writes a plan of several windows, with a modification time before any change in these tests.
fn write_plan(path: &Path) {
    static PLAN: LazyLock<String> = LazyLock::new(|| sample::of_changes(80_000, sample::create));
    let file = File::create(path).expect("a file");
    (&file).write_all(PLAN.as_bytes()).expect("room");
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    file.set_modified(hour_ago).expect("a time");
}

fn open(path: &Path) -> File {
    OpenOptions::new().write(true).open(path).expect("a file")
}

type Change = fn(&Path);

/// Ways to change a file.
const CHANGES: [(&str, Change); 7] = [
    ("emptied", |path| open(path).set_len(0).expect("set")),
    ("truncated within a page", |path| open(path).set_len(5_000_001).expect("set")),
    ("truncated by a byte", |path| {
        let len = path.metadata().expect("a file").len();
        open(path).set_len(len - 1).expect("set");
    }),
    ("grown by space", |path| {
        let mut file = OpenOptions::new().append(true).open(path).expect("a file");
        file.write_all(b"\n").expect("room");
    }),
    ("rewritten in place", |path| open(path).write_all(b"{").expect("room")),
    ("replaced by another", |path| {
        let other = path.with_extension("new");
        write_plan(&other);
        std::fs::rename(other, path).expect("renamed");
    }),
    ("removed", |path| std::fs::remove_file(path).expect("removed")),
];

#[test]
fn changed_files_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    let mut options = RecordOptions::default();
    for (name, change) in CHANGES {
        for (mapping, threads) in [(run::mapped(), 1), (run::mapped(), 3), (Mapping::NEVER, 1)] {
            options.read.threads = NonZeroUsize::new(threads);
            for when in (0..4).filter(|when| run::is_tried_of(2, *when)) {
                write_plan(&path);
                let input = Input::open_file(
                    &path,
                    &input::InputOptions {
                        limits: options.read.limits,
                        mapping,
                        ..Default::default()
                    },
                )
                .expect("it");
                let change = || change(&path);
                let meddled = ModifiedWhileRead { input, fills: 0, when, change: &change };
                let error = run::error(meddled, &options);
                let what = format!("{name}, {mapping:?}, {threads} threads, {when}");
                assert_eq!(error.kind(), ErrorKind::Changed, "{what}");
            }
        }
    }
}

/// Output is never read from the file again. If the file is truncated while the output is blocked,
/// the error names the input, not the output.
#[test]
fn files_truncated_while_the_output_is_blocked_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    for args in [&["redact", "--echo", "off"][..], &["redact"], &["slim", "--no-redact"]] {
        write_plan(&path);
        let mut command = run::plansift();
        command.args(args).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        // The command then blocks, because a pipe holds much less than the plan.
        child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("the first byte");
        open(&path).set_len(0).expect("set");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(said.contains("changed while it was read"), "{args:?}: {said}");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
    }
}

/// A SIGBUS that is not a fault in a mapped file ends the process, as in any program.
#[cfg(unix)]
#[test]
fn signals_of_other_processes_end_the_run() {
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    write_plan(&path);
    let mut command = run::plansift();
    command.arg("changes").arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // The command then blocks, because a pipe holds much less than the records.
    child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("the first byte");
    let sent = Command::new("kill").args(["-BUS", &child.id().to_string()]).status();
    assert!(sent.expect("it is sent").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.signal(), Some(libc::SIGBUS));
}

/// A change at the end of a file is detected even after the file was read to its end.
#[test]
fn files_whose_end_changes_during_the_run_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    for (args, two) in [
        (&["redact", "--echo", "off"][..], false),
        (&["redact", "--echo", "off", "--threads", "1"], true),
        (&["redact"], true),
        (&["slim", "--no-redact", "--all"], true),
    ] {
        // The plan is smaller than a window, but larger than the output buffer. If another document
        // follows, the end of the first is in the window when all of it has been read.
        let plan = sample::of_changes(if two { 9_000 } else { 18_000 }, sample::create);
        let text = if two { format!("{plan} {plan}") } else { plan.clone() };
        assert!((1 << 20..2 << 20).contains(&text.len()), "{} bytes", text.len());
        std::fs::write(&path, &text).expect("room");
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        open(&path).set_modified(hour_ago).expect("a time");
        let mut command = run::plansift();
        command.args(args).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("the first byte");
        let mut file = open(&path);
        file.seek(SeekFrom::Start(plan.len() as u64 - 20_000)).expect("a place");
        file.write_all(&[b' '; 10_000]).expect("room");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(said.contains("changed while it was read"), "{args:?}: {said}");
        assert!(!said.contains("masked"), "{args:?}: {said}");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
    }
}

#[test]
fn unchanged_files_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    write_plan(&path);
    assert!(path.metadata().expect("a file").len() > 6_000_000, "several windows");
    for mapping in [run::mapped(), Mapping::NEVER] {
        let options = RecordOptions::default();
        let input = Input::open_file(
            &path,
            &input::InputOptions { limits: options.read.limits, mapping, ..Default::default() },
        )
        .expect("a file");
        let meddled = ModifiedWhileRead { input, fills: 0, when: 2, change: &|| {} };
        let (records, _) = run::records(meddled, &options).expect("a plan");
        assert_eq!(records.len(), 80_002);
    }
}

#[test]
fn many_files_can_be_mapped_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = RecordOptions::default();
    // More files than the fault handler has slots for; the rest are read without mapping.
    let paths: Vec<_> = (0..80).map(|number| folder.path().join(number.to_string())).collect();
    let plan = sample::of_changes(100, sample::create);
    let open = |path: &std::path::PathBuf| {
        std::fs::write(path, &plan).expect("a file");
        let file = open(path);
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).expect("a time");
        Input::open_file(
            path,
            &input::InputOptions {
                limits: options.read.limits,
                mapping: run::mapped(),
                ..Default::default()
            },
        )
        .expect("a file")
    };
    let inputs: Vec<Input> = paths.iter().map(open).collect();
    for path in paths.iter().step_by(2) {
        self::open(path).set_len(0).expect("set");
    }
    for (number, input) in inputs.into_iter().enumerate() {
        let result = run::records(input, &options).map_err(|error| error.kind());
        match number % 2 {
            0 => assert_eq!(result.expect_err("it is empty"), ErrorKind::Changed, "{number}"),
            _ => assert_eq!(result.expect("a plan").0.len(), 102, "{number}"),
        }
    }
}
