//! Asks vectors that other programs made: questions with the answers of the libraries of Terraform.
//!
//! | set | from | module |
//! | --- | --- | --- |
//! | wire | go-cty, and Terraform 1.11.4 | `vectors/wire.rs` |
//! | checks | terraform-plugin-testing 1.16.0 | `vectors/checks.rs` |
//! | config | HCL 2.24, Terraform and OpenTofu | `vectors/config.rs`, `vectors/join.rs` |
//!
//! The vectors are in the folder that `PLANSIFT_VECTORS` names, `../shared/vectors` without it. The
//! plans that they name are in the folder `PLANSIFT_PLANS`, `../shared/plans` without it.
//! Each set ends with one line: `vectors SET: N asked, M differ, L listed`. A difference is listed
//! if a rule of the set explains it. The test fails if one is not.
//!
//! The binary has no harness, so that its lines reach standard output.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[path = "vectors/checks.rs"]
mod checks;
#[path = "vectors/config.rs"]
mod config;
#[path = "vectors/join.rs"]
mod join;
#[path = "vectors/wire.rs"]
mod wire;

/// The numbers of a set.
#[derive(Default)]
struct Tally {
    asked: usize,
    differ: usize,
    listed: usize,
}

impl Tally {
    /// The numbers of two parts of a set together.
    fn and(self, other: Tally) -> Tally {
        let Tally { asked, differ, listed } = other;
        let (asked, differ) = (self.asked + asked, self.differ + differ);
        Tally { asked, differ, listed: self.listed + listed }
    }
}

/// The folder that a variable names.
fn folder(variable: &str, default: &str) -> PathBuf {
    let folder = env::var_os(variable).map(PathBuf::from);
    folder.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(default))
}

/// Asks all vectors of a folder.
type Ask<'a> = dyn Fn(&Path) -> Tally + 'a;

/// The stack for questions of any depth, in bytes.
const STACK: usize = 1 << 30;

fn main() -> ExitCode {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(ask_all);
    thread.expect("a thread").join().unwrap_or(ExitCode::FAILURE)
}

fn ask_all() -> ExitCode {
    let vectors = folder("PLANSIFT_VECTORS", "../shared/vectors");
    let plans = folder("PLANSIFT_PLANS", "../shared/plans");
    let mut code = ExitCode::SUCCESS;
    let sets: [(&str, &Ask<'_>); 3] = [
        ("wire", &wire::ask),
        ("checks", &|set| checks::ask(set, &plans)),
        ("config", &|set| config::ask(set).and(join::ask(set))),
    ];
    for (name, ask) in sets {
        let set = vectors.join(name);
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
