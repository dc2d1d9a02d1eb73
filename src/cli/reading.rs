//! Reads the inputs of a command, prints the messages of the run, and shows its progress.

use std::fmt::Display;

use super::args::Plans;
use super::bar::Bar;
use super::ending::Ending;
use super::inputs::Listed;
use super::messages::say;
use super::options::access;
use super::stats::Stats;
use plansift_fleet::run::{Consumer, DocumentLoop, DocumentOutcome, Events, Opening, Remark};
use plansift_plan::plan::PlanOptions;
use plansift_plan::record::Label;

/// Reads all inputs in order. The output of the run appears only if at least one document was read,
/// and the run has no rules, unless the command says otherwise.
pub fn read_all<'p>(
    plans: &'p Plans,
    listed: &Listed,
    read: &PlanOptions,
    consumer: Consumer<'_>,
) -> Ending<'p> {
    let (mut stats, bar) = (Stats::start(), Bar::new(plans));
    let opening = Opening { progress: Some(&bar), ..Opening::new(*read, access(plans, read)) };
    let mut printer = Printer { plans };
    let mut run = DocumentLoop::new(consumer, &mut printer);
    let read = run.inputs(&listed.inputs, &opening);
    let counts = run.counts;
    stats.add(counts.bytes);
    Ending {
        plans,
        counts,
        read,
        stats,
        is_broken: None,
        detailed_exitcode: false,
        is_written_empty: false,
        patterns: None,
        shows_patterns: false,
    }
}

/// Prints the messages of a run.
pub struct Printer<'p> {
    pub plans: &'p Plans,
}

impl Events for Printer<'_> {
    fn done(&mut self, label: Label<'_>, outcome: DocumentOutcome) {
        for warning in outcome.warnings.iter().filter(|_| !self.plans.quiet) {
            say(&format!("{}: warning: {warning}", label.source));
        }
    }

    fn failed(&mut self, label: Label<'_>, error: &dyn Display) {
        say(&format!("{}: {error}", label.source));
    }

    fn remark(&mut self, input: &str, remark: Remark) {
        say(&format!("{input}: {remark}"));
    }
}
