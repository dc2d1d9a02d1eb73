//! The same answer where no thread can be had beside the first one.

use std::fs;
use std::path::Path;
use std::process::Output;

use super::forms::zstd;
use crate::generated::generated;
use crate::run;

/// More than is read before another thread is worth its start.
const SIZE: usize = 4 << 20;

/// A thread cannot have a stack of so many bytes: 64 TiB.
const STACK: &str = "70368744177664";

fn output(folder: &Path, args: &str, input: &[u8], can_start: bool) -> Output {
    let mut command = run::plansift();
    command.args(args.split(' ')).current_dir(folder);
    match can_start {
        true => command.args(["--threads", "1"]),
        false => command.args(["--threads", "4"]).env("RUST_MIN_STACK", STACK),
    };
    run::with_input(command, input)
}

#[test]
fn without_other_threads() {
    let made = tempfile::tempdir().expect("a folder");
    let (plan, _) = generated(made.path(), "estate", &[], SIZE);
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text);
    write("plan.json", &plan).expect("it is written");
    write("plan.json.zst", &zstd(&plan)).expect("it is written");
    for args in [
        "changes plan.json",
        "changes plan.json.zst",
        "changes --no-mmap plan.json",
        "changes -",
        "summary .",
        "report --output markdown=- plan.json.zst",
        "redact plan.json.zst",
        "audit plan.json.zst",
        "slim -",
        "batch --out done plan.json plan.json.zst",
    ] {
        let expected = output(folder.path(), args, &plan, true);
        let _ = fs::remove_dir_all(folder.path().join("done"));
        let found = output(folder.path(), args, &plan, false);
        let said = String::from_utf8_lossy(&found.stderr);
        assert_eq!(found.status, expected.status, "{args}: {said}");
        assert_eq!(said, String::from_utf8_lossy(&expected.stderr), "{args}");
        assert!(found.stdout == expected.stdout, "{args}");
    }
}
