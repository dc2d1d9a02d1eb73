//! Parses documents in strings: policies, templates, Helm values.
//!
//! JSON documents are read with the tokenizer for plans, so numbers keep their spelling. YAML is
//! converted to JSON first (`yaml.rs`). If it is unclear whether a string is a document, it counts
//! as plain text.

#[cfg_attr(not(any(feature = "yaml", test)), expect(dead_code, reason = "only YAML has nodes"))]
mod nodes;
mod permit;
// Public for `redact`, which writes masks in place of nodes.
#[doc(hidden)]
pub mod place;
mod syntax;
#[cfg(feature = "yaml")]
mod yaml;

pub use syntax::{Syntax, Unread};

use crate::error::ErrorKind;
use crate::json::detached::Detached;
use crate::json::value::Value;
use crate::limits::Limits;
use permit::Permit;
use place::Places;
use syntax::{Aliases, Read};

/// Maximum nesting of documents in strings that are parsed. Each document is parsed once for each
/// document around it.
pub const DOCUMENT_DEPTH_MAX: u32 = 4;

/// Maximum length of a string that is parsed, in bytes.
const TEXT_MAX: usize = 1 << 20;

/// Deepest nesting of a document that is parsed.
const DEPTH_MAX: u64 = 200;

/// Maximum number of brackets and commas in a string that is parsed as YAML. The parser buffers a
/// bracketed list up to its end, and needs a few KB for each element.
#[cfg(feature = "yaml")]
const FLOW_MAX: usize = 50_000;

/// The memory of a JSON document and its outline, for each byte of its text.
const JSON_MEMORY: usize = 4;

/// The starts of the JSON strings for which [`may_open_document`] may hold: a quote, then a
/// bracket, a space, or a byte order mark.
pub const OPENINGS: [&[u8]; 4] = [b"\"[", b"\"{", b"\" ", b"\"\xef\xbb\xbf"];

/// Whether the text in a JSON string begins with a bracket, perhaps after spaces or a byte order
/// mark. `string` begins with a quote. If this is the quote at the end of a string, the answer is
/// no, because no bracket can follow.
pub fn may_open_document(string: &[u8]) -> bool {
    let text = without_mark(&string[1..]).trim_ascii_start();
    matches!(text.first(), Some(b'[' | b'{'))
}

/// A document in a string: an object or array in JSON or YAML.
#[derive(Debug)]
pub struct TextDocument {
    /// The syntax of the document.
    pub syntax: Syntax,
    /// Whether readers of all versions of YAML take the text for this document. False for several
    /// documents, a comment at the beginning (`#cloud-config` is a command), brackets around the
    /// whole, a directive, a tag of a standard type, and plain scalars such as `no`.
    pub is_clear: bool,
    value: Detached,
    places: Places,
    /// Must be dropped last, after the memory that it permits.
    _permit: Permit,
}

/// Whether [`TextDocument::of_any`] may find a document in a string.
pub fn may_be_document(text: &[u8]) -> bool {
    may_be_json(text) || may_be_yaml(text)
}

fn may_be_json(text: &[u8]) -> bool {
    let text = without_mark(text);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
}

/// Whether a string may be YAML: a line in brackets, or lines with a mapping or a sequence. Prose
/// is often one line with a colon, so such a line only counts if it ends with a line break, as
/// lines of `yamlencode` do.
fn may_be_yaml(text: &[u8]) -> bool {
    match memchr::memchr2(b'\n', b'\r', text) {
        Some(_) => memchr::memchr3(b':', b'[', b'{', text).is_some() || has_entries(text),
        None => is_bracketed(text),
    }
}

/// Whether a line is in brackets. A comment may follow.
fn is_bracketed(line: &[u8]) -> bool {
    let line = without_mark(line).trim_ascii();
    match (line.first(), line.last()) {
        (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')) => true,
        (Some(b'{' | b'['), _) => memchr::memchr_iter(b'#', line)
            .any(|sign| sign.checked_sub(1).is_some_and(|at| line[at].is_ascii_whitespace())),
        _ => false,
    }
}

/// Whether a line begins with the sign of an element (`-`) or a key (`?`).
fn has_entries(text: &[u8]) -> bool {
    text.split(|byte| matches!(byte, b'\n' | b'\r')).any(|line| {
        matches!(line.trim_ascii_start(), [b'-' | b'?', rest @ ..]
            if rest.first().is_none_or(u8::is_ascii_whitespace))
    })
}

/// Returns a text without its byte order mark.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

impl TextDocument {
    /// Parses a string as JSON, or a string of several lines as YAML. Reports show any other string
    /// as text.
    pub fn of(text: &[u8]) -> Read<TextDocument> {
        if memchr::memchr(b'\n', text.trim_ascii_end()).is_some() {
            return TextDocument::of_any(text);
        }
        Ok(TextDocument::json(without_mark(text))?.map(|found| found.after_mark(text)))
    }

    /// Like [`TextDocument::of`], and also parses YAML on one line that is in brackets (`{a: b}`)
    /// or ends with a line break, and YAML whose lines end with CR.
    pub fn of_any(text: &[u8]) -> Read<TextDocument> {
        TextDocument::with_aliases(text, Aliases::Names)
    }

    /// Like [`TextDocument::of_any`], for paths that the user writes: aliases in YAML are copies of
    /// their nodes, as for Terraform.
    pub fn decoded(text: &[u8]) -> Read<TextDocument> {
        let has_anchors = memchr::memchr(b'&', text).is_some();
        let aliases = if has_anchors { Aliases::Copies } else { Aliases::Names };
        TextDocument::with_aliases(text, aliases)
    }

    fn with_aliases(text: &[u8], aliases: Aliases) -> Read<TextDocument> {
        let document = without_mark(text);
        let found = match TextDocument::json(document)? {
            None => TextDocument::yaml(document, aliases)?,
            json => json,
        };
        Ok(found.map(|found| found.after_mark(text)))
    }

    /// Sets the start of the document in a text that may have a byte order mark.
    fn after_mark(mut self, text: &[u8]) -> TextDocument {
        self.places.start = text.len() - without_mark(text).len();
        self
    }

    fn json(text: &[u8]) -> Read<TextDocument> {
        if !may_be_json(text) {
            return Ok(None);
        }
        if text.len() > TEXT_MAX {
            return Err(Unread);
        }
        let (syntax, places) = (Syntax::Json, Places::default());
        let permit = Permit::wait(JSON_MEMORY * text.len());
        let value = outlined(text)?;
        let is_clear = true;
        Ok(value.map(|value| TextDocument { syntax, is_clear, value, places, _permit: permit }))
    }

    #[cfg(feature = "yaml")]
    fn yaml(text: &[u8], aliases: Aliases) -> Read<TextDocument> {
        let Ok(text) = std::str::from_utf8(text) else { return Ok(None) };
        if !may_be_yaml(text.as_bytes()) {
            return Ok(None);
        }
        if text.len() > TEXT_MAX || (text.len() > FLOW_MAX && flow(text.as_bytes()) > FLOW_MAX) {
            return Err(Unread);
        }
        let permit = Permit::wait(yaml::memory(text, aliases));
        let Some(converted) = yaml::as_json(text, aliases)? else { return Ok(None) };
        let yaml::Converted { syntax, is_clear, json, places } = converted;
        let value = outlined(json.as_bytes())?;
        Ok(value.map(|value| TextDocument { syntax, is_clear, value, places, _permit: permit }))
    }

    /// A build without the feature `yaml` cannot read YAML.
    #[cfg(not(feature = "yaml"))]
    fn yaml(text: &[u8], _: Aliases) -> Read<TextDocument> {
        if may_be_yaml(text) { Err(Unread) } else { Ok(None) }
    }

    /// Returns the value of the document.
    pub fn value(&mut self) -> Value<'_> {
        self.value.value()
    }

    /// Returns the value, and where its nodes are in the text.
    #[doc(hidden)]
    pub fn parts(&mut self) -> (Value<'_>, &Places) {
        (self.value.value(), &self.places)
    }
}

/// Counts the opening brackets and commas in a string.
#[cfg(feature = "yaml")]
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

#[cfg(all(test, feature = "yaml"))]
mod tests {
    use super::*;

    fn assert_is_json(yaml: &str, syntax: Syntax, json: Option<&str>) {
        let found = TextDocument::of(yaml.as_bytes()).unwrap().map(|mut it| {
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
            ("- a\n- --b\n", Some(r#"["a","--b"]"#)),
            ("-\n  a\n-\n", Some(r#"["a",null]"#)),
            ("? a\n? b\n", Some(r#"{"a":null,"b":null}"#)),
            ("[a,\n b]\n", Some(r#"["a","b"]"#)),
            ("a: b", None),
            ("- a", None),
            ("{a: b}", None),
            ("a: {\n", None),
            ("plain: text\nwith: [more\n", None),
        ] {
            assert_is_json(yaml, Syntax::Yaml, json);
        }
    }

    #[test]
    fn yaml_in_brackets_may_have_one_line() {
        for (text, is_document) in [
            ("{a: b}", true),
            (" {'a': b} # c", true),
            ("\u{feff}[a, b]\n", true),
            ("a: b\rc: d\r", true),
            ("a: b", false),
            ("- a", false),
            ("[a] b", false),
            ("{{ a }}", false),
            ("a\n-b\n", false),
        ] {
            let found = TextDocument::of_any(text.as_bytes()).unwrap();
            assert_eq!(found.is_some(), is_document, "{text}");
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
    fn aliases_are_copies_for_paths_of_the_user() {
        let json = |yaml: &str| {
            let found = TextDocument::decoded(yaml.as_bytes());
            found.map(|found| {
                found.map(|mut it| String::from_utf8_lossy(it.value().raw()).into_owned())
            })
        };
        for (yaml, expected) in [
            ("a: &x [1, {b: c}]\nb: *x\n", Some(r#"{"a":[1,{"b":"c"}],"b":[1,{"b":"c"}]}"#)),
            ("- &x ~\n- *x\n- &x !t 5\n- *x\n", Some(r#"[null,null,{"!t":5},{"!t":5}]"#)),
            ("a: &x b\n*x : c\n", Some(r#"{"a":"b","b":"c"}"#)),
            (
                "a: &x {b: &y c, d: *y}\ne: *x\n",
                Some(r#"{"a":{"b":"c","d":"c"},"e":{"b":"c","d":"c"}}"#),
            ),
            ("a: &x 1\n*x : c\n", None),
            ("a: &x [*x]\nb: c\n", None),
            ("a: 1 & 2\nb: c\n", Some(r#"{"a":"1 & 2","b":"c"}"#)),
        ] {
            assert_eq!(json(yaml), Ok(expected.map(str::to_owned)), "{yaml}");
        }
        let mut bomb = "a0: &a0 [x, x, x, x]\n".to_owned();
        for level in 1..40 {
            let below = format!("*a{}", level - 1);
            let line = format!("a{level}: &a{level} [{below}, {below}, {below}, {below}]\n");
            bomb.push_str(&line);
        }
        assert_eq!(json(&bomb), Err(Unread));
        let mut deep = "a0: &a0 [x]\n".to_owned();
        for level in 1..=DEPTH_MAX {
            deep.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
        }
        assert_eq!(json(&deep), Err(Unread));
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
            assert_eq!(TextDocument::json(text.as_bytes()).unwrap().is_some(), is_json, "{text}");
        }
    }

    #[test]
    fn documents_that_are_too_deep_are_not_read() {
        let list = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        for depth in [DEPTH_MAX as usize + 1, 100_000] {
            assert_eq!(TextDocument::of(list(depth).as_bytes()).err(), Some(Unread), "{depth}");
        }
        assert!(matches!(TextDocument::of(list(DEPTH_MAX as usize).as_bytes()), Ok(Some(_))));
        let mapping = |depth: usize| format!("a:\n  {}x\n", "- ".repeat(depth - 1));
        assert!(matches!(TextDocument::of(mapping(DEPTH_MAX as usize).as_bytes()), Ok(Some(_))));
        let deeper = TextDocument::of(mapping(DEPTH_MAX as usize + 1).as_bytes());
        assert_eq!(deeper.err(), Some(Unread));
    }

    #[test]
    fn tags_with_a_long_prefix_are_not_expanded() {
        let text = |uses: usize| {
            let prefix = "x".repeat(100_000);
            format!("%TAG !e! {prefix}\n---\n{}", "- !e!a 1\n- b: 2\n".repeat(uses))
        };
        assert!(matches!(TextDocument::of(text(1).as_bytes()), Ok(Some(_))));
        assert_eq!(TextDocument::of(text(1000).as_bytes()).err(), Some(Unread));
    }
}
