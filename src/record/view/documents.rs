//! Parses documents in strings: policies, templates, Helm values.
//!
//! JSON documents are read with the tokenizer for plans, so numbers keep their spelling. YAML is
//! converted to JSON first. If it is unclear whether a string is a document, it counts as plain
//! text.

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::value::RawValue;

use crate::error::ErrorKind;
use crate::json::detached::Detached;
use crate::json::string;
use crate::json::value::Value;
use crate::limits::Limits;
use crate::path::DECODERS;

/// Maximum length of a string that is parsed, in bytes.
const TEXT_MAX: usize = 1 << 20;

/// Maximum number of brackets and commas in a string that is parsed as YAML. The parser buffers a
/// bracketed list up to its end, and needs a few KB for each element.
const FLOW_MAX: usize = 50_000;

const DEPTH_MAX: u64 = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    Yaml,
    /// Several YAML documents in one string, read as a list. Terraform decodes only single
    /// documents.
    YamlStream,
}

impl Syntax {
    /// Returns the name of the Terraform function that decodes the syntax.
    pub fn decoder(self) -> &'static str {
        DECODERS[usize::from(self != Syntax::Json)]
    }

    /// Returns the name of the Terraform function that encodes the syntax.
    pub fn encoder(self) -> &'static str {
        match self {
            Syntax::Json => "jsonencode",
            Syntax::Yaml | Syntax::YamlStream => "yamlencode",
        }
    }
}

/// A document in a string: an object or array in JSON or YAML.
#[derive(Debug)]
pub(super) struct Document {
    pub syntax: Syntax,
    value: Detached,
}

/// The error for a string that is too long to parse, or a document that is nested too deep. Its
/// contents are unknown and may be secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unread;

/// The result of parsing a string; `None` if the string is not a document.
type Read<T> = Result<Option<T>, Unread>;

impl Document {
    /// Parses a string as JSON or YAML.
    pub fn of(text: &[u8]) -> Read<Document> {
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        match Document::json(text)? {
            None => Document::yaml(text),
            json => Ok(json),
        }
    }

    fn json(text: &[u8]) -> Read<Document> {
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        if !matches!(first, Some(b'{' | b'[')) {
            return Ok(None);
        }
        if text.len() > TEXT_MAX {
            return Err(Unread);
        }
        Ok(outlined(text)?.map(|value| Document { syntax: Syntax::Json, value }))
    }

    /// Parses a string as YAML. A string with one line is not a YAML document.
    fn yaml(text: &[u8]) -> Read<Document> {
        let Ok(text) = std::str::from_utf8(text) else { return Ok(None) };
        if !text.trim_end().contains('\n') || !text.contains(':') {
            return Ok(None);
        }
        if text.len() > TEXT_MAX || (text.len() > FLOW_MAX && flow(text.as_bytes()) > FLOW_MAX) {
            return Err(Unread);
        }
        let Some((syntax, json)) = as_json(text)? else { return Ok(None) };
        Ok(outlined(json.as_bytes())?.map(|value| Document { syntax, value }))
    }

    pub fn value(&mut self) -> Value<'_> {
        self.value.value()
    }
}

/// Counts the opening brackets and commas in a string.
fn flow(text: &[u8]) -> usize {
    text.iter().filter(|byte| matches!(byte, b'[' | b'{' | b',')).count()
}

/// Parses JSON. Returns `None` if the text is not exactly one JSON value.
fn outlined(text: &[u8]) -> Read<Detached> {
    let limits = Limits { depth: DEPTH_MAX, ..Limits::default() };
    match Detached::read(text, limits) {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::Limit { .. }) => Err(Unread),
        Err(_) => Ok(None),
    }
}

struct Open {
    /// Whether a key comes next in a mapping; `None` in a sequence.
    needs_key: Option<bool>,
    /// True if the container has a member or an element.
    has_some: bool,
    /// True if the container has a custom tag, so that a JSON object for the tag surrounds it.
    is_tagged: bool,
}

/// Converts YAML to JSON. Several documents become a list. Keys must be scalars. A node with a
/// custom tag (`!Ref`) becomes an object whose key is the tag. An alias becomes a string, so no
/// node is written twice.
fn as_json(text: &str) -> Read<(Syntax, String)> {
    let mut too_deep = false;
    let json = written_as_json(text, &mut too_deep);
    if too_deep { Err(Unread) } else { Ok(json) }
}

fn written_as_json(text: &str, too_deep: &mut bool) -> Option<(Syntax, String)> {
    let mut json = String::with_capacity(text.len() * 2);
    // The bracket of the list of documents. It is removed if there is only one document.
    json.push('[');
    let mut open = vec![Open { needs_key: None, has_some: false, is_tagged: false }];
    let mut documents = 0;
    for event in Parser::new_from_str(text) {
        let event = event.ok()?.0;
        let needs_key = matches!(event, Event::MappingStart(..)).then_some(true);
        match event {
            Event::DocumentStart(_) => documents += 1,
            Event::Scalar(text, style, _, tag) => {
                let is_key = before(&mut open, &mut json)?;
                let is_plain = style == ScalarStyle::Plain && !is_key;
                // Ignores the tag of a key, because JSON keys are strings.
                let tag = own(tag.as_deref()).filter(|_| !is_key);
                begin_tag(tag.as_deref(), &mut json);
                match &*text {
                    "" | "~" | "null" | "Null" | "NULL" if is_plain && tag.is_none() => {
                        json.push_str("null");
                    }
                    "true" | "True" | "TRUE" if is_plain => json.push_str("true"),
                    "false" | "False" | "FALSE" if is_plain => json.push_str("false"),
                    text if is_plain && is_number(text) => json.push_str(text),
                    text => string::push_quoted(text, &mut json),
                }
                json.push_str(if tag.is_some() { "}" } else { "" });
                after(&mut open, is_key, &mut json);
            }
            Event::Alias(anchor) => {
                let is_key = before(&mut open, &mut json)?;
                string::push_quoted(&format!("*{anchor}"), &mut json);
                after(&mut open, is_key, &mut json);
            }
            Event::SequenceStart(_, tag) | Event::MappingStart(_, tag) => {
                if before(&mut open, &mut json)? {
                    // A key must be a scalar.
                    return None;
                }
                let tag = own(tag.as_deref());
                begin_tag(tag.as_deref(), &mut json);
                json.push(if needs_key.is_some() { '{' } else { '[' });
                open.push(Open { needs_key, has_some: false, is_tagged: tag.is_some() });
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { needs_key, is_tagged, .. } = open.pop()?;
                json.push(if needs_key.is_some() { '}' } else { ']' });
                json.push_str(if is_tagged { "}" } else { "" });
                after(&mut open, false, &mut json);
            }
            _ => {}
        }
        if open.len() as u64 > DEPTH_MAX + 1 {
            *too_deep = true;
            return None;
        }
    }
    if documents > 1 {
        json.push(']');
        return Some((Syntax::YamlStream, json));
    }
    json.remove(0);
    // A single scalar is plain text, not a document.
    json.starts_with(['{', '[']).then_some((Syntax::Yaml, json))
}

/// Writes the comma before a node, if the node needs one. Returns whether the node is a key.
fn before(open: &mut [Open], json: &mut String) -> Option<bool> {
    let Open { needs_key, has_some, .. } = open.last_mut()?;
    // The value of a member follows its key without a comma.
    if *needs_key != Some(false) && std::mem::replace(has_some, true) {
        json.push(',');
    }
    Some(*needs_key == Some(true))
}

/// Writes the colon after a key, and records whether the next node is a key.
fn after(open: &mut [Open], is_key: bool, json: &mut String) {
    if is_key {
        json.push(':');
    }
    if let Some(Open { needs_key: Some(needs_key), .. }) = open.last_mut() {
        *needs_key = !is_key;
    }
}

/// Returns the text of a custom tag; `None` for a tag of a standard YAML type.
fn own(tag: Option<&Tag>) -> Option<String> {
    let tag = tag.filter(|tag| tag.handle != "tag:yaml.org,2002:")?;
    Some(format!("{}{}", tag.handle, tag.suffix))
}

fn begin_tag(tag: Option<&str>, json: &mut String) {
    if let Some(tag) = tag {
        json.push('{');
        string::push_quoted(tag, json);
        json.push(':');
    }
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_is_json(yaml: &str, syntax: Syntax, json: Option<&str>) {
        let found = Document::of(yaml.as_bytes()).unwrap().map(|mut it| {
            assert_eq!(it.syntax, syntax);
            String::from_utf8_lossy(it.value().raw()).into_owned()
        });
        assert_eq!(found.as_deref(), json, "{yaml}");
    }

    #[test]
    fn yaml_becomes_json() {
        for (yaml, json) in [
            ("a: 1\nb: x\n", Some(r#"{"a":1,"b":"x"}"#)),
            (
                "- a: yes\n- 'true'\n- true\n- ~\n- 1.50\n- 0x1f\n- 1e999\n",
                Some(r#"[{"a":"yes"},"true",true,null,1.50,"0x1f",1e999]"#),
            ),
            (
                "---\na:\n  - b\n  - {c: d, 1: 2}\ne: |\n  x\n  y\n",
                Some(r#"{"a":["b",{"c":"d","1":2}],"e":"x\ny\n"}"#),
            ),
            ("a: &x [1]\nb: *x\n", Some(r#"{"a":[1],"b":"*1"}"#)),
            (
                "a: !Ref B\nb: !Sub [c]\nc: !!str 5\nd: !X {e: f}\n",
                Some(r#"{"a":{"!Ref":"B"},"b":{"!Sub":["c"]},"c":5,"d":{"!X":{"e":"f"}}}"#),
            ),
            ("a:\nb: {}\n", Some(r#"{"a":null,"b":{}}"#)),
            ("a: NULL\nb: [True, FALSE]\n", Some(r#"{"a":null,"b":[true,false]}"#)),
            ("\u{feff}a: 1\nb: 2\n", Some(r#"{"a":1,"b":2}"#)),
            ("? [a]\n: b\n", None),
            ("#!/bin/sh\necho 'a: b'\nexit 1\n", None),
            ("a: b", None),
            ("a: {\n", None),
            ("plain: text\nwith: [more\n", None),
        ] {
            assert_is_json(yaml, Syntax::Yaml, json);
        }
    }

    #[test]
    fn documents_in_one_text_are_a_list() {
        for (yaml, json) in [
            ("a: 1\n---\nb: 2\n", Some(r#"[{"a":1},{"b":2}]"#)),
            ("---\na: 1\n---\n- b\n---\n", Some(r#"[{"a":1},["b"],null]"#)),
            ("a: 1\n...\n---\ntext\n", Some(r#"[{"a":1},"text"]"#)),
            ("a: 1\n---\n{{ b }}: [\n", None),
        ] {
            assert_is_json(yaml, Syntax::YamlStream, json);
        }
    }

    #[test]
    fn json_with_other_text_is_not_a_document() {
        for (text, is_json) in [
            (r#"{"a":[1,2]}"#, true),
            (" [ ] \n", true),
            (&format!("{}[1]", " ".repeat(200)), true),
            (r#"{"a":1} x"#, false),
            (r#"{"a":1"#, false),
            (r#"{"a":01}"#, false),
            (r#""text""#, false),
            ("12", false),
            ("", false),
            ("{{ template }}", false),
            ("[section]\nkey = 1\n", false),
        ] {
            assert_eq!(Document::json(text.as_bytes()).unwrap().is_some(), is_json, "{text}");
        }
    }

    #[test]
    fn documents_that_are_too_deep_are_not_read() {
        let list = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        for depth in [DEPTH_MAX as usize + 1, 100_000] {
            assert_eq!(Document::of(list(depth).as_bytes()).err(), Some(Unread), "{depth}");
        }
        assert!(matches!(Document::of(list(DEPTH_MAX as usize).as_bytes()), Ok(Some(_))));
        let mapping = |depth: usize| format!("a:\n  {}x\n", "- ".repeat(depth - 1));
        assert!(matches!(Document::of(mapping(DEPTH_MAX as usize).as_bytes()), Ok(Some(_))));
        let deeper = Document::of(mapping(DEPTH_MAX as usize + 1).as_bytes());
        assert_eq!(deeper.err(), Some(Unread));
    }
}
