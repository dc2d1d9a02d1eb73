//! The same document, byte for byte, without its secrets.
//!
//! ```text
//! once   ─▶ [`crate::secret::Collecting`]  the secrets' digests
//! again  ─▶ pieces ─▶ what is marked ─┐
//!           bytes leaving the window ─┴▶ [`chunk`]  echoes; masks ─▶ the output, in order
//! ```
//!
//! What a document marks is found piece by piece while it is read (`Redactor`); what repeats it
//! without a mark is found in the bytes, on as many threads as there are. Where the text lies in
//! memory, both is done ahead of the walk, a stretch each, by all threads (`ahead`), of the changes
//! that stay where not everything does (`stays`), and what they made of it goes out when the walk
//! has come behind it (`Outgoing::through`). Of a stretch that was read for its secrets as well and
//! stays whole, only what is marked is read again, unless that is most of it (the survey of
//! [`crate::secret`]), also where there is one thread alone.

mod ahead;
mod chunk;
pub mod cut;
mod look;
pub mod mask;
mod outgoing;
mod pairs;
mod redactor;
mod stays;

use std::cell::RefCell;
use std::io::Write;
use std::num::NonZeroUsize;
use std::rc::Rc;

use ahead::StretchRedactor;
use chunk::Masker;
use cut::{Cutter, Everything, Gone, Selection};
use mask::Masking;
use outgoing::{Outgoing, Tee};
use redactor::Redactor;

use crate::error::{Error, ErrorKind, Result};
use crate::input::Source;
use crate::plan::piece_crew::PieceCrew;
use crate::plan::{Document, Documents};
use crate::pool::{Pool, Queue};
use crate::secret::echo::Sought;
use crate::secret::{self, Collected};

/// How to redact.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is secret.
    pub secret: secret::Options,
    /// What stands where a secret stood.
    pub masking: Masking,
}

/// How much was masked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Values that were marked.
    pub marked: u64,
    /// Values that repeat marked ones, and keys that do.
    pub echoes: u64,
    /// Values that were masked for their names.
    pub named: u64,
    /// Values and identities that equal a marked one of the same element or in the configuration.
    pub equal: u64,
    /// Elements without any word on what is sensitive in them.
    pub unmarked: u64,
    /// Sections that nobody knows and that were masked as a whole.
    pub unknown: u64,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.marked += other.marked;
        self.echoes += other.echoes;
        self.named += other.named;
        self.equal += other.equal;
        self.unmarked += other.unmarked;
        self.unknown += other.unknown;
    }

    /// All places that were masked.
    pub fn masked(&self) -> u64 {
        self.marked + self.echoes + self.named + self.equal + self.unknown
    }
}

/// What was done.
#[derive(Clone, Copy, Debug)]
pub struct Redacted {
    /// What was read.
    pub document: Document,
    /// What was masked.
    pub counts: Counts,
}

/// Writes the next of several documents without its secrets. They are read as they were opened; of
/// what `options` say of reading, the threads count, and what whoever looks for echoes is held to.
///
/// `collected` is what was found in it before. Without that, only what is marked is masked, and no
/// echo of it; variables, constants of the configuration, changes to outputs without overlays, and
/// sections that nobody knows are masked whatever they hold.
///
/// # Errors
///
/// The document cannot be read, is neither a plan nor a state, or passes a limit; the output cannot
/// be written. What was written until then has no secret in it either, but is no document. Without
/// `collected` that is everything before the piece that is wrong, and nothing of it.
///
/// # Panics
///
/// There is no next one.
pub fn redact<S: Source>(
    documents: &mut Documents<S>,
    collected: Option<&Collected>,
    options: &Options,
    out: &mut dyn Write,
) -> Result<Redacted> {
    let secrecy = collected.map_or(Secrecy::Unknown, Secrecy::Known);
    rewrite(documents, &mut Everything, secrecy, options, out)
}

/// What is known of the secrets of a document before it is written.
#[derive(Clone, Copy, Debug)]
pub enum Secrecy<'c> {
    /// All of them: the document was read before.
    Known(&'c Collected),
    /// None, as [`redact`] without `collected`.
    Unknown,
    /// They may be shown.
    Off,
}

/// Writes what is wanted of a document, without its secrets; those of what is left out are secret
/// in what stays, too.
///
/// # Errors
///
/// As [`redact`]; what the selection says.
///
/// # Panics
///
/// There is no next one.
pub fn rewrite<S: Source>(
    documents: &mut Documents<S>,
    selection: &mut dyn Selection,
    secrecy: Secrecy<'_>,
    options: &Options,
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
    let what = Sought { secrets, contained: contained.as_ref() };
    let (desk, desk_ahead) = (Queue::new(), Queue::new());
    let threads = read.threads.map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| {
        let crew = Pool::new(scope, &desk, threads);
        let masking = &options.masking;
        let hire = move || Masker::new(what, masking, read.isa, read.limits);
        let outgoing = Outgoing::new(crew, hire, secrets.echo(), out, &read.limits);
        let outgoing = Rc::new(RefCell::new(outgoing));
        let stretches = known
            .map_or(&[][..], |known| known.survey.stretches(&options.secret, documents.options()));
        let judges = selection.judges().filter(|_| threads > 1);
        let only_changes = !selection.is_everything();
        let is_ahead = match only_changes {
            true => judges.is_some(),
            false => threads > 1 || !stretches.is_empty(),
        };
        let ahead = (is_redacted && is_ahead).then(|| {
            let hire = move || {
                let judge = judges.as_ref().map(|judges| judges());
                StretchRedactor::new(hire(), known, judge, options)
            };
            PieceCrew::new(scope, &desk_ahead, threads, hire).with_known(stretches)
        });
        let notes = Rc::clone(&outgoing);
        let redactor = is_redacted.then(|| Redactor::new(notes, known, options));
        let mut cutter = Cutter {
            only_changes,
            is_read_ahead: false,
            gone: Gone::default(),
            outgoing: Rc::clone(&outgoing),
            selection,
            redactor,
            ahead,
            open: Vec::new(),
            next: None,
            is_leaving_out: false,
            cuts: Vec::new(),
        };
        let read = documents.read_by(|region, found| {
            let tee = Tee { source: region, outgoing: Rc::clone(&outgoing) };
            found.read_pieces(tee, &mut cutter)
        });
        let document = match read {
            Ok(document) => document,
            Err(error) => {
                if is_of_the_text(&error) && !secrets.echo() {
                    outgoing.borrow_mut().finish_passed(documents.source())?;
                }
                return Err(error);
            }
        };
        outgoing.borrow_mut().finish(documents.source())?;
        // What was left in the window was copied only now.
        documents.hold_still()?;
        cutter.selection.gone(&cutter.gone);
        let mut counts = cutter.redactor.map_or(Counts::default(), |redactor| redactor.counts);
        counts.add(&outgoing.borrow().counts);
        Ok(Redacted { document, counts })
    })
}

/// Whether the text is wrong, as it would be in any other reading of it.
fn is_of_the_text(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Write | ErrorKind::Changed | ErrorKind::Stopped)
}
