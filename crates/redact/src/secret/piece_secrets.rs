//! Finds the secrets in a piece, such as a resource change: marked paths, paths that lead below
//! marked paths, and scalars of identities that equal marked scalars.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::constants::{Constant, marked_constants};
use super::{Collected, SecretOptions};
use plansift_core::error::{Error, Result};
use plansift_core::json::value::{Kind, Value, WalkEvent};
use plansift_core::limits::{Limit, Limits};
use plansift_plan::marks::is_mask;
use plansift_plan::marks::marked_paths;
use plansift_plan::marks::parts::Parts;
use plansift_plan::marks::steps::{Cut, PieceMarkedPaths};
pub use plansift_plan::marks::{MarkSource, Marked, Marks};
use plansift_plan::plan::Piece;

pub(crate) enum PieceSecret<'f, 'a> {
    /// A path that is marked on either side, and the reason.
    Marked(&'f Marked<'f, 'a>, MarkSource),
    /// The steps at the end of a path in `replace_paths` that lead below a marked path.
    Cut(Cut<'a>),
    /// A scalar of an identity that equals a marked scalar, with the text of the scalar. The text
    /// of a boolean is empty.
    Equal(Value<'a>, &'f [u8]),
}

/// Finds the secrets of pieces, one after the other, and reuses its memory.
pub(crate) struct PieceSecrets<'r> {
    /// The result of the first pass; `None` without a first pass.
    known: Option<&'r Collected>,
    pub marks: Marks,
    /// The marked scalars of one piece, if it has identities to compare with them.
    own: Scalars,
    /// The marked paths of one piece. A path in `replace_paths` that leads below a marked path is
    /// cut at that path.
    marked_paths: PieceMarkedPaths,
    limits: Limits,
    decoded: Vec<u8>,
}

impl<'r> PieceSecrets<'r> {
    pub fn new(known: Option<&'r Collected>, options: &SecretOptions) -> PieceSecrets<'r> {
        let limits = options.read.limits;
        PieceSecrets {
            known,
            marks: options.marks(&limits),
            own: Scalars {
                keyed: RandomState::new(),
                digests: HashSet::new(),
                max: limits.secrets,
            },
            marked_paths: PieceMarkedPaths::default(),
            limits,
            decoded: Vec::new(),
        }
    }

    /// Calls `each` with the secrets among the parts of a piece. `is_declared` says whether the
    /// piece belongs to a variable or an output that is declared sensitive, so that all its values
    /// are secret. Sets `parts.subject.named`.
    pub fn find<'a>(
        &mut self,
        piece: &Piece<'a>,
        parts: &mut Parts<'a>,
        is_declared: bool,
        mut each: impl FnMut(PieceSecret<'_, 'a>) -> Result<()>,
    ) -> Result<()> {
        let PieceSecrets { known, marks, own, marked_paths, limits, decoded } = self;
        let is_declared = is_declared
            || piece.kind.is_declaration() && marks.marks_anything(parts.subject.overlays[1])?;
        let elsewhere = match (known, parts.address_elsewhere(piece.section)) {
            (Some(known), Some(address)) => known.marked_paths.of_address(address, decoded)?,
            _ => None,
        };
        let elsewhere = marks.beyond(parts.subject, elsewhere)?;
        let is_named = piece.kind.is_named() && marks.is_name(piece.name.unwrap_or_default());
        parts.subject.named = is_declared || is_named;
        own.digests.clear();
        marked_paths.clear();
        let has_identities = parts.identities.iter().any(Option::is_some);
        parts.subjects().try_for_each(|(identity, subject)| {
            let has_paths = parts.replace_paths.is_some() && identity.is_none();
            let elsewhere = elsewhere.filter(|_| identity.is_none());
            marks.find_with(subject, elsewhere, |marked| {
                each(PieceSecret::Marked(
                    marked,
                    if is_declared { MarkSource::Mark } else { marked.by },
                ))?;
                if has_paths {
                    marked_paths.push(marked.path, limits.paths, marked.offset())?;
                }
                let mut values = marked.sides.into_iter().flatten().filter(|_| has_identities);
                values.try_for_each(|value| own.insert(value, decoded))
            })
        })?;
        marked_paths.sort();
        if let Some(paths) = parts.replace_paths.filter(|_| !marked_paths.list().is_empty()) {
            for path in paths.elements()? {
                marked_paths
                    .below(path?, limits.paths)?
                    .map_or(Ok(()), |cut| each(PieceSecret::Cut(cut)))?;
            }
        }
        if own.digests.is_empty() {
            return Ok(());
        }
        // The flag `unknown` of an import is never a secret.
        let word = parts.is_unknown.map(Value::offset);
        parts.identities.into_iter().flatten().try_for_each(|identity| {
            identity.walk().try_for_each(|event| {
                let event = event?;
                let WalkEvent::Leaf(kind, value) = event else { return Ok(()) };
                if matches!(kind, Kind::True | Kind::False) {
                    let is_own = own.has(value.raw()) && word != Some(value.offset());
                    return if is_own { each(PieceSecret::Equal(value, b"")) } else { Ok(()) };
                }
                let mut is_found = false;
                event.each_text(decoded, |text| {
                    let is_first = !is_found && own.has(text);
                    is_found |= is_first;
                    if is_first { each(PieceSecret::Equal(value, text)) } else { Ok(()) }
                })
            })
        })
    }

    /// Calls `each` with the marked constants of a piece of the configuration. In a section without
    /// overlays, calls `each` with the values whose names the user declared secret
    /// ([`marked_constants`]).
    pub fn constants<'a>(
        &self,
        piece: &Piece<'a>,
        each: impl FnMut(&Constant<'_, 'a>) -> Result<()>,
    ) -> Result<()> {
        match self.known {
            Some(known) => marked_constants(piece, &known.marked_paths, &self.marks, each),
            None => marked_constants(
                piece,
                &marked_paths::MarkedPaths::new(&self.limits),
                &self.marks,
                each,
            ),
        }
    }
}

/// A set of scalars, as keyed digests.
struct Scalars {
    keyed: RandomState,
    digests: HashSet<u64>,
    /// Maximum number of digests.
    max: u64,
}

impl Scalars {
    /// Records all scalars at and below a value. Fails if there are too many.
    fn insert(&mut self, value: Value<'_>, decoded: &mut Vec<u8>) -> Result<()> {
        value.walk().try_for_each(|event| {
            let event = event?;
            if let WalkEvent::Leaf(Kind::True | Kind::False, value) = event {
                self.digests.insert(self.keyed.hash_one(value.raw()));
            }
            event.each_text(decoded, |text| {
                if !text.is_empty() && !is_mask(text) {
                    self.digests.insert(self.keyed.hash_one(text));
                }
                match self.digests.len() as u64 > self.max {
                    true => Err(Error::limit(Limit::Secrets, self.max, value.offset())),
                    false => Ok(()),
                }
            })
        })
    }

    fn has(&self, text: &[u8]) -> bool {
        self.digests.contains(&self.keyed.hash_one(text))
    }
}
