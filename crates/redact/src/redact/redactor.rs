//! Finds the marked values in the pieces of a document while the document is written.

use std::ops::Range;

use super::chunk::{Edit, Notes, Span};
use super::mask::{Mask, Masking};
use super::{Counts, RedactOptions};
use crate::secret::constants::Constant;
use crate::secret::piece_secrets::{PieceSecret, PieceSecrets};
use crate::secret::relevant::secret_steps;
use crate::secret::{Collected, spells_attribute_name};
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::json::value::decode;
use plansift_core::json::value::{Kind, Value, WalkEvent};
use plansift_core::limits::Limit;
use plansift_core::path::is_attribute_name;
use plansift_plan::diff::Differ;
use plansift_plan::marks::is_mask;
use plansift_plan::marks::mark_changes::{MarkChange, MarkComparison};
use plansift_plan::marks::parts::{Parts, constants};
pub use plansift_plan::marks::{MarkReason, MarkSource, Marked};
use plansift_plan::plan::{Check, Piece, PieceKind, Section};

/// Finds the secrets in pieces, and records their masks.
pub(super) struct Redactor<'r, N> {
    /// The result of the first pass; `None` without a first pass.
    known: Option<&'r Collected>,
    secrets: PieceSecrets<'r>,
    pub masks: Masks<'r, N>,
}

pub(super) struct Masks<'r, N> {
    pub notes: N,
    pub counts: Counts,
    masking: &'r Masking,
    differ: Differ,
    mark_comparison: MarkComparison,
    /// True if a duplicate key in a marked value is an error. Without a first pass it is not an
    /// error, because everything suspicious is masked.
    refuses_duplicates: bool,
    /// Number of masked places of one piece, and their maximum.
    masked: u64,
    masked_max: u64,
    decoded: Vec<u8>,
}

impl<'r, N: Notes> Redactor<'r, N> {
    /// Creates a redactor. `known` is the result of the first pass. Without it, everything that
    /// depends on another part of the document counts as secret: all variables, all constants,
    /// changes to outputs without overlays, resources outside `resource_changes`, and unknown
    /// sections.
    pub fn new(notes: N, known: Option<&'r Collected>, options: &'r RedactOptions) -> Self {
        let limits = &options.secret.read.limits;
        let masks = Masks {
            notes,
            counts: Counts::default(),
            masking: &options.masking,
            differ: Differ::new(limits),
            mark_comparison: MarkComparison::new(limits),
            refuses_duplicates: known.is_some(),
            masked: 0,
            masked_max: limits.marks,
            decoded: Vec::new(),
        };
        Redactor { known, secrets: PieceSecrets::new(known, &options.secret), masks }
    }

    /// Masks the secrets in a piece, except echoes.
    pub fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        let Piece { kind, value, .. } = *piece;
        self.masks.masked = 0;
        match kind {
            kind if kind.is_configuration() => self.configuration(piece)?,
            PieceKind::Known if piece.section == Section::RelevantAttributes => {
                let secrets = self.known.map(|known| &known.secrets);
                if let Some(cut) = secret_steps(value, secrets, &mut self.masks.decoded)? {
                    self.masks.found(PieceSecret::Cut(cut))?;
                }
            }
            PieceKind::Unknown if self.known.is_none() => self.masks.unknown(value)?,
            PieceKind::Known | PieceKind::Unknown => {
                if piece.section == Section::Checks {
                    Check::refuse_duplicates(value)?;
                }
                if self.secrets.marks.has_names() {
                    self.secrets.constants(piece, |constant| self.masks.constant(constant))?;
                }
            }
            _ => return self.values(piece),
        }
        self.masks.span(piece, None);
        Ok(())
    }

    /// Masks the secrets among the values of a piece.
    fn values(&mut self, piece: &Piece<'_>) -> Result<()> {
        let mut parts = Parts::of(piece)?;
        let [before, after] = parts.subject.sides;
        let before = before.filter(|before| !before.is_null());
        let is_same = |after: &Value<'_>| before.is_none_or(|before| before.raw() == after.raw());
        self.masks.span(piece, after.filter(|after| !is_same(after)));
        self.masks.counts.unmarked += u64::from(parts.is_unmarked(piece.kind));
        let is_declared = match (self.known, piece.kind) {
            // Without a configuration, nothing says which variables are sensitive.
            (Some(known), PieceKind::Variable) if !known.declared.is_known => {
                self.masks.counts.undeclared += 1;
                true
            }
            (Some(known), _) => parts.are_declared(piece, &known.declared),
            (None, PieceKind::Variable) => true,
            (None, PieceKind::OutputChange) => !parts.subject.has_overlays(),
            (None, _) => parts.owner.is_some() && holds_marks_of_changes(piece.section),
        };
        let masks = &mut self.masks;
        self.secrets.find(piece, &mut parts, is_declared, |found| masks.found(found))?;
        if piece.kind.is_declaration() && !parts.subject.named {
            self.configuration(piece)?;
        }
        Ok(())
    }

    /// Masks the constants that are marked or equal a secret. Without a first pass, masks all
    /// constants.
    fn configuration(&mut self, piece: &Piece<'_>) -> Result<()> {
        let Redactor { known, secrets, masks } = self;
        // The ranges of the marked constants, in ascending order.
        let mut marked: Vec<Range<u64>> = Vec::new();
        if known.is_some() && piece.kind.is_configuration() {
            secrets.constants(piece, |constant| {
                marked.push(constant.value.range());
                masks.constant(constant)
            })?;
        }
        let is_marked = |offset: u64| {
            let after = marked.partition_point(|range| range.start <= offset);
            after > 0 && offset < marked[after - 1].end
        };
        let is_secret = |text: &[u8]| {
            !is_mask(text) && known.is_none_or(|known| known.secrets.repeated(text).is_some())
        };
        constants(piece, |constant| {
            if is_marked(constant.offset()) {
                return Ok(());
            }
            if known.is_none() && has_data_keys(constant)? {
                masks.counts.equal += masks.mask(constant)?;
                return Ok(());
            }
            let (mut has_keys, mut others, mut secrets) = (false, 0_u64, 0_u64);
            for event in constant.walk() {
                match event? {
                    WalkEvent::Key(key) => {
                        has_keys |= !is_attribute_name(decode(key, &mut masks.decoded)?);
                    }
                    WalkEvent::Leaf(_, value) if is_marked(value.offset()) => secrets += 1,
                    event @ WalkEvent::Leaf(Kind::String | Kind::Number, value) => {
                        if event.has_text(&mut masks.decoded, is_secret)? {
                            masks.counts.equal += masks.mask_other(value)?;
                            secrets += 1;
                        } else {
                            others += 1;
                        }
                    }
                    _ => {}
                }
            }
            // If all values of a map are secret, so are its keys.
            if has_keys && others == 0 && secrets > 0 {
                masks.mask(constant)?;
            }
            Ok(())
        })
    }
}

impl<N: Notes> Masks<'_, N> {
    fn found(&mut self, found: PieceSecret<'_, '_>) -> Result<()> {
        match found {
            PieceSecret::Marked(marked, by) => self.marked(marked, by)?,
            PieceSecret::Cut(cut) => {
                let edit = Edit { range: cut.range, mask: Mask::Added("") };
                self.counts.marked += u64::from(self.notes.edit(edit));
            }
            PieceSecret::Equal(value, _) => self.counts.equal += self.mask_other(value)?,
        }
        Ok(())
    }

    /// Masks a marked place on both sides.
    fn marked(&mut self, marked: &Marked<'_, '_>, by: MarkSource) -> Result<()> {
        let [before, after] = marked.sides;
        self.count(marked.offset())?;
        let is_changed = match (before, after) {
            (Some(before), Some(after)) => {
                match self.differ.is_changed(before, after, marked.unknown) {
                    Err(error)
                        if !self.refuses_duplicates && error.kind() == ErrorKind::DuplicateKey =>
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
            if self.is_masked(value)? {
                continue;
            }
            // Equal values get equal masks, even if their spellings differ.
            let mask = match earlier.filter(|_| !is_changed) {
                Some(mask) => mask,
                None => self.masking.of(value, is_changed, &mut self.decoded)?,
            };
            *self.counts.by(by) += self.edit(value, mask.clone());
            earlier = Some(mask);
        }
        if marked.why == MarkReason::Whole {
            self.overlays(marked)?;
        }
        marked.unknown.map_or(Ok(()), |unknown| self.overlay(unknown, true))
    }

    /// Edits the overlays of a place that is masked as a whole. If one overlay marks only parts of
    /// its value, so that the change adds or removes a mark, `false` takes its place. The records
    /// of the redacted plan then show the same change of marks.
    fn overlays(&mut self, marked: &Marked<'_, '_>) -> Result<()> {
        let mark_change = match self.mark_comparison.of(marked) {
            Err(error) if !self.refuses_duplicates && error.kind() == ErrorKind::DuplicateKey => {
                None
            }
            mark_change => mark_change?,
        };
        let changes = [MarkChange::Added, MarkChange::Removed];
        for (overlay, change) in marked.overlays.into_iter().zip(changes) {
            match overlay {
                Some(overlay) if mark_change == Some(change) => {
                    self.edit(overlay, Mask::Overlay(false));
                }
                Some(overlay) => self.overlay(overlay, false)?,
                None => {}
            }
        }
        Ok(())
    }

    /// Writes a boolean in place of an overlay that marks parts, if its value is masked as a whole:
    /// the overlay then fits the mask. An overlay of unknown values is replaced only if it has
    /// keys, because they may be secret. Otherwise it still says which elements were unknown.
    fn overlay(&mut self, overlay: Value<'_>, is_of_unknown: bool) -> Result<()> {
        let (mut is_replaced, mut marks) = (false, false);
        for event in overlay.walk() {
            let event = event?;
            is_replaced |= match event {
                WalkEvent::Key(_) => true,
                WalkEvent::Index(_) => !is_of_unknown,
                _ => false,
            };
            marks |= matches!(event, WalkEvent::Leaf(Kind::True, _));
        }
        if is_replaced {
            self.edit(overlay, Mask::Overlay(marks));
        }
        Ok(())
    }

    fn constant(&mut self, Constant { value, by, .. }: &Constant<'_, '_>) -> Result<()> {
        if !self.is_masked(*value)? {
            *self.counts.by(*by) += self.mask_other(*value)?;
        }
        Ok(())
    }

    /// Masks an unknown section as a whole, because without a first pass its echoes cannot be
    /// found.
    fn unknown(&mut self, value: Value<'_>) -> Result<()> {
        if !value.is_null() && !self.is_masked(value)? {
            self.counts.unknown += self.mask_other(value)?;
        }
        Ok(())
    }

    fn is_masked(&mut self, value: Value<'_>) -> Result<bool> {
        Ok(value.kind()? == Kind::String && is_mask(decode(value.string()?, &mut self.decoded)?))
    }

    /// Masks a value that no overlay of its piece marks, and counts its place.
    fn mask_other(&mut self, value: Value<'_>) -> Result<u64> {
        self.count(value.offset())?;
        self.mask(value)
    }

    /// Masks a value that is not compared with another side. Returns 1, or 0 if the value is left
    /// out of the output.
    fn mask(&mut self, value: Value<'_>) -> Result<u64> {
        let mask = self.masking.of(value, false, &mut self.decoded)?;
        Ok(self.edit(value, mask))
    }

    /// Counts a masked place of the piece.
    fn count(&mut self, offset: u64) -> Result<()> {
        self.masked += 1;
        match self.masked > self.masked_max {
            true => Err(Error::limit(Limit::Marks, self.masked_max, offset)),
            false => Ok(()),
        }
    }

    /// Replaces a value. Returns 1, or 0 if the value is left out of the output.
    fn edit(&mut self, value: Value<'_>, mask: Mask) -> u64 {
        u64::from(self.notes.edit(Edit { range: value.range(), mask }))
    }

    /// Records a piece. `after` is its second side if that differs from the first.
    fn span(&mut self, piece: &Piece<'_>, after: Option<Value<'_>>) {
        let (range, after) = (piece.value.range(), after.map_or(0..0, Value::range));
        self.notes.piece(Span { range, kind: piece.kind, after });
    }
}

/// Whether a value contains a key that is not an attribute name, and so may be a secret.
fn has_data_keys(value: Value<'_>) -> Result<bool> {
    let mut has_data_keys = false;
    for event in value.walk() {
        if let WalkEvent::Key(key) = event? {
            has_data_keys |= !spells_attribute_name(key.raw());
        }
    }
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
