//! Compares reports with the renderings of Terraform and OpenTofu for the real plans: the same
//! resources, actions and attributes, down to the last step that is a name.
//!
//! A report folds instances that change alike, so the test compares the number of resources without
//! their index, and attributes of the first instance of each row. A rendering does not show
//! positions in lists and sets, so the test drops indexes from paths. [`covers`],
//! [`is_of_rendering_alone`] and [`is_of_report_alone`] explain the remaining differences.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::report_on;
use crate::rendering::{ACTIONS, OTHER_TOOLS};
use crate::{run, shared_plans};

/// The module and the name of a resource, the latter without its index.
type Place = (String, String);

/// What happens to resources, by place, and how often.
type Rows = BTreeMap<(Place, &'static str), u64>;

/// The keys on the way to an attribute, without the indexes between them.
pub(super) type Path = Vec<String>;

/// What is said of attributes: the text behind a path.
type Attributes = BTreeMap<Path, String>;

/// The attributes of resources, by address and what happens.
type Told = BTreeMap<(String, &'static str), Attributes>;

/// The heading where planning failed half-way.
pub(super) const ERRORED: &str = "planned the following actions, but then encountered a problem:";

/// How a rendering says what happens, and what that is.
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

/// How a report says it.
const PHRASES: [(&str, &str); 6] = [
    ("will be created", "create"),
    ("will be updated in place", "update"),
    ("must be replaced", "replace"),
    ("will be destroyed", "delete"),
    ("will be read during apply", "read"),
    ("will no longer be managed, but will not be destroyed", "forget"),
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

/// What a rendering says.
fn rendered(text: &str) -> (Rows, Told) {
    let (mut rows, mut told) = (Rows::new(), Told::new());
    let mut current: Option<(&mut Attributes, Nest)> = None;
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
            let attributes = told.entry((without_object(address), what)).or_default();
            current = Some((attributes, Nest::default()));
        } else if line == "    }" {
            current = None;
        } else if let Some((attributes, nest)) = &mut current
            && let Some((path, value)) = nest.attribute(line)
        {
            attributes.insert(path, value);
        }
    }
    (rows, told)
}

/// An address without the deposed object of it.
pub(super) fn without_object(address: &str) -> String {
    address.split(" (deposed ").next().unwrap_or_default().to_owned()
}

/// Where in the body of a resource a rendering is.
#[derive(Default)]
struct Nest {
    /// What was opened and may not be closed: its depth, and its name if it has one.
    open: Vec<(usize, Option<String>)>,
    is_in_text: bool,
}

impl Nest {
    /// The attribute of a line, if it is marked: also one that is opened here.
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
        // Names begin in the column 8, and four further for each level; before it stands the head.
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
        // What is opened without a name is an element.
        let is_element = name.is_none() && value.ends_with(['{', '[', '(']);
        (is_marked && !is_element).then(|| (path, value.to_owned()))
    }
}

/// The name of an attribute or block, and what stands behind it; of an element no name.
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
        // A block, which may have a label.
        None if rest.ends_with('{') => (Some(name.to_owned()), rest),
        None => (None, content),
    }
}

/// What a report says.
fn reported(text: &str) -> (Rows, Told) {
    let (mut rows, mut told) = (Rows::new(), Told::new());
    let mut current: Option<&mut Attributes> = None;
    let (mut is_within, mut module) = (false, String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.ends_with(" = <<-EOT") {
            // What stands in a text is no attribute.
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
            let Some(what) = self::phrase(phrase) else {
                current = None;
                continue;
            };
            let dot = if module.is_empty() { "" } else { "." };
            let (first, number) = instances(head);
            let address = format!("{module}{dot}{first}");
            *rows.entry((place(&address), what)).or_default() += number;
            current = Some(told.entry((without_object(&address), what)).or_default());
        }
    }
    (rows, told)
}

/// What happens, by what a report says behind an address.
pub(super) fn phrase(words: &str) -> Option<&'static str> {
    PHRASES.iter().find(|(phrase, _)| words.starts_with(phrase)).map(|(_, what)| *what)
}

/// The keys of the path that a row begins with.
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

/// The first instance of a row, and how many there are.
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

/// Whether a row of a report tells what a rendering says of a place: it is of that place, of a
/// value above it that comes, goes or changes as a whole, which a rendering spreads over lines, or
/// of one in the YAML or JSON that a rendering shows as text.
fn covers(row: (&Path, &String), path: &Path) -> bool {
    let (told, text) = row;
    let is_whole = ["{", "[", "(known after apply)", "(sensitive value)", "jsonencode("]
        .iter()
        .any(|whole| text.contains(whole));
    told == path
        || (is_whole && path.starts_with(told))
        || (text.contains("decode(") && told.starts_with(path))
}

const NAMED_WRITE_ONLY: &str =
    "a report knows write-only attributes by their names; this one is an object that holds one";

/// Where a resource is told in another way: its address, what only one of the two names, and why.
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

/// What a rendering names and a report does not: write-only attributes in an update, which are
/// `null` on both sides; `null` where a map comes or goes, which is nothing.
fn is_of_rendering_alone(value: &str, action: &str) -> bool {
    (value.ends_with("write-only attribute)") && action == "update") || value == "null"
}

/// What a report names and a rendering does not: lists that are empty, for blocks are lists.
fn is_of_report_alone(row: &str) -> bool {
    row.ends_with("= []") || row.ends_with("= {}")
}

/// How a report and a rendering of the same resource differ.
fn differences(
    (address, action): &(String, &str),
    rendered: &Attributes,
    told: &Attributes,
) -> Vec<String> {
    let is_explained = |path: &Path| {
        let path = path.join(".");
        EXPLAINED.iter().any(|(at, paths, _)| *at == address && paths.contains(&path.as_str()))
    };
    let mut wrong = Vec::new();
    for (path, value) in rendered {
        let is_opened = value.ends_with(['{', '[', '(']);
        let is_told = told.iter().any(|row| covers(row, path));
        let is_known = is_opened || is_of_rendering_alone(value, action) || is_explained(path);
        if !is_told && !is_known {
            wrong.push(format!("is not reported: {path:?} {value}"));
        }
    }
    for row in told {
        let is_rendered = rendered.keys().any(|path| covers(row, path) || path == row.0);
        if !is_rendered && !is_of_report_alone(row.1) && !is_explained(row.0) {
            wrong.push(format!("is not rendered: {row:?}"));
        }
    }
    wrong
}

#[test]
fn the_same_resources_and_attributes_are_told() {
    let mut wrong = Vec::new();
    let (mut plans, mut resources, mut attributes) = (0, 0, 0);
    for (name, path) in shared_plans::files() {
        let other_tool = OTHER_TOOLS.iter().any(|tool| name.starts_with(tool));
        let plan = shared_plans::plan_beside(&path, ".plan.txt").filter(|_| !other_tool);
        let Some(plan) = plan else { continue };
        let text = shared_plans::plain(&fs::read_to_string(&path).expect("text"));
        let (rows, rendered) = rendered(&text);
        // Echoes would be hidden that a rendering shows, with all that is in them.
        let (told, reported) =
            reported(&report_on(&["--width", "0", "--echo-min", "100000"], &plan));
        plans += 1;
        resources += rows.values().sum::<u64>();
        let keys: BTreeSet<_> = rows.keys().chain(told.keys()).collect();
        for key in keys {
            if rows.get(key) != told.get(key) {
                wrong.push(format!("{name}: {key:?}: {:?} {:?}", rows.get(key), told.get(key)));
            }
        }
        for (key, told) in &reported {
            attributes += told.len();
            // Of what is forgotten a rendering shows nothing.
            let differences = match (rendered.get(key), key.1) {
                (Some(_), "forget") => Vec::new(),
                (Some(rendered), _) => differences(key, rendered, told),
                (None, _) => vec!["is not rendered".to_owned()],
            };
            wrong.extend(differences.iter().map(|it| format!("{name}: {key:?}: {it}")));
        }
    }
    assert!(wrong.is_empty(), "{} of {resources}:\n{}", wrong.len(), wrong.join("\n"));
    let is_all = plans >= 138 && resources >= 1900 && attributes >= 4000;
    assert!(run::shared().is_none() || is_all, "{plans} {resources} {attributes}");
}
