//! Binary plan files: their JSON against the JSON that the tools print, every command on them, and
//! files that are damaged or hostile.
//!
//! The JSON of a plan file equals that of the tool, section by section and byte for byte, but for
//! what the file does not hold. [`Rule`] lists these differences; any other fails.

mod amplified;
pub mod build;
mod canaries;
mod compare;
mod hostile;
mod marks;
mod schemas;
mod states;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use compare::{Rule, Table};
use plansift::error::Result;
use plansift::input::{Rereadable, into_error};
use plansift::limits::Limits;
use plansift::planfile::{self, SchemaFiles, read_schemas};

use crate::{run, shared_plans};

/// The JSON of a plan file.
fn json(path: &Path, schemas: &SchemaFiles) -> Result<String> {
    let limits = Limits::default();
    let file = Rereadable::open_file(path, &limits)?;
    let mut text = String::new();
    let mut document = planfile::open(&file, schemas, &limits)?;
    document.read_to_string(&mut text).map_err(into_error)?;
    Ok(text)
}

fn corpus_folder() -> PathBuf {
    run::root().join("corpus/planfiles")
}

/// How many damages each plan file of the corpus gets.
fn damages() -> usize {
    if run::is_nightly() { 10_000 } else { 100 }
}

/// The plan files of the corpus, each beside its JSON.
fn corpus() -> Vec<(PathBuf, PathBuf)> {
    let folders = fs::read_dir(corpus_folder()).expect("the folder is there");
    let folders = folders.map(|folder| folder.expect("it is read").path());
    let mut files: Vec<_> = folders
        .filter(|folder| folder.is_dir())
        .map(|folder| (folder.join("plan.tfplan"), folder.join("plan.json")))
        .collect();
    files.sort();
    assert!(files.len() >= 15, "{} plan files", files.len());
    files
}

/// The schemas of these files.
fn schemas(paths: &[PathBuf]) -> SchemaFiles {
    let limits = Limits::default();
    let read = |path: &PathBuf| read_schemas(path, &limits).expect("it is a file of schemas");
    SchemaFiles::new(paths.iter().map(read).collect(), None, &limits)
}

fn corpus_schemas() -> SchemaFiles {
    schemas(&[corpus_folder().join("schemas.json")])
}

fn table(files: &[(PathBuf, PathBuf)], schemas: &SchemaFiles) -> Table {
    let mut table = Table::default();
    for (file, expected) in files {
        let name = file.display().to_string();
        let text = json(file, schemas).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = fs::read_to_string(expected).expect("the JSON is there");
        table.compare(&name, &text, &expected);
    }
    table
}

#[test]
fn plan_files_of_the_corpus_equal_the_json_of_terraform() {
    let table = table(&corpus(), &SchemaFiles::default());
    let known =
        [Rule::SchemaVersion, Rule::Default, Rule::Order, Rule::MarkedHere, Rule::UnknownShape];
    table.assert_only(&known);
}

#[test]
fn with_schemas_only_defaults_orders_and_marks_differ() {
    let known = [Rule::Default, Rule::Order, Rule::MarkedHere];
    table(&corpus(), &corpus_schemas()).assert_only(&known);
}

/// The number of plan files in `corpus/real`.
const PLAN_FILES: usize = 77;

/// The plan files of `corpus/real`, which the tools wrote, each beside its JSON.
fn real() -> Vec<(PathBuf, PathBuf)> {
    let files = shared_plans::below(&run::corpus(""), "real").into_iter().map(|(_, path)| path);
    let files = files.filter(|path| path.extension().is_some_and(|it| it == "tfplan"));
    let files: Vec<_> =
        files.map(|path| (path.clone(), path.with_extension("plan.json"))).collect();
    assert!(files.len() >= PLAN_FILES, "only {} plan files", files.len());
    files
}

/// Prints a table of the differences. The harness hides what a passing test prints.
#[test]
fn real_plan_files_equal_the_json_of_the_tools() {
    let table = table(&real(), &SchemaFiles::default());
    let _ = std::io::stderr().write_all(table.to_string().as_bytes());
    table.assert_only(&Rule::ALL);
}

#[test]
fn every_command_reads_a_plan_file_like_its_json() {
    for (file, expected) in corpus() {
        let of = |path: &Path, args: &[&str]| {
            let output = run::plansift().args(args).arg(path).output().expect("it runs");
            assert!(output.status.success(), "{}: {output:?}", path.display());
            let text = String::from_utf8(output.stdout).expect("text");
            text.replace("plan.tfplan", "plan").replace("plan.json", "plan")
        };
        // JSON has no configuration with places.
        for args in [
            &["changes", "--all", "--quiet", "--no-source"][..],
            &["summary", "--quiet", "--no-source"],
        ] {
            let without_size = |text: String| {
                let lines = text.lines().map(|line| match line.find("\"bytes\":") {
                    Some(at) => line[..at].to_owned(),
                    None => line.to_owned(),
                });
                lines.collect::<Vec<_>>().join("\n")
            };
            let (one, two) = (of(&file, args), of(&expected, args));
            // Where a resource is replaced, more is marked.
            if !file.ends_with("secrets-replaced/plan.tfplan") {
                assert_eq!(without_size(one), without_size(two), "{}", file.display());
            }
        }
        for args in [&["redact", "--quiet"][..], &["slim", "--quiet"], &["audit"], &["report"]] {
            let text = of(&file, args);
            assert!(!text.contains("CANARY-"), "{}: {args:?}: {text}", file.display());
        }
    }
}

#[test]
fn plan_files_come_from_pipes_too() {
    let (file, expected) = &corpus()[0];
    let file = fs::read(file).expect("it is there");
    let expected = fs::read(expected).expect("it is there");
    let zipped = crate::same_answer::forms::gzip(&file);
    for input in [&file, &zipped] {
        for args in [&["changes"][..], &["redact", "--quiet"]] {
            let output = run::piped(args, input);
            assert!(output.status.success(), "{output:?}");
        }
    }
    let records = run::piped(&["changes"], &file).stdout;
    let bytes = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(bytes(&records), bytes(&run::piped(&["changes"], &expected).stdout));
}

#[test]
fn the_json_of_a_plan_file_is_never_spooled() {
    for (file, _) in corpus() {
        for command in ["redact", "audit", "report", "slim"] {
            let mut run = run::plansift();
            run.args([command, "--quiet", "--limit-spool", "1"]).arg(&file);
            let output = run.output().expect("it runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("spool"), "{command} {}: {said}", file.display());
            assert!(output.status.success(), "{command} {}: {said}", file.display());
        }
    }
}

#[test]
fn show_prints_the_json_of_a_plan_file() {
    let folder = corpus_folder().join("secrets");
    let show = |args: &[&str]| {
        let mut command = run::plansift();
        command.arg("show").args(args).current_dir(&folder);
        command.output().expect("it runs")
    };
    let whole = show(&["-json", "plan.tfplan"]);
    assert_eq!(
        whole.stdout,
        json(&folder.join("plan.tfplan"), &SchemaFiles::default()).unwrap().as_bytes()
    );
    assert!(whole.status.success() && whole.stderr.is_empty());
    let known = show(&["plan.tfplan", "--schemas", "../schemas.json"]);
    let text = json(&folder.join("plan.tfplan"), &corpus_schemas()).unwrap();
    assert_eq!(known.stdout, text.as_bytes());
    let redacted = String::from_utf8(show(&["--redact", "plan.tfplan"]).stdout).unwrap();
    assert!(redacted.contains("\"resource_changes\"") && !redacted.contains("CANARY-"));
    let other = show(&["plan.json"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&other.stderr).contains("not a binary plan file"));
    let two = show(&["plan.tfplan", "../create/plan.tfplan"]);
    assert_eq!(two.status.code(), Some(64));
    let mut command = run::plansift();
    command.arg("show").arg(run::root().join("corpus/wrong/encrypted.tfplan"));
    let encrypted = String::from_utf8(command.output().expect("it runs").stderr).unwrap();
    assert!(encrypted.contains("encrypted") && encrypted.contains("tofu show"), "{encrypted}");
}

/// Only masking by the configuration misses it, and says so once.
#[test]
fn masking_a_plan_file_warns_once_about_its_missing_configuration() {
    let folder = corpus_folder();
    let said = |args: &[&str], files: &[&str]| {
        let mut command = run::plansift();
        let output = command.args(args).args(files).current_dir(&folder).output().expect("it runs");
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8_lossy(&output.stderr).matches("no configuration").count()
    };
    let copy = tempfile::NamedTempFile::with_suffix(".tfplan").expect("a file");
    fs::copy(folder.join("secrets/plan.tfplan"), &copy).expect("a copy");
    let both = ["secrets/plan.tfplan", copy.path().to_str().expect("UTF-8")];
    for args in [&["redact"][..], &["slim", "--keep", "changes,variables"], &["show", "--redact"]] {
        assert_eq!(said(args, &both[..1]), 1, "{args:?}");
        assert_eq!(said(args, &["create/plan.tfplan"]), 0, "{args:?}");
    }
    for args in [&["redact"][..], &["slim", "--keep", "changes,variables"]] {
        assert_eq!(said(args, &["secrets/plan.json"]), 0, "{args:?}");
        assert_eq!(said(args, &both), 1, "{args:?}");
        assert_eq!(said(&[args, &["--quiet"]].concat(), &both), 0, "{args:?}");
    }
    for args in [&["changes"][..], &["summary"], &["audit"], &["report"], &["show"]] {
        assert_eq!(said(args, &both[..1]), 0, "{args:?}");
    }
}
