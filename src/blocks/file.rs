//! Parses a source file into blocks, with their ranges and references.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hcl_edit::expr::Expression;

use crate::hcl::argument::{ArgumentValue, Source};
use crate::hcl::block::{Attribute, Block};
use crate::hcl::diagnostic::{Diagnostic, Diagnostics};
use crate::hcl::json::{Document, Index, Kind};
use crate::hcl::position::{Position, Range};
use crate::hcl::schema::Reading;
use crate::hcl::{body, expression, native, terraform};

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
    /// The locations of the blocks in override files that override this block.
    pub overrides: Vec<SourceLocation>,
    /// The parts that an override file can replace.
    pub(super) parts: Vec<MemberReferences>,
}

/// An argument of a block, or all its nested blocks of a type.
#[derive(Clone, Debug)]
pub(super) struct MemberReferences {
    pub name: Box<str>,
    /// The references in the part, in order.
    pub references: Vec<String>,
}

/// Parses a file into blocks and diagnostics. A file whose name ends in `.json` is in JSON syntax,
/// any other file in native syntax.
pub(super) fn parse(file: &Arc<str>, text: &[u8]) -> (Vec<SourceBlock>, Vec<FileDiagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let blocks = if file.ends_with(".json") {
        json(file, text, &mut diagnostics)
    } else {
        native_syntax(file, text, &mut diagnostics)
    };
    let mut listed: Vec<_> = diagnostics.list().to_vec();
    listed.sort_by_key(|diagnostic| diagnostic.range);
    listed.dedup();
    let with_file = |diagnostic| FileDiagnostic { file: file.clone(), diagnostic };
    (blocks, listed.into_iter().map(with_file).collect())
}

/// Returns a diagnostic about the file as a whole, with an empty range.
pub(super) fn whole_file(file: &Arc<str>, summary: &'static str, detail: String) -> FileDiagnostic {
    let range = Range::new(Position::START, Position::START);
    FileDiagnostic { file: file.clone(), diagnostic: Diagnostic::error(summary, detail, range) }
}

fn json(file: &Arc<str>, text: &[u8], diagnostics: &mut Diagnostics) -> Vec<SourceBlock> {
    let (document, faults) = match Document::parse(text) {
        Ok(parsed) => parsed,
        Err(too_large) => {
            diagnostics.push(too_large);
            return Vec::new();
        }
    };
    *diagnostics = faults;
    let blocks = body::read(&document, &terraform::ROOT, file, diagnostics);
    let syntax = Json(Source { document: &document, file });
    blocks.iter().flat_map(|block| source_blocks(&syntax, block, file, diagnostics)).collect()
}

fn native_syntax(file: &Arc<str>, text: &[u8], diagnostics: &mut Diagnostics) -> Vec<SourceBlock> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let Ok(text) = std::str::from_utf8(text) else {
        let at = Range::new(Position::START, Position::START);
        let detail = "The file is not UTF-8.";
        diagnostics.push(Diagnostic::error("Invalid character encoding", detail, at));
        return Vec::new();
    };
    let blocks = native::read(text, &terraform::ROOT, diagnostics);
    blocks.iter().flat_map(|block| source_blocks(&Native, block, file, diagnostics)).collect()
}

/// Reads the attributes of one syntax: JSON or native.
trait Syntax<E> {
    /// Returns the references in an attribute, in order. Appends the attribute's faults to
    /// `diagnostics`.
    fn references(&self, attribute: &Attribute<E>, diagnostics: &mut Diagnostics) -> Vec<String>;
    fn literal(&self, attribute: &Attribute<E>) -> Option<Box<str>>;
}

struct Json<'a>(Source<'a>);

impl Syntax<Index> for Json<'_> {
    fn references(
        &self,
        attribute: &Attribute<Index>,
        diagnostics: &mut Diagnostics,
    ) -> Vec<String> {
        self.0.faults(attribute).into_iter().for_each(|fault| diagnostics.push(fault));
        let texts = |read: Option<(String, Vec<String>)>| read.map(|(_, references)| references);
        match self.0.read(attribute).0 {
            None if attribute.reading == Reading::Value => self.0.references(attribute.value),
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
            Kind::String(text) => Some(text.clone()),
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
        attribute.value.as_str().map(Box::from)
    }
}

/// Returns a top-level block, and the `data` blocks inside a `check`, which have an address too.
fn source_blocks<E>(
    syntax: &impl Syntax<E>,
    block: &Block<E>,
    file: &Arc<str>,
    diagnostics: &mut Diagnostics,
) -> Vec<SourceBlock> {
    let mut blocks = vec![source_block(syntax, block, file, diagnostics)];
    if block.kind.as_ref() == "check" {
        let data = block.blocks.iter().filter(|inner| inner.kind.as_ref() == "data");
        blocks.extend(data.map(|inner| source_block(syntax, inner, file, diagnostics)));
    }
    blocks
}

fn source_block<E>(
    syntax: &impl Syntax<E>,
    block: &Block<E>,
    file: &Arc<str>,
    diagnostics: &mut Diagnostics,
) -> SourceBlock {
    let parts = parts(syntax, block, diagnostics);
    let literal = |name: &str| {
        let attribute = block.attributes.iter().find(|attribute| attribute.name.as_ref() == name);
        attribute.and_then(|attribute| syntax.literal(attribute))
    };
    let labels: Vec<Box<str>> = block.labels.iter().map(|label| label.text.clone()).collect();
    let is_call = block.kind.as_ref() == "module";
    SourceBlock {
        address: address(&block.kind, &labels, literal("alias").as_deref()),
        kind: block.kind.clone(),
        labels,
        definition: SourceLocation { file: file.clone(), range: block.definition },
        name: block.labels.last().map_or(block.kind_range, |label| label.range),
        range: Range::new(block.definition.start.min(block.range.start), block.range.end),
        references: references_of(&parts),
        module_source: if is_call { literal("source") } else { None },
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
    all.filter(|reference| seen.insert(reference.as_str())).cloned().collect()
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
        let mut inside: Vec<Box<str>> = bound.clone();
        let is_dynamic = block.kind.as_ref() == "dynamic";
        let mut iterator = None;
        for attribute in &block.attributes {
            let references = syntax.references(attribute, diagnostics);
            if is_dynamic && attribute.name.as_ref() == "iterator" {
                iterator = references.into_iter().next().map(Box::from);
                continue;
            }
            list.extend(references.into_iter().filter(|reference| {
                let root = reference.split(['.', '[']).next().unwrap_or_default();
                !bound.iter().any(|name| name.as_ref() == root)
            }));
        }
        if is_dynamic {
            // Inside the block, the iterator's name refers to the current element.
            inside.extend(iterator.or(block.labels.first().map(|label| label.text.clone())));
        }
        left.extend(block.blocks.iter().rev().map(|inner| (inner, inside.clone())));
    }
    list
}
