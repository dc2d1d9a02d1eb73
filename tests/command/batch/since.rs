//! The comparison of two runs (`merge --since`), and the pages about a fleet. The nights are
//! planted: each workspace states what differs.

use serde_json::{Value, json};

use super::{Folder, Run, rows};
use crate::{corpus, run};

/// What a plan of a night has: numbers of changes by action, and what else differs.
#[derive(Clone, Copy, Default)]
struct Plan {
    add: usize,
    update: usize,
    delete: usize,
    replace: usize,
    drift: usize,
    has_output: bool,
    has_failed_check: bool,
    errored: bool,
    is_cut: bool,
}

/// A plan of a workspace in its desired state.
const QUIET: Plan = Plan {
    add: 0,
    update: 0,
    delete: 0,
    replace: 0,
    drift: 0,
    has_output: false,
    has_failed_check: false,
    errored: false,
    is_cut: false,
};
const CUT: Plan = Plan { is_cut: true, ..QUIET };

impl Plan {
    fn text(self) -> String {
        let change = |kind: &str, number: usize, actions: Value| {
            json!({
                "address": format!("{kind}.r{number}"), "mode": "managed", "type": kind,
                "name": format!("r{number}"), "provider_name": "registry.terraform.io/x/y",
                "change": {"actions": actions, "before": {}, "after": {}},
            })
        };
        let of = |count: usize, kind: &'static str, actions: Value| {
            (0..count).map(move |number| change(kind, number, actions.clone()))
        };
        let changes = of(1, "a_same", json!(["no-op"]))
            .chain(of(self.add, "a_new", json!(["create"])))
            .chain(of(self.update, "a_changed", json!(["update"])))
            .chain(of(self.delete, "a_old", json!(["delete"])))
            .chain(of(self.replace, "a_replaced", json!(["delete", "create"])));
        let mut plan = json!({
            "format_version": "1.2",
            "terraform_version": "1.14.0",
            "resource_drift": of(self.drift, "a_drifted", json!(["update"])).collect::<Vec<_>>(),
            "resource_changes": changes.collect::<Vec<_>>(),
            "errored": self.errored,
        });
        if self.has_output {
            let output = json!({"o": {"actions": ["update"], "before": 1, "after": 2}});
            plan["output_changes"] = output;
        }
        if self.has_failed_check {
            let address = json!({"kind": "check", "name": "c", "to_display": "check.c"});
            plan["checks"] = json!([{"address": address, "status": "fail"}]);
        }
        let text = plan.to_string();
        if self.is_cut { text[..40].to_owned() } else { text }
    }
}

/// A workspace with its plans of both nights, and the expected transitions.
type Planted = (&'static str, Option<Plan>, Option<Plan>, &'static str);

fn planted() -> Vec<Planted> {
    let plan = Plan::default;
    let [some, more] = [Plan { update: 1, ..plan() }, Plan { update: 3, ..plan() }];
    let drifted = |drift| Plan { drift, ..plan() };
    let [deletes, replaces] = [Plan { delete: 1, ..plan() }, Plan { replace: 1, ..plan() }];
    let checked = Plan { has_failed_check: true, ..plan() };
    let errored = Plan { errored: true, ..plan() };
    let both = |update, drift| Some(Plan { update, drift, ..plan() });
    vec![
        ("quiet", Some(QUIET), Some(QUIET), "unchanged"),
        ("same", both(1, 2), both(1, 2), "unchanged"),
        ("breaks", Some(some), Some(CUT), "new_failure"),
        ("plans-no-more", Some(QUIET), Some(errored), "new_failure"),
        ("fails-a-check", Some(QUIET), Some(checked), "new_failure"),
        ("broken", Some(CUT), Some(CUT), "still_failing"),
        ("mended", Some(CUT), Some(QUIET), "recovered"),
        ("mended-check", Some(checked), Some(QUIET), "recovered"),
        (
            "mended-and-deletes",
            Some(CUT),
            Some(deletes),
            "new_destroys new_planned_changes recovered",
        ),
        (
            "deletes",
            Some(some),
            Some(Plan { delete: 1, ..some }),
            "new_destroys new_planned_changes",
        ),
        ("deletes-still", Some(deletes), Some(deletes), "unchanged"),
        ("replaces-instead", Some(deletes), Some(replaces), "new_destroys new_planned_changes"),
        ("plans-more", Some(some), Some(more), "new_planned_changes"),
        ("plans-less", Some(more), Some(some), "fewer_changes"),
        ("plans-others", Some(some), Some(Plan { add: 1, ..plan() }), "new_planned_changes"),
        (
            "changes-an-output",
            Some(QUIET),
            Some(Plan { has_output: true, ..plan() }),
            "new_planned_changes",
        ),
        ("drifts", Some(QUIET), Some(drifted(1)), "new_drift"),
        ("drifts-more", Some(drifted(1)), Some(drifted(2)), "new_drift"),
        ("drifts-less", Some(drifted(2)), Some(drifted(1)), "fewer_changes"),
        ("drifts-no-more", Some(drifted(2)), Some(QUIET), "fewer_changes"),
        ("drifts-and-plans", both(1, 1), both(2, 2), "new_planned_changes new_drift"),
        ("drift-is-planned", both(0, 1), both(1, 0), "new_planned_changes"),
        ("gone", Some(some), None, "gone"),
        ("new", None, Some(QUIET), "new"),
        ("new-and-deletes", None, Some(deletes), "new_destroys new_planned_changes new"),
        ("new-and-broken", None, Some(CUT), "new_failure new"),
        ("<b>hostile</b>|`&\"", Some(QUIET), Some(deletes), "new_destroys new_planned_changes"),
    ]
}

/// Writes the plans of both nights, in another order than the expected one, and batches them.
fn nights(planted: &[Planted]) -> Folder {
    let folder = Folder::new();
    for night in ["old", "new"] {
        std::fs::create_dir(folder.path(night)).expect("a folder");
    }
    for (name, old, new, _) in planted {
        for (night, plan) in [("old", old), ("new", new)] {
            let Some(plan) = plan else { continue };
            // A file name cannot contain a slash.
            folder.write(&format!("{night}/{}.json", name.replace('/', ":")), plan.text());
        }
    }
    for night in ["old", "new"] {
        let rule = format!("--workspace-from {night}/{{workspace}}.json");
        let run = folder.run(&format!("batch {night} --quiet {rule} --out {night}-out"));
        assert!(matches!(run.code, Some(0 | 1 | 4)), "{run:?}");
    }
    folder
}

fn transitions(row: &Value) -> String {
    let words = row["transitions"].as_array().expect("words").iter();
    words.map(|word| word.as_str().expect("a word")).collect::<Vec<_>>().join(" ")
}

fn merged(folder: &Folder, args: &str) -> Run {
    folder.run(format!("merge --since old-out new-out {args}").trim_end())
}

#[test]
fn each_workspace_has_the_planted_transitions() {
    let planted = planted();
    let folder = nights(&planted);
    let run = merged(&folder, "--format ndjson");
    assert_eq!(run.code, Some(4), "{}", run.err);
    let mut rows = rows(&run.out);
    let totals = rows.pop().expect("totals");
    let name = |row: &Value| row["workspace"].as_str().expect("a name").to_owned();
    let mut found: Vec<_> = rows.iter().map(|row| (name(row), transitions(row))).collect();
    found.sort();
    let mut expected: Vec<_> = planted
        .iter()
        .map(|(name, _, _, words)| (name.replace('/', ":"), (*words).to_owned()))
        .collect();
    expected.sort();
    assert_eq!(found, expected);
    for word in expected.iter().flat_map(|(_, words)| words.split(' ')) {
        let count = expected.iter().filter(|(_, words)| words.split(' ').any(|it| it == word));
        assert_eq!(totals[word], count.count(), "{word}: {totals}");
    }
    let drifts = |words: &str| words.contains("new_planned_changes") || words.contains("new_drift");
    let drifted = expected.iter().filter(|(_, words)| drifts(words)).count();
    assert_eq!(totals["new_planned_changes_or_drift"], drifted);
    let sum = |plan: fn(&Planted) -> Option<Plan>, number: fn(Plan) -> usize| -> usize {
        planted.iter().filter_map(plan).filter(|plan| !plan.is_cut).map(number).sum()
    };
    let both = |number| {
        let [before, after] = [sum(|it| it.1, number), sum(|it| it.2, number)];
        json!({"before": before, "after": after})
    };
    assert_eq!(totals["drift"], both(|plan| plan.drift));
    let changes = |plan: Plan| plan.add + plan.update + plan.delete + plan.replace;
    assert_eq!(totals["planned_changes"], both(changes));
    assert_eq!(totals["complete"], json!(true));
}

#[test]
fn workspaces_come_in_the_order_of_their_risk() {
    let folder = nights(&planted());
    let run = merged(&folder, "--format ndjson");
    let rows = rows(&run.out);
    let order = [
        "new_failure",
        "new_destroys",
        "new_planned_changes",
        "new_drift",
        "still_failing",
        "gone",
        "new",
        "fewer_changes",
        "recovered",
        "unchanged",
    ];
    let worst = |row: &Value| {
        let word = row["transitions"][0].as_str().expect("a word").to_owned();
        order.iter().position(|other| *other == word).expect("a known word")
    };
    let ranks: Vec<usize> = rows[..rows.len() - 1].iter().map(worst).collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
    let again = merged(&folder, "--format ndjson");
    assert_eq!(run.out, again.out);
    let json: Vec<Value> =
        serde_json::from_str(&merged(&folder, "--format json").out).expect("an array");
    assert_eq!(json, rows);
}

#[test]
fn records_of_a_comparison_match_the_schema() {
    let schema = run::plansift().args(["schema", "--of", "report"]).output().expect("it runs");
    let schema = serde_json::from_slice(&schema.stdout).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let rows = rows(&merged(&nights(&planted()), "--format ndjson").out);
    assert!(rows.len() > 20);
    for row in rows {
        assert!(validator.is_valid(&row), "{row}");
    }
}

#[test]
fn pages_about_two_nights_match_the_expected_files() {
    let folder = nights(&planted());
    let mut report = String::new();
    for (file, args) in [
        ("since.txt", "merge --since old-out new-out"),
        ("since.md", "merge --since old-out new-out --format markdown"),
        ("since.html", "merge --since old-out new-out --format html"),
        ("fleet.md", "merge new-out --format markdown"),
        ("fleet.html", "merge new-out --format html"),
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(4), "{}", run.err);
        // The style and the script are in their own files.
        let body = run.out.split_once("<body>").map_or(&*run.out, |(_, body)| body);
        let body = body.split_once("<script type=\"module\">").map_or(body, |(body, _)| body);
        let path = run::root().join("corpus/nights").join(file);
        corpus::differences(&path, body, &mut report);
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn one_run_writes_several_formats() {
    let folder = nights(&planted());
    let run = folder.run("merge new-out -o table.txt -o html=page.html -o ndjson=rows.ndjson");
    assert_eq!((run.code, &*run.out), (Some(4), ""), "{}", run.err);
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).expect("a file");
    assert_eq!(read("table.txt"), folder.run("merge new-out").out);
    assert_eq!(read("page.html"), folder.run("merge new-out --format html").out);
    assert_eq!(read("rows.ndjson"), folder.run("merge new-out --format ndjson").out);
    for (args, words) in [
        ("merge new-out -o html", "'html' is a format: write -o html=FILE"),
        ("merge new-out -o htlm=a", "did you mean html=a?"),
        ("merge new-out -o a -o html=a", "two reports for one place"),
        ("merge new-out --since old-out --group-by type", "cannot be used with"),
        ("merge new-out --since old-out -o html=old-out/a", "in the folder of a batch"),
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(64), "{args}: {run:?}");
        assert!(run.err.contains(words), "{args}: {}", run.err);
    }
}

#[test]
fn the_exit_code_tells_news_from_known_changes() {
    let (some, drifted) = (Plan { update: 1, ..QUIET }, Plan { drift: 1, ..QUIET });
    for (old, new, code) in
        [(some, some, 0), (some, QUIET, 0), (QUIET, some, 2), (QUIET, drifted, 2), (QUIET, CUT, 1)]
    {
        let folder = nights(&[("a", Some(old), Some(new), "")]);
        let run = merged(&folder, "--detailed-exitcode");
        assert_eq!(run.code, Some(code), "{run:?}");
        let run = merged(&folder, "");
        assert_eq!(run.code, Some(if code == 1 { 1 } else { 0 }), "{run:?}");
    }
}

#[test]
fn shards_of_both_nights_are_compared() {
    let folder = nights(&planted());
    let mut parts = Vec::new();
    for night in ["old", "new"] {
        for shard in [1, 2] {
            let rule = format!("--workspace-from {night}/{{workspace}}.json");
            let args = format!("{rule} --shard {shard}/2 --out {night}{shard}");
            folder.run(&format!("batch {night} --quiet {args}"));
        }
        parts.push(format!("{night}1"));
    }
    let whole = merged(&folder, "");
    let run = folder.run("merge --since old1 --since old2 new1 new2");
    assert_eq!((run.code, &run.out), (whole.code, &whole.out));
    let run = folder.run("merge --since old1 new1 new2");
    assert_eq!(run.code, Some(1));
    assert!(run.err.starts_with("plansift: old1: shards are missing: 2/2"), "{}", run.err);
    let run = folder.run("merge --partial --since old1 new1 new2");
    assert!(run.out.contains("! The earlier run is not complete."), "{}", run.out);
}

/// Removes the outcomes from the journal of a batch, as if the run was killed at its beginning.
fn forget_outcomes(folder: &Folder, batch: &str) {
    let path = folder.path(&format!("{batch}/journal"));
    let journal = std::fs::read_to_string(&path).expect("a journal");
    let lines = journal.lines().take_while(|line| !line.ends_with("\"outcomes\""));
    let begun: String = lines.map(|line| format!("{line}\n")).collect();
    assert!(begun.len() < journal.len(), "{journal}");
    std::fs::write(&path, begun).expect("a journal");
}

#[test]
fn inputs_that_are_not_processed_are_neither_gone_nor_unchanged() {
    let folder = nights(&[("a", Some(QUIET), Some(QUIET), "")]);
    forget_outcomes(&folder, "new-out");
    let run = merged(&folder, "--format ndjson --detailed-exitcode");
    assert_eq!((run.code, &*run.err), (Some(1), "plansift: 1 input is not done yet\n"));
    let rows = rows(&run.out);
    assert_eq!(transitions(&rows[0]), "pending");
    assert_eq!(rows[1]["complete"], json!(false));
    let run = folder.run("merge new-out --format markdown");
    assert!(run.out.contains("| Not done yet | 1 |"), "{}", run.out);
}

#[test]
fn workspaces_that_the_earlier_run_did_not_process_are_not_unchanged() {
    let drifts = Plan { drift: 1, ..QUIET };
    let folder = nights(&[
        ("drifts", Some(drifts), Some(drifts), ""),
        ("gone", Some(QUIET), None, ""),
        ("quiet", Some(QUIET), Some(QUIET), ""),
    ]);
    forget_outcomes(&folder, "old-out");
    let run = merged(&folder, "--format ndjson");
    assert_eq!((run.code, &*run.err), (Some(0), ""));
    let rows = rows(&run.out);
    let found: Vec<String> = rows[..3].iter().map(transitions).collect();
    assert_eq!(found, ["new_drift pending", "pending", "gone"]);
    assert_eq!((&rows[3]["unchanged"], &rows[3]["complete"]), (&json!(0), &json!(false)));
}
