//! Reads files of assertions: YAML, TOML and JSON.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::value::RawValue;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::node::{Builder, DEPTH_MAX, FILE_MAX, FileError, Node, NodeKind};
use plansift_core::error::Error;
use plansift_core::json::detached::Detached;
use plansift_core::json::value::{Kind, Value};
use plansift_core::limits::Limits;

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
            let info = error.info();
            let hint = match () {
                () if info.contains("@'") => ": put a set of types in quotes, as in \"@data\"",
                () if is_of_alias(info) => {
                    ": put a pattern that begins with * in quotes, as in \"*\""
                }
                () => "",
            };
            FileError::new(line, format!("invalid YAML: {info}{hint}"))
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

/// Whether an error of the parser is about an alias. A `*` without quotes begins one.
fn is_of_alias(info: &str) -> bool {
    ["anchor or alias", "unknown anchor"].iter().any(|words| info.contains(words))
}

/// Resolves a scalar by the core schema of YAML 1.2, but without octal and hexadecimal numbers.
fn yaml_scalar(text: &str, is_plain: bool) -> NodeKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" if is_plain => NodeKind::Null,
        "true" | "True" | "TRUE" if is_plain => NodeKind::Boolean(true),
        "false" | "False" | "FALSE" if is_plain => NodeKind::Boolean(false),
        text if is_plain && is_number(text) => NodeKind::Number(text.to_owned()),
        text if is_plain && is_former_boolean(text) => NodeKind::FormerBoolean(text.to_owned()),
        text => NodeKind::Text(text.to_owned()),
    }
}

/// Whether YAML 1.1, but not YAML 1.2, reads a plain scalar as a boolean.
fn is_former_boolean(text: &str) -> bool {
    ["yes", "no", "on", "off"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

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
    fn at(&self, offset: u64) -> usize {
        self.0.partition_point(|end| (*end as u64) < offset) + 1
    }

    fn invalid_json(&self, error: &Error) -> FileError {
        let offset = error.location().map_or(0, |location| location.offset);
        FileError::new(self.at(offset), format!("invalid JSON: {}", error.cause()))
    }
}

fn json(text: &str) -> Result<Node, FileError> {
    let lines = Lines::of(text);
    let limits = Limits { depth: DEPTH_MAX as u64 + 1, ..Limits::default() };
    let detached = Detached::read(text.as_bytes(), limits);
    let mut detached = detached.map_err(|error| lines.invalid_json(&error))?;
    let mut builder = Builder::default();
    add_json(detached.value(), &lines, &mut builder)?;
    builder.finish()
}

/// Adds a value and everything in it. The depth of the tree bounds the recursion.
fn add_json(value: Value<'_>, lines: &Lines, builder: &mut Builder) -> Result<(), FileError> {
    let failed = |error| lines.invalid_json(&error);
    let line = lines.at(value.offset());
    let scalar = match value.kind().map_err(failed)? {
        Kind::Null => NodeKind::Null,
        Kind::True => NodeKind::Boolean(true),
        Kind::False => NodeKind::Boolean(false),
        Kind::Number => NodeKind::Number(String::from_utf8_lossy(value.raw()).into_owned()),
        Kind::String => NodeKind::Text(value.text().map_err(failed)?),
        Kind::Array => {
            builder.open_list(line)?;
            for element in value.elements().map_err(failed)? {
                add_json(element.map_err(failed)?, lines, builder)?;
            }
            return builder.close();
        }
        Kind::Object => {
            builder.open_mapping(line)?;
            for member in value.members().map_err(failed)? {
                let (key, value) = member.map_err(failed)?;
                builder.key(lines.at(key.offset()), key.decode().map_err(failed)?)?;
                add_json(value, lines, builder)?;
            }
            return builder.close();
        }
    };
    builder.scalar(line, scalar)
}

fn toml(text: &str) -> Result<Node, FileError> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| lines.at(span.start as u64));
        FileError::new(line, format!("invalid TOML: {}", error.message()))
    })?;
    let span = table.span();
    let root = Spanned::new(span, DeValue::Table(table.into_inner()));
    let mut builder = Builder::default();
    add_toml(&root, &lines, &mut builder)?;
    builder.finish()
}

/// Adds a value and everything in it. The depth of the tree bounds the recursion.
fn add_toml(
    value: &Spanned<DeValue<'_>>,
    lines: &Lines,
    builder: &mut Builder,
) -> Result<(), FileError> {
    let line = lines.at(value.span().start as u64);
    let unsigned = |number: &str| number.trim_start_matches('+').to_owned();
    let scalar = match value.get_ref() {
        DeValue::String(text) => NodeKind::Text(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => {
            NodeKind::Number(unsigned(number.as_str()))
        }
        DeValue::Float(number) if is_number(&unsigned(number.as_str())) => {
            NodeKind::Number(unsigned(number.as_str()))
        }
        DeValue::Integer(_) | DeValue::Float(_) => {
            return Err(FileError::new(line, "write this number with decimal digits"));
        }
        DeValue::Boolean(value) => NodeKind::Boolean(*value),
        DeValue::Datetime(_) => {
            return Err(FileError::new(line, "write a date as a string, in quotes"));
        }
        DeValue::Array(elements) => {
            builder.open_list(line)?;
            elements.iter().try_for_each(|element| add_toml(element, lines, builder))?;
            return builder.close();
        }
        DeValue::Table(members) => {
            builder.open_mapping(line)?;
            for (key, value) in members {
                builder.key(lines.at(key.span().start as u64), key.get_ref().to_string())?;
                add_toml(value, lines, builder)?;
            }
            return builder.close();
        }
    };
    builder.scalar(line, scalar)
}
