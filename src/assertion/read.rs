//! Reads files of assertions: YAML, TOML and JSON.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::value::RawValue;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::node::{Builder, DEPTH_MAX, FILE_MAX, FileError, Node, NodeKind};
use crate::error::Error;
use crate::json::detached::Detached;
use crate::json::value::Kind;
use crate::limits::Limits;

/// The syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// YAML 1.2.
    Yaml,
    /// TOML 1.1.
    Toml,
    /// JSON.
    Json,
}

impl Syntax {
    /// The syntax that the extension of a file name implies; YAML by default.
    pub fn of(name: &str) -> Syntax {
        let name = name.to_ascii_lowercase();
        match () {
            () if name.ends_with(".toml") => Syntax::Toml,
            () if name.ends_with(".json") => Syntax::Json,
            () => Syntax::Yaml,
        }
    }
}

/// Maximum number of brackets and commas in YAML. The limit bounds memory, because the parser
/// buffers a bracketed list up to its end.
const FLOW_MAX: usize = 50_000;

/// Reads a text as a tree.
pub(super) fn read(text: &str, syntax: Syntax) -> Result<Node, FileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() > FILE_MAX {
        return Err(FileError::new(1, format!("the file is longer than {FILE_MAX} bytes")));
    }
    match syntax {
        Syntax::Yaml => yaml(text),
        Syntax::Toml => toml(text),
        Syntax::Json => json(text),
    }
}

fn yaml(text: &str) -> Result<Node, FileError> {
    let flow = text.bytes().filter(|byte| matches!(byte, b'[' | b'{' | b',')).count();
    if flow > FLOW_MAX {
        let text = format!("there are more than {FLOW_MAX} brackets and commas: write JSON");
        return Err(FileError::new(1, text));
    }
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let line = error.marker().line();
            FileError::new(line, format!("invalid YAML: {}", error.info()))
        })?;
        let line = span.start.line();
        match event {
            Event::Scalar(text, ..) if builder.needs_key() => {
                builder.key(line, text.into_owned())?;
            }
            Event::Scalar(text, style, _, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                builder.scalar(line, yaml_scalar(&text, is_plain))?;
            }
            Event::SequenceStart(..) => builder.open_list(line)?,
            Event::MappingStart(..) => builder.open_mapping(line)?,
            Event::SequenceEnd | Event::MappingEnd => builder.close()?,
            Event::Alias(_) => {
                let text = "aliases (`*name`) are not supported: repeat the value";
                return Err(FileError::new(line, text));
            }
            _ => {}
        }
    }
    builder.finish()
}

/// Resolves a scalar by the core schema of YAML 1.2, but without octal and hexadecimal numbers.
fn yaml_scalar(text: &str, is_plain: bool) -> NodeKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" if is_plain => NodeKind::Null,
        "true" | "True" | "TRUE" if is_plain => NodeKind::Boolean(true),
        "false" | "False" | "FALSE" if is_plain => NodeKind::Boolean(false),
        text if is_plain && is_number(text) => NodeKind::Number(text.to_owned()),
        text => NodeKind::Text(text.to_owned()),
    }
}

/// Whether a text is a JSON number.
fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The offsets of the line feeds in a text.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect(),
        )
    }

    /// The line of an offset, from 1.
    fn at(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }
}

fn json(text: &str) -> Result<Node, FileError> {
    let lines = Lines::of(text);
    let at = |offset: u64| lines.at(usize::try_from(offset).unwrap_or(usize::MAX));
    let failed = |error: Error| {
        let offset = error.location().map_or(0, |location| location.offset);
        FileError::new(at(offset), format!("invalid JSON: {}", error.kind()))
    };
    let limits = Limits { depth: DEPTH_MAX as u64 + 1, ..Limits::default() };
    let mut detached = Detached::read(text.as_bytes(), limits).map_err(failed)?;
    let mut builder = Builder::default();
    let mut left = vec![Next::Value(detached.value())];
    while let Some(next) = left.pop() {
        let value = match next {
            Next::Close => {
                builder.close()?;
                continue;
            }
            Next::Key(line, key) => {
                builder.key(line, key)?;
                continue;
            }
            Next::Value(value) => value,
        };
        let line = at(value.offset());
        match value.kind().map_err(failed)? {
            Kind::Null => builder.scalar(line, NodeKind::Null)?,
            Kind::True => builder.scalar(line, NodeKind::Boolean(true))?,
            Kind::False => builder.scalar(line, NodeKind::Boolean(false))?,
            Kind::Number => {
                let number = String::from_utf8_lossy(value.raw()).into_owned();
                builder.scalar(line, NodeKind::Number(number))?;
            }
            Kind::String => {
                builder.scalar(line, NodeKind::Text(value.text().map_err(failed)?))?;
            }
            Kind::Array => {
                builder.open_list(line)?;
                left.push(Next::Close);
                let from = left.len();
                for element in value.elements().map_err(failed)? {
                    left.push(Next::Value(element.map_err(failed)?));
                }
                left[from..].reverse();
            }
            Kind::Object => {
                builder.open_mapping(line)?;
                left.push(Next::Close);
                let from = left.len();
                for member in value.members().map_err(failed)? {
                    let (key, value) = member.map_err(failed)?;
                    left.push(Next::Key(at(key.offset()), key.decode().map_err(failed)?));
                    left.push(Next::Value(value));
                }
                left[from..].reverse();
            }
        }
    }
    builder.finish()
}

/// A pending step on the stack of `json` and `toml`.
enum Next<T> {
    Value(T),
    Key(usize, String),
    Close,
}

fn toml(text: &str) -> Result<Node, FileError> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| lines.at(span.start));
        FileError::new(line, format!("invalid TOML: {}", error.message()))
    })?;
    let mut builder = Builder::default();
    let span = table.span();
    let root = Spanned::new(span, DeValue::Table(table.into_inner()));
    let mut left = vec![Next::Value(&root)];
    while let Some(next) = left.pop() {
        let value = match next {
            Next::Close => {
                builder.close()?;
                continue;
            }
            Next::Key(line, key) => {
                builder.key(line, key)?;
                continue;
            }
            Next::Value(value) => value,
        };
        let line = lines.at(value.span().start);
        match value.get_ref() {
            DeValue::String(text) => builder.scalar(line, NodeKind::Text(text.to_string()))?,
            DeValue::Integer(number) if number.radix() == 10 => {
                let number = number.as_str().trim_start_matches('+').to_owned();
                builder.scalar(line, NodeKind::Number(number))?;
            }
            DeValue::Float(number) if is_number(number.as_str().trim_start_matches('+')) => {
                let number = number.as_str().trim_start_matches('+').to_owned();
                builder.scalar(line, NodeKind::Number(number))?;
            }
            DeValue::Integer(_) | DeValue::Float(_) => {
                return Err(FileError::new(line, "write this number with decimal digits"));
            }
            DeValue::Boolean(value) => builder.scalar(line, NodeKind::Boolean(*value))?,
            DeValue::Datetime(_) => {
                return Err(FileError::new(line, "write a date as a string, in quotes"));
            }
            DeValue::Array(elements) => {
                builder.open_list(line)?;
                left.push(Next::Close);
                let from = left.len();
                left.extend(elements.iter().map(Next::Value));
                left[from..].reverse();
            }
            DeValue::Table(members) => {
                builder.open_mapping(line)?;
                left.push(Next::Close);
                let from = left.len();
                for (key, value) in members {
                    left.push(Next::Key(lines.at(key.span().start), key.get_ref().to_string()));
                    left.push(Next::Value(value));
                }
                left[from..].reverse();
            }
        }
    }
    builder.finish()
}
