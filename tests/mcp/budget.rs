//! An answer is never longer than its budget, and the pages of changes are all changes.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Session;
use crate::{corpus, run};

/// The budgets to try.
const BUDGETS: [u64; 2] = [2_000, 8_000];
/// Maximum number of pages to ask for.
const PAGES: usize = 40;

/// Asks about every plan of a folder. Returns the number of plans.
fn ask_all(root: &Path, plans: &[PathBuf]) -> usize {
    let mut session = Session::open(root);
    let (mut count, mut last) = (0, None);
    for plan in plans {
        let plan = plan.to_str().expect("a path").to_owned();
        if within(&mut session, "summarize", &json!({"plan": plan})).is_none() {
            continue;
        }
        count += 1;
        pages(&mut session, &plan);
        let rules = ["changes", "destroy", "update", "create", "drift", "output", "check"];
        let assertions = "[{resource: '*', action: no-op}, {output: '*', path: '**', known: 17}]";
        within(
            &mut session,
            "check",
            &json!({"plan": plan, "rules": rules, "assertions": assertions}),
        );
        if let Some(last) = last.replace(plan.clone()) {
            within(&mut session, "compare", &json!({"old": last, "new": plan, "level": "all"}));
        }
    }
    for folder in [".", ".."] {
        within(&mut session, "fleet", &json!({"folder": folder, "limit": 5}));
    }
    session.end();
    count
}

/// Asks with each budget. Returns the answer with the largest one, unless it is an error.
fn within(session: &mut Session, tool: &str, arguments: &Value) -> Option<Value> {
    let mut last = None;
    for max in BUDGETS {
        let mut arguments = arguments.clone();
        arguments["max_bytes"] = json!(max);
        last = match session.ask(tool, &arguments) {
            Ok((text, answer)) => {
                assert!(text.len() as u64 <= max, "{tool} {arguments}: {} bytes", text.len());
                Some(answer)
            }
            Err(_) => None,
        };
    }
    last
}

/// Asks for the pages of a plan, and for the first changes of each page.
fn pages(session: &mut Session, plan: &str) {
    let all = json!({"plan": plan, "limit": 2_000, "max_bytes": 200_000});
    let all = session.answer("changes", &all);
    let is_whole = all.get("next").is_none();
    let (mut rows, mut start) = (Vec::new(), 0);
    for _ in 0..PAGES {
        let page = within(session, "changes", &json!({"plan": plan, "start": start}));
        let page = page.expect("a page");
        let changes = page["changes"].as_array().expect("a list");
        for row in changes.iter().take(2) {
            let arguments =
                json!({"plan": plan, "address": row["address"], "deposed": row["deposed"]});
            within(session, "change", &arguments);
        }
        rows.extend(changes.iter().cloned());
        match page["next"].as_u64() {
            Some(next) => {
                assert_eq!(next, start + changes.len() as u64, "{plan}");
                assert!(next > start, "{plan}: {page}");
                start = next;
            }
            None => {
                assert!(!is_whole || Some(&rows) == all["changes"].as_array(), "{plan}");
                return;
            }
        }
    }
}

#[test]
fn answers_about_the_corpus_stay_within_their_budget() {
    let root = run::corpus("");
    let cases = corpus::cases().into_iter();
    let plans: Vec<PathBuf> =
        cases.map(|case| case.plan.strip_prefix(&root).expect("a path below").to_owned()).collect();
    let count = ask_all(&root, &plans);
    assert!(count > 60, "only {count} of {}", plans.len());
}

#[test]
fn answers_about_other_plans_stay_within_their_budget() {
    let Some(shared) = run::shared() else { return };
    let root = shared.join("plans");
    let mut plans = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_small = || path.metadata().is_ok_and(|found| found.len() < 4 << 20);
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "json") && is_small() {
                plans.push(path.strip_prefix(&root).expect("a path below").to_owned());
            }
        }
    }
    plans.sort_unstable();
    let tried = plans.into_iter().enumerate().filter(|(number, _)| run::is_tried(*number));
    let tried: Vec<PathBuf> = tried.map(|(_, path)| path).collect();
    assert!(ask_all(&root, &tried) > 20);
}

/// Several records about one address, with long names that need escapes.
#[test]
fn a_change_with_other_records_stays_within_its_budget() {
    let name = "\"q".repeat(300);
    let address = format!("a.x[{}]", json!(name));
    let record = json!({
        "address": address, "mode": "managed", "type": "a", "name": "x", "index": name,
        "action_reason": name,
        "change": {"actions": ["update"], "before": {"v": name, "w": name}, "after": {"v": 1}},
    });
    let plan = json!({
        "format_version": "1.2", "resource_changes": [record], "resource_drift": [record, record],
        "deferred_changes": [{"reason": name, "resource_change": record}],
    });
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.json"), plan.to_string()).expect("a file");
    let mut session = Session::open(folder.path());
    for max in [2_000, 2_001, 2_300, 8_000] {
        let mut start = json!(0);
        let mut values = 0;
        while !start.is_null() {
            let arguments =
                json!({"plan": "p.json", "address": address, "start": start, "max_bytes": max});
            let (text, answer) = session.ask("change", &arguments).expect("an answer");
            assert!(text.len() <= max, "{} of {max}: {text}", text.len());
            let shown = answer["values"].as_array().expect("a list").len();
            assert!(shown > 0, "{text}");
            values += shown;
            start = answer["next"].clone();
        }
        assert_eq!(values, 2, "{max}");
    }
    let odd = format!("{}\u{1f600}", "\u{1f600}".repeat(900));
    let refused = session.ask("changes", &json!({odd: 1, "plan": "p.json"})).expect_err("refused");
    assert!(refused.to_string().len() <= 2_000, "{refused}");
    session.end();
}
