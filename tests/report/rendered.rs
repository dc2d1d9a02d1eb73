//! Compares reports with renderings, the texts that Terraform and OpenTofu print for the real
//! plans. Both must have the same resources, actions and attributes. Paths end at the last named
//! step.
//!
//! A report folds instances that change alike, so the test compares the number of resources without
//! their index, and attributes of the first instance of each row. A rendering does not show
//! positions in lists and sets, so the test drops indexes from paths. [`covers`],
//! [`only_in_rendering`] and [`only_in_report`] explain the remaining differences.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::report_on;
use crate::rendering::{ACTIONS, OTHER_TOOLS};
use crate::{run, shared_plans};

/// The module of a resource, and its type and name without the index.
type Name = (String, String);

/// Number of changed instances, by name and action.
type Rows = BTreeMap<(Name, &'static str), u64>;

/// The keys on the way to an attribute, without the indexes between them.
pub(super) type Path = Vec<String>;

/// The attributes of a resource: the text after each path.
type Attributes = BTreeMap<Path, String>;

/// The attributes of resources, by address and action.
type Resources = BTreeMap<(String, &'static str), Attributes>;

/// The heading where planning failed half-way.
pub(super) const ERRORED: &str = "planned the following actions, but then encountered a problem:";

/// Phrases of renderings, and their actions.
pub(super) const VERBS: [(&str, &str); 12] = [
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

/// Phrases of reports, and their actions.
const PHRASES: [(&str, &str); 6] = [
    ("will be created", "create"),
    ("will be updated in place", "update"),
    ("must be replaced", "replace"),
    ("will be destroyed", "delete"),
    ("will be read during apply", "read"),
    ("will no longer be managed, but will not be destroyed", "forget"),
];

/// Splits an address into its module and the rest.
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

fn name_of(address: &str) -> Name {
    let (module, rest) = split(address);
    (module, rest.split(['[', ' ']).next().unwrap_or_default().to_owned())
}

/// Parses a rendering.
fn rendered(text: &str) -> (Rows, Resources) {
    let (mut rows, mut resources) = (Rows::new(), Resources::new());
    let mut current: Option<(&mut Attributes, Body)> = None;
    let planned = [ACTIONS, ERRORED].iter().find_map(|heading| text.split_once(heading));
    for line in planned.map_or("", |(_, actions)| actions).lines() {
        // The line of a forgotten resource begins with one space.
        let comment = ["  # ", " # "].iter().find_map(|start| line.strip_prefix(start));
        if let Some(comment) = comment {
            let found = VERBS.iter().find_map(|(verb, action)| {
                let at = comment.find(&format!(" {verb}"))?;
                Some((&comment[..at], *action))
            });
            let Some((address, action)) = found else { continue };
            *rows.entry((name_of(address), action)).or_default() += 1;
            let attributes = resources.entry((without_object(address), action)).or_default();
            current = Some((attributes, Body::default()));
        } else if line == "    }" {
            current = None;
        } else if let Some((attributes, body)) = &mut current
            && let Some((path, value)) = body.attribute(line)
        {
            attributes.insert(path, value);
        }
    }
    (rows, resources)
}

/// An address without the key of a deposed object.
pub(super) fn without_object(address: &str) -> String {
    address.split(" (deposed ").next().unwrap_or_default().to_owned()
}

/// The position of the parser in the body of a resource.
#[derive(Default)]
struct Body {
    /// The open containers: the depth of each, and its name if it has one.
    open: Vec<(usize, Option<String>)>,
    /// True inside a heredoc.
    is_in_text: bool,
}

impl Body {
    /// The attribute of a line that has a sign. Includes containers that the line opens.
    fn attribute(&mut self, line: &str) -> Option<(Path, String)> {
        let inner = line.trim_start();
        if self.is_in_text || inner.starts_with("EOT") {
            self.is_in_text = !inner.starts_with("EOT");
            return None;
        }
        let marks = ["~ ", "+ ", "- ", "-/+ ", "+/- "];
        let content = marks.iter().find_map(|mark| inner.strip_prefix(mark));
        let is_marked = content.is_some();
        let content = content.unwrap_or(inner);
        // Names begin at column 8, and each level adds four columns. Lines before that are the
        // head.
        let column = line.len() - content.len();
        if column < 8 || content.is_empty() || content.starts_with(['#', '}', ']', ')']) {
            return None;
        }
        let content = content.strip_suffix(" # forces replacement").unwrap_or(content);
        let depth = column / 4;
        self.open.retain(|(open, _)| *open < depth);
        let (name, value) = named(content);
        let names = self.open.iter().filter_map(|(_, name)| name.clone());
        let path: Path = names.chain(name.clone()).collect();
        if value.ends_with(['{', '[', '(']) {
            self.open.push((depth, name.clone()));
        }
        self.is_in_text = value.ends_with("<<-EOT");
        // A container without a name is an element of a list.
        let is_element = name.is_none() && value.ends_with(['{', '[', '(']);
        (is_marked && !is_element).then(|| (path, value.to_owned()))
    }
}

/// The name of an attribute or block, if the line has one, and the text after the name.
pub(super) fn named(content: &str) -> (Option<String>, &str) {
    if let Some(quoted) = content.strip_prefix('"') {
        let end =
            quoted.find("\" ").filter(|&end| quoted[end + 2..].trim_start().starts_with("= "));
        return match end {
            Some(end) => (Some(quoted[..end].to_owned()), &quoted[end + 2..]),
            None => (None, content),
        };
    }
    let (name, rest) = content.split_once(' ').unwrap_or((content, ""));
    match rest.trim_start().strip_prefix("= ") {
        Some(value) => (Some(name.to_owned()), value),
        // A block may have a label.
        None if rest.ends_with('{') => (Some(name.to_owned()), rest),
        None => (None, content),
    }
}

/// Parses a report.
fn reported(text: &str) -> (Rows, Resources) {
    let (mut rows, mut resources) = (Rows::new(), Resources::new());
    let mut current: Option<&mut Attributes> = None;
    let (mut is_within, mut module) = (false, String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.ends_with(" = <<-EOT") {
            // Skips the lines of a heredoc, which are no attributes.
            lines.by_ref().find(|line| *line == "          EOT");
        }
        if line.starts_with("          -> ") {
            continue;
        }
        if !line.starts_with(' ') && !line.is_empty() {
            is_within = line == "Changes";
            current = None;
            module.clear();
        } else if let Some(attribute) = line.strip_prefix("        ") {
            if let (Some(attributes), Some(attribute)) = (&mut current, attribute.get(2..))
                && !attribute.ends_with(" unchanged attributes)")
                && attribute != "(1 unchanged attribute)"
            {
                attributes.insert(keys(attribute), attribute.to_owned());
            }
        } else if is_within && line.starts_with("  module.") {
            module = line.trim().to_owned();
        } else if is_within && line.len() > 6 {
            let (head, phrase) = line[6..].rsplit_once("  ").unwrap_or((&line[6..], ""));
            let Some(action) = self::phrase(phrase) else {
                current = None;
                continue;
            };
            let dot = if module.is_empty() { "" } else { "." };
            let (first, number) = instances(head);
            let address = format!("{module}{dot}{first}");
            *rows.entry((name_of(&address), action)).or_default() += number;
            current = Some(resources.entry((without_object(&address), action)).or_default());
        }
    }
    (rows, resources)
}

/// The action that a phrase of a report states.
pub(super) fn phrase(words: &str) -> Option<&'static str> {
    PHRASES.iter().find(|(phrase, _)| words.starts_with(phrase)).map(|(_, action)| *action)
}

/// The keys of the path at the start of a row.
pub(super) fn keys(row: &str) -> Path {
    let (mut keys, mut rest) = (Path::new(), row);
    loop {
        let decoded = ["jsondecode(", "yamldecode("].iter().find_map(|it| rest.strip_prefix(it));
        rest = decoded.unwrap_or(rest).trim_start_matches([')', '.']);
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let end = quoted.find("\"]").expect("an end");
            keys.push(quoted[..end].to_owned());
            rest = &quoted[end + 2..];
        } else if let Some(index) = rest.strip_prefix('[') {
            rest = index.split_once(']').expect("an end").1;
        } else {
            let end = rest.find(['.', '[', ')', ' ']).unwrap_or(rest.len());
            if end == 0 {
                return keys;
            }
            keys.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
    }
}

/// The first instance of a row, and the number of its instances.
pub(super) fn instances(head: &str) -> (&str, u64) {
    let number = head.rsplit_once('(').and_then(|(_, last)| last.strip_suffix(" alike)"));
    match number {
        None => (head, 1),
        Some(number) => {
            let end = head.find("], [").map_or(head.len(), |at| at + 1);
            (&head[..end], number.parse().expect("a number"))
        }
    }
}

/// Whether a row of a report covers a path of a rendering. One of these must hold:
/// - the row has the same path;
/// - the row shows a whole value above the path, which a rendering spreads over lines;
/// - the row shows a part of a JSON or YAML document, which a rendering shows as one text.
fn covers(row: (&Path, &String), path: &Path) -> bool {
    let (row_path, text) = row;
    let is_whole = ["{", "[", "(known after apply)", "(sensitive value)", "jsonencode("]
        .iter()
        .any(|whole| text.contains(whole));
    row_path == path
        || (is_whole && path.starts_with(row_path))
        || (text.contains("decode(") && row_path.starts_with(path))
}

const NAMED_WRITE_ONLY: &str =
    "a report knows write-only attributes by their names; this one is an object that holds one";

/// Known differences: the address of the resource, the attributes that only a report or only a
/// rendering has, and the reason.
const EXPLAINED: [(&str, &[&str], &str); 6] = [
    ("acme_everything.chained", &["nested_wo"], NAMED_WRITE_ONLY),
    ("acme_everything.e", &["nested_wo"], NAMED_WRITE_ONLY),
    ("acme_everything.r", &["nested_wo"], NAMED_WRITE_ONLY),
    ("acme_everything.full", &["nested_wo"], NAMED_WRITE_ONLY),
    (
        "acme_everything.full",
        &["block_set.name", "set_object.flag", "set_object.list", "set_object.number"],
        "an element that goes and one that comes are a pair in a report, with what differs",
    ),
    (
        "azuredevops_build_definition.example",
        &["repository.github_enterprise_url", "repository.service_connection_id"],
        "a rendering leaves out empty texts of blocks that go",
    ),
];

/// Whether only a rendering shows the attribute: a write-only attribute in an update, which is
/// `null` on both sides, or a `null` in a map that is created or removed.
fn only_in_rendering(value: &str, action: &str) -> bool {
    (value.ends_with("write-only attribute)") && action == "update") || value == "null"
}

/// Whether only a report shows the attribute: empty lists, because a plan has blocks as lists.
fn only_in_report(row: &str) -> bool {
    row.ends_with("= []") || row.ends_with("= {}")
}

/// How a report and a rendering of the same resource differ.
fn differences(
    (address, action): &(String, &str),
    rendered: &Attributes,
    reported: &Attributes,
) -> Vec<String> {
    let is_explained = |path: &Path| {
        let path = path.join(".");
        EXPLAINED.iter().any(|(at, paths, _)| *at == address && paths.contains(&path.as_str()))
    };
    let mut wrong = Vec::new();
    for (path, value) in rendered {
        let is_opened = value.ends_with(['{', '[', '(']);
        let is_reported = reported.iter().any(|row| covers(row, path));
        let is_known = is_opened || only_in_rendering(value, action) || is_explained(path);
        if !is_reported && !is_known {
            wrong.push(format!("is not reported: {path:?} {value}"));
        }
    }
    for row in reported {
        let is_rendered = rendered.keys().any(|path| covers(row, path) || path == row.0);
        if !is_rendered && !only_in_report(row.1) && !is_explained(row.0) {
            wrong.push(format!("is not rendered: {row:?}"));
        }
    }
    wrong
}

#[test]
fn reports_show_the_resources_and_attributes_of_renderings() {
    let mut wrong = Vec::new();
    let (mut plans, mut resources, mut attributes) = (0, 0, 0);
    for (name, path) in shared_plans::files() {
        let other_tool = OTHER_TOOLS.iter().any(|tool| name.starts_with(tool));
        let plan = shared_plans::plan_beside(&path, ".plan.txt").filter(|_| !other_tool);
        let Some(plan) = plan else { continue };
        let text = shared_plans::plain(&fs::read_to_string(&path).expect("text"));
        let (rows, rendered) = rendered(&text);
        // With a large --echo-min, the report hides no echoes, because a rendering shows them.
        let (report_rows, reported) =
            reported(&report_on(&["--width", "0", "--echo-min", "100000"], &plan));
        plans += 1;
        resources += rows.values().sum::<u64>();
        let keys: BTreeSet<_> = rows.keys().chain(report_rows.keys()).collect();
        for key in keys {
            if rows.get(key) != report_rows.get(key) {
                wrong.push(format!(
                    "{name}: {key:?}: {:?} {:?}",
                    rows.get(key),
                    report_rows.get(key)
                ));
            }
        }
        for (key, shown) in &reported {
            attributes += shown.len();
            // A rendering shows no attributes of a forgotten resource.
            let differences = match (rendered.get(key), key.1) {
                (Some(_), "forget") => Vec::new(),
                (Some(rendered), _) => differences(key, rendered, shown),
                (None, _) => vec!["is not rendered".to_owned()],
            };
            wrong.extend(differences.iter().map(|it| format!("{name}: {key:?}: {it}")));
        }
    }
    assert!(wrong.is_empty(), "{} of {resources}:\n{}", wrong.len(), wrong.join("\n"));
    run::assert_enough(plans, 138, 77);
    run::assert_enough(resources as usize, 1900, 1848);
    run::assert_enough(attributes, 4000, 4000);
}
