//! Finds the blocks of a configuration file in native syntax without building trees.
//!
//! The [scanner](super::scan) finds where each block begins and ends. Only the attributes that a
//! schema with [`Rest::Skipped`] lists are parsed.

use std::ops;
use std::rc::Rc;

use hcl_edit::expr::Expression;

use super::Tally;
use super::block::{Attribute, Block, Label};
use super::diagnostic::Diagnostic;
use super::expression::{self, tree_memory};
use super::native::{check_labels, report_unsupported};
use super::position::{Forward, Range};
use super::scan::{Fault, Item, Items};
use super::schema::{BodySchema, Rest};
use super::terraform;
use plansift_core::error::Result;

/// Finds the blocks of a file, and passes each one to `found`. Their content is what
/// [`terraform::located`] lists. Returns the fault that makes the whole file invalid, if there is
/// one.
///
/// # Errors
///
/// Fails if the tree of an attribute exceeds the budget, or if `found` fails.
pub(crate) fn locate(
    text: &str,
    schema: &'static BodySchema,
    tally: &mut Tally<'_>,
    mut found: impl FnMut(&Block<Expression>, &mut Tally<'_>) -> Result<()>,
) -> Result<Option<Diagnostic>> {
    let mut file = File { text, positions: Forward::new(text) };
    for item in Items::new(text, 0..text.len()) {
        match item {
            Ok(item @ Item::Block { .. }) => {
                let before = tally.budget.used();
                if let Some(block) = file.block(item, schema, tally)? {
                    let taken = (tally.budget.used() - before) as usize;
                    found(&block, tally)?;
                    tally.budget.release(taken);
                } else {
                    tally.budget.reset(before);
                }
            }
            Ok(Item::Attribute { .. }) => {}
            Err(Fault(at)) => {
                let at = file.positions.position(at);
                let detail = "The parser finds no end of what begins here.";
                let fault = Diagnostic::error("Invalid syntax", detail, Range::new(at, at));
                return Ok(Some(fault));
            }
        }
    }
    Ok(None)
}

/// The memory of a block inside another, without its labels' texts, in bytes. While a list of
/// blocks grows, it takes twice the memory of its blocks.
const BLOCK: usize = 2 * size_of::<Block<Expression>>() + 4 * size_of::<Label>();

/// The memory for each byte of a label, in bytes: its text, and the copies of the text in
/// addresses.
const LABEL: usize = 4;

struct File<'a> {
    text: &'a str,
    positions: Forward<'a>,
}

impl<'a> File<'a> {
    fn part(&self, range: &ops::Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// Reads a block, if the schema lists it with these labels. The schema limits the recursion.
    fn block(
        &mut self,
        item: Item,
        schema: &'static BodySchema,
        tally: &mut Tally<'_>,
    ) -> Result<Option<Block<Expression>>> {
        let end = item.end();
        let Item::Block { kind, labels: label_spans, head_end, body } = item else {
            return Ok(None);
        };
        let (name, kind_range) = (self.part(&kind), self.positions.range(kind));
        let Some(listed) = schema.block(name) else {
            if schema.rest != Rest::Skipped {
                report_unsupported(name, schema, kind_range, tally.diagnostics);
            }
            return Ok(None);
        };
        // The receiver of the block joins its labels to an address.
        let texts = label_spans.iter().map(|span| LABEL * span.len());
        tally.budget.take(texts.sum::<usize>(), kind_range.start.byte.into())?;
        let mut labels = Vec::with_capacity(label_spans.len());
        for span in label_spans {
            labels.push(Label {
                text: label(self.part(&span), tally)?,
                range: self.positions.range(span),
            });
        }
        let definition = Range::new(kind_range.start, self.positions.position(head_end));
        if check_labels(listed, &labels, definition, tally.diagnostics).is_none() {
            return Ok(None);
        }
        let mut block = Block {
            kind: name.into(),
            kind_range,
            labels,
            definition,
            range: definition,
            attributes: Vec::new(),
            blocks: Vec::new(),
        };
        if let Some(content) = terraform::located(name) {
            self.content(body, content, &mut block, tally)?;
        }
        block.range.end = self.positions.position(end);
        Ok(Some(block))
    }

    /// Reads the attributes and blocks of a body that the schema lists.
    fn content(
        &mut self,
        body: ops::Range<usize>,
        schema: &'static BodySchema,
        block: &mut Block<Expression>,
        tally: &mut Tally<'_>,
    ) -> Result<()> {
        // A fault in the body is a fault for the tools, but the block ends at the brace that closes
        // it.
        for item in Items::new(self.text, body).map_while(std::result::Result::ok) {
            match item {
                Item::Block { .. } => {
                    let before = tally.budget.used();
                    match self.block(item, schema, tally)? {
                        Some(inner) => {
                            tally.budget.take(BLOCK, inner.range.start.byte.into())?;
                            block.blocks.push(inner);
                        }
                        None => tally.budget.reset(before),
                    }
                }
                Item::Attribute { name, value } => {
                    let Some(listed) = schema.attribute(self.part(&name)) else { continue };
                    // A repeated attribute is an error for the tools. The first one counts.
                    if block.attributes.iter().any(|earlier| *earlier.name == *listed.name) {
                        continue;
                    }
                    let (source, end) = (self.part(&value), value.end);
                    let before = tally.budget.used();
                    let Some(value) = expression(source, tally)? else {
                        tally.budget.reset(before);
                        continue;
                    };
                    let name_range = self.positions.range(name);
                    let end = self.positions.position(end);
                    block.attributes.push(Attribute {
                        name: listed.name.into(),
                        name_range,
                        range: Range::new(name_range.start, end),
                        reading: listed.reading,
                        rest: false,
                        value,
                    });
                }
            }
        }
        Ok(())
    }
}

/// Returns the text of a label: a word, or a quoted string without templates.
fn label(source: &str, tally: &mut Tally<'_>) -> Result<Rc<str>> {
    let inner = source.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_plain = |text: &&str| !text.contains(['\\', '$', '%']);
    if let Some(text) = inner.or(Some(source)).filter(is_plain) {
        return Ok(text.into());
    }
    let before = tally.budget.used();
    let parsed = expression(source, tally)?;
    tally.budget.reset(before);
    Ok(parsed.as_ref().and_then(Expression::as_str).unwrap_or(source).into())
}

/// Parses an expression. The memory of its tree stays taken from the budget.
fn expression(source: &str, tally: &mut Tally<'_>) -> Result<Option<Expression>> {
    let (memory, _) = tree_memory(source, |_| None);
    tally.budget.take(memory, 0)?;
    Ok(expression::parse(source))
}
