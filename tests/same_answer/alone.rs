//! plansift gives the same answer when the system allows no second thread.

use std::fs;
use std::path::Path;
use std::process::Output;

use super::forms::zstd;
use crate::generated::generated;
use crate::run;

/// Length of the plan in bytes. It is long enough that plansift tries to start threads.
const SIZE: usize = 4 << 20;

/// A stack size of 2^50 bytes. No address space has room for it, so no thread starts.
const STACK: &str = "1125899906842624";

/// Runs with one thread as the reference, or with four threads that cannot start.
fn output(folder: &Path, args: &str, input: &[u8], is_reference: bool) -> Output {
    let mut command = run::plansift();
    command.args(args.split(' ')).current_dir(folder);
    match is_reference {
        true => command.args(["--threads", "1"]),
        false => command.args(["--threads", "4"]).env("RUST_MIN_STACK", STACK),
    };
    run::with_input(command, input)
}

/// The contents of the row files of a batch.
fn rows(batch_out: &Path) -> Vec<String> {
    let Ok(files) = fs::read_dir(batch_out.join("records")) else { return Vec::new() };
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).expect("rows")).collect()
}

#[test]
fn output_is_the_same_if_no_thread_can_start() {
    let generated_in = tempfile::tempdir().expect("a folder");
    let (plan, _) = generated(generated_in.path(), "estate", &[], SIZE);
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
        let batch_out = folder.path().join("done");
        let expected = output(folder.path(), args, &plan, true);
        let rows = rows(&batch_out);
        let _ = fs::remove_dir_all(&batch_out);
        let found = output(folder.path(), args, &plan, false);
        assert!(
            rows == self::rows(&batch_out) && rows.len() == 2 * usize::from(batch_out.exists())
        );
        let said = String::from_utf8_lossy(&found.stderr);
        assert_eq!(found.status, expected.status, "{args}: {said}");
        assert_eq!(said, String::from_utf8_lossy(&expected.stderr), "{args}");
        assert!(found.stdout == expected.stdout, "{args}");
    }
}
