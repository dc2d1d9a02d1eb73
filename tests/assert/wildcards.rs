//! Assertions with wildcards on large changes. They take linear time: in quadratic time, this test
//! would run for many minutes. `scripts/instructions` has the exact measure.

use std::fs;

use super::{assert_in, change, folder, text};
use crate::run;

/// Objects and lists of about this many bytes on each side.
fn size() -> usize {
    if run::is_nightly() { 16 << 20 } else { 1 << 18 }
}

fn object(count: usize, member: impl Fn(usize) -> String) -> String {
    format!("{{{}}}", (0..count).map(member).collect::<Vec<_>>().join(","))
}

fn list(count: usize, element: impl Fn(usize) -> String) -> String {
    format!("[{}]", (0..count).map(element).collect::<Vec<_>>().join(","))
}

fn tower(depth: usize, value: &str) -> String {
    format!("{}{value}{}", "{\"a\":".repeat(depth), "}".repeat(depth))
}

/// The shapes of large values: before, after, and the overlays of sensitive and unknown values.
fn shapes() -> Vec<(&'static str, [String; 4])> {
    let size = size();
    let none = || "{}".to_owned();
    let keys = |value: &'static str| object(size / 12, |at| format!("\"k{at:07}\":{value}"));
    let reversed = object(size / 12, |at| format!("\"k{:07}\":2", size / 12 - at));
    let escaped = |key: &'static str| object(size / 20, |at| format!("\"{key}{at:07}\":1"));
    let towers = |value: &'static str| {
        object(size / 60_000, |at| format!("\"k{at}\":{}", tower(9000, value)))
    };
    let same = |last: &'static str| {
        format!(
            "{{\"l\":{}}}",
            list(size / 4, |at| if at == 0 { last } else { "\"a\"" }.to_owned())
        )
    };
    let objects = |shift: usize| {
        format!(
            "{{\"l\":{}}}",
            list(size / 20, |at| format!("{{\"a\":\"e{}\",\"b\":[{at}]}}", at + shift))
        )
    };
    vec![
        ("keys", [keys("1"), keys("2"), none(), none()]),
        ("reversed", [keys("1"), reversed, none(), none()]),
        ("escaped", [escaped("\\u006b"), escaped("k\\u0030"), none(), none()]),
        ("deep", [towers("1"), towers("2"), none(), none()]),
        ("deep marks", [towers("1"), towers("1"), towers("true"), towers("true")]),
        ("marks", [keys("1"), keys("2"), keys("true"), keys("false")]),
        ("unknown", ["{}".to_owned(), "{}".to_owned(), none(), keys("true")]),
        ("list", [same("\"a\""), same("\"b\""), none(), none()]),
        ("objects", [objects(0), objects(7), none(), none()]),
    ]
}

/// Paths and expectations that no shape makes trivial.
const ASSERTIONS: [&str; 12] = [
    "path: '*', known: zz",
    "path: '**', known: {not: {regex: '^x'}}",
    "path: '**', known: {one_of: [3, {has: {zz: 1}}, {size: 9}]}",
    "path: '**', unchanged: true",
    "path: '**', unchanged: false",
    "path: '**', sensitive: false, unknown: false",
    "path: '**', sensitive: true, unknown: true",
    "path: '*.**.a', null: true",
    "path: 'l[*].*', known: {set_of: [1, 2]}",
    "path: '**[*]', absent: true",
    "path: '**', known: {contains: {list_of: [1]}}",
    "path: l, unchanged: true, known: {size: 1}",
];

#[test]
fn wildcards_apply_to_large_changes() {
    let assertions = ASSERTIONS.map(|it| format!("- {{resource: '*', optional: true, {it}}}\n"));
    let folder = folder("a.yaml", &assertions.concat());
    for (shape, [before, after, sensitive, unknown]) in shapes() {
        let change = change("acme_x.a", &["update"], &serde_json::json!({}));
        let sides = format!(
            "\"before\":{before},\"after\":{after},\"after_unknown\":{unknown},\
             \"before_sensitive\":{sensitive},\"after_sensitive\":{sensitive},\"actions\":"
        );
        let change = change.to_string().replace("\"actions\":", &sides);
        let plan = format!("{{\"format_version\":\"1.2\",\"resource_changes\":[{change}]}}");
        fs::write(folder.path().join("p.json"), plan).expect("a plan");
        let run = assert_in(folder.path(), &["p.json", "--file", "a.yaml"]);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(3), "{shape}: {said}");
    }
}
