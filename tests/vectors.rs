//! Asks vectors that other programs made: questions with the answers of the libraries of Terraform.
//!
//! | set | from | module |
//! | --- | --- | --- |
//! | wire | go-cty, and Terraform 1.11.4 | `vectors/wire.rs` |
//! | config | Terraform 1.11.4 and 1.17, and OpenTofu 1.12.6 | `vectors/join.rs` |
//!
//! The vectors are in the folder that `PLANSIFT_VECTORS` names, `../shared/vectors` without it.
//! Each set ends with one line: `vectors SET: N asked, M differ, L listed`. A difference is listed
//! if a rule of the set explains it. The test fails if one is not.
//!
//! The binary has no harness, so that its lines reach standard output.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[path = "vectors/join.rs"]
mod join;
#[path = "vectors/wire.rs"]
mod wire;

/// Asks the questions of a set.
type Ask = fn(&Path) -> Tally;

/// The sets.
const SETS: [(&str, Ask); 2] = [("wire", wire::ask), ("config", join::ask)];

/// The numbers of a set.
#[derive(Default)]
struct Tally {
    asked: usize,
    differ: usize,
    listed: usize,
}

fn main() -> ExitCode {
    let folder = env::var_os("PLANSIFT_VECTORS").map(PathBuf::from);
    let folder = folder
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors"));
    let mut code = ExitCode::SUCCESS;
    for (name, ask) in SETS {
        let set = folder.join(name);
        if !set.is_dir() {
            println!("vectors {name}: skipped, there is no folder {}", set.display());
            continue;
        }
        let Tally { asked, differ, listed } = ask(&set);
        println!("vectors {name}: {asked} asked, {differ} differ, {listed} listed");
        if differ != listed || asked == 0 {
            code = ExitCode::FAILURE;
        }
    }
    code
}
