//! Parses a source file into blocks, with their ranges and references.

use std::collections::{HashMap, HashSet};
use std::iter;
use std::rc::Rc;
use std::sync::Arc;

use hcl_edit::expr::{Expression, ObjectKey, ObjectValue};

use crate::hcl::argument::{ArgumentValue, Source};
use crate::hcl::block::{Attribute, Block};
use crate::hcl::body::{self, Header};
use crate::hcl::diagnostic::{Diagnostic, Diagnostics};
use crate::hcl::json::{Document, Index, Kept, Kind};
use crate::hcl::locate::locate;
use crate::hcl::position::{Position, Range};
use crate::hcl::scan::TreeSize;
use crate::hcl::schema::Reading;
use crate::hcl::{Tally, expression, native, template, terraform};
use plansift_core::budget::Budget;
use plansift_core::error::Result;

/// A source file and a range in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path of the file, with slashes, relative to the root of the configuration.
    pub file: Arc<str>,
    /// The range in the file.
    pub range: Range,
}

/// A diagnostic and its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiagnostic {
    /// The path of the file.
    pub file: Arc<str>,
    /// A diagnostic of the file.
    pub diagnostic: Diagnostic,
}

/// A block of a configuration, without its values.
#[derive(Clone, Debug)]
pub struct SourceBlock {
    /// The type of the block, such as `resource`.
    pub kind: Box<str>,
    /// The labels of the block.
    pub labels: Vec<Box<str>>,
    /// The address inside the module, such as `data.aws_ami.web`; `None` for blocks without a name.
    pub address: Option<Box<str>>,
    /// The file and the range of the block's head. In JSON, the range of the body's opening
    /// bracket.
    pub definition: SourceLocation,
    /// The range of the last label, or of the type for a block without labels.
    pub name: Range,
    /// The range of the whole block.
    pub range: Range,
    /// The references in the block, in order, without repetitions.
    pub references: Vec<String>,
    /// The source of a module call, if it is a literal string.
    pub module_source: Option<Box<str>>,
    /// The provider configurations that a module call passes: the name in the module, and the name
    /// here, as in `aws.west`.
    pub providers: Vec<(String, String)>,
    /// The address without instance keys that an `import` block imports to.
    pub(super) imported: Option<Box<str>>,
    /// The locations of the blocks in override files that override this block.
    pub overrides: Vec<SourceLocation>,
    /// The members of the block, each with its references. An override file can replace each one.
    pub(super) parts: Vec<MemberReferences>,
}

impl SourceBlock {
    /// The memory of the block and of its entries in indexes, in bytes. While a list grows, it
    /// takes twice the memory of its elements.
    pub(super) fn memory(&self) -> usize {
        let text = |text: &str| text.len() + ALLOCATION;
        let references = |list: &[String]| -> usize {
            let one = |reference: &String| 2 * size_of::<String>() + text(reference);
            list.iter().map(one).sum::<usize>() + ALLOCATION
        };
        let label = |label: &str| size_of::<Box<str>>() + text(label);
        let indexed = |address: &str| ENTRY + 2 * text(address);
        let part = |part: &MemberReferences| {
            // The key in the index of settings consists of the block's type and the part's name.
            let entry = ENTRY + size_of::<Box<str>>() + text(&self.kind) + text(&part.name);
            let own = 2 * size_of::<MemberReferences>() + text(&part.name);
            own + entry + references(&part.references)
        };
        2 * size_of::<SourceBlock>()
            + text(&self.kind)
            + self.labels.iter().map(|it| label(it)).sum::<usize>()
            + self.address.as_deref().map_or(0, indexed)
            + self.module_source.as_deref().map_or(0, text)
            + self.imported.as_deref().map_or(0, text)
            + self
                .providers
                .iter()
                .map(|(name, here)| PAIR + text(name) + text(here))
                .sum::<usize>()
            + references(&self.references)
            + self.parts.iter().map(part).sum::<usize>()
    }
}

/// The memory of a pair of names without their texts, in bytes. A list may have room for more.
const PAIR: usize = 2 * size_of::<(String, String)>();

/// The memory of an allocation beyond its length, in bytes.
const ALLOCATION: usize = 16;

/// The memory of an entry in an index by name, in bytes. While an index grows, it takes up to four
/// times the memory of its entries.
const ENTRY: usize = 4 * (size_of::<(Box<str>, usize)>() + 1);

/// An argument of a block, or all its nested blocks of a type.
#[derive(Clone, Debug)]
pub(super) struct MemberReferences {
    pub name: Box<str>,
    /// The references in the part, in order.
    pub references: Vec<String>,
}

/// How much of each block is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The address and the location of each block that has an address.
    Locations,
    /// The location, the references and the faults of each block.
    Content,
}

/// Parses a file, adds its blocks to a list, and returns its diagnostics. A file whose name ends in
/// `.json` is in JSON syntax, any other file in native syntax. The memory of the result stays taken
/// from the budget.
///
/// # Errors
///
/// Fails if the budget is exceeded.
pub(super) fn parse(
    file: &Arc<str>,
    text: &[u8],
    detail: Detail,
    budget: &mut Budget,
    blocks: &mut Vec<SourceBlock>,
) -> Result<Vec<FileDiagnostic>> {
    let is_json = file.ends_with(".json");
    // In JSON, a string takes two buffers while its escapes are decoded.
    let text_memory = text.len() * if is_json { 3 } else { 1 };
    budget.take(text_memory, 0)?;
    let mut diagnostics = Diagnostics::default();
    let mut tally = Tally { budget, diagnostics: &mut diagnostics };
    let mut collected = Collected { file, detail, blocks };
    match is_json {
        true => collected.json(text, &mut tally)?,
        false => collected.native_syntax(text, &mut tally)?,
    }
    budget.release(text_memory);
    let mut listed: Vec<_> = diagnostics.list().to_vec();
    listed.sort_by_key(|diagnostic| diagnostic.range);
    listed.dedup();
    let with_file = |diagnostic| FileDiagnostic { file: file.clone(), diagnostic };
    let diagnostics: Vec<_> = listed.into_iter().map(with_file).collect();
    let memory = |it: &FileDiagnostic| size_of::<FileDiagnostic>() + it.diagnostic.detail.len();
    budget.take(diagnostics.iter().map(memory).sum(), 0)?;
    Ok(diagnostics)
}

/// Returns a diagnostic about the file as a whole, with an empty range.
pub(super) fn whole_file(file: &Arc<str>, summary: &'static str, detail: String) -> FileDiagnostic {
    let range = Range::new(Position::START, Position::START);
    FileDiagnostic { file: file.clone(), diagnostic: Diagnostic::error(summary, detail, range) }
}

/// Collects the blocks of a file.
struct Collected<'a> {
    file: &'a Arc<str>,
    detail: Detail,
    /// The blocks of earlier files, and those of this file.
    blocks: &'a mut Vec<SourceBlock>,
}

impl Collected<'_> {
    fn json(&mut self, text: &[u8], tally: &mut Tally<'_>) -> Result<()> {
        let before = tally.budget.used();
        let (start, kept) = (Position::START, Kept::Body(&terraform::ROOT));
        let (document, faults) = Document::parse_at(text, start, kept, tally.budget)?;
        *tally.diagnostics = faults;
        let headers = body::headers(&document, &terraform::ROOT, self.file, tally)?;
        let taken = (tally.budget.used() - before) as usize;
        for header in headers {
            let body = document.get(header.body).map(|body| body.range.start);
            self.json_block(text, body.unwrap_or(start), header, tally)?;
        }
        tally.budget.release(taken);
        Ok(())
    }

    /// Reads the block of a header. `start` is the position of its body.
    fn json_block(
        &mut self,
        text: &[u8],
        start: Position,
        header: Header,
        tally: &mut Tally<'_>,
    ) -> Result<()> {
        let (kept, schema) = match (self.detail, terraform::located(&header.block.kind)) {
            (Detail::Content, _) => (Kept::All, header.schema),
            (Detail::Locations, Some(schema)) => (Kept::Body(schema), schema),
            (Detail::Locations, None) => {
                let source = Source { document: &Document::default(), file: self.file };
                return self.add(&Json(source), &header.block, tally);
            }
        };
        let before = tally.budget.used();
        // The faults in the syntax of the body are among those of the file.
        let (body, _) = Document::parse_at(text, start, kept, tally.budget)?;
        let header = Header { body: Document::ROOT, schema, ..header };
        let block = body::read_body(&body, header, self.file, tally)?;
        let syntax = Json(Source { document: &body, file: self.file });
        tally.budget.take(syntax.tree_memory(&block), start.byte.into())?;
        let taken = (tally.budget.used() - before) as usize;
        self.add(&syntax, &block, tally)?;
        tally.budget.release(taken);
        Ok(())
    }

    fn native_syntax(&mut self, text: &[u8], tally: &mut Tally<'_>) -> Result<()> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let Ok(text) = std::str::from_utf8(text) else {
            let at = Range::new(Position::START, Position::START);
            let detail = "The file is not UTF-8.";
            tally.diagnostics.error("Invalid character encoding", detail, at);
            return Ok(());
        };
        let schema = &terraform::ROOT;
        let first = self.blocks.len();
        let fault = match self.detail {
            Detail::Content => {
                native::read(text, schema, tally, |block, tally| self.add(&Native, block, tally))?
            }
            Detail::Locations => {
                locate(text, schema, tally, |block, tally| self.add(&Native, block, tally))?
            }
        };
        if let Some(fault) = fault {
            *tally.diagnostics = Diagnostics::default();
            tally.diagnostics.push(fault);
            let dropped = self.blocks.drain(first..);
            tally.budget.release(dropped.map(|block| block.memory()).sum());
        }
        Ok(())
    }

    /// Adds a block of the top level, and the `data` blocks inside a `check`, which have an address
    /// too.
    fn add<E>(
        &mut self,
        syntax: &impl Syntax<E>,
        block: &Block<E>,
        tally: &mut Tally<'_>,
    ) -> Result<()> {
        let inside = block.blocks.iter().filter(|inner| inner.kind.as_ref() == "data");
        let inside = inside.filter(|_| block.kind.as_ref() == "check");
        for block in iter::once(block).chain(inside) {
            let block = source_block(syntax, block, self.file, tally.diagnostics);
            if self.detail == Detail::Content || block.address.is_some() {
                tally.budget.take(block.memory(), block.range.start.byte.into())?;
                self.blocks.push(block);
            }
        }
        Ok(())
    }
}

/// Reads the attributes of one syntax: JSON or native.
trait Syntax<E> {
    /// Returns the references in an attribute, in order. Appends the attribute's faults to
    /// `diagnostics`.
    fn references(&self, attribute: &Attribute<E>, diagnostics: &mut Diagnostics) -> Vec<String>;
    fn literal(&self, attribute: &Attribute<E>) -> Option<Box<str>>;
    /// Returns the pairs of names in the argument `providers` of a module call.
    fn providers(&self, attribute: &Attribute<E>) -> Vec<(String, String)>;
    /// Returns the address in the argument `to` of an import, without instance keys.
    fn target(&self, attribute: &Attribute<E>) -> Option<String>;
}

struct Json<'a>(Source<'a>);

impl Json<'_> {
    /// Returns the memory of the largest tree of a template or an expression in a block.
    fn tree_memory(&self, block: &Block<Index>) -> usize {
        let mut largest = 0;
        let mut left = vec![block];
        while let Some(block) = left.pop() {
            left.extend(&block.blocks);
            for attribute in &block.attributes {
                let measure: fn(&str) -> Option<TreeSize> = match attribute.reading {
                    Reading::Literal | Reading::Keyword | Reading::Keywords => continue,
                    Reading::Value => TreeSize::of_template,
                    _ => |_| None,
                };
                for (_, node) in self.0.document.below(attribute.value) {
                    let is_parsed = |text: &&str| {
                        attribute.reading != Reading::Value || template::has_markers(text)
                    };
                    let texts = [node.name(), node.kind.text()].into_iter().filter(is_parsed);
                    let memory = texts.map(|text| expression::tree_memory(text, measure).0);
                    largest = memory.fold(largest, usize::max);
                }
            }
        }
        largest
    }
}

impl Syntax<Index> for Json<'_> {
    fn references(
        &self,
        attribute: &Attribute<Index>,
        diagnostics: &mut Diagnostics,
    ) -> Vec<String> {
        self.0.faults(attribute).into_iter().for_each(|fault| diagnostics.push(fault));
        let texts = |read: Option<(String, Vec<String>)>| read.map(|(_, references)| references);
        match self.0.read(attribute).0 {
            None if attribute.reading == Reading::Value => {
                self.0.references_without_iterators(attribute.value)
            }
            Some(ArgumentValue::Reference(reference)) => reference.into_iter().collect(),
            Some(ArgumentValue::References(references))
                if attribute.reading == Reading::References =>
            {
                references.into_iter().flatten().collect()
            }
            Some(ArgumentValue::Expression(read)) => texts(read).into_iter().flatten().collect(),
            Some(ArgumentValue::Expressions(all)) => {
                all.into_iter().filter_map(texts).flatten().collect()
            }
            Some(ArgumentValue::Providers(pairs)) => {
                pairs.into_iter().map(|(_, parent)| parent).collect()
            }
            _ => Vec::new(),
        }
    }

    fn literal(&self, attribute: &Attribute<Index>) -> Option<Box<str>> {
        match &self.0.document.get(attribute.value)?.kind {
            Kind::String(text) | Kind::Number(text) => Some(text.clone()),
            Kind::Bool(value) => Some(value.to_string().into()),
            _ => None,
        }
    }

    fn providers(&self, attribute: &Attribute<Index>) -> Vec<(String, String)> {
        match self.0.read(attribute).0 {
            Some(ArgumentValue::Providers(pairs)) => pairs,
            _ => Vec::new(),
        }
    }

    fn target(&self, attribute: &Attribute<Index>) -> Option<String> {
        match self.0.read(attribute).0 {
            Some(ArgumentValue::Expression(Some((text, _)))) => {
                expression::target(&expression::parse(&text)?)
            }
            _ => None,
        }
    }
}

struct Native;

impl Syntax<Expression> for Native {
    fn references(&self, attribute: &Attribute<Expression>, _: &mut Diagnostics) -> Vec<String> {
        match attribute.reading {
            Reading::Keyword | Reading::Keywords | Reading::Paths | Reading::Type => Vec::new(),
            _ => expression::references(&attribute.value),
        }
    }

    fn literal(&self, attribute: &Attribute<Expression>) -> Option<Box<str>> {
        expression::constant(&attribute.value).map(Box::from)
    }

    fn providers(&self, attribute: &Attribute<Expression>) -> Vec<(String, String)> {
        let Expression::Object(object) = &attribute.value else { return Vec::new() };
        let pair = |(key, value): (&ObjectKey, &ObjectValue)| {
            let name = match key {
                ObjectKey::Ident(name) => name.to_string(),
                ObjectKey::Expression(key) => {
                    expression::reference(key).or_else(|| expression::constant(key))?
                }
            };
            Some((name, expression::reference(value.expr())?))
        };
        object.iter().filter_map(pair).collect()
    }

    fn target(&self, attribute: &Attribute<Expression>) -> Option<String> {
        expression::target(&attribute.value)
    }
}

fn source_block<E>(
    syntax: &impl Syntax<E>,
    block: &Block<E>,
    file: &Arc<str>,
    diagnostics: &mut Diagnostics,
) -> SourceBlock {
    let parts = parts(syntax, block, diagnostics);
    let argument = |kind: &str, name: &str| {
        let mut attributes = block.attributes.iter().filter(|_| block.kind.as_ref() == kind);
        attributes.find(|attribute| attribute.name.as_ref() == name)
    };
    let literal = |kind, name| argument(kind, name).and_then(|it| syntax.literal(it));
    let imported = argument("import", "to").and_then(|it| syntax.target(it));
    let labels: Vec<Box<str>> = block.labels.iter().map(|label| (*label.text).into()).collect();
    let providers = argument("module", "providers");
    SourceBlock {
        address: address(&block.kind, &labels, literal("provider", "alias").as_deref()),
        kind: block.kind.clone(),
        labels,
        definition: SourceLocation { file: file.clone(), range: block.definition },
        name: block.labels.last().map_or(block.kind_range, |label| label.range),
        range: Range::new(block.definition.start.min(block.range.start), block.range.end),
        references: references_of(&parts),
        module_source: literal("module", "source"),
        providers: providers.map(|it| syntax.providers(it)).unwrap_or_default(),
        imported: imported.map(String::into_boxed_str),
        overrides: Vec::new(),
        parts,
    }
}

fn address(kind: &str, labels: &[Box<str>], alias: Option<&str>) -> Option<Box<str>> {
    let name = labels.join(".");
    let address = match kind {
        "resource" => name,
        "data" | "ephemeral" | "action" | "module" | "output" | "check" => format!("{kind}.{name}"),
        "variable" => format!("var.{name}"),
        "provider" => match alias {
            Some(alias) => format!("provider.{name}.{alias}"),
            None => format!("provider.{name}"),
        },
        _ => return None,
    };
    Some(address.into())
}

/// Returns the name of the part that a nested block belongs to. An override file replaces all
/// blocks of a type, including those that `dynamic` generates. The blocks `backend`, `cloud` and
/// `state_store` replace each other.
fn part_name<E>(block: &Block<E>) -> &str {
    match (block.kind.as_ref(), block.labels.first()) {
        ("dynamic", Some(label)) => &label.text,
        ("cloud" | "state_store", _) => "backend",
        (kind, _) => kind,
    }
}

/// Returns the parts of a block, in order: its attributes, and then its nested blocks by type. Each
/// member of `lifecycle` and `required_providers` is a separate part.
fn parts<E>(
    syntax: &impl Syntax<E>,
    block: &Block<E>,
    diagnostics: &mut Diagnostics,
) -> Vec<MemberReferences> {
    let mut parts = Parts::default();
    for attribute in &block.attributes {
        parts.add(&attribute.name, syntax.references(attribute, diagnostics));
    }
    for inner in &block.blocks {
        if !matches!(inner.kind.as_ref(), "lifecycle" | "required_providers") {
            parts.add(part_name(inner), references(syntax, inner, diagnostics));
            continue;
        }
        for attribute in &inner.attributes {
            let name = format!("{}.{}", inner.kind, attribute.name);
            parts.add(&name, syntax.references(attribute, diagnostics));
        }
        for deeper in &inner.blocks {
            let name = format!("{}.{}", inner.kind, part_name(deeper));
            parts.add(&name, references(syntax, deeper, diagnostics));
        }
    }
    parts.list.shrink_to_fit();
    parts.list
}

/// Collects parts. Parts of the same name become one part.
#[derive(Default)]
struct Parts {
    list: Vec<MemberReferences>,
    positions: HashMap<Box<str>, usize>,
}

impl Parts {
    fn add(&mut self, name: &str, references: Vec<String>) {
        match self.positions.get(name).and_then(|at| self.list.get_mut(*at)) {
            Some(part) => part.references.extend(references),
            None => {
                self.positions.insert(name.into(), self.list.len());
                self.list.push(MemberReferences { name: name.into(), references });
            }
        }
    }
}

/// Returns the references of parts, in order, without repetitions.
pub(super) fn references_of(parts: &[MemberReferences]) -> Vec<String> {
    let mut seen = HashSet::new();
    let all = parts.iter().flat_map(|part| &part.references);
    let mut all: Vec<_> =
        all.filter(|reference| seen.insert(reference.as_str())).cloned().collect();
    all.shrink_to_fit();
    all
}

/// Returns the references of a block and all blocks nested in it, without the iterators of
/// `dynamic` blocks. The schema or the parser limits the depth.
fn references<E>(
    syntax: &impl Syntax<E>,
    block: &Block<E>,
    diagnostics: &mut Diagnostics,
) -> Vec<String> {
    let mut list = Vec::new();
    let mut left = vec![(block, Vec::new())];
    while let Some((block, bound)) = left.pop() {
        let mut inside: Vec<Rc<str>> = bound.clone();
        let is_dynamic = block.kind.as_ref() == "dynamic";
        if is_dynamic {
            // In labels and content, the iterator's name refers to the current element.
            let iterator = block.attributes.iter().find(|it| it.name.as_ref() == "iterator");
            let iterator = iterator
                .and_then(|it| syntax.references(it, diagnostics).into_iter().next().map(Rc::from));
            inside.extend(iterator.or(block.labels.first().map(|label| label.text.clone())));
        }
        for attribute in &block.attributes {
            let bound = match attribute.name.as_ref() {
                "iterator" if is_dynamic => continue,
                "labels" if is_dynamic => &inside,
                _ => &bound,
            };
            let references = syntax.references(attribute, diagnostics).into_iter();
            list.extend(references.filter(|reference| {
                !bound.iter().any(|name| name.as_ref() == expression::root(reference))
            }));
        }
        left.extend(block.blocks.iter().rev().map(|inner| (inner, inside.clone())));
    }
    list
}
