//! Finds the marked values in the pieces of a document while the document is written.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use super::chunk::{Edit, Notes, Span};
use super::mask::{Mask, Masking};
use super::{Counts, Options};
use crate::diff::Differ;
use crate::error::{Error, ErrorKind, Result};
use crate::json::value::{Kind, Value};
use crate::limits::{Limit, Limits};
use crate::plan::{Check, Piece, PieceKind, Section};
use crate::secret::constants::marked_constants;
use crate::secret::leaves::{Leaf, leaves};
use crate::secret::marks::{By, Marked, Marks, Why};
use crate::secret::parts::{Parts, constants};
use crate::secret::relevant::secret_steps;
use crate::secret::steps::Places;
use crate::secret::{Collected, decode, is_attribute_name, is_mask, places, spells_attribute_name};

/// Finds the secrets in pieces, and records their masks.
pub(super) struct Redactor<'r, N> {
    pub notes: N,
    /// The result of the first pass; `None` if there was none.
    known: Option<&'r Collected>,
    /// The key of the digests in `own`.
    keyed: RandomState,
    masking: &'r Masking,
    marks: Marks,
    differ: Differ,
    /// Digests of the marked scalars of one piece.
    own: HashSet<u64>,
    /// Maximum number of digests in `own`.
    secrets_max: u64,
    /// True if the piece has identities.
    has_identities: bool,
    /// The marked places of one piece, for cutting the paths among its values.
    places: Places,
    has_paths: bool,
    /// Number of masked places of one piece.
    masked: u64,
    limits: Limits,
    decoded: Vec<u8>,
    pub counts: Counts,
}

impl<'r, N: Notes> Redactor<'r, N> {
    /// Creates a redactor. `known` is the result of the first pass. Without it, everything that
    /// depends on another part of the document counts as secret: all variables, all constants,
    /// changes to outputs without overlays, resources outside `resource_changes`, and unknown
    /// sections.
    pub fn new(notes: N, known: Option<&'r Collected>, options: &'r Options) -> Self {
        Redactor {
            notes,
            known,
            keyed: RandomState::new(),
            masking: &options.masking,
            marks: Marks::new(options.secret.names.clone(), &options.secret.read.limits),
            differ: Differ::new(&options.secret.read.limits),
            own: HashSet::new(),
            secrets_max: options.secret.read.limits.secrets,
            has_identities: false,
            places: Places::default(),
            has_paths: false,
            masked: 0,
            limits: options.secret.read.limits,
            decoded: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// Masks the secrets in a piece, except echoes.
    pub fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let Piece { kind, value, .. } = *piece;
        self.masked = 0;
        match kind {
            kind if kind.is_configuration() => self.configuration(piece)?,
            PieceKind::Scalar => {}
            PieceKind::Known if piece.section == Section::RelevantAttributes => {
                self.relevant_attribute(value)?;
            }
            PieceKind::Unknown if self.known.is_none() => self.unknown(value)?,
            PieceKind::Known | PieceKind::Unknown => {
                if piece.section == Section::Checks {
                    Check::refuse_duplicates(value)?;
                }
                self.named(piece)?;
            }
            _ => return self.values(piece),
        }
        self.span(value.range(), kind, None);
        Ok(())
    }

    /// Masks the marked values of a piece.
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
            PieceKind::RootDeclaration | PieceKind::Declaration => {
                self.marks.marks_anything(parts.subject.overlays[1])?
            }
            kind => match self.known {
                Some(known) => {
                    // Without a configuration, nothing says which variables are sensitive.
                    let is_undeclared = kind == PieceKind::Variable && !known.declared.is_known;
                    self.counts.undeclared += u64::from(is_undeclared);
                    is_undeclared || parts.are_declared(piece, &known.declared)
                }
                None => {
                    let is_of_output = kind == PieceKind::OutputChange;
                    kind == PieceKind::Variable
                        || is_of_output && !parts.subject.has_overlays()
                        || parts.owner.is_some() && holds_marks_of_changes(piece.section)
                }
            },
        };
        let mut marks = std::mem::take(&mut self.marks);
        let elsewhere = match (self.known, parts.address_elsewhere(piece.section)) {
            (Some(known), Some(address)) => known.places.of_address(address, &mut self.decoded)?,
            _ => None,
        };
        let elsewhere = marks.beyond(parts.subject, elsewhere)?;
        parts.subject.named = is_named || is_declared;
        self.own.clear();
        self.has_identities = parts.identities.iter().any(Option::is_some);
        self.places.clear();
        self.has_paths = parts.replace_paths.is_some();
        let found = parts.subjects().try_for_each(|(identity, subject)| {
            self.has_paths &= identity.is_none();
            let elsewhere = elsewhere.filter(|_| identity.is_none());
            marks.find_with(subject, elsewhere, |marked| {
                let by = if is_declared { By::Mark } else { marked.by };
                self.marked(marked, by)
            })
        });
        self.marks = marks;
        found?;
        if let Some(paths) = parts.replace_paths {
            self.paths(paths)?;
        }
        if piece.kind.is_declaration() && !parts.subject.named {
            self.configuration(piece)?;
        }
        if self.own.is_empty() {
            return Ok(());
        }
        let mut identities = parts.identities.into_iter().flatten();
        identities.try_for_each(|identity| self.identity(identity, parts.is_unknown))
    }

    /// Cuts paths that lead below a marked place.
    fn paths(&mut self, paths: Value<'_>) -> Result<()> {
        self.places.sort();
        if self.places.list().is_empty() {
            return Ok(());
        }
        for path in paths.elements()? {
            if let Some(cut) = self.places.below(path?, self.limits.paths)? {
                let edit = Edit { range: cut.range, mask: Mask::Added("") };
                self.counts.marked += u64::from(self.notes.edit(edit));
            }
        }
        Ok(())
    }

    /// Cuts the path of a relevant attribute if it may lead below a marked place.
    fn relevant_attribute(&mut self, element: Value<'_>) -> Result<()> {
        let secrets = self.known.map(|known| &known.secrets);
        if let Some(cut) = secret_steps(element, secrets, &mut self.decoded)? {
            let edit = Edit { range: cut.range, mask: Mask::Added("") };
            self.counts.marked += u64::from(self.notes.edit(edit));
        }
        Ok(())
    }

    /// Masks a marked place on both sides.
    fn marked(&mut self, marked: &Marked<'_, '_>, by: By) -> Result<()> {
        let [before, after] = marked.sides;
        let offset = before.or(after).or(marked.unknown).map_or(0, Value::offset);
        self.count(offset)?;
        if self.has_paths {
            self.places.push(marked.path, self.limits.paths, offset)?;
        }
        let is_changed = match (before, after) {
            (Some(before), Some(after)) => {
                match self.differ.is_changed(before, after, marked.unknown) {
                    // Without a first pass everything suspicious is masked, so a repeated key need
                    // not be an error.
                    Err(error)
                        if self.known.is_none() && error.kind() == ErrorKind::DuplicateKey =>
                    {
                        true
                    }
                    is_changed => is_changed?,
                }
            }
            _ => false,
        };
        let mut earlier = None;
        for (value, is_changed) in [(before, false), (after, is_changed)] {
            let Some(value) = value else { continue };
            if self.has_identities {
                self.record_scalars(value)?;
            }
            if self.is_masked(value)? {
                continue;
            }
            // Equal values get equal masks, even if their spellings differ.
            let mask = match earlier.filter(|_| !is_changed) {
                Some(mask) => mask,
                None => self.masking.of(value, is_changed, &mut self.decoded)?,
            };
            earlier = Some(mask);
            let masked = self.edit(value, mask);
            match by {
                By::Mark => self.counts.marked += masked,
                By::Name => self.counts.named += masked,
            }
        }
        if marked.why == Why::Whole {
            marked.overlays.into_iter().flatten().try_for_each(|overlay| self.overlay(overlay))?;
        }
        marked.unknown.map_or(Ok(()), |unknown| self.overlay(unknown))
    }

    /// Removes the keys from an overlay of a value that is masked as a whole.
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

    /// Records the scalars of a marked value, to compare the identities of the piece with them.
    fn record_scalars(&mut self, value: Value<'_>) -> Result<()> {
        leaves(value, |leaf| {
            if let Leaf::Scalar(Kind::True | Kind::False, value) = leaf {
                self.own.insert(self.keyed.hash_one(value.raw()));
            }
            leaf.each_text(&mut self.decoded, |text| {
                if !text.is_empty() && !is_mask(text) {
                    self.own.insert(self.keyed.hash_one(text));
                }
                match self.own.len() as u64 > self.secrets_max {
                    true => Err(Error::limit(Limit::Secrets, self.secrets_max, value.offset())),
                    false => Ok(()),
                }
            })
        })
    }

    /// Masks the scalars of an identity that equal a marked scalar of the same piece, except a word
    /// of the format.
    fn identity(&mut self, identity: Value<'_>, word: Option<Value<'_>>) -> Result<()> {
        let word = word.map(Value::offset);
        leaves(identity, |leaf| {
            let Leaf::Scalar(kind, value) = leaf else { return Ok(()) };
            let is_own = |text: &[u8]| self.own.contains(&self.keyed.hash_one(text));
            let is_secret = match kind {
                Kind::True | Kind::False => is_own(value.raw()) && word != Some(value.offset()),
                _ => leaf.has_text(&mut self.decoded, is_own)?,
            };
            if is_secret {
                let mask = self.masking.of(value, false, &mut self.decoded)?;
                self.counts.equal += self.other_edit(value, mask)?;
            }
            Ok(())
        })
    }

    /// Masks the constants that are marked or equal a secret. Without a first pass, masks all
    /// constants.
    fn configuration(&mut self, piece: &Piece<'_>) -> Result<()> {
        let known = self.known;
        let masked = match known {
            Some(_) if piece.kind.is_configuration() => self.constants(piece)?,
            _ => Vec::new(),
        };
        let is_masked = |offset: u64| {
            let after = masked.partition_point(|range| range.start <= offset);
            after > 0 && offset < masked[after - 1].end
        };
        let is_secret = |text: &[u8]| {
            !is_mask(text) && known.is_none_or(|known| known.secrets.repeated(text).is_some())
        };
        constants(piece, |constant| {
            if is_masked(constant.offset()) {
                return Ok(());
            }
            if known.is_none() && has_data_keys(constant)? {
                let mask = self.masking.of(constant, false, &mut self.decoded)?;
                self.counts.equal += self.edit(constant, mask);
                return Ok(());
            }
            let (mut has_keys, mut others, mut secrets) = (false, 0_u64, 0_u64);
            leaves(constant, |leaf| {
                match leaf {
                    Leaf::Key(key) => {
                        has_keys |= !is_attribute_name(decode(key, &mut self.decoded)?);
                    }
                    Leaf::Scalar(_, value) if is_masked(value.offset()) => secrets += 1,
                    Leaf::Scalar(Kind::String | Kind::Number, value) => {
                        if leaf.has_text(&mut self.decoded, is_secret)? {
                            let mask = self.masking.of(value, false, &mut self.decoded)?;
                            self.counts.equal += self.other_edit(value, mask)?;
                            secrets += 1;
                        } else {
                            others += 1;
                        }
                    }
                    _ => {}
                }
                Ok(())
            })?;
            // If all values of a map are secret, so are its keys.
            if has_keys && others == 0 && secrets > 0 {
                let mask = self.masking.of(constant, false, &mut self.decoded)?;
                self.edit(constant, mask);
            }
            Ok(())
        })
    }

    /// Masks the marked constants, and returns their ranges in ascending order.
    fn constants(&mut self, piece: &Piece<'_>) -> Result<Vec<Range<u64>>> {
        let mut masked = Vec::new();
        let Some(known) = self.known else { return Ok(masked) };
        let marks = std::mem::take(&mut self.marks);
        let found = marked_constants(piece, &known.places, &marks, |constant| {
            masked.push(constant.value.range());
            self.constant(constant.value, constant.by)
        });
        self.marks = marks;
        found.map(|()| masked)
    }

    /// Masks the values of keys that match a secret name, in sections without overlays.
    fn named(&mut self, piece: &Piece<'_>) -> Result<()> {
        if !self.marks.has_names() {
            return Ok(());
        }
        let nothing;
        let places = match self.known {
            Some(known) => &known.places,
            None => {
                nothing = places::Places::none();
                &nothing
            }
        };
        let marks = std::mem::take(&mut self.marks);
        let found = marked_constants(piece, places, &marks, |constant| {
            self.constant(constant.value, constant.by)
        });
        self.marks = marks;
        found
    }

    fn constant(&mut self, value: Value<'_>, by: By) -> Result<()> {
        if self.is_masked(value)? {
            return Ok(());
        }
        let mask = self.masking.of(value, false, &mut self.decoded)?;
        let masked = self.other_edit(value, mask)?;
        match by {
            By::Mark => self.counts.marked += masked,
            By::Name => self.counts.named += masked,
        }
        Ok(())
    }

    /// Masks an unknown section, where echoes cannot be searched for.
    fn unknown(&mut self, value: Value<'_>) -> Result<()> {
        if !value.is_null() && !self.is_masked(value)? {
            let mask = self.masking.of(value, false, &mut self.decoded)?;
            self.counts.unknown += self.other_edit(value, mask)?;
        }
        Ok(())
    }

    fn is_masked(&mut self, value: Value<'_>) -> Result<bool> {
        Ok(value.kind()? == Kind::String && is_mask(decode(value.string()?, &mut self.decoded)?))
    }

    /// Masks a value that no overlay of its piece marks.
    fn other_edit(&mut self, value: Value<'_>, mask: Mask) -> Result<u64> {
        self.count(value.offset())?;
        Ok(self.edit(value, mask))
    }

    /// Counts a masked place of the piece.
    fn count(&mut self, offset: u64) -> Result<()> {
        self.masked += 1;
        match self.masked > self.limits.marks {
            true => Err(Error::limit(Limit::Marks, self.limits.marks, offset)),
            false => Ok(()),
        }
    }

    /// Masks a value. Returns 1, or 0 if the value is left out of the output.
    fn edit(&mut self, value: Value<'_>, mask: Mask) -> u64 {
        let edit = Edit { range: value.range(), mask };
        u64::from(self.notes.edit(edit))
    }

    /// Records a piece. `after` is its second side if that differs from the first.
    fn span(&mut self, range: Range<u64>, kind: PieceKind, after: Option<Value<'_>>) {
        let after = after.map_or(0..0, Value::range);
        self.notes.piece(Span { range, kind, after });
    }
}

/// Whether a value contains a key that is not an attribute name, and so may be a secret.
fn has_data_keys(value: Value<'_>) -> Result<bool> {
    let mut has_data_keys = false;
    leaves(value, |leaf| {
        if let Leaf::Key(key) = leaf {
            has_data_keys |= !spells_attribute_name(key.raw());
        }
        Ok(())
    })?;
    Ok(has_data_keys)
}

/// Whether only `resource_changes` has the marks for the resources of a section.
fn holds_marks_of_changes(section: Section) -> bool {
    matches!(
        section,
        Section::PlannedValues
            | Section::PriorState
            | Section::ResourceDrift
            | Section::DeferredChanges
    )
}
