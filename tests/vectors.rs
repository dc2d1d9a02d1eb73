//! Asks vectors that other programs made: questions with the answers of the libraries of Terraform.
//!
//! | set | from | module |
//! | --- | --- | --- |
//! | wire | go-cty, and Terraform 1.11.4 | `vectors/wire.rs` |
//! | checks | terraform-plugin-testing 1.16.0 | `vectors/checks.rs` |
//! | config | HCL 2.24, Terraform and OpenTofu | `vectors/config.rs`, `vectors/join.rs` |
//!
//! The vectors are in the folder that `PLANSIFT_VECTORS` names, `corpus/vectors` without it. The
//! plans that they name are in the folder `PLANSIFT_PLANS`. Without it, they are in `corpus`, and
//! those of other projects in `../shared/plans`. Without that folder, the test leaves out their
//! questions, and fails with `CI=true`. The last line says what this test and `tests/main.rs` left
//! out.
//!
//! Each set ends with one line: `vectors SET: N asked, M differ, L listed`. A difference is listed
//! if a rule of the set explains it. The test fails if one is not.
//!
//! The binary has no harness, so that its lines reach standard output.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

#[path = "vectors/checks.rs"]
mod checks;
#[path = "vectors/config.rs"]
mod config;
#[path = "vectors/join.rs"]
mod join;
mod reference;
#[path = "vectors/wire.rs"]
mod wire;

/// The numbers of a set.
#[derive(Default)]
struct Tally {
    asked: usize,
    differ: usize,
    listed: usize,
    left_out: usize,
}

impl Tally {
    /// The numbers of two parts of a set together.
    fn and(self, other: Tally) -> Tally {
        Tally {
            asked: self.asked + other.asked,
            differ: self.differ + other.differ,
            listed: self.listed + other.listed,
            left_out: self.left_out + other.left_out,
        }
    }
}

/// The folder that a variable names.
fn folder(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from)
}

/// The plans that vectors name.
struct Plans {
    /// The folder with the plans of `real/`.
    own: PathBuf,
    /// The folder with all other plans.
    others: PathBuf,
    /// Whether the folder of other projects may be missing.
    may_lack_others: bool,
}

impl Plans {
    fn new() -> Plans {
        if let Some(folder) = folder("PLANSIFT_PLANS") {
            return Plans { own: folder.clone(), others: folder, may_lack_others: false };
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let others = root.join("../shared/plans");
        let may_lack_others = !others.is_dir();
        Plans { own: root.join("corpus"), others, may_lack_others }
    }

    /// The text of a plan. `None` if it is a plan of another project, and these are missing.
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let is_own = name.starts_with("real/");
        let path = if is_own { &self.own } else { &self.others }.join(name);
        let text = reference::read(&path);
        if !is_own && self.may_lack_others {
            return text.ok();
        }
        Some(text.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }
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
    let plans = Plans::new();
    let given = folder("PLANSIFT_VECTORS");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/vectors");
    let vectors = given.as_ref().unwrap_or(&own);
    let mut code = ExitCode::SUCCESS;
    // Each set with the number of its questions in the corpus.
    let sets: [(&str, usize, &Ask<'_>); 3] = [
        ("wire", 14_279, &wire::ask),
        ("checks", 22_520, &|set| checks::ask(set, &plans)),
        ("config", 21_148, &|set| config::ask(set).and(join::ask(set))),
    ];
    let mut questions_left_out = 0;
    for (name, least, ask) in sets {
        let set = vectors.join(name);
        if given.is_some() && !set.is_dir() {
            println!("vectors {name}: skipped, there is no folder {}", set.display());
            continue;
        }
        let Tally { asked, differ, listed, left_out } = ask(&set);
        println!("vectors {name}: {asked} asked, {differ} differ, {listed} listed");
        questions_left_out += left_out;
        let least = if given.is_some() { 1 } else { least };
        if asked + left_out < least {
            println!("vectors {name}: only {} questions, not {least}", asked + left_out);
            code = ExitCode::FAILURE;
        }
        if differ != listed || asked == 0 {
            code = ExitCode::FAILURE;
        }
    }
    if report(questions_left_out) && env::var_os("CI").is_some_and(|value| value == "true") {
        println!("With CI=true, this fails.");
        code = ExitCode::FAILURE;
    }
    code
}

/// Prints one line that says what this program and `tests/main.rs` left out. Returns whether this
/// program left out questions.
fn report(questions: usize) -> bool {
    // The file that `tests/run.rs` writes. All programs of one `cargo test` have one parent.
    let name = format!("left-out-{}", std::os::unix::process::parent_id());
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let tests = fs::read_to_string(&file).ok();
    let _ = fs::remove_file(file);
    let all = match (tests, questions) {
        (None, 0) => "left out: nothing".to_owned(),
        (Some(tests), 0) => tests,
        (None, _) => format!("left out: {questions} vectors: no plans of other projects"),
        (Some(tests), _) => format!("{tests}; {questions} vectors: no plans of other projects"),
    };
    println!("{all}");
    questions > 0
}
