//! Blocks and attributes with their ranges, in JSON or native syntax. `E` is the type of an
//! expression in that syntax.

use std::rc::Rc;

use super::position::Range;
use super::schema::Reading;

/// A label of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text of the label. In JSON, many blocks can share a label.
    pub text: Rc<str>,
    /// The range of the label.
    pub range: Range,
}

/// An attribute of a block.
#[derive(Debug)]
pub struct Attribute<E> {
    /// The name of the attribute.
    pub name: Box<str>,
    /// The range of the name.
    pub name_range: Range,
    /// The range of the name and the value.
    pub range: Range,
    /// How the value is read.
    pub reading: Reading,
    /// True if the schema of the block does not list the attribute.
    pub rest: bool,
    /// The value.
    pub value: E,
}

/// A block.
#[derive(Debug)]
pub struct Block<E> {
    /// The block type, such as `resource`.
    pub kind: Box<str>,
    /// The range of the block type.
    pub kind_range: Range,
    /// The labels, in order.
    pub labels: Vec<Label>,
    /// The range that messages show for the block: the opening bracket of its body in JSON, or its
    /// type and labels in native syntax.
    pub definition: Range,
    /// The range of the whole block, with its body.
    pub range: Range,
    /// The attributes, in document order.
    pub attributes: Vec<Attribute<E>>,
    /// The blocks inside, in document order.
    pub blocks: Vec<Block<E>>,
}
