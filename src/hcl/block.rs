//! Blocks and attributes with their places, in either syntax. `E` is the syntax's expression.

use super::position::Range;
use super::schema::Reading;

/// A label of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text.
    pub text: Box<str>,
    /// Its place.
    pub range: Range,
}

/// An attribute of a block.
#[derive(Debug)]
pub struct Attribute<E> {
    /// Its name.
    pub name: Box<str>,
    /// The name's place.
    pub name_range: Range,
    /// The place of the name and the value.
    pub range: Range,
    /// How the value is read.
    pub reading: Reading,
    /// True if the schema of the block does not list it.
    pub rest: bool,
    /// The value.
    pub value: E,
}

/// A block.
#[derive(Debug)]
pub struct Block<E> {
    /// Its type, such as `resource`.
    pub kind: Box<str>,
    /// The type's place.
    pub kind_range: Range,
    /// Its labels.
    pub labels: Vec<Label>,
    /// The place that stands for the block: the opening bracket of its body in JSON, and its head
    /// in the native syntax.
    pub definition: Range,
    /// The whole block, with its body.
    pub range: Range,
    /// The attributes, in document order.
    pub attributes: Vec<Attribute<E>>,
    /// The blocks inside, in document order.
    pub blocks: Vec<Block<E>>,
}
