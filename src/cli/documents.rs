//! The documents that `compare`, `approve` and `digest` read: their messages and objects.

use std::collections::BTreeSet;
use std::fmt;

use super::args::{FilterArgs, Plans};
use super::bar::Bar;
use super::exit::Exit;
use super::messages::{fail_named, say};
use super::options::access;
use super::reading::Printer;
use super::stats::Stats;
use super::unmatched;
use plansift_compare::approval::Approval;
use plansift_compare::meaning::ValueKey;
use plansift_core::error::{Error, Fault, Result};
use plansift_core::limits::Limits;
use plansift_fleet::run::{
    DocumentObjects, DocumentOutcome, Events, KeptInput, NamedInput, ObjectReader, Opening, Remark,
    Reports,
};
use plansift_fleet::source::InputEntry;
use plansift_plan::record::{Label, RecordOptions};
use plansift_plan::sink::NullSink;

/// Prints the messages about a document once, although it may be read several times.
pub struct Messages<'a> {
    pub printer: Printer<'a>,
    stats: Stats,
    /// The names of the documents that were read.
    pub read: BTreeSet<String>,
}

impl<'a> Messages<'a> {
    pub fn new(plans: &'a Plans) -> Messages<'a> {
        Messages { printer: Printer { plans }, stats: Stats::start(), read: BTreeSet::new() }
    }

    /// Prints the messages at the end of a complete run.
    pub fn end(&self, options: &RecordOptions) {
        let Plans { quiet, stats, .. } = *self.printer.plans;
        if !quiet {
            unmatched::warn_of(options.patterns.as_deref());
        }
        if stats {
            say(&self.stats.line());
        }
    }
}

impl Events for Messages<'_> {
    fn done(&mut self, label: Label<'_>, outcome: DocumentOutcome) {
        if self.read.insert(label.source.to_owned()) {
            self.stats.add(outcome.bytes);
            self.printer.done(label, outcome);
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &dyn fmt::Display) {
        self.printer.failed(label, error);
    }

    fn remark(&mut self, input: &str, remark: Remark) {
        self.printer.remark(input, remark);
    }
}

/// Reads the objects of one input. Returns `None` if it fails.
pub fn objects_of(
    messages: &mut Messages<'_>,
    options: &RecordOptions,
    entry: &InputEntry,
    filters: &FilterArgs,
    key: ValueKey,
) -> std::result::Result<Option<DocumentObjects>, Exit> {
    let plans = messages.printer.plans;
    let bar = Bar::new(plans);
    let opening = Opening {
        progress: Some(&bar),
        ..Opening::new(options.read, access(plans, &options.read))
    };
    let source = entry.source();
    let kept = match KeptInput::new(entry, &opening) {
        Ok(kept) => kept,
        Err(error) => {
            fail_named(&source, &error);
            return Ok(None);
        }
    };
    if let Err(error) = refuse_approval(&kept, &options.read.limits, AN_APPROVAL) {
        fail_named(&source, &error);
        return Ok(None);
    }
    let label = Label { source: &source, workspace: None };
    let (noise, ignores_moves) = (filters.noise(), filters.ignores_moves());
    let options = options.clone();
    let reader = ObjectReader { options, noise, ignores_moves, key, secrets: None };
    let reports = &mut Reports { events: messages, sink: &mut NullSink };
    reader
        .objects(&NamedInput { kept, label }, reports)
        .map_err(|error| fail_named(&source, &error))
}

/// An approval that is named where a plan is expected. Says what to do instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IsApproval(&'static str);

/// For commands that read plans only.
const AN_APPROVAL: IsApproval = IsApproval("this is an approval: name the plan");

/// For the later plan of a comparison.
pub const NEW_IS_APPROVAL: IsApproval =
    IsApproval("NEW is an approval: name the approval first, and then the later plan");

impl Fault for IsApproval {}

impl fmt::Display for IsApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Fails if an input is an approval.
pub fn refuse_approval(kept: &KeptInput<'_>, limits: &Limits, fault: IsApproval) -> Result<()> {
    match Approval::open(kept.source()?, limits)? {
        Some(_) => Err(Error::new(fault)),
        None => Ok(()),
    }
}
