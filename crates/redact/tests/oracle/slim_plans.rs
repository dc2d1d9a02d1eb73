//! Compares the slim plans of the library with the oracle in `tests/slim`.

#[path = "../../../../tests/slim/kept.rs"]
mod kept;
#[path = "../../../../tests/slim/model.rs"]
mod model;

use kept::{Secrets, WANTED, assert_model, slim_on_threads};

use super::corpus;
use super::long::{plan, planned_values};
use crate::in_memory::InMemory;
use crate::tried;

const SECRETS: [Secrets; 3] = [Secrets::Masked, Secrets::MarksMasked, Secrets::Shown];

#[test]
fn the_corpus_is_slimmed_as_the_oracle_does_it() {
    let plans = corpus("plans");
    assert!(plans.len() > 50, "{} plans", plans.len());
    let cases = plans.iter().flat_map(|plan| SECRETS.map(|secrets| (plan, secrets)));
    for (number, ((name, text), secrets)) in cases.enumerate() {
        if tried::is_tried(number) {
            assert_model(name, text.as_bytes(), secrets);
        }
    }
}

/// Workers slim a part of this document.
#[test]
fn a_long_plan_is_slimmed_as_the_oracle_does_it() {
    let text = plan(&planned_values(300, 3));
    for secrets in SECRETS {
        assert_model("a long plan", text.as_bytes(), secrets);
        for wanted in WANTED {
            let [one, three] = [1, 3].map(|threads| {
                let source = InMemory::new(text.as_bytes());
                slim_on_threads(threads, source, text.as_bytes(), wanted, secrets)
            });
            assert!(one == three, "{wanted:?}, {secrets:?}");
        }
    }
}
