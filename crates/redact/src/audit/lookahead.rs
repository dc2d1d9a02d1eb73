//! The findings of a lookahead worker that audits a range of a document.

use super::find::Auditor;
use super::notes::{Note, Notes};
use super::safe_text::Label;
use plansift_core::error::Result;
use plansift_core::pool::scaled_for_fuzzing;
use plansift_plan::plan::Piece;
use plansift_plan::plan::lookahead::{MapOutcome, PieceBatch, PieceMap};
use plansift_plan::record::FindingKind;

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
    /// True if the memory had no room for a finding. The piece of the finding is left to the walk.
    is_cut: bool,
}

/// A position in the findings: numbers of notes, of labels and of unmarked pieces.
#[derive(Clone, Copy)]
pub(super) struct FindingsEnd {
    notes: usize,
    labels: usize,
    unmarked: u64,
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
            self.is_cut = true;
            return Ok(());
        }
        self.paths.push_str(path);
        let (labels, path_end) = (self.labels.len(), self.paths.len());
        self.notes.push(StoredNote { kind, labels, path_end, offset, number });
        Ok(())
    }
}

impl PieceBatch for Findings {
    type Position = FindingsEnd;

    fn position(&self) -> FindingsEnd {
        let Findings { notes, labels, unmarked, .. } = self;
        FindingsEnd { notes: notes.len(), labels: labels.len(), unmarked: *unmarked }
    }

    fn truncate(&mut self, FindingsEnd { notes, labels, unmarked }: FindingsEnd) {
        self.notes.truncate(notes);
        self.paths.truncate(self.notes.last().map_or(0, |last| last.path_end));
        self.labels_size -= self.labels.drain(labels..).map(|label| label.size()).sum::<u64>();
        (self.unmarked, self.is_cut) = (unmarked, false);
    }

    fn clear(&mut self) {
        self.truncate(FindingsEnd { notes: 0, labels: 0, unmarked: 0 });
        self.labels_size = 0;
    }
}

impl PieceMap for Auditor<'_, Findings> {
    type Batch = Findings;

    fn batch(&mut self) -> &mut Findings {
        &mut self.notes
    }

    fn map(&mut self, piece: &Piece<'_>) -> Result<MapOutcome> {
        self.unmarked = 0;
        self.piece(piece)?;
        self.notes.unmarked += self.unmarked;
        Ok(if self.notes.is_cut { MapOutcome::Left } else { MapOutcome::Added })
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
        let before = findings.position();
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
            while !findings.is_cut {
                findings.note(note("a path")).expect("notes never fail");
                count += 1;
            }
            notes.push(count);
            findings.replay(&mut Text::default()).expect("nothing fails");
            findings.clear();
        }
        assert!(notes[0] > 10_000 && notes.iter().all(|count| *count == notes[0]), "{notes:?}");
    }
}
