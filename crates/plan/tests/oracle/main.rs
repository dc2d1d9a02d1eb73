//! Compares the records of the library with the oracle in `tests/naive.rs`, and runs the checks of
//! the fuzz targets that need only this crate. The tests of the program do the same with the
//! program. They need all crates, so `scripts/mutants` runs these.

// The oracle and the checks name the library by the name of the whole.
extern crate self as plansift;

pub use plansift_core::{error, input, json, limits, path, scan};
pub use plansift_plan::{config, plan, record, sink};

mod checks;
#[path = "../../../../tests/library.rs"]
#[allow(dead_code, reason = "the tests of the program use more of it")]
mod library;
#[path = "../../../../tests/naive.rs"]
#[allow(dead_code, unused_imports, reason = "the tests of the program use more of it")]
mod naive;
#[path = "../../../../tests/tried.rs"]
#[allow(dead_code, reason = "the tests of the program use more of it")]
mod tried;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

#[test]
fn plans_of_the_corpus_have_the_records_of_the_oracle() {
    let mut compared = 0;
    let plans = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/plans");
    for entry in fs::read_dir(&plans).expect("the corpus") {
        let path = entry.expect("an entry").path().join("plan.json");
        // Some plans are compressed or encoded otherwise.
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Ok(tree) = serde_json::from_str::<Value>(&text) else { continue };
        if naive::native::has_duplicate_keys(text.as_bytes()) {
            continue;
        }
        checks::records::agree(&text, &tree);
        compared += 1;
    }
    assert!(compared >= 70, "only {compared}");
}

proptest! {
    #![proptest_config(tried::property(400))]

    #[test]
    fn any_plan_passes_the_checks(choices in proptest::collection::vec(any::<u8>(), 0..2000)) {
        checks::records::check(&choices);
        checks::configuration::check(&choices);
        if let Some(plan) = checks::plan(&choices) {
            checks::cuts::check(plan.as_bytes());
            checks::values::check(plan.as_bytes());
        }
    }
}
