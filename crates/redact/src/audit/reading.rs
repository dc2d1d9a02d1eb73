//! The second pass over a document, when its secrets are known.
//!
//! If the document is in memory, lookahead workers find the secrets in ranges of it.
//! When the walk arrives at the start of such a range, it reports the findings and jumps to the
//! end.

use std::num::NonZeroUsize;

use super::AuditOptions;
use super::find::Auditor;
use super::lookahead::Findings;
use super::notes::NoteWriter;
use super::origins::ShownOrigins;
use super::safe_text::SafeText;
use crate::secret::Collected;
use plansift_core::error::Result;
use plansift_core::input::Source;
use plansift_core::pool::Queue;
use plansift_plan::plan::lookahead::Lookahead;
use plansift_plan::plan::{
    Accepts, Answer, Boundary, Document, Documents, Flow, Piece, ReadRange, Section, Visitor,
};
use plansift_plan::record::{AuditSummary, Sink};

/// Reads the next document and reports its findings. Fails if the document is unreadable or neither
/// a plan nor a state, or if it exceeds a limit. Any error of the sink is returned.
pub(super) fn read<S: Source>(
    documents: &mut Documents<S>,
    collected: &Collected,
    origins: &ShownOrigins,
    options: &AuditOptions,
    sink: &mut dyn Sink,
) -> Result<(Document, AuditSummary)> {
    let auditor = Auditor::new(collected, options, NoteWriter::new(sink, origins));
    let threads = options.secret.read.threads.map_or(1, NonZeroUsize::get);
    let queue = Queue::default();
    std::thread::scope(|scope| {
        let ahead = Lookahead::new(scope, &queue, (threads > 1).then_some(threads));
        let mut reading = Reading { auditor, ahead, collected, options };
        let document = documents.read(Accepts::States, &mut reading)?;
        let Auditor { notes, unmarked, .. } = reading.auditor;
        let (bytes, secrets) = (document.bytes, collected.secrets.len() as u64);
        Ok((document, AuditSummary { bytes, secrets, counts: notes.counts, unmarked }))
    })
}

struct Reading<'scope, 'r> {
    auditor: Auditor<'r, NoteWriter<'r>>,
    ahead: Lookahead<'scope, Auditor<'r, Findings>>,
    collected: &'r Collected,
    options: &'r AuditOptions,
}

impl<'scope, 'r: 'scope> Visitor for Reading<'scope, 'r> {
    fn section(&mut self, section: Section, key: &str) -> Answer {
        self.auditor.notes.section = match section {
            Section::Other => SafeText(self.collected).text(key),
            _ => section.name().to_owned(),
        };
        Answer::Enter
    }

    fn examines_all(&self) -> bool {
        true
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        self.auditor.piece(piece).map(|()| Flow::Continue)
    }

    fn ahead(&mut self, boundary: &Boundary<'_>) -> Result<Option<ReadRange>> {
        let new_map = || Auditor::new(self.collected, self.options, Findings::default());
        Ok(self.ahead.find(boundary, new_map))
    }

    fn jumped(&mut self, _: &ReadRange) -> Result<()> {
        self.ahead.fold(|findings, _| {
            self.auditor.unmarked += findings.unmarked;
            findings.replay(&mut self.auditor.notes)
        })
    }
}
