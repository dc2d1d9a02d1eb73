//! Comparisons, approvals and digests against an oracle over whole trees.

mod cases;
pub mod edits;
pub mod oracle;
pub mod plans;
mod random;
mod real;
mod rules;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::run;

/// A key file, and a folder for other files.
struct Key {
    folder: TempDir,
}

/// The answer of `compare`.
#[derive(Debug, PartialEq)]
struct Answer {
    code: i32,
    differences: Vec<Value>,
    summary: Value,
}

impl Key {
    fn new() -> Key {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("key"), "the key of these tests").expect("a file");
        Key { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).expect("a file");
        path
    }

    /// Runs a command, with the key, and returns its output and exit code.
    fn run(&self, command: &str, inputs: &[&Path], args: &[&str]) -> (String, i32) {
        let mut run = run::plansift();
        run.arg(command).args(inputs).args(args).arg("--key-file").arg(self.path("key"));
        let output = run.output().expect("the binary runs");
        let code = output.status.code().expect("an exit code");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(![1, 101].contains(&code), "{command} {inputs:?} {args:?}: {said}");
        (String::from_utf8(output.stdout).expect("UTF-8"), code)
    }

    /// Compares two documents.
    fn ask(&self, old: &Path, new: &Path, args: &[&str]) -> Answer {
        let args = [args, &["--format", "ndjson"]].concat();
        let (text, code) = self.run("compare", &[old, new], &args);
        let records = text.lines().map(|line| serde_json::from_str(line).expect("a record"));
        let mut records: Vec<Value> = records.collect();
        assert_eq!(records.first().expect("a pair")["kind"], "pair");
        let summary = records.pop().expect("a summary");
        assert_eq!(summary["kind"], "summary");
        records.remove(0);
        assert!(records.iter().all(|record| record["kind"] == "difference"));
        Answer { code, differences: records, summary }
    }

    /// Makes an approval of a plan.
    fn approve(&self, plan: &Path, args: &[&str]) -> PathBuf {
        let path = self.path("approval");
        self.run(
            "approve",
            &[plan],
            &[args, &["--output", path.to_str().expect("UTF-8")]].concat(),
        );
        path
    }

    /// The digest of a document.
    fn digest(&self, document: &Path, args: &[&str]) -> String {
        let (text, _) = self.run("digest", &[document], args);
        text.split(' ').next().expect("a digest").to_owned()
    }
}

impl Answer {
    /// A line for each difference: its direction, level, object and address.
    fn lines(&self) -> Vec<String> {
        let line = |record: &Value| {
            let deposed = record.get("deposed").and_then(Value::as_str);
            let deposed = deposed.map(|key| format!(" (deposed {key})")).unwrap_or_default();
            let words = ["direction", "level", "object", "address"]
                .map(|key| record[key].as_str().expect("a word").to_owned());
            words.join(" ") + &deposed
        };
        self.differences.iter().map(line).collect()
    }
}
