//! Peak memory of `compare`, `approve` and `digest`.

use std::fs;

use super::{BASE, MIB, change, list, plan, run, size};

/// Memory for the paths of one change while it is read, and while the objects are sorted, in MiB.
const PATHS: f64 = 2.0 * 16.0;

/// Two plans of one shape.
struct Shape {
    what: &'static str,
    plans: [String; 2],
    /// Size of the largest change, in bytes.
    largest: usize,
}

/// Plans of many large changes, which differ in each of them.
fn many(what: &'static str, count: usize, one: impl Fn(usize, u32) -> String) -> Shape {
    let largest = one(count, 2).len();
    let plans = [1, 2].map(|plan_number| {
        let changes: Vec<String> = (0..count).map(|at| one(at, plan_number)).collect();
        plan(&changes.join(","), "")
    });
    Shape { what, plans, largest }
}

fn shapes() -> Vec<Shape> {
    let nulls = change("a", "null", &format!(r#"{{"l":{}}}"#, list("null", 2 * size())), "");
    let nulls = nulls.replace("update", "create");
    let largest = nulls.len();
    let nulls = plan(&nulls, "");
    let long = "n".repeat(MIB);
    let members = |value: u32| -> String {
        let members: Vec<_> = (0..30_000).map(|at| format!(r#""key{at:06}":{value}"#)).collect();
        format!("{{{}}}", members.join(","))
    };
    let count = if crate::run::is_nightly() { 90 } else { 30 };
    vec![
        Shape { what: "created nulls", plans: [nulls.clone(), nulls], largest },
        many("many paths", count, |at, number| {
            change(&format!("a{at}"), &members(0), &members(number), "")
        }),
        many("long types", 4 * count, |at, number| {
            change(&format!("a{at}"), "0", &number.to_string(), "")
                .replace(r#""type":"t""#, &format!(r#""type":"{long}""#))
        }),
        many("long deposed keys", 4 * count, |at, number| {
            let more = format!(r#""deposed":"{long}{at}","type""#);
            change("a", "0", &number.to_string(), "").replace(r#""type""#, &more)
        }),
    ]
}

#[test]
fn memory_of_comparisons_is_bounded_by_the_largest_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["old.json", "new.json", "approval", "said"].map(|name| folder.path().join(name));
    let [old, new, approval, _] = paths.each_ref().map(|path| path.to_str().expect("UTF-8"));
    let mut wrong = Vec::new();
    for (number, Shape { what, plans, largest }) in shapes().into_iter().enumerate() {
        if !crate::run::is_tried(number) {
            continue;
        }
        paths.iter().zip(&plans).for_each(|(path, plan)| fs::write(path, plan).expect("a file"));
        let commands: [&[&str]; 3] = [
            &["compare", "-f", "ndjson", old, new],
            &["approve", "-q", "-o", approval, old],
            &["compare", "-f", "ndjson", approval, new],
        ];
        let bound = BASE + PATHS + 4.0 * largest as f64 / MIB as f64;
        // The approval of the second command is read by the third.
        for command in commands {
            let peak = run(command, &paths[3]);
            if peak > bound {
                wrong.push(format!("{what}: {command:?}: {peak:.0} of {bound:.0}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A line of an approval that says little in much text.
#[test]
fn memory_for_a_line_of_an_approval_is_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["approval", "new.json", "said"].map(|name| folder.path().join(name));
    let [approval, new, _] = paths.each_ref().map(|path| path.to_str().expect("UTF-8"));
    fs::write(&paths[1], plan(&change("a", "1", "2", ""), "")).expect("a file");
    run(&["approve", "-q", "-o", approval, new], &paths[2]);
    let text = fs::read_to_string(&paths[0]).expect("an approval");
    let value = "0".repeat(32);
    let changed = list(&format!(r#"{{"path":"k0000000","value":"{value}"}}"#), 4 * size());
    let line = |line: &str| match line.split_once(r#""changed":"#) {
        Some((before, _)) => format!("{before}\"changed\":{changed}}}}}\n"),
        None => format!("{line}\n"),
    };
    let text: String = text.lines().map(line).collect();
    assert!(text.len() > 4 * size(), "{}", text.len());
    fs::write(&paths[0], &text).expect("an approval");
    let peak = run(&["compare", approval, new], &paths[2]);
    let bound = BASE + PATHS + 4.0 * text.len() as f64 / MIB as f64;
    assert!(peak < bound, "{peak:.0} of {bound:.0} MiB");
}
