//! What a body can contain: a schema of attributes and blocks.

use super::diagnostic::{Diagnostics, quoted};
use super::position::Range;

/// How an attribute is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// An expression.
    Value,
    /// A literal value. Its strings are no templates.
    Literal,
    /// A reference, such as `aws.west`.
    Reference,
    /// A list of references.
    References,
    /// A list of attribute paths, or the word `all`.
    Paths,
    /// A word.
    Keyword,
    /// A list of words.
    Keywords,
    /// An expression of the native syntax in a string.
    Expression,
    /// A list of expressions of the native syntax in strings.
    Expressions,
    /// A type constraint.
    Type,
    /// An object of references, each of which has a reference as its name.
    Providers,
}

/// An attribute of a body.
#[derive(Debug)]
pub struct AttributeSchema {
    /// Its name.
    pub name: &'static str,
    /// True if the body must have it.
    pub required: bool,
    /// How it is read.
    pub reading: Reading,
}

/// A block of a body.
#[derive(Debug)]
pub struct BlockSchema {
    /// Its type.
    pub name: &'static str,
    /// What its labels stand for.
    pub labels: &'static [&'static str],
    /// Its body.
    pub body: &'static BodySchema,
}

/// What a body makes of a property that its schema does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// An error.
    Refused,
    /// An attribute or a block that a provider knows; it is read as an attribute.
    Open,
    /// An attribute. The schema lists nothing, and no other property has a meaning.
    Attributes,
}

/// The attributes and blocks of a body.
#[derive(Debug)]
pub struct BodySchema {
    /// The attributes, in the order in which missing ones are reported.
    pub attributes: &'static [AttributeSchema],
    /// The blocks.
    pub blocks: &'static [BlockSchema],
    /// What else a body can contain.
    pub rest: Rest,
}

impl BodySchema {
    /// The attribute of a name.
    pub fn attribute(&self, name: &str) -> Option<&'static AttributeSchema> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The block of a type.
    pub fn block(&self, name: &str) -> Option<&'static BlockSchema> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// Reports required attributes that a body does not have. `place` stands for the body.
    pub fn report_missing(
        &self,
        is_set: impl Fn(&str) -> bool,
        place: Range,
        diagnostics: &mut Diagnostics,
    ) {
        for attribute in self.attributes.iter().filter(|one| one.required && !is_set(one.name)) {
            let name = quoted(attribute.name);
            let detail = format!("The argument {name} is required, but no definition was found.");
            diagnostics.error("Missing required argument", detail, place);
        }
    }
}
