//! The block of each changed resource in the configuration of its plan. The folder's README
//! describes the form of a question; the members about source files are not asked here.

use std::collections::HashMap;
use std::path::Path;

use plansift::config::Blocks;
use plansift::input::Slice;
use plansift::plan::{Documents, PlanOptions};
use serde_json::Value as Json;

use super::{Tally, reference};

/// How many differences are shown.
const SHOWN_MAX: usize = 10;

/// Asks all joins of a folder. No difference is listed.
pub fn ask(folder: &Path) -> Tally {
    let mut tally = Tally::default();
    let mut plans: HashMap<String, Blocks> = HashMap::new();
    let file = reference::text(&folder.join("join.ndjson"));
    for line in file.lines() {
        let question: Json = serde_json::from_str(line).expect("JSON");
        let plan = question["plan"].as_str().expect("a plan");
        let blocks = plans.entry(plan.to_owned()).or_insert_with(|| {
            let text = reference::read(&folder.join("plans").join(plan)).expect("a plan");
            let mut documents = Documents::new(Slice(&text), &PlanOptions::default());
            Blocks::read(&mut documents).expect("a plan")
        });
        let ours = blocks.block(question["address"].as_str().expect("an address"));
        let theirs = question["config_address"].as_str();
        tally.asked += 1;
        if ours.config_address.as_deref() != theirs {
            tally.differ += 1;
            if tally.differ <= SHOWN_MAX {
                println!("join: {question}\n  ours: {:?}", ours.config_address);
            }
        }
    }
    tally
}
