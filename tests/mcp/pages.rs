//! Pages of changes: each change is on one page, whether the server has read it before or not.

use std::fs;

use serde_json::{Value, json};

use super::{RICH, Session};
use crate::run;

fn rows(page: &Value) -> Vec<Value> {
    page["changes"].as_array().expect("a list").clone()
}

#[test]
fn pages_follow_each_other() {
    let mut session = Session::of_corpus();
    let whole = session.answer("changes", &json!({"plan": RICH, "max_bytes": 200_000}));
    let whole = rows(&whole);
    assert_eq!(whole.len(), 57);
    let (mut paged, mut start, mut pages) = (Vec::new(), json!(0), 0);
    while !start.is_null() {
        let arguments = json!({"plan": RICH, "start": start, "max_bytes": 2000});
        let page = session.answer("changes", &arguments);
        // A server that has read nothing before gives the same page.
        let mut other = Session::of_corpus();
        assert_eq!(other.answer("changes", &arguments), page);
        other.end();
        paged.extend(rows(&page));
        start = page["next"].clone();
        pages += 1;
    }
    assert_eq!(paged, whole);
    assert!(pages > 3, "{pages}");
    // Other filters have other pages.
    let updates = json!({"plan": RICH, "action": ["update"], "start": 3, "limit": 2});
    let page = session.answer("changes", &updates);
    let expected = session.answer("changes", &json!({"plan": RICH, "action": ["update"]}));
    assert_eq!(rows(&page), rows(&expected)[3..5]);
    let end = session.answer("changes", &json!({"plan": RICH, "start": 57}));
    assert_eq!(end, json!({"total": 57, "changes": []}));
    // A typo is not taken for a plan without changes.
    let none = session.answer("changes", &json!({"plan": RICH, "type": ["aws_imm_*"]}));
    assert_eq!((&none["total"], &none["filtered_out"]), (&json!(0), &json!(57)));
    assert!(none["hint"].is_string(), "{none}");
    session.end();
}

/// The server keeps rows between calls, but not those of another state of the file.
#[test]
fn a_file_that_changes_is_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = folder.path().join("plan.json");
    let put = |name: &str| assert!(fs::copy(run::corpus(name), &plan).is_ok(), "{name}");
    let mut session = Session::open(folder.path());
    let ask = |session: &mut Session, start: u64| {
        session.answer("changes", &json!({"plan": "plan.json", "start": start, "limit": 1}))
    };
    put(RICH);
    assert_eq!(ask(&mut session, 0)["total"], 57);
    assert_eq!(ask(&mut session, 1)["total"], 57);
    put("plans/update/plan.json");
    let update = ask(&mut session, 1);
    assert_eq!(update["changes"][0]["risk"], "update", "{update}");
    assert_ne!(update["total"], 57);
    session.end();
}

/// Many changes of each risk, in an order that the server must turn around.
#[test]
fn more_changes_than_the_server_keeps_have_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let actions = [r#""create""#, r#""update""#, r#""delete""#];
    let change = |number: usize| {
        // A long name, so that the rows exceed what the server keeps.
        let (action, name) = (actions[number / 4000], format!("x{number}{}", "y".repeat(300)));
        let side = |has: bool| if has { r#"{"a":1}"# } else { "null" };
        format!(
            r#"{{"address":"a.{name}","mode":"managed","type":"a","name":"{name}","change":{{
            "actions":[{action}],"before":{},"after":{}}}}}"#,
            side(number >= 4000),
            side(number < 8000),
        )
    };
    let changes: Vec<String> = (0..12_000).map(change).collect();
    let text = format!(r#"{{"format_version":"1.2","resource_changes":[{}]}}"#, changes.join(","));
    fs::write(folder.path().join("plan.json"), text).expect("a file");
    let mut session = Session::open(folder.path());
    let mut number = |start: u64| {
        let arguments = json!({"plan": "plan.json", "start": start, "limit": 1});
        let page = session.answer("changes", &arguments);
        assert_eq!((&page["total"], &page["next"]), (&json!(12_000), &json!(start + 1)), "{start}");
        let address = page["changes"][0]["address"].as_str().expect("an address");
        let digits: String = address[3..].chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().expect("a number")
    };
    // First the deletes, then the updates, then the creates.
    let expected = |start: u64| start % 4000 + 4000 * (2 - start / 4000);
    for start in [0, 1, 3999, 4000, 7998, 4001, 8000, 11_998, 2, 6001, 6002] {
        assert_eq!(number(start), expected(start), "{start}");
    }
    session.end();
}
