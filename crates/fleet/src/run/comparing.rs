//! Compares two inputs with one document each.
//!
//! ```text
//!  OLD ─▶ hashes of changes ────┐           │
//!         other objects ────────┼───────┐   │  first pass
//!  NEW ─▶ changes without an equal one ─┤   │  second pass
//!  OLD ─▶ changes without an equal one ─┴─▶ join ─▶ differences
//! ```

use super::counts::{DocumentOutcome, Events, RunCounts};
use super::inputs::{Consumer, DocumentLoop};
use super::opening::{KeptInput, Passes};
use super::turn::{Handler, Turn, Visited};
use plansift_compare::collect::{Collector, Facts};
use plansift_compare::join::Objects;
use plansift_compare::meaning::ValueKey;
use plansift_compare::planned::Planned;
use plansift_compare::screen::{Recording, Screen};
use plansift_compare::states::read_state;
use plansift_compare::view::PlannedView;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::plan::{Document, Flow};
use plansift_plan::record::{
    CheckRequest, Label, PieceChecker, RecordOptions, RecordRequest, write_records,
};
use plansift_plan::sink::Sink;
use plansift_report::filter::{Filter, Noise};

/// Makes objects of documents.
#[derive(Clone, Debug)]
pub struct ObjectReader {
    /// How to read documents, and which changes count.
    pub options: RecordOptions,
    /// Which objects and paths the user hides.
    pub noise: Noise,
    /// The key of the digests of values.
    pub key: ValueKey,
}

/// The objects of one document, and facts about the document.
pub struct DocumentObjects {
    /// The objects.
    pub objects: Objects,
    /// Facts about the document.
    pub facts: Facts,
}

/// The objects of two documents, without changes that both contain byte for byte.
pub struct PairObjects {
    /// The objects of the earlier document.
    pub old: DocumentObjects,
    /// The objects of the later document.
    pub new: DocumentObjects,
    /// Number of changes that both documents contain.
    pub alike: u64,
}

impl ObjectReader {
    /// Reads all objects of a document. Returns `None` if the document fails. `reports` have received
    /// the error then.
    ///
    /// # Errors
    ///
    /// Fails if the run was stopped, or if the sink fails.
    pub fn objects(
        &self,
        input: &NamedInput<'_>,
        reports: &mut Reports<'_>,
    ) -> Result<Option<DocumentObjects>> {
        let mut found = self.none();
        let Some(_) = self.pass::<Screen>(input, None, &mut found, Part::All, reports)? else {
            return Ok(None);
        };
        Ok(Some(found))
    }

    /// Reads the objects of two documents. Returns `None` if a document fails. `reports` have
    /// received the error then.
    ///
    /// # Errors
    ///
    /// Fails if the run was stopped, or if the sink fails.
    pub fn pair(
        &self,
        old: &NamedInput<'_>,
        new: &NamedInput<'_>,
        reports: &mut Reports<'_>,
    ) -> Result<Option<PairObjects>> {
        let (mut before, mut after) = (self.none(), self.none());
        let recording = Recording::new(&self.key);
        let passed = self.pass(old, Some(recording), &mut before, Part::All, reports)?;
        let Some(Some(recording)) = passed else { return Ok(None) };
        let screen = Screen::new(&self.key, recording.hashes());
        let passed = self.pass(new, Some(screen), &mut after, Part::All, reports)?;
        let Some(Some(screen)) = passed else { return Ok(None) };
        let alike = screen.len();
        if let Some(matched) = screen.matched() {
            let others = before.facts.clone();
            let passed = self.pass(old, Some(matched), &mut before, Part::Changes, reports)?;
            let Some(_) = passed else { return Ok(None) };
            before.facts.hidden_others = others.hidden_others;
        }
        Ok(Some(PairObjects { old: before, new: after, alike }))
    }

    fn none(&self) -> DocumentObjects {
        let objects = Objects::new(self.options.read.limits.spool);
        DocumentObjects { objects, facts: Facts::default() }
    }

    /// Reads an input once. Returns the checker, or `None` if the document fails.
    #[expect(clippy::option_option, reason = "a document without a checker returns none")]
    fn pass<C: PieceChecker>(
        &self,
        input: &NamedInput<'_>,
        checker: Option<C>,
        found: &mut DocumentObjects,
        part: Part,
        reports: &mut Reports<'_>,
    ) -> Result<Option<Option<C>>> {
        let Reports { events, sink } = reports;
        let opened = match input.kept.open() {
            Ok(opened) => opened,
            Err(error) => {
                sink.failed(input.label, &error)?;
                events.failed(input.label, &error);
                return Ok(None);
            }
        };
        let is_done = false;
        let mut pass = ObjectPass { reader: self, checker, found, part, failures: *sink, is_done };
        let events: &mut dyn Events = *events;
        let mut run = DocumentLoop::new(Consumer::Documents(Passes::OneKept, &mut pass), events);
        run.documents(input.label, opened)?;
        let RunCounts { failed, .. } = run.counts;
        Ok((failed == 0 && pass.is_done).then_some(pass.checker))
    }
}

/// An input and its name.
#[derive(Clone)]
pub struct NamedInput<'r> {
    /// The input.
    pub kept: KeptInput<'r>,
    /// The name of the input.
    pub label: Label<'r>,
}

/// Who learns of documents that are read, and of those that fail.
pub struct Reports<'r> {
    /// Receives the messages of the run.
    pub events: &'r mut dyn Events,
    /// Receives the errors of documents.
    pub sink: &'r mut dyn Sink,
}

/// Which objects of a document a pass keeps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    /// Only changes of resources; an earlier pass has kept all other objects.
    Changes,
}

/// Reads the objects of the only document of an input.
struct ObjectPass<'p, C> {
    reader: &'p ObjectReader,
    checker: Option<C>,
    found: &'p mut DocumentObjects,
    part: Part,
    /// Receives the error of the document.
    failures: &'p mut dyn Sink,
    is_done: bool,
}

impl<C: PieceChecker> Handler for ObjectPass<'_, C> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        if std::mem::replace(&mut self.is_done, true) {
            return Ok(Visited::Refused("only one document of an input is compared".to_owned()));
        }
        let Turn { label, documents, at, first } = turn;
        let outcome = self.records(|reader, checker, sink| {
            let view = PlannedView { key: reader.key.clone() };
            let request = RecordRequest::new(label, &reader.options).with_view(Some(&view));
            let Some(taken) = checker.take() else {
                return write_records(documents, request, sink);
            };
            let failed = &mut |taken: C, _: &Document| {
                *checker = Some(taken);
                Ok(Vec::new())
            };
            let request = request.with_check(CheckRequest { checker: taken, failed });
            write_records(documents, request, sink)
        })?;
        if self.found.facts.is_state && self.part == Part::All {
            let again = first.ok_or(Error::new(ErrorKind::Spool))?.again(at)?;
            self.records(|reader, _, sink| {
                read_state(again, &reader.key, &reader.options.read.limits, sink)
            })?;
        }
        Ok(Visited::Done(DocumentOutcome::from(outcome)))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        self.failures.failed(label, error).map(|()| Flow::Continue)
    }
}

impl<C> ObjectPass<'_, C> {
    /// Reads records with `read`, and keeps the objects that they are about.
    fn records<T>(
        &mut self,
        read: impl FnOnce(&ObjectReader, &mut Option<C>, &mut dyn Sink) -> Result<T>,
    ) -> Result<T> {
        let ObjectPass { reader, checker, found, part, .. } = self;
        let ObjectReader { options, noise, key } = reader;
        let DocumentObjects { objects, facts } = found;
        let mut each = |planned: Planned| match part {
            Part::Changes if !planned.object.is_change() => Ok(()),
            _ => objects.push(planned),
        };
        let collector = Collector::new(key, &noise.paths, facts, &mut each);
        let mut sink = Filter::new(Box::new(collector), noise.clone(), options.patterns.clone());
        read(reader, checker, &mut sink)
    }
}
