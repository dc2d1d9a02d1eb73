//! Writes a document again, byte for byte, but without its secrets.
//!
//! ```text
//! first pass   ─▶ [`crate::secret::Collecting`]  the secrets' digests
//! second pass  ─▶ pieces ─▶ marked values ─────┐
//!                 bytes leaving the window ────┴▶ [`chunk`]  echoes; masks ─▶ the output, in order
//! ```
//!
//! The `Redactor` finds the marked values piece by piece during the walk. Their unmarked copies
//! (echoes) are found in the bytes, on all threads.
//!
//! If the whole document is in memory, lookahead workers do both for whole ranges, or
//! only for the changes that stay (`kept_ranges`). When the walk arrives at the start of such a
//! range, it writes the result (`OutputBuffer::through`) and jumps to the end.
//!
//! The first pass indexes ranges (`FirstPassIndex` in [`crate::secret`]). If an indexed range stays
//! whole, the second pass parses only its marked pieces, also with a single thread.

mod chunk;
pub mod cut;
mod echo_context;
mod kept_ranges;
mod lookahead;
pub mod mask;
mod masker;
mod output_buffer;
mod pairs;
mod redactor;
pub mod selection;

use std::cell::RefCell;
use std::io::Write;
use std::num::NonZeroUsize;
use std::rc::Rc;

use cut::Cutter;
use lookahead::RangeRedactor;
use mask::Masking;
use masker::Masker;
use output_buffer::{OutputBuffer, Tee};
use redactor::Redactor;
use selection::{Everything, RemovedPieces, Selection};

use crate::secret::echo::EchoTargets;
use crate::secret::{self, Collected};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::input::{Hooked, Source};
use plansift_core::pool::{Pool, Queue};
pub use plansift_plan::marks::MarkSource;
use plansift_plan::plan::lookahead::Lookahead;
use plansift_plan::plan::{Accepts, Document, Documents};

/// How to redact.
#[derive(Clone, Debug)]
pub struct RedactOptions {
    /// The options that decide which texts are secret.
    pub secret: secret::SecretOptions,
    /// The masks that replace secrets.
    pub masking: Masking,
}

/// Number of masked places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Marked values.
    pub marked: u64,
    /// Values and keys that repeat marked values.
    pub echoes: u64,
    /// Values masked for their names.
    pub named: u64,
    /// Identities that equal a marked value of their element, and constants of the configuration
    /// that equal a secret.
    pub equal: u64,
    /// Elements without an overlay that says what is sensitive.
    pub unmarked: u64,
    /// Unknown sections, masked as a whole.
    pub unknown: u64,
    /// Variables that are masked because the document lacks the configuration, which declares the
    /// sensitive ones. Their values count as marked.
    pub undeclared: u64,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.marked += other.marked;
        self.echoes += other.echoes;
        self.named += other.named;
        self.equal += other.equal;
        self.unmarked += other.unmarked;
        self.unknown += other.unknown;
        self.undeclared += other.undeclared;
    }

    /// The count of values that are masked for this reason.
    fn by(&mut self, by: MarkSource) -> &mut u64 {
        match by {
            MarkSource::Mark => &mut self.marked,
            MarkSource::Name => &mut self.named,
        }
    }

    /// Number of all masked places.
    pub fn masked(&self) -> u64 {
        self.marked + self.echoes + self.named + self.equal + self.unknown
    }
}

/// The result of a redaction.
#[derive(Clone, Copy, Debug)]
pub struct Redacted {
    /// Facts about the document.
    pub document: Document,
    /// Number of masked places.
    pub counts: Counts,
}

/// Writes the next document without its secrets. The documents keep the options they were opened
/// with. Of the read options in `options`, only the number of threads, the instruction set and the
/// limits on secrets apply.
///
/// `collected` is the result of the first pass. Without it, marked values are masked, but not their
/// echoes. Variables, constants of the configuration, changes to outputs without overlays, and
/// unknown sections are then masked regardless of their content.
///
/// # Errors
///
/// Fails if the document is unreadable or neither a plan nor a state, if it exceeds a limit, or if
/// the output cannot be written. The bytes written until then contain no secret, but are not a
/// complete document. Without `collected`, they are exactly the bytes before the faulty piece.
///
/// # Panics
///
/// Panics if no document is left.
pub fn redact<S: Source>(
    documents: &mut Documents<S>,
    collected: Option<&Collected>,
    options: &RedactOptions,
    out: &mut dyn Write,
) -> Result<Redacted> {
    let secrecy = collected.map_or(Secrecy::Unknown, Secrecy::Known);
    rewrite(documents, &mut Everything, secrecy, options, out)
}

/// What is known about a document's secrets before it is written.
#[derive(Clone, Copy, Debug)]
pub enum Secrecy<'c> {
    /// A first pass collected all secrets.
    Known(&'c Collected),
    /// There was no first pass, as for [`redact`] without `collected`.
    Unknown,
    /// Secrets may be shown.
    Off,
}

/// Writes the selected parts of a document, without its secrets. Secrets of parts that are left out
/// are also masked in parts that stay.
///
/// # Errors
///
/// Fails like [`redact`], or if the selection fails.
///
/// # Panics
///
/// Panics if no document is left.
pub fn rewrite<S: Source>(
    documents: &mut Documents<S>,
    selection: &mut dyn Selection,
    secrecy: Secrecy<'_>,
    options: &RedactOptions,
    out: &mut dyn Write,
) -> Result<Redacted> {
    let read = &options.secret.read;
    let nothing = Collected::nothing(&options.secret);
    let known = match secrecy {
        Secrecy::Known(collected) => Some(collected),
        Secrecy::Unknown | Secrecy::Off => None,
    };
    let is_redacted = !matches!(secrecy, Secrecy::Off);
    let Collected { secrets, contained, .. } = known.unwrap_or(&nothing);
    let targets = EchoTargets { secrets, contained: contained.as_ref() };
    let (queue, queue_ahead) = (Queue::default(), Queue::default());
    let threads = read.threads.map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| {
        let pool = Pool::new(scope, &queue, threads);
        let masking = &options.masking;
        let new_masker = move || Masker::new(targets, masking, read.isa, read.limits);
        let output = OutputBuffer::new(pool, new_masker, secrets.echo(), out, &read.limits);
        let output = Rc::new(RefCell::new(output));
        let indexed = known
            .map_or(&[][..], |known| known.first_pass.ranges(&options.secret, documents.options()));
        let judges = selection.judges().filter(|_| threads > 1);
        let only_changes = !selection.is_everything();
        let is_ahead = match only_changes {
            true => judges.is_some(),
            false => threads > 1 || !indexed.is_empty(),
        };
        let threads_ahead = (is_redacted && is_ahead).then_some(threads);
        let ahead = Lookahead::new(scope, &queue_ahead, threads_ahead).with_known(indexed);
        let new_map = Box::new(move || {
            let judge = judges.as_ref().map(|judges| judges());
            RangeRedactor::new(new_masker(), known, judge, options)
        });
        let notes = Rc::clone(&output);
        let redactor = is_redacted.then(|| Redactor::new(notes, known, options));
        let mut cutter = Cutter {
            only_changes,
            removed: RemovedPieces::default(),
            output: Rc::clone(&output),
            selection,
            redactor,
            ahead,
            new_map,
            open: Vec::new(),
            next: None,
            is_leaving_out: false,
            cuts: Vec::new(),
        };
        let read = documents.read_by(|region, found| {
            let tee = Hooked::new(region, Tee(Rc::clone(&output)));
            found.read(tee, Accepts::States, &mut cutter)
        });
        let document = match read {
            Ok(document) => document,
            Err(error) => {
                if is_of_the_text(&error) && !secrets.echo() {
                    output.borrow_mut().finish_passed(documents.source())?;
                }
                return Err(error);
            }
        };
        output.borrow_mut().finish(documents.source())?;
        // `finish` has just copied the rest of the window, so check that the input has not changed.
        documents.check_unchanged()?;
        cutter.selection.add_removed(&cutter.removed);
        let mut counts =
            cutter.redactor.map_or(Counts::default(), |redactor| redactor.masks.counts);
        counts.add(&output.borrow().counts);
        Ok(Redacted { document, counts })
    })
}

/// Whether the error comes from the document itself, so that any other pass fails, too.
fn is_of_the_text(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Write | ErrorKind::Changed | ErrorKind::Stopped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_added_one_by_one() {
        let mut counts = Counts::default();
        let other = Counts {
            marked: 1,
            echoes: 20,
            named: 300,
            equal: 4000,
            unmarked: 50_000,
            unknown: 600_000,
            undeclared: 7_000_000,
        };
        counts.add(&other);
        assert_eq!(counts, other);
        counts.add(&other);
        let Counts { marked, echoes, named, equal, unmarked, unknown, undeclared } = counts;
        assert_eq!([marked, echoes, named, equal], [2, 40, 600, 8000]);
        assert_eq!([unmarked, unknown, undeclared], [100_000, 1_200_000, 14_000_000]);
        // Elements without marks are no masked places, and variables count as marked.
        assert_eq!(counts.masked(), 1_208_642);
        *counts.by(MarkSource::Mark) += 1;
        *counts.by(MarkSource::Name) += 2;
        assert_eq!([counts.marked, counts.named], [3, 602]);
    }
}
