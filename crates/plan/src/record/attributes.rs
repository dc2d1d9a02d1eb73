//! The attributes of a change: paths with their values before and after, for display.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

pub use crate::marks::mark_changes::MarkChange;
use plansift_core::json::string;
use plansift_core::json::value::Kind;

/// The text that is shown for a value that is not known yet.
pub const UNKNOWN: &str = "(known after apply)";

/// An attribute of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The path, in the notation of records.
    pub path: String,
    /// The value before the change.
    pub before: Shown,
    /// The value after the change.
    pub after: Shown,
    /// True if the attribute forces the replacement of the resource.
    pub replaces: bool,
    /// How the two values differ.
    pub difference: Difference,
    /// How the change marks or unmarks the attribute as sensitive.
    pub mark: Option<MarkChange>,
    /// The line diff, if the values are strings with several lines. Then `before` and `after` are
    /// [`Shown::Withheld`].
    pub lines: Option<Lines>,
    /// The digest of the value after the change, if the view computes it to compare plans.
    pub digest: Option<[u8; 16]>,
}

/// How the value after a change differs from the value before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Difference {
    /// The values differ.
    Value,
    /// Only white space differs.
    Space,
    /// The values are JSON documents in strings, and only their formatting differs.
    Format,
    /// Only the order of list elements differs.
    Order,
    /// The values are equal, but only one of them is marked as sensitive.
    Mark,
    /// The values are equal.
    Nothing,
}

/// The attributes of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    /// The attributes in path order, up to the limits of the view.
    pub list: Vec<Attribute>,
    /// Number of attributes beyond the limits.
    pub left_out: u64,
    /// Number of top-level attributes that have a value, are unchanged, and are not in the list.
    pub unchanged: u64,
    /// Facts about the whole change, if the view computes them to compare plans.
    pub compared: Option<Box<ComparedChange>>,
}

/// Facts about a whole change, to compare plans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ComparedChange {
    /// Whether the object does not exist before the change.
    pub created: bool,
    /// A digest of the JSON text of the values of the change.
    pub text: [u8; 16],
    /// The digest of what the change imports; `None` if it imports nothing or that is unknown.
    pub imported: Option<[u8; 16]>,
    /// The sensitive paths of the configuration of an action. Other records have a list of them.
    pub sensitive: Vec<String>,
}

impl Attributes {
    /// Returns the memory of the attributes, in bytes.
    pub fn size(&self) -> u64 {
        let size = |attribute: &Attribute| {
            let Attribute { path, before, after, lines, .. } = attribute;
            let lines = lines.as_ref().map_or(0, Lines::size);
            size_of_val(attribute) + path.len() + before.size() + after.size() + lines
        };
        self.list.iter().map(size).sum::<usize>() as u64
    }
}

/// The displayed form of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shown {
    /// There is no value, or it is `null` like that of an attribute without a value.
    Absent,
    /// The value is known only after apply.
    Unknown,
    /// The value is known only after apply, and comes from these references.
    UnknownFrom(Box<str>),
    /// The value is secret, because an overlay marks it or because of its name.
    Sensitive,
    /// The value is not marked, but repeats a secret of the plan.
    Echo,
    /// The value is not shown: the view shows only paths, or [`Attribute::lines`] shows the value.
    Withheld,
    /// The attribute is write-only, so plans do not contain its value.
    WriteOnly,
    /// The value is `null`, and the attribute's name ends with `_wo`, like those of write-only
    /// attributes.
    NamedWriteOnly,
    /// A string, a number, `true` or `false`; or `null` where it is not the same as no value.
    Scalar(Excerpt),
    /// An object or array. Each secret in it is masked.
    Container(Excerpt),
}

/// Compact JSON text of a value: its beginning, or the part that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Excerpt {
    /// The JSON text, cut to the maximum length of the view.
    pub text: String,
    /// Number of bytes of the value that are missing from the text.
    pub left_out: u64,
    /// A digest of the missing bytes, except sensitive ones. It makes excerpts of different values
    /// compare unequal even if their texts are equal.
    rest: u64,
}

impl Excerpt {
    /// Returns an excerpt of a byte range of a string, with at most about `max` bytes.
    pub fn of_text(text: &str, Range { start, end }: Range<usize>, max: usize) -> Excerpt {
        let mut excerpt = Excerpt::default();
        let (before, rest) = text.split_at(start);
        let (inner, after) = rest.split_at(end - start);
        let cut = |part: &str| if part.is_empty() { "" } else { "…" };
        let shown = format!("{}{inner}{}", cut(before), cut(after));
        if shown.len() > inner.len() {
            excerpt.leave_out(before.as_bytes());
            excerpt.leave_out(after.as_bytes());
        }
        excerpt.push(shown.as_bytes(), Kind::String, max);
        excerpt
    }

    /// Returns an excerpt that is a whole JSON text.
    pub fn whole(text: String) -> Excerpt {
        Excerpt { text, ..Excerpt::default() }
    }

    /// Adds bytes to the digest of the part that is not shown.
    pub fn leave_out(&mut self, bytes: &[u8]) {
        let mut hasher = DefaultHasher::new();
        (self.rest, bytes).hash(&mut hasher);
        self.rest = hasher.finish();
    }

    /// Appends a scalar. `text` must be a copy that no other process can modify.
    pub fn push(&mut self, text: &[u8], kind: Kind, excerpt_max: usize) {
        let room = excerpt_max.saturating_sub(self.text.len());
        let mut len = text.len().min(room.max(16));
        // Cut at the start of a character.
        while text.get(len).is_some_and(|byte| byte & 0xc0 == 0x80) {
            len -= 1;
        }
        if len < text.len() {
            self.left_out += (text.len() - len) as u64;
            self.leave_out(&text[len..]);
        }
        // The copy is UTF-8 unless another process modified the file.
        let shown = String::from_utf8_lossy(&text[..len]);
        match kind {
            Kind::String => string::push_quoted(&shown, &mut self.text),
            _ => self.text.push_str(&shown),
        }
    }
}

impl Shown {
    /// Returns the displayed form of `null` where it is not the same as no value.
    pub fn null() -> Shown {
        Shown::Scalar(Excerpt { text: "null".to_owned(), ..Excerpt::default() })
    }

    /// Whether the value is an object or array without members or elements.
    pub fn is_empty(&self) -> bool {
        matches!(self, Shown::Container(Excerpt { text, .. }) if text.len() == 2)
    }

    /// Returns the length of the text in bytes.
    pub fn size(&self) -> usize {
        match self {
            Shown::Scalar(excerpt) | Shown::Container(excerpt) => excerpt.text.len(),
            Shown::UnknownFrom(references) => references.len(),
            _ => 0,
        }
    }
}

/// The differences of two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lines {
    /// The lines, in order. Each begins with its sign and ends with a line feed. They are one text,
    /// because a text may have a line for each of its bytes.
    text: String,
    /// Number of differences that are not shown, or not to their end.
    pub left_out: u64,
    /// A digest of the lines that are not shown.
    rest: u64,
}

/// A line of one text or of both, without its line feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'t> {
    /// A line of both texts.
    Same(&'t str),
    /// A line of the first text only.
    Removed(&'t str),
    /// A line of the second text only.
    Added(&'t str),
    /// A number of lines of both texts that are not shown.
    Skipped(u64),
}

impl Line<'_> {
    /// Returns the length of the text in bytes.
    pub fn size(&self) -> usize {
        match self {
            Line::Same(text) | Line::Removed(text) | Line::Added(text) => text.len(),
            Line::Skipped(_) => 0,
        }
    }
}

impl Lines {
    /// Adds a line, which has no line feed.
    pub fn push(&mut self, line: Line<'_>) {
        let (sign, text) = match line {
            Line::Same(text) => (' ', text),
            Line::Removed(text) => ('-', text),
            Line::Added(text) => ('+', text),
            Line::Skipped(count) => ('@', &*count.to_string()),
        };
        self.text.push(sign);
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Records differences that are not shown. `rest` is what remains of the two texts.
    pub fn leave_out(&mut self, differences: u64, rest: [&str; 2]) {
        let [before, after] = rest;
        let mut hasher = DefaultHasher::new();
        (before, after).hash(&mut hasher);
        (self.left_out, self.rest) = (differences, hasher.finish());
    }

    /// Returns the lines, in order.
    pub fn iter(&self) -> impl Iterator<Item = Line<'_>> {
        self.text.split_terminator('\n').map(|line| match line.split_at_checked(1) {
            Some(("-", text)) => Line::Removed(text),
            Some(("+", text)) => Line::Added(text),
            Some(("@", count)) => Line::Skipped(count.parse().unwrap_or(0)),
            Some((_, text)) => Line::Same(text),
            None => Line::Same(line),
        })
    }

    /// Memory of the lines, in bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }
}
