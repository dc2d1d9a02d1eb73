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
use super::turn::{Handler, Turn, Visited, ends_run};
use plansift_compare::collect::{Collector, Facts};
use plansift_compare::join::Objects;
use plansift_compare::meaning::ValueKey;
use plansift_compare::planned::Planned;
use plansift_compare::screen::{Recording, Screen};
use plansift_compare::states::read_state;
use plansift_compare::view::{PlannedView, ShownSecrets};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_plan::plan::{Document, DocumentFault, Flow};
use plansift_plan::record::{
    CheckRequest, Label, PieceChecker, RecordOptions, RecordRequest, write_records,
};
use plansift_plan::sink::Sink;
use plansift_redact::secret::{Collected, SecretOptions};
use plansift_report::filter::{Filter, Noise};
use plansift_report::view::{Detail, ViewSettings};

/// Makes objects of documents.
#[derive(Clone, Debug)]
pub struct ObjectReader {
    /// How to read documents, and which changes count.
    pub options: RecordOptions,
    /// Which objects and paths the user hides.
    pub noise: Noise,
    /// Whether objects are named by their previous addresses, and moves do not count.
    pub ignores_moves: bool,
    /// The key of the digests of values.
    pub key: ValueKey,
    /// Which values are secret, if values are shown; `None` for no values.
    pub secrets: Option<SecretOptions>,
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
    /// The secrets of both documents, if values are shown.
    pub secrets: Option<[Collected; 2]>,
}

impl ObjectReader {
    /// Reads all objects of a document. Returns `None` if the document fails. `reports` have
    /// received the error then.
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
        let pass = Pass { input, part: Part::All, shown: None };
        let passed = self.pass::<Screen>(pass, None, &mut found, reports)?;
        Ok(passed.map(|_| found))
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
        let Some(secrets) = &self.secrets else {
            return self.pair_with(Pass::new(old, None), Pass::new(new, None), reports);
        };
        let Some(of_old) = self.collect(old, secrets, reports)? else { return Ok(None) };
        let Some(of_new) = self.collect(new, secrets, reports)? else { return Ok(None) };
        let [own, other] = [&of_old, &of_new].map(|collected| ViewSettings {
            collected,
            options: secrets,
            detail: Detail::Excerpts,
        });
        let old = Pass::new(old, Some(ShownSecrets { own, other }));
        let new = Pass::new(new, Some(ShownSecrets { own: other, other: own }));
        let pair = self.pair_with(old, new, reports)?;
        Ok(pair.map(|pair| PairObjects { secrets: Some([of_old, of_new]), ..pair }))
    }

    fn pair_with(
        &self,
        old: Pass<'_>,
        new: Pass<'_>,
        reports: &mut Reports<'_>,
    ) -> Result<Option<PairObjects>> {
        let (mut before, mut after) = (self.none(), self.none());
        if self.ignores_moves || !self.noise.is_none() {
            // To count what the filters hide, they must see the changes that both documents have.
            let passed = self.pass::<Screen>(old, None, &mut before, reports)?;
            let Some(_) = passed else { return Ok(None) };
            let passed = self.pass::<Screen>(new, None, &mut after, reports)?;
            return Ok(passed.map(|_| PairObjects {
                old: before,
                new: after,
                alike: 0,
                secrets: None,
            }));
        }
        let recording = Recording::new(&self.key);
        let passed = self.pass(old, Some(recording), &mut before, reports)?;
        let Some(Some(recording)) = passed else { return Ok(None) };
        let screen = Screen::new(&self.key, recording.hashes());
        let passed = self.pass(new, Some(screen), &mut after, reports)?;
        let Some(Some(screen)) = passed else { return Ok(None) };
        let alike = screen.alike();
        if let Some(matched) = screen.matched() {
            let hidden_others = before.facts.hidden_others;
            let changes = Pass { part: Part::Changes, ..old };
            let passed = self.pass(changes, Some(matched), &mut before, reports)?;
            let Some(_) = passed else { return Ok(None) };
            before.facts.hidden_others = hidden_others;
        }
        Ok(Some(PairObjects { old: before, new: after, alike, secrets: None }))
    }

    /// Collects the secrets of a document. Returns `None` if the document fails.
    fn collect(
        &self,
        input: &NamedInput<'_>,
        secrets: &SecretOptions,
        reports: &mut Reports<'_>,
    ) -> Result<Option<Collected>> {
        let collected = input.kept.open().and_then(|opened| {
            let mut first = opened.first.ok_or(Error::new(ErrorKind::Spool))?;
            first.secrets.collect(0, secrets)
        });
        match collected {
            Ok(collected) => Ok(Some(collected)),
            Err(error) if ends_run(&error) => Err(error),
            Err(error) => reports.failed(input.label, &error).map(|()| None),
        }
    }

    fn none(&self) -> DocumentObjects {
        let objects = Objects::new(self.options.read.limits.spool);
        DocumentObjects { objects, facts: Facts::default() }
    }

    /// Reads an input once. Returns the checker, or `None` if the document fails.
    #[expect(clippy::option_option, reason = "a document without a checker returns none")]
    fn pass<C: PieceChecker>(
        &self,
        request: Pass<'_>,
        checker: Option<C>,
        found: &mut DocumentObjects,
        reports: &mut Reports<'_>,
    ) -> Result<Option<Option<C>>> {
        let label = request.input.label;
        let opened = match request.input.kept.open() {
            Ok(opened) => opened,
            Err(error) => return reports.failed(label, &error).map(|()| None),
        };
        let Reports { events, sink } = reports;
        let (failures, is_done): (&mut dyn Sink, _) = (*sink, false);
        let mut pass = ObjectPass { reader: self, request, checker, found, failures, is_done };
        let events: &mut dyn Events = *events;
        let mut run = DocumentLoop::new(Consumer::Documents(Passes::OneKept, &mut pass), events);
        run.documents(label, opened)?;
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

/// Receivers of the messages of a run, and of the errors of its documents.
pub struct Reports<'r> {
    /// Receives the messages of the run.
    pub events: &'r mut dyn Events,
    /// Receives the errors of documents.
    pub sink: &'r mut dyn Sink,
}

impl Reports<'_> {
    /// Reports an input that failed before its document was read.
    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.sink.failed(label, error)?;
        self.events.failed(label, error);
        Ok(())
    }
}

/// One pass over an input.
#[derive(Clone, Copy)]
struct Pass<'p> {
    input: &'p NamedInput<'p>,
    part: Part,
    /// The secrets to hide, if values are shown.
    shown: Option<ShownSecrets<'p>>,
}

impl<'p> Pass<'p> {
    fn new(input: &'p NamedInput<'p>, shown: Option<ShownSecrets<'p>>) -> Pass<'p> {
        Pass { input, part: Part::All, shown }
    }
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
    request: Pass<'p>,
    checker: Option<C>,
    found: &'p mut DocumentObjects,
    /// Receives the error of the document.
    failures: &'p mut dyn Sink,
    is_done: bool,
}

impl<C: PieceChecker> Handler for ObjectPass<'_, C> {
    fn document(&mut self, turn: Turn<'_, '_>) -> Result<Visited> {
        if std::mem::replace(&mut self.is_done, true) {
            return Err(Error::new(DocumentFault::SeveralDocuments));
        }
        let Turn { label, documents, at, first } = turn;
        let view = PlannedView { key: &self.reader.key, shown: self.request.shown };
        let outcome = self.records(|reader, checker, sink| {
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
        if self.found.facts.is_state && self.request.part == Part::All {
            let again = first.ok_or(Error::new(ErrorKind::Spool))?.again(at)?;
            self.records(|reader, _, sink| {
                read_state(again, view, &reader.options.read.limits, sink)
            })?;
        }
        Ok(Visited::Done(DocumentOutcome::from(outcome)))
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<Flow> {
        self.failures.failed(label, error).map(|()| Flow::Stop)
    }
}

impl<C> ObjectPass<'_, C> {
    /// Reads records with `read`, and keeps the objects that they are about.
    fn records<T>(
        &mut self,
        read: impl FnOnce(&ObjectReader, &mut Option<C>, &mut dyn Sink) -> Result<T>,
    ) -> Result<T> {
        let ObjectPass { reader, request, checker, found, .. } = self;
        let ObjectReader { options, noise, key, .. } = reader;
        let DocumentObjects { objects, facts } = found;
        let mut each = |planned: Planned| match request.part {
            Part::Changes if !planned.object.is_change() => Ok(()),
            _ => objects.push(planned),
        };
        let mut collector = Collector::new(key, &noise.paths, facts, &mut each);
        collector.ignores_moves = reader.ignores_moves;
        let mut sink = Filter::new(Box::new(collector), noise.clone(), options.patterns.clone());
        read(reader, checker, &mut sink)
    }
}
