//! What a run reports: counts, from which the exit code follows, and messages.

use std::fmt;

use plansift_plan::plan::Document;
use plansift_plan::record::{Label, PlanOutcome, Warning};

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    /// Documents that were read to their end.
    pub done: u64,
    /// Documents that failed, and inputs that could not be opened.
    pub failed: u64,
    /// Whether a plan changes anything, or is unfinished and may change more.
    pub has_changes: bool,
    /// Unmarked values that repeat a sensitive value.
    pub echoes: u64,
    /// The length of the documents that were read to their end, in bytes.
    pub bytes: u64,
}

impl RunCounts {
    /// Counts a document.
    pub(super) fn add(&mut self, outcome: &DocumentOutcome) {
        self.done += 1;
        self.has_changes |= outcome.has_changes;
        self.echoes += outcome.echoes;
        self.bytes += outcome.bytes;
    }
}

/// A document that was read to its end.
#[derive(Debug, Default)]
pub struct DocumentOutcome {
    /// The length of the document in bytes.
    pub bytes: u64,
    /// Whether a plan changes anything, or is unfinished and may change more.
    pub has_changes: bool,
    /// Unmarked values that repeat a sensitive value.
    pub echoes: u64,
    /// The texts of the warnings.
    pub warnings: Vec<String>,
}

impl From<&Document> for DocumentOutcome {
    fn from(document: &Document) -> DocumentOutcome {
        let warnings = Warning::of_document(document).map(|warning| warning.to_string()).collect();
        DocumentOutcome { bytes: document.bytes, warnings, ..DocumentOutcome::default() }
    }
}

impl From<PlanOutcome> for DocumentOutcome {
    fn from(outcome: PlanOutcome) -> DocumentOutcome {
        DocumentOutcome {
            bytes: outcome.summary.bytes,
            has_changes: outcome.has_changes || outcome.summary.has_more(),
            echoes: 0,
            warnings: outcome.warnings.iter().map(Warning::to_string).collect(),
        }
    }
}

/// Receives the messages of a run.
pub trait Events {
    /// A document was read to its end.
    fn done(&mut self, label: Label<'_>, outcome: DocumentOutcome);

    /// A document or an input failed.
    fn failed(&mut self, label: Label<'_>, error: &dyn fmt::Display);

    /// A remark between two documents of the input with this name.
    fn remark(&mut self, input: &str, remark: Remark);
}

/// A remark between two documents of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A document failed, and the next one begins at this offset.
    GoesOn(u64),
    /// More text follows the document with this number, but no line is certain to begin a document.
    Lost(u64),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::GoesOn(at) => {
                write!(f, "going on at byte {at}, before the next plan")
            }
            Remark::Lost(number) => write!(
                f,
                "what follows plan {number} was not read: it is not clear where the next plan \
                 begins"
            ),
        }
    }
}
