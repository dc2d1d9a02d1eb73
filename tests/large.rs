//! Offsets beyond 4 GiB, and memory that does not grow with the plan.
//!
//! No test writes 4 GiB to disk: one source generates windows as they are read, and a sparse file
//! has holes.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use plansift::error::{ErrorKind, Result, TokenClass};
use plansift::input::{self, Input, Source};
use plansift::record::RecordOptions;

use crate::hostile::sample;
use crate::run;
use crate::same_answer::threads::plan_of_long_rows;

const MIB: usize = 1 << 20;

/// A source of a head, a filler repeated `times` times, and a tail. Each call appends one of them
/// to the window.
struct Filled<'a> {
    head: &'a [u8],
    filler: &'a [u8],
    times: u64,
    tail: &'a [u8],
    /// The bytes kept from earlier windows, and the newest ones.
    window: Vec<u8>,
    /// Whether the window is exactly one filler, so that the next one needs no copy.
    is_filler: bool,
    offset: u64,
}

impl<'a> Filled<'a> {
    fn new(head: &'a str, filler: &'a [u8], times: u64, tail: &'a str) -> Filled<'a> {
        let (head, tail) = (head.as_bytes(), tail.as_bytes());
        Filled { head, filler, times, tail, window: Vec::new(), is_filler: false, offset: 0 }
    }
}

impl Source for Filled<'_> {
    fn window(&self) -> &[u8] {
        &self.window
    }

    fn offset(&self) -> u64 {
        self.offset
    }

    fn fill(&mut self, keep: u64) -> Result<bool> {
        let forgotten = (keep - self.offset) as usize;
        let next = if !self.head.is_empty() {
            std::mem::take(&mut self.head)
        } else if self.times > 0 {
            self.times -= 1;
            self.filler
        } else {
            std::mem::take(&mut self.tail)
        };
        self.offset += forgotten as u64;
        let repeats = self.is_filler && forgotten == self.window.len();
        self.is_filler = forgotten == self.window.len() && std::ptr::eq(next, self.filler);
        if !(repeats && self.is_filler) {
            self.window.drain(..forgotten);
            self.window.extend_from_slice(next);
        }
        Ok(!next.is_empty())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// An element of a list that is skipped: a string of a megabyte, and the comma after it.
fn filler() -> Vec<u8> {
    let mut text = vec![b'x'; MIB];
    text[0] = b'"';
    text[MIB - 2..].copy_from_slice(b"\",");
    text
}

const HEAD: &str = r#"{"format_version":"1.2","prior_state":["#;
const TAIL: &str = r#"0],"resource_changes":[
    {"address":"a.late","change":{"actions":["update"],"before":{"k":1},"after":{"k":2}}}"#;

#[test]
fn changes_beyond_four_gibibytes_are_found() {
    const TIMES: u64 = 4200;
    let filler = filler();
    let tail = format!("{TAIL}]}}");
    let source = Filled::new(HEAD, &filler, TIMES, &tail);
    let (records, outcome) = run::records(source, &RecordOptions::default()).expect("a plan");
    assert_eq!(records.len(), 3);
    assert_eq!(records[1]["address"], "a.late");
    assert_eq!(records[1]["changed"], serde_json::json!(["k"]));
    let bytes = (HEAD.len() + tail.len()) as u64 + TIMES * MIB as u64;
    assert!(bytes > 1 << 32);
    assert_eq!(outcome.summary.bytes, bytes);
}

#[test]
fn errors_beyond_four_gibibytes_have_the_right_offset() {
    const TIMES: u64 = 4200;
    let filler = filler();
    let before = HEAD.len() as u64 + TIMES * MIB as u64;
    let tail = format!("{TAIL};]}}");
    let source = Filled::new(HEAD, &filler, TIMES, &tail);
    let error = run::error(source, &RecordOptions::default());
    let found = TokenClass::Other;
    assert!(
        matches!(error.kind(), ErrorKind::Syntax { found: other, .. } if other == found),
        "{error}"
    );
    assert_eq!(error.location().expect("a place").offset, before + TAIL.len() as u64);
}

#[test]
fn a_sparse_hole_of_five_gibibytes_is_an_error_at_its_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    let options = RecordOptions::default();
    for (head, kind) in [
        (r#"{"format_version":"1.2","prior_state":"text"#, ErrorKind::ControlCharacter),
        (
            r#"{"format_version":"1.2","resource_changes":[]"#,
            ErrorKind::Syntax {
                expected: "a comma or the end of the object",
                found: TokenClass::Other,
            },
        ),
    ] {
        std::fs::write(&path, head).expect("a file");
        let file = File::options().write(true).open(&path).expect("a file");
        file.set_len(5 << 30).expect("a sparse file");
        let input = Input::open_file(
            &path,
            &input::InputOptions {
                limits: options.read.limits,
                mapping: run::mapped(),
                ..Default::default()
            },
        )
        .expect("a file");
        let error = run::error(input, &options);
        assert_eq!(error.kind(), kind);
        assert_eq!(error.location().expect("a place").offset, head.len() as u64);
    }
}

#[test]
fn plans_followed_by_a_hole_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    let plan = sample::of_changes(3, sample::create);
    std::fs::write(&path, &plan).expect("a file");
    File::options().write(true).open(&path).expect("a file").set_len(5 << 30).expect("sparse");
    let options = RecordOptions::default();
    let input = Input::open_file(
        &path,
        &input::InputOptions {
            limits: options.read.limits,
            mapping: run::mapped(),
            ..Default::default()
        },
    )
    .expect("a file");
    let error = run::error(input, &options);
    assert_eq!(error.kind(), ErrorKind::Trailing);
    assert_eq!(error.location().expect("a place").offset, plan.len() as u64);
}

/// Maximum peak of resident memory, in MiB, for plans of any size.
const RESIDENT_MAX: f64 = 64.0;

/// The peak of resident memory, in MiB, that a run of `changes` reports.
fn peak(args: &[&str], input: &Path, stdin: Stdio) -> f64 {
    peak_of(&[&["changes"], args].concat(), input, stdin)
}

/// The peak of resident memory, in MiB, that a run of any command reports.
fn peak_of(args: &[&str], input: &Path, stdin: Stdio) -> f64 {
    let mut command = run::plansift();
    command.args(args).arg("--stats").stdin(stdin).stdout(Stdio::null());
    let output = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{}: {said}", input.display());
    run::peak(&said)
}

fn generate(size: &str, more: &[&str], path: &Path) {
    let mut command = Command::new(run::example("generate"));
    let status = command.args(["--size", size, "-o"]).arg(path).args(more).status();
    assert!(status.expect("the generator").success());
}

/// The alternatives that the case with this number tries: by day one of them, at night all.
fn tried<T>(number: usize, alternatives: &[T]) -> impl Iterator<Item = &T> {
    let is_tried = move |at: usize| run::is_tried_of(alternatives.len(), number + at);
    alternatives.iter().enumerate().filter(move |(at, _)| is_tried(*at)).map(|(_, it)| it)
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_plan() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    let text = || path.to_str().expect("UTF-8");
    let size = if run::is_nightly() { "200M" } else { "120M" };
    for (size, more) in [(size, &[][..]), ("70M", &["--sort-keys"]), ("70M", &["--indent"])] {
        generate(size, more, &path);
        let mapped = peak(&[text()], &path, Stdio::null());
        let read = peak(&[text(), "--no-mmap"], &path, Stdio::null());
        let piped = peak(&["-"], &path, piped(&path));
        for (way, peak) in [("mapped", mapped), ("read", read), ("piped", piped)] {
            assert!(peak < RESIDENT_MAX, "{size} {more:?}, {way}: {peak} MiB");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    let text = path.to_str().expect("UTF-8");
    // Their rows take 100 MB in total, and more in the nightly run.
    let times = if run::is_nightly() { 5 } else { 2 };
    // Rows that a worker may hand over, and rows that it may not.
    let shapes = [(800, "a_key_of_some_length", 60), (300, "k", 420)];
    for (number, (changes, key, depth)) in shapes.into_iter().enumerate() {
        std::fs::write(&path, plan_of_long_rows(times * changes, key, depth)).expect("a file");
        for threads in tried(number, &["2", "8", "64"]) {
            let peak = peak(&[text, "--threads", threads], &path, Stdio::null());
            assert!(peak < RESIDENT_MAX, "{depth} levels, {threads} threads: {peak} MiB");
        }
    }
}

/// A plan with many marks takes little memory, with any number of threads.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_rewritten_plans() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    generate(if run::is_nightly() { "200M" } else { "80M" }, &["--many-marks"], &path);
    let text = path.to_str().expect("UTF-8");
    let commands = [
        &["redact"][..],
        &["redact", "--echo", "off"],
        &["slim", "--echo", "off"],
        &["changes", "--strict"],
    ];
    for (number, command) in commands.into_iter().enumerate() {
        for threads in tried(number, &["2", "8"]) {
            let args = [command, &["--threads", threads, text]].concat();
            let peak = peak_of(&args, &path, Stdio::null());
            assert!(peak < RESIDENT_MAX, "{command:?}, {threads} threads: {peak} MiB");
        }
    }
}

/// With small inputs, each thread keeps little of its input. The limit includes records that wait
/// for the end of their plan, and decompressed data.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_small_inputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = folder.path().join("000.json");
    generate("3800K", &["--shape", "first-run", "--sort-keys"], &plan);
    std::fs::remove_file(folder.path().join("000.json.counts.json")).expect("its counts");
    let head = r#"{"format_version":"1.2","resource_changes":[],"timestamp":""#;
    let stamp = format!(r#"{head}{}"}}"#, "0".repeat(20 << 20));
    let stamp = zstd::encode_all(stamp.as_bytes(), 1).expect("it is compressed");
    let copies = if run::is_nightly() { 20 } else { 9 };
    for number in 1..copies {
        let name = |kind: &str| folder.path().join(format!("{number:03}{kind}.json"));
        std::fs::hard_link(&plan, name("a")).expect("a link");
        std::fs::write(name("b"), &stamp).expect("a file");
    }
    let text = folder.path().to_str().expect("UTF-8");
    let [one, several] = ["1", "8"]
        .map(|threads| peak_of(&["changes", "--threads", threads, text], &plan, Stdio::null()));
    // Only one input at a time keeps the longest string, but the allocator may not have freed the
    // previous one yet. Each thread adds little more than one small input.
    let max = 2.0 * one + 8.0 * 16.0;
    assert!(several < max, "{one} MiB, and {several} MiB by several threads");
}

/// Lookahead workers stop when too many results wait.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_lookahead() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    let text = path.to_str().expect("UTF-8");
    let small = r#"{"address":"a","change":{"actions":["create"]}},"#.repeat(600_000);
    let head = r#""format_version":"1.2","terraform_version":"1.11.4""#;
    let whole = |changes: &str| format!(r#"{{{head},"resource_changes":[{changes}]}}"#);
    let last = small.trim_end_matches(',');
    // The reader itself produces all rows before the space.
    let note = "x".repeat(1000);
    let large = format!(r#"{{"address":"a","note":"{note}","change":{{"actions":["create"]}}}},"#);
    let (large, space) = (large.repeat(4000), " ".repeat(200 << 20));
    let spaced = whole(&format!("{large}{space}{last}"));
    let plans = [("rows", whole(last)), ("space", spaced)];
    for (number, (what, plan)) in plans.into_iter().enumerate() {
        std::fs::write(&path, plan).expect("a file");
        for (form, threads) in tried(number, &[("ndjson", "8"), ("ndjson", "2"), ("csv", "8")]) {
            let args = [text, "--format", form, "--threads", threads];
            let peak = peak(&args, &path, Stdio::null());
            assert!(peak < RESIDENT_MAX, "{what}, {form}, {threads} threads: {peak} MiB");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_compressed_plans() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    generate("100M", &[], &path);
    let text = std::fs::read(&path).expect("the plan");
    for (name, form) in [
        ("gzip", crate::same_answer::forms::gzip(&text)),
        ("zstd", crate::same_answer::forms::zstd(&text)),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, form).expect("a file");
        let peak = peak(&[path.to_str().expect("UTF-8")], &path, Stdio::null());
        assert!(peak < RESIDENT_MAX, "{name}: {peak} MiB");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_skipped_values() {
    const LEN: usize = 150 * MIB;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan.json");
    for [open, piece, close] in
        [["\"", "x", "\""], ["[", "[],", "0]"], ["[", "{\"k\":0},", "0]"], ["[", "1,", "0]"]]
    {
        let filling = piece.repeat(LEN / piece.len());
        let state = [open, &filling, close].concat();
        let plan =
            format!(r#"{{"format_version":"1.2","prior_state":{state},"resource_changes":[]}}"#);
        std::fs::write(&path, plan).expect("a file");
        let text = path.to_str().expect("UTF-8");
        for (way, peak) in [
            ("mapped", peak(&[text], &path, Stdio::null())),
            ("piped", peak(&["-"], &path, piped(&path))),
        ] {
            assert!(peak < RESIDENT_MAX, "{piece} {way}: {peak} MiB");
        }
    }
}

/// A pipe that delivers the bytes of a file.
fn piped(path: &Path) -> Stdio {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let mut file = File::open(path).expect("the plan");
    // The thread ends at the end of the file, or when the reader closes the pipe.
    std::thread::spawn(move || drop(std::io::copy(&mut file, &mut writer).and(writer.flush())));
    reader.into()
}
