//! The plans of the generator in `corpus/attack/t3`. Each has one part that grows.

use std::fs;
use std::process::Command;

use super::{BASE, MIB, run};
use crate::run::{corpus, is_nightly, is_tried_of, left_out};

/// Commands that keep something of a plan, and the factor of their memory for the largest element.
const COMMANDS: [(&[&str], f64); 16] = [
    (&["summary"], 4.0),
    (&["changes"], 4.0),
    (&["report"], 4.0),
    (&["report", "-o", "html", "--values", "all"], 4.0),
    (&["report", "--full"], 16.0),
    (&["redact", "--echo", "contains"], 4.0),
    (&["redact"], 4.0),
    (&["redact", "--for-agent"], 4.0),
    (&["audit"], 4.0),
    (&["slim"], 4.0),
    (&["variables"], 4.0),
    (&["outputs"], 4.0),
    (&["resources"], 4.0),
    (&["checks"], 4.0),
    (&["config"], 4.0),
    (&["assert", "-e", "resource: '*', path: '**', known: zz"], 4.0),
];

/// The paths, the marked paths and the secrets of one change at their limits, in MiB.
const COUNTED: f64 = 32.0;

/// At night, each command reads each plan with 1, 4 and 16 MB. By day, one command reads every
/// second plan with 1 MB.
#[test]
fn memory_is_bounded_for_generated_plans() {
    let generator = corpus("attack/t3/t3gen.py");
    if Command::new("python3").arg("--version").output().is_err() {
        left_out("python3 is not installed");
        return;
    }
    let source = fs::read_to_string(&generator).expect("the generator");
    let names: Vec<_> =
        source.split("n=='").skip(1).filter_map(|it| it.split('\'').next()).collect();
    assert!(names.len() > 50, "{names:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.json"), folder.path().join("said"));
    let text = path.to_str().expect("UTF-8");
    let sizes: &[&str] = if is_nightly() { &["1", "4", "16"] } else { &["1"] };
    let mut wrong = Vec::new();
    for (number, name) in names.iter().enumerate().filter(|(at, _)| is_tried_of(2, *at)) {
        for size in sizes {
            let plan = fs::File::create(&path).expect("a file");
            let status =
                Command::new("python3").arg(&generator).args([name, size]).stdout(plan).status();
            assert!(status.expect("it runs").success(), "{name} {size}");
            let mib = fs::metadata(&path).expect("a file").len() as f64 / MIB as f64;
            for (at, (command, factor)) in COMMANDS.iter().enumerate() {
                let is_tried = is_tried_of(COMMANDS.len(), at + number);
                // `config` refuses a plan without a configuration.
                let is_config = command[0] == "config";
                if !is_tried || is_config && !name.starts_with("cfg") {
                    continue;
                }
                let bound = BASE + COUNTED + factor * mib;
                let peak = run(&[command, &[text][..]].concat(), &said);
                if peak > bound {
                    wrong.push(format!("{name} {size}: {command:?}: {peak:.0} of {bound:.0}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
