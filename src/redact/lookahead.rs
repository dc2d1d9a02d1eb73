//! Lookahead workers that redact ranges of a document: whole ranges, or only the changes that
//! stay.

use std::ops::Range;

use super::chunk::Chunk;
use super::kept_ranges::KeptRanges;
use super::masker::Masker;
use super::redactor::{Masks, Redactor};
use super::selection::{Judge, Verdict};
use super::{Counts, RedactOptions};
use crate::error::Result;
use crate::json::outline::Outline;
use crate::plan::lookahead::{LookaheadJob, LookaheadResult as _, Task};
use crate::plan::{Flow, LookaheadReader, Piece, ReadRange, Visitor};
use crate::pool::Worker;
use crate::secret::Collected;
use crate::secret::first_pass_index::FirstPassIndex;

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
    /// Scratch space for pieces.
    outline: Outline,
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
        let (kept, outline) = (KeptRanges::default(), Outline::new());
        RangeRedactor {
            masker,
            redactor,
            known,
            judge,
            kept,
            outline,
            index_failures: 0,
            index_skips: 0,
        }
    }

    /// Redacts a range with the index of the first pass. Returns `None` if the index does not
    /// suffice. The worker then does not try the index for some ranges, because it may not suffice
    /// there either.
    fn try_known(
        &mut self,
        reader: &LookaheadReader,
        index: usize,
        job: &mut LookaheadJob<Chunk>,
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
        let read = self.redact_known(reader, first_pass, index, job);
        self.index_failures = if read.is_some() { 0 } else { self.index_failures + 1 };
        self.index_skips = self.index_failures.min(INDEX_SKIPS_MAX);
        read
    }

    /// Redacts an indexed range by parsing only its marked pieces. Returns `None` if the range has
    /// secrets elsewhere, or if its bytes have changed.
    fn redact_known(
        &mut self,
        reader: &LookaheadReader,
        first_pass: &FirstPassIndex,
        index: usize,
        job: &mut LookaheadJob<Chunk>,
    ) -> Option<ReadRange> {
        let (read, indexed) = first_pass.get(index);
        job.result.take(read.range(), reader.text());
        if first_pass.digests().of(&job.result.bytes) != indexed.digest {
            return None;
        }
        self.begin(job);
        let all_marked = indexed.marked.iter().all(|(kind, range)| {
            let RangeRedactor { redactor, outline, .. } = self;
            let redact = |piece: &Piece<'_>| redactor.piece(piece);
            reader.read_again(*kind, range.clone(), outline, redact).is_ok()
                && !is_full(&redactor.masks.notes)
        });
        self.end(job);
        job.result.counts.unmarked += indexed.unmarked;
        let is_enough = all_marked && matches!(self.masker.mask_marked(&mut job.result), Ok(true));
        is_enough.then(|| read.clone())
    }

    fn redact(
        &mut self,
        reader: &LookaheadReader,
        range: Range<u64>,
        job: &mut LookaheadJob<Chunk>,
    ) -> Option<ReadRange> {
        self.begin(job);
        let mut redacting = RedactingPieces(&mut self.redactor);
        let read = match &mut self.judge {
            None => reader.read(range, &mut self.outline, &mut redacting),
            Some(judge) => {
                self.kept.clear();
                let kept = &mut self.kept;
                let mut selecting = SelectingPieces { redacting, judge, kept, next: None };
                reader.read(range, &mut self.outline, &mut selecting)
            }
        };
        self.end(job);
        if let Some(read) = &read {
            match self.judge {
                None => job.result.take(read.range(), reader.text()),
                Some(_) => self.kept.take(&mut job.result, read.range(), reader.text()),
            }
            self.masker.work(&mut job.result);
        }
        read
    }

    /// Starts collecting notes and counts for a job.
    fn begin(&mut self, job: &mut LookaheadJob<Chunk>) {
        std::mem::swap(&mut self.redactor.masks.notes, &mut job.result);
        self.redactor.masks.counts = Counts::default();
    }

    fn end(&mut self, job: &mut LookaheadJob<Chunk>) {
        std::mem::swap(&mut self.redactor.masks.notes, &mut job.result);
        job.result.counts = self.redactor.masks.counts;
    }
}

impl Worker for RangeRedactor<'_> {
    type Job = LookaheadJob<Chunk>;

    fn work(&mut self, job: &mut LookaheadJob<Chunk>) {
        let Some(Task { reader, range, known }) = job.task() else { return };
        let known = known.and_then(|index| self.try_known(&reader, index, job));
        let read = known.or_else(|| {
            job.result.clear();
            self.redact(&reader, range, job)
        });
        job.end(read);
    }
}

struct RedactingPieces<'w, 's>(&'w mut Redactor<'s, Chunk>);

impl RedactingPieces<'_, '_> {
    fn is_full(&self) -> bool {
        is_full(&self.0.masks.notes)
    }
}

fn is_full(notes: &Chunk) -> bool {
    notes.edits.len() + notes.pieces.len() >= NOTES_MAX
}

impl Visitor for RedactingPieces<'_, '_> {
    fn examines_all(&self) -> bool {
        true
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        if self.is_full() {
            // The walk redacts the piece itself.
            return Ok(Flow::Stop);
        }
        let Masks { notes, counts, .. } = &self.0.masks;
        let before = (notes.edits.len(), notes.pieces.len(), *counts);
        let redacted = self.0.piece(piece).map(|()| Flow::Continue);
        if redacted.is_err() {
            let Masks { notes, counts, .. } = &mut self.0.masks;
            // The walk redacts the piece again.
            notes.edits.truncate(before.0);
            notes.pieces.truncate(before.1);
            *counts = before.2;
        }
        redacted
    }
}

/// Redacts the pieces of a range that stay.
struct SelectingPieces<'w, 's> {
    redacting: RedactingPieces<'w, 's>,
    judge: &'w mut Judge,
    kept: &'w mut KeptRanges,
    /// The offset of the comma before the next piece.
    next: Option<u64>,
}

impl Visitor for SelectingPieces<'_, '_> {
    fn examines_all(&self) -> bool {
        true
    }

    fn next(&mut self, at: u64) {
        self.next = Some(at);
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let end = piece.value.range().end;
        match (self.judge)(piece)? {
            Verdict::Goes(reason) => self.kept.go(end, reason),
            Verdict::Stays if self.kept.len() >= NOTES_MAX => return Ok(Flow::Stop),
            Verdict::Stays => {
                if self.redacting.piece(piece)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                self.kept.stay(end, self.next);
            }
        }
        Ok(Flow::Continue)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::Result;
    use crate::input::{SharedText, Source};
    use crate::plan::{Accepts, Answer, Boundary, Documents, Section};
    use crate::redact::mask::Masking;
    use crate::scan::Isa;
    use crate::secret::echo::EchoTargets;
    use crate::secret::{self, EchoOf, collect};

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

    #[test]
    fn ranges_without_echoes_are_redacted_from_the_index_alone() {
        let list: Vec<_> = (0..8000).map(resource).collect();
        let text = format!(
            r#"{{"format_version":"1.0","planned_values":{{"root_module":{{"resources":[{}]}}}},
            "resource_changes":[]}}"#,
            list.join(",")
        );
        let source = InMemory(Arc::new(text.clone().into_bytes()));
        let read = crate::plan::PlanOptions::default();
        let secret = secret::SecretOptions { read, echo_min: 8, echo: EchoOf::Whole, names: None };
        let collected = collect(|| Ok(source.clone()), &secret).expect("a plan");
        let mut catcher = ReaderCatcher(None);
        let mut documents = Documents::only(source, &read);
        documents.read(Accepts::States, &mut catcher).expect("a plan");
        let reader = catcher.0.expect("a place to read from");
        let options = RedactOptions { secret, masking: Masking::Text };
        let Collected { secrets, first_pass, .. } = &collected;
        let targets = EchoTargets { secrets, contained: None };
        let masker = Masker::new(targets, &options.masking, Isa::best(), read.limits);
        let mut redactor = RangeRedactor::new(masker, Some(&collected), None, &options);
        let (mut with, mut without) = (0, 0);
        for index in 0..first_pass.ranges(&options.secret, &read).len() {
            let (read, indexed) = first_pass.get(index);
            let has_echoes = text[read.indices()].contains("\"other\":\"hunter2");
            let mut job = LookaheadJob::default();
            let is_enough = redactor.redact_known(&reader, first_pass, index, &mut job).is_some();
            assert_eq!(is_enough, !has_echoes, "{read:?}");
            if is_enough {
                assert_eq!(job.result.counts.marked, indexed.marked.len() as u64);
                without += 1;
            } else {
                with += 1;
            }
        }
        assert!(with > 1 && without > 2, "{with} with echoes, {without} without");
    }
}
