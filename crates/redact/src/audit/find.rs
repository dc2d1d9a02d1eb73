//! Finds the secrets in a piece.
//!
//! Each search (overlays, echoes, constants, names) yields offsets. Most pieces yield none. The
//! offsets of a piece are sorted, and one walk turns them into paths.

use std::ops::ControlFlow;

use super::notes::{Note, Notes};
use super::safe_text::{Label, PATH_MAX, SafeText, ShownPath};
use super::walk::{Hit, HitKind, walk};
use super::{AuditOptions, copies, names};
use crate::secret::constants::Constant;
use crate::secret::copies::Found;
use crate::secret::echo::{EchoKind, Echoes};
use crate::secret::piece_secrets::{PieceSecret, PieceSecrets};
use crate::secret::relevant::secret_steps;
use crate::secret::strings::Strings;
use crate::secret::words::words;
use crate::secret::words_of_names::looks_secret;
use crate::secret::{Collected, spells_attribute_name};
use plansift_core::error::{Error, Result};
use plansift_core::json::string;
use plansift_core::json::value::decode;
use plansift_core::json::value::{self, Value, WalkEvent};
use plansift_core::limits::Limit;
use plansift_core::path;
use plansift_core::path::is_attribute_name;
use plansift_plan::marks::is_mask;
use plansift_plan::marks::parts::{Parts, constants};
pub use plansift_plan::marks::{MarkReason, MarkSource, Marked, Step};
use plansift_plan::plan::{Piece, PieceKind, Section};
use plansift_plan::record::FindingKind;

/// Finds the secrets in pieces, one after the other.
pub(super) struct Auditor<'r, N> {
    pub notes: N,
    collected: &'r Collected,
    options: &'r AuditOptions,
    echoes: Echoes,
    secrets: PieceSecrets<'r>,
    hits: Hits<'r>,
    /// Scratch space for a key on the path to a finding.
    key: String,
    path: ShownPath,
    /// Number of pieces with values but no overlay that says which are sensitive.
    pub unmarked: u64,
}

/// The secrets found in the current piece.
struct Hits<'r> {
    collected: &'r Collected,
    list: Vec<Hit>,
    /// Number of reported places, and their maximum.
    reported: u64,
    reported_max: u64,
    /// Scratch space for decoded texts.
    decoded: Vec<u8>,
}

impl Hits<'_> {
    fn found(&mut self, found: PieceSecret<'_, '_>) -> Result<()> {
        match found {
            PieceSecret::Marked(marked, by) => self.marked(marked, by),
            PieceSecret::Cut(cut) => {
                cut.steps().try_for_each(|step| self.push_other(HitKind::Marked, step?, 0))
            }
            PieceSecret::Equal(value, text) => {
                let number = self.collected.secrets.repeated(text).unwrap_or_default();
                self.push_other(HitKind::Equal, value, number)
            }
        }
    }

    /// Reports a marked place on both sides.
    fn marked(&mut self, marked: &Marked<'_, '_>, by: MarkSource) -> Result<()> {
        self.count(marked.offset())?;
        for value in marked.sides.into_iter().flatten() {
            let what = self.what(value, by)?;
            self.push(what, value);
        }
        // These overlays repeat keys of a secret value, so nothing in them is reported.
        let overlays = marked.overlays.into_iter().filter(|_| marked.why == MarkReason::Whole);
        for overlay in overlays.chain([marked.unknown]).flatten() {
            let mut has_keys = false;
            for event in overlay.walk() {
                has_keys |= matches!(event?, WalkEvent::Key(_));
            }
            if has_keys {
                self.push(HitKind::Hidden, overlay);
            }
        }
        Ok(())
    }

    fn constant(&mut self, Constant { value, by, .. }: &Constant<'_, '_>) -> Result<()> {
        let what = self.what(*value, *by)?;
        self.push_other(what, *value, 0)
    }

    /// Reports the strings and numbers in a constant that repeat a secret.
    fn repeated(&mut self, constant: Value<'_>) -> Result<()> {
        constant.walk().try_for_each(|event| {
            let event = event?;
            let WalkEvent::Leaf(_, value) = event else { return Ok(()) };
            let mut number = None;
            event.each_text(&mut self.decoded, |text| {
                number = number.or_else(|| self.collected.secrets.repeated(text));
                Ok(())
            })?;
            number.map_or(Ok(()), |number| self.push_other(HitKind::Equal, value, number))
        })
    }

    fn what(&mut self, value: Value<'_>, by: MarkSource) -> Result<HitKind> {
        Ok(match by {
            _ if self.is_mask(value)? => HitKind::Hidden,
            MarkSource::Mark => HitKind::Marked,
            MarkSource::Name => HitKind::Named,
        })
    }

    fn is_mask(&mut self, value: Value<'_>) -> Result<bool> {
        Ok(value.kind()? == value::Kind::String
            && is_mask(decode(value.string()?, &mut self.decoded)?))
    }

    fn push(&mut self, what: HitKind, value: Value<'_>) {
        self.list.push(Hit { offset: value.offset(), what, number: 0 });
    }

    /// Reports a value that no overlay of its piece marks.
    fn push_other(&mut self, what: HitKind, value: Value<'_>, number: u32) -> Result<()> {
        self.count(value.offset())?;
        self.list.push(Hit { offset: value.offset(), what, number });
        Ok(())
    }

    /// Counts a reported place of the piece. Fails if there are too many.
    fn count(&mut self, offset: u64) -> Result<()> {
        self.reported += 1;
        match self.reported > self.reported_max {
            true => Err(Error::limit(Limit::Marks, self.reported_max, offset)),
            false => Ok(()),
        }
    }
}

impl<'r, N: Notes> Auditor<'r, N> {
    pub fn new(collected: &'r Collected, options: &'r AuditOptions, notes: N) -> Auditor<'r, N> {
        let read = &options.secret.read;
        Auditor {
            notes,
            collected,
            options,
            echoes: Echoes::new(read.isa),
            secrets: PieceSecrets::new(Some(collected), &options.secret),
            hits: Hits {
                collected,
                list: Vec::new(),
                reported: 0,
                reported_max: read.limits.marks,
                decoded: Vec::new(),
            },
            key: String::new(),
            path: ShownPath::default(),
            unmarked: 0,
        }
    }

    pub fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        self.hits.list.clear();
        self.hits.reported = 0;
        match piece.kind {
            PieceKind::Scalar => {}
            PieceKind::Known if piece.section == Section::RelevantAttributes => {
                let secrets = Some(&self.collected.secrets);
                if let Some(cut) = secret_steps(piece.value, secrets, &mut self.hits.decoded)? {
                    self.hits.found(PieceSecret::Cut(cut))?;
                }
            }
            PieceKind::Known | PieceKind::Unknown if !self.secrets.marks.has_names() => {}
            PieceKind::Known | PieceKind::Unknown => {
                self.secrets.constants(piece, |constant| self.hits.constant(constant))?;
            }
            kind if kind.is_configuration() => self.configuration(piece)?,
            _ => self.values(piece)?,
        }
        if self.options.echoes {
            self.echoes(piece)?;
        }
        if self.options.suspects && piece.kind != PieceKind::Scalar {
            self.suspects(piece)?;
        }
        match self.hits.list.is_empty() {
            true => Ok(()),
            false => self.report(piece),
        }
    }

    fn values(&mut self, piece: &Piece<'_>) -> Result<()> {
        let mut parts = Parts::of(piece)?;
        self.unmarked += u64::from(parts.is_unmarked(piece.kind));
        let is_declared = parts.are_declared(piece, &self.collected.declared);
        let hits = &mut self.hits;
        self.secrets.find(piece, &mut parts, is_declared, |found| hits.found(found))?;
        if piece.kind.is_named() && looks_secret(piece.name.unwrap_or_default().as_bytes()) {
            self.suspect_values(&parts);
        }
        if piece.kind.is_declaration() && !parts.subject.named {
            self.configuration(piece)?;
        }
        Ok(())
    }

    /// Finds the constants that are marked or equal a secret.
    fn configuration(&mut self, piece: &Piece<'_>) -> Result<()> {
        let hits = &mut self.hits;
        if piece.kind.is_configuration() {
            self.secrets.constants(piece, |constant| hits.constant(constant))?;
        }
        constants(piece, |constant| {
            let before = hits.list.len();
            hits.repeated(constant)?;
            let (mut has_keys, mut texts) = (false, 0);
            for event in constant.walk() {
                match event? {
                    WalkEvent::Key(key) => {
                        has_keys |= !is_attribute_name(decode(key, &mut hits.decoded)?);
                    }
                    WalkEvent::Leaf(value::Kind::String | value::Kind::Number, _) => texts += 1,
                    _ => {}
                }
            }
            // If all values of a map are secret, so are its keys.
            if has_keys && texts > 0 && hits.list.len() - before == texts {
                hits.list.truncate(before);
                hits.push(HitKind::Marked, constant);
            }
            Ok(())
        })
    }

    /// Finds texts that repeat a secret, anywhere in the piece.
    fn echoes(&mut self, piece: &Piece<'_>) -> Result<()> {
        let targets = SafeText(self.collected).targets();
        let (raw, start) = (piece.value.raw(), piece.value.offset());
        let (others, hits_max) = (self.hits.list.len(), self.hits.reported_max);
        let hits = &mut self.hits.list;
        self.echoes.find(raw, &targets, &mut |echo| {
            let what = match echo.kind {
                EchoKind::Key if spells_attribute_name(inside(&raw[echo.range.clone()])) => {
                    return Ok(());
                }
                EchoKind::Key => HitKind::Key,
                EchoKind::Value | EchoKind::Number => HitKind::Echo,
            };
            let offset = start + echo.range.start as u64;
            if (hits.len() - others) as u64 >= hits_max {
                return Err(Error::limit(Limit::Marks, hits_max, offset));
            }
            hits.push(Hit { offset, what, number: echo.number });
            Ok(())
        })?;
        let (mut strings, mut copies) = (Strings::of(raw, &targets), 0);
        while let Some(range) = strings.next()? {
            let found = copies::search(&raw[range.clone()], &targets, &mut self.hits.decoded);
            let (what, number, count) = match found {
                Found::Nothing => continue,
                Found::Whole(number) => (HitKind::Echo, number, 1),
                Found::Inside(copies) => (HitKind::Document, 0, copies.list.len() as u64),
            };
            let offset = start + range.start as u64;
            copies += count;
            if copies > hits_max {
                return Err(Error::limit(Limit::Marks, hits_max, offset));
            }
            hits.push(Hit { offset, what, number });
        }
        if hits.len() > others {
            let words = words(piece.kind, piece.value)?;
            let is_word = |hit: &Hit| words.binary_search(&hit.offset).is_ok();
            hits.retain(|hit| hit.what != HitKind::Echo || !is_word(hit));
        }
        Ok(())
    }

    /// Finds strings whose keys look secret.
    fn suspects(&mut self, piece: &Piece<'_>) -> Result<()> {
        let value = piece.value;
        let (start, hits) = (value.offset(), &mut self.hits.list);
        let others = hits.len();
        names::find(value.raw(), |at| {
            hits.push(Hit { offset: start + at as u64, what: HitKind::Suspect, number: 0 });
        });
        let has_type = piece.kind.is_declaration() || piece.kind == PieceKind::Output;
        if hits.len() > others
            && has_type
            && let Some(expression) = value.get("type")?
        {
            // A type expression names attributes and contains no values.
            let range = expression.range();
            hits.retain(|hit| hit.what != HitKind::Suspect || !range.contains(&hit.offset));
        }
        Ok(())
    }

    /// Records the string values of a piece whose name looks secret.
    fn suspect_values(&mut self, parts: &Parts<'_>) {
        if !self.options.suspects {
            return;
        }
        for value in parts.subject.sides.into_iter().flatten() {
            if value.raw().starts_with(b"\"") && value.raw() != b"\"\"" {
                self.hits.push(HitKind::Suspect, value);
            }
        }
    }

    fn report(&mut self, piece: &Piece<'_>) -> Result<()> {
        self.hits.list.sort_unstable();
        let hits = std::mem::take(&mut self.hits.list);
        let safe = SafeText(self.collected);
        self.notes.piece(Label::of(piece)?.shown(&safe));
        let walked = walk(piece.value, &hits, |hit, steps, value| {
            let kind = match hit.what {
                HitKind::Hidden => return Ok(()),
                HitKind::Marked => FindingKind::Marked,
                HitKind::Named => FindingKind::Name,
                HitKind::Equal => FindingKind::Equal,
                HitKind::Echo | HitKind::Document => FindingKind::Echo,
                HitKind::Key => FindingKind::Key,
                HitKind::Suspect => FindingKind::Suspect,
            };
            if kind == FindingKind::Suspect
                && value.map_or(Ok(true), |value| self.hits.is_mask(value))?
            {
                return Ok(());
            }
            self.path.begin();
            let _ = reportable(steps)
                .iter()
                .try_for_each(|step| push_step(step, &mut self.key, &mut self.path, &safe));
            let (offset, number, path) = (hit.offset, hit.number, self.path.end());
            match value.filter(|_| hit.what == HitKind::Document) {
                Some(value) => {
                    copies::report(value, path, &safe, &mut self.hits.decoded, &mut self.notes)
                }
                None => self.notes.note(Note { kind, path, offset, number }),
            }
        });
        self.hits.list = hits;
        walked
    }
}

/// The text between the quotes of a key.
fn inside(key: &[u8]) -> &[u8] {
    &key[1..key.len() - 1]
}

/// Returns the part of a path that may be reported: the path ends at an overlay, and does not lead
/// into it.
fn reportable<'s, 'a>(steps: &'s [Step<'a>]) -> &'s [Step<'a>] {
    const OVERLAYS: [&str; 7] = [
        "before_sensitive",
        "after_sensitive",
        "after_unknown",
        "sensitive_values",
        "sensitive",
        "config_sensitive",
        "config_unknown",
    ];
    // The depth of overlays in an element of `deferred_changes`.
    const DEEPEST: usize = 3;
    let is_overlay = |step: &Step<'_>| match step {
        Step::Key(key) => OVERLAYS.iter().any(|overlay| key.is(overlay)),
        Step::Index(_) => false,
    };
    match steps.iter().take(DEEPEST).position(is_overlay) {
        Some(overlay) => &steps[..=overlay],
        None => steps,
    }
}

/// Adds a step to a reported path. Breaks if the path is too long.
fn push_step(
    step: &Step<'_>,
    memory: &mut String,
    path: &mut ShownPath,
    safe: &SafeText<'_>,
) -> ControlFlow<()> {
    let key = match step {
        Step::Index(index) => return path.push(path::Step::Index(*index), safe),
        Step::Key(key) => key,
    };
    memory.clear();
    // A key too long to be reported is not decoded. There may be many findings below it.
    if key.raw().len() > string::EXPANSION_MAX * PATH_MAX || key.decode_to(memory).is_err() {
        return ControlFlow::Break(());
    }
    path.push(path::Step::Key(memory), safe)
}
