//! Reads the arguments of a configuration in JSON as their schema says, and finds references and
//! faults in them.

use unicode_normalization::UnicodeNormalization;

use super::block::Attribute;
use super::diagnostic::{DIAGNOSTICS_MAX, Diagnostic, quoted};
use super::expression;
use super::json::{Document, Index, Kind, Node};
use super::position::{Position, Range};
use super::schema::Reading;
use super::template::{self, Template};
use super::type_constraint;

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
    /// The faults of the template.
    pub fn template(&self, text: &str, range: Range) -> Result<Template, Vec<Diagnostic>> {
        template::parse(text, range.start.plus(1), self.file)
    }

    /// The references of a value, in order, with repetitions. Names of properties count too.
    #[must_use]
    pub fn references(&self, index: Index) -> Vec<String> {
        let mut all = Vec::new();
        let mut collect = |text: &str, range| {
            if template::has_markers(text) {
                all.extend(self.template(text, range).iter().flat_map(Template::references));
            }
        };
        for (at, node) in self.document.below(index) {
            if let (Some(name), true) = (&node.name, at != index) {
                collect(&name.text, name.range);
            }
            if let Kind::String(text) = &node.kind {
                collect(text, node.range);
            }
        }
        all
    }

    /// The faults of objects with duplicate properties. This is for values only: bodies have their
    /// own rules about duplicates.
    #[must_use]
    pub fn duplicates(&self, index: Index) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for (object, node) in self.document.below(index) {
            if node.kind != Kind::Object || faults.len() >= DIAGNOSTICS_MAX {
                continue;
            }
            let mut seen = std::collections::HashMap::new();
            for (_, property) in self.document.inside(object) {
                let Some(name) = &property.name else {
                    continue;
                };
                let text: String = name.text.nfc().collect();
                if let Some(first) = seen.get(&text) {
                    if faults.len() >= DIAGNOSTICS_MAX {
                        break;
                    }
                    let first: &Range = first;
                    let detail = format!(
                        "An attribute named {} was already defined at {}:{}.",
                        quoted(&text),
                        self.file,
                        first.shown()
                    );
                    let summary = "Duplicate object attribute";
                    faults.push(Diagnostic::error(summary, detail, name.range));
                } else {
                    seen.insert(text, name.range);
                }
            }
        }
        faults
    }

    /// All faults of an argument: duplicate properties, invalid templates, and a wrong form.
    #[must_use]
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
    #[must_use]
    pub fn read(&self, attribute: &Attribute<Index>) -> (Option<ArgumentValue>, Vec<Diagnostic>) {
        let mut faults = Vec::new();
        let index = attribute.value;
        let read = match attribute.reading {
            Reading::Value | Reading::Literal => None,
            Reading::Reference => {
                Some(ArgumentValue::Reference(self.reference(index, &mut faults)))
            }
            Reading::References => {
                Some(ArgumentValue::References(
                    self.list(index, &mut faults, |at, faults| self.reference(at, faults)),
                ))
            }
            Reading::Paths if self.string(index).is_some_and(|(text, _)| text == "all") => {
                Some(ArgumentValue::All)
            }
            Reading::Paths => {
                Some(ArgumentValue::References(
                    self.list(index, &mut faults, |at, faults| self.reference(at, faults)),
                ))
            }
            Reading::Keyword => {
                self.string(index).map(|(text, _)| ArgumentValue::Keyword(text.trim().to_owned()))
            }
            Reading::Keywords => {
                let words = self.list(index, &mut faults, |at, _| {
                    self.string(at).map(|(text, _)| text.trim().to_owned())
                });
                Some(ArgumentValue::Keywords(words.into_iter().flatten().collect()))
            }
            Reading::Expression => {
                Some(ArgumentValue::Expression(self.expression(index, &mut faults)))
            }
            Reading::Expressions => {
                Some(ArgumentValue::Expressions(
                    self.list(index, &mut faults, |at, faults| self.expression(at, faults)),
                ))
            }
            Reading::Type => self.type_constraint(index, &mut faults),
            Reading::Providers => {
                Some(ArgumentValue::Providers(self.providers(index, &mut faults)))
            }
        };
        (read, faults)
    }

    fn reference(&self, index: Index, faults: &mut Vec<Diagnostic>) -> Option<String> {
        let found = self.string(index).and_then(|(text, _)| reference_of(text));
        if let (None, Some(node)) = (&found, self.node(index)) {
            faults.push(Diagnostic::error("Invalid expression", NOT_STATIC, node.range));
        }
        found
    }

    fn list<T>(
        &self,
        index: Index,
        faults: &mut Vec<Diagnostic>,
        element: impl Fn(Index, &mut Vec<Diagnostic>) -> T,
    ) -> Vec<T> {
        let Some(node) = self.node(index) else {
            return Vec::new();
        };
        if node.kind != Kind::Array {
            let detail = "A static list expression is required.";
            faults.push(Diagnostic::error("Invalid expression", detail, node.start()));
            return Vec::new();
        }
        self.document.inside(index).map(|(index, _)| element(index, faults)).collect()
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

    fn type_constraint(&self, index: Index, faults: &mut Vec<Diagnostic>) -> Option<ArgumentValue> {
        let (text, range) = self.string(index)?;
        match type_constraint::parse(text, range) {
            Ok(constraint) => Some(ArgumentValue::Type(constraint.cty, constraint.has_defaults)),
            Err(fault) => {
                faults.push(fault);
                None
            }
        }
    }

    fn providers(&self, index: Index, faults: &mut Vec<Diagnostic>) -> Vec<(String, String)> {
        let Some(node) = self.node(index) else {
            return Vec::new();
        };
        if node.kind != Kind::Object {
            let detail = "A static map expression is required.";
            faults.push(Diagnostic::error("Invalid expression", detail, node.start()));
            return Vec::new();
        }
        let mut pairs = Vec::new();
        for (index, property) in self.document.inside(index) {
            let child = reference_of(property.name());
            if let (None, Some(name)) = (&child, &property.name) {
                faults.push(Diagnostic::error("Invalid expression", NOT_STATIC, name.range));
            }
            if let (Some(child), Some(parent)) = (child, self.reference(index, faults)) {
                pairs.push((child, parent));
            }
        }
        pairs
    }
}

/// Parses a string as a reference.
fn reference_of(text: &str) -> Option<String> {
    expression::reference(&expression::parse(text)?)
}

/// The faults of a string that is not an expression. As in HCL, offsets count from the quote.
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
