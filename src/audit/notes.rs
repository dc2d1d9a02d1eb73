//! Passes the findings in the pieces of a document to a ledger.

use super::origins::ShownOrigins;
use super::safe_text::Label;
use super::{AuditEntry, Counts, Finding, Kind, Ledger};
use crate::error::Result;

/// A finding in a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note<'n> {
    pub kind: Kind,
    /// The path, without secrets.
    pub path: &'n str,
    pub offset: u64,
    /// The number of the secret, or 0 if it is unknown.
    pub number: u32,
}

/// Receives the findings in the pieces of a document.
pub(super) trait Notes {
    /// Begins a piece. The next findings belong to it. Its label has no secrets.
    fn piece(&mut self, label: Label);

    /// Records a finding. Fails if there is no room for the finding, or if it cannot be written.
    fn note(&mut self, note: Note<'_>) -> Result<()>;
}

/// Writes findings to a ledger.
pub(super) struct NoteWriter<'r> {
    ledger: &'r mut dyn Ledger,
    origins: &'r ShownOrigins,
    /// The current top-level key, without secrets.
    pub section: String,
    label: Label,
    pub counts: Counts,
}

impl<'r> NoteWriter<'r> {
    pub fn new(ledger: &'r mut dyn Ledger, origins: &'r ShownOrigins) -> NoteWriter<'r> {
        let (section, label, counts) = (String::new(), Label::default(), Counts::default());
        NoteWriter { ledger, origins, section, label, counts }
    }
}

impl Notes for NoteWriter<'_> {
    fn piece(&mut self, label: Label) {
        self.label = label;
    }

    fn note(&mut self, note: Note<'_>) -> Result<()> {
        let Note { kind, path, offset, number } = note;
        self.counts.add(kind);
        self.ledger.entry(&AuditEntry::Finding(Finding {
            kind,
            section: &self.section,
            address: self.label.address.as_deref(),
            name: self.label.name.as_deref(),
            type_name: self.label.type_name.as_deref(),
            provider_name: self.label.provider_name.as_deref(),
            path,
            offset,
            of: self.origins.of(number),
        }))
    }
}
