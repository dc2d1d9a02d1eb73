//! The oracle for documents in strings: JSON at any depth, and YAML with one value on each line.

use super::tree::{self, Kind, Node};

/// Decides what is secret in a document.
pub trait Judge {
    /// Whether a string, or a number with these spellings, counts as a copy.
    fn is_copy(&self, node: &Node) -> bool;

    fn is_key(&self, key: &str) -> bool;

    /// Whether an object or array has the content of a marked document.
    fn is_marked(&self, node: &Node) -> bool;
}

/// The mask of a value or key in a document.
pub const MASK: &str = "(sensitive value)";

/// The parts of a text that are replaced.
type Edits = Vec<(std::ops::Range<usize>, String)>;

/// The text with masks, and the number of masks; `None` if the text is not a document.
pub fn masked(text: &str, judge: &impl Judge) -> Option<(String, usize)> {
    let edits = edits(text, judge)?;
    let (mut masked, mut at) = (String::new(), 0);
    for (range, mask) in &edits {
        masked += &text[at..range.start];
        masked += mask;
        at = range.end;
    }
    Some((masked + &text[at..], edits.len()))
}

fn edits(text: &str, judge: &impl Judge) -> Option<Edits> {
    let mut edits = Edits::new();
    match json(text) {
        Some(document) => in_json(&document, text, judge, &mut edits),
        None => in_yaml(text, judge, &mut edits)?,
    }
    Some(edits)
}

/// The object or array that a text is.
pub fn json(text: &str) -> Option<Node> {
    let is_open = text.trim_start().starts_with(['{', '[']);
    let is_json = is_open && serde_json::from_str::<serde_json::Value>(text).is_ok();
    is_json.then(|| tree::parse(text))
}

/// A description of a value that depends neither on spaces nor on the order of keys.
pub fn content(node: &Node) -> String {
    match &node.kind {
        Kind::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|it| format!("{:?}:{}", it.key, content(&it.value))).collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Kind::Array(elements) => format!("{:?}", elements.iter().map(content).collect::<Vec<_>>()),
        Kind::Text(text) => format!("{text:?}"),
        Kind::Number(_) => format!("number {:?}", node.texts().last()),
        Kind::Word(word) => (*word).to_owned(),
    }
}

fn in_json(node: &Node, around: &str, judge: &impl Judge, found: &mut Edits) {
    if judge.is_copy(node) || judge.is_marked(node) {
        return found.push((node.range.clone(), format!("\"{MASK}\"")));
    }
    if let Kind::Text(text) = &node.kind
        && let Some(inner) = edits(text, judge).filter(|inner| !inner.is_empty())
    {
        if json(text).is_some_and(|document| judge.is_marked(&document)) {
            return found.push((node.range.clone(), format!("\"{MASK}\"")));
        }
        let offsets = offsets(&around[node.range.clone()]);
        found.extend(inner.into_iter().map(|(range, mask)| {
            let [start, end] = [range.start, range.end].map(|at| node.range.start + offsets[at]);
            (start..end, mask.replace('\\', "\\\\").replace('"', "\\\""))
        }));
    }
    for member in node.members() {
        if judge.is_key(&member.key) {
            found.push((member.key_range.clone(), format!("\"{MASK}\"")));
        }
        in_json(&member.value, around, judge, found);
    }
    node.elements().iter().for_each(|element| in_json(element, around, judge, found));
}

/// For each offset in the decoded text of a string, the offset in its source, which has quotes.
fn offsets(source: &str) -> Vec<usize> {
    let (mut offsets, mut at) = (Vec::new(), 1);
    while at < source.len() - 1 {
        let len = match &source.as_bytes()[at..] {
            [b'\\', b'u', ..] if source[at..].starts_with("\\ud8") => 12,
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => source[at..].chars().next().map_or(1, char::len_utf8),
        };
        let spelling = format!("\"{}\"", &source[at..at + len]);
        let decoded: String = serde_json::from_str(&spelling).expect("a character");
        offsets.extend(std::iter::repeat_n(at, decoded.len()));
        at += len;
    }
    offsets.push(at);
    offsets
}

/// Lines of the form `- key: value`, where the dash, the key and the value are optional.
fn in_yaml(text: &str, judge: &impl Judge, edits: &mut Edits) -> Option<()> {
    let mut at = 0;
    let has_lines = text.trim_end().contains('\n') && text.contains(':');
    let is_plain =
        |value: &str| value.chars().all(|c| c.is_ascii_alphanumeric() || "-_ |".contains(c));
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end();
        let item = line.trim_start().trim_start_matches("- ");
        let value = item.split_once(": ").map_or(item, |(_, value)| value);
        let inner = value.trim_matches('\'');
        if !has_lines || !is_plain(inner.trim_end_matches(':')) {
            return None;
        }
        let quote = if inner.len() < value.len() { "'" } else { "" };
        let node = Node { range: 0..0, kind: Kind::Text(inner.to_owned()) };
        if judge.is_copy(&node) {
            let end = start + line.len();
            edits.push((end - value.len()..end, format!("{quote}{MASK}{quote}")));
        }
    }
    Some(())
}
