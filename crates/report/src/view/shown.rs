//! Renders a value for display: one line of text, with secrets hidden.

use std::borrow::Cow;

use super::element::Element;
use super::{Detail, ViewSettings};
use plansift_core::error::Result;
use plansift_core::json::descent::Descent;
use plansift_core::json::number;
use plansift_core::json::value::{Kind, Text, Value, WalkEvent};
use plansift_core::json::word::Word;
use plansift_core::path::is_attribute_name;
use plansift_core::text_document::{DOCUMENT_DEPTH_MAX, Syntax, TextDocument, Unread};
use plansift_plan::marks::marked_paths::{MarkedPaths, MarksElsewhere};
use plansift_plan::marks::parts::Declared;
use plansift_plan::marks::{ECHO, MASK, is_mask};
use plansift_plan::marks::{Marks, Subject};
use plansift_plan::record::{Excerpt, Shown};
use plansift_redact::secret::{Collected, items};

/// Maximum length of the text of a value, in bytes. A short scalar at the end may exceed it.
pub const EXCERPT_MAX: usize = 16 << 10;

/// Replaces a string that is too long or too deep to parse, or a document nested deeper than
/// [`DOCUMENT_DEPTH_MAX`]. Such a string is not searched for secrets, so it may contain some.
pub(super) const DEEPER: &str = "… (not shown: too long or too deep to search for secrets)";

/// Maximum length of the text of a value, in bytes, after [`ValueRenderer::shorten_values`].
const BRIEF: usize = 256;

/// Renders the values of a change.
#[derive(Debug)]
pub(super) struct ValueRenderer<'s> {
    known: &'s Collected,
    /// Finds the keys that are secret by name.
    names: Marks,
    detail: Detail,
    excerpt_max: usize,
    /// Number of documents in strings around the current value.
    depth: u32,
    /// The offsets of the marked values in the current change or document, in ascending order.
    pub(super) hidden: Vec<u64>,
    /// How the next container is shown, if it is an element of a list.
    pub(super) element: Option<Element>,
    decoded: Vec<u8>,
}

impl<'s> ValueRenderer<'s> {
    pub fn new(known: ViewSettings<'s>) -> ValueRenderer<'s> {
        ValueRenderer {
            known: known.collected,
            names: known.options.marks(&known.options.read.limits),
            detail: known.detail,
            excerpt_max: EXCERPT_MAX,
            depth: 0,
            hidden: Vec::new(),
            element: None,
            decoded: Vec::new(),
        }
    }

    /// Shortens the excerpts of all further values of the current change.
    pub fn shorten_values(&mut self) {
        if self.detail == Detail::Excerpts {
            self.excerpt_max = BRIEF;
        }
    }

    pub fn detail(&self) -> Detail {
        self.detail
    }

    /// Returns the maximum length of the text of a value, in bytes.
    pub fn excerpt_max(&self) -> usize {
        self.excerpt_max
    }

    /// Starts a change, and hides only the values at `offsets`. The offsets must be in ascending
    /// order.
    pub fn hide(&mut self, offsets: Vec<u64>) {
        self.hidden = offsets;
        self.excerpt_max = match self.detail {
            Detail::Excerpts => EXCERPT_MAX,
            Detail::Full => usize::MAX,
        };
    }

    /// Whether nothing in a document is hidden, so that its string may be shown unchanged.
    pub fn shows_all_of(&mut self, document: Value<'_>) -> Result<bool> {
        self.within(&[document], |renderer| {
            let (mut decoded, mut shows_all) = (Vec::new(), renderer.hidden.is_empty());
            for event in document.walk() {
                let event = event?;
                shows_all &= match (event, event.text(&mut decoded)?) {
                    (WalkEvent::Key(key), _) => !renderer.hides_key(&key.decode()?),
                    // A nested document counts as hidden, because its values are not checked here.
                    (WalkEvent::Leaf(Kind::String, _), Some(text)) => {
                        !renderer.is_secret(text) && matches!(TextDocument::of(text), Ok(None))
                    }
                    (_, Some(number)) => !renderer.is_secret_number(number),
                    _ => true,
                };
            }
            Ok(shows_all)
        })
    }

    /// Enters documents in strings, calls `show`, and leaves the documents.
    pub fn within<T>(
        &mut self,
        documents: &[Value<'_>],
        show: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let marked = self.enter(documents)?;
        let shown = show(self);
        self.leave(marked);
        shown
    }

    /// Enters documents in strings. The new hidden offsets are those of the values in the documents
    /// that are secret by name or have the content of a marked document. Returns the previous
    /// offsets, for [`ValueRenderer::leave`].
    ///
    /// # Errors
    ///
    /// Fails if a document is malformed or has a key twice.
    pub fn enter(&mut self, documents: &[Value<'_>]) -> Result<Vec<u64>> {
        let mut named = Vec::new();
        for document in documents {
            named.extend(self.known.secrets.repeated_in(*document)?);
        }
        let documents = if self.names.has_names() { documents } else { &[] };
        for &document in documents {
            let (sides, overlays) = ([Some(document), None], [None; 2]);
            let subject = Subject { sides, overlays, unknown: None, named: false };
            self.names.find(subject, |marked| {
                named.extend(marked.sides.into_iter().flatten().map(Value::offset));
                Ok(())
            })?;
        }
        named.sort_unstable();
        self.depth += 1;
        Ok(std::mem::replace(&mut self.hidden, named))
    }

    /// Leaves documents in strings. Restores the offsets that [`ValueRenderer::enter`] returned.
    pub fn leave(&mut self, marked: Vec<u64>) {
        self.depth -= 1;
        self.hidden = marked;
    }

    /// Whether a value, or a value inside it, is marked.
    pub fn hides_within(&self, value: Value<'_>) -> bool {
        let range = value.range();
        let first = self.hidden.partition_point(|&offset| offset < range.start);
        self.hidden.get(first).is_some_and(|&offset| offset < range.end)
    }

    /// Returns the outputs and variables that the plan declares sensitive.
    pub fn declared(&self) -> &Declared {
        &self.known.declared
    }

    /// Returns the paths that the plan's changes mark.
    pub fn marked_paths(&self) -> &MarkedPaths {
        &self.known.marked_paths
    }

    /// Returns the marks that the plan's changes have on the resource at an address.
    pub fn elsewhere(&mut self, address: Text<'_>) -> Result<Option<MarksElsewhere<'s>>> {
        self.known.marked_paths.of_address(address, &mut self.decoded)
    }

    pub fn hides(&self, value: Value<'_>) -> bool {
        self.hidden.binary_search(&value.offset()).is_ok()
    }

    /// Returns whether to enter a value. A marked value is not entered, because all of it is
    /// hidden.
    pub fn descent(&self, value: Value<'_>) -> Descent {
        if self.hides(value) { Descent::Pass } else { Descent::Enter }
    }

    /// Whether a key is data that repeats a secret.
    pub fn hides_key(&self, key: &str) -> bool {
        match key.strip_prefix('!') {
            // The key is a YAML tag, which is never an attribute name.
            Some(tag) => self.repeats_secret(tag.as_bytes()),
            None => !is_attribute_name(key.as_bytes()) && self.repeats_secret(key.as_bytes()),
        }
    }

    /// Whether a string is completely hidden. This is the case for a secret, for a document equal
    /// to a secret, and for a single line that contains a secret and is not a document.
    pub fn is_secret(&self, text: &[u8]) -> bool {
        self.mask(text).is_some()
    }

    /// Whether an item of a string is a secret.
    pub fn has_secret(&self, text: &[u8]) -> bool {
        let secrets = &self.known.secrets;
        secrets.echo() && items::any(text, &mut |item| secrets.echoed(item).is_some())
    }

    /// Whether a string equals a secret. If the options say so, also whether it contains one.
    fn repeats_secret(&self, text: &[u8]) -> bool {
        let Collected { secrets, contained, .. } = self.known;
        secrets.echoed(text).is_some()
            || contained.as_ref().is_some_and(|contained| contained.is_in(text))
    }

    /// Whether a text equals a secret of any length.
    pub fn equals_secret(&self, text: &[u8]) -> bool {
        self.known.secrets.repeated(text).is_some()
    }

    /// Whether a number is a secret, in its own spelling or in its canonical spelling.
    pub fn is_secret_number(&self, number: &[u8]) -> bool {
        let shared = |number| self.repeats_secret(number::canonical(number, &mut Vec::new()));
        is_mask(number) || self.repeats_secret(number) || (Word::is_whole(number) && shared(number))
    }

    /// Returns the mask to show instead of a completely hidden string; `None` for other strings.
    fn mask(&self, text: &[u8]) -> Option<&'static str> {
        if is_mask(text) {
            return Some(MASK);
        }
        let is_echo = self.repeats_secret(text)
            || self.known.secrets.may_repeat_content(text)
            || !text.trim_ascii_end().contains(&b'\n')
                && self.has_secret(text)
                && matches!(TextDocument::of(text), Ok(None));
        is_echo.then_some(ECHO)
    }

    pub fn show(&mut self, value: Option<Value<'_>>) -> Result<Shown> {
        let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Shown::Absent) };
        if self.hides(value) {
            return Ok(Shown::Sensitive);
        }
        let kind = value.kind()?;
        let mut excerpt = Excerpt::default();
        if matches!(kind, Kind::Object | Kind::Array) {
            self.container(value, &mut excerpt)?;
            return Ok(Shown::Container(excerpt));
        }
        Ok(match self.scalar(value, kind, &mut excerpt)? {
            None => Shown::Scalar(excerpt),
            Some(ECHO) => Shown::Echo,
            Some(_) => Shown::Sensitive,
        })
    }

    /// Renders a list element as one value.
    pub fn show_element(&mut self, value: Value<'_>, mut element: Element) -> Result<Shown> {
        if self.detail == Detail::Full {
            element.nulls = None;
        }
        let is_container = matches!(value.kind()?, Kind::Object | Kind::Array);
        self.element = Some(element).filter(|_| is_container);
        let shown = self.show(Some(value));
        self.element = None;
        shown
    }

    /// Appends a scalar. For a secret scalar, appends nothing and returns the mask to show instead.
    pub(super) fn scalar(
        &mut self,
        value: Value<'_>,
        kind: Kind,
        excerpt: &mut Excerpt,
    ) -> Result<Option<&'static str>> {
        let mut decoded = std::mem::take(&mut self.decoded);
        decoded.clear();
        // Copies the scalar, because another process may modify the file. The shown bytes must be
        // the bytes that were checked.
        match kind {
            Kind::String => value.string()?.copy_to(&mut decoded)?,
            _ => decoded.extend_from_slice(value.raw()),
        }
        let text = &*decoded;
        let mask = match kind {
            Kind::String => self.mask(text),
            Kind::Number if self.is_secret_number(text) => Some(ECHO),
            _ => None,
        };
        let document = if kind == Kind::String { TextDocument::of(text) } else { Ok(None) };
        match document {
            _ if mask.is_some() => {}
            Err(Unread) => push_unread(excerpt, text),
            Ok(Some(_)) if self.depth == DOCUMENT_DEPTH_MAX => push_unread(excerpt, text),
            Ok(None) => match kind {
                Kind::String => excerpt.push(&self.by_line(text), kind, self.excerpt_max),
                _ => excerpt.push(text, kind, self.excerpt_max),
            },
            Ok(Some(mut document)) => self.document(&mut document, text, excerpt),
        }
        self.decoded = decoded;
        Ok(mask)
    }

    /// Appends the document in the string `text`.
    fn document(&mut self, document: &mut TextDocument, text: &[u8], excerpt: &mut Excerpt) {
        let encoder = document.syntax.encoder();
        let is_yaml = document.syntax != Syntax::Json;
        let value = document.value();
        if is_yaml && self.shows_all_of(value).unwrap_or(false) {
            // YAML is shown as text, because it may contain comments.
            return excerpt.push(&self.by_line(text), Kind::String, self.excerpt_max);
        }
        // Otherwise the values are shown one by one, because some may be secret.
        excerpt.text.push_str(encoder);
        excerpt.text.push('(');
        let shown = self.within(&[value], |renderer| renderer.container(value, excerpt));
        if shown.is_err() {
            // The document has a duplicate key, so secrets cannot be found reliably by name.
            excerpt.text.push_str(MASK);
        }
        excerpt.text.push(')');
    }

    /// Returns a string with secrets masked. A document with a secret is masked as a whole.
    pub fn whole_text(&mut self, text: String) -> String {
        match TextDocument::of(text.as_bytes()) {
            _ if self.is_secret(text.as_bytes()) => self.text(text),
            Err(Unread) => DEEPER.to_owned(),
            Ok(None) => self.text(text),
            Ok(Some(mut document)) => {
                let shows_all = self.shows_all_of(document.value()).unwrap_or(false);
                match (shows_all, document.syntax) {
                    (false, _) => ECHO.to_owned(),
                    (true, Syntax::Json) => text,
                    // A secret may be in a comment, which is not part of the values.
                    (true, _) => self.text(text),
                }
            }
        }
    }

    /// Returns a string with secrets masked.
    pub fn text(&self, text: String) -> String {
        if let Some(mask) = self.mask(text.as_bytes()) {
            return mask.to_owned();
        }
        match self.by_line(text.as_bytes()) {
            Cow::Borrowed(_) => text,
            Cow::Owned(shown) => String::from_utf8_lossy(&shown).into_owned(),
        }
    }

    /// Returns a line of a text, or a mask if the line contains a secret.
    pub fn line<'t>(&self, line: &'t str) -> &'t str {
        self.mask_of_line(line.as_bytes()).unwrap_or(line)
    }

    /// Returns the mask to show instead of a line that contains a secret; `None` for other lines.
    fn mask_of_line(&self, line: &[u8]) -> Option<&'static str> {
        if is_mask(line.trim_ascii()) {
            return Some(MASK);
        }
        let is_echo = self.repeats_secret(line.trim_ascii())
            || self.known.secrets.may_repeat_content(line)
            || self.has_secret(line);
        is_echo.then_some(ECHO)
    }

    /// Returns a text in which each line that contains a secret is masked.
    fn by_line<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mask = |line: &[u8]| self.mask_of_line(line).map(str::as_bytes);
        let lines = || text.split(|byte| *byte == b'\n');
        if !lines().any(|line| mask(line).is_some()) {
            return Cow::Borrowed(text);
        }
        let mut shown = Vec::with_capacity(text.len());
        for line in lines() {
            shown.extend_from_slice(mask(line).unwrap_or(line));
            shown.push(b'\n');
        }
        shown.pop();
        Cow::Owned(shown)
    }
}

/// Appends [`DEEPER`] instead of a string that is not searched for secrets.
fn push_unread(excerpt: &mut Excerpt, text: &[u8]) {
    excerpt.text.push_str(DEEPER);
    excerpt.leave_out(text);
}
