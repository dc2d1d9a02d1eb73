//! Shows single values of changes, with the secrets of several documents hidden.

use super::shown::ValueRenderer;
use super::{ViewSettings, hide};
use plansift_core::error::Result;
use plansift_core::json::string::push_quoted;
use plansift_core::json::value::{Kind, Value};
use plansift_plan::marks::{ECHO, MASK, Marks};
use plansift_plan::plan::Change;
use plansift_plan::record::ViewSubject;

/// Shows single values of changes, one change after the other.
#[derive(Debug)]
pub struct SingleValues<'s> {
    /// Knows the secrets of the document that contains the changes.
    own: ValueRenderer<'s>,
    /// Know the secrets of other documents, whose values are shown beside those of the changes.
    others: Vec<ValueRenderer<'s>>,
    marks: Marks,
    /// Maximum memory for the marked paths of a change, in bytes.
    paths_max: u64,
}

/// Maximum length of the text of a value, in bytes, before its quotes and escapes.
const TEXT_MAX: usize = 1 << 10;

impl<'s> SingleValues<'s> {
    /// Hides the secrets of a document, and of other documents.
    pub fn new(
        own: ViewSettings<'s>,
        others: impl IntoIterator<Item = ViewSettings<'s>>,
    ) -> SingleValues<'s> {
        let limits = &own.options.read.limits;
        SingleValues {
            own: ValueRenderer::new(own),
            others: others.into_iter().map(ValueRenderer::new).collect(),
            marks: own.options.marks(limits),
            paths_max: limits.paths,
        }
    }

    /// Starts a change.
    ///
    /// # Errors
    ///
    /// Fails if the change is malformed or has a key twice.
    pub fn begin(&mut self, subject: ViewSubject<'_>, change: &Change<'_>) -> Result<()> {
        hide(&mut self.own, &mut self.marks, subject, change, self.paths_max).map(drop)
    }

    /// Returns a scalar or an empty container of the current change as JSON text. A secret becomes
    /// a mask, and a long text is cut.
    ///
    /// # Errors
    ///
    /// Fails if the value is malformed.
    pub fn text(&mut self, value: Value<'_>) -> Result<String> {
        let mut json = String::new();
        let kind = value.kind()?;
        if self.own.hides(value) && kind != Kind::Null {
            push_quoted(MASK, &mut json);
            return Ok(json);
        }
        match kind {
            Kind::Object => json.push_str("{}"),
            Kind::Array => json.push_str("[]"),
            Kind::String => {
                let mut text = self.own.whole_text(value.text()?);
                for other in &mut self.others {
                    text = other.whole_text(text);
                }
                if text.len() > TEXT_MAX {
                    let end = text.floor_char_boundary(TEXT_MAX);
                    text.truncate(end);
                    text.push('…');
                }
                push_quoted(&text, &mut json);
            }
            _ => {
                // Copies the token, because another process may modify the file.
                let word = value.raw().to_vec();
                let is_secret = |renderer: &ValueRenderer<'_>| renderer.is_secret_number(&word);
                let is_number = kind == Kind::Number;
                match is_number && (is_secret(&self.own) || self.others.iter().any(is_secret)) {
                    true => push_quoted(ECHO, &mut json),
                    false => json.push_str(&String::from_utf8_lossy(&word)),
                }
            }
        }
        Ok(json)
    }
}
