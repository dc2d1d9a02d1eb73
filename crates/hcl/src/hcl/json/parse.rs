//! Parses JSON text into a [`Document`], and recovers from faults like HCL's parser.
//!
//! A fault invalidates the innermost object or array, so the rest of the document stays usable.
//! The parser keeps a stack of open objects and arrays and does not recurse.

use super::text;
use super::token::{Kind as Token, Scanner, Token as Lexeme};
use super::{DEPTH_MAX, Document, Kept, Kind, Name, Node};
use crate::hcl::diagnostic::{Diagnostic, Diagnostics, did_you_mean, suggestion};
use crate::hcl::position::{Position, Range};
use plansift_core::budget::Budget;
use plansift_core::error::Result;
use plansift_core::json::word::Word;
use plansift_cty::quote;

const START_OF_VALUE: &str =
    "A JSON value must start with a brace, a bracket, a number, a string, or a keyword.";

/// An object or array that is not closed yet.
struct Open {
    /// The index of its node; `None` if the value is not kept.
    node: Option<usize>,
    kept: Kept,
    range: Range,
    is_object: bool,
    /// The range of a value that is in the place of a property name.
    not_a_name: Option<Range>,
}

enum ParserStep {
    /// Reads a value, with its name if it is a property of an object.
    Value(Option<Box<Name>>),
    /// Reads the name of a property, or the end of the object.
    Name,
    /// Reads an element, or the end of the array.
    Element,
    /// Reads the comma or closing bracket after a property or an element.
    After,
    /// Ends the parse at a value that is nested too deep.
    TooDeep(Position),
}

struct Parser<'a, 'b> {
    scanner: Scanner<'a>,
    nodes: Vec<Node>,
    open: Vec<Open>,
    diagnostics: Diagnostics,
    /// What is kept inside the outermost value.
    kept: Kept,
    budget: &'b mut Budget,
}

/// Parses the value at a position of a text. Faults become diagnostics. Only values that exceed the
/// budget are an error.
pub fn parse(
    text: &[u8],
    start: Position,
    kept: Kept,
    budget: &mut Budget,
) -> Result<(Document, Diagnostics)> {
    let mut parser = Parser {
        scanner: Scanner::new(text, start),
        nodes: Vec::new(),
        open: Vec::new(),
        diagnostics: Diagnostics::default(),
        kept,
        budget,
    };
    let mut next = ParserStep::Value(None);
    loop {
        next = match next {
            ParserStep::Value(name) => parser.value(name)?,
            ParserStep::Name => parser.name(),
            ParserStep::Element => parser.element(),
            ParserStep::After => match parser.open.last() {
                None => break,
                Some(Open { not_a_name: Some(range), .. }) => parser.not_a_name(*range),
                Some(open) => parser.after(open.range, open.is_object),
            },
            ParserStep::TooDeep(at) => return Ok(too_deep(at)),
        };
        if parser.diagnostics.is_full() {
            while !parser.open.is_empty() {
                parser.abandon();
            }
            break;
        }
    }
    let end = parser.scanner.peek();
    if parser.diagnostics.is_empty() && end.kind != Token::End {
        let detail = "Extra characters appear after the JSON value.";
        parser.diagnostics.error("Extraneous data after value", detail, end.range);
    }
    Ok((Document { nodes: parser.nodes }, parser.diagnostics))
}

impl Parser<'_, '_> {
    /// Adds a node. [`Parser::close`] sets the end of an object or array later.
    fn add(&mut self, kind: Kind, range: Range, name: Option<Box<Name>>) -> Result<()> {
        let name_memory = name.as_ref().map_or(0, |name| NAME + 2 * name.text.len());
        let memory = NODE + kind.text().len() + name_memory;
        self.budget.take(memory, range.start.byte.into())?;
        let end = u32::try_from(self.nodes.len() + 1).unwrap_or(u32::MAX);
        self.nodes.push(Node { kind, range, name, end });
        Ok(())
    }

    /// Returns what is kept inside the next value. `None` if the value is not kept.
    fn kept(&self, name: Option<&Name>) -> Option<Kept> {
        match (self.open.last(), name) {
            (None, _) => Some(self.kept),
            (Some(open), _) if open.node.is_none() => None,
            (Some(open), Some(name)) => open.kept.property(&name.text),
            (Some(open), None) => open.kept.element(),
        }
    }

    fn value(&mut self, name: Option<Box<Name>>) -> Result<ParserStep> {
        let token = self.scanner.peek();
        let range = token.range;
        let kept = self.kept(name.as_deref());
        let kind = match token.kind {
            Token::BraceOpen | Token::BracketOpen => {
                self.scanner.next();
                let is_object = token.kind == Token::BraceOpen;
                if self.open.len() >= DEPTH_MAX {
                    return Ok(ParserStep::TooDeep(range.start));
                }
                let node = kept.map(|_| self.nodes.len());
                let inside = kept.unwrap_or(Kept::Nothing);
                self.open.push(Open { node, kept: inside, range, is_object, not_a_name: None });
                if kept.is_some() {
                    let kind = if is_object { Kind::Object } else { Kind::Array };
                    self.add(kind, range, name)?;
                }
                return Ok(if is_object { ParserStep::Name } else { ParserStep::Element });
            }
            Token::Number => self.number(),
            Token::String => self.string().map(|text| Kind::String(text.into())),
            Token::Keyword => self.keyword(),
            _ => {
                let (summary, detail) = match token.kind {
                    Token::BraceClose => ("Missing JSON value", START_OF_VALUE),
                    Token::BracketClose => ("Missing array element value", START_OF_VALUE),
                    Token::End => ("Missing value", "The JSON data ends prematurely."),
                    _ => ("Invalid start of value", START_OF_VALUE),
                };
                self.diagnostics.error(summary, detail, range);
                None
            }
        };
        if kept.is_some() {
            self.add(kind.unwrap_or(Kind::Invalid), range, name)?;
        }
        Ok(ParserStep::After)
    }

    fn number(&mut self) -> Option<Kind> {
        let token = self.scanner.next();
        let bytes = self.scanner.bytes(token);
        if !Word::is_whole(bytes) {
            let detail = "There is a syntax error in the given JSON number.";
            self.diagnostics.error("Invalid JSON number", detail, token.range);
            return None;
        }
        Some(Kind::Number(String::from_utf8_lossy(bytes).into()))
    }

    fn string(&mut self) -> Option<String> {
        let token = self.scanner.next();
        match text::decode(self.scanner.bytes(token)) {
            Ok(text) => Some(text),
            Err(count) => {
                let start = token.range.start.plus(u32::try_from(count).unwrap_or(u32::MAX));
                let range = Range::new(start, start.plus(1));
                let detail = "There is a syntax error in the given JSON string.";
                let error = Diagnostic::error("Invalid JSON string", detail, range);
                self.diagnostics.push(error.within(token.range));
                None
            }
        }
    }

    fn keyword(&mut self) -> Option<Kind> {
        let token = self.scanner.next();
        let word = String::from_utf8_lossy(self.scanner.bytes(token));
        let detail = match word.as_ref() {
            "true" => return Some(Kind::Bool(true)),
            "false" => return Some(Kind::Bool(false)),
            "null" => return Some(Kind::Null),
            "undefined" | "NaN" | "Infinity" => {
                format!("The JavaScript identifier {} cannot be used in JSON.", quote(&*word))
            }
            _ => {
                let known = suggestion(&word, ["true", "false", "null"]);
                format!("{} is not a valid JSON keyword.{}", quote(&*word), did_you_mean(known))
            }
        };
        self.diagnostics.error("Invalid JSON keyword", detail, token.range);
        None
    }

    /// Closes the innermost object or array.
    fn close(&mut self, end: Range) -> ParserStep {
        if let Some(open) = self.open.pop() {
            let next = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
            if let Some(node) = open.node.and_then(|node| self.nodes.get_mut(node)) {
                node.range = Range::new(open.range.start, end.end);
                node.end = next;
            }
        }
        ParserStep::After
    }

    /// Replaces the innermost object or array with an invalid value, and continues after it.
    fn abandon(&mut self) -> ParserStep {
        if let Some(open) = self.open.pop()
            && let Some(node) = open.node
        {
            self.nodes.truncate(node + 1);
            if let Some(node) = self.nodes.last_mut() {
                node.kind = Kind::Invalid;
                node.range = open.range;
            }
        }
        ParserStep::After
    }

    /// Skips to the likely end of the innermost object or array by counting brackets. `token` is
    /// the token just read.
    fn recover(&mut self, mut token: Lexeme, opening: Token, closing: Token) {
        let mut depth = 1;
        loop {
            if token.kind == opening {
                depth += 1;
            } else if token.kind == closing {
                depth -= 1;
                if depth <= 1 {
                    return;
                }
            } else if token.kind == Token::End {
                return;
            }
            token = self.scanner.next();
        }
    }

    fn name(&mut self) -> ParserStep {
        let token = self.scanner.peek();
        if token.kind == Token::BraceClose {
            self.scanner.next();
            return self.close(token.range);
        }
        if token.kind != Token::String {
            if let Some(open) = self.open.last_mut() {
                open.not_a_name = Some(token.range);
            }
            return ParserStep::Value(None);
        }
        let Some(name) = self.string() else {
            return self.not_a_name(token.range);
        };
        let colon = self.scanner.next();
        if colon.kind == Token::Colon {
            return ParserStep::Value(Some(Box::new(Name {
                text: name.into(),
                range: token.range,
            })));
        }
        self.recover(colon, Token::BraceOpen, Token::BraceClose);
        let (summary, detail) = match colon.kind {
            Token::BraceClose | Token::Comma => (
                "Missing object value",
                "A JSON object attribute must have a value, introduced by a colon.",
            ),
            Token::Equals => (
                "Missing property value colon",
                "JSON uses a colon as its name/value delimiter, not an equals sign.",
            ),
            _ => (
                "Missing property value colon",
                "A colon must appear between an object property's name and its value.",
            ),
        };
        self.diagnostics.error(summary, detail, colon.range);
        self.abandon()
    }

    fn not_a_name(&mut self, range: Range) -> ParserStep {
        let detail = "A JSON object property name must be a string";
        self.diagnostics.error("Invalid object property name", detail, range);
        self.abandon()
    }

    fn element(&mut self) -> ParserStep {
        let token = self.scanner.peek();
        if token.kind == Token::BracketClose {
            self.scanner.next();
            return self.close(token.range);
        }
        ParserStep::Value(None)
    }

    /// Reads the comma or closing bracket after a property or an element. `open` is the range of
    /// the opening bracket.
    fn after(&mut self, open: Range, is_object: bool) -> ParserStep {
        let (opening, closing) = match is_object {
            true => (Token::BraceOpen, Token::BraceClose),
            false => (Token::BracketOpen, Token::BracketClose),
        };
        let token = self.scanner.peek();
        let (summary, detail, range) = match (token.kind, is_object) {
            (kind, _) if kind == closing => {
                self.scanner.next();
                return self.close(token.range);
            }
            (Token::Comma, _) => {
                self.scanner.next();
                if self.scanner.peek().kind != closing {
                    return if is_object { ParserStep::Name } else { ParserStep::Value(None) };
                }
                let (summary, detail) = match is_object {
                    true => ("Trailing comma in object", TRAILING_IN_OBJECT),
                    false => ("Trailing comma in array", TRAILING_IN_ARRAY),
                };
                (summary, detail, token.range)
            }
            (Token::End, true) => {
                ("Unclosed object", "No closing brace was found for this JSON object.", open)
            }
            (Token::End, false) => {
                ("Unclosed object", "No closing bracket was found for this JSON array.", open)
            }
            (Token::BracketClose, _) => {
                self.scanner.next();
                let detail = "A JSON object must be closed with a brace, not a bracket.";
                ("Mismatched braces", detail, token.range)
            }
            (kind, _) => {
                let token = self.scanner.next();
                self.recover(token, opening, closing);
                let (summary, detail) = misplaced(kind, is_object);
                (summary, detail, self.scanner.peek().range)
            }
        };
        self.diagnostics.error(summary, detail, range);
        self.abandon()
    }
}

/// Returns a document without values, for a text that is nested too deep.
fn too_deep(at: Position) -> (Document, Diagnostics) {
    let detail = "Objects and arrays are nested deeper than 10000 levels.";
    let mut diagnostics = Diagnostics::default();
    diagnostics.error("File too large", detail, Range::new(at, at));
    (Document { nodes: Vec::new() }, diagnostics)
}

/// The memory of a node without its texts, in bytes. A growing list has room for twice its nodes.
const NODE: usize = 2 * size_of::<Node>() + ALLOCATION;

/// The memory of a name without its text, in bytes, and of its entry in the search for duplicates.
const NAME: usize = 2 * size_of::<Name>() + ALLOCATION;

/// The memory of an allocation beyond its length, in bytes.
const ALLOCATION: usize = 16;

const TRAILING_IN_OBJECT: &str =
    "JSON does not permit a trailing comma after the final property in an object.";
const TRAILING_IN_ARRAY: &str =
    "JSON does not permit a trailing comma after the final value in an array.";

/// Returns the fault of a token that is in the place of a comma.
fn misplaced(kind: Token, is_object: bool) -> (&'static str, &'static str) {
    let no_comma = "Missing attribute seperator comma";
    match kind {
        _ if is_object => {
            (no_comma, "A comma must appear between each property definition in an object.")
        }
        Token::Colon => {
            ("Invalid array value", "A colon is not used to introduce values in a JSON array.")
        }
        Token::BraceClose => {
            ("Mismatched brackets", "A JSON array must be closed with a bracket, not a brace.")
        }
        _ => (no_comma, "A comma must appear between each value in an array."),
    }
}
