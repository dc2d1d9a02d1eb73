//! Reads the arguments of a JSON configuration according to their schema, and finds references and
//! faults in them.

use std::borrow::Cow;
use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use super::block::Attribute;
use super::diagnostic::{DIAGNOSTICS_MAX, Diagnostic};
use super::expression;
use super::json::{Document, Index, Kind, Node};
use super::position::{Position, Range};
use super::schema::Reading;
use super::template::{self, Template};
use super::type_constraint;
use plansift_cty::quote;

/// The value of an argument that is not an expression, such as `depends_on` or `type`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentValue {
    /// A reference; `None` if the argument is invalid.
    Reference(Option<String>),
    /// References; `None` for each invalid element.
    References(Vec<Option<String>>),
    /// The word `all`.
    All,
    /// A word.
    Keyword(String),
    /// Words.
    Keywords(Vec<String>),
    /// An expression and its references; `None` if the argument is invalid.
    Expression(Option<(String, Vec<String>)>),
    /// Expressions and their references; `None` for each invalid element.
    Expressions(Vec<Option<(String, Vec<String>)>>),
    /// A type in cty's JSON, and whether the constraint has default values.
    Type(String, bool),
    /// The member `providers` of a module call: references in the called and the calling module.
    Providers(Vec<(String, String)>),
}

/// A document and the name of its file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The document.
    pub document: &'a Document,
    /// The name of the file in messages.
    pub file: &'a str,
}

/// The iterators of `dynamic` blocks in a value, while it is read from its beginning.
#[derive(Default)]
struct Iterators<'a> {
    /// The values in which an iterator can be used: where each begins and ends, and its name.
    ahead: HashMap<Index, (Index, &'a str)>,
    /// The entered values, outermost first: where each ends, and the name of its iterator.
    entered: Vec<(Index, &'a str)>,
    /// The number of entered values with each name.
    names: HashMap<&'a str, usize>,
}

impl Iterators<'_> {
    /// Enters and leaves values before the value at an index is read.
    fn enter(&mut self, at: Index) {
        while let Some((_, name)) = self.entered.pop_if(|(end, _)| *end <= at) {
            if let Some(count) = self.names.get_mut(name) {
                *count -= 1;
            }
        }
        if let Some((end, name)) = self.ahead.remove(&at) {
            self.entered.push((end, name));
            *self.names.entry(name).or_default() += 1;
        }
    }

    /// Whether a name is that of an iterator here.
    fn has(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|count| *count > 0)
    }
}

const NOT_STATIC: &str = "A single static variable reference is required: only attribute access \
                          and indexing with constant keys. No calculations, function calls, \
                          template expressions, etc are allowed here.";

impl<'a> Source<'a> {
    fn node(&self, index: Index) -> Option<&'a Node> {
        self.document.get(index)
    }

    fn string(&self, index: Index) -> Option<(&'a str, Range)> {
        let node = self.node(index)?;
        match &node.kind {
            Kind::String(text) => Some((text, node.range)),
            _ => None,
        }
    }

    /// Parses a string as a template. `range` is the range of the string with its quotes.
    ///
    /// # Errors
    ///
    /// Returns the faults of the template.
    pub fn template(&self, text: &str, range: Range) -> Result<Template, Vec<Diagnostic>> {
        template::parse(text, range.start.plus(1), self.file)
    }

    /// Returns the references in a value, in order and with repetitions. Property names are
    /// searched too.
    pub fn references(&self, index: Index) -> Vec<String> {
        self.references_without(index, None)
    }

    /// Like [`Source::references`], without the iterators of `dynamic` blocks in the value.
    pub(crate) fn references_without_iterators(&self, index: Index) -> Vec<String> {
        self.references_without(index, Some(Iterators::default()))
    }

    fn references_without(
        &self,
        index: Index,
        mut iterators: Option<Iterators<'a>>,
    ) -> Vec<String> {
        let mut all = Vec::new();
        for (at, node) in self.document.below(index) {
            if let Some(iterators) = &mut iterators {
                iterators.enter(at);
            }
            let mut collect = |text: &str, range| {
                if template::has_markers(text) {
                    let template = self.template(text, range);
                    let found = template.iter().flat_map(Template::references);
                    let is_iterator = |reference: &String| {
                        let name = expression::root(reference);
                        iterators.as_ref().is_some_and(|iterators| iterators.has(name))
                    };
                    all.extend(found.filter(|reference| !is_iterator(reference)));
                }
            };
            if let (Some(name), true) = (&node.name, at != index) {
                collect(&name.text, name.range);
            }
            if let Kind::String(text) = &node.kind {
                collect(text, node.range);
            }
            if let Some(iterators) = &mut iterators
                && node.name() == "dynamic"
            {
                self.add_iterators(at, iterators);
            }
        }
        all
    }

    /// Adds the iterators of the `dynamic` blocks in a property.
    fn add_iterators(&self, index: Index, iterators: &mut Iterators<'a>) {
        for (label, block) in self.flattened(index).flat_map(|at| self.document.inside(at)) {
            for body in self.flattened(label) {
                let argument = |name: &str| {
                    let mut arguments = self.document.inside(body);
                    arguments.find(|(_, node)| node.name() == name).map(|(at, _)| at)
                };
                let (Some(_), Some(content)) = (argument("for_each"), argument("content")) else {
                    continue;
                };
                let own = argument("iterator").and_then(|at| self.string(at));
                let name = own.map_or_else(|| block.name(), |(text, _)| text.trim());
                for at in [argument("labels"), Some(content)].into_iter().flatten() {
                    iterators.ahead.insert(at, (self.document.end(at), name));
                }
            }
        }
    }

    /// Returns the elements of an array, or any other value itself.
    fn flattened(&self, index: Index) -> impl Iterator<Item = Index> + use<'a> {
        let is_array = self.node(index).is_some_and(|node| node.kind == Kind::Array);
        let elements = self.document.inside(index).filter(move |_| is_array).map(|(at, _)| at);
        (!is_array).then_some(index).into_iter().chain(elements)
    }

    /// Returns the text that a property name stands for. `None` if only an evaluation can tell.
    fn constant<'t>(&self, text: &'t str, range: Range) -> Option<Cow<'t, str>> {
        match template::has_markers(text) {
            true => self.template(text, range).ok()?.constant().map(Cow::Owned),
            false => Some(Cow::Borrowed(text)),
        }
    }

    /// Returns a fault for each duplicate property in a value. Bodies have their own rules about
    /// duplicates.
    pub fn duplicates(&self, index: Index) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for (object, node) in self.document.below(index) {
            if node.kind != Kind::Object || faults.len() >= DIAGNOSTICS_MAX {
                continue;
            }
            let mut seen: HashMap<Cow<'_, str>, &Range> = HashMap::new();
            for (_, property) in self.document.inside(object) {
                let Some(name) = &property.name else {
                    continue;
                };
                let Some(text) = self.constant(&name.text, name.range) else {
                    continue;
                };
                let text = match text.is_ascii() {
                    true => text,
                    false => Cow::Owned(text.nfc().collect()),
                };
                if let Some(first) = seen.get(&text) {
                    if faults.len() >= DIAGNOSTICS_MAX {
                        break;
                    }
                    let detail = format!(
                        "An attribute named {} was already defined at {}:{}.",
                        quote(&*text),
                        self.file,
                        first.shown()
                    );
                    let summary = "Duplicate object attribute";
                    faults.push(Diagnostic::error(summary, detail, name.range));
                } else {
                    seen.insert(text, &name.range);
                }
            }
        }
        faults
    }

    /// Returns all faults of an argument: duplicate properties, invalid templates, and a wrong
    /// form.
    pub fn faults(&self, attribute: &Attribute<Index>) -> Vec<Diagnostic> {
        let index = attribute.value;
        let mut faults = self.duplicates(index);
        if attribute.reading == Reading::Value
            && let Some((text, range)) = self.string(index)
            && template::has_markers(text)
        {
            faults.extend(self.template(text, range).err().into_iter().flatten());
        }
        faults.extend(self.read(attribute).1);
        faults
    }

    /// Reads an argument that is not an expression, and returns its faults.
    pub fn read(&self, attribute: &Attribute<Index>) -> (Option<ArgumentValue>, Vec<Diagnostic>) {
        let mut faults = Vec::new();
        (self.value(attribute, &mut faults), faults)
    }

    fn value(
        &self,
        attribute: &Attribute<Index>,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<ArgumentValue> {
        let index = attribute.value;
        let word = |at| Some(self.string(at)?.0.trim().to_owned());
        Some(match attribute.reading {
            Reading::Value | Reading::Literal => return None,
            Reading::Reference => ArgumentValue::Reference(self.reference(index, faults)),
            Reading::Paths if self.string(index).is_some_and(|(text, _)| text == "all") => {
                ArgumentValue::All
            }
            Reading::Paths if self.wildcard(index).is_some() => {
                faults.extend(self.mixed_wildcard(index));
                ArgumentValue::All
            }
            Reading::References | Reading::Paths => {
                ArgumentValue::References(self.list(index, faults, Source::reference))
            }
            Reading::Keyword => ArgumentValue::Keyword(word(index)?),
            Reading::Keywords => {
                let words = self.list(index, faults, |_, at, _| word(at));
                ArgumentValue::Keywords(words.into_iter().flatten().collect())
            }
            Reading::Expression => ArgumentValue::Expression(self.expression(index, faults)),
            Reading::Expressions => {
                ArgumentValue::Expressions(self.list(index, faults, Source::expression))
            }
            Reading::Type => {
                let node = self.node(index).filter(|node| node.kind != Kind::Invalid)?;
                let text = self.string(index).map(|(text, _)| text);
                let read = type_constraint::parse(text, node.range);
                let read = read.map_err(|fault| faults.push(fault));
                let constraint = read.ok()?;
                ArgumentValue::Type(constraint.cty, constraint.has_defaults)
            }
            Reading::Providers => ArgumentValue::Providers(self.providers(index, faults)),
        })
    }

    fn reference(&self, index: Index, faults: &mut Vec<Diagnostic>) -> Option<String> {
        let found = self.string(index).and_then(|(text, _)| reference_of(text));
        if let (None, Some(node)) = (&found, self.node(index)) {
            faults.push(Diagnostic::error("Invalid expression", NOT_STATIC, node.range));
        }
        found
    }

    /// Returns the first element `"*"` of a list, an old form of the word `all`.
    fn wildcard(&self, list: Index) -> Option<&'a Node> {
        let is_wildcard = |node: &&Node| matches!(&node.kind, Kind::String(text) if &**text == "*");
        self.document.inside(list).map(|(_, node)| node).find(is_wildcard)
    }

    /// Returns a fault if a list has other elements beside its wildcard.
    fn mixed_wildcard(&self, list: Index) -> Option<Diagnostic> {
        let (wildcard, node) = (self.wildcard(list)?, self.node(list)?);
        let is_other = |node: &Node| node.kind != wildcard.kind;
        let detail = "Cannot mix wildcard string \"*\" with non-wildcard references.";
        let summary = "Invalid ignore_changes ruleset";
        let mixes = self.document.inside(list).any(|(_, node)| is_other(node));
        mixes.then(|| Diagnostic::error(summary, detail, wildcard.range).within(node.range))
    }

    /// Whether a value has the given kind. Reports a fault for any other kind.
    fn is_static(
        &self,
        index: Index,
        kind: Kind,
        detail: &str,
        faults: &mut Vec<Diagnostic>,
    ) -> bool {
        let other = self.node(index).filter(|node| node.kind != kind);
        faults.extend(
            other.map(|node| Diagnostic::error("Invalid expression", detail, node.start())),
        );
        other.is_none()
    }

    fn list<T>(
        &self,
        index: Index,
        faults: &mut Vec<Diagnostic>,
        element: impl Fn(&Self, Index, &mut Vec<Diagnostic>) -> T,
    ) -> Vec<T> {
        if !self.is_static(index, Kind::Array, "A static list expression is required.", faults) {
            return Vec::new();
        }
        self.document.inside(index).map(|(index, _)| element(self, index, faults)).collect()
    }

    fn expression(
        &self,
        index: Index,
        faults: &mut Vec<Diagnostic>,
    ) -> Option<(String, Vec<String>)> {
        let Some((text, range)) = self.string(index) else {
            if let Some(node) = self.node(index) {
                let detail = "A single reference string is required.";
                let summary = "Invalid reference expression";
                faults.push(Diagnostic::error(summary, detail, node.range));
            }
            return None;
        };
        if let Some(parsed) = expression::parse(text) {
            return Some((text.trim().to_owned(), expression::references(&parsed)));
        }
        faults.extend(expression_faults(text, range.start));
        None
    }

    /// Returns the reference in a string that is only `${ }`.
    fn interpolated_reference(&self, index: Index) -> Option<String> {
        let (text, _) = self.string(index)?;
        reference_of(text.strip_prefix("${")?.strip_suffix('}')?)
    }

    fn providers(&self, index: Index, faults: &mut Vec<Diagnostic>) -> Vec<(String, String)> {
        if !self.is_static(index, Kind::Object, "A static map expression is required.", faults) {
            return Vec::new();
        }
        let mut pairs = Vec::new();
        for (index, property) in self.document.inside(index) {
            let child = reference_of(property.name());
            if let (None, Some(name)) = (&child, &property.name) {
                faults.push(Diagnostic::error("Invalid expression", NOT_STATIC, name.range));
            }
            let parent = self.interpolated_reference(index);
            let parent = parent.or_else(|| self.reference(index, faults));
            if let (Some(child), Some(parent)) = (child, parent) {
                pairs.push((child, parent));
            }
        }
        pairs
    }
}

fn reference_of(text: &str) -> Option<String> {
    expression::reference(&expression::parse(text)?)
}

/// Returns the faults of a string that is not an expression. As in HCL, offsets start at the quote.
fn expression_faults(text: &str, start: Position) -> Vec<Diagnostic> {
    let range = |offset: usize, length: u32| {
        let at = super::position::advance(start, text.get(..offset).unwrap_or_default());
        Range::new(at, at.plus(length))
    };
    let stray = |char: char| matches!(char, '$' | '#' | '@' | '`' | '\'' | '\\' | '^' | '~');
    if let Some(offset) = text.find(stray) {
        let unused = "This character is not used within the language.";
        let start = "Expected the start of an expression, but found an invalid expression token.";
        return vec![
            Diagnostic::error("Invalid character", unused, range(offset, 1)),
            Diagnostic::error("Invalid expression", start, range(offset, 1)),
        ];
    }
    let detail = "Expected the start of an expression, but found the end of the file.";
    vec![Diagnostic::error("Missing expression", detail, range(text.len(), 0))]
}
