//! JSON configuration files. A document keeps the range of every value, and keeps duplicate names.
//!
//! A document is a list of its values in document order. An object or array is followed by the
//! values inside it, and stores the index of their end, so that no reader needs to recurse.

mod kept;
mod parse;
mod text;
mod token;

use std::iter;

pub(crate) use self::kept::Kept;
use crate::hcl::diagnostic::Diagnostics;
use crate::hcl::position::{Position, Range};
use plansift_core::budget::Budget;
use plansift_core::error::Result;
use plansift_core::limits::{Limit, Limits};

/// The deepest nesting of objects and arrays in a file.
pub const DEPTH_MAX: usize = 10_000;

/// A property's name, and the range of its string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text without escapes.
    pub text: Box<str>,
    /// The range of the string with its quotes.
    pub range: Range,
}

/// The kind of a value, and the text of a string or number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is written.
    Number(Box<str>),
    /// A string without escapes.
    String(Box<str>),
    /// An array.
    Array,
    /// An object.
    Object,
    /// A value that cannot be read.
    Invalid,
}

impl Kind {
    /// Returns the text of a string or number; empty for other values.
    pub(crate) fn text(&self) -> &str {
        match self {
            Kind::Number(text) | Kind::String(text) => text,
            _ => "",
        }
    }
}

/// A value of a document.
#[derive(Clone, Debug)]
pub struct Node {
    /// The kind of the value.
    pub kind: Kind,
    /// The range of the value, without its name.
    pub range: Range,
    /// The name, if the value is a property of an object.
    pub name: Option<Box<Name>>,
    /// The index after the last value inside this one.
    end: u32,
}

impl Node {
    /// Returns the range of the value in messages: the opening bracket of an object or array, or
    /// the whole scalar.
    pub fn start(&self) -> Range {
        match self.kind {
            Kind::Object | Kind::Array => self.range.opening(),
            _ => self.range,
        }
    }

    /// Returns the range of a property with its name, or of an element.
    pub fn property(&self) -> Range {
        Range::new(self.name_range().start, self.range.end)
    }

    /// Returns the range of the name, or of an element.
    pub fn name_range(&self) -> Range {
        self.name.as_ref().map_or(self.range, |name| name.range)
    }

    /// Returns the name; empty for an element.
    pub fn name(&self) -> &str {
        self.name.as_ref().map_or("", |name| &name.text)
    }
}

/// The index of a value in its document.
pub type Index = usize;

/// A document of JSON.
#[derive(Debug, Default)]
pub struct Document {
    nodes: Vec<Node>,
}

impl Document {
    /// Parses a document. Faults become diagnostics, and the values around a fault stay usable.
    ///
    /// # Errors
    ///
    /// Fails if the document exceeds the default limit on the memory for a configuration.
    pub fn parse(text: &[u8]) -> Result<(Document, Diagnostics)> {
        let mut budget = Budget::new(Limit::Configuration, Limits::default().configuration);
        Document::parse_at(text, Position::START, Kept::All, &mut budget)
    }

    /// Parses the value at a position of a text. Keeps a part of the values inside it.
    ///
    /// # Errors
    ///
    /// Fails if the kept values exceed the budget.
    pub(crate) fn parse_at(
        text: &[u8],
        start: Position,
        kept: Kept,
        budget: &mut Budget,
    ) -> Result<(Document, Diagnostics)> {
        parse::parse(text, start, kept, budget)
    }

    /// The index of the outermost value.
    pub const ROOT: Index = 0;

    /// Returns the value at an index.
    pub fn get(&self, index: Index) -> Option<&Node> {
        self.nodes.get(index)
    }

    /// Returns the properties of an object or the elements of an array, in order.
    pub fn inside(&self, index: Index) -> impl Iterator<Item = (Index, &Node)> {
        let end = self.end(index);
        let mut next = index + 1;
        iter::from_fn(move || {
            let index = next;
            let node = self.nodes.get(index).filter(|_| index < end)?;
            next = node.end as usize;
            Some((index, node))
        })
    }

    /// Returns a value and all values inside it, in document order.
    pub fn below(&self, index: Index) -> impl Iterator<Item = (Index, &Node)> {
        (index..self.end(index)).filter_map(|index| Some((index, self.nodes.get(index)?)))
    }

    /// Returns the index after the last value inside a value.
    pub fn end(&self, index: Index) -> Index {
        self.nodes.get(index).map_or(index, |node| node.end as usize)
    }
}
