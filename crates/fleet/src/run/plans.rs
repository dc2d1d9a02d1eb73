//! Makes records of a plan: with the parts of attributes that the run shows, and checked against
//! assertions.

use super::assertions::{AssertionSettings, mask};
use super::opening::{FirstPass, Passes};
use super::source_files::SourceFiles;
use super::turn::Turn;
use plansift_check::assertion::{Outcome, Run};
use plansift_compare::meaning::ValueKey;
use plansift_compare::view::PlannedView;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::config::Blocks;
use plansift_plan::plan::{Accepts, Document};
use plansift_plan::record::{
    CheckRequest, Impacts, Label, NullSink, PlanOutcome, RecordOptions, RecordRequest, View,
    Warning, write_records,
};
use plansift_plan::sink::Sink;
use plansift_redact::secret::{self, Collected};
use plansift_report::joined::{Addition, Joined};
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
    /// Adds to each loss what depends on it, from the plan and from these files. Ignored with
    /// [`AttributeContent::Blocks`].
    pub impact: Option<&'a dyn SourceFiles>,
}

/// What the passes before the records found.
#[derive(Default)]
struct Earlier {
    collected: Option<Collected>,
    blocks: Option<Blocks>,
    impacts: Option<Impacts>,
}

impl PlanReader<'_> {
    /// Returns the passes over an input. The passes before the records collect the secrets of each
    /// plan, and read its configuration. Without a pass for them, secrets are collected only if a
    /// failed assertion quotes a value.
    pub fn passes(&self) -> Passes {
        match (self.attributes, self.assertions, self.impact) {
            (AttributeContent::Values { .. }, _, Some(_)) => Passes::Three(Accepts::States),
            (AttributeContent::Values { .. } | AttributeContent::Blocks, _, _)
            | (_, _, Some(_)) => Passes::Two(Accepts::States),
            (_, Some(_), None) => Passes::OneKept,
            (_, None, None) => Passes::One,
        }
    }

    /// Reads a plan, and writes its records to a sink. Fails if the plan or the sink fails.
    pub(super) fn read(&self, turn: Turn<'_, '_>, sink: &mut dyn Sink) -> Result<PlanOutcome> {
        let Turn { label, documents, at, mut first } = turn;
        let request = RecordRequest::new(label, &self.options);
        let earlier = match self.earlier(&label, &mut first, at) {
            Ok(earlier) => earlier,
            // The plan fails with the error of the earlier pass. This pass finds the next plan of
            // the input, or an error that says more.
            Err(error) => {
                return write_records(documents, request, &mut NullSink).and(Err(error));
            }
        };
        let turn = Turn { label, documents, at, first };
        let collected = earlier.collected.as_ref();
        let (addition, lacking) = match &earlier {
            Earlier { blocks: Some(blocks), .. } => {
                let lacking = (!blocks.is_present).then_some(Warning::LacksConfiguration);
                (Some(Addition::Blocks(blocks)), lacking)
            }
            Earlier { impacts: Some(impacts), .. } if impacts.is_present => {
                (Some(Addition::Impacts(impacts)), None)
            }
            Earlier { impacts: Some(_), .. } => (None, Some(Warning::LacksReferences)),
            Earlier { .. } => (None, None),
        };
        let mut outcome = match addition {
            Some(addition) => self.records(turn, collected, &mut Joined::new(sink, addition)),
            None => self.records(turn, collected, sink),
        }?;
        outcome.warnings.extend(lacking);
        Ok(outcome)
    }

    /// Writes the records of a plan, whose secrets may have been `collected`.
    fn records(
        &self,
        turn: Turn<'_, '_>,
        collected: Option<&Collected>,
        sink: &mut dyn Sink,
    ) -> Result<PlanOutcome> {
        let Turn { label, documents, at, mut first } = turn;
        let view = self.view(collected);
        let request = RecordRequest::new(label, &self.options).with_view(view.as_deref());
        let is_checked = !matches!(self.attributes, AttributeContent::Blocks);
        let Some(AssertionSettings { assertions, secrets }) =
            self.assertions.filter(|_| is_checked)
        else {
            return write_records(documents, request, sink);
        };
        let failed = &mut |run: Run<'_>, document: &Document| {
            let mut outcomes = run.finish(document).outcomes;
            if outcomes.iter().any(Outcome::quotes) {
                let fresh = match collected {
                    Some(_) => None,
                    None => self.collect(&mut first, at, secrets)?,
                };
                let known = collected.or(fresh.as_ref());
                mask(&mut outcomes, known.map(|known| (known, secrets)));
            }
            Ok(assertions.failed(outcomes))
        };
        let request = request.with_check(CheckRequest { checker: Run::new(assertions), failed });
        write_records(documents, request, sink)
    }

    /// Makes the passes over the plan at an offset that come before its records.
    fn earlier(
        &self,
        label: &Label<'_>,
        first: &mut Option<&mut FirstPass<'_>>,
        at: u64,
    ) -> Result<Earlier> {
        let mut earlier = Earlier::default();
        match self.attributes {
            AttributeContent::Values { secrets, .. } => {
                earlier.collected = self.collect(first, at, secrets)?;
            }
            AttributeContent::Blocks => {
                let first = first.as_mut().ok_or(Error::new(ErrorKind::Spool))?;
                earlier.blocks = Some(Blocks::read(first.again(at)?)?);
                return Ok(earlier);
            }
            AttributeContent::None | AttributeContent::Paths | AttributeContent::Planned(_) => {}
        }
        if let Some(files) = self.impact {
            let first = first.as_mut().ok_or(Error::new(ErrorKind::Spool))?;
            let files = |each: &mut dyn FnMut(&_) -> _| files.each_element(label.source, each);
            earlier.impacts = Some(Impacts::read(first.again(at)?, files)?);
        }
        Ok(earlier)
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
