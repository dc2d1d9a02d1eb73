//! The expected reports of each plan of the corpus.

use std::fs;

use crate::corpus::{cases, differences};
use crate::{html, run};

/// The rules that the reports check.
const RULES: [&str; 4] = ["delete", "drift", "check", "changes>3"];

/// The formats and their files. For `html`, the file has only the data of the page.
const FILES: [(&str, &str); 9] = [
    ("term", "report.txt"),
    ("markdown", "report.md"),
    ("html", "report.page.ndjson"),
    ("github", "report.github.txt"),
    ("json", "report.json"),
    ("variables", "report.env"),
    ("junit", "report.xml"),
    ("sarif", "report.sarif"),
    ("gitlab", "report.gitlab.json"),
];

/// The cases whose compact report is expected, too.
const COMPACT: [&str; 8] = [
    "rich",
    "moved",
    "replace-by-forgetting",
    "sensitive",
    "ci-commands",
    "deferred",
    "json-strings",
    "index",
];

#[test]
fn reports_match_the_expected_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut report = String::new();
    for case in cases() {
        let mut command = run::plansift();
        command.arg("report").current_dir(&case.folder);
        for variable in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
            command.env_remove(variable);
        }
        let is_compact = COMPACT.iter().any(|name| case.folder.ends_with(name));
        let compact = is_compact.then_some(("compact", "report.compact.txt"));
        let files = || FILES.into_iter().chain(compact);
        for (format, file) in files() {
            let target = folder.path().join(file);
            command.arg("-o").arg(format!("{format}={}", target.display()));
        }
        for rule in RULES {
            command.args(["--fail-on", rule]);
        }
        let output = command.arg(case.source()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}: {said}", case.plan.display());
        for (format, file) in files() {
            let mut text = fs::read_to_string(folder.path().join(file)).expect("a report");
            if format == "html" {
                text = html::parts(&text).1;
            }
            differences(&case.folder.join(file), &text, &mut report);
        }
    }
    assert!(report.is_empty(), "{report}");
}
