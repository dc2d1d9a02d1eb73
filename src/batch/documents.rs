//! The loop over the documents of one input. An input may hold several plans or states, one after
//! another; each gets a number.

use std::borrow::Cow;
use std::fmt;

use crate::error::ErrorKind;
use crate::input::Source;
use crate::plan::{Documents, NextDocument};

/// A remark between two documents of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A document failed, and the next one begins at this offset.
    GoesOn(u64),
    /// More text follows the document with this number, but no line is certain to begin a document.
    Lost(u64),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::GoesOn(at) => {
                write!(f, "going on at byte {at}, before the next plan")
            }
            Note::Lost(number) => write!(
                f,
                "what follows plan {number} was not read: no line certainly begins the next one"
            ),
        }
    }
}

/// A document that the visitor reads next.
pub struct DocumentTurn<'d, S> {
    /// The reader, at the start of the document.
    pub documents: &'d mut Documents<S>,
    /// The number of the document in its input, from one.
    pub number: u64,
    /// The offset of the document, or of text before it.
    pub at: u64,
}

/// The result of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visited {
    /// The document was read to its end.
    Done,
    /// The document failed; the loop looks for the next one.
    Failed(ErrorKind),
    /// The visitor takes no more documents of this input.
    Enough,
}

/// Processes the documents of one input.
pub trait Visitor<S: Source> {
    /// An error that ends the loop, and the run.
    type End;

    /// Reads one document.
    ///
    /// # Errors
    ///
    /// Fails if the run must end: the output failed, or the user stopped the run.
    fn visit(&mut self, turn: DocumentTurn<'_, S>) -> Result<Visited, Self::End>;

    /// Receives a remark about the text after a document.
    fn note(&mut self, note: Note);
}

/// Visits every document of an input, in order.
///
/// # Errors
///
/// Fails with the first error of the visitor.
pub fn visit_all<S: Source, V: Visitor<S>>(
    documents: &mut Documents<S>,
    visitor: &mut V,
) -> Result<(), V::End> {
    let mut next = Some(0);
    for number in 1_u64.. {
        let Some(at) = next else { break };
        let failed = match visitor.visit(DocumentTurn { documents, number, at })? {
            Visited::Done => None,
            Visited::Failed(error) => Some(error),
            Visited::Enough => break,
        };
        let note;
        (next, note) = find_next(documents, number, failed);
        if let Some(note) = note {
            visitor.note(note);
        }
    }
    Ok(())
}

/// Finds the start of the next document. `failed` is the error of document `number`, if it failed.
fn find_next<S: Source>(
    documents: &mut Documents<S>,
    number: u64,
    failed: Option<ErrorKind>,
) -> (Option<u64>, Option<Note>) {
    match (documents.find_next(), failed) {
        (NextDocument::Document(at), Some(_)) => (Some(at), Some(Note::GoesOn(at))),
        (NextDocument::Document(at), None) => (Some(at), None),
        (NextDocument::Unknown { seems_more }, Some(error)) if error != ErrorKind::Truncated => {
            // A single document needs no note: its error says enough.
            let is_one_of_several = number > 1 || seems_more;
            (None, is_one_of_several.then_some(Note::Lost(number)))
        }
        _ => (None, None),
    }
}

/// Names a document after its input. From the second document on, `#` and the number follow.
pub fn numbered(name: &str, number: u64) -> Cow<'_, str> {
    if number == 1 { Cow::Borrowed(name) } else { Cow::Owned(format!("{name}#{number}")) }
}
