//! How `compare` pairs the inputs of two folders, and the options that it shares with other
//! commands but does not have.

use std::fs;

use super::{Folder, Run};
use crate::hostile::sample::PLAN;

/// Creates a folder with plans at these paths.
fn folder(paths: &[&str]) -> Folder {
    let folder = Folder::new();
    for path in paths {
        fs::create_dir_all(folder.path(path).parent().expect("a folder")).expect("a folder");
        folder.write(path, PLAN);
    }
    folder
}

/// The workspaces of the pairs in an NDJSON output, each with what OLD and NEW have.
fn pairs(run: &Run) -> Vec<(String, bool, bool)> {
    let lines = run.out.lines().filter(|line| line.starts_with(r#"{"kind":"pair""#));
    let pairs = lines.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let has = |pair: &serde_json::Value, side: &str| pair[side]["document"] != "none";
    let name = |pair: &serde_json::Value| pair["workspace"].as_str().map(str::to_owned);
    pairs
        .map(|pair| (name(&pair).unwrap_or_default(), has(&pair, "old"), has(&pair, "new")))
        .collect()
}

const NOTHING_IN_COMMON: &str =
    "plansift: warning: no workspace is in both OLD and NEW: see --workspace-from\n";

#[test]
fn a_workspace_lacks_the_components_of_its_folder() {
    for (names, paths, workspaces) in [
        ("app nxt", &["app/live/apple.json", "nxt/live/apple.json"][..], &["live/apple"][..]),
        ("h1 h2/.", &["h1/a.json", "h2/a.json", "h2/plan.json", "h1/plan.json"], &[".", "a"]),
        ("./h1 h2//", &["h1/a.json", "h2/a.json"], &["a"]),
        (
            "app nxt --workspace-from */live/{workspace}.json",
            &["app/live/apple.json", "nxt/live/apple.json"],
            &["apple"],
        ),
    ] {
        let folder = folder(paths);
        let run = folder.run(&format!("compare -f ndjson {names}"));
        let expected: Vec<_> =
            workspaces.iter().map(|name| ((*name).to_owned(), true, true)).collect();
        assert_eq!((pairs(&run), &*run.err), (expected, ""), "{names}");
    }
}

#[test]
fn folders_without_a_common_workspace_are_warned_of() {
    let folder = folder(&["app/live/apple.json", "nxt/live/le.json"]);
    let rule = "--workspace-from */live/{workspace}.json";
    for args in ["app nxt", &format!("app nxt {rule}")] {
        let run = folder.run(&format!("compare -f ndjson {args}"));
        assert_eq!((pairs(&run).len(), &*run.err), (2, NOTHING_IN_COMMON), "{args}");
        assert_eq!(folder.run(&format!("compare -q {args}")).err, "");
    }
}

/// A folder, a glob or a list with one plan tonight may have two tomorrow.
#[test]
fn the_kind_of_a_name_decides_whether_it_is_one_input() {
    let folder = folder(&["a/x.json", "b/x.json", "b/y.json"]);
    folder.write("list", "a/x.json\n");
    for name in ["a", "a/*.json", "@list"] {
        let run = folder.run(&format!("compare -f ndjson {name} b/x.json"));
        let message = "plansift: OLD and NEW are two inputs, or two folders: b/x.json is one input";
        assert_eq!((run.code, run.err.starts_with(message)), (Some(64), true), "{}", run.err);
    }
    let run = folder.run("compare -f ndjson a/* b/* --workspace-from {workspace}.json");
    let expected = [("x".to_owned(), true, true), ("y".to_owned(), false, true)];
    assert_eq!((pairs(&run), &*run.err), (expected.to_vec(), ""));
}

#[test]
fn options_about_many_inputs_are_refused() {
    let folder = folder(&["a.json", "b.json"]);
    folder.write("list", "a.json\n");
    for (command, options) in [
        ("compare a.json b.json", &["--files-from list", "--null"][..]),
        (
            "approve a.json",
            &[
                "--files-from list",
                "--null",
                "--include a",
                "--exclude a",
                "--workspace-from {workspace}.json",
            ],
        ),
    ] {
        for option in options {
            let run = folder.run(&format!("{command} {option}"));
            let name = option.split(' ').next().unwrap_or_default();
            let message = format!("error: unexpected argument '{name}' found\n");
            let is_said = run.err.starts_with(&message);
            assert_eq!((run.code, is_said), (Some(64), true), "{command}: {}", run.err);
        }
        assert_eq!(folder.run(command).code, Some(0), "{command}");
    }
    assert_eq!(folder.run("compare --include *.json a.json b.json").code, Some(0));
}
