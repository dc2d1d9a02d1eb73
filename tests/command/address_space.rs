//! Runs with a limited address space (`ulimit -v`): an answer, a failed input or a clear error.
//! Never a crash, and never an error that calls the input damaged.

use std::process::{Command, Stdio};

use super::{Folder, Run};
use crate::generated::generated;
use crate::run;

/// Runs plansift with an address space of `mebibytes` MiB. The exit code is `None` if a signal
/// ended the run.
fn run_in(folder: &Folder, mebibytes: u64, args: &str) -> Run {
    let mut command = Command::new("sh");
    let script = format!("ulimit -c 0; ulimit -v {}; exec \"$0\" {args}", mebibytes * 1024);
    command.args(["-c", &script]).arg(run::plansift().get_program());
    command.current_dir(folder.0.path()).env("RUST_BACKTRACE", "0").stdin(Stdio::null());
    Run::of(&command.output().expect("it runs"))
}

#[test]
fn too_little_address_space_is_an_error() {
    let folder = Folder::new();
    let (plan, _) = generated(folder.0.path(), "estate", &[], 8 << 20);
    folder.write("p.json", &plan);
    folder.write("p.zst", zstd::encode_all(&plan[..], 1).expect("it is compressed"));
    // Below this the system itself cannot start the program.
    let start = (8..2000).step_by(4).find(|&it| run_in(&folder, it, "--version").code == Some(0));
    let start = start.expect("it starts with 2 GB");
    let more = match run::is_nightly() {
        true => &[0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 2048][..],
        false => &[0, 2, 4, 8, 24, 48, 128, 2048],
    };
    let (mut done, mut refused) = (0, 0);
    for args in [
        "summary p.json",
        "changes p.json",
        "changes p.zst",
        "redact p.json",
        "redact --echo off p.zst",
        "audit p.json",
        "report p.json",
        "batch p.json p.zst --out out -j 2",
    ] {
        for &more in more {
            let run = run_in(&folder, start + more, args);
            let what = format!("{args}, {more} MiB more than {start}: {:?}, {}", run.code, run.err);
            match run.code {
                Some(0) => done += 1,
                Some(1 | 4) => {
                    refused += 1;
                    let is_clear = run.err.contains("out of memory")
                        || run.err.contains("not enough memory")
                        || run.err.contains("Cannot allocate memory");
                    assert!(is_clear, "{what}");
                }
                _ => panic!("{what}"),
            }
            assert!(!run.err.contains("damaged") && more < 2048 || run.code == Some(0), "{what}");
            let _ = std::fs::remove_dir_all(folder.path("out"));
        }
    }
    assert!(done > 8 && refused > 8, "{done} done, {refused} refused");
}
