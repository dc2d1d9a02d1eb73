//! Makes records of a plan: with the parts of attributes that the run shows, and checked against
//! assertions.

use super::assertions::{AssertionSettings, mask};
use super::opening::{FirstPass, Passes};
use super::turn::Turn;
use plansift_check::assertion::{Outcome, Run};
use plansift_compare::meaning::ValueKey;
use plansift_compare::view::PlannedView;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::plan::{Accepts, Document};
use plansift_plan::record::{
    CheckRequest, NullSink, PlanOutcome, RecordOptions, RecordRequest, View, Warning, write_records,
};
use plansift_plan::sink::Sink;
use plansift_redact::secret::{self, Collected};
use plansift_report::joined::Joined;
use plansift_report::view::{AttributeView, Detail, ViewSettings};

/// Which parts of the attributes of changes the records contain.
#[derive(Debug)]
pub enum AttributeContent {
    /// No attributes.
    None,
    /// The paths of attributes.
    Paths,
    /// The values of attributes.
    Values {
        /// Whether the records contain the values of all attributes, not only of changed ones.
        all: bool,
        /// How much of each value the records contain.
        detail: Detail,
        /// Which values are secret.
        secrets: Box<secret::SecretOptions>,
    },
    /// No attributes, but the configuration blocks of the resources.
    Blocks,
    /// The planned paths, with the digests of their values by this key.
    Planned(ValueKey),
}

/// Makes records of plans.
#[derive(Clone, Debug)]
pub struct PlanReader<'a> {
    /// Which records to make.
    pub options: RecordOptions,
    /// Which parts of attributes to show.
    pub attributes: &'a AttributeContent,
    /// Assertions to check against each plan. Ignored with [`AttributeContent::Blocks`].
    pub assertions: Option<&'a AssertionSettings>,
}

impl PlanReader<'_> {
    /// Returns the passes over an input. The first pass collects the secrets of each plan, or
    /// indexes its configuration. Without such a pass, secrets are collected only if a failed
    /// assertion quotes a value.
    pub fn passes(&self) -> Passes {
        match (self.attributes, self.assertions) {
            (AttributeContent::Values { .. } | AttributeContent::Blocks, _) => {
                Passes::Two(Accepts::States)
            }
            (_, Some(_)) => Passes::OneKept,
            (_, None) => Passes::One,
        }
    }

    /// Reads a plan, and writes its records to a sink. Fails if the plan or the sink fails.
    pub(super) fn read(&self, turn: Turn<'_, '_>, sink: &mut dyn Sink) -> Result<PlanOutcome> {
        let Turn { label, documents, at, mut first } = turn;
        let (mut collected, mut blocks) = (None, None);
        let first_pass = match self.attributes {
            AttributeContent::Values { secrets, .. } => {
                self.collect(&mut first, at, secrets).map(|found| collected = found)
            }
            AttributeContent::Blocks => first
                .as_mut()
                .ok_or(Error::new(ErrorKind::Spool))
                .and_then(|first| first.blocks(at))
                .map(|found| blocks = Some(found)),
            AttributeContent::None | AttributeContent::Paths | AttributeContent::Planned(_) => {
                Ok(())
            }
        };
        let request = RecordRequest::new(label, &self.options);
        if let Err(error) = first_pass {
            // The plan fails with the error of the first pass. This pass finds the next plan of the
            // input, or an error that says more.
            return write_records(documents, request, &mut NullSink).and(Err(error));
        }
        if let Some(blocks) = blocks {
            let mut sink = Joined::new(sink, &blocks);
            let mut outcome = write_records(documents, request, &mut sink)?;
            outcome.warnings.extend((!blocks.is_present).then_some(Warning::LacksConfiguration));
            return Ok(outcome);
        }
        let view = self.view(collected.as_ref());
        let request = request.with_view(view.as_deref());
        let Some(AssertionSettings { assertions, secrets }) = self.assertions else {
            return write_records(documents, request, sink);
        };
        let failed = &mut |run: Run<'_>, document: &Document| {
            let mut outcomes = run.finish(document).outcomes;
            if outcomes.iter().any(Outcome::quotes) {
                let fresh = match &collected {
                    Some(_) => None,
                    None => self.collect(&mut first, at, secrets)?,
                };
                let known = collected.as_ref().or(fresh.as_ref());
                mask(&mut outcomes, known.map(|known| (known, secrets)));
            }
            Ok(assertions.failed(outcomes))
        };
        let request = request.with_check(CheckRequest { checker: Run::new(assertions), failed });
        write_records(documents, request, sink)
    }

    /// Collects the secrets of the plan at an offset; `None` if the input cannot be read again.
    fn collect(
        &self,
        first: &mut Option<&mut FirstPass<'_>>,
        at: u64,
        secrets: &secret::SecretOptions,
    ) -> Result<Option<Collected>> {
        let Some(first) = first else { return Ok(None) };
        // A worker reads with fewer threads, and under lower limits.
        let secrets = secret::SecretOptions { read: self.options.read, ..secrets.clone() };
        first.secrets.collect(at, &secrets).map(Some)
    }

    fn view<'v>(&'v self, collected: Option<&'v Collected>) -> Option<Box<dyn View + 'v>> {
        Some(match (self.attributes, collected) {
            (AttributeContent::None | AttributeContent::Blocks, _) => return None,
            (AttributeContent::Planned(key), _) => Box::new(PlannedView { key, shown: None }),
            (AttributeContent::Values { all, detail, secrets }, Some(collected)) => {
                let known = ViewSettings { collected, options: secrets, detail: *detail };
                Box::new(match *all {
                    true => AttributeView::All(known),
                    false => AttributeView::Changed(known),
                })
            }
            _ => Box::new(AttributeView::Paths),
        })
    }
}
