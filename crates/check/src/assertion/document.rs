//! Values in documents in strings, such as the statements of a policy or the values of a chart.
//!
//! A document becomes a pair of sides of its own: the string before the change and the planned
//! string, both parsed. The marks of the string hold for everything in it.

use super::sides::{AFTER, BEFORE, Marked, Place, Sides, UNKNOWN};
use crate::known::text_of;
use plansift_core::error::Result;
use plansift_core::json::detached::Detached;
use plansift_core::json::value::{Kind, Value};
use plansift_core::limits::Limits;
use plansift_core::path::AttributeStep;
use plansift_core::text_document::TextDocument;

/// Where the values of an item are, if they are in a document in a string.
#[derive(Clone, Debug)]
pub(super) struct InDocument {
    /// The path as the user wrote it, for findings.
    pub text: String,
    /// The steps to the string, or to the value around it that is marked as a whole.
    pub steps: Vec<AttributeStep>,
    /// Whether the string is marked, or a value around it.
    pub is_hidden: bool,
}

/// The documents in a string before and after a change.
pub(super) struct Documents {
    sides: [Option<TextDocument>; 2],
    /// `true`, the overlay of a value that is marked as a whole.
    mark: Detached,
    is_marked: [bool; 3],
}

impl Documents {
    /// Parses the documents at a place. A text in another syntax than that of `decoder` is no
    /// document, and neither is one that is too long or too deep to parse.
    pub fn at(place: &Place<'_>, sides: &Sides<'_>, decoder: &str) -> Result<Documents> {
        let parse = |value: Option<Value<'_>>| -> Result<Option<TextDocument>> {
            let Some(value) = value else { return Ok(None) };
            if value.kind()? != Kind::String {
                return Ok(None);
            }
            let document = TextDocument::decoded(text_of(value).as_bytes()).ok().flatten();
            Ok(document.filter(|document| document.syntax.decoder() == decoder))
        };
        let [before, after] = [parse(place.values[BEFORE])?, parse(place.values[AFTER])?];
        let is_marked = |side| Ok(place.is_hidden || sides.marked(side, place)? != Marked::Not);
        let is_unknown = sides.marked(UNKNOWN, place)? == Marked::Whole;
        Ok(Documents {
            sides: [before, after],
            mark: Detached::read(b"true", Limits::default())?,
            is_marked: [is_marked(BEFORE)?, is_marked(AFTER)?, is_unknown],
        })
    }

    /// Whether there is a document, or one that is unknown.
    pub fn has_any(&self) -> bool {
        self.sides.iter().any(Option::is_some) || self.is_marked[UNKNOWN]
    }

    /// The values in the documents.
    pub fn sides(&mut self) -> Sides<'_> {
        let mark = self.mark.value();
        let overlays = self.is_marked.map(|is_marked| is_marked.then_some(mark));
        let [before, after] = &mut self.sides;
        let values = [before, after].map(|side| side.as_mut().map(TextDocument::value));
        Sides::of_values(values, overlays)
    }
}
