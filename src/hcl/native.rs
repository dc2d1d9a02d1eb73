//! Reads the blocks of a configuration file in native syntax (`.tf`), guided by a schema.
//!
//! hcl-edit parses the file. This reader turns its tree into blocks with ranges. It reports what
//! the schema does not allow, with the wording of HCL's own diagnostics.

use std::collections::HashSet;

use hcl_edit::Span;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{self, BlockLabel, Body, Structure};

use super::block::{Attribute, Block, Label};
use super::diagnostic::{Diagnostic, Diagnostics, did_you_mean, quoted, suggestion};
use super::position::{Lines, Range};
use super::schema::{BlockSchema, BodySchema, Reading, Rest};

/// Reads the blocks of a file. A file that cannot be parsed yields a diagnostic and no blocks.
pub fn read(
    text: &str,
    schema: &'static BodySchema,
    diagnostics: &mut Diagnostics,
) -> Vec<Block<Expression>> {
    let lines = Lines::new(text);
    match hcl_edit::parser::parse_body(text) {
        Ok(body) => {
            let mut reader = Reader { lines, diagnostics };
            reader.body(body, Some(schema), None).blocks
        }
        Err(error) => {
            let at = lines.position(error.location().offset());
            let detail = format!("The parser stops here: {}.", error.message());
            diagnostics.error("Invalid syntax", detail, Range::new(at, at));
            Vec::new()
        }
    }
}

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
        {
            let hint = if schema.block(name).is_some() {
                format!(" Did you mean to define a block of type {}?", quoted(name))
            } else {
                let known = schema.attributes.iter().map(|attribute| attribute.name);
                did_you_mean(suggestion(name, known))
            };
            let name = quoted(name);
            let detail = format!("An argument named {name} is not expected here.{hint}");
            self.diagnostics.error("Unsupported argument", detail, name_range);
        }
        Attribute {
            name: attribute.key.as_str().into(),
            name_range,
            range,
            reading: listed.map_or(Reading::Value, |listed| listed.reading),
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
            (Some(listed), _) => self.labels(listed, &labels, definition)?,
            (None, Some(schema)) if schema.rest != Rest::Open => {
                self.unsupported_block(kind, schema, kind_range);
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

    fn labels(&mut self, schema: &BlockSchema, labels: &[Label], head: Range) -> Option<()> {
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
            self.diagnostics.push(Diagnostic::error(summary, detail, brace).within(head));
            return None;
        }
        if let Some(extra) = labels.get(count) {
            let names = schema.labels.join(", ");
            let detail = match count {
                0 => format!("No labels are expected for {kind} blocks."),
                _ => format!("Only {count} labels ({names}) are expected for {kind} blocks."),
            };
            let error = Diagnostic::error("Extraneous label for block", detail, extra.range);
            self.diagnostics.push(error.within(head));
            return None;
        }
        Some(())
    }

    fn unsupported_block(&mut self, kind: &str, schema: &BodySchema, range: Range) {
        let hint = if schema.attribute(kind).is_some() {
            let name = quoted(kind);
            format!(
                " Did you mean to define argument {name}? If so, use the equals sign to assign it \
                 a value."
            )
        } else {
            did_you_mean(suggestion(kind, schema.blocks.iter().map(|block| block.name)))
        };
        let name = quoted(kind);
        let detail = format!("Blocks of type {name} are not expected here.{hint}");
        self.diagnostics.error("Unsupported block type", detail, range);
    }
}
