//! Reports for people have a fixed order, whatever the order of sections in the document.

use std::fs;

use serde_json::{Map, Value};

use super::report;
use crate::{corpus, shared_plans};

/// The members in other orders: backwards, and sorted by their keys.
fn orders(plan: &Map<String, Value>) -> [Vec<(&String, &Value)>; 2] {
    let backwards = plan.iter().rev().collect();
    let mut sorted: Vec<_> = plan.iter().collect();
    sorted.sort_by_key(|(key, _)| *key);
    [backwards, sorted]
}

fn written(members: Vec<(&String, &Value)>) -> String {
    let members: Map<String, Value> =
        members.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    Value::Object(members).to_string()
}

#[test]
fn the_order_of_sections_in_the_document_does_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = corpus::cases().into_iter().map(|case| case.plan);
    let shared = shared_plans::files().into_iter().map(|(_, path)| path);
    let shared = shared.filter(|path| path.to_string_lossy().ends_with(".plan.json"));
    let mut compared = 0;
    for path in corpus.chain(shared) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Ok(Value::Object(plan)) = serde_json::from_str(&text) else { continue };
        if text.len() > 1 << 20 {
            continue;
        }
        let reports = |members| {
            fs::write(folder.path().join("plan.json"), written(members)).expect("a file");
            let args = ["-o", "term", "-o", "markdown=plan.md", "plan.json"];
            let run = report(folder.path(), &args, &[]);
            (run.code == Some(0)).then(|| {
                let page = fs::read_to_string(folder.path().join("plan.md")).expect("a page");
                [run.out, page]
            })
        };
        // Others are no plans.
        let Some(expected) = reports(plan.iter().collect()) else { continue };
        for order in orders(&plan) {
            assert_eq!(reports(order).as_ref(), Some(&expected), "{}", path.display());
        }
        compared += 1;
    }
    assert!(compared >= 60, "{compared}");
}
