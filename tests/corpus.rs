//! The corpus: small plans with the expected records, and invalid documents with the expected
//! error. To add a case, add a file and a line in `corpus/README.md`; no code is needed.
//!
//! `UPDATE=1` in the environment rewrites the expected output. Compare it line by line with
//! docs/format/records.md before you commit it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use plansift::error::Result;
use plansift::input::{self, Input, Source};
use plansift::record::{RecordOptions, Show};
use plansift::sink::Sink;
use plansift::sink::ndjson::Ndjson;
use serde_json::Value;

use crate::{naive, run};

/// Folders of invalid documents.
const REFUSED: [&str; 2] = ["wrong", "hostile"];

/// A plan of the corpus.
pub struct Case {
    /// A folder, named after the feature of the plan.
    pub folder: PathBuf,
    /// The plan, plain or compressed.
    pub plan: PathBuf,
}

impl Case {
    /// The file name of the plan.
    pub fn source(&self) -> String {
        self.plan.file_name().expect("a file").to_string_lossy().into_owned()
    }
}

/// All plans of the corpus, sorted by name.
pub fn cases() -> Vec<Case> {
    let cases: Vec<_> = entries("plans").into_iter().map(case).collect();
    assert!(!cases.is_empty(), "an empty corpus");
    cases
}

fn case(folder: PathBuf) -> Case {
    let mut plans = Vec::new();
    for entry in fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if name(&path).starts_with("plan.") {
            plans.push(path);
        }
    }
    let [plan] = &plans[..] else { panic!("{}: {} plans", folder.display(), plans.len()) };
    Case { plan: plan.clone(), folder }
}

/// All states of the corpus, sorted by name.
pub fn states() -> Vec<PathBuf> {
    entries("states")
}

/// The entries of a folder of the corpus, sorted by name.
fn entries(folder: &str) -> Vec<PathBuf> {
    let folder = run::root().join("corpus").join(folder);
    let entries = fs::read_dir(&folder).expect("a folder of the corpus");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The invalid documents of a folder, each with the file of its expected error.
fn refused(folder: &str) -> Vec<(PathBuf, PathBuf)> {
    let documents = entries(folder).into_iter().filter(|path| !name(path).ends_with(".error"));
    let documents: Vec<_> = documents
        .map(|path| {
            let error = path.with_file_name(format!("{}.error", name(&path)));
            (path, error)
        })
        .collect();
    assert!(!documents.is_empty(), "nothing in {folder}");
    documents
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// Opens a file of the corpus or of the reference folder.
pub fn open(path: &Path) -> Result<Input> {
    Input::open_file(path, &input::InputOptions::default())
}

/// The records of a plan as NDJSON.
fn ndjson(case: &Case, show: Show) -> String {
    let options = RecordOptions { show, ..RecordOptions::default() };
    let mut text = Vec::new();
    let mut sink = Ndjson::new(&mut text);
    open(&case.plan)
        .and_then(|input| run::write_plan(input, &case.source(), &options, &mut sink))
        .and_then(|_| sink.finish())
        .unwrap_or_else(|error| panic!("{}: {error}", case.plan.display()));
    drop(sink);
    String::from_utf8(text).expect("records are UTF-8")
}

/// Compares a text with a file and appends differences to `report`. With `UPDATE` in the
/// environment, writes the text to the file instead.
pub fn differences(file: &Path, text: &str, report: &mut String) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, text).expect("the corpus can be written");
        return;
    }
    let expected = fs::read_to_string(file).unwrap_or_default();
    if text == expected {
        return;
    }
    let lines = expected.lines().zip(text.lines());
    let same = lines.take_while(|(expected, text)| expected == text).count();
    let line = |text: &str| text.lines().nth(same).unwrap_or("nothing").to_owned();
    let (file, expected, text) = (file.display(), line(&expected), line(text));
    let _ = write!(report, "{file}, line {}:\nexpected {expected}\nfound    {text}\n", same + 1);
}

#[test]
fn plans_give_the_expected_records() {
    let mut report = String::new();
    for case in cases() {
        for (file, show) in [("expected.ndjson", Show::Changes), ("expected.all.ndjson", Show::All)]
        {
            differences(&case.folder.join(file), &ndjson(&case, show), &mut report);
        }
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn refused_documents_give_the_expected_error() {
    let mut report = String::new();
    for (document, error) in REFUSED.into_iter().flat_map(refused) {
        let found =
            open(&document).and_then(|input| run::records(input, &RecordOptions::default()));
        let text = match found {
            Ok((records, _)) => format!("{} records\n", records.len()),
            Err(found) => format!("{found}\n"),
        };
        differences(&error, &text, &mut report);
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn the_oracle_makes_the_same_records() {
    for case in cases() {
        let (document, bytes) = tree(&case);
        for show in [Show::Changes, Show::All] {
            let oracle = naive::records(&document, &case.source(), bytes, show == Show::All);
            let text = ndjson(&case, show);
            let records: Vec<Value> =
                text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            for (record, oracle) in records.iter().zip(&oracle) {
                assert_eq!(record, oracle, "{}", case.folder.display());
            }
            assert_eq!(records.len(), oracle.len(), "{}", case.folder.display());
        }
    }
}

/// The tree and the length in bytes of a plan. The length includes space around the document, but
/// not a byte order mark or a wrapper's text.
fn tree(case: &Case) -> (Value, u64) {
    let text = text(&case.plan);
    let text = text.trim_start_matches('\u{feff}');
    let document = match text.trim_start().starts_with('{') {
        true => text,
        false => &text[text.find("{\"format_version\"").expect("a plan")..],
    };
    let mut values = serde_json::Deserializer::from_str(document).into_iter();
    let tree = values.next().expect("a document").expect("JSON");
    let rest = &document[values.byte_offset()..];
    (tree, (document.len() - rest.trim_start().len()) as u64)
}

/// The text of a plan, decompressed and decoded.
fn text(plan: &Path) -> String {
    let mut input = open(plan).expect("a plan opens");
    while input.fill(0).expect("a plan is read") {}
    String::from_utf8(input.window().to_vec()).expect("a plan is UTF-8")
}

#[test]
fn the_readme_lists_every_file() {
    let readme = fs::read_to_string(run::root().join("corpus/README.md")).expect("a readme");
    for (folder, files) in [
        ("plans", entries("plans")),
        ("states", states()),
        ("native-states", entries("native-states")),
        ("wrong", refused("wrong").into_iter().map(|(document, _)| document).collect()),
        ("hostile", refused("hostile").into_iter().map(|(document, _)| document).collect()),
    ] {
        let heading = format!("## `{folder}/`");
        let (_, section) = readme.split_once(&heading).expect("a section for each folder");
        let section = section.split("\n## ").next().unwrap_or_default();
        let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let cells = rows.filter_map(|row| row.split(" |").next());
        let listed: BTreeSet<String> =
            cells.flat_map(|cell| cell.split(", ").map(|name| name.replace('`', ""))).collect();
        let there: BTreeSet<String> = files.iter().map(|path| name(path)).collect();
        assert_eq!(listed, there, "corpus/README.md, {heading}");
    }
}

#[test]
fn every_error_file_belongs_to_a_document() {
    for folder in REFUSED {
        let errors: BTreeSet<_> = refused(folder).into_iter().map(|(_, error)| error).collect();
        let files = entries(folder).into_iter();
        let there: BTreeSet<_> = files.filter(|path| name(path).ends_with(".error")).collect();
        assert_eq!(errors, there);
    }
}
