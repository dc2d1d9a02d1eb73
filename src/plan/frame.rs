//! What a document is as a whole: what its top-level keys say of it, where it ends, what follows.
//!
//! All who read documents ask here, so that none takes for a plan what another does not.

use super::Options;
use super::section::Section;
use super::tail::{self, After, Tail};
use super::wrong::Telltales;
use crate::error::{Error, ErrorKind, Result, WrongDocument};
use crate::input::Source;
use crate::json::cursor::Cursor;

/// A plan that was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Its length in bytes of UTF-8; up to where it was read, when the visitor stopped.
    pub bytes: u64,
    /// Bytes of a CI wrapper's text that stood before it.
    pub text_before: u64,
    /// Bytes of a CI wrapper's text that stood after it.
    pub text_after: u64,
    /// The minor `format_version` is newer than those that were known when this was written.
    pub is_newer: bool,
}

/// What is taken for what was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Welcome {
    /// A plan.
    Plans,
    /// A plan, or the JSON of a state.
    States,
}

/// What is known of a document so far.
#[derive(Debug)]
pub(super) struct Frame {
    welcome: Welcome,
    /// What may follow it.
    pub after: After,
    /// The sections met so far, a bit each.
    seen: u32,
    telltales: Telltales,
    /// Whether an unknown member of it looks like an output value.
    pub looks_like_outputs: bool,
    /// What its reader is told in the end.
    pub document: Document,
    /// Where another document begins behind it.
    pub next: Option<u64>,
}

impl Frame {
    pub(super) fn new(welcome: Welcome) -> Frame {
        Frame {
            welcome,
            after: After::Nothing,
            seen: 0,
            telltales: Telltales::default(),
            looks_like_outputs: false,
            document: Document::default(),
            next: None,
        }
    }

    /// Takes note of a top-level key, which stands at an offset of the input.
    ///
    /// # Errors
    ///
    /// The document is certainly another; the section was met before: which of the two another
    /// reader takes is not known.
    pub(super) fn note(&mut self, section: Section, key: &str, offset: u64) -> Result<()> {
        if let Some(document) = self.telltales.note(section, key) {
            return Err(Error::new(ErrorKind::WrongDocument(document)));
        }
        let is_of_states = self.welcome == Welcome::States && key == "values";
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

    /// Whether a key was met that only plans have.
    pub(super) fn is_plan(&self) -> bool {
        self.telltales.is_plan()
    }

    /// That the document is what was looked for, now that all of its keys were met: `None`, a plan.
    ///
    /// # Errors
    ///
    /// It is another; it has no version.
    pub(super) fn verdict(&self) -> Result<Option<WrongDocument>> {
        let state = match self.telltales.verdict(self.looks_like_outputs) {
            _ if self.is_plan() => None,
            state @ (WrongDocument::State | WrongDocument::EmptyState)
                if self.welcome == Welcome::States =>
            {
                Some(state)
            }
            other => return Err(Error::new(ErrorKind::WrongDocument(other))),
        };
        match self.seen & (1 << Section::FormatVersion as u32) {
            0 => Err(Error::new(ErrorKind::MissingKey("format_version"))),
            _ => Ok(state),
        }
    }

    /// Finds where the document ends that began at `start` and whose last bracket the cursor has
    /// just passed.
    ///
    /// # Errors
    ///
    /// What follows it may not be there.
    pub(super) fn end<S: Source>(
        &mut self,
        cursor: &mut Cursor<S>,
        options: &Options,
        start: u64,
    ) -> Result<Tail> {
        let tail = tail::find(cursor, self.after, options.surrounding_text, start)?;
        self.document.bytes = tail.end - start;
        self.document.text_after = tail.text;
        self.next = tail.next;
        Ok(tail)
    }
}
