//! Makes records of the places in a document where secrets are.

use super::counts::DocumentOutcome;
use super::opening::Passes;
use super::turn::{Handler, Turn, Visited};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::plan::{Accepts, Flow};
use plansift_plan::record::Label;
use plansift_plan::sink::Sink;
use plansift_redact::audit::{AuditOptions, audit};

/// Writes the findings of each document to a sink.
pub struct AuditReader<'a> {
    /// Which findings to write.
    pub options: &'a AuditOptions,
    /// The sink of the findings.
    pub sink: &'a mut dyn Sink,
}

impl AuditReader<'_> {
    /// The passes over an input. The first pass collects the secrets of a document.
    pub const PASSES: Passes = Passes::Two(Accepts::States);
}

impl Handler for AuditReader<'_> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        let Turn { label, documents, first, .. } = turn;
        // Without a first pass, no secret would be found.
        let secrets = &mut first.ok_or(Error::new(ErrorKind::Spool))?.secrets;
        let audited = audit(documents, secrets, label, self.options, self.sink)?;
        let echoes = audited.summary.counts.echoes();
        let outcome = DocumentOutcome { echoes, ..DocumentOutcome::from(&audited.document) };
        Ok(Visited::Done(outcome))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        self.sink.failed(label, error).map(|()| Flow::Continue)
    }
}
