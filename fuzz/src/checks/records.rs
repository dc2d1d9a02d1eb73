//! A valid plan is never an error, and its records equal those that the oracle computes from a
//! tree.
//!
//! The input bytes are choices for building a plan, because random text is never a plan. A failure
//! prints the plan.

use arbitrary::Unstructured;
use plansift::error::Result;
use plansift::input::Slice;
use plansift::json::Validation;
use plansift::plan::{self, Documents};
use plansift::record::{Record, RecordOptions, RecordRequest, Show, write_records};
use plansift::sink::Sink;
use serde_json::Value;

use super::document;
use crate::naive;

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
            match records(plan, &RecordOptions { read, show, ..RecordOptions::default() }) {
                Ok(records) => compare(&records, &expected, plan),
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

fn records(plan: &str, options: &RecordOptions) -> Result<Vec<Value>> {
    struct Kept(Vec<Value>);
    impl Sink for Kept {
        fn record(&mut self, record: &Record<'_>) -> Result<()> {
            // A detour through text: converting a record directly to a value would lose the
            // spelling of numbers.
            let text = serde_json::to_string(record).expect("a record is JSON");
            self.0.push(serde_json::from_str(&text).expect("a record is JSON"));
            Ok(())
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }
    }
    let mut kept = Kept(Vec::new());
    let mut documents = Documents::only(Slice(plan.as_bytes()), &options.read);
    write_records(&mut documents, RecordRequest::new("plan.json", options), &mut kept)?;
    Ok(kept.0)
}
