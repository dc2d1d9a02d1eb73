//! The state of a whole document: its top-level keys, its end, and what follows it.
//!
//! All readers of documents use this module, so that they agree on which documents are plans.

use super::PlanOptions;
use super::document_fault::DocumentFault;
use super::kind::KindClues;
use super::section::Section;
use super::trailer::{self, AllowedTrailer, Trailer};
use super::wrong_document::WrongDocument;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::Source;
use plansift_core::json::cursor::Cursor;
use plansift_core::json::value::Value;

/// The newest `format_version` that plansift knows: 1.2.
const NEWEST: (u64, u64) = (1, 2);

/// Facts about a document that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Length in bytes of UTF-8. If the visitor stopped early, the length of the part that was
    /// read.
    pub bytes: u64,
    /// Bytes of a CI wrapper's text before the document.
    pub text_before: u64,
    /// Bytes of a CI wrapper's text after the document.
    pub text_after: u64,
    /// True if the minor `format_version` is newer than the newest that plansift knows.
    pub is_newer: bool,
    /// True if the plan has resources in `planned_values`, and `resource_changes` is missing or
    /// null. Its changes are then unknown.
    pub lacks_changes: bool,
}

/// Which documents a reader accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accepts {
    /// Plans only.
    #[default]
    Plans,
    /// Plans, and the JSON of states.
    States,
}

/// A document that is the JSON of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// It has values.
    Values,
    /// It has a version only.
    Empty,
}

impl From<StateKind> for WrongDocument {
    fn from(kind: StateKind) -> WrongDocument {
        match kind {
            StateKind::Values => WrongDocument::State,
            StateKind::Empty => WrongDocument::EmptyState,
        }
    }
}

/// Collects facts about a document while it is read.
#[derive(Debug)]
pub(super) struct DocumentState {
    accepts: Accepts,
    pub after: AllowedTrailer,
    /// The sections seen so far, one bit each.
    seen: u32,
    pub clues: KindClues,
    /// True if `planned_values` has a resource.
    pub plans_resources: bool,
    /// True if `resource_changes` is an array.
    pub lists_changes: bool,
    /// The facts for the caller of the reader.
    pub document: Document,
    /// Offset of the next document, if one follows.
    pub next: Option<u64>,
    /// Whether to pass a document of another kind.
    pub passes_others: bool,
    /// The end of the document, if it is of another kind and the walk has passed it.
    pub past_other: Option<Trailer>,
}

impl DocumentState {
    pub(super) fn new(accepts: Accepts) -> DocumentState {
        DocumentState {
            accepts,
            after: AllowedTrailer::Nothing,
            seen: 0,
            clues: KindClues::default(),
            plans_resources: false,
            lists_changes: false,
            document: Document::default(),
            next: None,
            passes_others: false,
            past_other: None,
        }
    }

    /// Records a top-level key at an offset of the input. Fails if the key proves that the document
    /// is not a plan. Also fails if the section occurs twice, because JSON readers disagree on
    /// which of the two values counts.
    pub(super) fn note(&mut self, section: Section, key: &str, offset: u64) -> Result<()> {
        if let Some(document) = self.clues.note(section, key) {
            return Err(Error::new(document));
        }
        let is_of_states = self.accepts == Accepts::States && key == "values";
        if section == Section::Other && !is_of_states {
            return Ok(());
        }
        let bit = 1 << section as u32;
        if self.seen & bit != 0 {
            return Err(Error::at(ErrorKind::DuplicateKey, offset).within(section.name()));
        }
        self.seen |= bit;
        Ok(())
    }

    /// Checks the `format_version` (docs/format/plan.md, section 2). Fails if the value is not a
    /// version, or if its major version is not supported.
    pub(super) fn format_version(&mut self, value: Value<'_>) -> Result<()> {
        let version = value.text()?;
        let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text: &str| Some(text).filter(is_number)?.parse::<u64>().ok();
        let parsed = version.split_once('.').and_then(|(major, minor)| {
            Some((number(major)?, number(minor.split(['.', '-']).next()?)?))
        });
        let Some(version @ (0 | 1, _)) = parsed else {
            return Err(Error::at(DocumentFault::FormatVersion, value.offset()));
        };
        self.document.is_newer = version > NEWEST;
        Ok(())
    }

    /// Whether the document has a key that only plans have.
    pub(super) fn is_plan(&self) -> bool {
        self.clues.is_plan()
    }

    /// Whether the document is an element of an array.
    pub(super) fn is_element(&self) -> bool {
        matches!(self.after, AllowedTrailer::Elements | AllowedTrailer::EndOfArray)
    }

    /// Decides whether the document is accepted. The caller must have recorded all keys of the
    /// document. Returns `None` for a plan, and the kind of state for a state. Fails for other
    /// documents, and if the document has no `format_version`.
    pub(super) fn verdict(&mut self) -> Result<Option<StateKind>> {
        self.document.lacks_changes = self.plans_resources && !self.lists_changes;
        let state = match self.clues.verdict(self.is_element()) {
            _ if self.is_plan() => None,
            WrongDocument::State if self.accepts == Accepts::States => Some(StateKind::Values),
            WrongDocument::EmptyState if self.accepts == Accepts::States => Some(StateKind::Empty),
            other => return Err(Error::new(other)),
        };
        match self.seen & (1 << Section::FormatVersion as u32) {
            0 => Err(Error::new(DocumentFault::NoFormatVersion)),
            _ => Ok(state),
        }
    }

    /// Finds the end of the document that began at `start`. The cursor must be right after the last
    /// bracket of the document. Fails if the bytes after the document are not allowed there.
    pub(super) fn end<S: Source>(
        &mut self,
        cursor: &mut Cursor<S>,
        options: &PlanOptions,
        start: u64,
    ) -> Result<Trailer> {
        let tail = trailer::find(cursor, self.after, options.surrounding_text, start)?;
        self.document.bytes = tail.end - start;
        self.document.text_after = tail.text;
        self.next = tail.next;
        Ok(tail)
    }
}
