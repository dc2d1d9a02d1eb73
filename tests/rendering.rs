//! The tools' own renderings of the real plans: `changed` names what the renderings mark as
//! changed.
//!
//! ```text
//!   # acme_everything.full will be updated in-place      the address and the action
//!   ~ resource "acme_everything" "full" {
//!       ~ string = "one" -> "two"                        marked: ends in column 7, then the name
//!         # (6 unchanged attributes hidden)
//!       ~ block {                                        also a block
//!           ~ nested = 1 -> 2                            deeper: not compared
//! ```
//!
//! The test compares only the first step of a path, because below it the renderer matches elements
//! of lists and sets in its own way. A table lists the remaining differences with their reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use plansift::input::{self, Input};
use plansift::record::RecordOptions;
use serde_json::Value;

use crate::{run, shared_plans};

/// Attributes and blocks by name.
type Names = BTreeSet<String>;

/// The heading of planned changes; drift comes before it.
pub const ACTIONS: &str = "will perform the following actions:";

/// Texts after the address of a resource that is updated or replaced.
const VERBS: [&str; 5] = [
    "will be updated in-place",
    "must be replaced",
    "is tainted, so it must be replaced",
    "is tainted, so must be replaced",
    "will be replaced",
];

/// Renderings by other tools than Terraform and OpenTofu, in other formats.
pub const OTHER_TOOLS: [&str; 1] = ["tfreveal/"];

/// Names that only the rendering or only the record has, and the reason.
const EXPLAINED: [(&str, &str, &[&str], &str); 2] = [
    (ACME_UPDATE, "acme_everything.chained", &["password_wo"], WRITE_ONLY),
    (ACME_UPDATE, "acme_everything.full", &["password_wo"], WRITE_ONLY),
];
const ACME_UPDATE: &str = "real/tofu1.12/acme-everything-update.plan.txt";
const WRITE_ONLY: &str = "OpenTofu marks every write-only attribute, which is null on both sides";

/// The marked names of each updated or replaced resource of a rendering, by address.
fn marked(rendering: &str, addresses: &BTreeSet<String>) -> BTreeMap<String, Names> {
    let mut found = BTreeMap::new();
    let mut current: Option<&mut Names> = None;
    let actions = rendering.split_once(ACTIONS);
    for line in actions.map_or("", |(_, actions)| actions).lines() {
        if let Some(comment) = line.strip_prefix("  # ") {
            if let Some(address) = addressed(comment, addresses) {
                current = Some(found.entry(address).or_default());
            }
        } else if line == "    }" {
            current = None;
        } else if let (Some(names), Some(name)) = (&mut current, marked_name(line)) {
            names.insert(name.to_owned());
        }
    }
    found
}

fn addressed(comment: &str, addresses: &BTreeSet<String>) -> Option<String> {
    let verb_of = |address: &String| comment.strip_prefix(address.as_str())?.strip_prefix(' ');
    let named = |address: &&String| {
        verb_of(address).is_some_and(|rest| VERBS.iter().any(|verb| rest.starts_with(verb)))
    };
    addresses.iter().find(named).cloned()
}

/// The name behind a mark in the column of first-level attributes and blocks.
fn marked_name(line: &str) -> Option<&str> {
    let mark = ["      ~ ", "      + ", "      - ", "    -/+ ", "    +/- "];
    let rest = mark.iter().find_map(|mark| line.strip_prefix(mark))?;
    let name = rest.split(' ').next()?;
    (!name.is_empty()).then_some(name)
}

/// The first steps of the `changed` paths of each updated or replaced resource, by address.
fn changed(records: &[Value]) -> BTreeMap<String, Names> {
    let compared = |record: &&Value| {
        record["kind"] == "resource_change"
            && record["deposed"].is_null()
            && (record["action"] == "update" || record["action"] == "replace")
    };
    let address = |record: &Value| record["address"].as_str().expect("an address").to_owned();
    records.iter().filter(compared).map(|record| (address(record), first_steps(record))).collect()
}

fn first_steps(record: &Value) -> Names {
    let paths = record["changed"].as_array().into_iter().flatten();
    let first = |path: &Value| {
        let path = path.as_str().expect("a path");
        path.split(['.', '[']).next().unwrap_or_default().to_owned()
    };
    paths.map(first).collect()
}

/// A resource whose rendering and record differ.
type Difference = (String, String, Names);

/// All differences between a rendering and the records of its plan, and the number of resources
/// compared.
fn compare(name: &str, rendering: &str, records: &[Value]) -> (BTreeSet<Difference>, usize) {
    let changed = changed(records);
    let marked = marked(rendering, &changed.keys().cloned().collect());
    let mut differences = BTreeSet::new();
    for (address, steps) in &changed {
        let names = marked.get(address).unwrap_or_else(|| panic!("{name}: {address} is missing"));
        let either: Names = names.symmetric_difference(steps).cloned().collect();
        if !either.is_empty() {
            differences.insert((name.to_owned(), address.clone(), either));
        }
    }
    assert_eq!(marked.len(), headings(rendering), "{name}: more is rendered than is in records");
    (differences, changed.len())
}

/// Number of resources that a rendering shows as updated or replaced.
fn headings(rendering: &str) -> usize {
    let actions = rendering.split_once(ACTIONS).map_or("", |(_, actions)| actions);
    let is_heading =
        |line: &&str| line.starts_with("  # ") && VERBS.iter().any(|verb| line.contains(verb));
    actions.lines().filter(is_heading).count()
}

#[test]
fn changed_names_the_marked_attributes_of_renderings() {
    let mut differences = BTreeSet::new();
    let mut resources = 0;
    for (name, path) in shared_plans::files() {
        let other_tool = OTHER_TOOLS.iter().any(|tool| name.starts_with(tool));
        let plan = shared_plans::plan_beside(&path, ".plan.txt").filter(|_| !other_tool);
        let Some(plan) = plan else {
            continue;
        };
        let input = Input::open_file(&plan, &input::InputOptions::default()).expect("a file");
        let (records, _) = run::records(input, &RecordOptions::default()).expect("a plan");
        let rendering = fs::read_to_string(&path).expect("text");
        let (found, compared) = compare(&name, &shared_plans::plain(&rendering), &records);
        differences.extend(found);
        resources += compared;
    }
    let others = run::shared().is_some();
    let there = EXPLAINED.into_iter().filter(|(name, ..)| others || name.starts_with("real/"));
    let explained = there.map(|(name, address, either, _)| {
        (name.to_owned(), address.to_owned(), either.iter().map(|&name| name.to_owned()).collect())
    });
    assert_eq!(differences, explained.collect::<BTreeSet<_>>());
    run::assert_enough(resources, 160, 120);
}

#[test]
fn marks_are_read_from_the_first_level_only() {
    let rendering = r#"
  # a.drifted has changed
  ~ resource "a" "drifted" {
      ~ before_the_actions = 1 -> 2
    }

Terraform will perform the following actions:

  # a.b["x y"] must be replaced
-/+ resource "a" "b" {
      ~ id     = "1" -> (known after apply)
        same   = "s"
    -/+ object = { # forces replacement
          ~ deep = 1 -> 2
        }
      - gone   = <<-EOT
            ~ text
        EOT -> null
        # (2 unchanged attributes hidden)

      + block {
          + x = 1
        }
    }

  # a.c will be created
  + resource "a" "c" {
      + id = (known after apply)
    }

Plan: 2 to add, 0 to change, 1 to destroy.
"#;
    let addresses = [r#"a.b["x y"]"#, "a.b", "a.drifted"].map(str::to_owned).into();
    let names = ["id", "object", "gone", "block"].map(str::to_owned).into();
    let expected = BTreeMap::from([(r#"a.b["x y"]"#.to_owned(), names)]);
    assert_eq!(marked(rendering, &addresses), expected);
    assert_eq!(headings(rendering), 1);
}
