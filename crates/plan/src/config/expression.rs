//! A lazy view of the expressions and nested blocks of a resource, module call or provider.
//!
//! Plan JSON does not mark an object as an expression or a block. An array is a list of blocks. An
//! object whose only members are `constant_value` and `references` is an expression. Any other
//! object is a block, or a map of blocks by label.

use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Text, Value, WalkEvent};
use plansift_core::path::push_key;

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
    // The lengths of the paths to the entered blocks and lists.
    let mut lens = Vec::new();
    let (mut walk, mut is_member) = (block.walk(), false);
    while let Some(event) = walk.next().transpose()? {
        let len = lens.last().copied().unwrap_or(path.len());
        match event {
            WalkEvent::Key(key) if lens.len() > 1 && key.is("constant_value") => walk.skip_value(),
            WalkEvent::Key(key) => {
                path.truncate(len);
                push_key(path, &key.decode()?);
                is_member = true;
            }
            WalkEvent::Index(index) => {
                path.truncate(len);
                path.push_str(&format!("[{index}]"));
                is_member = false;
            }
            WalkEvent::Open(_, value) | WalkEvent::Leaf(_, value) if is_member => {
                match BlockMember::of(value)? {
                    BlockMember::Expression(expression) => {
                        each(path, expression)?;
                        walk.skip_value();
                    }
                    BlockMember::Block(_) | BlockMember::Blocks(_) => lens.push(path.len()),
                }
            }
            // The block itself, or an element of a list of blocks.
            WalkEvent::Open(Kind::Object, _) => lens.push(path.len()),
            WalkEvent::Open(..) | WalkEvent::Leaf(..) => walk.skip_value(),
            WalkEvent::Close(_) => {
                path.truncate(len);
                lens.pop();
            }
        }
    }
    Ok(())
}
