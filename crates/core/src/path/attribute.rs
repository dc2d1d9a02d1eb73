//! Concrete paths to attributes: the two kinds of steps of `tfjsonpath`.
//!
//! | step | text | `tfjsonpath` |
//! | --- | --- | --- |
//! | key `tags` | `tags`, later `.tags` | `AtMapKey("tags")` |
//! | key `a.b` | `["a.b"]` | `AtMapKey("a.b")` |
//! | index 0 | `[0]` | `AtSliceIndex(0)` |
//!
//! [`Paths`](super::Paths) stores many paths in one buffer and has steps to elements of sets.
//! [`Pattern`](super::Pattern) matches the text of paths with `*`. An [`AttributePath`] leads to
//! one value, so it has neither set elements nor `*`.

use std::fmt;

use super::{Step, is_ident, json_string, key_pieces};
use crate::error::{Error, ErrorKind};
use crate::json::string;

/// One step of an [`AttributePath`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttributeStep {
    /// A step to a member of an object or a map (`tfjsonpath.MapStep`).
    Key(String),
    /// A step to an element of a list, a set or a tuple (`tfjsonpath.SliceStep`). The elements of a
    /// set count in the order of the JSON. No value has an element with a negative index.
    Index(i64),
}

/// A path from the root of a value to a value in it.
///
/// ```
/// use plansift_core::path::AttributePath;
///
/// // tfjsonpath.New("ingress").AtSliceIndex(0).AtMapKey("from.port")
/// let ingress = AttributePath::root().at_map_key("ingress");
/// let path = ingress.at_slice_index(0).at_map_key("from.port");
/// assert_eq!(path.to_string(), r#"ingress[0]["from.port"]"#);
/// assert_eq!(path.to_tfjsonpath(), "ingress.0.from.port");
/// assert_eq!(AttributePath::parse(r#"ingress[0]["from.port"]"#)?, path);
/// # Ok::<(), plansift_core::error::Error>(())
/// ```
///
/// Go's paths share memory: two paths that extend the same path of three steps overwrite each
/// other's last step. These paths are independent values.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttributePath {
    steps: Vec<AttributeStep>,
}

impl AttributePath {
    /// Returns the path without steps, which leads to the root (`tfjsonpath.Path{}`).
    pub fn root() -> AttributePath {
        AttributePath::default()
    }

    /// Returns the path with one more step, to a member of an object or a map.
    pub fn at_map_key(mut self, key: impl Into<String>) -> AttributePath {
        self.steps.push(AttributeStep::Key(key.into()));
        self
    }

    /// Returns the path with one more step, to an element of a list, a set or a tuple.
    pub fn at_slice_index(mut self, index: i64) -> AttributePath {
        self.steps.push(AttributeStep::Index(index));
        self
    }

    /// Returns the steps from the root.
    pub fn steps(&self) -> &[AttributeStep] {
        &self.steps
    }

    /// Whether the path has no steps.
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the string of Go's `Path.String()`: the steps with dots between them. Different
    /// paths may have the same string.
    pub fn to_tfjsonpath(&self) -> String {
        AttributePath::joined(&self.steps)
    }

    /// Returns the string of Go's `Path.String()` for these steps.
    pub fn joined(steps: &[AttributeStep]) -> String {
        let mut text = String::new();
        for (place, step) in steps.iter().enumerate() {
            if place > 0 {
                text.push('.');
            }
            match step {
                AttributeStep::Key(key) => text.push_str(key),
                AttributeStep::Index(index) => text.push_str(&index.to_string()),
            }
        }
        text
    }

    /// Parses the text of a path. The empty string is the root.
    ///
    /// Besides the text that [`fmt::Display`] writes, the parser accepts:
    ///
    /// * a dot before the first key, as diagnostics of Terraform write it: `.a[0]`
    /// * identifiers in brackets: `a["b"]`
    /// * keys in single quotes: `a['b c']`
    /// * the escapes of Go and HCL: `\a`, `\v`, `\'`, `\x1b`, `\U0001f600`
    /// * steps as a JSON array after `json:`, as in `replace_paths`: `json:["a",0,"b"]`
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Path`] at the offset of the first invalid step.
    pub fn parse(text: &str) -> Result<AttributePath, Error> {
        if let Some(array) = text.strip_prefix("json:") {
            let invalid = |at| Error::at(ErrorKind::Path, ("json:".len() + at) as u64);
            return AttributePath::from_json(array).map_err(invalid);
        }
        Ok(AttributePath { steps: parse_steps(text, parse_step)? })
    }

    /// Reads an array of strings and indices. `Err` holds the offset of the first invalid step.
    fn from_json(text: &str) -> Result<AttributePath, usize> {
        let mut rest = text.trim_start();
        let at = |rest: &str| text.len() - rest.len();
        rest = rest.strip_prefix('[').ok_or(at(rest))?.trim_start();
        let mut path = AttributePath::root();
        while !rest.starts_with(']') {
            if !path.is_root() {
                rest = rest.strip_prefix(',').ok_or(at(rest))?.trim_start();
            }
            let (step, len) = json_step(rest).ok_or(at(rest))?;
            path.steps.push(step);
            rest = rest[len..].trim_start();
        }
        match rest[1..].trim_start() {
            "" => Ok(path),
            more => Err(at(more)),
        }
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.steps.iter().enumerate() {
            step.write(place == 0, f)?;
        }
        Ok(())
    }
}

impl AttributeStep {
    /// The step, borrowed. A negative index, which no value has, becomes [`Step::Element`].
    pub fn borrowed(&self) -> Step<'_> {
        match self {
            AttributeStep::Key(key) => Step::Key(key),
            AttributeStep::Index(index) => u32::try_from(*index).map_or(Step::Element, Step::Index),
        }
    }

    /// The memory of the step, in bytes.
    pub fn size(&self) -> usize {
        let text = match self {
            AttributeStep::Key(key) => key.len(),
            AttributeStep::Index(_) => 0,
        };
        size_of::<AttributeStep>() + text
    }

    /// Writes the step as a part of the text of a path.
    pub(super) fn write(&self, is_first: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttributeStep::Key(key) => {
                key_pieces(key, is_first, &mut |piece: &str| f.write_str(piece))
            }
            AttributeStep::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl FromIterator<AttributeStep> for AttributePath {
    fn from_iter<I: IntoIterator<Item = AttributeStep>>(steps: I) -> AttributePath {
        AttributePath { steps: steps.into_iter().collect() }
    }
}

/// Parses the steps of a path. `step` parses the step at the start of a string, and returns the
/// step and its length in bytes. The second argument of `step` says whether the step is the first.
pub(super) fn parse_steps<T>(
    text: &str,
    step: impl Fn(&str, bool) -> Option<(T, usize)>,
) -> Result<Vec<T>, Error> {
    let (mut steps, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let parsed = step(&text[at..], at == 0);
        let (step, len) = parsed.ok_or_else(|| Error::at(ErrorKind::Path, at as u64))?;
        steps.push(step);
        at += len;
    }
    Ok(steps)
}

/// Parses the step at the start of a string. Returns the step and its length in bytes.
pub(super) fn parse_step(text: &str, is_first: bool) -> Option<(AttributeStep, usize)> {
    let Some(inside) = text.strip_prefix('[') else {
        let ident = match text.strip_prefix('.') {
            Some(ident) => ident,
            None if is_first => text,
            None => return None,
        };
        let end = ident.find(['.', '[']).unwrap_or(ident.len());
        let key = is_ident(&ident[..end]).then(|| ident[..end].to_owned())?;
        return Some((AttributeStep::Key(key), text.len() - ident.len() + end));
    };
    let (step, len) = match inside.as_bytes().first()? {
        b'"' | b'\'' => {
            let (key, len) = unquote(inside)?;
            (AttributeStep::Key(key), len)
        }
        _ => {
            let end = inside.find(']')?;
            (AttributeStep::Index(index(&inside[..end])?), end)
        }
    };
    inside[len..].starts_with(']').then_some((step, len + 2))
}

/// Parses the first step of the rest of a JSON array. Returns the step and its length in bytes.
fn json_step(text: &str) -> Option<(AttributeStep, usize)> {
    if text.starts_with('"') {
        let (key, len) = json_string(text)?;
        return Some((AttributeStep::Key(key), len));
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((AttributeStep::Index(index(&text[..end])?), end))
}

/// Parses an index without leading zeros that fits into 32 bits.
pub(super) fn index(digits: &str) -> Option<i64> {
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_canonical = is_number && (digits == "0" || !digits.starts_with('0'));
    is_canonical.then(|| digits.parse::<u32>().ok().map(i64::from)).flatten()
}

/// Decodes the quoted string at the start of `text`. Returns the content, and the length of the
/// quoted string in bytes.
fn unquote(text: &str) -> Option<(String, usize)> {
    let quote = text.chars().next()?;
    let mut content = String::new();
    let mut rest = &text[1..];
    loop {
        let c = rest.chars().next()?;
        if c == quote {
            return Some((content, text.len() - rest.len() + 1));
        }
        if c < ' ' {
            return None;
        }
        let (c, len) = if c == '\\' { escape(rest)? } else { (c, c.len_utf8()) };
        content.push(c);
        rest = &rest[len..];
    }
}

/// Decodes the escape at the start of `text`, in the syntax of JSON, Go or HCL.
fn escape(text: &str) -> Option<(char, usize)> {
    let hex = |len: usize| {
        let digits = text.get(2..2 + len)?;
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        char::from_u32(is_hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?)
    };
    Some(match text.as_bytes().get(1)? {
        b'a' => ('\x07', 2),
        b'v' => ('\x0b', 2),
        b'\'' => ('\'', 2),
        b'x' => (hex(2).filter(char::is_ascii)?, 4),
        b'U' => (hex(8)?, 10),
        _ => return string::escape(text.as_bytes()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(key: &str) -> AttributeStep {
        AttributeStep::Key(key.to_owned())
    }

    #[test]
    fn a_path_has_one_canonical_text_that_parses_back() {
        for (steps, canonical, tfjsonpath) in [
            (vec![key("a")], "a", "a"),
            (
                vec![key("root_list_block"), AttributeStep::Index(0), key("nested")],
                "root_list_block[0].nested",
                "root_list_block.0.nested",
            ),
            (vec![key("tags"), key("example-key")], "tags.example-key", "tags.example-key"),
            (vec![key("tags"), key("a.b")], r#"tags["a.b"]"#, "tags.a.b"),
            (vec![key("tags"), key("0")], r#"tags["0"]"#, "tags.0"),
            (vec![key("tags"), key("")], r#"tags[""]"#, "tags."),
            (vec![key("tags"), key(r#"q"\"#)], r#"tags["q\"\\"]"#, r#"tags.q"\"#),
            (vec![AttributeStep::Index(0), key("Value")], "[0].Value", "0.Value"),
            (vec![key("été")], r#"["été"]"#, "été"),
            (vec![key("l\nf\u{1f}")], r#"["l\nf\u001f"]"#, "l\nf\u{1f}"),
            (vec![], "", ""),
        ] {
            let path: AttributePath = steps.into_iter().collect();
            assert_eq!(path.to_string(), canonical);
            assert_eq!(path.to_tfjsonpath(), tfjsonpath);
            assert_eq!(AttributePath::parse(canonical).expect(canonical), path);
        }
    }

    #[test]
    fn every_spelling_of_a_step_is_accepted() {
        for (text, canonical) in [
            (".a[0]", "a[0]"),
            (r#"a["b"].c"#, "a.b.c"),
            ("a['b c']", r#"a["b c"]"#),
            (r"a['it\'s']", r#"a["it's"]"#),
            (r#"a["\U0001f600"]"#, r#"a["😀"]"#),
            (r#"a["\ud83d\ude00"]"#, r#"a["😀"]"#),
            (r#"["\a\v\x1b\/"]"#, r#"["\u0007\u000b\u001b/"]"#),
            (r#"json:["a",0,"b.c"]"#, r#"a[0]["b.c"]"#),
            (r#"json: [ "a" , 10 ] "#, "a[10]"),
            ("json:[]", ""),
        ] {
            let path = AttributePath::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(path.to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn invalid_paths_are_errors_at_their_offset() {
        for (offset, texts) in [
            (1, &["a[-1]", "a[01]", "a[", "a..b", "a.", r#"a["x"#, r#"a["x""#, "a[1.5]"][..]),
            (1, &["a[4294967296]", "a[]", "a[*]", "a.0", r#"a["\q"]"#, r#"a["\ud800"]"#]),
            (1, &[r#"a["\x+1"]"#, r#"a["\xff"]"#, "a[\"\n\"]"]),
            (0, &["..a", "a b", "0", "été"]),
            (4, &["a[0]b"]),
            (5, &["json:"]),
            (6, &["json:[", "json:[-1]", "json:[{}]"]),
            (9, &[r#"json:["a""#]),
            (10, &[r#"json:["a",]"#]),
            (7, &["json:[1.5]"]),
            (8, &["json:[0]x"]),
        ] {
            for text in texts {
                let error = AttributePath::parse(text).expect_err(text);
                assert_eq!(error.kind(), ErrorKind::Path, "{text}");
                assert_eq!(error.location().map(|it| it.offset), Some(offset), "{text}");
            }
        }
    }

    #[test]
    fn paths_that_extend_one_path_are_independent() {
        let prefix = AttributePath::root().at_map_key("a").at_map_key("b").at_map_key("c");
        let [one, two] = ["d", "e"].map(|key| prefix.clone().at_map_key(key));
        assert_eq!([one.to_string(), two.to_string()], ["a.b.c.d", "a.b.c.e"]);
    }
}
