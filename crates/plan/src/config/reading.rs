//! Reads the elements of a configuration from the pieces of a document.
//!
//! An element is sent when it is complete. A module call is complete when the reader leaves it,
//! because Terraform and OpenTofu write some members of the call after the called module. Until
//! then its expressions stay in memory, up to
//! [`Limits::configuration`](plansift_core::limits::Limits::configuration).

use super::address::{ROOT, push_call, push_name};
use super::element::{Element, ElementExpression, ElementKind};
use super::expression::{Expression, each_expression};
use crate::plan::{
    Accepts, Answer, Document, DocumentFault, Documents, Flow, Piece, PieceKind, Section, Visitor,
    members,
};
use plansift_core::budget::Budget;
use plansift_core::error::{Error, Result};
use plansift_core::input::Source;
use plansift_core::json::value::{self, Value};
use plansift_core::limits::Limit;

/// Maximum length of the address of a module, in bytes. The address of each element contains it, so
/// without a limit, the elements would be much longer than the configuration.
const MODULE_MAX: usize = 16 << 10;

/// The result of [`read`].
#[derive(Clone, Copy, Debug)]
pub struct ReadConfiguration {
    /// Facts about the document.
    pub document: Document,
    /// Whether the document has a configuration. Binary plan files and slim plans have none.
    pub is_present: bool,
}

/// Reads the next document, and sends the elements of its configuration to `each`.
///
/// # Errors
///
/// Fails if the document is unreadable or not a plan, or if it exceeds a limit. Returns any error
/// of `each`.
///
/// # Panics
///
/// Panics if no document is left.
pub fn read<S: Source>(
    documents: &mut Documents<S>,
    each: &mut dyn FnMut(&Element, u64) -> Result<()>,
) -> Result<ReadConfiguration> {
    read_beside(documents, None, each)
}

/// Receives the pieces of the changes of a plan.
type Changes<'e> = &'e mut (dyn FnMut(&Piece<'_>) -> Result<()> + 'e);

/// Like [`read`]. Sends the changes of resources and outputs to `changes`, too.
///
/// # Errors
///
/// Fails like [`read`]. Returns any error of `changes`.
pub(crate) fn read_beside<'e, S: Source>(
    documents: &mut Documents<S>,
    changes: Option<Changes<'e>>,
    each: &'e mut dyn FnMut(&Element, u64) -> Result<()>,
) -> Result<ReadConfiguration> {
    let budget = Budget::new(Limit::Configuration, documents.options().limits.configuration);
    let mut reader = Reader {
        each,
        changes,
        config_path: ROOT.to_owned(),
        module: String::new(),
        calls: Vec::new(),
        resources: 0,
        offset: 0,
        budget,
        is_present: false,
    };
    let document = documents.read(Accepts::Plans, &mut reader)?;
    Ok(ReadConfiguration { document, is_present: reader.is_present })
}

/// Whether a section has the changes that [`read_beside`] sends.
fn is_changes(section: Section) -> bool {
    matches!(section, Section::ResourceChanges | Section::OutputChanges)
}

struct Reader<'e> {
    each: &'e mut dyn FnMut(&Element, u64) -> Result<()>,
    changes: Option<Changes<'e>>,
    /// The path to the configuration of the current module.
    config_path: String,
    module: String,
    /// The entered calls, outermost first.
    calls: Vec<Call>,
    /// Number of resources of the current module that were read.
    resources: u64,
    /// The offset of the last piece.
    offset: u64,
    budget: Budget,
    is_present: bool,
}

/// A module call that is not complete.
struct Call {
    element: Element,
    /// The expressions of `count` and `for_each`, which come last.
    repetition: Vec<ElementExpression>,
    /// The offset of the last member.
    offset: u64,
    /// The state to restore when the reader leaves the call: the lengths of the paths, and the
    /// number of resources.
    config_path_len: usize,
    module_len: usize,
    resources: u64,
    /// The memory taken before the call.
    used: u64,
}

impl Visitor for Reader<'_> {
    fn section(&mut self, section: Section, _: &str) -> Answer {
        if is_changes(section) {
            return if self.changes.is_some() { Answer::Enter } else { Answer::Skip };
        }
        if section != Section::Configuration {
            return Answer::Skip;
        }
        self.is_present = true;
        Answer::Enter
    }

    fn call_entered(&mut self, name: &str) -> Result<()> {
        let (config_path_len, module_len) = (self.config_path.len(), self.module.len());
        let (caller, used) = (self.module.clone(), self.budget.used());
        push_call(&mut self.config_path, name);
        push_name(&mut self.module, "module");
        push_name(&mut self.module, name);
        if self.module.len() > MODULE_MAX {
            return Err(Error::at(DocumentFault::LongModule, self.offset));
        }
        let mut element = Element::new(ElementKind::ModuleCall, self.module.clone(), &caller);
        element.names.name = Some(name.to_owned());
        self.calls.push(Call {
            element,
            repetition: Vec::new(),
            offset: self.offset,
            config_path_len,
            module_len,
            resources: std::mem::take(&mut self.resources),
            used,
        });
        self.budget.take(size_of::<Call>() + 2 * self.module.len(), self.offset)
    }

    fn call_left(&mut self) -> Result<()> {
        let Some(mut call) = self.calls.pop() else { return Ok(()) };
        self.config_path.truncate(call.config_path_len);
        self.module.truncate(call.module_len);
        self.resources = call.resources;
        self.budget.reset(call.used);
        call.repetition.sort_by(|a, b| a.path.cmp(&b.path));
        call.element.expressions.append(&mut call.repetition);
        (self.each)(&call.element, call.offset)
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let value = piece.value;
        self.offset = value.offset();
        if let Some(changes) = &mut self.changes
            && is_changes(piece.section)
        {
            changes(piece)?;
            return Ok(Flow::Continue);
        }
        let is_object = value.kind()? == value::Kind::Object;
        let used = self.budget.used();
        let element = match (piece.kind, piece.name) {
            (PieceKind::ModuleArguments, _) => {
                self.arguments(value)?;
                return Ok(Flow::Continue);
            }
            (PieceKind::ModuleCallMember, Some(name)) => {
                self.call_member(name, value)?;
                return Ok(Flow::Continue);
            }
            (PieceKind::ConfiguredResource, None) => {
                let position = self.resources;
                self.resources += 1;
                if is_object { self.resource(value, position)? } else { None }
            }
            _ if !is_object => None,
            (PieceKind::ConfiguredAction, None) => self.action(value)?,
            (PieceKind::ProviderConfig, Some(key)) => Some(self.provider(key, value)?),
            (PieceKind::ConfiguredOutput, Some(name)) => Some(self.output(name, value)?),
            (PieceKind::RootDeclaration | PieceKind::Declaration, Some(name)) => {
                Some(self.variable(name, value)?)
            }
            _ => None,
        };
        // Only the expressions of open calls stay in memory.
        self.budget.reset(used);
        if let Some(element) = element {
            (self.each)(&element, value.offset())?;
        }
        Ok(Flow::Continue)
    }
}

impl Reader<'_> {
    /// Creates an element of the current module with this local address.
    fn element(&self, kind: ElementKind, local: &[&str]) -> Element {
        let mut address = self.module.clone();
        local.iter().for_each(|name| push_name(&mut address, name));
        Element::new(kind, address, &self.module)
    }

    fn resource(&mut self, value: Value<'_>, position: u64) -> Result<Option<Element>> {
        const KEYS: [&str; 10] = [
            "address",
            "mode",
            "type",
            "name",
            "provider_config_key",
            "provisioners",
            "expressions",
            "count_expression",
            "for_each_expression",
            "depends_on",
        ];
        let [address, mode, type_name, name, key, provisioners, expressions, count, each, depends] =
            members(value, KEYS)?;
        let Some(address) = text(address)? else { return Ok(None) };
        let mut element = self.element(ElementKind::Resource, &[&address]);
        element.names.config_address = Some(format!("{}.resources[{position}]", self.config_path));
        element.names.mode = text(mode)?;
        element.names.type_name = text(type_name)?;
        element.names.name = text(name)?;
        element.names.provider_config_key = text(key)?;
        self.expressions(expressions, String::new(), &mut element.expressions)?;
        self.provisioners(provisioners, &mut element)?;
        self.repetition([count, each], &mut element.expressions)?;
        self.list(depends, &mut element.depends_on)?;
        Ok(Some(element))
    }

    fn action(&mut self, value: Value<'_>) -> Result<Option<Element>> {
        const KEYS: [&str; 6] = [
            "address",
            "type",
            "name",
            "provider_config_key",
            "count_expression",
            "for_each_expression",
        ];
        let [address, type_name, name, key, count, each] = members(value, KEYS)?;
        let Some(address) = text(address)? else { return Ok(None) };
        let mut element = self.element(ElementKind::Action, &[&address]);
        element.names.type_name = text(type_name)?;
        element.names.name = text(name)?;
        element.names.provider_config_key = text(key)?;
        self.repetition([count, each], &mut element.expressions)?;
        Ok(Some(element))
    }

    fn provider(&mut self, key: &str, value: Value<'_>) -> Result<Element> {
        const KEYS: [&str; 6] =
            ["name", "full_name", "alias", "version_constraint", "module_address", "expressions"];
        let [name, full_name, alias, version, module, expressions] = members(value, KEYS)?;
        let module = text(module)?.unwrap_or_default();
        let mut element = Element::new(ElementKind::Provider, format!("provider.{key}"), &module);
        element.names.name = text(name)?;
        element.names.provider_config_key = Some(key.to_owned());
        element.names.full_name = text(full_name)?;
        element.names.alias = text(alias)?;
        element.version_constraint = text(version)?;
        self.expressions(expressions, String::new(), &mut element.expressions)?;
        Ok(element)
    }

    fn output(&mut self, name: &str, value: Value<'_>) -> Result<Element> {
        const KEYS: [&str; 3] = ["sensitive", "expression", "depends_on"];
        let [sensitive, expression, depends_on] = members(value, KEYS)?;
        let mut element = self.element(ElementKind::Output, &["output", name]);
        element.names.name = Some(name.to_owned());
        element.sensitive = sensitive.is_some_and(Value::is_true);
        self.expression("expression", expression, &mut element.expressions)?;
        self.list(depends_on, &mut element.depends_on)?;
        Ok(element)
    }

    fn variable(&mut self, name: &str, value: Value<'_>) -> Result<Element> {
        const KEYS: [&str; 2] = ["default", "sensitive"];
        let [default, sensitive] = members(value, KEYS)?;
        let mut element = self.element(ElementKind::Variable, &["var", name]);
        element.names.name = Some(name.to_owned());
        element.sensitive = sensitive.is_some_and(Value::is_true);
        element.required = default.is_none();
        Ok(element)
    }

    /// Adds the arguments of the innermost call.
    fn arguments(&mut self, value: Value<'_>) -> Result<()> {
        let Some(mut call) = self.calls.pop() else { return Ok(()) };
        call.offset = value.offset();
        let added = self.expressions(Some(value), String::new(), &mut call.element.expressions);
        self.calls.push(call);
        added
    }

    /// Adds another member of the innermost call.
    fn call_member(&mut self, name: &str, value: Value<'_>) -> Result<()> {
        let Some(mut call) = self.calls.pop() else { return Ok(()) };
        call.offset = value.offset();
        let element = &mut call.element;
        let added = match name {
            "source" => self.call_text(value, &mut element.source),
            "version_constraint" => self.call_text(value, &mut element.version_constraint),
            "depends_on" => self.list(Some(value), &mut element.depends_on),
            "count_expression" => self.repetition([Some(value), None], &mut call.repetition),
            "for_each_expression" => self.repetition([None, Some(value)], &mut call.repetition),
            _ => Ok(()),
        };
        self.calls.push(call);
        added
    }

    fn call_text(&mut self, value: Value<'_>, member: &mut Option<String>) -> Result<()> {
        *member = text(Some(value))?;
        let len = member.as_ref().map_or(0, String::len);
        self.budget.take(len, value.offset())
    }

    /// Adds the expressions of a block, whose paths start with `path`.
    fn expressions(
        &mut self,
        block: Option<Value<'_>>,
        mut path: String,
        into: &mut Vec<ElementExpression>,
    ) -> Result<()> {
        let Some(block) = block else { return Ok(()) };
        let offset = block.offset();
        each_expression(block, &mut path, |path, expression| {
            into.push(attribute(path, expression, &mut self.budget, offset)?);
            Ok(())
        })
    }

    fn expression(
        &mut self,
        path: &str,
        value: Option<Value<'_>>,
        into: &mut Vec<ElementExpression>,
    ) -> Result<()> {
        let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(()) };
        let expression = Expression::of(value)?.unwrap_or(Expression::Unknown);
        into.push(attribute(path, expression, &mut self.budget, value.offset())?);
        Ok(())
    }

    /// Adds the expressions of `count` and `for_each`.
    fn repetition(
        &mut self,
        [count, for_each]: [Option<Value<'_>>; 2],
        into: &mut Vec<ElementExpression>,
    ) -> Result<()> {
        self.expression("count", count, into)?;
        self.expression("for_each", for_each, into)
    }

    fn provisioners(&mut self, list: Option<Value<'_>>, element: &mut Element) -> Result<()> {
        const KEYS: [&str; 2] = ["type", "expressions"];
        let Some(list) = list.filter(|list| !list.is_null()) else { return Ok(()) };
        for (index, provisioner) in list.elements()?.enumerate() {
            let provisioner = provisioner?;
            let [type_name, expressions] = members(provisioner, KEYS)?;
            let type_name = text(type_name)?.unwrap_or_default();
            self.budget.take(type_name.len() + size_of::<String>(), provisioner.offset())?;
            element.provisioners.push(type_name);
            let path = format!("provisioners[{index}]");
            self.expressions(expressions, path, &mut element.expressions)?;
        }
        Ok(())
    }

    fn list(&mut self, list: Option<Value<'_>>, into: &mut Vec<String>) -> Result<()> {
        let Some(list) = list.filter(|list| !list.is_null()) else { return Ok(()) };
        for item in list.elements()? {
            let item = item?;
            let item_text = item.text()?;
            self.budget.take(item_text.len() + size_of::<String>(), item.offset())?;
            into.push(item_text);
        }
        Ok(())
    }
}

/// Copies the path and the references of an expression.
fn attribute(
    path: &str,
    expression: Expression<'_>,
    budget: &mut Budget,
    offset: u64,
) -> Result<ElementExpression> {
    budget.take(path.len() + size_of::<ElementExpression>(), offset)?;
    let mut references = Vec::new();
    expression.each_reference(|reference| {
        let text = reference.decode()?;
        budget.take(text.len() + size_of::<String>(), offset)?;
        references.push(text);
        Ok(())
    })?;
    Ok(ElementExpression { path: path.to_owned(), references })
}

/// Decodes a member that is a string; `None` if the member is absent or null.
fn text(value: Option<Value<'_>>) -> Result<Option<String>> {
    match value {
        Some(value) if !value.is_null() => value.text().map(Some),
        _ => Ok(None),
    }
}

impl ReadConfiguration {
    /// Returns the document if it has a configuration.
    ///
    /// # Errors
    ///
    /// Fails with [`DocumentFault::NoConfiguration`] if the document has no configuration.
    pub fn present(self) -> Result<Document> {
        match self.is_present {
            true => Ok(self.document),
            false => Err(Error::new(DocumentFault::NoConfiguration)),
        }
    }
}
