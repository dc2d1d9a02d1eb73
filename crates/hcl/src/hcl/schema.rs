//! Schemas of bodies: the attributes and blocks that a body can contain.

use super::diagnostic::Diagnostics;
use super::position::Range;
use plansift_cty::quote;

/// How an attribute is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// An expression.
    Value,
    /// A literal value. Its strings are not templates.
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
    /// An object whose property names and values are references.
    Providers,
}

/// An attribute of a body.
#[derive(Debug)]
pub struct AttributeSchema {
    /// The name of the attribute.
    pub name: &'static str,
    /// True if the body must have the attribute.
    pub required: bool,
    /// How the attribute is read.
    pub reading: Reading,
}

/// A block of a body.
#[derive(Debug)]
pub struct BlockSchema {
    /// The block type.
    pub name: &'static str,
    /// The meaning of each label, such as `name`.
    pub labels: &'static [&'static str],
    /// The schema of the body.
    pub body: &'static BodySchema,
}

/// How a body treats a property that its schema does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The property is an error.
    Refused,
    /// The property is an attribute or a block that the provider defines, and is read as an
    /// attribute.
    Open,
    /// The property is an attribute. Such a schema lists no attributes and no blocks.
    Attributes,
    /// The property is skipped.
    Skipped,
}

/// The attributes and blocks of a body.
#[derive(Debug)]
pub struct BodySchema {
    /// The attributes, in the order in which missing attributes are reported.
    pub attributes: &'static [AttributeSchema],
    /// The blocks.
    pub blocks: &'static [BlockSchema],
    /// How the body treats other properties.
    pub rest: Rest,
}

impl BodySchema {
    /// Returns the attribute with a name.
    pub fn attribute(&self, name: &str) -> Option<&'static AttributeSchema> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Returns the block with a type.
    pub fn block(&self, name: &str) -> Option<&'static BlockSchema> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// Reports required attributes that are missing in a body. `place` is the range to report.
    pub fn report_missing(
        &self,
        is_set: impl Fn(&str) -> bool,
        place: Range,
        diagnostics: &mut Diagnostics,
    ) {
        for attribute in self.attributes.iter().filter(|one| one.required && !is_set(one.name)) {
            let name = quote(attribute.name);
            let detail = format!("The argument {name} is required, but no definition was found.");
            diagnostics.error("Missing required argument", detail, place);
        }
    }
}
