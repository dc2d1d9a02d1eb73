//! Reads the blocks of a JSON document by a schema, as HCL does.
//!
//! A body is an object or an array of objects. Each label of a block is one level of objects or
//! arrays of objects. Properties with equal names are not merged: a repeated block is another
//! block, and a repeated argument is an error.

use std::collections::HashMap;

use super::Tally;
use super::block::{Attribute, Block, Label};
use super::diagnostic::{Diagnostic, Diagnostics, did_you_mean, suggestion};
use super::json::{Document, Index, Kind, Node};
use super::position::Range;
use super::schema::{AttributeSchema, BlockSchema, BodySchema, Reading, Rest};
use plansift_core::budget::Budget;
use plansift_core::error::{Error, Result};
use plansift_core::limits::Limit;
use plansift_cty::quote;

/// Reads the blocks of a document.
pub fn read(
    document: &Document,
    schema: &'static BodySchema,
    file: &str,
    diagnostics: &mut Diagnostics,
) -> Vec<Block<Index>> {
    let mut budget = Budget::new(Limit::Configuration, u64::MAX);
    let tally = &mut Tally { budget: &mut budget, diagnostics };
    let headers = headers(document, schema, file, tally).unwrap_or_default();
    let blocks = headers.into_iter().map(|header| read_body(document, header, file, tally));
    blocks.filter_map(Result::ok).collect()
}

/// Reads the blocks of a document without what is inside them.
///
/// # Errors
///
/// Fails if the blocks exceed the budget.
pub(crate) fn headers(
    document: &Document,
    schema: &'static BodySchema,
    file: &str,
    tally: &mut Tally<'_>,
) -> Result<Vec<Header>> {
    let root = document.get(Document::ROOT).filter(|root| match root.kind {
        Kind::Object | Kind::Array => true,
        _ => {
            let detail = "The root value in a JSON-based configuration must be either a JSON \
                          object or a JSON array of objects.";
            tally.diagnostics.error("Root value must be object", detail, root.range);
            false
        }
    });
    if root.is_none() {
        return Ok(Vec::new());
    }
    let mut reader = Reader::new(document, file, tally);
    let headers = reader.read_listed(Document::ROOT, schema, &mut Content::default());
    reader.failed.map_or(Ok(headers), Err)
}

/// Reads what is inside a block, from a document that contains its body.
///
/// # Errors
///
/// Fails if the attributes and blocks exceed the budget.
pub(crate) fn read_body(
    document: &Document,
    header: Header,
    file: &str,
    tally: &mut Tally<'_>,
) -> Result<Block<Index>> {
    let mut reader = Reader::new(document, file, tally);
    let block = reader.block(header);
    reader.failed.map_or(Ok(block), Err)
}

#[derive(Default)]
struct Content {
    attributes: Vec<Attribute<Index>>,
    blocks: Vec<Block<Index>>,
}

struct Reader<'a> {
    document: &'a Document,
    file: &'a str,
    diagnostics: &'a mut Diagnostics,
    budget: &'a mut Budget,
    /// The error after which nothing more is read.
    failed: Option<Error>,
}

/// The memory of a block without what is inside it, in bytes.
const BLOCK: usize = 2 * size_of::<Header>() + 4 * size_of::<Label>();

/// The memory of an attribute without its value, in bytes, and of its entry in an index.
const ATTRIBUTE: usize = 2 * size_of::<Attribute<Index>>() + 100;

const WRONG_TYPE: &str = "Incorrect JSON value type";

impl<'a> Reader<'a> {
    fn new(document: &'a Document, file: &'a str, tally: &'a mut Tally<'_>) -> Reader<'a> {
        let Tally { budget, diagnostics } = tally;
        Reader { document, file, diagnostics, budget, failed: None }
    }

    /// Takes memory for something that begins at a range. Returns false if the budget is exceeded.
    fn admit(&mut self, memory: usize, range: Range) -> bool {
        if self.failed.is_none() {
            self.failed = self.budget.take(memory, range.start.byte.into()).err();
        }
        self.failed.is_none()
    }

    /// Reads a body. The schema limits the recursion, because no block of it contains itself.
    fn content(&mut self, body: Index, schema: &'static BodySchema) -> Content {
        let mut content = Content::default();
        if schema.rest != Rest::Attributes {
            let headers = self.read_listed(body, schema, &mut content);
            content.blocks = headers.into_iter().map(|header| self.block(header)).collect();
        }
        if matches!(schema.rest, Rest::Open | Rest::Attributes) {
            self.read_rest(body, schema, &mut content);
        }
        content.attributes.sort_by_key(|attribute| attribute.name_range.start.byte);
        content
    }

    fn block(&mut self, header: Header) -> Block<Index> {
        let Header { body, schema, mut block } = header;
        let inside = self.content(body, schema);
        (block.attributes, block.blocks) = (inside.attributes, inside.blocks);
        block
    }

    /// Reads the attributes that the schema lists, and returns the blocks that it lists. A closed
    /// schema reports all other properties.
    fn read_listed(
        &mut self,
        body: Index,
        schema: &'static BodySchema,
        content: &mut Content,
    ) -> Vec<Header> {
        let properties = self.properties(body, None);
        let mut set: HashMap<&str, Range> = HashMap::new();
        let mut headers = Vec::new();
        for (index, node) in &properties {
            let name = node.name();
            if let Some(attribute) = schema.attribute(name) {
                if let Some(existing) = set.get(name) {
                    let error = self.duplicate("Duplicate argument", node, *existing);
                    self.diagnostics.push(error.within(node.name_range()));
                } else if self.admit(ATTRIBUTE + name.len(), node.range) {
                    set.insert(name, node.property());
                    content.attributes.push(attribute_of(*index, node, Some(attribute)));
                }
            } else if let Some(block) = schema.block(name) {
                self.collect_headers(*index, node, block, &mut headers);
            }
        }
        if let Some(node) = self.document.get(body) {
            let place = match node.kind {
                Kind::Object => node.range.closing(),
                _ => node.start(),
            };
            schema.report_missing(|name| set.contains_key(name), place, self.diagnostics);
        }
        if schema.rest == Rest::Refused {
            self.report_extraneous(body, schema, &set);
        }
        headers
    }

    /// Reports properties that a closed schema does not list.
    fn report_extraneous(&mut self, body: Index, schema: &BodySchema, set: &HashMap<&str, Range>) {
        let unset = schema.attributes.iter().map(|attribute| attribute.name);
        let unset = unset.filter(|name| !set.contains_key(name));
        let known: Vec<_> = unset.chain(schema.blocks.iter().map(|block| block.name)).collect();
        for (_, node) in self.properties(body, None) {
            let name = node.name();
            let listed = schema.attribute(name).is_some() || schema.block(name).is_some();
            if listed || name == "//" || self.diagnostics.is_full() {
                continue;
            }
            let close = suggestion(name, known.iter().copied());
            let name = quote(name);
            let detail =
                format!("No argument or block type is named {name}.{}", did_you_mean(close));
            let range = node.name_range();
            let error = Diagnostic::error("Extraneous JSON object property", detail, range);
            self.diagnostics.push(error.within(range));
        }
    }

    /// Returns the error for a property that was already set.
    fn duplicate(&self, summary: &'static str, node: &Node, existing: Range) -> Diagnostic {
        let name = quote(node.name());
        let place = existing.shown();
        let detail = format!("The argument {name} was already set at {}:{place}.", self.file);
        Diagnostic::error(summary, detail, node.name_range())
    }

    /// Reads the properties that the schema does not list as attributes.
    fn read_rest(&mut self, body: Index, schema: &BodySchema, content: &mut Content) {
        let Some(node) = self.document.get(body) else {
            return;
        };
        if node.kind != Kind::Object {
            let detail = "A JSON object is required here, setting the arguments for this block.";
            self.diagnostics.error(WRONG_TYPE, detail, node.start());
            return;
        }
        let mut set: HashMap<&str, Range> = HashMap::new();
        for (index, node) in self.document.inside(body) {
            let name = node.name();
            if name == "//" || schema.attribute(name).is_some() || schema.block(name).is_some() {
                continue;
            }
            if let Some(existing) = set.get(name) {
                let error = self.duplicate("Duplicate attribute definition", node, *existing);
                self.diagnostics.push(error);
                continue;
            }
            if !self.admit(ATTRIBUTE + name.len(), node.range) {
                return;
            }
            set.insert(name, node.property());
            let mut attribute = attribute_of(index, node, None);
            attribute.rest = schema.rest == Rest::Open;
            content.attributes.push(attribute);
        }
    }

    /// Returns the properties of an object, or of all objects in an array, in order. If the
    /// property names are labels of a block, `label` names their meaning for messages.
    fn properties(&mut self, index: Index, label: Option<&str>) -> Vec<(Index, &'a Node)> {
        let document = self.document;
        let Some(node) = document.get(index) else {
            return Vec::new();
        };
        match node.kind {
            Kind::Null => Vec::new(),
            Kind::Object => document.inside(index).collect(),
            Kind::Array => {
                let mut all = Vec::new();
                for (index, element) in document.inside(index) {
                    if element.kind == Kind::Object {
                        all.extend(document.inside(index));
                        continue;
                    }
                    let purpose = purpose(label);
                    let detail = format!("A JSON object is required here, {purpose}.");
                    self.diagnostics.error(WRONG_TYPE, detail, element.start());
                }
                all
            }
            _ => {
                let purpose = purpose(label);
                let either = "Either a JSON object or JSON array of objects is required here,";
                self.diagnostics.error(WRONG_TYPE, format!("{either} {purpose}."), node.start());
                Vec::new()
            }
        }
    }

    /// Collects the blocks of a property. Each label of the blocks is one level of objects.
    fn collect_headers(
        &mut self,
        index: Index,
        node: &'a Node,
        schema: &'static BlockSchema,
        headers: &mut Vec<Header>,
    ) {
        let kind_range = node.name_range();
        let mut left = vec![(index, node, Vec::new())];
        while let Some((index, node, labels)) = left.pop() {
            let Some(purpose) = schema.labels.get(labels.len()) else {
                self.push_headers(index, node, schema, kind_range, labels, headers);
                continue;
            };
            let properties = self.properties(index, Some(purpose));
            if properties.is_empty() {
                let detail = format!(
                    "At least one object property is required, whose name represents the {} \
                     block's {purpose}.",
                    schema.name
                );
                self.diagnostics.error("Missing block label", detail, node.start());
            }
            for (index, node) in properties.into_iter().rev() {
                if !self.admit(BLOCK + node.name().len(), node.range) {
                    return;
                }
                let mut labels = labels.clone();
                let range = node.name_range();
                labels.push(Label { text: node.name().into(), range });
                left.push((index, node, labels));
            }
        }
    }

    /// Adds a block for an object, or for each element of an array.
    fn push_headers(
        &mut self,
        index: Index,
        node: &Node,
        schema: &'static BlockSchema,
        kind_range: Range,
        labels: Vec<Label>,
        headers: &mut Vec<Header>,
    ) {
        let header = |body, range, labels| Header {
            body,
            schema: schema.body,
            block: Block {
                kind: schema.name.into(),
                kind_range,
                labels,
                definition: node.range.opening(),
                range,
                attributes: Vec::new(),
                blocks: Vec::new(),
            },
        };
        match node.kind {
            Kind::Null => {}
            // The memory of a block with labels was taken for its last label.
            Kind::Object if !labels.is_empty() || self.admit(BLOCK, node.range) => {
                headers.push(header(index, node.range, labels));
            }
            Kind::Object => {}
            Kind::Array => {
                let elements = self.document.inside(index);
                for (index, element) in elements {
                    if !self.admit(BLOCK, element.range) {
                        return;
                    }
                    headers.push(header(index, element.range, labels.clone()));
                }
            }
            _ => {
                let name = quote(schema.name);
                let detail = format!(
                    "Either a JSON object or a JSON array is required, representing the contents \
                     of one or more {name} blocks."
                );
                self.diagnostics.error(WRONG_TYPE, detail, node.start());
            }
        }
    }
}

/// A block whose body is not read yet.
pub(crate) struct Header {
    /// The body.
    pub body: Index,
    /// The schema of the body.
    pub schema: &'static BodySchema,
    /// The block, without what is inside its body.
    pub block: Block<Index>,
}

fn purpose(label: Option<&str>) -> String {
    label.map_or_else(
        || String::from("to define arguments and child blocks"),
        |label| format!("to specify {label} labels for this block"),
    )
}

fn attribute_of(
    index: Index,
    node: &Node,
    schema: Option<&'static AttributeSchema>,
) -> Attribute<Index> {
    Attribute {
        name: node.name().into(),
        name_range: node.name_range(),
        range: node.property(),
        reading: schema.map_or(Reading::Value, |schema| schema.reading),
        rest: false,
        value: index,
    }
}
