//! Finds where the parts of a native-syntax text begin and end, without parsing expressions.
//!
//! The scanner only recognizes constructs that can hide a bracket or the end of a line: quoted
//! strings, heredocs, comments, and the templates inside strings. It keeps a stack of limited
//! depth, does not recurse, and takes time in proportion to the text. A text that it accepts can
//! still have syntax errors.

use std::ops::Range;

/// The deepest nesting of brackets, strings and templates.
pub const NESTING_MAX: usize = 1000;

/// The deepest nesting of blocks that is measured. hcl-edit refuses deeper ones.
const BODIES_MAX: usize = 64;

/// Maximum number of labels of a block that the scanner keeps. Terraform's blocks have at most two.
const LABELS_MAX: usize = 3;

/// An attribute or a block of a body. Ranges are byte ranges of the scanned text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An attribute.
    Attribute {
        /// The range of the name.
        name: Range<usize>,
        /// The range of the value, with the space around it.
        value: Range<usize>,
    },
    /// A block.
    Block {
        /// The range of the block type.
        kind: Range<usize>,
        /// The ranges of the first three labels, with their quotes.
        labels: Vec<Range<usize>>,
        /// The end of the last label, or of the type for a block without labels.
        head_end: usize,
        /// The range between the braces.
        body: Range<usize>,
    },
}

impl Item {
    /// Returns the offset where the item begins.
    pub fn start(&self) -> usize {
        match self {
            Item::Attribute { name, .. } => name.start,
            Item::Block { kind, .. } => kind.start,
        }
    }

    /// Returns the offset after the item.
    pub fn end(&self) -> usize {
        match self {
            Item::Attribute { value, .. } => value.end,
            Item::Block { body, .. } => body.end + 1,
        }
    }
}

/// The items of a body, in order. Ends after the first fault.
#[derive(Debug)]
pub struct Items<'a> {
    /// The text up to the end of the body.
    text: &'a str,
    at: usize,
}

/// The offset of an item that the scanner does not understand, such as a block that is not closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault(pub usize);

impl<'a> Items<'a> {
    /// Scans the body in a byte range of a text.
    pub fn new(text: &'a str, body: Range<usize>) -> Items<'a> {
        Items { text: text.get(..body.end).unwrap_or(text), at: body.start }
    }

    /// Returns the offset after the line that contains the end of an item. Comments between the
    /// item and the end of the line can contain line ends.
    pub fn line_end(&self, item_end: usize) -> usize {
        let at = skip_inline_space(self.text, item_end);
        let rest = rest_of(self.text, at).as_bytes();
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |end| at + end + 1)
    }

    fn item(&mut self) -> Result<Option<Item>, Fault> {
        self.at = skip_blank(self.text, self.at)?;
        let start = self.at;
        let fault = Fault(start);
        let mut at = match self.text.as_bytes().get(start) {
            None => return Ok(None),
            Some(byte) if starts_word(*byte) => word_end(self.text, start),
            Some(_) => return Err(fault),
        };
        let kind = start..at;
        let (mut labels, mut head_end) = (Vec::new(), at);
        loop {
            at = skip_inline_space(self.text, at);
            let label = match self.text.as_bytes().get(at) {
                Some(b'=') if labels.is_empty() => {
                    let end = end_of(self.text, at + 1, Within::Line).ok_or(fault)?;
                    return Ok(Some(Item::Attribute { name: kind, value: at + 1..end }));
                }
                Some(b'{') => {
                    let end = end_of(self.text, at + 1, Within::Bracket(b'}')).ok_or(fault)?;
                    return Ok(Some(Item::Block { kind, labels, head_end, body: at + 1..end }));
                }
                Some(b'"') => at..end_of(self.text, at + 1, Within::Quotes).ok_or(fault)? + 1,
                Some(byte) if starts_word(*byte) => at..word_end(self.text, at),
                _ => return Err(fault),
            };
            (at, head_end) = (label.end, label.end);
            if labels.len() < LABELS_MAX {
                labels.push(label);
            }
        }
    }
}

impl Iterator for Items<'_> {
    type Item = Result<Item, Fault>;

    fn next(&mut self) -> Option<Result<Item, Fault>> {
        let item = self.item();
        self.at = match &item {
            Ok(Some(item)) => item.end(),
            Ok(None) | Err(_) => self.text.len(),
        };
        item.transpose()
    }
}

/// Returns the offset of the closing brace after an expression that starts at `start`. Quoted
/// strings in the expression end on their line.
pub fn closing_brace(text: &str, start: usize) -> Option<usize> {
    let mut scanner = Scanner::new(text, start, Within::Bracket(b'}'));
    scanner.quotes_end_on_line = true;
    scanner.end()
}

/// The size of a syntax tree, as numbers of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TreeSize {
    /// The number of words, signs and line ends outside of strings and comments.
    pub tokens: usize,
    /// The number of keys of the largest object.
    pub keys: usize,
}

impl TreeSize {
    /// Returns an upper bound for a text of any syntax, which counts strings and comments too.
    pub fn at_most(text: &str) -> TreeSize {
        let mut size = TreeSize::default();
        let mut in_word = false;
        for byte in text.bytes() {
            let was_in_word = std::mem::replace(&mut in_word, is_in_word(byte));
            let continues_word = in_word && was_in_word;
            size.tokens += usize::from(!is_space(byte) && !continues_word);
            size.keys += usize::from(is_assignment(byte));
        }
        size
    }

    /// Returns the size of the tree of a body. `None` if the body is not understood.
    pub fn of_body(text: &str) -> Option<TreeSize> {
        let mut size = TreeSize::default();
        let mut left = vec![Items::new(text, 0..text.len())];
        while let Some(items) = left.last_mut() {
            let Some(item) = items.next() else {
                left.pop();
                continue;
            };
            if left.len() > BODIES_MAX {
                return None;
            }
            let (start, head_end) = match item.ok()? {
                Item::Attribute { name, value } => {
                    let mut scanner = Scanner::new(text, value.start, Within::Line);
                    scanner.measure(&mut size)?;
                    (name.start, value.start)
                }
                Item::Block { kind, head_end, body, .. } => {
                    left.push(Items::new(text, body));
                    (kind.start, head_end)
                }
            };
            size.tokens += TreeSize::at_most(text.get(start..head_end)?).tokens + 2;
        }
        Some(size)
    }

    /// Returns the size of the tree of an expression in parentheses. `None` if the expression is
    /// not understood.
    pub fn of_parenthesis(text: &str) -> Option<TreeSize> {
        let mut size = TreeSize::default();
        Scanner::new(text, 1, Within::Bracket(b')')).measure(&mut size)?;
        Some(size)
    }

    /// Returns the size of the trees of all expressions in a template. `None` if the template is
    /// not understood.
    pub fn of_template(text: &str) -> Option<TreeSize> {
        let mut size = TreeSize::default();
        Scanner::new(text, 0, Within::Template).measure(&mut size)?;
        Some(size)
    }
}

/// The construct around the scanner's position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within<'a> {
    /// A template that ends with the text.
    Template,
    /// The value of an attribute, which ends before a line end or before the brace that closes the
    /// block around it.
    Line,
    /// An expression or a body that ends at this bracket.
    Bracket(u8),
    Quotes,
    /// A heredoc that ends at this word.
    Heredoc(&'a str),
}

/// Returns the offset of the end of a construct: the closing bracket or quote, or the line end.
fn end_of(text: &str, start: usize, within: Within<'static>) -> Option<usize> {
    Scanner::new(text, start, within).end()
}

struct Scanner<'a> {
    text: &'a str,
    start: usize,
    at: usize,
    stack: Vec<Open<'a>>,
    quotes_end_on_line: bool,
    size: TreeSize,
    /// True if hcl-edit can find another end of a string or heredoc than HCL. hcl-edit ends a
    /// heredoc at its word, even if other text follows. It takes a quote between `%{ if }` and
    /// `%{ endif }` for text.
    is_ambiguous: bool,
}

/// A construct that is not closed yet.
struct Open<'a> {
    within: Within<'a>,
    /// The number of keys, if the construct is an object.
    keys: usize,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str, start: usize, within: Within<'a>) -> Scanner<'a> {
        let mut scanner = Scanner {
            text,
            start,
            at: start,
            stack: Vec::new(),
            quotes_end_on_line: false,
            size: TreeSize::default(),
            is_ambiguous: false,
        };
        scanner.open(within);
        scanner
    }

    /// Returns the offset of the end of the outermost construct; `None` if the construct has no
    /// end, if brackets do not match, or if constructs are nested too deep.
    fn end(&mut self) -> Option<usize> {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match self.stack.last()?.within {
                Within::Line if byte == b'\n' => self.close(),
                Within::Line => self.in_expression(byte, b'}')?,
                Within::Bracket(closing) => self.in_expression(byte, closing)?,
                Within::Quotes => match byte {
                    b'\\' => self.at += 2,
                    b'"' => self.close(),
                    b'\n' if self.quotes_end_on_line => return None,
                    _ => self.in_template(),
                },
                Within::Heredoc(word) => self.in_heredoc(word),
                Within::Template => self.in_template(),
            }
            if self.stack.is_empty() {
                return Some(self.at);
            }
            if self.stack.len() > NESTING_MAX {
                return None;
            }
        }
        // The last line of a text needs no line end.
        match self.stack.as_slice() {
            [Open { within: Within::Line | Within::Template, .. }] => Some(self.at),
            _ => None,
        }
    }

    /// Adds the size of the construct to `size`. `None` if the construct is not understood, or if
    /// hcl-edit can understand it in another way.
    fn measure(&mut self, size: &mut TreeSize) -> Option<()> {
        self.end().filter(|_| !self.is_ambiguous)?;
        size.tokens += self.size.tokens;
        size.keys = size.keys.max(self.size.keys);
        Some(())
    }

    fn rest(&self) -> &'a str {
        rest_of(self.text, self.at)
    }

    fn open(&mut self, within: Within<'a>) {
        self.stack.push(Open { within, keys: 0 });
    }

    /// Moves past the end of the innermost construct, but not past the end of the outermost one.
    fn close(&mut self) {
        if let Some(Open { within: Within::Bracket(b'}'), keys }) = self.stack.pop() {
            self.size.keys = self.size.keys.max(keys);
        }
        self.at += usize::from(!self.stack.is_empty());
    }

    /// Moves past a word, a sign, a comment or the start of a heredoc. `None` if the byte is a
    /// wrong closing bracket.
    fn in_expression(&mut self, byte: u8, closing: u8) -> Option<()> {
        self.size.tokens += usize::from(!is_space(byte));
        match byte {
            b'"' => self.open(Within::Quotes),
            b'(' => self.open(Within::Bracket(b')')),
            b'[' => self.open(Within::Bracket(b']')),
            b'{' => self.open(Within::Bracket(b'}')),
            b'#' | b'/' => {
                let rest = self.rest();
                self.at += comment(rest).map_or(1, |end| end.unwrap_or(rest.len()));
                return Some(());
            }
            b'<' => {
                let (length, word) = heredoc(self.rest());
                if let Some(word) = word {
                    self.open(Within::Heredoc(word));
                }
                self.at += length;
                return Some(());
            }
            _ if byte == closing => {
                self.close();
                return Some(());
            }
            b')' | b']' | b'}' => return None,
            _ if is_in_word(byte) => {
                self.at = word_end(self.text, self.at);
                return Some(());
            }
            b'=' | b'!' | b'>' if matches!(self.rest().as_bytes().get(1), Some(b'=' | b'>')) => {
                self.at += 1;
            }
            _ if is_assignment(byte) => {
                if let Some(open) = self.stack.last_mut() {
                    open.keys += 1;
                }
            }
            _ => {}
        }
        self.at += 1;
        Some(())
    }

    /// Moves past the last line of a heredoc, or to the next step in its template.
    fn in_heredoc(&mut self, word: &str) {
        let before = self.text.as_bytes().get(..self.at).and_then(<[u8]>::last);
        if self.at > self.start && before == Some(&b'\n') {
            let line = self.rest().split('\n').next().unwrap_or_default();
            if line.trim() == word {
                self.stack.pop();
                self.at += line.len();
                return;
            }
            let after = line.trim_start().strip_prefix(word);
            self.is_ambiguous |=
                after.is_some_and(|after| !after.bytes().next().is_some_and(is_in_word));
        }
        self.in_template();
    }

    /// Moves to the next step in a template: past a character or an escape, or into an expression.
    fn in_template(&mut self) {
        let bytes = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let Some(&sign @ (b'$' | b'%')) = bytes.first() else {
            self.at += 1;
            return;
        };
        let run = bytes.iter().take_while(|byte| **byte == sign).count();
        let opens = bytes.get(run) == Some(&b'{');
        if opens && run == 1 {
            self.size.tokens += 2;
            let within = self.stack.last().map(|open| open.within);
            self.is_ambiguous |= sign == b'%' && within != Some(Within::Template);
            self.open(Within::Bracket(b'}'));
        }
        self.at += run + usize::from(opens);
    }
}

/// Returns the text from an offset on. The offset can be inside a character that is not ASCII,
/// where no construct begins.
fn rest_of(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

fn is_in_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit() || byte == b'-'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// True for the signs between a key and its value in an object.
fn is_assignment(byte: u8) -> bool {
    matches!(byte, b'=' | b':')
}

/// Returns the end of the word that starts at an offset.
fn word_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes().get(start..).unwrap_or_default();
    start + bytes.iter().take_while(|byte| is_in_word(**byte)).count()
}

/// Skips space and comments between items. An unclosed comment is a fault.
fn skip_blank(text: &str, mut at: usize) -> Result<usize, Fault> {
    loop {
        let rest = rest_of(text, at);
        match rest.as_bytes().first() {
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(b'#' | b'/') => at += comment(rest).flatten().ok_or(Fault(at))?,
            _ => return Ok(at),
        }
    }
}

/// Skips space and closed `/* */` comments.
fn skip_inline_space(text: &str, mut at: usize) -> usize {
    loop {
        let rest = rest_of(text, at);
        at += match rest.as_bytes().first() {
            Some(b' ' | b'\t' | b'\r') => 1,
            Some(b'/') if rest.starts_with("/*") => match comment(rest).flatten() {
                Some(length) => length,
                None => return at,
            },
            _ => return at,
        };
    }
}

/// Returns the length of the comment at the start of a text, without the line end after it. `None`
/// if there is no comment, and `Some(None)` if the comment is not closed.
fn comment(rest: &str) -> Option<Option<usize>> {
    if rest.starts_with('#') || rest.starts_with("//") {
        let end = memchr::memchr(b'\n', rest.as_bytes());
        return Some(Some(end.unwrap_or(rest.len())));
    }
    let comment = rest.strip_prefix("/*")?;
    Some(comment.find("*/").map(|end| end + 4))
}

/// Reads the start of a heredoc at an angle bracket. Returns the length to skip, and the word that
/// ends the heredoc if a heredoc starts.
fn heredoc(rest: &str) -> (usize, Option<&str>) {
    let Some(word) = rest.strip_prefix("<<") else {
        return (1 + usize::from(rest.starts_with("<=")), None);
    };
    let word = word.strip_prefix('-').unwrap_or(word);
    let start = rest.len() - word.len();
    let end = word_end(rest, start);
    let after = rest_of(rest, end);
    let line_end = match after.as_bytes() {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => return (2, None),
    };
    match rest.get(start..end) {
        Some(word) if !word.is_empty() => (end + line_end, Some(word)),
        _ => (2, None),
    }
}

#[cfg(test)]
mod tests;
