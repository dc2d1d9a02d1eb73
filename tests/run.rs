//! Runs the binary with arguments, and the library on files. Reports what a test skips.

use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::EXE_EXTENSION;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

use plansift::error::{Error, Result};
use plansift::input::{self, Mapping, Source};
use plansift::record::{Record, RecordOptions};
use plansift::sink::Sink;

pub use crate::library::{all, records, write_plan};
pub use crate::tried::{first_of, is_nightly, is_tried, is_tried_of, property, thread_counts};

/// Maps files, as the binary does.
#[allow(unsafe_code, reason = "mapped files have a contract")]
pub fn mapped() -> Mapping {
    input::catch_truncation().expect("a handler");
    // SAFETY: the handler is installed, and the tests pass the inputs to the library.
    unsafe { Mapping::auto() }
}

/// The error of a text that is expected to fail.
pub fn error(source: impl Source, options: &RecordOptions) -> Error {
    struct Counted(usize);
    impl Sink for Counted {
        fn record(&mut self, _: &Record<'_>) -> Result<()> {
            self.0 += 1;
            Ok(())
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    match write_plan(source, "plan.json", options, &mut counted) {
        Ok(_) => panic!("{} records instead of an error", counted.0),
        Err(error) => error,
    }
}

/// A command for the binary, without environment variables that change its output.
pub fn plansift() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plansift"));
    for variable in ["NO_COLOR", "CLICOLOR_FORCE", "PLANSIFT_ISA", "PLANSIFT_TYPE_SETS", "COLUMNS"]
    {
        command.env_remove(variable);
    }
    command
}

/// A command that runs in a shell in the project's folder. The binary under test is `plansift`.
pub fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(root()).stdin(Stdio::null());
    let plansift = plansift();
    for (variable, value) in plansift.get_envs() {
        match value {
            Some(value) => shell.env(variable, value),
            None => shell.env_remove(variable),
        };
    }
    let folder = Path::new(plansift.get_program()).parent().expect("a folder");
    let mut folders = vec![folder.to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    shell.env("PATH", std::env::join_paths(folders).expect("folders without colons"));
    shell
}

/// Returns the path of an example, which `cargo test` builds beside the binary.
pub fn example(name: &str) -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_plansift"));
    let path = binary.with_file_name("examples").join(name).with_extension(EXE_EXTENSION);
    assert!(path.exists(), "the example `{name}` is missing: `cargo build --examples` builds it");
    path
}

/// Runs the binary with `input` as standard input.
pub fn piped<S: AsRef<std::ffi::OsStr>>(args: &[S], input: &[u8]) -> Output {
    let mut command = plansift();
    command.args(args);
    with_input(command, input)
}

/// Runs a command with `input` as standard input.
pub fn with_input(mut command: Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // The command may end before it has read everything.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("the binary ends")
    })
}

/// The peak of resident memory, in MiB, in the output of `--stats`.
pub fn peak(said: &str) -> f64 {
    let figure = said.split("peak resident memory ").nth(1).and_then(|rest| {
        let (number, unit) = rest.trim_end().split_once(' ')?;
        (unit == "MiB").then(|| number.parse().ok())?
    });
    figure.unwrap_or_else(|| panic!("no figure in: {said}"))
}

/// A file or folder of `corpus/`.
pub fn corpus(path: &str) -> PathBuf {
    root().join("corpus").join(path)
}

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Name of the variable for another folder of reference files.
pub const SHARED: &str = "PLANSIFT_SHARED";

/// The folder with documents of other projects, next to the project. If it does not exist, the test
/// leaves them out.
pub fn shared() -> Option<PathBuf> {
    let shared = std::env::var_os(SHARED).map(PathBuf::from);
    let shared = shared.or_else(|| Some(root().parent()?.join("shared")))?;
    if shared.is_dir() {
        return Some(shared);
    }
    left_out(&format!("no documents of other projects in {}", shared.display()));
    None
}

/// Asserts that a test has read enough: at least `all` with the documents of other projects, and at
/// least `own` without them.
#[track_caller]
pub fn assert_enough(found: usize, all: usize, own: usize) {
    let least = if shared().is_some() { all } else { own };
    assert!(found >= least, "only {found}, not {least}");
}

/// Each reason to leave something out, with the tests that do.
static LEFT_OUT: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::new(BTreeMap::new());

/// Records that the current test leaves something out, and why. The last line of the program
/// reports it. With `CI=true`, the test fails.
pub fn left_out(why: &str) {
    // The test harness names each thread after its test.
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!is_ci, "left out of {test}: {why}. With CI=true, this fails");
    let mut left_out = LEFT_OUT.lock().expect("no panic while it is held");
    if left_out.is_empty() {
        report_at_exit();
    }
    left_out.entry(why.to_owned()).or_default().insert(test.to_owned());
}

/// Makes the program end with [`report`]. The test harness has no hook after its last line.
#[allow(unsafe_code, reason = "the standard library cannot register a function for the exit")]
fn report_at_exit() {
    // SAFETY: `report` takes no argument, does not unwind, and stays in memory until the exit.
    unsafe { libc::atexit(report) };
}

/// Writes one line that says how many tests left something out, and why.
extern "C" fn report() {
    let Ok(left_out) = LEFT_OUT.lock() else { return };
    let tests: BTreeSet<&String> = left_out.values().flatten().collect();
    let reasons: Vec<String> =
        left_out.iter().map(|(why, tests)| format!("{}: {why}", tests.len())).collect();
    let line = format!("left out of {} tests: {}", tests.len(), reasons.join("; "));
    // `tests/vectors.rs`, the last program of `cargo test`, repeats the line.
    let _ = std::fs::write(report_file(), &line);
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// The file for the line of [`report`]. All programs of one `cargo test` have one parent.
fn report_file() -> PathBuf {
    let name = format!("left-out-{}", std::os::unix::process::parent_id());
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}
