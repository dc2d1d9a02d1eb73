//! Makes records of the contents of a document: its resources, outputs, variables or checks.

use super::counts::DocumentOutcome;
use super::opening::Passes;
use super::turn::{Handler, Turn, Visited};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::plan::{Accepts, Flow};
use plansift_plan::record::Label;
use plansift_plan::record::values::{ValuesOptions, read};
use plansift_plan::sink::Sink;
use plansift_redact::secret;
use plansift_report::view::{Detail, MaskedJson, ViewSettings};

/// Writes the rows of each document to a sink.
pub struct ValuesReader<'a> {
    /// Which rows to write.
    pub options: &'a ValuesOptions,
    /// Which values are secret; `None` if rows have neither values nor messages.
    pub secrets: Option<&'a secret::SecretOptions>,
    /// The sink of the rows.
    pub sink: &'a mut dyn Sink,
}

impl ValuesReader<'_> {
    /// Returns the passes over an input. The first of two collects the secrets of a document.
    pub fn passes(&self) -> Passes {
        if self.secrets.is_some() { Passes::Two(Accepts::States) } else { Passes::One }
    }
}

impl Handler for ValuesReader<'_> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        let Turn { label, documents, first, .. } = turn;
        let ValuesReader { options, secrets, sink } = self;
        let held = match *secrets {
            None => read(documents, label, options, None, *sink)?,
            Some(secrets) => {
                let first = first.ok_or(Error::new(ErrorKind::Spool))?;
                let collected = &first.secrets.collect_before(documents, secrets, None)?;
                let known = ViewSettings { collected, options: secrets, detail: Detail::Full };
                read(documents, label, options, Some(&mut MaskedJson::new(known)), *sink)?
            }
        };
        let mut outcome = DocumentOutcome::from(&held.document);
        outcome.warnings.extend(held.warnings().map(str::to_owned));
        Ok(Visited::Done(outcome))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        self.sink.failed(label, error).map(|()| Flow::Continue)
    }
}
