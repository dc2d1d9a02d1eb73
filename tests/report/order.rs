//! The order of reports for people does not depend on the order of sections in the document.

use std::fs;

use serde_json::{Map, Value};

use super::{folder, report, report_of};
use crate::{corpus, run, shared_plans};

/// The members of a plan in reverse order and in the order of their keys.
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
    // One plan of two by day.
    let plans = corpus.chain(shared).enumerate().filter(|(at, _)| run::is_tried_of(2, *at));
    for (_, path) in plans {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Ok(Value::Object(plan)) = serde_json::from_str(&text) else { continue };
        if text.len() > 1 << 20 {
            continue;
        }
        let reports = |members| {
            fs::write(folder.path().join("plan.json"), written(members)).expect("a file");
            let args =
                ["-o", "term", "-o", "markdown=plan.md", "-o", "compact=plan.txt", "plan.json"];
            let run = report(folder.path(), &args, &[]);
            (run.code == Some(0)).then(|| {
                let file = |name| fs::read_to_string(folder.path().join(name)).expect("a report");
                [run.out, file("plan.md"), file("plan.txt")]
            })
        };
        // Skips documents that are no plans.
        let Some(expected) = reports(plan.iter().collect()) else { continue };
        for order in orders(&plan) {
            assert_eq!(reports(order).as_ref(), Some(&expected), "{}", path.display());
        }
        compared += 1;
    }
    assert!(compared >= 60, "{compared}");
}

#[test]
fn every_plan_has_a_title_or_an_error_with_a_blank_line_before_it() {
    let cases = ["forget", "import-id", "no-changes"];
    let broken = r#"{"format_version":"1.2","resource_changes":[{"address":"a.b","type":"a","name":
        "b","change":{"actions":["create"],"before":null,"after":{"x":1}}},"#;
    let folder = folder(&cases, &[("broken.json", broken), ("begun.json", &broken[..24])]);
    let text = report(folder.path(), &[".", "--width", "80"], &[]).out;
    let lines: Vec<&str> = text.lines().collect();
    for name in ["./begun.json: ", "./broken.json: ", "forget", "import-id", "no-changes"] {
        let is_title =
            |line: &&str| *line == name || (name.ends_with(' ') && line.starts_with(name));
        let at = lines.iter().position(is_title).unwrap_or_else(|| panic!("{name}: {text}"));
        assert!(at == 0 || lines[at - 1].is_empty(), "{name}: {text}");
        assert_eq!(lines.get(at + 1), Some(&""), "{name}: {text}");
    }
    assert!(!text.contains("\n\n\n") && !text.ends_with("\n\n"), "{text}");
    assert_eq!(text.matches("the document is incomplete").count(), 2, "{text}");
}

#[test]
fn narrow_terminals_get_the_action_on_its_own_line() {
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"t.a_rather_long_name",
        "previous_address":"t.another_rather_long_name","type":"t","name":"a","deposed":"12ab",
        "action_reason":"replace_because_tainted","change":{"actions":["create","forget"],
        "before":{"a":1},"after":{"a":2}}}]}"#;
    let text = report_of(&["--width", "80"], plan);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("t.a_rather_long_name (deposed 12ab)\n          must be"), "{text}");
    let wide = report_of(&["--width", "0"], plan);
    assert!(wide.contains("(deposed 12ab)  must be replaced, moved from t.another"), "{wide}");
}
