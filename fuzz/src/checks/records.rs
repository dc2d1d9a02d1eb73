//! A valid plan is never an error, and its records equal those that the oracle computes from a
//! tree.
//!
//! The input bytes are choices for building a plan, because random text is never a plan. A failure
//! prints the plan.

use arbitrary::Unstructured;
use plansift::input::Slice;
use plansift::json::Validation;
use plansift::plan;
use plansift::record::{RecordOptions, Show};
use serde_json::Value;

use super::document;
use crate::{library, naive};

/// Processes the plan that `choices` describe.
pub fn check(choices: &[u8]) {
    let mut choices = Unstructured::new(choices);
    let Ok(plan) = document::plan(&mut choices) else { return };
    let tree: Value = serde_json::from_str(&plan)
        .unwrap_or_else(|error| panic!("the document is no JSON: {error}\n{plan}"));
    agree(&plan, &tree);
}

/// Compares the records of a plan with those of its tree.
pub fn agree(plan: &str, tree: &Value) {
    for show in [Show::Changes, Show::All] {
        let expected = naive::records(tree, "plan.json", plan.len() as u64, show == Show::All);
        for validation in [Validation::Structure, Validation::Grammar] {
            let read = plan::PlanOptions { validation, ..plan::PlanOptions::default() };
            let options = RecordOptions { read, show, ..RecordOptions::default() };
            match library::records(Slice(plan.as_bytes()), &options) {
                Ok((records, _)) => compare(&records, &expected, plan),
                Err(error) => panic!("{error}\n{plan}"),
            }
        }
    }
}

fn compare(records: &[Value], expected: &[Value], plan: &str) {
    for (record, expected) in records.iter().zip(expected) {
        assert_eq!(record, expected, "\n{plan}");
    }
    assert_eq!(records.len(), expected.len(), "number of records\n{plan}");
}
