//! Reports. The tests compare their exact text for the corpus, parse them as their consumers do,
//! and check filters. No text of a plan may act as markup or as a command in them.
//!
//! Each folder of the corpus holds a plan and its expected reports. `UPDATE=1` in the environment
//! rewrites the reports; read the difference before you commit it.

mod assertions;
mod compact;
mod elements;
mod first;
mod fit;
mod full;
mod github;
mod golden;
mod hostile;
mod impact;
mod incomplete;
mod json;
mod lists;
mod machines;
mod markdown;
mod messages;
mod noise;
mod order;
mod page;
mod rendered;
mod safe;
mod statements;
mod summary_document;
mod values;
mod width;
mod wrapped;

use std::path::Path;
use std::process::{Output, Stdio};

use tempfile::TempDir;

use crate::run;

/// The standard output of a run. Panics with its standard error if the run failed.
fn written(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// The report of a plan in a file.
fn report_on(args: &[&str], plan: &Path) -> String {
    let output = run::plansift().arg("report").args(args).arg(plan).output().expect("it runs");
    written(&output)
}

/// The report of a plan that arrives through a pipe.
fn report_of(args: &[&str], plan: &str) -> String {
    let args: Vec<&str> = ["report"].iter().chain(args).chain(&["-"]).copied().collect();
    written(&run::piped(&args, plan.as_bytes()))
}

/// A plan with the given changes. Each consists of a resource type and the members of `change`.
fn plan_of(changes: &[(&str, &str)]) -> String {
    let change = |(number, (kind, members)): (usize, &(&str, &str))| {
        format!(
            r#"{{"address":"{kind}.r{number}","mode":"managed","type":"{kind}","name":"r{number}",
                "change":{{{members}}}}}"#
        )
    };
    let changes: Vec<String> = changes.iter().enumerate().map(change).collect();
    format!(
        r#"{{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[{}]}}"#,
        changes.join(",")
    )
}

/// The exit code and the output of a run of `plansift report`.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Runs `plansift report` in a folder, with arguments and environment variables.
fn report(folder: &Path, args: &[&str], variables: &[(&str, &Path)]) -> Run {
    let mut command = run::plansift();
    for variable in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
        command.env_remove(variable);
    }
    command.current_dir(folder).arg("report").args(args).envs(variables.iter().copied());
    let output = command.stdin(Stdio::null()).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Creates a folder with plans of the corpus and other files.
fn folder(cases: &[&str], files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for case in cases {
        let plan = run::root().join("corpus/plans").join(case).join("plan.json");
        std::fs::copy(plan, folder.path().join(format!("{case}.json"))).expect("a copy");
    }
    for (name, text) in files {
        write(&folder, name, text);
    }
    folder
}

/// Writes a file in a folder.
fn write(folder: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    std::fs::write(folder.path().join(name), text).expect("a file");
}
