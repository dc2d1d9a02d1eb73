//! Peak memory of reports whose text is many times as long as the plan, and of other rows that list
//! very much.

use std::fs;
use std::path::Path;

use super::{BASE, MIB, change, list, plan, run, size};

/// Plans whose values become many times as long in a report.
fn amplified(size: usize) -> Vec<(&'static str, String)> {
    let half = size / 2;
    let alone = |before: &str, after: &str| plan(&change("a", before, after, ""), "");
    let text =
        |piece: &str, bytes: usize| format!(r#"{{"s":"{}"}}"#, piece.repeat(bytes / piece.len()));
    let deep = |element: &str, bytes: usize| {
        let (open, close) = ("[".repeat(60), "]".repeat(60));
        format!(r#"{{"s":{open}{}{close}}}"#, list(element, bytes))
    };
    let empty = text(r"\n", half);
    vec![
        ("short lines", alone(&text(r"v\n", half), &text(r"v\nw\n", half))),
        ("created empty lines", alone("null", &text(r"\n", size))),
        ("hidden characters", alone(&text("\u{7f}", half), &text("\u{7f}", half - 8))),
        ("created deep elements", alone("null", &deep("{}", size))),
        ("markup", alone(&text("<", half), &text(">", half))),
        ("empty lines", alone(&empty, &empty.replacen(r"\n", r"x\n", 1))),
        ("lines of a hidden character", alone(&text("\u{7f}\\n", half), &text("\u{80}\\n", half))),
        ("deep elements", alone(&deep("[]", half), &deep("[1]", half))),
    ]
}

#[test]
fn memory_is_bounded_where_values_become_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.json"), folder.path().join("said"));
    let text = path.to_str().expect("UTF-8");
    let color = ["--color", "always"];
    let mut wrong = Vec::new();
    for (number, (shape, plan)) in amplified(size()).into_iter().enumerate() {
        fs::write(&path, &plan).expect("a file");
        let element = plan.len() as f64 / MIB as f64;
        let forms = ["term", "markdown", "html"];
        let commands = forms.iter().flat_map(|form| {
            [(4.0, vec!["report", "-o", form]), (16.0, vec!["report", "--full", "-o", form])]
        });
        // By day, each shape in one format.
        let tried = commands
            .enumerate()
            .filter(|(at, _)| crate::run::is_tried_of(forms.len(), at / 2 + number));
        for (_, (factor, command)) in tried {
            let peak = run(&[&command[..], &color, &[text]].concat(), &said);
            let bound = BASE + factor * element;
            if peak > bound {
                wrong.push(format!("{shape}: {command:?}: {peak:.0} of {bound:.0}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A plan with many small elements of one kind.
fn many(section: &str, size: usize, element: impl Fn(usize) -> String) -> String {
    let (mut elements, mut len) = (Vec::new(), 0);
    while len < size {
        // In no order, because names in order take no memory.
        elements.push(element(elements.len() * 7919 % 1_000_003));
        len += elements.last().map_or(0, String::len);
    }
    format!(r#"{{"format_version":"1.2",{}}}"#, section.replace("ELEMENTS", &elements.join(",")))
}

#[test]
fn memory_is_bounded_where_elements_are_many() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, said) = (folder.path().join("plan.json"), folder.path().join("said"));
    let size = if crate::run::is_nightly() { 4 * size() } else { 2 * size() };
    let variables = r#""variables":{ELEMENTS},"resource_changes":[]"#;
    let check = r#""resource_changes":[],"checks":[{"address":{"to_display":"c"},"status":"fail","#;
    let instances = format!(r#"{check}"instances":[ELEMENTS]}}]"#);
    let problems = format!(r#"{check}"instances":[{{"problems":[ELEMENTS]}}]}}]"#);
    let outputs = r#""planned_values":{"outputs":{ELEMENTS}},"resource_changes":[]"#;
    let of_checks = ["table", "ndjson", "csv", "json"].map(|form| vec!["checks", "--format", form]);
    let shapes: [(&str, String, Vec<Vec<&str>>); 4] = [
        (
            "variables",
            many(variables, size, |number| format!(r#""v{number:07}":{{"value":"s{number}"}}"#)),
            vec![vec!["variables", "--values"], vec!["variables"]],
        ),
        ("instances", many(&instances, size, |_| "{}".to_owned()), of_checks.to_vec()),
        (
            "problems",
            many(&problems, size, |number| format!(r#"{{"message":"m{number}"}}"#)),
            of_checks.to_vec(),
        ),
        (
            "sensitive outputs",
            many(outputs, size, |number| {
                format!(r#""o{number:07}":{{"sensitive":true,"value":"secret {number}"}}"#)
            }),
            vec![
                vec!["redact"],
                vec!["redact", "--echo", "contains"],
                vec!["redact", "--for-agent"],
                vec!["outputs", "--values"],
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for (number, (shape, plan, commands)) in shapes.into_iter().enumerate() {
        fs::write(&path, &plan).expect("a file");
        // The names and secrets of outputs take 50 bytes each, the other lists count as one
        // element.
        let factor = if shape == "sensitive outputs" { 50.0 / 46.0 } else { 4.0 };
        let bound = BASE + factor * plan.len() as f64 / MIB as f64;
        let tried = commands.iter().enumerate();
        for (_, command) in tried.filter(|(at, _)| crate::run::is_tried(at + 3 * number)) {
            let peak = peak_of(command, &path, &said);
            if peak > bound {
                wrong.push(format!("{shape}: {command:?}: {peak:.0} of {bound:.0}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn peak_of(command: &[&str], path: &Path, said: &Path) -> f64 {
    run(&[command, &[path.to_str().expect("UTF-8")]].concat(), said)
}
