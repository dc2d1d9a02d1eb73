//! Compares `report --full` with renderings, the texts that Terraform and OpenTofu print for the
//! real plans. The report must show each value of a rendering, at the same attribute and side.
//!
//! The test parses both texts into *facts*. A fact is a path without indexes, a side (before or
//! after), and a scalar. A rendering spreads lists and objects over lines, and a report has them on
//! one line, so the test takes both apart. It compares texts line by line, without line feeds at
//! their end, because renderings do not show those. Marked values are no facts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use plansift::inert::visible;

use super::rendered::{ERRORED, Path, VERBS, instances, keys, named, phrase, without_object};
use super::report_on;
use crate::rendering::{ACTIONS, OTHER_TOOLS};
use crate::{run, shared_plans};

/// The side of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Before,
    After,
}

use Side::{After, Before};

const BOTH: [Side; 2] = [Before, After];

/// A scalar with its path and its side.
type Fact = (Path, Side, String);

/// The facts of each resource, by address and action. Outputs have an empty address.
type Facts = BTreeMap<(String, &'static str), BTreeSet<Fact>>;

const MARKED: &str = "(sensitive value)";
const OUTPUTS: &str = "Changes to Outputs:";

/// A scalar in the spelling of facts; `None` for scalars that are no facts.
fn scalar(text: &str) -> Option<String> {
    let text = text.trim();
    if matches!(text, "null" | "" | MARKED) || text.ends_with("write-only attribute)") {
        return None;
    }
    let Some(quoted) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        let number = text.parse::<f64>().map(|number| number.to_string());
        return Some(number.unwrap_or_else(|_| text.to_owned()));
    };
    self::text(&unescaped(quoted))
}

/// A text in the spelling of facts, without carriage returns.
fn text(text: &str) -> Option<String> {
    // A rendering shows no carriage returns.
    let text = text.replace('\r', "").replace(r"\r", "");
    // A report shows tabs in lines as `\t`.
    let text = text.replace(r"\t", "\t");
    let lines: Vec<String> = text.split('\n').map(visible).collect();
    Some(format!("\"{}\"", lines.join("\n").trim_end_matches('\n')))
}

/// Decodes a string literal of Go or JSON. Escapes that a report writes for readers stay.
fn unescaped(literal: &str) -> String {
    let mut text = String::new();
    let mut rest = literal.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        let code = |digits: usize, rest: &mut std::str::Chars<'_>| {
            let digits: String = rest.by_ref().take(digits).collect();
            u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).expect("a character")
        };
        match rest.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('a') => text.push('\u{7}'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('v') => text.push('\u{b}'),
            Some('x') => text.push(code(2, &mut rest)),
            Some('u') if rest.as_str().starts_with('{') => text.push_str("\\u"),
            Some('u') => text.push(code(4, &mut rest)),
            Some('U') => text.push(code(8, &mut rest)),
            // Any other escape stands for the character itself.
            Some(other) => text.push(other),
            None => text.push('\\'),
        }
    }
    text.replace("$${", "${").replace("%%{", "%{")
}

/// Splits `before -> after`. Without an arrow, returns the value as it is.
fn sides(value: &str) -> (&str, Option<&str>) {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let arrow = value.char_indices().find(|&(at, character)| {
        is_quoted ^= character == '"' && !is_escaped;
        is_escaped = is_quoted && character == '\\' && !is_escaped;
        !is_quoted && value[at..].starts_with(" -> ")
    });
    match arrow {
        Some((at, _)) => (&value[..at], Some(&value[at + 4..])),
        None => (value, None),
    }
}

/// The sides that have a value, by the sign of its line, if the line has no arrow.
fn on_sides(sign: &str) -> &'static [Side] {
    match sign {
        "+" => &[After],
        "-" => &[Before],
        _ => &BOTH,
    }
}

/// Parses the rendering of one resource.
#[derive(Default)]
struct Rendering {
    facts: BTreeSet<Fact>,
    /// The names of the open containers; empty for a container without a name.
    open: Vec<Path>,
    /// The heredoc that is being read.
    text: Option<Text>,
}

/// A heredoc that is being read.
struct Text {
    path: Path,
    sign: String,
    column: usize,
    lines: Vec<(char, String)>,
}

const SIGNS: [&str; 7] = ["~ ", "+ ", "- ", "-/+ ", "+/- ", "<= ", ". "];

impl Rendering {
    fn path(&self, name: Option<String>) -> Path {
        self.open.iter().flatten().cloned().chain(name).collect()
    }

    fn add(&mut self, path: &Path, sides: &[Side], value: Option<String>) {
        let Some(value) = value else { return };
        self.facts.extend(sides.iter().map(|side| (path.clone(), *side, value.clone())));
    }

    fn line(&mut self, line: &str) {
        if let Some(text) = &mut self.text {
            let column = text.column;
            if let Some(end) = line.trim_start().strip_prefix("EOT")
                && line.len() - line.trim_start().len() == column
            {
                self.end_text(end);
                return;
            }
            let sign = line.get(column + 2..column + 3).and_then(|it| it.chars().next());
            let content = line.get(column + 4..).unwrap_or_default();
            text.lines.push((sign.unwrap_or(' '), content.to_owned()));
            return;
        }
        let inner = line.trim_start();
        let sign = SIGNS.iter().find(|sign| inner.starts_with(**sign));
        let content = sign.map_or(inner, |sign| &inner[sign.len()..]);
        let column = line.len() - content.len();
        let sign = sign.map_or("", |sign| sign.trim());
        let content = content.split(" # forces replacement").next().unwrap_or_default();
        let content = content.strip_suffix(',').unwrap_or(content);
        if content.is_empty() || content.starts_with("# ") || content.starts_with("# (") {
            return;
        }
        if content.starts_with(['}', ']', ')']) {
            let path = self.path(None);
            self.open.pop();
            if let (_, Some(after)) = sides(content) {
                self.add(&path, &[After], scalar(after));
            }
            return;
        }
        let (name, value) = named(content);
        let value = value.trim().trim_start_matches("= ");
        let label = value
            .strip_suffix(" {")
            .filter(|label| label.starts_with('"') && !label.ends_with("->"));
        let opened: Path = match (&name, label) {
            // The label of a block is a step of the path.
            (Some(name), Some(label)) => vec![name.clone(), unescaped(label.trim_matches('"'))],
            (name, _) => name.iter().cloned().collect(),
        };
        if value.ends_with(['{', '[', '(']) {
            if let (before, Some(_)) = sides(value) {
                let path = self.path(name);
                self.add(&path, &[Before], scalar(before));
            }
            self.open.push(opened);
            return;
        }
        let path = self.path(name);
        if value == "<<-EOT" {
            self.text = Some(Text { path, sign: sign.to_owned(), column, lines: Vec::new() });
            return;
        }
        match sides(value) {
            (before, Some(after)) => {
                self.add(&path, &[Before], scalar(before));
                self.add(&path, &[After], scalar(after));
            }
            (value, None) => self.add(&path, on_sides(sign), scalar(value)),
        }
    }

    fn end_text(&mut self, end: &str) {
        let Some(Text { path, sign, lines, .. }) = self.text.take() else { return };
        let (_, after) = sides(end.trim_end_matches(','));
        let shown = if after.is_some() { &[Before] } else { on_sides(&sign) };
        for side in shown {
            let other = if *side == Before { '+' } else { '-' };
            let lines = lines.iter().filter(|(sign, _)| *sign != other);
            let lines: Vec<&str> = lines.map(|(_, line)| line.as_str()).collect();
            self.add(&path, &[*side], text(&lines.join("\n")));
        }
        if let Some(after) = after {
            self.add(&path, &[After], scalar(after));
        }
    }
}

fn rendered(text: &str) -> Facts {
    let mut facts = Facts::new();
    let planned = [ACTIONS, ERRORED].iter().find_map(|heading| text.split_once(heading));
    let outputs = text.split_once(OUTPUTS).map_or("", |(_, outputs)| outputs);
    let outputs = outputs.split("\n\n").next().unwrap_or_default();
    let mut current: Option<((String, &str), Rendering)> = None;
    let mut end = |current: &mut Option<((String, &'static str), Rendering)>| {
        if let Some((key, rendering)) = current.take() {
            facts.entry(key).or_default().extend(rendering.facts);
        }
    };
    // Does not use `lines`, because a line of a heredoc may end in a carriage return.
    for line in planned.map_or("", |(_, actions)| actions).split('\n') {
        let comment = ["  # ", " # "].iter().find_map(|start| line.strip_prefix(start));
        let is_in_text = current.as_ref().is_some_and(|(_, it)| it.text.is_some());
        if let Some(comment) = comment.filter(|_| !is_in_text) {
            let found = VERBS.iter().find_map(|(verb, action)| {
                let at = comment.find(&format!(" {verb}"))?;
                Some((without_object(&comment[..at]), *action))
            });
            if let Some(key) = found {
                end(&mut current);
                current = Some((key, Rendering::default()));
            }
        } else if line == "    }" && !is_in_text {
            end(&mut current);
        } else if let Some((_, rendering)) = &mut current
            && (is_in_text || line.starts_with("     "))
        {
            rendering.line(line);
        }
    }
    end(&mut current);
    current = Some(((String::new(), "output"), Rendering::default()));
    if let Some((_, rendering)) = &mut current {
        outputs.lines().for_each(|line| rendering.line(line));
    }
    end(&mut current);
    facts
}

/// Collects the scalars of a value of a report, with their paths below `path`. Returns the text
/// after the value.
fn take_apart<'v>(value: &'v str, path: &Path, found: &mut Vec<(Path, String)>) -> &'v str {
    let encoded = ["jsonencode(", "yamlencode("].iter().find_map(|it| value.strip_prefix(it));
    if let Some(inner) = encoded {
        return take_apart(inner, path, found).strip_prefix(')').expect("an end");
    }
    if value.starts_with(['{', '[']) {
        let is_object = value.starts_with('{');
        let mut rest = &value[1..];
        if rest.starts_with(['}', ']']) {
            found.push((path.clone(), value[..2].to_owned()));
            return &rest[1..];
        }
        loop {
            let mut inner = path.clone();
            if is_object {
                let (key, behind) = rest.split_at(end_of_scalar(rest));
                inner.push(unescaped(key.trim_matches('"')));
                rest = behind.strip_prefix(':').expect("a value");
            }
            rest = take_apart(rest, &inner, found);
            let is_end = rest.starts_with(['}', ']']);
            rest = &rest[1..];
            if is_end {
                return rest;
            }
        }
    }
    let (scalar, rest) = value.split_at(end_of_scalar(value));
    found.extend(self::scalar(scalar).map(|scalar| (path.clone(), scalar)));
    rest
}

fn end_of_scalar(text: &str) -> usize {
    if let Some(rest) = text.strip_prefix('"') {
        let mut is_escaped = false;
        let end = rest.bytes().position(|byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        return end.expect("an end") + 2;
    }
    match text.strip_prefix('(') {
        Some(_) => text.find(')').expect("an end") + 1,
        None => text.find([',', '}', ']', ')', ' ', ':']).unwrap_or(text.len()),
    }
}

/// Parses a report.
struct Report<'t> {
    lines: std::iter::Peekable<std::str::Lines<'t>>,
}

impl Report<'_> {
    /// The lines of a heredoc, without their indentation.
    fn text(&mut self) -> Vec<String> {
        let lines = self.lines.by_ref().take_while(|line| *line != "          EOT");
        lines.map(|line| line.get(12..).unwrap_or_default().to_owned()).collect()
    }

    /// Collects the facts of an attribute. `value` is the text after its path.
    fn attribute(&mut self, sign: &str, path: &Path, value: &str, facts: &mut BTreeSet<Fact>) {
        let mut add = |sides: &[Side], found: Vec<(Path, String)>| {
            for (path, value) in found {
                facts.extend(sides.iter().map(|side| (path.clone(), *side, value.clone())));
            }
        };
        let of_text =
            |lines: &[String]| vec![(path.clone(), text(&lines.join("\n")).expect("one"))];
        let mut rest = value;
        let mut before = Vec::new();
        if value.starts_with("<<-EOT") {
            let lines = self.text();
            let Some(next) = self.lines.next_if(|line| line.starts_with("          -> ")) else {
                let is_difference = sign == "~";
                if !is_difference {
                    return add(on_sides(sign), of_text(&lines));
                }
                for (side, other) in [(Before, "+ "), (After, "- ")] {
                    let lines = lines.iter().filter(|line| !line.starts_with(other));
                    let lines: Vec<String> =
                        lines.map(|line| line.get(2..).unwrap_or_default().to_owned()).collect();
                    add(&[side], of_text(&lines));
                }
                return;
            };
            before = of_text(&lines);
            rest = &next[9..];
        } else {
            rest = take_apart(rest, path, &mut before);
        }
        let Some(after) = rest.strip_prefix(" -> ") else {
            return add(on_sides(sign), before);
        };
        add(&[Before], before);
        if after.starts_with("<<-EOT") {
            let lines = self.text();
            return add(&[After], of_text(&lines));
        }
        let mut found = Vec::new();
        take_apart(after, path, &mut found);
        add(&[After], found);
    }
}

fn reported(text: &str) -> Facts {
    let mut facts = Facts::new();
    let mut report = Report { lines: text.lines().peekable() };
    let mut current: Option<(String, &'static str)> = None;
    let (mut part, mut module) = ("", String::new());
    while let Some(line) = report.lines.next() {
        if !line.starts_with(' ') && !line.is_empty() {
            part = if matches!(line, "Changes" | "Outputs") { line } else { "" };
            current = None;
            module.clear();
        } else if let Some(attribute) = line.strip_prefix("        ").filter(|it| it.len() > 2) {
            let Some(key) = &current else { continue };
            let (sign, attribute) = (attribute[..1].trim(), &attribute[2..]);
            let (path, value) = end_of_path(attribute);
            let path: Path = if key.0.is_empty() {
                [key.1.to_owned()].into_iter().chain(keys(path)).collect()
            } else {
                keys(path)
            };
            let entry = if key.0.is_empty() { (String::new(), "output") } else { key.clone() };
            report.attribute(sign, &path, value, facts.entry(entry).or_default());
        } else if part == "Changes" && line.starts_with("  module.") {
            module = line.trim().to_owned();
        } else if part == "Changes" && line.len() > 6 {
            let (head, words) = line[6..].rsplit_once("  ").unwrap_or((&line[6..], ""));
            current = phrase(words).map(|action| {
                let dot = if module.is_empty() { "" } else { "." };
                (without_object(&format!("{module}{dot}{}", instances(head).0)), action)
            });
        } else if part == "Outputs" && line.len() > 6 {
            let sign = line[..6].trim();
            let (name, value) = line[6..].split_once(" = ").unwrap_or((&line[6..], ""));
            // The values of outputs are aligned.
            let name = name.trim_end();
            let entry = facts.entry((String::new(), "output")).or_default();
            if value.is_empty() {
                // The next lines show the parts of the output.
                current = Some((String::new(), Box::leak(name.to_owned().into_boxed_str())));
            } else {
                current = None;
                report.attribute(sign, &vec![name.to_owned()], value, entry);
            }
        }
    }
    facts
}

/// Splits a row into its path and its value.
fn end_of_path(row: &str) -> (&str, &str) {
    let mut is_quoted = false;
    let end = row.char_indices().find(|&(at, character)| {
        is_quoted ^= character == '"' && !row[..at].ends_with('\\');
        !is_quoted && row[at..].starts_with(" = ")
    });
    match end {
        Some((at, _)) => (row[..at].trim_end(), &row[at + 3..]),
        None => (row, ""),
    }
}

/// Known differences: plans, the path that only a rendering shows, and the reason.
const EXPLAINED: [(&str, &str, &str); 0] = [];

#[test]
fn a_full_report_shows_every_value_of_a_rendering() {
    let (mut wrong, mut plans, mut all) = (Vec::new(), 0, 0);
    for (name, path) in shared_plans::files() {
        let other_tool = OTHER_TOOLS.iter().any(|tool| name.starts_with(tool));
        let plan = shared_plans::plan_beside(&path, ".plan.txt").filter(|_| !other_tool);
        let Some(plan) = plan else { continue };
        let text = shared_plans::plain(&fs::read_to_string(&path).expect("text"));
        let rendered = rendered(&text);
        let args = ["--full", "--width", "0", "--echo-min", "100000"];
        let reported = reported(&report_on(&args, &plan));
        plans += 1;
        let none = BTreeSet::new();
        for (key, facts) in &rendered {
            // A rendering shows no values of a forgotten resource.
            if key.1 == "forget" {
                continue;
            }
            let reported_facts = reported.get(key).unwrap_or(&none);
            all += facts.len();
            for (path, side, value) in facts {
                let place = path.join(".");
                let is_explained = EXPLAINED.iter().any(|(plans, explained, _)| {
                    name.contains(plans) && place.starts_with(explained)
                });
                let is_empty = matches!(value.as_str(), "[]" | "{}");
                let is_reported = reported_facts.contains(&(path.clone(), *side, value.clone()));
                if !is_reported && !is_explained && !is_empty {
                    wrong.push(format!("{name}: {key:?}: {place} {side:?} {value}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
    run::assert_enough(plans, 138, 77);
    run::assert_enough(all, 10_000, 10_000);
}
