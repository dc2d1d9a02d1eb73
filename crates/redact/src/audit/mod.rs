//! Reports where the secrets of a document are: marked values, their copies elsewhere, and values
//! that look secret but are not marked. It never reports a value.
//!
//! ```text
//! first pass   ─▶ [`crate::secret::Collecting`]  digests, and the first location of each secret
//! second pass  ─▶ pieces ─▶ marks, echoes, names: offsets ─▶ [`walk`]  paths ─▶ [`Sink`]
//!                 on all threads if the document is in memory, in document order (`lookahead`)
//! ```
//!
//! Memory is limited to a few times the largest piece. The path of a finding starts at its piece
//! and has the keys of the document, so that `jq` accepts it: `change.after.list[1].key` in the
//! element of `resource_changes` that has the reported address.

mod copies;
mod find;
mod lookahead;
mod names;
mod notes;
mod origins;
mod reading;
mod safe_text;
mod suspects;
mod walk;

use crate::secret::{self, Collecting, FreshSecrets};
use origins::Origins;
use plansift_core::error::Result;
use plansift_core::input::Source;
use plansift_plan::plan::{Document, Documents};
use plansift_plan::record::{AuditSummary, Head, Label, Record, Sink};
use safe_text::SafeText;
pub use suspects::suspects;

/// The options of an audit.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// The options that decide which texts are secret.
    pub secret: secret::SecretOptions,
    /// Whether to search for echoes.
    pub echoes: bool,
    /// Whether to search for keys that look secret and are not marked.
    pub suspects: bool,
}

/// The result of an audit.
#[derive(Clone, Copy, Debug)]
pub struct Audited {
    /// Facts about the document.
    pub document: Document,
    /// Totals of the findings.
    pub summary: AuditSummary,
}

/// Reports where the secrets of the next document are. `collecting` must read the same input.
///
/// # Errors
///
/// Fails if the document is unreadable or neither a plan nor a state, or if it exceeds a limit. Any
/// error of the sink is returned.
///
/// # Panics
///
/// Panics if no document is left.
pub fn audit<S: Source, F: FnMut() -> Result<S>>(
    documents: &mut Documents<S>,
    collecting: &mut Collecting<F, S>,
    label: Label<'_>,
    options: &AuditOptions,
    sink: &mut dyn Sink,
) -> Result<Audited> {
    let mut origins = Origins::default();
    let mut insert = |fresh: &FreshSecrets<'_, '_>| origins.insert(fresh);
    let collected = collecting.collect_before(documents, &options.secret, Some(&mut insert))?;
    sink.record(&Record::Audit(Head::of(label)))?;
    let origins = origins.shown(&SafeText(&collected));
    let (document, summary) = reading::read(documents, &collected, &origins, options, sink)?;
    sink.record(&Record::AuditSummary(summary))?;
    Ok(Audited { document, summary })
}
