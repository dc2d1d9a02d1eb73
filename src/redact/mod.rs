//! The same document, byte for byte, without its secrets.
//!
//! ```text
//! once   ─▶ [`crate::secret::Collecting`]  the secrets' digests
//! again  ─▶ pieces ─▶ what is marked ─┐
//!           bytes leaving the window ─┴▶ [`chunk`]  echoes; masks ─▶ the output, in order
//! ```
//!
//! What a document marks is found piece by piece while it is read (`Redactor`); what repeats it
//! without a mark is found in the bytes, on as many threads as there are.

mod chunk;
pub mod cut;
mod look;
pub mod mask;
mod outgoing;
mod pairs;

use std::cell::RefCell;
use std::collections::HashSet;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::rc::Rc;

use chunk::{Edit, Masker, Span};
use cut::{Cutter, Everything, Selection};
use mask::{Mask, Masking};
use outgoing::{Outgoing, Tee};

use crate::crew::{Crew, Desk};
use crate::diff::Differ;
use crate::error::Result;
use crate::input::Source;
use crate::json::value::{Kind, Value};
use crate::limits::Limits;
use crate::plan::{Document, Documents, Piece, PieceKind, Unchanged};
use crate::secret::echo::Sought;
use crate::secret::leaves::{Leaf, leaves};
use crate::secret::marks::{By, Marked, Marks};
use crate::secret::parts::{Parts, constants};
use crate::secret::{self, Collected, Secrets, decode, is_mask};

/// How to redact.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is secret.
    pub secret: secret::Options,
    /// What stands where a secret stood.
    pub masking: Masking,
    /// How many threads may look for echoes.
    pub threads: NonZeroUsize,
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

/// Writes the next of several documents without its secrets. They are read as they were opened,
/// whatever `options` say of reading.
///
/// `collected` is what was found in it before. Without that, only what is marked is masked, and no
/// echo of it; variables that come before their declarations, and sections that nobody knows, are
/// masked whatever they hold.
///
/// # Errors
///
/// The document cannot be read, is neither a plan nor a state, or passes a limit; the output cannot
/// be written. What was written until then has no secret in it either, but is no document.
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
    let (collected, held) = match secrecy {
        Secrecy::Known(collected) => (collected, Some(Held::Before(collected))),
        Secrecy::Unknown => {
            let meanwhile = Box::new(Collected::nothing(&options.secret));
            (&nothing, Some(Held::Meanwhile(meanwhile)))
        }
        Secrecy::Off => (&nothing, None),
    };
    let Collected { secrets, contained, .. } = collected;
    let what = Sought { secrets, contained: contained.as_ref() };
    let desk = Desk::new();
    std::thread::scope(|scope| {
        let crew = Crew::new(scope, &desk, options.threads.get());
        let masking = &options.masking;
        let hire = move || Masker::new(what, masking, read.isa, read.limits);
        let outgoing = Outgoing::new(crew, hire, secrets.echo(), out, &read.limits);
        let outgoing = Rc::new(RefCell::new(outgoing));
        let redactor = held.map(|held| Redactor {
            outgoing: Rc::clone(&outgoing),
            held,
            masking: &options.masking,
            marks: Marks::new(options.secret.names.clone()),
            differ: Differ::new(&Limits { paths: u64::MAX, ..read.limits }),
            own: HashSet::new(),
            has_identities: false,
            decoded: Vec::new(),
            counts: Counts::default(),
        });
        let notes = matches!(secrecy, Secrecy::Unknown);
        let mut cutter = Cutter {
            looks_into_all: notes && selection.looks_into_all(),
            outgoing: Rc::clone(&outgoing),
            selection,
            redactor,
            open: Vec::new(),
            next: None,
            is_leaving_out: false,
            cuts: Vec::new(),
        };
        let document = documents.read_by(|region, found| {
            let tee = Tee { source: region, outgoing: Rc::clone(&outgoing) };
            found.read_pieces(tee, &mut cutter)
        })?;
        outgoing.borrow_mut().finish(documents.source())?;
        // What was left in the window was copied only now.
        documents.hold_still()?;
        let mut counts = cutter.redactor.map_or(Counts::default(), |redactor| redactor.counts);
        counts.add(&outgoing.borrow().counts);
        Ok(Redacted { document, counts })
    })
}

/// What is known of the secrets while a document is written.
enum Held<'r> {
    Before(&'r Collected),
    Meanwhile(Box<Collected>),
}

impl Held<'_> {
    fn secrets(&self) -> &Secrets {
        match self {
            Held::Before(collected) => &collected.secrets,
            Held::Meanwhile(collected) => &collected.secrets,
        }
    }

    /// Whether the values of a variable are secret.
    fn declares(&self, name: &str) -> bool {
        match self {
            Held::Before(collected) => collected.declared.holds(name),
            Held::Meanwhile(collected) => {
                !collected.declared.is_known || collected.declared.holds(name)
            }
        }
    }
}

/// Finds what is marked in the pieces of a document.
struct Redactor<'r, 'scope, 'env, 's> {
    outgoing: Rc<RefCell<Outgoing<'scope, 'env, 's>>>,
    held: Held<'r>,
    masking: &'r Masking,
    marks: Marks,
    differ: Differ,
    /// Digests of the marked scalars of one piece.
    own: HashSet<u64>,
    /// The piece has identities.
    has_identities: bool,
    decoded: Vec<u8>,
    counts: Counts,
}

impl<'scope, 's: 'scope> Redactor<'_, 'scope, '_, 's> {
    /// Whether a resource change that stays as it is needs no look: nothing in it is marked.
    fn unchanged(&mut self, unchanged: &Unchanged<'_>, range: Range<u64>) -> bool {
        let is_quiet = self.marks.is_quiet_change(unchanged);
        if is_quiet {
            self.span(range, PieceKind::ResourceChange, None);
        }
        is_quiet
    }

    /// The same of a resource that is no change.
    fn resource(&mut self, sensitive_values: &[u8], range: Range<u64>) -> bool {
        let is_quiet = self.marks.is_quiet_resource(sensitive_values);
        if is_quiet {
            self.span(range, PieceKind::Resource, None);
        }
        is_quiet
    }

    /// Masks what is secret in a piece, but for its echoes.
    fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let Piece { kind, value, .. } = *piece;
        match kind {
            PieceKind::Configuration => self.configuration(value)?,
            PieceKind::Scalar | PieceKind::Known => {}
            PieceKind::Unknown => self.unknown(value)?,
            _ => return self.values(piece),
        }
        self.span(value.range(), kind, None);
        Ok(())
    }

    /// Masks what is marked in a piece.
    fn values(&mut self, piece: &Piece<'_>) -> Result<()> {
        let mut parts = Parts::of(piece)?;
        let [before, after] = parts.subject.sides;
        let before = before.filter(|before| !before.is_null());
        let is_same = |after: &Value<'_>| before.is_none_or(|before| before.raw() == after.raw());
        self.span(piece.value.range(), piece.kind, after.filter(|after| !is_same(after)));
        self.counts.unmarked += u64::from(parts.is_unmarked(piece.kind));
        let name = piece.name.unwrap_or_default();
        let is_named = piece.kind.is_named() && self.marks.is_name(name);
        let is_declared = match piece.kind {
            PieceKind::Variable => self.held.declares(name),
            PieceKind::RootDeclaration | PieceKind::Declaration => self.declaration(piece)?,
            _ => false,
        };
        parts.subject.named = is_named || is_declared;
        self.own.clear();
        self.has_identities = parts.identities.iter().any(Option::is_some);
        let mut marks = std::mem::take(&mut self.marks);
        let found = marks.find(parts.subject, |marked| {
            let by = if is_declared { By::Mark } else { marked.by };
            self.marked(marked, by)
        });
        self.marks = marks;
        found?;
        if self.own.is_empty() {
            return Ok(());
        }
        parts.identities.into_iter().flatten().try_for_each(|identity| self.identity(identity))
    }

    /// Takes note of a declaration; whether what it declares is secret.
    fn declaration(&mut self, piece: &Piece<'_>) -> Result<bool> {
        let is_sensitive = self.marks.marks_anything(piece.value.get("sensitive")?)?;
        if let Held::Meanwhile(collected) = &mut self.held
            && piece.kind == PieceKind::RootDeclaration
        {
            collected.declared.is_known = true;
            if is_sensitive {
                collected.declared.insert(piece.name.unwrap_or_default());
            }
        }
        Ok(is_sensitive)
    }

    /// Masks a marked place on both sides.
    fn marked(&mut self, marked: &Marked<'_, '_>, by: By) -> Result<()> {
        let [before, after] = marked.sides;
        let is_changed = match (before, after) {
            (Some(before), Some(after)) => self.differ.is_changed(before, after, marked.unknown)?,
            _ => false,
        };
        for (value, is_changed) in [(before, false), (after, is_changed)] {
            let Some(value) = value else { continue };
            if let Held::Meanwhile(collected) = &mut self.held {
                secret::insert(value, &mut collected.secrets, None, &mut self.decoded)?;
            }
            if self.has_identities {
                self.note(value)?;
            }
            if self.is_masked(value)? {
                continue;
            }
            let mask = self.masking.of(value, is_changed, &mut self.decoded)?;
            let masked = self.edit(value, mask);
            match by {
                By::Mark => self.counts.marked += masked,
                By::Name => self.counts.named += masked,
            }
        }
        marked.unknown.map_or(Ok(()), |unknown| self.overlay(unknown))
    }

    /// Takes the keys out of an overlay of a value that is masked as a whole.
    fn overlay(&mut self, overlay: Value<'_>) -> Result<()> {
        let (mut has_keys, mut marks) = (false, false);
        leaves(overlay, |leaf| {
            has_keys |= matches!(leaf, Leaf::Key(_));
            marks |= matches!(leaf, Leaf::Scalar(Kind::True, _));
            Ok(())
        })?;
        if has_keys {
            self.edit(overlay, Mask::Overlay(marks));
        }
        Ok(())
    }

    /// Takes note of the scalars of a marked value, for the identities beside it.
    fn note(&mut self, value: Value<'_>) -> Result<()> {
        let secrets = self.held.secrets();
        leaves(value, |leaf| {
            if let Leaf::Scalar(kind @ (Kind::String | Kind::Number), value) = leaf {
                let text = scalar(kind, value, &mut self.decoded)?;
                if !text.is_empty() && !is_mask(text) {
                    self.own.insert(secrets.digest(text));
                }
            }
            Ok(())
        })
    }

    /// Masks what equals a marked scalar of the same piece.
    fn identity(&mut self, identity: Value<'_>) -> Result<()> {
        leaves(identity, |leaf| {
            if let Leaf::Scalar(kind @ (Kind::String | Kind::Number), value) = leaf {
                let secrets = self.held.secrets();
                let text = scalar(kind, value, &mut self.decoded)?;
                if self.own.contains(&secrets.digest(text)) {
                    let mask = self.masking.of_text(text);
                    self.counts.equal += self.edit(value, mask);
                }
            }
            Ok(())
        })
    }

    /// Masks the constants that equal a secret.
    fn configuration(&mut self, piece: Value<'_>) -> Result<()> {
        if let Held::Meanwhile(collected) = &mut self.held {
            collected.declared.is_known = true;
        }
        constants(piece, |constant| {
            leaves(constant, |leaf| {
                if let Leaf::Scalar(kind @ (Kind::String | Kind::Number), value) = leaf {
                    let secrets = self.held.secrets();
                    let text = scalar(kind, value, &mut self.decoded)?;
                    if secrets.number(text).is_some() {
                        let mask = self.masking.of_text(text);
                        self.counts.equal += self.edit(value, mask);
                    }
                }
                Ok(())
            })
        })
    }

    /// Masks what nobody knows, where its echoes are not looked for.
    fn unknown(&mut self, value: Value<'_>) -> Result<()> {
        if matches!(self.held, Held::Meanwhile(_)) && !value.is_null() && !self.is_masked(value)? {
            let mask = self.masking.of(value, false, &mut self.decoded)?;
            self.counts.unknown += self.edit(value, mask);
        }
        Ok(())
    }

    fn is_masked(&mut self, value: Value<'_>) -> Result<bool> {
        Ok(value.kind()? == Kind::String && is_mask(decode(value.string()?, &mut self.decoded)?))
    }

    /// Masks a value; how many there are, which is none where it is left out.
    fn edit(&mut self, value: Value<'_>, mask: Mask) -> u64 {
        let edit = Edit { range: value.range(), mask };
        u64::from(self.outgoing.borrow_mut().edit(edit))
    }

    /// A piece stands there; `after` is its second side, if that is another than the first.
    fn span(&mut self, range: Range<u64>, kind: PieceKind, after: Option<Value<'_>>) {
        let after = after.map_or(0..0, Value::range);
        self.outgoing.borrow_mut().piece(Span { range, kind, after });
    }
}

/// The text of a string or number.
fn scalar<'t>(kind: Kind, value: Value<'t>, decoded: &'t mut Vec<u8>) -> Result<&'t [u8]> {
    match kind {
        Kind::String => decode(value.string()?, decoded),
        _ => Ok(value.raw()),
    }
}
