//! Audits redacted documents: does a value under a name that looks secret still have no mask?

use super::{AuditOptions, audit};
use crate::secret::{Collecting, EchoOf, SecretOptions};
use plansift_core::error::Result;
use plansift_core::input::Source;
use plansift_plan::plan::{Accepts, Documents, NextDocument, PlanOptions};
use plansift_plan::record::{AuditFinding, FindingKind, Record, Sink};

/// Calls `each` with the suspects in all documents of an input, and with the index of the document.
/// Returns their number. `open` opens the input; its bytes must stay the same.
///
/// # Errors
///
/// Fails if a document is unreadable or neither a plan nor a state, or if it exceeds a limit.
pub fn suspects<S: Source>(
    mut open: impl FnMut() -> Result<S>,
    read: &PlanOptions,
    each: impl FnMut(usize, &AuditFinding<'_>),
) -> Result<u64> {
    let mut documents = Documents::new(open()?, read);
    let mut collecting = Collecting::new(open, Accepts::States);
    let secret = SecretOptions { read: *read, echo_min: 1, echo: EchoOf::Whole, names: None };
    let options = AuditOptions { secret, echoes: false, suspects: true };
    let mut found = Suspects { each, document: 0, count: 0 };
    while let NextDocument::Document(_) = documents.find_next() {
        audit(&mut documents, &mut collecting, "".into(), &options, &mut found)?;
        found.document += 1;
    }
    Ok(found.count)
}

/// Receives the records of audits, and passes the suspects on.
struct Suspects<E> {
    each: E,
    /// The index of the current document.
    document: usize,
    count: u64,
}

impl<E: FnMut(usize, &AuditFinding<'_>)> Sink for Suspects<E> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        if let Record::Finding(finding) = record
            && finding.kind == FindingKind::Suspect
        {
            (self.each)(self.document, finding);
            self.count += 1;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}
