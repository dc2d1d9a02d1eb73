//! Reports: what they say of the corpus, word by word; that readers of their formats read them; what
//! is left out when asked; that nothing of a plan does anything in them.
//!
//! Beside each plan of the corpus stand its reports. `UPDATE=1` in the environment rewrites them;
//! look at them before they are kept.

mod golden;
mod machines;
mod noise;
mod rendered;
mod safe;

use std::path::Path;
use std::process::Output;

use crate::run;

/// What a run wrote to standard output, or its error.
fn written(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// The report of a plan.
fn report(args: &[&str], plan: &Path) -> String {
    let output = run::plansift().arg("report").args(args).arg(plan).output().expect("it runs");
    written(&output)
}

/// The report of a plan that is piped.
fn report_of(args: &[&str], plan: &str) -> String {
    let args: Vec<&str> = ["report"].iter().chain(args).chain(&["-"]).copied().collect();
    written(&run::piped(&args, plan.as_bytes()))
}

/// A plan of these changes: the type of each, and the members of its change.
fn plan_of(changes: &[(&str, &str)]) -> String {
    let change = |(number, (kind, members)): (usize, &(&str, &str))| {
        format!(
            r#"{{"address":"{kind}.r{number}","mode":"managed","type":"{kind}","name":"r{number}","change":{{{members}}}}}"#
        )
    };
    let changes: Vec<String> = changes.iter().enumerate().map(change).collect();
    format!(
        r#"{{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[{}]}}"#,
        changes.join(",")
    )
}
