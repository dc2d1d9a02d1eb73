//! A lazy view of the expressions and nested blocks of a resource, module call or provider.
//!
//! Plan JSON does not mark an object as an expression or a block. An array is a list of blocks. An
//! object whose only members are `constant_value` and `references` is an expression. Any other
//! object is a block, or a map of blocks by label.

use crate::error::Result;
use crate::json::value::{Elements, Kind, Members, Text, Value};
use crate::path::push_key;

/// A member of a block: the expression of an attribute, or nested blocks.
#[derive(Clone, Copy, Debug)]
pub enum BlockMember<'a> {
    /// The expression of an attribute.
    Expression(Expression<'a>),
    /// A block, or an object with a block for each label.
    Block(Value<'a>),
    /// A list of blocks.
    Blocks(Value<'a>),
}

/// An expression.
#[derive(Clone, Copy, Debug)]
pub enum Expression<'a> {
    /// A constant. From a `.tf.json` file, a string with a template but no references is a constant
    /// too.
    Constant(Value<'a>),
    /// References to other elements: a non-empty array of strings.
    References(Value<'a>),
    /// An expression with neither a constant nor references, such as a call of a function.
    Unknown,
}

impl<'a> BlockMember<'a> {
    /// Classifies a member of a block.
    ///
    /// # Errors
    ///
    /// Fails if the value is invalid.
    pub fn of(value: Value<'a>) -> Result<BlockMember<'a>> {
        match value.kind()? {
            Kind::Array => Ok(BlockMember::Blocks(value)),
            Kind::Object => Ok(match Expression::of(value)? {
                Some(expression) => BlockMember::Expression(expression),
                None => BlockMember::Block(value),
            }),
            // No tool writes a scalar here.
            _ => Ok(BlockMember::Expression(Expression::Unknown)),
        }
    }
}

impl<'a> Expression<'a> {
    /// Parses an expression; `None` if the value is not an expression.
    ///
    /// # Errors
    ///
    /// Fails if the value is invalid.
    pub fn of(value: Value<'a>) -> Result<Option<Expression<'a>>> {
        let mut expression = Expression::Unknown;
        if value.kind()? != Kind::Object {
            return Ok(None);
        }
        for member in value.members()? {
            let (key, value) = member?;
            if key.is("references") {
                match are_references(value)? {
                    Some(true) => expression = Expression::References(value),
                    Some(false) => {}
                    None => return Ok(None),
                }
            } else if key.is("constant_value") {
                if !matches!(expression, Expression::References(_)) {
                    expression = Expression::Constant(value);
                }
            } else {
                return Ok(None);
            }
        }
        Ok(Some(expression))
    }

    /// Calls `each` with the references of the expression.
    ///
    /// # Errors
    ///
    /// Fails if the value is invalid, or if `each` fails.
    pub fn each_reference(self, mut each: impl FnMut(Text<'a>) -> Result<()>) -> Result<()> {
        let Expression::References(list) = self else { return Ok(()) };
        list.elements()?.try_for_each(|reference| each(reference?.string()?))
    }
}

/// Whether a list of references has elements; `None` if the value is neither a list of strings nor
/// `null`.
fn are_references(value: Value<'_>) -> Result<Option<bool>> {
    match value.kind()? {
        Kind::Null => return Ok(Some(false)),
        Kind::Array => {}
        _ => return Ok(None),
    }
    let mut is_filled = false;
    for reference in value.elements()? {
        if reference?.kind()? != Kind::String {
            return Ok(None);
        }
        is_filled = true;
    }
    Ok(Some(is_filled))
}

/// An entered block or list of blocks.
struct Open<'a> {
    inside: Inside<'a>,
    /// The length of the path that leads to the block or list.
    path_len: usize,
}

enum Inside<'a> {
    Block(Members<'a>),
    Blocks(Elements<'a>, u64),
}

/// Calls `each` with the path and the value of every expression in a block, in document order. Each
/// path starts with the initial content of `path`.
///
/// A member `constant_value` of a nested block is skipped: in a newer format it may be the constant
/// of an expression that has other members too.
///
/// # Errors
///
/// Fails if the block is invalid, or if `each` fails.
pub fn each_expression<'a>(
    block: Value<'a>,
    path: &mut String,
    mut each: impl FnMut(&str, Expression<'a>) -> Result<()>,
) -> Result<()> {
    if block.kind()? != Kind::Object {
        return Ok(());
    }
    let mut open = vec![Open { inside: Inside::Block(block.members()?), path_len: path.len() }];
    loop {
        let is_nested = open.len() > 1;
        let Some(last) = open.last_mut() else { return Ok(()) };
        path.truncate(last.path_len);
        let part = match &mut last.inside {
            Inside::Block(members) => match members.next().transpose()? {
                Some((key, _)) if is_nested && key.is("constant_value") => continue,
                Some((key, value)) => {
                    push_key(path, &key.decode()?);
                    Some(BlockMember::of(value)?)
                }
                None => None,
            },
            Inside::Blocks(elements, index) => match elements.next().transpose()? {
                Some(value) => {
                    path.push_str(&format!("[{index}]"));
                    *index += 1;
                    match value.kind()? {
                        Kind::Object => Some(BlockMember::Block(value)),
                        _ => continue,
                    }
                }
                None => None,
            },
        };
        let inside = match part {
            None => {
                open.pop();
                continue;
            }
            Some(BlockMember::Expression(expression)) => {
                each(path, expression)?;
                continue;
            }
            Some(BlockMember::Block(block)) => Inside::Block(block.members()?),
            Some(BlockMember::Blocks(list)) => Inside::Blocks(list.elements()?, 0),
        };
        open.push(Open { inside, path_len: path.len() });
    }
}
