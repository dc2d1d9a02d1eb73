//! Paths to places inside a resource's values, and lists of them (records.md, "Paths").
//!
//! A list keeps the text of all its keys in one buffer, so that collecting the paths of a change
//! allocates nothing once the buffers have grown.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};

use serde::ser::{Serialize, SerializeSeq, Serializer};

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

#[derive(Clone, Copy, Debug)]
enum Packed {
    Key { start: usize, end: usize },
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

    /// Forgets the paths from the one at `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.spans.truncate(len);
    }

    /// Appends a path.
    pub fn push<'s>(&mut self, steps: impl IntoIterator<Item = Step<'s>>) {
        let start = self.steps.len();
        for step in steps {
            let packed = match step {
                Step::Key(key) => {
                    let start = self.keys.len();
                    self.keys.push_str(key);
                    Packed::Key { start, end: self.keys.len() }
                }
                Step::Index(index) => Packed::Index(index),
                Step::Element => Packed::Element,
            };
            self.steps.push(packed);
        }
        self.spans.push((start, self.steps.len()));
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
            Packed::Key { start, end } => Step::Key(&self.keys[start..end]),
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
