//! What is found in the pieces of a document, and how it comes to be told.

use super::discreet::Label;
use super::origins::ShownOrigins;
use super::{Counts, Entry, Finding, Kind, Ledger};
use crate::error::Result;

/// Something that was found in a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note<'n> {
    pub kind: Kind,
    /// The way to it, as it may be told.
    pub path: &'n str,
    pub offset: u64,
    /// The number of the secret, if that is known.
    pub number: u32,
}

/// Who takes down what is found in the pieces of a document.
pub(super) trait Notes {
    /// What follows is in a piece with this label, which may be told.
    fn piece(&mut self, label: Label);

    /// Something was found there.
    ///
    /// # Errors
    ///
    /// There is no room for it; it cannot be written.
    fn note(&mut self, note: Note<'_>) -> Result<()>;
}

/// Tells a ledger.
pub(super) struct Teller<'r> {
    ledger: &'r mut dyn Ledger,
    origins: &'r ShownOrigins,
    /// The top-level key that is read, as it may be told.
    pub section: String,
    label: Label,
    pub counts: Counts,
}

impl<'r> Teller<'r> {
    pub fn new(ledger: &'r mut dyn Ledger, origins: &'r ShownOrigins) -> Teller<'r> {
        let (section, label, counts) = (String::new(), Label::default(), Counts::default());
        Teller { ledger, origins, section, label, counts }
    }
}

impl Notes for Teller<'_> {
    fn piece(&mut self, label: Label) {
        self.label = label;
    }

    fn note(&mut self, note: Note<'_>) -> Result<()> {
        let Note { kind, path, offset, number } = note;
        self.counts.add(kind);
        self.ledger.entry(&Entry::Finding(Finding {
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
