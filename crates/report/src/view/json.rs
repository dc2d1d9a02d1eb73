//! Writes values of a piece as compact JSON, with secrets masked as in reports.
//!
//! A marked value becomes [`MASK`], and a string or number that repeats a secret becomes [`ECHO`].
//! If a string contains a document with a secret, the whole string is masked. A path into the
//! document shows its parts one by one.

use std::cell::RefCell;

use super::shown::{DEEPER, ValueRenderer};
use super::{Detail, ViewSettings};
use plansift_core::error::Result;
use plansift_core::json::compact::push_compact;
use plansift_core::json::string::push_quoted;
use plansift_core::json::value::{Kind, Value};
use plansift_core::path::{Step, StepCursor};
use plansift_core::text_document::{TextDocument, Unread};
use plansift_plan::marks::Marks;
use plansift_plan::marks::parts::Parts;
use plansift_plan::marks::{ECHO, MASK};
use plansift_plan::plan::{Piece, PieceKind};
use plansift_plan::record::MaskText;
use plansift_plan::record::values::{MaskValues, SelectedPath};

/// Writes the values of pieces as JSON, one piece after the other.
#[derive(Debug)]
pub struct MaskedJson<'s> {
    renderer: ValueRenderer<'s>,
    marks: Marks,
}

impl<'s> MaskedJson<'s> {
    /// Masks the secrets that were collected from the document.
    pub fn new(known: ViewSettings<'s>) -> MaskedJson<'s> {
        let known = ViewSettings { detail: Detail::Full, ..known };
        let options = known.options;
        let marks = options.marks(&options.read.limits);
        MaskedJson { renderer: ValueRenderer::new(known), marks }
    }
}

impl MaskValues for MaskedJson<'_> {
    fn begin(&mut self, piece: &Piece<'_>) -> Result<bool> {
        let MaskedJson { renderer, marks } = self;
        let mut parts = Parts::of(piece)?;
        let name = piece.name.unwrap_or_default();
        // Plan files have no declarations. Without declarations, every variable may be sensitive.
        let is_undeclared = piece.kind == PieceKind::Variable && !renderer.declared().is_known;
        parts.subject.named = is_undeclared
            || parts.are_declared(piece, renderer.declared())
            || (piece.kind.is_named() && marks.is_name(name));
        let address = parts.address_elsewhere(piece.section);
        let elsewhere = address.map(|address| renderer.elsewhere(address)).transpose()?.flatten();
        let elsewhere = marks.beyond(parts.subject, elsewhere)?;
        let mut hidden = Vec::new();
        marks.find_with(parts.subject, elsewhere, |marked| {
            hidden.extend(marked.sides.into_iter().flatten().map(Value::offset));
            Ok(())
        })?;
        hidden.sort_unstable();
        let root = parts.subject.sides[1];
        let is_secret = root.is_some_and(|root| hidden.binary_search(&root.offset()).is_ok());
        renderer.hide(hidden);
        Ok(is_secret || parts.subject.named)
    }

    fn push_at(
        &mut self,
        root: Value<'_>,
        path: SelectedPath<'_>,
        json: &mut String,
    ) -> Result<bool> {
        match self.at(root, path.outer(), |value, step| value.at([step]))? {
            Some(value) => self.push_in_document(value, path, 0, json),
            None => Ok(false),
        }
    }

    fn push(&mut self, value: Value<'_>, json: &mut String) -> Result<()> {
        let renderer = RefCell::new(&mut self.renderer);
        let entry = |value| renderer.borrow().descent(value);
        push_compact(
            value,
            json,
            entry,
            |value, kind, json| push_scalar(&mut renderer.borrow_mut(), value, kind, json),
            |key, json| {
                let is_secret = renderer.borrow().hides_key(key);
                push_quoted(if is_secret { ECHO } else { key }, json);
            },
        )
    }
}

impl MaskedJson<'_> {
    /// Returns the value at the end of a path, or the marked value around it. `inner` takes a step.
    fn at<'a, 's>(
        &self,
        root: Value<'a>,
        steps: impl Iterator<Item = Step<'s>>,
        inner: impl Fn(Value<'a>, Step<'s>) -> Result<Option<Value<'a>>>,
    ) -> Result<Option<Value<'a>>> {
        let mut value = root;
        for step in steps {
            if self.renderer.hides(value) {
                break;
            }
            let Some(inner) = inner(value, step)? else { return Ok(None) };
            value = inner;
        }
        Ok(Some(value))
    }

    /// Appends the value in the document at a level of `path`, which is in the string `value`.
    /// Below the last level, appends the value itself. A document that cannot be searched for
    /// secrets is masked.
    fn push_in_document(
        &mut self,
        value: Value<'_>,
        path: SelectedPath<'_>,
        level: usize,
        json: &mut String,
    ) -> Result<bool> {
        let Some((decoder, inside)) = path.document(level).filter(|_| !self.renderer.hides(value))
        else {
            return self.push(value, json).map(|()| true);
        };
        if value.kind()? != Kind::String {
            return Ok(false);
        }
        let text = value.text()?;
        if self.renderer.is_secret(text.as_bytes()) {
            push_quoted(&self.renderer.whole_text(text), json);
            return Ok(true);
        }
        let mut document = match TextDocument::decoded(text.as_bytes()) {
            Ok(Some(document)) if document.syntax.decoder() == decoder => document,
            Ok(_) => return Ok(false),
            Err(Unread) => {
                push_quoted(DEEPER, json);
                return Ok(true);
            }
        };
        let (root, start) = (document.value(), json.len());
        let found = self.renderer.enter(&[root]).and_then(|marked| {
            // Fails if a key occurs twice, because readers disagree about its value.
            let inner = |value, step: Step<'_>| StepCursor::of(Some(value))?.take(step);
            let found = self.at(root, inside, inner);
            let found = found.and_then(|value| match value {
                Some(value) => self.push_in_document(value, path, level + 1, json),
                None => Ok(false),
            });
            self.renderer.leave(marked);
            found
        });
        Ok(found.unwrap_or_else(|_| {
            json.truncate(start);
            push_quoted(MASK, json);
            true
        }))
    }
}

impl MaskText for MaskedJson<'_> {
    fn mask(&self, text: String) -> String {
        self.renderer.text(text)
    }
}

/// Appends a scalar, an empty container, or the mask of a value that is hidden as a whole.
fn push_scalar(
    renderer: &mut ValueRenderer<'_>,
    value: Value<'_>,
    kind: Kind,
    json: &mut String,
) -> Result<()> {
    if renderer.hides(value) {
        push_quoted(MASK, json);
        return Ok(());
    }
    match kind {
        Kind::Object => json.push_str("{}"),
        Kind::Array => json.push_str("[]"),
        Kind::String => push_string(renderer, value, json)?,
        _ => {
            // Copies the token, because another process may modify the file. The written bytes must
            // be the bytes that were checked.
            let word = value.raw().to_vec();
            match kind == Kind::Number && renderer.is_secret_number(&word) {
                true => push_quoted(ECHO, json),
                false => json.push_str(&String::from_utf8_lossy(&word)),
            }
        }
    }
    Ok(())
}

fn push_string(
    renderer: &mut ValueRenderer<'_>,
    value: Value<'_>,
    json: &mut String,
) -> Result<()> {
    push_quoted(&renderer.whole_text(value.text()?), json);
    Ok(())
}
