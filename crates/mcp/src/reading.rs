//! Opens a document for a tool, and hides its secrets.
//!
//! ```text
//! first pass ─▶ secrets ──────┬──────────┐
//! second pass ─▶ records ─▶ safe names ─▶ rules ─▶ filter ─▶ sink of the tool
//! ```

use std::sync::Arc;

use plansift_check::assertion::{Answers, Assertions, Outcome, Run};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_fleet::run::assertions::mask;
use plansift_fleet::run::{
    Consumer, DocumentLoop, DocumentOutcome, Events, FirstPass, Handler, OpenInput, Passes, Remark,
    Turn, Visited,
};
use plansift_plan::config::{Graph, read};
use plansift_plan::plan::{Accepts, Document, DocumentFault, Flow};
use plansift_plan::record::patterns::UnmatchedPatterns;
use plansift_plan::record::{
    CheckRequest, Label, RecordOptions, RecordRequest, Sink, write_records,
};
use plansift_redact::secret::SecretOptions;
use plansift_report::filter::{Filter, Noise};
use plansift_report::gate::{Gate, Rule, document_patterns};
use plansift_report::moves::MoveReader;
use plansift_report::view::{AttributeView, Detail, ViewSettings};

use crate::answer::Refusal;
use crate::context::{Context, NamedPlan};
use crate::names::SafeNames;
use crate::rows::{BrokenRow, DependentRow, UnmatchedRow};
use crate::texts::Texts;

/// What a tool asks of a plan.
pub struct Request<'r> {
    /// Receives the records, without secrets.
    pub sink: &'r mut dyn Sink,
    /// The records to show.
    pub noise: Noise,
    /// The rules to check.
    pub rules: &'r [Rule],
    /// The patterns of the rules.
    pub patterns: Option<Arc<UnmatchedPatterns>>,
    /// The assertions to check. Each one that fails becomes a record.
    pub assertions: Option<&'r Assertions>,
    /// The address whose dependents to find, without instance keys.
    pub dependents_of: Option<&'r str>,
}

impl<'r> Request<'r> {
    /// Asks for all records of the changes of a plan.
    pub fn new(sink: &'r mut dyn Sink) -> Request<'r> {
        Request {
            sink,
            noise: Noise::default(),
            rules: &[],
            patterns: None,
            assertions: None,
            dependents_of: None,
        }
    }
}

/// What the plan says besides its records.
#[derive(Debug, Default)]
pub struct Found {
    /// The broken rules.
    pub broken: Vec<BrokenRow>,
    /// The patterns of rules and assertions that match nothing.
    pub unmatched: Vec<UnmatchedRow>,
    /// The elements that depend on an address; `None` if the plan has no such element.
    pub dependents: Option<Vec<DependentRow>>,
}

const NOT_READ: &str = "check that the file is a complete plan file or the JSON of a plan";

/// Reads the only plan of an input.
pub fn read_plan(
    context: &Context<'_>,
    plan: &NamedPlan,
    request: Request<'_>,
) -> std::result::Result<Found, Refusal> {
    let mut messages = Messages::default();
    let (documents, patterns) = (document_patterns(request.rules), request.patterns.clone());
    let mut reading = Reading {
        request,
        secrets: context.secrets(),
        options: RecordOptions { documents, patterns, ..context.options() },
        found: Found::default(),
        is_done: false,
    };
    let label = Label::from(plan.name.as_str());
    let passes = Passes::Two(Accepts::States);
    let opened = OpenInput::new(&plan.entry, &context.opening(), passes);
    let read = opened.and_then(|opened| {
        let mut run = DocumentLoop::new(Consumer::Documents(passes, &mut reading), &mut messages);
        run.documents(label, opened)
    });
    match (read, messages.error) {
        (Err(error), _) => Err(not_read(error.to_string())),
        (Ok(_), Some(error)) => Err(not_read(error)),
        (Ok(_), None) if reading.is_done => Ok(reading.found),
        (Ok(_), None) => Err(Refusal::new("the file has no plan", NOT_READ)),
    }
}

/// Returns the answer for a plan that cannot be read.
fn not_read(error: String) -> Refusal {
    let hint = match error.contains("raise it with --limit-") {
        true => "the server needs this option among its arguments",
        false => NOT_READ,
    };
    Refusal::new(error, hint)
}

/// Keeps the first error of a run.
#[derive(Debug, Default)]
pub struct Messages {
    /// The error.
    pub error: Option<String>,
}

impl Events for Messages {
    fn done(&mut self, _: Label<'_>, _: DocumentOutcome) {}

    fn failed(&mut self, _: Label<'_>, error: &dyn std::fmt::Display) {
        self.error.get_or_insert_with(|| error.to_string());
    }

    fn remark(&mut self, _: &str, _: Remark) {}
}

/// Reads a plan for a tool.
struct Reading<'r> {
    request: Request<'r>,
    secrets: SecretOptions,
    options: RecordOptions,
    found: Found,
    is_done: bool,
}

impl Handler for Reading<'_> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        if std::mem::replace(&mut self.is_done, true) {
            return Err(Error::new(DocumentFault::SeveralDocuments));
        }
        let Turn { label, documents, at, first } = turn;
        let first = first.ok_or(Error::new(ErrorKind::Spool))?;
        let Reading { request, secrets, options, found, .. } = self;
        let collected = [first.secrets.collect(at, secrets)?];
        let texts = Texts::new(&collected, secrets);
        let known =
            ViewSettings { collected: &collected[0], options: secrets, detail: Detail::Excerpts };
        let view = AttributeView::Changed(known);
        let filter = Filter::new(Box::new(&mut *request.sink), request.noise.clone(), None);
        let moves = Box::new(MoveReader::new(Box::new(filter)));
        let Found { broken, unmatched, .. } = found;
        let mut gate =
            Gate::new(request.rules, moves, |answer| broken.push(BrokenRow::of(answer, &texts)));
        let mut sink = SafeNames::new(&mut gate, &texts);
        let records = RecordRequest::new(label, options).with_view(Some(&view));
        let outcome = match request.assertions {
            None => write_records(documents, records, &mut sink)?,
            Some(assertions) => {
                let failed = &mut |run: Run<'_>, document: &Document| {
                    let Answers { mut outcomes, unmatched: gaps, .. } = run.finish(document);
                    let rows = gaps.iter().map(|gap| {
                        let name = &assertions.list()[gap.assertion].name;
                        UnmatchedRow::of_assertion(name, &gap.text, &texts)
                    });
                    unmatched.extend(rows);
                    if outcomes.iter().any(Outcome::quotes) {
                        mask(&mut outcomes, Some((&collected[0], secrets)));
                    }
                    Ok(assertions.failed(outcomes))
                };
                let check = CheckRequest { checker: Run::new(assertions), failed };
                write_records(documents, records.with_check(check), &mut sink)?
            }
        };
        let patterns = request.patterns.iter().flat_map(|patterns| patterns.unmatched());
        found.unmatched.extend(patterns.map(|pattern| UnmatchedRow::of_rule(&pattern, &texts)));
        if let Some(address) = request.dependents_of {
            found.dependents = dependents(first, at, address, &texts)?;
        }
        Ok(Visited::Done(DocumentOutcome::from(outcome)))
    }

    fn failed(&mut self, _: Label<'_>, _: &Error) -> Result<Flow> {
        Ok(Flow::Stop)
    }
}

/// Finds what depends on an address in the configuration of the plan at an offset.
fn dependents(
    first: &mut FirstPass<'_>,
    at: u64,
    address: &str,
    texts: &Texts<'_>,
) -> Result<Option<Vec<DependentRow>>> {
    let documents = first.again(at)?;
    let mut graph = Graph::new(&documents.options().limits);
    read(documents, &mut |element, offset| graph.add(element, offset))?;
    let found = graph.dependents(address);
    Ok(found.map(|found| found.iter().map(|row| DependentRow::of(row, texts)).collect()))
}
