//! The audit of a document does not depend on windows and threads. Its findings are in document
//! order, and its counts are correct. If all findings are suspects, redaction masks nothing.

use std::num::NonZeroUsize;

use plansift::audit::{AuditOptions, audit};
use plansift::error::Result;
use plansift::input::{Slice, Source};
use plansift::limits::Limits;
use plansift::plan::{self, Accepts, Documents, NextDocument};
use plansift::record::{FindingCounts, FindingKind, Record, Sink};
use plansift::scan::Isa;
use plansift::secret::{self, Collecting, EchoOf};

use super::draw::Draw;
use super::failure::{Failure, failure};
use super::pieces::Pieces;
use super::redact;

/// Audits `text` as a whole, in pieces, and with lookahead.
pub fn check(text: &[u8]) {
    let mut draw = Draw::from_bytes(text);
    let isas: Vec<_> = Isa::all().collect();
    for echo in [EchoOf::Whole, EchoOf::Part, EchoOf::Encoded] {
        let whole = audited(|| Slice(text), echo, 1, Isa::best());
        whole.assert_order_and_counts();
        let pieces = draw.clone();
        let isa = draw.one_of(&isas);
        let cut = audited(|| Pieces::new(text, pieces.clone()), echo, 2, isa);
        assert_eq!(cut, whole, "{} {echo:?}", isa.name());
        let threads = draw.one_of(&[1, 2, 3]);
        let ahead = audited(|| Pieces::in_memory(text, pieces.clone()), echo, threads, isa);
        assert_eq!(ahead, whole, "{} {echo:?}, {threads} threads", isa.name());
        if whole.errors.is_empty()
            && whole.findings.iter().all(|finding| finding.0 == FindingKind::Suspect)
        {
            assert!(redact::masks_nothing(text, echo), "{echo:?}: something is masked");
        }
    }
}

/// The result of auditing all documents of an input.
#[derive(Debug, Default, PartialEq)]
struct Audited {
    /// Kind, offset and full text of each finding.
    findings: Vec<(FindingKind, u64, String)>,
    /// Number of documents whose summary does not match their findings.
    wrong_counts: u64,
    /// Findings of the current document.
    counts: FindingCounts,
    errors: Vec<Failure>,
}

impl Audited {
    fn assert_order_and_counts(&self) {
        assert!(self.findings.is_sorted_by_key(|finding| finding.1), "{self:?}");
        assert_eq!(self.wrong_counts, 0, "{self:?}");
    }
}

impl Sink for Audited {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Audit(_) => self.counts = FindingCounts::default(),
            Record::Finding(finding) => {
                self.counts.add(finding.kind);
                self.findings.push((finding.kind, finding.offset, format!("{finding:?}")));
            }
            Record::AuditSummary(summary) => {
                self.wrong_counts += u64::from(summary.counts != self.counts);
            }
            other => panic!("an audit has no such record: {other:?}"),
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

fn audited<S: Source>(
    mut open: impl FnMut() -> S,
    echo: EchoOf,
    threads: usize,
    isa: Isa,
) -> Audited {
    let limits = Limits { secrets: 100, secret_texts: 10_000, ..Limits::default() };
    let threads = NonZeroUsize::new(threads);
    let read = plan::PlanOptions { isa, limits, threads, ..plan::PlanOptions::default() };
    let secret = secret::SecretOptions { read, echo_min: 3, echo, names: None };
    let options = AuditOptions { secret, echoes: true, suspects: true };
    let mut documents = Documents::new(open(), &read);
    let mut collecting = Collecting::new(|| Ok(open()), Accepts::States);
    let mut found = Audited::default();
    loop {
        let audited = audit(&mut documents, &mut collecting, "-".into(), &options, &mut found);
        if let Err(error) = audited {
            found.errors.push(failure(&error));
        }
        if !matches!(documents.find_next(), NextDocument::Document(_)) {
            return found;
        }
    }
}
