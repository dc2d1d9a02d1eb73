//! What is marked in the pieces of a document, found while it is written.

use std::collections::HashSet;
use std::ops::Range;

use super::chunk::{Edit, Notes, Span};
use super::mask::{Mask, Masking};
use super::{Counts, Options};
use crate::diff::Differ;
use crate::error::Result;
use crate::json::value::{Kind, Value};
use crate::limits::Limits;
use crate::plan::{Piece, PieceKind, PieceScout, Section, Unchanged};
use crate::secret::digest::Digester;
use crate::secret::learned::{Learned, LearnedPiece};
use crate::secret::leaves::{Leaf, leaves};
use crate::secret::marks::{By, Marked, Marks};
use crate::secret::parts::{Parts, constants};
use crate::secret::{self, Collected, decode, is_mask};

/// What is known of the secrets while a document is written.
pub(super) enum Held<'r> {
    Before(&'r Collected),
    Meanwhile(Box<Collected>),
    /// What the pieces of a stretch mark, for the one whose stretches these are.
    Ahead(Learned, Digester),
}

impl<'r> Held<'r> {
    /// What was known of them before.
    pub fn known(&self) -> Option<&'r Collected> {
        match self {
            Held::Before(collected) => Some(collected),
            Held::Meanwhile(_) | Held::Ahead(..) => None,
        }
    }

    pub fn digester(&self) -> &Digester {
        match self {
            Held::Before(collected) => collected.secrets.digester(),
            Held::Meanwhile(collected) => collected.secrets.digester(),
            Held::Ahead(_, digester) => digester,
        }
    }

    /// Whether a text is a secret. In a stretch there is nothing to ask that of.
    fn has(&self, text: &[u8]) -> bool {
        match self {
            Held::Before(collected) => collected.secrets.number(text).is_some(),
            Held::Meanwhile(collected) => collected.secrets.number(text).is_some(),
            Held::Ahead(..) => true,
        }
    }

    /// Takes note of the secrets at and below a marked place, if they were not known before.
    fn insert(&mut self, value: Value<'_>, decoded: &mut Vec<u8>) -> Result<()> {
        match self {
            Held::Before(_) => Ok(()),
            Held::Meanwhile(collected) => {
                secret::insert(value, &mut collected.secrets, None, decoded)
            }
            Held::Ahead(learned, digester) => learned.add(value, digester, decoded),
        }
    }

    /// Whether the values of a variable are secret.
    fn declares(&self, name: &str) -> bool {
        match self {
            Held::Before(collected) => collected.declared.holds(name),
            Held::Meanwhile(collected) => {
                !collected.declared.is_known || collected.declared.holds(name)
            }
            // No variables stand in a stretch.
            Held::Ahead(..) => true,
        }
    }
}

/// Finds what is marked in the pieces of a document.
pub(super) struct Redactor<'r, N> {
    pub notes: N,
    pub held: Held<'r>,
    masking: &'r Masking,
    marks: Marks,
    differ: Differ,
    /// A section was met that says what is marked.
    has_met_marks: bool,
    /// Digests of the marked scalars of one piece.
    own: HashSet<u64>,
    /// The piece has identities.
    has_identities: bool,
    decoded: Vec<u8>,
    pub counts: Counts,
}

impl<'r, N: Notes> Redactor<'r, N> {
    pub fn new(notes: N, held: Held<'r>, options: &'r Options) -> Self {
        let limits = Limits { paths: u64::MAX, ..options.secret.read.limits };
        Redactor {
            notes,
            held,
            masking: &options.masking,
            marks: Marks::new(options.secret.names.clone()),
            differ: Differ::new(&limits),
            has_met_marks: false,
            own: HashSet::new(),
            has_identities: false,
            decoded: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Whether a resource change that stays as it is needs no look: nothing in it is marked.
    pub fn unchanged(&mut self, unchanged: &Unchanged<'_>, range: Range<u64>) -> bool {
        let is_quiet = self.marks.is_quiet_change(unchanged);
        if is_quiet {
            self.span(range, PieceKind::ResourceChange, None);
        }
        is_quiet
    }

    /// The same of a resource that is no change.
    pub fn resource(&mut self, sensitive_values: &[u8], range: Range<u64>) -> bool {
        let is_quiet = self.marks.is_quiet_resource(sensitive_values);
        if is_quiet {
            self.span(range, PieceKind::Resource, None);
        }
        is_quiet
    }

    /// Masks what is secret in a piece, but for its echoes.
    pub fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
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

    /// Takes note of the secrets of a piece that somebody else has masked.
    pub fn learn(
        &mut self,
        learned: &Learned,
        piece: &LearnedPiece,
        scout: &PieceScout,
    ) -> Result<()> {
        let Held::Meanwhile(collected) = &mut self.held else { return Ok(()) };
        let (secrets, decoded) = (&mut collected.secrets, &mut self.decoded);
        if learned.teach(piece, secrets)? {
            return Ok(());
        }
        scout.read_again(piece.kind, piece.range.clone(), |piece| {
            self.marks.find(Parts::of(piece)?.subject, |marked| {
                let mut sides = marked.sides.into_iter().flatten();
                sides.try_for_each(|value| secret::insert(value, secrets, None, decoded))
            })
        })
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
            self.held.insert(value, &mut self.decoded)?;
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
        let digester = self.held.digester();
        leaves(value, |leaf| {
            if let Some(text) = leaf.text(&mut self.decoded)?
                && !text.is_empty()
                && !is_mask(text)
            {
                self.own.insert(digester.digest(text));
            }
            Ok(())
        })
    }

    /// Masks what equals a marked scalar of the same piece.
    fn identity(&mut self, identity: Value<'_>) -> Result<()> {
        leaves(identity, |leaf| {
            if let Leaf::Scalar(_, value) = leaf
                && let Some(text) = leaf.text(&mut self.decoded)?
                && self.own.contains(&self.held.digester().digest(text))
            {
                let mask = self.masking.of_text(text);
                self.counts.equal += self.edit(value, mask);
            }
            Ok(())
        })
    }

    /// A section begins.
    pub fn section(&mut self, section: Section) {
        self.has_met_marks |= section == Section::ResourceChanges;
    }

    /// Masks the constants that equal a secret; all, where nobody can know yet which do.
    fn configuration(&mut self, piece: Value<'_>) -> Result<()> {
        let is_early = !self.has_met_marks && self.held.known().is_none();
        if let Held::Meanwhile(collected) = &mut self.held {
            collected.declared.is_known = true;
        }
        constants(piece, |constant| {
            leaves(constant, |leaf| {
                if let Leaf::Scalar(_, value) = leaf
                    && let Some(text) = leaf.text(&mut self.decoded)?
                    && !is_mask(text)
                    && (is_early || self.held.has(text))
                {
                    let mask = self.masking.of_text(text);
                    self.counts.equal += self.edit(value, mask);
                }
                Ok(())
            })
        })
    }

    /// Masks what nobody knows, where its echoes are not looked for.
    fn unknown(&mut self, value: Value<'_>) -> Result<()> {
        if self.held.known().is_none() && !value.is_null() && !self.is_masked(value)? {
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
        u64::from(self.notes.edit(edit))
    }

    /// A piece stands there; `after` is its second side, if that is another than the first.
    fn span(&mut self, range: Range<u64>, kind: PieceKind, after: Option<Value<'_>>) {
        let after = after.map_or(0..0, Value::range);
        self.notes.piece(Span { range, kind, after });
    }
}
