//! Damaged plans: a command fails if the document is no longer JSON. Otherwise its records are
//! those of the damaged document.
//!
//! Damage imitates storage, copying and careless editing: a range of bytes or lines is lost,
//! blanked, zeroed or repeated. The rest may have matching brackets and read as "no changes".
//! serde_json decides what is JSON; the oracle ([`naive`]) knows the records.
//!
//! `cargo test` tries 100 documents. `scripts/nightly` sets `PLANSIFT_NIGHTLY`, which tries 20 000.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::generated::generated;
use crate::run::plansift;
use crate::{corpus, naive, run, shared_plans};

/// Longest plan that is damaged, in bytes.
const LEN_MAX: usize = 1 << 20;

/// Each command that reads plans, with one representative output format.
const COMMANDS: [&[&str]; 16] = [
    &["changes", "--all"],
    &["changes", "--format", "csv"],
    &["changes", "--no-paths"],
    &["summary"],
    &["report", "-o", "json"],
    &["report", "-o", "markdown"],
    &["report", "-o", "compact"],
    &["summary", "--format", "json"],
    &["report", "-o", "sarif"],
    &["redact"],
    &["redact", "--echo", "off"],
    &["slim"],
    &["audit"],
    &["compare", "--level", "values", "corpus/compare/shop/approved.json"],
    &["approve"],
    &["digest"],
];

#[test]
fn damaged_plans_are_refused_or_read_as_the_oracle_reads_them() {
    let count = if run::is_nightly() { 20_000 } else { 100 };
    let samples = samples();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let counts: Vec<Counts> = std::thread::scope(|scope| {
        let work = || {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut counts = Counts::default();
            loop {
                let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if number >= count {
                    return counts;
                }
                let (name, text) = &samples[number % samples.len()];
                let mut random = Random(number as u64);
                let (damaged, what) = damage(text, &mut random);
                let path = folder.path().join("plan.json");
                fs::write(&path, &damaged).expect("a file");
                let name = format!("{name}: {what}, number {number}");
                let found = check(&path, &damaged, &name);
                // A batch waits for the disk, so it gets only a tenth of the documents.
                if number.is_multiple_of(10) {
                    check_batch(&path, &found, &name);
                }
                counts.add(found);
            }
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no difference")).collect()
    });
    let sum = |of: fn(&Counts) -> usize| counts.iter().map(of).sum::<usize>();
    let (broken, read) = (sum(|counts| counts.not_json), sum(|counts| counts.read));
    // The test proves nothing unless it has documents of both kinds: still JSON, and not.
    assert!(broken > count / 2, "{broken} of {count} documents were no JSON");
    assert!(read > count / 50, "{read} of {count} documents were JSON and were read");
}

/// Counts of the damaged documents, by result.
#[derive(Default)]
struct Counts {
    not_json: usize,
    /// JSON, and read by `changes`.
    read: usize,
    /// Not JSON, but `changes` read a whole plan before the damage and refused the rest.
    partly: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.not_json += other.not_json;
        self.read += other.read;
        self.partly += other.partly;
    }
}

/// The second half of a plan follows the complete plan.
#[test]
fn damage_after_a_complete_plan_keeps_that_plan() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plan.json");
    let plan = run::root().join("corpus/plans/secret-outputs-0.14/plan.json");
    let plan = fs::read(plan).expect("a plan");
    let end = plan.len() - 1;
    let damaged = [&plan[..end], &plan[end / 2..end], b"\n"].concat();
    fs::write(&path, &damaged).expect("a file");
    let found = check(&path, &damaged, "a half behind");
    assert_eq!((found.partly, found.not_json, found.read), (1, 0, 0));
    check_batch(&path, &found, "a half behind");
}

#[test]
fn damage_that_keeps_all_brackets_is_refused() {
    for name in ["B1-min.json", "B1-min2.json"] {
        let path = run::corpus("attack").join(name);
        let text = fs::read(&path).expect("a document");
        let found = check(&path, &text, name);
        assert_eq!(found.not_json, 1, "{name}");
        check_batch(&path, &found, name);
    }
}

/// Runs every command on a damaged document.
fn check(path: &Path, text: &[u8], name: &str) -> Counts {
    let mut counts = Counts::default();
    for command in COMMANDS {
        let output = plansift().args(command).arg(path).output().expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stderr);
        let name = format!("{name}: {}: {said}", command.join(" "));
        match output.status.code() {
            Some(0) => {}
            Some(1) => {
                counts.not_json += usize::from(is_changes(command) && json(text).is_none());
                continue;
            }
            // The damage is after a complete plan: that plan is read, and the rest is refused.
            Some(4) if begins_with_document(text) && json(text).is_none() => {
                counts.partly += usize::from(is_changes(command));
                continue;
            }
            code => panic!("{name}exit {code:?}"),
        }
        let document = within_text(text, &said);
        let Some(tree) = json(document) else {
            panic!("{name}this is no JSON:\n{}", document.escape_ascii());
        };
        match command[0] {
            "changes" if is_changes(command) => {
                counts.read += 1;
                compare(&output, &tree, document, path, &name);
            }
            "redact" | "slim" => {
                assert!(json(&output.stdout).is_some(), "{name}what is written is no JSON");
            }
            _ => {}
        }
    }
    counts
}

/// Checks that `batch` reads the same plans as `changes`, and writes no record file if `changes`
/// reads none.
fn check_batch(path: &Path, found: &Counts, name: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = plansift()
        .args(["batch", "--quiet", "--out"])
        .arg(folder.path())
        .arg(path)
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stderr);
    let code = match found {
        Counts { read: 1.., .. } => 0,
        Counts { partly: 1.., .. } => 4,
        _ => 1,
    };
    assert_eq!(output.status.code(), Some(code), "{name}: batch: {said}");
    let records = fs::read_dir(folder.path().join("records")).map_or(0, |files| files.count());
    assert_eq!(records, usize::from(code != 1), "{name}: batch: files of records");
}

/// Whether the records of the command are compared with the oracle.
fn is_changes(command: &[&str]) -> bool {
    command == COMMANDS[0]
}

/// Whether a text begins with a complete JSON document, according to serde_json.
fn begins_with_document(text: &[u8]) -> bool {
    let mut documents = serde_json::Deserializer::from_slice(text).into_iter::<Value>();
    matches!(documents.next(), Some(Ok(Value::Object(_))))
}

fn json(text: &[u8]) -> Option<Value> {
    serde_json::from_slice(text).ok()
}

/// The document without the surrounding text that was skipped with a warning.
fn within_text<'a>(text: &'a [u8], said: &str) -> &'a [u8] {
    let skipped = |side: &str| -> usize {
        let line = said.lines().find(|line| line.ends_with(&format!("other text {side} the plan")));
        let count = line.and_then(|line| line.split("stepped over ").nth(1)?.split(' ').next());
        count.map_or(0, |count| count.parse().expect("a number of bytes"))
    };
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    &text[skipped("before")..text.len() - skipped("after")]
}

/// Compares the records of `changes --all` with those of the oracle.
fn compare(output: &Output, tree: &Value, document: &[u8], path: &Path, name: &str) {
    let lines = String::from_utf8(output.stdout.clone()).expect("records are text");
    let records: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let source = path.to_str().expect("a path in UTF-8");
    let oracle = naive::records(tree, source, document.len() as u64, true);
    if let Some(difference) = naive::difference(&records, &oracle) {
        panic!("{name}{difference}");
    }
}

/// Plans of the corpus and of the reference folder, and generated plans.
fn samples() -> Vec<(String, Vec<u8>)> {
    let name = |path: &Path| path.display().to_string();
    let of_corpus = corpus::cases().into_iter().map(|case| (name(&case.plan), case.plan));
    let mut samples: Vec<_> = of_corpus
        .chain(shared_plans::plans())
        .map(|(name, path)| (name, fs::read(path).expect("a plan")))
        .filter(|(_, text)| text.len() <= LEN_MAX && json(text).is_some())
        .collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (shape, layout) in [("estate", &[][..]), ("busy", &["--indent"]), ("first-run", &[])] {
        let (text, _) = generated(folder.path(), shape, layout, 200_000);
        samples.push((format!("generated {shape}"), text));
    }
    run::assert_enough(samples.len(), 300, 152);
    samples
}

/// A damaged copy of a text, and a description of the damage.
fn damage(text: &[u8], random: &mut Random) -> (Vec<u8>, String) {
    let range = if random.below(4) == 0 { lines(text, random) } else { bytes(text, random) };
    let (before, lost, after) = (&text[..range.start], &text[range.clone()], &text[range.end..]);
    let (kind, middle) = match random.below(4) {
        0 => ("lost", Vec::new()),
        1 => ("blanked", vec![b' '; lost.len()]),
        2 => ("zeroed", vec![0; lost.len()]),
        _ => ("repeated", [lost, lost].concat()),
    };
    ([before, &middle, after].concat(), format!("bytes {range:?} {kind}"))
}

/// A range of 8 to 4096 bytes, but at most half of the text; a longer range could contain the whole
/// document.
fn bytes(text: &[u8], random: &mut Random) -> Range<usize> {
    // Short ranges are as frequent as long ones.
    let len = (8 << random.below(10)).min(text.len() / 2);
    let start = random.below(text.len() - len);
    start..start + len
}

/// The byte range of up to five lines.
fn lines(text: &[u8], random: &mut Random) -> Range<usize> {
    let starts: Vec<usize> = std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1))
        .filter(|start| *start < text.len())
        .collect();
    let count = 1 + random.below(5);
    if starts.len() < 2 * count {
        return bytes(text, random);
    }
    let first = random.below(starts.len() - count);
    starts[first]..starts[first + count]
}

/// SplitMix64: pseudo-random numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}
