//! Reports, as a program reads them: Markdown by a reader of Markdown, commands by a runner, JSON
//! by its schema.

mod fit;
mod github;
mod hostile;
mod json;
mod markdown;
mod page;

use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;

use crate::run;

/// How a run of `plansift report` ended, and what it printed.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Runs it in a folder, with arguments and variables.
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

/// A report about one plan of the corpus, from its folder.
fn of_corpus(case: &str, args: &[&str]) -> Run {
    let folder = run::root().join("corpus/plans").join(case);
    let args: Vec<&str> = args.iter().copied().chain(["plan.json"]).collect();
    let run = report(&folder, &args, &[]);
    assert!(matches!(run.code, Some(0 | 3)), "{case}: {run:?}");
    run
}

/// A folder with plans of the corpus and other files in it.
fn folder(cases: &[&str], files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for case in cases {
        let plan = run::root().join("corpus/plans").join(case).join("plan.json");
        std::fs::copy(plan, folder.path().join(format!("{case}.json"))).expect("a copy");
    }
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}
