//! Converts YAML to JSON, and remembers where each node is in the YAML.
//!
//! Several documents become a list. Keys must be scalars. A node with a custom tag (`!Ref`) becomes
//! an object whose key is the tag. An alias becomes a string, so that no node is written twice, or
//! a copy of its node.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use serde_json::value::RawValue;

use super::DEPTH_MAX;
use super::nodes::{Node, Nodes};
use super::place::{Places, Style};
use super::syntax::{Aliases, Read, Syntax, Unread};
use crate::json::string;

/// Maximum length of the JSON text: this multiple of the length of the YAML text, plus
/// [`JSON_MIN`]. Only tags with a long prefix (`%TAG`) and copies of nodes exceed it.
const JSON_RATIO: usize = 4;

/// See [`JSON_RATIO`], in bytes.
const JSON_MIN: usize = 64 << 10;

/// Returns the memory that a document takes at most, in bytes. A mapping with an empty value takes
/// the most memory for its length.
pub(super) fn memory(text: &str, aliases: Aliases) -> usize {
    let copies = match aliases {
        Aliases::Names => 0,
        Aliases::Copies => 4 * json_max(text),
    };
    16 * text.len() + copies
}

/// Returns the maximum length of the JSON text.
fn json_max(text: &str) -> usize {
    JSON_RATIO * text.len() + JSON_MIN
}

/// A YAML text as JSON.
pub(super) struct Converted {
    pub syntax: Syntax,
    /// Whether readers of all versions of YAML take the text for the same document.
    pub is_clear: bool,
    pub json: String,
    pub places: Places,
}

/// An entered mapping or sequence.
struct Open {
    /// Whether a key comes next in a mapping; `None` in a sequence.
    needs_key: Option<bool>,
    /// True if the container has a member or an element.
    has_some: bool,
    /// True if the container has a custom tag, so that a JSON object for the tag surrounds it.
    is_tagged: bool,
    /// The number of the container among the nodes.
    container: usize,
    /// The anchor of the container, and its start in the JSON text.
    anchor: (usize, usize),
}

/// Converts a text to JSON. Returns `None` if the text is not YAML with a mapping or a sequence.
pub(super) fn as_json(text: &str, aliases: Aliases) -> Read<Converted> {
    let list =
        Open { needs_key: None, has_some: false, is_tagged: false, container: 0, anchor: (0, 0) };
    let mut reader = Reader {
        text,
        offsets: Offsets::of(text),
        json: String::with_capacity(text.len() * 2),
        open: vec![list],
        nodes: Nodes::default(),
        anchors: (aliases == Aliases::Copies).then(HashMap::new),
        documents: 0,
        is_clear: !text.trim_ascii_start().starts_with(['#', '%', '[', '{']),
    };
    // The bracket of the list of documents. It is removed if there is only one document.
    reader.json.push('[');
    for event in Parser::new_from_str(text) {
        let Some(()) = event.ok().and_then(|(event, span)| reader.event(event, span)) else {
            return Ok(None);
        };
        let is_long = reader.json.len() > json_max(text);
        if is_long || reader.open.len() as u64 > DEPTH_MAX + 1 {
            return Err(Unread);
        }
    }
    Ok(reader.finish())
}

/// A scalar of the text.
struct Scalar<'t> {
    text: Cow<'t, str>,
    style: ScalarStyle,
    tag: Option<Cow<'t, Tag>>,
    span: Span,
    /// The number of the anchor before the scalar; 0 without an anchor.
    anchor: usize,
}

struct Reader<'t> {
    text: &'t str,
    offsets: Offsets,
    json: String,
    open: Vec<Open>,
    nodes: Nodes,
    /// The ranges of the nodes with an anchor in the JSON text; `None` if aliases become strings.
    anchors: Option<HashMap<usize, Range<usize>>>,
    documents: u32,
    is_clear: bool,
}

impl Reader<'_> {
    /// Writes an event. Returns `None` if JSON cannot express the text.
    fn event(&mut self, event: Event<'_>, span: Span) -> Option<()> {
        match event {
            Event::DocumentStart(_) => self.documents += 1,
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&Scalar { text, style, tag, span, anchor })?;
            }
            Event::Alias(anchor) => {
                let is_key = self.before()?;
                self.alias(anchor, is_key)?;
                self.after(is_key);
            }
            Event::SequenceStart(anchor, tag) => self.enter(None, anchor, tag.as_deref(), span)?,
            Event::MappingStart(anchor, tag) => {
                self.enter(Some(true), anchor, tag.as_deref(), span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.leave(span)?,
            _ => {}
        }
        Some(())
    }

    /// Writes an alias. Returns `None` if its node has no end before it, or is no string in the
    /// place of a key.
    fn alias(&mut self, anchor: usize, is_key: bool) -> Option<()> {
        let Some(anchors) = &self.anchors else {
            string::push_quoted(&format!("*{anchor}"), &mut self.json);
            return Some(());
        };
        let node = anchors.get(&anchor)?.clone();
        if is_key && !self.json[node.clone()].starts_with('"') {
            return None;
        }
        self.json.extend_from_within(node);
        Some(())
    }

    /// Records the node with an anchor, which begins at `start` in the JSON text and ends here.
    fn end_anchor(&mut self, anchor: usize, start: usize) {
        if let Some(anchors) = self.anchors.as_mut().filter(|_| anchor != 0) {
            anchors.insert(anchor, start..self.json.len());
        }
    }

    fn scalar(&mut self, scalar: &Scalar<'_>) -> Option<()> {
        let is_key = self.before()?;
        let start = self.json.len();
        let is_bare = scalar.style == ScalarStyle::Plain;
        let is_plain = is_bare && !is_key;
        self.is_clear &= !(is_bare && is_unclear(&scalar.text, is_key));
        // Ignores the tag of a key, because JSON keys are strings.
        let tag = own(scalar.tag.as_deref()).filter(|_| !is_key);
        self.is_clear &= tag.is_some() == scalar.tag.is_some();
        self.begin_tag(tag.as_deref());
        self.place(scalar);
        let json = &mut self.json;
        match &*scalar.text {
            "" | "~" | "null" | "Null" | "NULL" if is_plain && tag.is_none() => {
                json.push_str("null");
            }
            "true" | "True" | "TRUE" if is_plain => json.push_str("true"),
            "false" | "False" | "FALSE" if is_plain => json.push_str("false"),
            text if is_plain && is_number(text) => json.push_str(text),
            text => string::push_quoted(text, json),
        }
        json.push_str(if tag.is_some() { "}" } else { "" });
        self.end_anchor(scalar.anchor, start);
        self.after(is_key);
        Some(())
    }

    fn enter(
        &mut self,
        needs_key: Option<bool>,
        anchor: usize,
        tag: Option<&Tag>,
        span: Span,
    ) -> Option<()> {
        if self.before()? {
            // A key must be a scalar.
            return None;
        }
        let anchor = (anchor, self.json.len());
        self.is_clear &= tag.is_none_or(|tag| own(Some(tag)).is_some());
        let tag = own(tag);
        self.begin_tag(tag.as_deref());
        let mut start = self.offsets.of_character(self.text, span.start.index());
        let mut style = Style::Plain;
        if needs_key.is_none() && !self.text[start..].starts_with(['[', '!', '&']) {
            style = Style::Dashes;
            // The span of a sequence with the indentation of its key begins after the first dash.
            let before = self.text[..start].trim_ascii_end();
            if before.ends_with('-') && !self.text[start..].starts_with("- ") {
                start = before.len() - 1;
            }
        }
        let (json, start) = (self.json.len() as u32, start as u32);
        let container =
            self.nodes.push(Node { json, start, end: start, style, is_container: true });
        self.json.push(if needs_key.is_some() { '{' } else { '[' });
        let is_tagged = tag.is_some();
        self.open.push(Open { needs_key, has_some: false, is_tagged, container, anchor });
        Some(())
    }

    fn leave(&mut self, span: Span) -> Option<()> {
        let Open { needs_key, is_tagged, container, anchor: (anchor, start), .. } =
            self.open.pop()?;
        self.json.push(if needs_key.is_some() { '}' } else { ']' });
        self.json.push_str(if is_tagged { "}" } else { "" });
        self.end_anchor(anchor, start);
        let at = self.offsets.of_character(self.text, span.start.index());
        // Without a bracket, the container ends somewhere before the next token.
        let end = match self.text.as_bytes().get(at) {
            Some(b']' | b'}') => at + 1,
            _ => self.text[..at].trim_ascii_end().len(),
        };
        self.nodes.close(container, end as u32);
        self.after(false);
        Some(())
    }

    /// Records the place of a scalar. Its span may begin with an anchor and a tag, and may end with
    /// white space.
    fn place(&mut self, scalar: &Scalar<'_>) {
        let Scalar { span, anchor, .. } = *scalar;
        let has_properties = anchor != 0 || scalar.tag.is_some();
        let [start, end] =
            [span.start, span.end].map(|mark| self.offsets.of_character(self.text, mark.index()));
        let mut source = self.text.get(start..end).unwrap_or_default();
        while has_properties && source.starts_with(['&', '!']) {
            let len = source.find(|it: char| it.is_ascii_whitespace()).unwrap_or(source.len());
            source = source[len..].trim_ascii_start();
        }
        if has_properties && source.starts_with(['|', '>']) {
            let header = source.find('\n').map_or(source.len(), |end| end + 1);
            source = source[header..].trim_ascii_start();
        }
        let start = end - source.len();
        let (style, len) = match scalar.style {
            ScalarStyle::Plain => (Style::Plain, source.trim_ascii_end().len()),
            ScalarStyle::SingleQuoted => (Style::Single, closing(source, b'\'')),
            ScalarStyle::DoubleQuoted => (Style::Double, closing(source, b'"')),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                (Style::Block, source.trim_ascii_end().len())
            }
        };
        let (json, start, end) = (self.json.len() as u32, start as u32, (start + len) as u32);
        self.nodes.push(Node { json, start, end, style, is_container: false });
    }

    /// Writes the comma before a node, if the node needs one. Returns whether the node is a key.
    fn before(&mut self) -> Option<bool> {
        let Open { needs_key, has_some, .. } = self.open.last_mut()?;
        // The value of a member follows its key without a comma.
        if *needs_key != Some(false) && std::mem::replace(has_some, true) {
            self.json.push(',');
        }
        Some(*needs_key == Some(true))
    }

    /// Writes the colon after a key, and records whether the next node is a key.
    fn after(&mut self, is_key: bool) {
        if is_key {
            self.json.push(':');
        }
        if let Some(Open { needs_key: Some(needs_key), .. }) = self.open.last_mut() {
            *needs_key = !is_key;
        }
    }

    fn begin_tag(&mut self, tag: Option<&str>) {
        if let Some(tag) = tag {
            self.json.push('{');
            string::push_quoted(tag, &mut self.json);
            self.json.push(':');
        }
    }

    fn finish(self) -> Option<Converted> {
        let Reader { mut json, mut nodes, documents, is_clear, .. } = self;
        let is_clear = is_clear && documents == 1;
        let syntax = if documents > 1 { Syntax::YamlStream } else { Syntax::Yaml };
        if documents > 1 {
            json.push(']');
        } else {
            json.remove(0);
            nodes.remove_json(1);
        }
        // A single scalar is plain text, not a document.
        let places = Places { start: 0, nodes: Some(nodes) };
        json.starts_with(['{', '[']).then_some(Converted { syntax, is_clear, json, places })
    }
}

/// Returns the text of a custom tag; `None` for a tag of a standard YAML type.
fn own(tag: Option<&Tag>) -> Option<String> {
    let tag = tag.filter(|tag| tag.handle != "tag:yaml.org,2002:")?;
    Some(format!("{}{}", tag.handle, tag.suffix))
}

/// Whether readers of different versions of YAML take a plain scalar for different values, or for
/// another value than the same text in quotes, which `is_number` does not know.
fn is_unclear(text: &str, is_key: bool) -> bool {
    const WORDS: [&str; 10] = ["y", "n", "yes", "no", "on", "off", "=", "<<", ".inf", ".nan"];
    const LITERALS: [&str; 4] = ["~", "null", "true", "false"];
    let lower = text.to_ascii_lowercase();
    let word = lower.trim_start_matches(['+', '-']);
    let is_literal = LITERALS.contains(&&*lower) || is_number(text);
    WORDS.contains(&word)
        || (is_key && is_literal)
        || (word.starts_with(|it: char| it.is_ascii_digit() || it == '.') && !is_number(text))
        || (text.starts_with('+') && !word.is_empty())
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Returns the length of a quoted scalar, which ends at its closing quote.
fn closing(source: &str, quote: u8) -> usize {
    let bytes = source.as_bytes();
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        let is_pair = match quote {
            b'\'' => byte == quote && bytes.get(at + 1) == Some(&quote),
            _ => byte == b'\\',
        };
        at += if is_pair { 2 } else { 1 };
        if byte == quote && !is_pair {
            return at;
        }
    }
    bytes.len()
}

/// Converts the character positions of the parser to byte offsets.
struct Offsets {
    /// The byte offset of every [`STRIDE`]th character; empty for ASCII.
    every: Vec<u32>,
}

/// Number of characters between two recorded offsets.
const STRIDE: usize = 64;

impl Offsets {
    fn of(text: &str) -> Offsets {
        if text.is_ascii() {
            return Offsets { every: Vec::new() };
        }
        let every = text.char_indices().step_by(STRIDE).map(|(offset, _)| offset as u32);
        Offsets { every: every.collect() }
    }

    /// The byte offset of a character.
    fn of_character(&self, text: &str, index: usize) -> usize {
        if self.every.is_empty() {
            return index.min(text.len());
        }
        let Some(&start) = self.every.get(index / STRIDE) else { return text.len() };
        let start = start as usize;
        let mut after = text[start..].char_indices();
        after.nth(index % STRIDE).map_or(text.len(), |(offset, _)| start + offset)
    }
}
