//! Recordings of small inputs. A worker thread records an input, and the run replays the recordings
//! in input order.
//!
//! A worker gives up on an input that fails, holds a state, causes a remark, has a record without a
//! copy, or exceeds the memory of a recording. The run then reads that input itself, so failures
//! and remarks have one code path.

use std::fmt;

use super::counts::{DocumentOutcome, Events, Remark};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::record::counts::Summary;
use plansift_plan::record::state_counts::StateCounts;
use plansift_plan::record::{Label, Plan, Record, SCHEMA_VERSION, owned, weight};
use plansift_plan::sink::Sink;

/// The memory limit of a recording, in bytes.
pub(super) const MAX: u64 = 1 << 20;

/// The estimated memory of a plan without its rows, in bytes.
pub(super) const PLAN: u64 = 4 << 10;

/// The records of a plan.
#[derive(Debug)]
pub(super) struct RecordedPlan {
    format_version: Option<String>,
    terraform_version: Option<String>,
    /// The records between the first and the last.
    rows: Vec<Record<'static>>,
    /// The last record; `None` until the plan was read to its end.
    summary: Option<Summary>,
}

impl RecordedPlan {
    /// Writes the records to a sink. Fails if the sink fails.
    pub fn replay(&self, label: Label<'_>, sink: &mut dyn Sink) -> Result<()> {
        sink.record(&Record::Plan(Plan {
            schema_version: SCHEMA_VERSION,
            source: label.source,
            workspace: label.workspace,
            format_version: self.format_version.as_deref(),
            terraform_version: self.terraform_version.as_deref(),
        }))?;
        self.rows.iter().try_for_each(|row| sink.record(row))?;
        self.summary.iter().try_for_each(|summary| sink.record(&Record::Summary(summary)))
    }
}

/// The recorded plans of an input, in order.
pub(super) type Recording = Vec<(RecordedPlan, DocumentOutcome)>;

/// Records the plans that `read` reads. Returns `None` if the run must read the input itself.
pub(super) fn record(
    read: impl FnOnce(&mut dyn Sink, &mut dyn Events) -> Result<()>,
) -> Option<Recording> {
    let (mut recorder, mut outcomes) = (RecordingSink::default(), Outcomes::default());
    let is_read = read(&mut recorder, &mut outcomes).is_ok();
    (is_read && !outcomes.is_partial)
        .then(|| recorder.plans.into_iter().zip(outcomes.done).collect())
}

/// A sink that keeps the records of plans.
#[derive(Debug, Default)]
struct RecordingSink {
    plans: Vec<RecordedPlan>,
    /// The estimated memory of the plans, in bytes.
    size: u64,
}

impl RecordingSink {
    /// Adds to the estimated memory. Fails if the total exceeds the limit.
    fn admit(&mut self, size: u64) -> Result<()> {
        self.size += size;
        if self.size > MAX { Err(given_up()) } else { Ok(()) }
    }
}

/// Returns the error that ends a recording.
fn given_up() -> Error {
    Error::new(ErrorKind::Stopped)
}

impl Sink for RecordingSink {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Plan(plan) => {
                self.plans.push(RecordedPlan {
                    format_version: plan.format_version.map(str::to_owned),
                    terraform_version: plan.terraform_version.map(str::to_owned),
                    rows: Vec::new(),
                    summary: None,
                });
                self.admit(PLAN)
            }
            Record::Summary(summary) => {
                if let Some(plan) = self.plans.last_mut() {
                    plan.summary = Some((*summary).clone());
                }
                Ok(())
            }
            row => {
                let copy = owned(row).ok_or_else(given_up)?;
                if let Some(plan) = self.plans.last_mut() {
                    plan.rows.push(copy);
                }
                self.admit(weight(row))
            }
        }
    }

    fn failed(&mut self, _: Label<'_>, _: &Error) -> Result<()> {
        Err(given_up())
    }

    fn state(&mut self, _: Label<'_>, _: &StateCounts) -> Result<()> {
        Err(given_up())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn waiting_max(&self) -> u64 {
        MAX
    }
}

/// The outcomes of the recorded plans.
#[derive(Debug, Default)]
struct Outcomes {
    done: Vec<DocumentOutcome>,
    /// True after an event that cannot be recorded.
    is_partial: bool,
}

impl Events for Outcomes {
    fn done(&mut self, _: Label<'_>, outcome: DocumentOutcome) {
        self.done.push(outcome);
    }

    fn failed(&mut self, _: Label<'_>, _: &dyn fmt::Display) {
        self.is_partial = true;
    }

    fn remark(&mut self, _: &str, _: Remark) {
        self.is_partial = true;
    }
}
