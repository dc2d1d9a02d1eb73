//! What a run of the tests tries: by day a part of the cases, at night all of them
//! (`scripts/nightly`). Also a part of the tests of `crates/redact` and `crates/plan`.

use std::io::{self, Write};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use proptest::test_runner::{Config as ProptestConfig, RngSeed};

/// Whether this is the nightly run, with more and larger inputs (`scripts/nightly`).
pub fn is_nightly() -> bool {
    std::env::var_os("PLANSIFT_NIGHTLY").is_some()
}

/// How a property is tested. By day, each run tries the same cases. At night, the cases are random,
/// and there are a hundred times as many.
pub fn property(cases: u32) -> ProptestConfig {
    let (cases, rng_seed) = match is_nightly() {
        true => (100 * cases, RngSeed::Random),
        false => (cases, RngSeed::Fixed(0)),
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

/// Whether a long test tries the case with this number: at night each one, by day one of four. The
/// seed of the day chooses them, and four days in a row try each case once.
pub fn is_tried(number: usize) -> bool {
    is_tried_of(4, number)
}

/// Like [`is_tried`], for one of `step` cases by day.
pub fn is_tried_of(step: usize, number: usize) -> bool {
    is_nightly() || (number + seed()).is_multiple_of(step)
}

/// The first number that a test of every `step`th number tries. The seed of the day chooses it.
pub fn first_of(step: usize) -> usize {
    seed() % step
}

/// Name of the variable for the seed of another day.
const SEED: &str = "PLANSIFT_SEED";

/// The seed of the day: the number of days since 1970. The first call prints it.
fn seed() -> usize {
    static SEED_OF_THE_DAY: LazyLock<usize> = LazyLock::new(|| {
        let given = std::env::var(SEED).ok().map(|seed| seed.parse().expect("a number"));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
        let seed = given.unwrap_or(now.as_secs() as usize / (24 * 60 * 60));
        let said = format!("the seed of the day chooses cases: {SEED}={seed} repeats the choice\n");
        let _ = io::stderr().write_all(said.as_bytes());
        seed
    });
    *SEED_OF_THE_DAY
}

/// Numbers of threads that must give one answer. `scripts/nightly` tries more of them.
pub fn thread_counts() -> &'static [usize] {
    if is_nightly() { &[1, 2, 3, 8] } else { &[1, 3] }
}
