//! Paths to places inside a resource's values, and lists of them (records.md, "Paths").
//!
//! A list keeps the text of all its keys in one buffer, so that collecting the paths of a change
//! allocates nothing once the buffers have grown.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Write as _};

use serde::ser::{Serialize, SerializeSeq, Serializer};

use crate::error::{Error, ErrorKind};

/// One step down into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step<'a> {
    /// An attribute or map key, decoded.
    Key(&'a str),
    /// A place in a list.
    Index(u32),
    /// An element of a set, which has no name.
    Element,
}

/// A path: steps from the root of a value, borrowed from a [`Paths`].
#[derive(Clone, Copy)]
pub struct Path<'a> {
    keys: &'a str,
    steps: &'a [Packed],
}

/// A list of paths.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    keys: String,
    steps: Vec<Packed>,
    /// Where in `steps` each path is.
    spans: Vec<(usize, usize)>,
}

/// A step; a key is a range of the list's text.
#[derive(Clone, Copy, Debug)]
enum Packed {
    Key { start: u32, end: u32 },
    Index(u32),
    Element,
}

impl Paths {
    /// An empty list.
    pub fn new() -> Paths {
        Paths::default()
    }

    /// Number of paths.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Forgets all paths and keeps the memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.steps.clear();
        self.spans.clear();
    }

    /// Forgets the paths that were pushed after the first `len`. The list must not be sorted since.
    pub fn truncate(&mut self, len: usize) {
        let Some(&(start, _)) = self.spans.get(len) else { return };
        let first_key = self.steps[start..].iter().find_map(|step| match step {
            Packed::Key { start, .. } => Some(*start as usize),
            Packed::Index(_) | Packed::Element => None,
        });
        self.keys.truncate(first_key.unwrap_or(self.keys.len()));
        self.steps.truncate(start);
        self.spans.truncate(len);
    }

    /// The memory that the paths take, in bytes.
    pub fn size(&self) -> u64 {
        let steps = size_of_val(&self.steps[..]) + size_of_val(&self.spans[..]);
        (self.keys.len() + steps) as u64
    }

    /// Appends a path.
    ///
    /// # Panics
    ///
    /// If the keys of a list have more than 4 GiB; whoever collects paths of unknown number holds
    /// [`Paths::size`] to a limit.
    pub fn push<'s>(&mut self, steps: impl IntoIterator<Item = Step<'s>>) {
        let start = self.steps.len();
        for step in steps {
            let packed = match step {
                Step::Key(key) => {
                    let start = self.keys_len();
                    self.keys.push_str(key);
                    Packed::Key { start, end: self.keys_len() }
                }
                Step::Index(index) => Packed::Index(index),
                Step::Element => Packed::Element,
            };
            self.steps.push(packed);
        }
        self.spans.push((start, self.steps.len()));
    }

    fn keys_len(&self) -> u32 {
        match self.keys.len().try_into() {
            Ok(len) => len,
            Err(_) => panic!("{} bytes of keys in one list of paths", self.keys.len()),
        }
    }

    /// Appends the path that `text` stands for: what [`Path`] writes, read back (records.md,
    /// "Paths").
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Path`], at the byte of `text` where it is no path. The list stays as it was.
    pub fn push_text(&mut self, text: &str) -> Result<(), Error> {
        let mut steps = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let (step, len) = text_step(&text[at..], at == 0)
                .ok_or_else(|| Error::at(ErrorKind::Path, at as u64))?;
            steps.push(step);
            at += len;
        }
        self.push(steps.iter().map(|step| match step {
            TextStep::Key(key) => Step::Key(key),
            TextStep::Index(index) => Step::Index(*index),
            TextStep::Element => Step::Element,
        }));
        Ok(())
    }

    /// The paths in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Path<'_>> {
        self.spans.iter().map(|&span| self.path(span))
    }

    fn path(&self, (start, end): (usize, usize)) -> Path<'_> {
        Path { keys: &self.keys, steps: &self.steps[start..end] }
    }

    /// Sorts step by step and drops repetitions.
    pub fn sort(&mut self) {
        let mut spans = std::mem::take(&mut self.spans);
        if !spans.is_sorted_by(|a, b| self.path(*a) < self.path(*b)) {
            spans.sort_unstable_by(|a, b| self.path(*a).cmp(&self.path(*b)));
            spans.dedup_by(|a, b| self.path(*a) == self.path(*b));
        }
        self.spans = spans;
    }

    /// Sorts, and drops each path that lies below another of the list.
    pub fn sort_outermost(&mut self) {
        self.sort();
        let mut spans = std::mem::take(&mut self.spans);
        let mut kept: Option<(usize, usize)> = None;
        spans.retain(|&span| {
            let below = kept.is_some_and(|above| self.path(span).is_below(self.path(above)));
            if !below {
                kept = Some(span);
            }
            !below
        });
        self.spans = spans;
    }
}

impl<'a> Path<'a> {
    /// The steps from the root.
    pub fn steps(self) -> impl ExactSizeIterator<Item = Step<'a>> {
        self.steps.iter().map(move |step| match *step {
            Packed::Key { start, end } => Step::Key(&self.keys[start as usize..end as usize]),
            Packed::Index(index) => Step::Index(index),
            Packed::Element => Step::Element,
        })
    }

    fn is_below(self, above: Path<'_>) -> bool {
        self.steps.len() >= above.steps.len()
            && self.steps().zip(above.steps()).all(|(a, b)| a == b)
    }
}

impl PartialEq for Path<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Path<'_> {}

impl PartialOrd for Path<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Path<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.steps().cmp(other.steps())
    }
}

impl fmt::Debug for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.steps().enumerate() {
            match step {
                Step::Key(key) if is_ident(key) => {
                    if place > 0 {
                        f.write_char('.')?;
                    }
                    f.write_str(key)?;
                }
                Step::Key(key) => write_quoted(f, key)?,
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Element => f.write_str("[*]")?,
            }
        }
        Ok(())
    }
}

/// A step of a path's text.
enum TextStep<'a> {
    Key(Cow<'a, str>),
    Index(u32),
    Element,
}

/// The step that a text begins with and the length of its text; `None` where there is none.
fn text_step(text: &str, is_first: bool) -> Option<(TextStep<'_>, usize)> {
    let Some(inside) = text.strip_prefix('[') else {
        let ident = if is_first { text } else { text.strip_prefix('.')? };
        let end = ident.find(['.', '[']).unwrap_or(ident.len());
        let key = is_ident(&ident[..end]).then(|| Cow::Borrowed(&ident[..end]))?;
        return Some((TextStep::Key(key), text.len() - ident.len() + end));
    };
    let (step, len) = if inside.starts_with('"') {
        let mut strings = serde_json::Deserializer::from_str(inside).into_iter::<String>();
        let key = strings.next()?.ok()?;
        (TextStep::Key(Cow::Owned(key)), strings.byte_offset())
    } else {
        let end = inside.find(']')?;
        let digits = &inside[..end];
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_canonical = is_number && (digits == "0" || !digits.starts_with('0'));
        match digits {
            "*" => (TextStep::Element, end),
            _ if is_canonical => (TextStep::Index(digits.parse().ok()?), end),
            _ => return None,
        }
    };
    inside[len..].starts_with(']').then_some((step, len + 2))
}

fn is_ident(key: &str) -> bool {
    let mut bytes = key.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// `["key"]`, escaping only what JSON demands.
fn write_quoted(f: &mut fmt::Formatter<'_>, key: &str) -> fmt::Result {
    f.write_str("[\"")?;
    for character in key.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            control @ '\0'..='\u{1f}' => write!(f, "\\u{:04x}", u32::from(control))?,
            other => f.write_char(other)?,
        }
    }
    f.write_str("\"]")
}

impl Serialize for Paths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for path in self.iter() {
            list.serialize_element(&path)?;
        }
        list.end()
    }
}

impl Serialize for Path<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn steps(text: &str) -> Result<String, Error> {
        let mut paths = Paths::new();
        paths.push_text(text)?;
        let path =
            paths.iter().next().map(|path| format!("{:?}", path.steps().collect::<Vec<_>>()));
        Ok(path.unwrap_or_default())
    }

    #[test]
    fn texts_of_paths_and_others() {
        for text in [
            "",
            "a",
            "root_block_device[0].volume_size",
            r#"tags["kubernetes.io/name"]"#,
            r#"data["été"]"#,
            r#"["0a"]["\\\"\n\u0001"][""].x"#,
            "[4294967295][0]",
            "set[*].a-b",
        ] {
            let mut paths = Paths::new();
            paths.push_text(text).unwrap();
            assert_eq!(paths.iter().next().unwrap().to_string(), text);
        }
        for (text, place) in [
            (".a", 0),
            ("a..b", 1),
            ("a.", 1),
            ("a[", 1),
            ("a[01]", 1),
            ("a[4294967296]", 1),
            ("a[-1]", 1),
            ("a[]", 1),
            ("a[1", 1),
            (r#"a["b"#, 1),
            (r#"a["b"x"#, 1),
            ("a b", 0),
            ("a.été", 1),
            ("a[0]b", 4),
        ] {
            let error = steps(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Path, "{text}");
            assert_eq!(error.location().unwrap().offset, place, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_text_of_a_path_is_read_back(
            keys in prop::collection::vec(prop_oneof![".*", "[a-z_][a-z0-9_-]{0,3}"], 0..5),
            index in any::<u32>(),
        ) {
            let mut paths = Paths::new();
            let keyed = keys.iter().map(|key| Step::Key(key));
            paths.push(keyed.chain([Step::Index(index), Step::Element]));
            let text = paths.iter().next().unwrap().to_string();
            paths.push_text(&text).unwrap();
            let both: Vec<_> = paths.iter().collect();
            prop_assert_eq!(both[0], both[1]);
        }
    }
}
