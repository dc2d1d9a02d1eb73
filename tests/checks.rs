//! Paths, known values, plan checks and state checks: the cases of `corpus/checks`.
//!
//! A case has the form of a vector of terraform-plugin-testing (`vectors/checks.rs`). The answers
//! follow from the semantics, with the mask of sensitive values.

#[allow(dead_code, reason = "the vectors use more of it")]
#[path = "vectors/checks/answer.rs"]
mod answer;
#[allow(dead_code, reason = "the vectors use more of it")]
#[path = "vectors/checks/ask.rs"]
mod ask;
#[allow(dead_code, reason = "the vectors use more of it")]
#[path = "vectors/checks/question.rs"]
mod question;

use std::fs;

use serde_json::Value as Json;

use self::answer::{Answer, Verdict};
use crate::run;

/// The least number of cases of each file.
const FILES: [(&str, usize); 5] =
    [("knownvalue", 400), ("paths", 60), ("inline", 50), ("inline-states", 10), ("compare", 10)];

#[test]
fn every_check_case_has_the_expected_verdict() {
    let mut wrong = Vec::new();
    for (name, least) in FILES {
        let path = run::root().join("corpus/checks").join(name).with_extension("ndjson");
        let text = fs::read_to_string(path).expect("a file of cases");
        let cases: Vec<Json> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(cases.len() >= least, "{name}: {} cases", cases.len());
        for case in &cases {
            let answer = ask(name, case);
            if let Verdict::Differs = answer.judge(case) {
                wrong.push(format!("{name}: {case}\n  {}", answer.words()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn ask(name: &str, case: &Json) -> Answer {
    let document = || case["inline"].as_str().expect("a document").as_bytes();
    match name {
        "knownvalue" => ask::known_value(case),
        "paths" => ask::path(case),
        "compare" => ask::compare(case),
        _ if case["check"] == "Load" => ask::load(document(), &case["args"]["as"]),
        _ => ask::document(document(), &[case]).pop().expect("an answer"),
    }
}
