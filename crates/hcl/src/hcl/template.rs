//! Templates in strings: text with `${ }` and `%{ }`.
//!
//! This reader splits a template into its parts, and reports faults in the words of HCL. The text
//! between the braces is parsed as an expression.

use hcl_edit::expr::Expression;

use super::diagnostic::{Diagnostic, did_you_mean, suggestion};
use super::expression::{self, References};
use super::position::{Position, Range, advance};
use super::scan::closing_brace;
use plansift_cty::quote;

/// A part of a template.
#[derive(Debug)]
pub enum TemplatePart {
    /// Literal text.
    Literal(String),
    /// `${ }`
    Interpolation(Box<Expression>),
    /// `%{ if }` or `%{ for }` up to its end, with everything in between.
    Directive {
        /// HCL's name for the directive.
        form: &'static str,
        /// The references inside the directive.
        references: Vec<String>,
    },
}

/// A template.
#[derive(Debug)]
pub struct Template {
    /// The parts, in order.
    pub parts: Vec<TemplatePart>,
}

impl Template {
    /// Returns the references of all parts, in order.
    pub fn references(&self) -> Vec<String> {
        let mut all = Vec::new();
        for part in &self.parts {
            match part {
                TemplatePart::Literal(_) => {}
                TemplatePart::Interpolation(inner) => all.extend(expression::references(inner)),
                TemplatePart::Directive { references, .. } => {
                    all.extend(references.iter().cloned())
                }
            }
        }
        all
    }
}

impl Template {
    /// Returns the text of a template whose parts are constants. `None` for any other template.
    pub fn constant(&self) -> Option<String> {
        let part = |part: &TemplatePart| match part {
            TemplatePart::Literal(text) => Some(text.clone()),
            TemplatePart::Interpolation(inner) => expression::constant(inner),
            TemplatePart::Directive { .. } => None,
        };
        self.parts.iter().map(part).collect()
    }
}

/// True if a text can have `${ }`, `%{ }` or an escape of them.
pub fn has_markers(text: &str) -> bool {
    text.contains("${") || text.contains("%{")
}

/// An open `%{ if }` or `%{ for }`.
struct Open {
    keyword: &'static str,
    has_else: bool,
    form: &'static str,
    range: Range,
    /// The number of variables that were bound before the directive.
    bound: usize,
}

struct Reader<'a> {
    text: &'a str,
    /// The range of the first token, at which HCL reports some faults of later tokens.
    first: Range,
    /// The offset up to which the template is read, and the position of this offset in the file.
    at: usize,
    position: Position,
    file: &'a str,
    parts: Vec<TemplatePart>,
    open: Vec<Open>,
    /// The references of the outermost open directive.
    references: References,
    /// True after `~}`, which strips the whitespace that follows.
    strips: bool,
}

/// Reads a template. `position` is the position of its first character in `file`.
///
/// # Errors
///
/// Returns the faults of the template, at least one.
pub fn parse(text: &str, position: Position, file: &str) -> Result<Template, Vec<Diagnostic>> {
    let mut reader = Reader {
        text,
        first: first_token(text, position),
        at: 0,
        position,
        file,
        parts: Vec::new(),
        open: Vec::new(),
        references: References::default(),
        strips: false,
    };
    while reader.at < text.len() {
        reader.literal();
        if reader.at < text.len() {
            reader.sequence()?;
        }
    }
    if let Some(open) = reader.open.last() {
        let detail = format!(
            "The {} directive at {file}:{} is missing its corresponding end{} directive.",
            open.keyword,
            open.range.shown(),
            open.keyword
        );
        let end = Range::new(reader.position, reader.position);
        return Err(vec![Diagnostic::error("Unexpected end of template", detail, end)]);
    }
    Ok(Template { parts: reader.parts })
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self, count: usize) {
        let passed = self.text.get(self.at..self.at + count).unwrap_or_default();
        self.position = advance(self.position, passed);
        self.at += count;
    }

    /// Reads text up to `${`, `%{` or the end.
    fn literal(&mut self) {
        let mut text = String::new();
        let bytes = self.rest().as_bytes();
        let mut at = 0;
        while let Some(offset) = memchr::memchr2(b'$', b'%', bytes.get(at..).unwrap_or_default()) {
            let start = at + offset;
            text.push_str(self.rest().get(at..start).unwrap_or_default());
            let sign = bytes.get(start).copied().unwrap_or_default();
            let signs = bytes.iter().skip(start).take_while(|byte| **byte == sign).count();
            let opens = bytes.get(start + signs) == Some(&b'{');
            at = start;
            if opens && signs == 1 {
                break;
            }
            // Several signs before a brace are an escape, and lose one sign.
            let kept = start + usize::from(opens)..start + signs + usize::from(opens);
            text.push_str(self.rest().get(kept.clone()).unwrap_or_default());
            at = kept.end;
        }
        let opens = matches!(bytes.get(at..at + 2), Some(b"${" | b"%{"));
        if !opens {
            text.push_str(self.rest().get(at..).unwrap_or_default());
            at = bytes.len();
        }
        let strips_end = opens && bytes.get(at + 2) == Some(&b'~');
        self.step(at);
        if text.is_empty() {
            return;
        }
        let mut kept = text.as_str();
        if self.strips {
            kept = kept.trim_start();
        }
        if strips_end {
            kept = kept.trim_end();
        }
        self.strips = false;
        if self.open.is_empty() {
            self.parts.push(TemplatePart::Literal(kept.to_owned()));
        }
    }

    /// Reads `${ }` or `%{ }`.
    fn sequence(&mut self) -> Result<(), Vec<Diagnostic>> {
        let start = self.position;
        let is_directive = self.rest().starts_with('%');
        let inner = self.at + 2;
        let Some(end) = closing_brace(self.text, inner) else {
            return Err(self.unclosed(is_directive));
        };
        let source = self.text.get(inner..end).unwrap_or_default();
        let strips = source.ends_with('~');
        let inside = start.plus(2 + u32::from(source.starts_with('~')));
        let source = source.strip_prefix('~').unwrap_or(source);
        let source = source.strip_suffix('~').unwrap_or(source);
        if is_directive {
            let after = advance(start, self.text.get(self.at..=end).unwrap_or_default());
            self.directive(source, inside, Range::new(start, after))?;
        } else if let Some(inner) = expression::parse(source) {
            if self.open.is_empty() {
                self.parts.push(TemplatePart::Interpolation(Box::new(inner)));
            } else {
                self.references.expression(&inner);
            }
        } else {
            return Err(faults_of(source, inside, self.first));
        }
        self.step(end + 1 - self.at);
        self.strips = strips;
        Ok(())
    }

    /// Returns the fault of a sequence whose closing brace is missing.
    fn unclosed(&self, is_directive: bool) -> Vec<Diagnostic> {
        let inner = self.rest().get(2..).unwrap_or_default();
        let inner = inner.strip_prefix('~').unwrap_or(inner);
        if inner.trim().is_empty() && !is_directive {
            let end = advance(self.position, self.rest());
            let detail = "Expected the start of an expression, but found the end of the file.";
            return vec![Diagnostic::error("Missing expression", detail, Range::new(end, end))];
        }
        if is_directive {
            let range = Range::new(self.position, self.position.plus(2));
            let detail = "There is no closing brace for this directive before the end of the \
                          file. This might be caused by incorrect nesting inside the directive.";
            return vec![Diagnostic::error("Unclosed template control sequence", detail, range)];
        }
        let detail = "There is no closing brace for this interpolation sequence before the end of \
                      the file. This might be caused by incorrect nesting inside the given \
                      expression.";
        vec![Diagnostic::error("Unclosed template interpolation sequence", detail, self.first)]
    }

    fn directive(
        &mut self,
        source: &str,
        inside: Position,
        range: Range,
    ) -> Result<(), Vec<Diagnostic>> {
        let trimmed = source.trim_start();
        let at = advance(inside, source.get(..source.len() - trimmed.len()).unwrap_or_default());
        let is_word = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
        let is_start = |char: char| char.is_alphabetic() || char == '_';
        let length = trimmed.find(|char| !is_word(char)).unwrap_or(trimmed.len());
        let length = if trimmed.starts_with(is_start) { length } else { 0 };
        let (word, rest) = trimmed.split_at(length);
        let word_range = Range::new(at, advance(at, word));
        match word {
            "if" => self.open_if(rest, word_range, range),
            "for" => self.open_for(rest, word_range, range),
            "else" | "endif" | "endfor" => {
                let extra = rest.trim_start();
                if !extra.is_empty() {
                    let skipped = rest.get(..rest.len() - extra.len()).unwrap_or_default();
                    let place = advance(word_range.end, skipped);
                    return Err(vec![extra_in_marker(word, self.first.start, place)]);
                }
                self.balance(word, range)
            }
            _ => Err(vec![unknown_keyword(word, word_range, range.start)]),
        }
    }

    /// Continues or closes the innermost open directive.
    fn balance(&mut self, word: &str, range: Range) -> Result<(), Vec<Diagnostic>> {
        let detail = match (self.open.last_mut(), word) {
            (Some(open), "else") if open.keyword == "if" && !open.has_else => {
                open.has_else = true;
                return Ok(());
            }
            (Some(open), "endif" | "endfor") if word.ends_with(open.keyword) => {
                self.close();
                return Ok(());
            }
            (Some(open), _) => {
                let what = match (word, open.keyword) {
                    ("endfor", _) => "Expecting an endif directive for the if started",
                    (_, "for") => {
                        "Expecting an endfor directive corresponding to the for directive"
                    }
                    _ => "Already in the else clause for the if started",
                };
                format!("{what} at {}:{}.", self.file, open.range.shown())
            }
            (None, _) => "The control directives within this template are unbalanced.".to_owned(),
        };
        let summary = match word {
            "else" => "Unexpected else directive",
            "endif" => "Unexpected endif directive",
            _ => "Unexpected endfor directive",
        };
        Err(vec![Diagnostic::error(summary, detail, range)])
    }

    fn open(&mut self, keyword: &'static str, form: &'static str, range: Range) {
        let bound = self.references.bound.len();
        self.open.push(Open { keyword, has_else: false, form, range, bound });
    }

    fn open_if(&mut self, rest: &str, word: Range, range: Range) -> Result<(), Vec<Diagnostic>> {
        let Some(condition) = expression::parse(rest) else {
            return Err(faults_of(rest, word.end, range));
        };
        self.open("if", "Conditional", range);
        self.references.expression(&condition);
        Ok(())
    }

    /// Reads `for value in collection` or `for key, value in collection`.
    fn open_for(&mut self, rest: &str, word: Range, range: Range) -> Result<(), Vec<Diagnostic>> {
        let head = rest.split_once(" in ").map(|(names, collection)| {
            (names.split(',').map(str::trim).collect::<Vec<_>>(), expression::parse(collection))
        });
        let is_name = |name: &&str| {
            !name.is_empty()
                && name.chars().all(|char| char.is_alphanumeric() || "_-".contains(char))
        };
        let head = head.filter(|(names, _)| names.len() <= 2 && names.iter().all(is_name));
        let Some((names, Some(collection))) = head else {
            return Err(faults_of(rest, word.end, range));
        };
        self.open("for", "TemplateJoin", range);
        self.references.expression(&collection);
        self.references.bound.extend(names.into_iter().map(str::to_owned));
        Ok(())
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        self.references.bound.truncate(open.bound);
        if self.open.is_empty() {
            let references = std::mem::take(&mut self.references.found);
            self.parts.push(TemplatePart::Directive { form: open.form, references });
        }
    }
}

/// Returns the range of the first token of a template: the text before `${` or `%{`, or one of
/// these markers.
fn first_token(text: &str, position: Position) -> Range {
    let bytes = text.as_bytes();
    let opens = |at: usize| matches!(bytes.get(at..at + 2), Some(b"${" | b"%{"));
    let is_escaped = |at: usize| at > 0 && bytes.get(at - 1) == bytes.get(at);
    let length = if opens(0) {
        2 + usize::from(bytes.get(2) == Some(&b'~'))
    } else {
        (1..bytes.len()).find(|at| opens(*at) && !is_escaped(*at)).unwrap_or(bytes.len())
    };
    Range::new(position, advance(position, text.get(..length).unwrap_or_default()))
}

/// Returns the fault of extra characters after `else`, `endif` or `endfor` in a directive.
fn extra_in_marker(word: &str, start: Position, place: Position) -> Diagnostic {
    let summary = match word {
        "else" => "Extra characters in else marker",
        "endif" => "Extra characters in endif marker",
        _ => "Extra characters in endfor marker",
    };
    let detail = "Expected a closing brace to end the sequence, but found extra characters.";
    let range = Range::new(place, place.plus(1));
    Diagnostic::error(summary, detail, range).within(Range::new(start, range.end))
}

/// Returns the fault of a word that is not a directive keyword, or of a missing keyword.
fn unknown_keyword(word: &str, range: Range, start: Position) -> Diagnostic {
    if word.is_empty() {
        let detail = "A template directive keyword (\"if\", \"for\", etc) is expected at the \
                      beginning of a %{ sequence.";
        let range = Range::new(range.start, range.start.plus(1));
        let error = Diagnostic::error("Invalid template directive", detail, range);
        return error.within(Range::new(start, range.end));
    }
    let known = suggestion(word, ["if", "for", "else", "endif", "endfor"]);
    let detail =
        format!("{} is not a valid template control keyword.{}", quote(word), did_you_mean(known));
    let error = Diagnostic::error("Invalid template control keyword", detail, range);
    error.within(Range::new(start, range.end))
}

/// Returns the faults of an expression that cannot be parsed. The context of a diagnostic begins at
/// the start of `first`: the first token of the template, or the directive around the expression.
pub fn faults_of(source: &str, inside: Position, first: Range) -> Vec<Diagnostic> {
    let error = Diagnostic::error;
    let trimmed = source.trim_start();
    let at = advance(inside, source.get(..source.len() - trimmed.len()).unwrap_or_default());
    let next = |at: Position| Range::new(at, at.plus(1));
    if !expression::has_small_objects(source) {
        let detail = "An object of the expression has more than 10000 keys.";
        return vec![error("Expression too large", detail, next(at))];
    }
    if trimmed.is_empty() {
        let detail = "Expected the start of an expression, but found an invalid expression token.";
        return vec![error("Invalid expression", detail, next(at))];
    }
    let stray = |char: char| char.is_control() && !char.is_whitespace();
    let mut faults = Vec::new();
    if let Some(offset) = trimmed.find(stray) {
        let place = next(advance(at, trimmed.get(..offset).unwrap_or_default()));
        let detail = "This character is not used within the language.";
        faults.push(error("Invalid character", detail, place));
    }
    let length = longest_expression(trimmed);
    let before = trimmed.get(..length).unwrap_or_default();
    let rest = trimmed.get(length..).unwrap_or_default();
    let gap = rest.len() - rest.trim_start().len();
    let place = advance(at, before);
    let place = advance(place, rest.get(..gap).unwrap_or_default());
    if length == 0 {
        let detail = "Expected the start of an expression, but found an invalid expression token.";
        faults.push(error("Invalid expression", detail, next(place)));
        return faults;
    }
    let token = if rest.trim_start().starts_with("...") { 3 } else { 1 };
    let range = Range::new(place, place.plus(token));
    let detail = "Expected a closing brace to end the interpolation expression, but found extra \
                  characters.\n\nThis can happen when you include interpolation syntax for \
                  another language, such as shell scripting, but forget to escape the \
                  interpolation start token. If this is an embedded sequence for another \
                  language, escape it by starting with \"$${\" instead of just \"${\".";
    let extra = error("Extra characters after interpolation expression", detail, range);
    faults.push(extra.within(Range::new(first.start, range.end)));
    faults
}

/// Returns the length of the longest prefix of a text that is an expression.
fn longest_expression(text: &str) -> usize {
    // Each attempt parses the prefix again, so only the first 200 bytes are searched.
    let text = text.get(..text.len().min(200)).unwrap_or_default();
    let ends = text.char_indices().map(|(at, _)| at).rev();
    let mut ends =
        ends.filter(|end| text.get(..*end).is_some_and(|start| start.trim_end().len() == *end));
    ends.find(|end| text.get(..*end).is_some_and(|start| expression::parse(start).is_some()))
        .unwrap_or_default()
}
