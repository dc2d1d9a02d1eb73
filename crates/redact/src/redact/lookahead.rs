//! Lookahead workers that redact ranges of a document: whole ranges, or only the changes that
//! stay.

use super::chunk::Chunk;
use super::kept_ranges::KeptRanges;
use super::masker::Masker;
use super::redactor::{Masks, Redactor};
use super::selection::{Judge, Verdict};
use super::{Counts, RedactOptions};
use crate::secret::Collected;
use crate::secret::first_pass_index::FirstPassIndex;
use plansift_core::error::Result;
use plansift_core::json::outline::Outline;
use plansift_core::pool::Worker;
use plansift_plan::plan::lookahead::{MapOutcome, PieceMap};
use plansift_plan::plan::{LookaheadReader, Piece, ReadRange};

/// Maximum number of notes (edits and pieces) on one range. The walk redacts the rest of the
/// range itself.
const NOTES_MAX: usize = 8192;

/// Maximum number of ranges that a worker parses whole after the index of the first pass did not
/// suffice.
const INDEX_SKIPS_MAX: u32 = 32;

pub(super) struct RangeRedactor<'s> {
    masker: Masker<'s>,
    redactor: Redactor<'s, Chunk>,
    known: Option<&'s Collected>,
    /// Decides which changes stay; `None` keeps everything.
    judge: Option<Judge>,
    kept: KeptRanges,
    /// Number of ranges in a row for which the index of the first pass did not suffice.
    index_failures: u32,
    /// Number of next ranges for which the worker does not try the index.
    index_skips: u32,
}

impl<'s> RangeRedactor<'s> {
    /// Creates a worker. `known` is the result of an earlier pass. Without a judge everything
    /// stays.
    pub fn new(
        masker: Masker<'s>,
        known: Option<&'s Collected>,
        judge: Option<Judge>,
        options: &'s RedactOptions,
    ) -> Self {
        let redactor = Redactor::new(Chunk::default(), known, options);
        let kept = KeptRanges::default();
        RangeRedactor { masker, redactor, known, judge, kept, index_failures: 0, index_skips: 0 }
    }

    /// Redacts an indexed range by parsing only its marked pieces. Returns `None` if the range has
    /// secrets elsewhere, or if its bytes have changed.
    fn redact_known(
        &mut self,
        reader: &LookaheadReader,
        first_pass: &FirstPassIndex,
        index: usize,
        outline: &mut Outline,
    ) -> Option<ReadRange> {
        let (read, indexed) = first_pass.get(index);
        let chunk = self.batch();
        chunk.take(read.range(), reader.text());
        if first_pass.digests().of(&chunk.bytes) != indexed.digest {
            return None;
        }
        chunk.counts.unmarked = indexed.unmarked;
        let all_marked = indexed.marked.iter().all(|(kind, range)| {
            let redact = |piece: &Piece<'_>| self.redact(piece);
            reader.read_again(*kind, range.clone(), outline, redact).is_ok() && !self.is_full()
        });
        let chunk = &mut self.redactor.masks.notes;
        let is_enough = all_marked && matches!(self.masker.mask_marked(chunk), Ok(true));
        is_enough.then(|| read.clone())
    }

    fn redact(&mut self, piece: &Piece<'_>) -> Result<()> {
        let Redactor { masks, .. } = &mut self.redactor;
        masks.counts = Counts::default();
        self.redactor.piece(piece)?;
        let Masks { notes, counts, .. } = &mut self.redactor.masks;
        notes.counts.add(counts);
        Ok(())
    }

    fn is_full(&self) -> bool {
        let Chunk { edits, pieces, .. } = &self.redactor.masks.notes;
        edits.len() + pieces.len() >= NOTES_MAX
    }
}

impl PieceMap for RangeRedactor<'_> {
    type Batch = Chunk;

    fn batch(&mut self) -> &mut Chunk {
        &mut self.redactor.masks.notes
    }

    fn map(&mut self, piece: &Piece<'_>) -> Result<MapOutcome> {
        let end = piece.value.range().end;
        if let Some(judge) = &mut self.judge
            && let Verdict::Removed(reason) = judge(piece)?
        {
            self.kept.remove(end, reason);
            return Ok(MapOutcome::Added);
        }
        if self.is_full() {
            return Ok(MapOutcome::Left);
        }
        self.redact(piece)?;
        if self.judge.is_some() {
            self.kept.keep(end);
        }
        Ok(MapOutcome::Added)
    }

    fn end(&mut self, read: &ReadRange, text: &[u8]) {
        let chunk = &mut self.redactor.masks.notes;
        match self.judge {
            None => chunk.take(read.range(), text),
            Some(_) => self.kept.take(chunk, read.range(), text),
        }
        self.masker.work(chunk);
    }

    /// Redacts a range with the index of the first pass. If the index does not suffice, does not
    /// try the index for some ranges, because it may not suffice there either.
    fn map_known(
        &mut self,
        reader: &LookaheadReader,
        index: usize,
        outline: &mut Outline,
    ) -> Option<ReadRange> {
        let Collected { first_pass, marked_paths, .. } =
            self.known.filter(|_| self.judge.is_none())?;
        if self.index_skips > 0 {
            self.index_skips -= 1;
            return None;
        }
        // A change elsewhere marks a resource that the first pass counted as unmarked.
        if marked_paths.may_have(&first_pass.get(index).1.addresses) {
            return None;
        }
        let read = self.redact_known(reader, first_pass, index, outline);
        self.index_failures = if read.is_some() { 0 } else { self.index_failures + 1 };
        self.index_skips = self.index_failures.min(INDEX_SKIPS_MAX);
        read
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::redact::mask::Masking;
    use crate::redact::selection::Reason;
    use crate::secret::echo::EchoTargets;
    use crate::secret::first_pass_index::IndexedRange;
    use crate::secret::{self, EchoOf, SecretOptions, collect};
    use plansift_core::error::Result;
    use plansift_core::input::{SharedText, Source};
    use plansift_core::json::detached::Detached;
    use plansift_core::limits::Limits;
    use plansift_core::scan::Isa;
    use plansift_plan::plan::lookahead::PieceBatch as _;
    use plansift_plan::plan::{
        Accepts, Answer, Boundary, Documents, Flow, PieceKind, Section, Visitor,
    };

    /// A source whose whole text is in memory.
    #[derive(Clone)]
    struct InMemory(Arc<Vec<u8>>);

    impl Source for InMemory {
        fn window(&self) -> &[u8] {
            &self.0
        }

        fn offset(&self) -> u64 {
            0
        }

        fn fill(&mut self, _: u64) -> Result<bool> {
            Ok(false)
        }

        fn finish(&mut self) -> Result<()> {
            Ok(())
        }

        fn shared_text(&self) -> Option<SharedText> {
            Some(SharedText::new(self.0.clone()))
        }
    }

    struct ReaderCatcher(Option<LookaheadReader>);

    impl Visitor for ReaderCatcher {
        fn section(&mut self, _: Section, _: &str) -> Answer {
            Answer::Enter
        }

        fn piece(&mut self, _: &Piece<'_>) -> Result<Flow> {
            Ok(Flow::Continue)
        }

        fn ahead(&mut self, boundary: &Boundary<'_>) -> Result<Option<ReadRange>> {
            self.0 = self.0.take().or_else(|| boundary.reader());
            Ok(None)
        }
    }

    fn resource(index: usize) -> String {
        let (password, marks) = match index % 100 {
            0 => ("hunter2hunter2", r#"{"password":true}"#),
            _ => ("", "{}"),
        };
        // The last third has echoes.
        let other = if index > 5000 { "hunter2hunter2" } else { "nothing" };
        let values =
            format!(r#"{{"note":"{other:>200}","other":"{other}","password":"{password}"}}"#);
        format!(r#"{{"address":"a.r[{index}]","values":{values},"sensitive_values":{marks}}}"#)
    }

    /// The text of a plan, and the result of its first pass.
    struct FirstPass {
        text: String,
        collected: Collected,
        reader: LookaheadReader,
        options: RedactOptions,
    }

    impl FirstPass {
        fn new() -> FirstPass {
            let list: Vec<_> = (0..8000).map(resource).collect();
            let text = format!(
                r#"{{"format_version":"1.0","planned_values":{{"root_module":{{"resources":[{}]}}}},
                "resource_changes":[]}}"#,
                list.join(",")
            );
            let source = InMemory(Arc::new(text.clone().into_bytes()));
            let read = plansift_plan::plan::PlanOptions::default();
            let secret =
                secret::SecretOptions { read, echo_min: 8, echo: EchoOf::Whole, names: None };
            let collected = collect(|| Ok(source.clone()), &secret).expect("a plan");
            let mut catcher = ReaderCatcher(None);
            let mut documents = Documents::only(source, &read);
            documents.read(Accepts::States, &mut catcher).expect("a plan");
            let reader = catcher.0.expect("a place to read from");
            let options = RedactOptions { secret, masking: Masking::Text };
            FirstPass { text, collected, reader, options }
        }

        fn worker(&self, judge: Option<Judge>) -> RangeRedactor<'_> {
            let FirstPass { collected, options, .. } = self;
            let targets = EchoTargets { secrets: &collected.secrets, contained: None };
            let limits = options.secret.read.limits;
            let masker = Masker::new(targets, &options.masking, Isa::best(), limits);
            RangeRedactor::new(masker, Some(collected), judge, options)
        }

        /// The number of indexed ranges.
        fn len(&self) -> usize {
            let SecretOptions { read, .. } = &self.options.secret;
            self.collected.first_pass.ranges(&self.options.secret, read).len()
        }

        fn has_echoes(&self, index: usize) -> bool {
            let (read, _) = self.collected.first_pass.get(index);
            self.text[read.indices()].contains("\"other\":\"hunter2")
        }
    }

    #[test]
    fn ranges_without_echoes_are_redacted_from_the_index_alone() {
        let pass = FirstPass::new();
        let mut worker = pass.worker(None);
        let index = &pass.collected.first_pass;
        let (mut with, mut without) = (0, 0);
        for place in 0..pass.len() {
            let (read, indexed) = index.get(place);
            worker.batch().clear();
            let mut outline = Outline::new();
            let redacted = worker.redact_known(&pass.reader, index, place, &mut outline);
            let is_enough = redacted.is_some();
            assert_eq!(is_enough, !pass.has_echoes(place), "{read:?}");
            if is_enough {
                assert_eq!(worker.batch().counts.marked, indexed.marked.len() as u64);
                without += 1;
            } else {
                with += 1;
            }
        }
        assert!(with > 1 && without > 2, "{with} with echoes, {without} without");
    }

    /// After each failure, a worker waits longer before it tries the index again.
    #[test]
    fn the_index_is_rarely_tried_where_it_does_not_suffice() {
        let pass = FirstPass::new();
        let mut worker = pass.worker(None);
        let [with, without] =
            [true, false].map(|has| (0..pass.len()).find(|it| pass.has_echoes(*it) == has));
        let [with, without] = [with, without].map(|place| place.expect("a range"));
        // Returns whether the worker tries the index.
        let mut tries = |place| {
            worker.batch().clear();
            let redacted = worker.map_known(&pass.reader, place, &mut Outline::new());
            let is_tried = !worker.batch().bytes.is_empty();
            assert_eq!(redacted.is_some(), is_tried && place == without);
            is_tried
        };
        assert!((0..3).all(|_| tries(without)));
        let tried: Vec<_> = (0..15).filter(|_| tries(with)).collect();
        assert_eq!(tried, [0, 2, 5, 9, 14]);
        let waits = (0..10).take_while(|_| !tries(without)).count();
        assert_eq!(waits, 5);
        assert!(tries(without) && tries(with) && !tries(with) && tries(with));
        // A judge decides on pieces that the index does not list.
        let mut judged = pass.worker(Some(Box::new(|_| Ok(Verdict::Kept))));
        assert!(judged.map_known(&pass.reader, without, &mut Outline::new()).is_none());
    }

    #[test]
    fn an_index_that_does_not_fit_the_text_does_not_suffice() {
        let pass = FirstPass::new();
        let (read, indexed) = pass.collected.first_pass.get(0);
        let mut index = FirstPassIndex::new(&pass.options.secret);
        let digest = index.digests().of(pass.text[read.indices()].as_bytes());
        let mut push = |marked: Vec<_>, digest| {
            index.push(read, IndexedRange { marked: marked.into(), digest, ..indexed.clone() });
        };
        let marked = indexed.marked.to_vec();
        push(marked.clone(), digest);
        push(marked.clone(), !digest);
        let mut moved = marked.clone();
        moved[0].1.start += 1;
        push(moved, digest);
        // More marks than a worker records.
        push(vec![marked; NOTES_MAX / 2].concat(), digest);
        let mut worker = pass.worker(None);
        for (place, is_enough) in [true, false, false, false].into_iter().enumerate() {
            worker.batch().clear();
            let redacted = worker.redact_known(&pass.reader, &index, place, &mut Outline::new());
            assert_eq!(redacted.is_some(), is_enough, "{place}");
        }
    }

    /// The number of times that a worker takes a piece before it is full.
    fn taken(pass: &FirstPass, marks: &str, judge: Option<Judge>) -> usize {
        let text = format!(
            r#"{{"address":"a.b","values":{{"p":"x","q":"y"}},"sensitive_values":{marks}}}"#
        );
        let mut value = Detached::read(text.as_bytes(), Limits::default()).expect("JSON");
        let value = value.value();
        let (kind, section) = (PieceKind::Resource, Section::PlannedValues);
        let piece = Piece { kind, section, name: None, module: "", value };
        let mut worker = pass.worker(judge);
        let is_added = |_: &usize| worker.map(&piece).expect("a piece") == MapOutcome::Added;
        (0..3 * NOTES_MAX).take_while(is_added).count()
    }

    #[test]
    fn a_full_worker_leaves_pieces_to_the_walk() {
        let pass = FirstPass::new();
        let kept = || Some(Box::new(|_: &Piece<'_>| Ok(Verdict::Kept)) as Judge);
        assert_eq!(taken(&pass, "{}", None), NOTES_MAX);
        assert_eq!(taken(&pass, "{}", kept()), NOTES_MAX);
        assert_eq!(taken(&pass, r#"{"p":true}"#, None), NOTES_MAX / 2);
        assert_eq!(taken(&pass, r#"{"p":true,"q":true}"#, kept()), NOTES_MAX.div_ceil(3));
        let removed = |_: &Piece<'_>| Ok(Verdict::Removed(Reason::NoOp));
        assert_eq!(taken(&pass, "{}", Some(Box::new(removed))), 3 * NOTES_MAX);
    }
}
