//! The attributes of a change: paths with their values before and after, for display.

/// Stands for a value that is not known yet.
#[cfg(feature = "report")]
pub(crate) const UNKNOWN: &str = "(known after apply)";

/// An attribute of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    /// The path, as records write it.
    pub path: String,
    /// The value before the change.
    pub before: Shown,
    /// The value after the change.
    pub after: Shown,
    /// True if the attribute forces the replacement of the resource.
    pub replaces: bool,
    /// How the two values differ.
    pub difference: Difference,
    /// The differing lines, if the values are texts of several lines. Then `before` and `after` are
    /// [`Shown::Withheld`].
    pub lines: Option<Lines>,
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
}

impl Attributes {
    /// Memory of the attributes, in bytes.
    pub fn size(&self) -> u64 {
        let size = |attribute: &Attribute| {
            let Attribute { path, before, after, lines, .. } = attribute;
            let lines = lines.as_ref().map_or(0, Lines::size);
            size_of_val(attribute) + path.len() + before.size() + after.size() + lines
        };
        self.list.iter().map(size).sum::<usize>() as u64
    }
}

/// A value as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shown {
    /// There is no value, or it is `null`.
    Absent,
    /// The value is known only after apply.
    Unknown,
    /// The value is secret, because of a mark or a name.
    Sensitive,
    /// The value repeats a secret but has no mark.
    Echo,
    /// The value was not asked for, or is shown as lines.
    Withheld,
    /// The attribute is write-only: plans do not contain its value.
    WriteOnly,
    /// The value is `null`, and the attribute has the name of a write-only one.
    NamedWriteOnly,
    /// A string, a number, `true` or `false`; or `null` as an element of a list.
    Scalar(Excerpt),
    /// An object or array. Each secret in it is masked.
    Container(Excerpt),
}

/// The beginning of a value, or the part that differs, as compact JSON text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Excerpt {
    /// The text, up to the length that the view asks for.
    pub text: String,
    /// Number of bytes of the value in the plan that the text leaves out.
    pub left_out: u64,
    /// A digest of these bytes, except marked ones. Different values can have equal texts, and must
    /// not compare equal.
    pub(super) rest: u64,
}

impl Shown {
    /// `null` as an element of a list.
    pub(super) fn null() -> Shown {
        Shown::Scalar(Excerpt { text: "null".to_owned(), ..Excerpt::default() })
    }

    /// Whether this is an empty object or array.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Shown::Container(Excerpt { text, .. }) if text.len() == 2)
    }

    /// Length of the text in bytes.
    pub fn size(&self) -> usize {
        match self {
            Shown::Scalar(excerpt) | Shown::Container(excerpt) => excerpt.text.len(),
            _ => 0,
        }
    }
}

/// The differences of two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lines {
    /// The lines, in order.
    pub list: Vec<Line>,
    /// Number of differences that are not shown, or not to their end.
    pub left_out: u64,
    /// A digest of the lines that are not shown.
    pub(super) rest: u64,
}

/// A line of one text or of both, without its line feed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// A line of both texts.
    Same(String),
    /// A line of the first text only.
    Removed(String),
    /// A line of the second text only.
    Added(String),
    /// A number of lines of both texts that are not shown.
    Skipped(u64),
}

impl Line {
    /// Length of the text in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Line::Same(text) | Line::Removed(text) | Line::Added(text) => text.len(),
            Line::Skipped(_) => 0,
        }
    }
}

impl Lines {
    /// Memory of the lines, in bytes.
    pub fn size(&self) -> usize {
        self.list.iter().map(|line| size_of_val(line) + line.size()).sum()
    }
}
