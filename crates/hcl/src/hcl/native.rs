//! Reads the blocks of a configuration file in native syntax (`.tf`), guided by a schema.
//!
//! The scanner (`scan`) finds the blocks of the file, and hcl-edit parses one block at a
//! time. This reader turns the tree into a block with ranges. It reports what the schema does not
//! allow, with the wording of HCL's own diagnostics.

use std::collections::HashSet;

use hcl_edit::Span;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{self, BlockLabel, Body, Structure};

use super::Tally;
use super::block::{Attribute, Block, Label};
use super::diagnostic::{Diagnostic, Diagnostics, did_you_mean, suggestion};
use super::expression::tree_memory;
use super::position::{Forward, Lines, Range};
use super::scan::{Fault, Item, Items, TreeSize};
use super::schema::{self, BlockSchema, BodySchema, Rest};
use plansift_core::error::Result;
use plansift_cty::quote;

/// Reads the blocks of a file, and passes each one to `found`. Returns the fault that makes the
/// whole file invalid, if there is one.
///
/// # Errors
///
/// Fails if the tree of a block exceeds the budget, or if `found` fails.
pub(crate) fn read(
    text: &str,
    schema: &'static BodySchema,
    tally: &mut Tally<'_>,
    mut found: impl FnMut(&Block<Expression>, &mut Tally<'_>) -> Result<()>,
) -> Result<Option<Diagnostic>> {
    let mut positions = Forward::new(text);
    let mut items = Items::new(text, 0..text.len());
    let mut names = HashSet::new();
    while let Some(item) = items.next() {
        let (start, end) = match &item {
            Ok(item) => (item.start(), items.line_end(item.end())),
            Err(Fault(at)) => (*at, text.len()),
        };
        let part = text.get(start..end).unwrap_or_default();
        let first = positions.position(start);
        let fault = |summary, detail: &str| {
            Ok(Some(Diagnostic::error(summary, detail, Range::new(first, first))))
        };
        let (memory, has_small_objects) = tree_memory(part, TreeSize::of_body);
        let taken = tally.budget.take(memory, start as u64);
        match &item {
            Err(_) if taken.is_err() || !has_small_objects => {
                return fault("Invalid syntax", "The parser finds no end of what begins here.");
            }
            Ok(_) if !has_small_objects => {
                return fault("File too large", "An object has more than 10000 keys.");
            }
            Ok(Item::Attribute { name, .. })
                if !tally.diagnostics.is_full() && !names.insert(text.get(name.clone())) =>
            {
                return fault("Invalid syntax", REDEFINED);
            }
            _ => {}
        }
        taken?;
        let lines = Lines::new(part, first);
        let body = match hcl_edit::parser::parse_body(part) {
            Ok(body) => body,
            Err(error) => {
                let at = lines.position(error.location().offset());
                let detail = format!("The parser stops here: {}.", error.message());
                return Ok(Some(Diagnostic::error("Invalid syntax", detail, Range::new(at, at))));
            }
        };
        let mut reader = Reader { lines, diagnostics: tally.diagnostics };
        let blocks = reader.body(body, Some(schema), None).blocks;
        blocks.iter().try_for_each(|block| found(block, tally))?;
        tally.budget.release(memory);
    }
    Ok(None)
}

/// The message of hcl-edit about an argument that occurs twice.
const REDEFINED: &str = "The parser stops here: invalid attribute; expected unique attribute key; \
                         found redefined attribute.";

struct Reader<'a, 'd> {
    lines: Lines<'a>,
    diagnostics: &'d mut Diagnostics,
}

#[derive(Default)]
struct Content {
    attributes: Vec<Attribute<Expression>>,
    blocks: Vec<Block<Expression>>,
}

impl Reader<'_, '_> {
    fn range(&self, node: &impl Span) -> Range {
        self.lines.range(node.span().unwrap_or_default())
    }

    /// Reads a body. `schema` is `None` only inside a block whose schema the provider defines.
    /// `opening` is the range of the opening brace, or `None` for a file. The parser limits the
    /// depth of the recursion.
    fn body(
        &mut self,
        body: Body,
        schema: Option<&'static BodySchema>,
        opening: Option<Range>,
    ) -> Content {
        let mut content = Content::default();
        for structure in body {
            match structure {
                Structure::Attribute(attribute) => {
                    let attribute = self.attribute(attribute, schema);
                    content.attributes.push(attribute);
                }
                Structure::Block(block) => content.blocks.extend(self.block(block, schema)),
            }
        }
        if let (Some(schema), Some(opening)) = (schema, opening) {
            let names: HashSet<&str> = content.attributes.iter().map(|one| &*one.name).collect();
            schema.report_missing(|name| names.contains(name), opening, self.diagnostics);
        }
        content
    }

    fn attribute(
        &mut self,
        attribute: structure::Attribute,
        schema: Option<&'static BodySchema>,
    ) -> Attribute<Expression> {
        let range = self.range(&attribute);
        let name_range = self.range(&attribute.key);
        let name = attribute.key.as_str();
        let listed = schema.and_then(|schema| schema.attribute(name));
        if let (None, Some(schema)) = (listed, schema)
            && schema.rest == Rest::Refused
            && !self.diagnostics.is_full()
        {
            let hint = if schema.block(name).is_some() {
                format!(" Did you mean to define a block of type {}?", quote(name))
            } else {
                let known = schema.attributes.iter().map(|attribute| attribute.name);
                did_you_mean(suggestion(name, known))
            };
            let name = quote(name);
            let detail = format!("An argument named {name} is not expected here.{hint}");
            self.diagnostics.error("Unsupported argument", detail, name_range);
        }
        Attribute {
            name: attribute.key.as_str().into(),
            name_range,
            range,
            reading: listed.map_or(schema::Reading::Value, |listed| listed.reading),
            rest: listed.is_none() && schema.is_none_or(|schema| schema.rest == Rest::Open),
            value: attribute.value,
        }
    }

    fn block(
        &mut self,
        block: structure::Block,
        schema: Option<&'static BodySchema>,
    ) -> Option<Block<Expression>> {
        let span = block.span().unwrap_or_default();
        let kind_range = self.range(&block.ident);
        let kind = block.ident.as_str();
        let listed = schema.and_then(|schema| schema.block(kind));
        let labels: Vec<_> = block.labels.iter().map(|label| self.label(label)).collect();
        let last = labels.last().map_or(kind_range, |label| label.range);
        let definition = Range::new(kind_range.start, last.end);
        match (listed, schema) {
            (Some(listed), _) => check_labels(listed, &labels, definition, self.diagnostics)?,
            (None, Some(schema)) if schema.rest != Rest::Open => {
                report_unsupported(kind, schema, kind_range, self.diagnostics);
                return None;
            }
            _ => {}
        }
        let kind: Box<str> = kind.into();
        let opening = Range::new(last.end.plus(1), last.end.plus(1));
        let content = self.body(block.body, listed.map(|listed| listed.body), Some(opening));
        Some(Block {
            kind,
            kind_range,
            labels,
            definition,
            range: self.lines.range(span),
            attributes: content.attributes,
            blocks: content.blocks,
        })
    }

    fn label(&self, label: &BlockLabel) -> Label {
        let (text, range) = match label {
            BlockLabel::Ident(name) => (name.as_str(), self.range(name)),
            BlockLabel::String(text) => (text.as_str(), self.range(text)),
        };
        Label { text: text.into(), range }
    }
}

/// Reports missing and extra labels of a block. Returns `None` if there are any.
pub(super) fn check_labels(
    schema: &BlockSchema,
    labels: &[Label],
    head: Range,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    let (kind, count) = (schema.name, schema.labels.len());
    if let Some(missing) = schema.labels.get(labels.len()) {
        let names = schema.labels.join(", ");
        let detail = format!("All {kind} blocks must have {count} labels ({names}).");
        let summary = match *missing {
            "type" => "Missing type for block",
            "name" => "Missing name for block",
            _ => "Missing label for block",
        };
        let brace = Range::new(head.end.plus(1), head.end.plus(2));
        diagnostics.push(Diagnostic::error(summary, detail, brace).within(head));
        return None;
    }
    if let Some(extra) = labels.get(count) {
        let names = schema.labels.join(", ");
        let detail = match count {
            0 => format!("No labels are expected for {kind} blocks."),
            _ => format!("Only {count} labels ({names}) are expected for {kind} blocks."),
        };
        let error = Diagnostic::error("Extraneous label for block", detail, extra.range);
        diagnostics.push(error.within(head));
        return None;
    }
    Some(())
}

/// Reports a block of a type that the schema does not list.
pub(super) fn report_unsupported(
    kind: &str,
    schema: &BodySchema,
    range: Range,
    diagnostics: &mut Diagnostics,
) {
    if diagnostics.is_full() {
        return;
    }
    let hint = if schema.attribute(kind).is_some() {
        let name = quote(kind);
        format!(
            " Did you mean to define argument {name}? If so, use the equals sign to assign it \
             a value."
        )
    } else {
        did_you_mean(suggestion(kind, schema.blocks.iter().map(|block| block.name)))
    };
    let name = quote(kind);
    let detail = format!("Blocks of type {name} are not expected here.{hint}");
    diagnostics.error("Unsupported block type", detail, range);
}
