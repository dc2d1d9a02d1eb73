//! What Terraform and OpenTofu themselves say of the real plans: the same resources, with the same
//! actions, and of those that change in place or are replaced the same attributes.
//!
//! A report folds instances that change alike, so resources are compared without their index, by
//! number; attributes are compared for the first instance of each row.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::report_on;
use crate::rendering::{ACME_UPDATE, ACTIONS, Names, OTHER_TOOLS, WRITE_ONLY, marked_name};
use crate::{run, shared_plans};

/// The module and the name of a resource, the latter without its index.
type Place = (String, String);

/// What happens to resources, by place, and how often.
type Rows = BTreeMap<(Place, &'static str), u64>;

/// The heading where planning failed half-way.
const ERRORED: &str = "planned the following actions, but then encountered a problem:";

/// How a rendering says what happens, and what that is.
const VERBS: [(&str, &str); 12] = [
    ("will be created", "create"),
    ("will be updated in-place", "update"),
    ("is tainted, so it must be replaced", "replace"),
    ("is tainted, so must be replaced", "replace"),
    ("must be replaced", "replace"),
    ("will be replaced", "replace"),
    ("will be destroyed", "delete"),
    ("(deposed object ", "delete"),
    ("will be read during apply", "read"),
    ("will no longer be managed by", "forget"),
    ("will be removed from the", "forget"),
    ("will be read", "read"),
];

/// How a report says it.
const PHRASES: [(&str, &str); 6] = [
    ("will be created", "create"),
    ("will be updated in place", "update"),
    ("must be replaced", "replace"),
    ("will be destroyed", "delete"),
    ("will be read during apply", "read"),
    ("will be forgotten, not destroyed", "forget"),
];

/// The module of an address, and the rest of it.
fn split(address: &str) -> (String, &str) {
    let mut rest = address;
    while let Some(inner) = rest.strip_prefix("module.") {
        let mut is_quoted = false;
        let end = inner.char_indices().find(|&(_, character)| {
            is_quoted ^= character == '"';
            character == '.' && !is_quoted
        });
        let Some((end, _)) = end else { break };
        rest = &inner[end + 1..];
    }
    let module = &address[..address.len() - rest.len()];
    (module.trim_end_matches('.').to_owned(), rest)
}

fn place(address: &str) -> Place {
    let (module, rest) = split(address);
    (module, rest.split(['[', ' ']).next().unwrap_or_default().to_owned())
}

/// What a rendering says: rows, and of each address that is updated or replaced the names that are
/// marked.
fn rendered(text: &str) -> (Rows, BTreeMap<String, Names>) {
    let (mut rows, mut names) = (Rows::new(), BTreeMap::new());
    let mut current: Option<&mut Names> = None;
    let planned = [ACTIONS, ERRORED].iter().find_map(|heading| text.split_once(heading));
    for line in planned.map_or("", |(_, actions)| actions).lines() {
        // What is only forgotten has one space.
        let comment = ["  # ", " # "].iter().find_map(|start| line.strip_prefix(start));
        if let Some(comment) = comment {
            let found = VERBS.iter().find_map(|(verb, what)| {
                let at = comment.find(&format!(" {verb}"))?;
                Some((&comment[..at], *what))
            });
            let Some((address, what)) = found else { continue };
            *rows.entry((place(address), what)).or_default() += 1;
            current = match what {
                "update" | "replace" => Some(names.entry(address.to_owned()).or_default()),
                _ => None,
            };
        } else if line == "    }" {
            current = None;
        } else if let (Some(names), Some(name)) = (&mut current, marked_name(line)) {
            names.insert(name.to_owned());
        }
    }
    (rows, names)
}

/// What a report says: rows, and the first steps of the attributes below each, by the address of
/// its first instance.
fn reported(text: &str) -> (Rows, BTreeMap<String, Names>) {
    let (mut rows, mut names) = (Rows::new(), BTreeMap::new());
    let mut current: Option<&mut Names> = None;
    let (mut is_within, mut module) = (false, String::new());
    for line in text.lines() {
        if !line.starts_with(' ') && !line.is_empty() {
            is_within = line == "Changes";
            current = None;
            module.clear();
        } else if let Some(attribute) = line.strip_prefix("        ") {
            if let (Some(names), Some(step)) = (&mut current, first_step(attribute)) {
                names.insert(step);
            }
        } else if is_within && line.starts_with("  module.") {
            module = line.trim().to_owned();
        } else if is_within && line.len() > 6 {
            let (head, phrase) = line[6..].rsplit_once("  ").unwrap_or((&line[6..], ""));
            let what = PHRASES.iter().find(|(words, _)| phrase.starts_with(words));
            let Some((_, what)) = what else {
                current = None;
                continue;
            };
            let dot = if module.is_empty() { "" } else { "." };
            let (first, number) = instances(head);
            let address = format!("{module}{dot}{first}");
            *rows.entry((place(&address), *what)).or_default() += number;
            current = match *what {
                "update" | "replace" => Some(names.entry(address).or_default()),
                _ => None,
            };
        }
    }
    (rows, names)
}

/// The first instance of a row, and how many there are.
fn instances(head: &str) -> (&str, u64) {
    let number = head.rsplit_once('(').and_then(|(_, last)| last.strip_suffix(" alike)"));
    match number {
        None => (head, 1),
        Some(number) => {
            let end = head.find("], [").map_or(head.len(), |at| at + 1);
            (&head[..end], number.parse().expect("a number"))
        }
    }
}

fn first_step(attribute: &str) -> Option<String> {
    let path = attribute.get(2..)?;
    let path = ["jsondecode(", "yamldecode("]
        .iter()
        .find_map(|function| path.strip_prefix(function))
        .unwrap_or(path);
    let end = path.find(['.', '[', ' ', ')']).unwrap_or(path.len());
    Some(path[..end].to_owned())
}

/// What only one of the two names, and why.
const EXPLAINED: [(&str, &str, &[&str], &str); 2] = [
    (ACME_UPDATE, "acme_everything.chained", &["password_wo"], WRITE_ONLY),
    (ACME_UPDATE, "acme_everything.full", &["password_wo"], WRITE_ONLY),
];

#[test]
fn the_same_resources_and_attributes_are_told() {
    let mut wrong = Vec::new();
    let (mut plans, mut resources) = (0, 0);
    for (name, path) in shared_plans::files() {
        let other_tool = OTHER_TOOLS.iter().any(|tool| name.starts_with(tool));
        let plan = shared_plans::plan_beside(&path, ".plan.txt").filter(|_| !other_tool);
        let Some(plan) = plan else { continue };
        let text = shared_plans::plain(&fs::read_to_string(&path).expect("text"));
        let (rows, names) = rendered(&text);
        let (told, steps) = reported(&report_on(&[], &plan));
        plans += 1;
        resources += rows.values().sum::<u64>();
        let keys: BTreeSet<_> = rows.keys().chain(told.keys()).collect();
        for key in keys {
            if rows.get(key) != told.get(key) {
                wrong.push(format!("{name}: {key:?}: {:?} {:?}", rows.get(key), told.get(key)));
            }
        }
        for (address, steps) in &steps {
            let marked = names.get(address).cloned().unwrap_or_default();
            let either: Names = marked.symmetric_difference(steps).cloned().collect();
            let explained = EXPLAINED.iter().any(|(file, at, which, _)| {
                *file == name && at == address && either.iter().eq(which.iter())
            });
            if !either.is_empty() && !explained {
                wrong.push(format!("{name}: {address}: {either:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {resources}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(run::shared().is_none() || (plans >= 138 && resources >= 1900), "{plans} {resources}");
}
