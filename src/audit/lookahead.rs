//! Lookahead workers that audit ranges of a document.

use super::AuditOptions;
use super::find::Auditor;
use super::notes::{Note, Notes};
use super::safe_text::Label;
use crate::error::{Error, Result};
use crate::json::outline::Outline;
use crate::limits::Limit;
use crate::plan::lookahead::{LookaheadJob, LookaheadResult, Task};
use crate::plan::{Flow, Piece, Visitor};
use crate::pool::{Worker, scaled_for_fuzzing};
use crate::record::FindingKind;
use crate::secret::Collected;

/// Maximum memory for the findings in a range, in bytes. Beyond it, the walk audits the rest of
/// the range itself.
const SIZE_MAX: u64 = scaled_for_fuzzing(1 << 20);

#[derive(Debug, Default)]
pub(super) struct Findings {
    notes: Vec<StoredNote>,
    labels: Vec<Label>,
    labels_size: u64,
    /// The paths of all findings, joined.
    paths: String,
    /// Number of pieces with values but no overlay that says which are sensitive.
    pub unmarked: u64,
}

/// A position in the list of findings.
#[derive(Clone, Copy)]
struct End {
    notes: usize,
    labels: usize,
}

/// A stored [`Note`].
#[derive(Debug)]
struct StoredNote {
    kind: FindingKind,
    /// Number of labels up to this finding. The last of these labels belongs to the finding's
    /// piece.
    labels: usize,
    /// The end of its path in `paths`.
    path_end: usize,
    offset: u64,
    number: u32,
}

impl Findings {
    fn size(&self) -> u64 {
        (size_of_val(&*self.notes) + self.paths.len()) as u64 + self.labels_size
    }

    /// The current end of the list.
    fn end(&self) -> End {
        End { notes: self.notes.len(), labels: self.labels.len() }
    }

    /// Removes everything after a position.
    fn truncate(&mut self, End { notes, labels }: End) {
        self.notes.truncate(notes);
        self.paths.truncate(self.notes.last().map_or(0, |last| last.path_end));
        self.labels_size -= self.labels.drain(labels..).map(|label| label.size()).sum::<u64>();
    }

    /// Passes all findings to `notes`. Call it once, before the findings are cleared.
    pub fn replay(&mut self, notes: &mut impl Notes) -> Result<()> {
        let (mut labels, mut labels_passed, mut path_start) = (self.labels.drain(..), 0, 0);
        for kept in &self.notes {
            // A label may have no findings.
            if let Some(label) = labels.by_ref().take(kept.labels - labels_passed).last() {
                notes.piece(label);
                labels_passed = kept.labels;
            }
            let path = &self.paths[path_start..kept.path_end];
            path_start = kept.path_end;
            let StoredNote { kind, offset, number, .. } = *kept;
            notes.note(Note { kind, path, offset, number })?;
        }
        Ok(())
    }
}

impl Notes for Findings {
    fn piece(&mut self, label: Label) {
        self.labels_size += label.size();
        self.labels.push(label);
    }

    fn note(&mut self, note: Note<'_>) -> Result<()> {
        let Note { kind, path, offset, number } = note;
        if self.size() > SIZE_MAX {
            // This error ends the range and is not reported: the walk audits the piece itself.
            return Err(Error::limit(Limit::Change, SIZE_MAX, offset));
        }
        self.paths.push_str(path);
        let (labels, path_end) = (self.labels.len(), self.paths.len());
        self.notes.push(StoredNote { kind, labels, path_end, offset, number });
        Ok(())
    }
}

impl LookaheadResult for Findings {
    fn clear(&mut self) {
        self.notes.clear();
        self.labels.clear();
        self.paths.clear();
        (self.labels_size, self.unmarked) = (0, 0);
    }
}

pub(super) struct RangeAuditor<'r> {
    auditor: Auditor<'r, Findings>,
    /// Scratch space for pieces.
    outline: Outline,
}

impl<'r> RangeAuditor<'r> {
    pub fn new(collected: &'r Collected, options: &'r AuditOptions) -> RangeAuditor<'r> {
        let auditor = Auditor::new(collected, options, Findings::default());
        RangeAuditor { auditor, outline: Outline::new() }
    }
}

impl Worker for RangeAuditor<'_> {
    type Job = LookaheadJob<Findings>;

    fn work(&mut self, job: &mut LookaheadJob<Findings>) {
        let Some(Task { reader, range, .. }) = job.task() else { return };
        let RangeAuditor { auditor, outline } = self;
        std::mem::swap(&mut auditor.notes, &mut job.result);
        let read = reader.read(range, outline, &mut AuditingPieces(auditor));
        std::mem::swap(&mut auditor.notes, &mut job.result);
        job.result.unmarked = std::mem::take(&mut auditor.unmarked);
        job.end(read);
    }
}

struct AuditingPieces<'w, 'r>(&'w mut Auditor<'r, Findings>);

impl Visitor for AuditingPieces<'_, '_> {
    fn examines_all(&self) -> bool {
        true
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        let (end, unmarked) = (self.0.notes.end(), self.0.unmarked);
        let audited = self.0.piece(piece).map(|()| Flow::Continue);
        if audited.is_err() {
            // The walk audits the piece again.
            self.0.notes.truncate(end);
            self.0.unmarked = unmarked;
        }
        audited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects the labels and paths as text.
    #[derive(Default)]
    struct Text(String);

    impl Notes for Text {
        fn piece(&mut self, label: Label) {
            self.0 += &format!(" {}:", label.address.unwrap_or_default());
        }

        fn note(&mut self, note: Note<'_>) -> Result<()> {
            self.0 += &format!(" {}", note.path);
            Ok(())
        }
    }

    fn label(address: &str) -> Label {
        Label { address: Some(address.to_owned()), ..Label::default() }
    }

    fn note(path: &str) -> Note<'_> {
        Note { kind: FindingKind::Marked, path, offset: 0, number: 0 }
    }

    #[test]
    fn findings_are_replayed_in_order() {
        let mut findings = Findings::default();
        for (address, paths) in [("a", &["p", "pp"][..]), ("b", &[]), ("c", &["q", ""])] {
            findings.piece(label(address));
            paths.iter().for_each(|path| findings.note(note(path)).expect("there is room"));
        }
        let before = findings.end();
        findings.piece(label("d"));
        findings.note(note("gone")).expect("there is room");
        findings.truncate(before);
        let mut replayed = Text::default();
        findings.replay(&mut replayed).expect("nothing fails");
        assert_eq!(replayed.0, " a: p pp c: q ");
    }

    #[test]
    fn clearing_frees_the_memory_for_findings() {
        let mut findings = Findings::default();
        let mut notes = Vec::new();
        for _ in 0..3 {
            findings.piece(label("a"));
            let mut count = 0;
            while findings.note(note("a path")).is_ok() {
                count += 1;
            }
            notes.push(count);
            findings.replay(&mut Text::default()).expect("nothing fails");
            findings.clear();
        }
        assert!(notes[0] > 10_000 && notes.iter().all(|count| *count == notes[0]), "{notes:?}");
    }
}
