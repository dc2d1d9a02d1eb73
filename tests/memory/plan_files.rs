//! Peak memory of plan files with one large element.

use std::fs;

use super::{BASE, MIB, run};
use crate::planfile::build::{Member, bytes, change, plan, resource, zip};

/// A text as MessagePack has it.
fn text(text: &str) -> Vec<u8> {
    [&[0xdb][..], &(text.len() as u32).to_be_bytes(), text.as_bytes()].concat()
}

/// An object whose keys are in no order.
fn object(input: &[u8]) -> Vec<u8> {
    [&b"\x82\xa5input"[..], input, b"\xa2id", &text("x")].concat()
}

/// A state with one resource.
fn state(input: &str) -> String {
    format!(
        r#"{{"version":4,"outputs":{{}},"resources":[{{"mode":"managed","type":"test_one",
        "name":"a","provider":"provider[\"registry.terraform.io/hashicorp/test\"]","instances":[{{
        "schema_version":0,"attributes":{{"id":"x","input":{input}}}}}]}}]}}"#
    )
}

/// Plan files with one element whose JSON has a size.
fn shapes(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let of = |plan: &[u8], state: &str| {
        zip(&[Member::new("tfplan", plan), Member::new("tfstate", state.as_bytes())])
    };
    let one = |number, values: &[&[u8]]| plan(&[resource("test_one.a", &change(number, values))]);
    let line = |len: usize| "some text ".repeat(len / 10);
    let (whole, half) = (object(&text(&line(size))), object(&text(&line(size / 2))));
    let other = object(&text(&line(size / 2).replace("some", "more")));
    let lines = object(&text(&"\n".repeat(size / 2)));
    // In JSON, each number takes two bytes, and its mark six.
    let numbers = vec![1; size / 8];
    let list = [&[0xdd][..], &(numbers.len() as u32).to_be_bytes(), &numbers].concat();
    let small = one(1, &[&object(&text("a"))]);
    let output = [bytes(1, "o"), bytes(2, change(1, &[&text(&line(size))]))].concat();
    vec![
        ("a created text", of(&one(1, &[&whole]), &state("1"))),
        ("an updated text", of(&one(3, &[&half, &other]), &state("1"))),
        ("a text of line feeds", of(&one(1, &[&lines]), &state("1"))),
        ("a list of numbers", of(&one(1, &[&object(&list)]), &state("1"))),
        ("a text of the state", of(&small, &state(&format!("\"{}\"", line(size))))),
        ("an output", of(&plan(&[bytes(4, output)]), &state("1"))),
    ]
}

#[test]
fn memory_is_bounded_by_the_largest_element_of_a_plan_file() {
    let size = if crate::run::is_nightly() { 56 * MIB } else { 12 * MIB };
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.tfplan"), folder.path().join("said"));
    let commands: [&[&str]; 6] = [
        &["redact", "--quiet"],
        &["report", "--quiet"],
        &["audit", "--quiet"],
        &["show"],
        &["changes", "--quiet"],
        &["slim", "--quiet"],
    ];
    let mut wrong = Vec::new();
    for (number, (shape, file)) in shapes(size).into_iter().enumerate() {
        fs::write(&path, file).expect("a file");
        // Four times as for every document, and three times for the conversion to JSON.
        let bound = BASE + 7.0 * size as f64 / MIB as f64;
        let tried = commands.iter().enumerate();
        for (_, command) in tried.filter(|(at, _)| crate::run::is_tried(at + 3 * number)) {
            let peak = run(&[command, &[path.to_str().expect("UTF-8")][..]].concat(), &said);
            if peak > bound {
                wrong.push(format!("{shape}: {command:?}: {peak:.0} of {bound:.0}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
