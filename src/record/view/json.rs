//! Writes values of a piece as compact JSON, with secrets masked as in reports.
//!
//! A marked value becomes [`MASK`], and a string or number that repeats a secret becomes [`ECHO`].
//! If a string contains a document with a secret, the whole string is masked.

use std::cell::RefCell;

use super::shown::ValueRenderer;
use super::walk::{Descent, walk};
use super::{Detail, ViewSettings};
use crate::error::Result;
use crate::json::string::push_quoted;
use crate::json::value::{Kind, Value, WalkEvent};
use crate::marks::Marks;
use crate::marks::parts::Parts;
use crate::marks::{ECHO, MASK};
use crate::path::Path;
use crate::plan::{Piece, PieceKind};
use crate::record::MaskText;

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
        let marks = Marks::new(options.names.clone(), &options.read.limits);
        MaskedJson { renderer: ValueRenderer::new(known), marks }
    }

    /// Starts a piece: finds its marked values. Returns whether the whole value of the piece is
    /// secret.
    ///
    /// # Errors
    ///
    /// Fails if the piece is malformed or has a key twice, or has too many marked places.
    pub fn begin(&mut self, piece: &Piece<'_>) -> Result<bool> {
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

    /// Appends the value at a path below `root`, a value of the current piece. Returns `false` if
    /// there is no such value.
    ///
    /// # Errors
    ///
    /// Fails if the value is malformed.
    pub fn push_at(&mut self, root: Value<'_>, path: Path<'_>, json: &mut String) -> Result<bool> {
        let mut value = root;
        for step in path.steps() {
            if self.renderer.hides(value) {
                break;
            }
            let Some(inner) = value.at([step])? else { return Ok(false) };
            value = inner;
        }
        self.push(value, json).map(|()| true)
    }

    /// Appends a value of the current piece.
    ///
    /// # Errors
    ///
    /// Fails if the value is malformed.
    pub fn push(&mut self, value: Value<'_>, json: &mut String) -> Result<()> {
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

impl MaskText for MaskedJson<'_> {
    fn mask(&self, text: String) -> String {
        self.renderer.text(text)
    }
}

/// Appends a value as compact JSON, without masks.
pub(in crate::record) fn push_plain(value: Value<'_>, json: &mut String) -> Result<()> {
    push_compact(
        value,
        json,
        |_| Descent::Enter,
        |value, kind, json| {
            match kind {
                Kind::String => push_quoted(&value.text()?, json),
                Kind::Object => json.push_str("{}"),
                Kind::Array => json.push_str("[]"),
                _ => json.push_str(&String::from_utf8_lossy(value.raw())),
            }
            Ok(())
        },
        push_quoted,
    )
}

/// Appends a value as compact JSON. `scalar` appends scalars, empty containers, and containers that
/// `entry` passes. `key` appends keys.
fn push_compact<'a>(
    value: Value<'a>,
    json: &mut String,
    entry: impl Fn(Value<'a>) -> Descent,
    mut scalar: impl FnMut(Value<'a>, Kind, &mut String) -> Result<()>,
    mut key: impl FnMut(&str, &mut String),
) -> Result<()> {
    walk(value, entry, |met| {
        let is_first = json.is_empty() || json.ends_with(['{', '[']);
        match met {
            WalkEvent::Key(name) => {
                if !is_first {
                    json.push(',');
                }
                key(&name.decode()?, json);
                json.push(':');
            }
            WalkEvent::Index(0) => {}
            WalkEvent::Index(_) => json.push(','),
            WalkEvent::Open(Kind::Object, _) => json.push('{'),
            WalkEvent::Open(..) => json.push('['),
            WalkEvent::Close(Kind::Object) => json.push('}'),
            WalkEvent::Close(_) => json.push(']'),
            WalkEvent::Leaf(kind, value) => scalar(value, kind, json)?,
        }
        Ok(())
    })
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
