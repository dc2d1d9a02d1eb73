//! Passes the findings in the pieces of a document to a sink.

use super::origins::ShownOrigins;
use super::safe_text::Label;
use plansift_core::error::Result;
use plansift_plan::record::{AuditFinding, FindingCounts, FindingKind, Record, Sink};

/// A finding in a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note<'n> {
    pub kind: FindingKind,
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

    /// Records a finding. Fails if it cannot be written.
    fn note(&mut self, note: Note<'_>) -> Result<()>;
}

/// Writes findings to a sink.
pub(super) struct NoteWriter<'r> {
    sink: &'r mut dyn Sink,
    origins: &'r ShownOrigins,
    /// The current top-level key, without secrets.
    pub section: String,
    label: Label,
    pub counts: FindingCounts,
}

impl<'r> NoteWriter<'r> {
    pub fn new(sink: &'r mut dyn Sink, origins: &'r ShownOrigins) -> NoteWriter<'r> {
        let (section, label, counts) = (String::new(), Label::default(), FindingCounts::default());
        NoteWriter { sink, origins, section, label, counts }
    }
}

impl Notes for NoteWriter<'_> {
    fn piece(&mut self, label: Label) {
        self.label = label;
    }

    fn note(&mut self, note: Note<'_>) -> Result<()> {
        let Note { kind, path, offset, number } = note;
        self.counts.add(kind);
        self.sink.record(&Record::Finding(AuditFinding {
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
