//! Finds the secrets in a piece.
//!
//! Each search (overlays, echoes, constants, names) yields offsets. Most pieces yield none. The
//! offsets of a piece are sorted, and one walk turns them into paths.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::names::Names;
use super::notes::{Note, Notes};
use super::safe_text::{Label, PATH_MAX, SafeText, ShownPath};
use super::walk::{Hit, What, walk};
use super::{Kind, Options};
use crate::error::{Error, Result};
use crate::json::string;
use crate::json::value::{self, Value};
use crate::limits::{Limit, Limits};
use crate::path;
use crate::plan::{Piece, PieceKind, Section};
use crate::secret::constants::marked_constants;
use crate::secret::echo::{EchoKind, Echoes, Sought};
use crate::secret::leaves::{Leaf, leaves};
use crate::secret::marks::{By, Marked, Marks, Step, Why};
use crate::secret::parts::{Parts, constants};
use crate::secret::relevant::secret_steps;
use crate::secret::steps::Places;
use crate::secret::words::words;
use crate::secret::{Collected, decode, is_attribute_name, is_mask, spells_attribute_name};

/// Finds the secrets in pieces, one after the other.
pub(super) struct Auditor<'r, N> {
    pub notes: N,
    collected: &'r Collected,
    options: &'r Options,
    echoes: Echoes,
    names: Names,
    marks: Marks,
    hits: Vec<Hit>,
    /// Digests of the marked scalars of one piece.
    own: HashSet<u64>,
    /// The marked places of one piece, for cutting its `replace_paths`.
    places: Places,
    has_paths: bool,
    /// Number of reported places of the current piece.
    reported: u64,
    limits: Limits,
    /// Scratch space for decoded texts.
    decoded: Vec<u8>,
    /// Scratch space for a key on the path to a finding.
    key: String,
    /// The path to a finding.
    path: ShownPath,
    /// Number of pieces with values but no overlay that says which are sensitive.
    pub unmarked: u64,
}

impl<'r, N: Notes> Auditor<'r, N> {
    pub fn new(collected: &'r Collected, options: &'r Options, notes: N) -> Auditor<'r, N> {
        Auditor {
            notes,
            collected,
            options,
            echoes: Echoes::new(options.secret.read.isa),
            names: Names::new(),
            marks: Marks::new(options.secret.names.clone(), &options.secret.read.limits),
            hits: Vec::new(),
            own: HashSet::new(),
            places: Places::default(),
            has_paths: false,
            reported: 0,
            limits: options.secret.read.limits,
            decoded: Vec::new(),
            key: String::new(),
            path: ShownPath::default(),
            unmarked: 0,
        }
    }

    /// Finds the secrets in a piece.
    pub fn piece(&mut self, piece: &Piece<'_>) -> Result<()> {
        self.hits.clear();
        self.reported = 0;
        match piece.kind {
            PieceKind::Scalar => {}
            PieceKind::Known if piece.section == Section::RelevantAttributes => {
                let secrets = Some(&self.collected.secrets);
                if let Some(cut) = secret_steps(piece.value, secrets, &mut self.decoded)? {
                    cut.steps().try_for_each(|step| self.other_hit(What::Marked, step?, 0))?;
                }
            }
            PieceKind::Known | PieceKind::Unknown if !self.marks.has_names() => {}
            PieceKind::Known | PieceKind::Unknown => self.constants(piece)?,
            kind if kind.is_configuration() => self.configuration(piece)?,
            _ => self.values(piece)?,
        }
        if self.options.echoes {
            self.echoes(piece)?;
        }
        if self.options.suspects && piece.kind != PieceKind::Scalar {
            self.suspects(piece)?;
        }
        match self.hits.is_empty() {
            true => Ok(()),
            false => self.report(piece),
        }
    }

    /// Reports a value that no overlay of its piece marks.
    fn other_hit(&mut self, what: What, value: Value<'_>, number: u32) -> Result<()> {
        self.count(value.offset())?;
        self.hits.push(Hit { offset: value.offset(), what, number });
        Ok(())
    }

    /// Counts a reported place of the current piece.
    ///
    /// # Errors
    ///
    /// Fails if there are too many ([`Limit::Marks`]).
    fn count(&mut self, offset: u64) -> Result<()> {
        self.reported += 1;
        match self.reported > self.limits.marks {
            true => Err(Error::limit(Limit::Marks, self.limits.marks, offset)),
            false => Ok(()),
        }
    }

    fn hit(&mut self, what: What, value: Value<'_>) {
        self.hits.push(Hit { offset: value.offset(), what, number: 0 });
    }

    /// Finds the marked values of a piece, and the identities that equal one.
    fn values(&mut self, piece: &Piece<'_>) -> Result<()> {
        let mut parts = Parts::of(piece)?;
        self.unmarked += u64::from(parts.is_unmarked(piece.kind));
        let name = piece.name.unwrap_or_default();
        let is_declared = match piece.kind {
            PieceKind::RootDeclaration | PieceKind::Declaration => {
                self.marks.marks_anything(parts.subject.overlays[1])?
            }
            _ => parts.are_declared(piece, &self.collected.declared),
        };
        let is_named = piece.kind.is_named() && self.marks.is_name(name);
        parts.subject.named = is_declared || is_named;
        self.own.clear();
        let has_identities = parts.identities.iter().any(Option::is_some);
        self.places.clear();
        self.has_paths = parts.replace_paths.is_some();
        let mut marks = std::mem::take(&mut self.marks);
        let elsewhere = match parts.address_elsewhere(piece.section) {
            Some(address) => self.collected.places.of_address(address, &mut self.decoded)?,
            None => None,
        };
        let elsewhere = marks.beyond(parts.subject, elsewhere)?;
        let found = parts.subjects().try_for_each(|(identity, subject)| {
            self.has_paths &= identity.is_none();
            let elsewhere = elsewhere.filter(|_| identity.is_none());
            marks.find_with(subject, elsewhere, |marked| {
                let by = if is_declared { By::Mark } else { marked.by };
                self.marked(marked, by, has_identities)
            })
        });
        self.marks = marks;
        found?;
        if let Some(paths) = parts.replace_paths {
            self.paths(paths)?;
        }
        if piece.kind.is_named() && self.names.are_in(name.as_bytes()) {
            self.suspect_values(&parts);
        }
        if piece.kind.is_declaration() && !parts.subject.named {
            self.configuration(piece)?;
        }
        if self.own.is_empty() {
            return Ok(());
        }
        for identity in parts.identities.into_iter().flatten() {
            self.equal(identity, |auditor, text| {
                auditor.own.contains(&auditor.collected.secrets.digest(text))
            })?;
            self.equal_booleans(identity, parts.is_unknown)?;
        }
        Ok(())
    }

    /// Finds the steps of paths that lead below a marked place.
    fn paths(&mut self, paths: Value<'_>) -> Result<()> {
        self.places.sort();
        if self.places.list().is_empty() {
            return Ok(());
        }
        for path in paths.elements()? {
            if let Some(cut) = self.places.below(path?, self.limits.paths)? {
                cut.steps().try_for_each(|step| self.other_hit(What::Marked, step?, 0))?;
            }
        }
        Ok(())
    }

    /// Reports a marked place on both sides.
    fn marked(&mut self, marked: &Marked<'_, '_>, by: By, has_identities: bool) -> Result<()> {
        self.count(marked.sides.into_iter().flatten().next().map_or(0, Value::offset))?;
        for value in marked.sides.into_iter().flatten() {
            let what = match by {
                _ if self.is_mask(value)? => What::Hidden,
                By::Mark => What::Marked,
                By::Name => What::Named,
            };
            self.hit(what, value);
            if has_identities {
                self.note(value)?;
            }
        }
        if self.has_paths {
            let value = marked.sides[0].or(marked.sides[1]).or(marked.unknown);
            let offset = value.map_or(0, Value::offset);
            self.places.push(marked.path, self.limits.paths, offset)?;
        }
        // These overlays repeat keys of a secret value, so nothing in them is reported.
        let overlays = marked.overlays.into_iter().filter(|_| marked.why == Why::Whole);
        for overlay in overlays.chain([marked.unknown]).flatten() {
            let mut has_keys = false;
            leaves(overlay, |leaf| {
                has_keys |= matches!(leaf, Leaf::Key(_));
                Ok(())
            })?;
            if has_keys {
                self.hit(What::Hidden, overlay);
            }
        }
        Ok(())
    }

    /// Records the scalars of a marked value.
    fn note(&mut self, value: Value<'_>) -> Result<()> {
        leaves(value, |leaf| {
            let secrets = &self.collected.secrets;
            if let Leaf::Scalar(value::Kind::True | value::Kind::False, value) = leaf {
                self.own.insert(secrets.digest(value.raw()));
            }
            leaf.each_text(&mut self.decoded, |text| {
                if !text.is_empty() && !is_mask(text) {
                    self.own.insert(secrets.digest(text));
                }
                Ok(())
            })
        })
    }

    /// Finds the booleans of an identity that equal a marked one, except `importing.unknown`.
    fn equal_booleans(&mut self, identity: Value<'_>, word: Option<Value<'_>>) -> Result<()> {
        leaves(identity, |leaf| {
            if let Leaf::Scalar(value::Kind::True | value::Kind::False, value) = leaf
                && self.own.contains(&self.collected.secrets.digest(value.raw()))
                && word.is_none_or(|word| word.offset() != value.offset())
            {
                self.other_hit(What::Equal, value, 0)?;
            }
            Ok(())
        })
    }

    /// Finds the strings and numbers in `value` for which `is` returns true.
    fn equal(&mut self, value: Value<'_>, is: impl Fn(&Self, &[u8]) -> bool) -> Result<()> {
        let mut decoded = std::mem::take(&mut self.decoded);
        let walked = leaves(value, |leaf| {
            let Leaf::Scalar(_, value) = leaf else { return Ok(()) };
            let mut found = None;
            leaf.each_text(&mut decoded, |text| {
                if found.is_none() && is(self, text) {
                    found = Some(self.collected.secrets.repeated(text).unwrap_or_default());
                }
                Ok(())
            })?;
            if let Some(number) = found {
                self.other_hit(What::Equal, value, number)?;
            }
            Ok(())
        });
        self.decoded = decoded;
        walked
    }

    /// Finds the marked constants, and the values of keys that match a secret name.
    fn constants(&mut self, piece: &Piece<'_>) -> Result<()> {
        let marks = std::mem::take(&mut self.marks);
        let found = marked_constants(piece, &self.collected.places, &marks, |constant| {
            let what = match constant.by {
                _ if self.is_mask(constant.value)? => What::Hidden,
                By::Mark => What::Marked,
                By::Name => What::Named,
            };
            self.other_hit(what, constant.value, 0)
        });
        self.marks = marks;
        found
    }

    /// Finds the constants that are marked or equal a secret.
    fn configuration(&mut self, piece: &Piece<'_>) -> Result<()> {
        if piece.kind.is_configuration() {
            self.constants(piece)?;
        }
        constants(piece, |constant| {
            let before = self.hits.len();
            self.equal(constant, |auditor, text| {
                auditor.collected.secrets.repeated(text).is_some()
            })?;
            let (mut has_keys, mut texts) = (false, 0);
            leaves(constant, |leaf| {
                match leaf {
                    Leaf::Key(key) => {
                        has_keys |= !is_attribute_name(decode(key, &mut self.decoded)?);
                    }
                    Leaf::Scalar(value::Kind::String | value::Kind::Number, _) => texts += 1,
                    _ => {}
                }
                Ok(())
            })?;
            // If all values of a map are secret, so are its keys.
            if has_keys && texts > 0 && self.hits.len() - before == texts {
                self.hits.truncate(before);
                self.hit(What::Marked, constant);
            }
            Ok(())
        })
    }

    /// Finds texts that repeat a secret, anywhere in the piece.
    fn echoes(&mut self, piece: &Piece<'_>) -> Result<()> {
        let Collected { secrets, contained, .. } = self.collected;
        let sought = Sought { secrets, contained: contained.as_ref() };
        let (raw, start) = (piece.value.raw(), piece.value.offset());
        let (others, hits_max) = (self.hits.len(), self.options.secret.read.limits.marks);
        let hits = &mut self.hits;
        self.echoes.find(raw, &sought, &mut |echo| {
            let what = match echo.kind {
                EchoKind::Key if spells_attribute_name(inside(&raw[echo.range.clone()])) => {
                    return Ok(());
                }
                EchoKind::Key => What::Key,
                EchoKind::Value | EchoKind::Number => What::Echo,
            };
            let offset = start + echo.range.start as u64;
            if (hits.len() - others) as u64 >= hits_max {
                return Err(Error::limit(Limit::Marks, hits_max, offset));
            }
            hits.push(Hit { offset, what, number: echo.number });
            Ok(())
        })?;
        if self.hits.len() > others {
            let words = words(piece.kind, piece.value)?;
            let is_word = |hit: &Hit| words.binary_search(&hit.offset).is_ok();
            self.hits.retain(|hit| hit.what != What::Echo || !is_word(hit));
        }
        Ok(())
    }

    /// Finds texts whose keys look secret.
    fn suspects(&mut self, piece: &Piece<'_>) -> Result<()> {
        let value = piece.value;
        let (start, hits) = (value.offset(), &mut self.hits);
        let others = hits.len();
        self.names.find(value.raw(), |at| {
            hits.push(Hit { offset: start + at as u64, what: What::Suspect, number: 0 });
        });
        let has_type = piece.kind.is_declaration() || piece.kind == PieceKind::Output;
        if hits.len() > others
            && has_type
            && let Some(expression) = value.get("type")?
        {
            // A type expression names attributes and contains no values.
            let range = expression.range();
            hits.retain(|hit| hit.what != What::Suspect || !range.contains(&hit.offset));
        }
        Ok(())
    }

    /// Finds the values of a piece whose own name looks secret.
    fn suspect_values(&mut self, parts: &Parts<'_>) {
        if !self.options.suspects {
            return;
        }
        for value in parts.subject.sides.into_iter().flatten() {
            if value.raw().starts_with(b"\"") && value.raw() != b"\"\"" {
                self.hit(What::Suspect, value);
            }
        }
    }

    /// Whether a value is a mask.
    fn is_mask(&mut self, value: Value<'_>) -> Result<bool> {
        Ok(value.kind()? == value::Kind::String
            && is_mask(decode(value.string()?, &mut self.decoded)?))
    }

    /// Reports the findings in a piece.
    fn report(&mut self, piece: &Piece<'_>) -> Result<()> {
        self.hits.sort_unstable();
        let hits = std::mem::take(&mut self.hits);
        let safe = SafeText(self.collected);
        self.notes.piece(Label::of(piece)?.shown(&safe));
        let walked = walk(piece.value, &hits, |hit, steps, value| {
            let kind = match hit.what {
                What::Hidden => return Ok(()),
                What::Marked => Kind::Marked,
                What::Named => Kind::Name,
                What::Equal => Kind::Equal,
                What::Echo => Kind::Echo,
                What::Key => Kind::Key,
                What::Suspect => Kind::Suspect,
            };
            if kind == Kind::Suspect && value.map_or(Ok(true), |value| self.is_mask(value))? {
                return Ok(());
            }
            self.path.begin();
            let _ = reportable(steps)
                .iter()
                .try_for_each(|step| push_step(step, &mut self.key, &mut self.path, &safe));
            let (offset, number) = (hit.offset, hit.number);
            self.notes.note(Note { kind, path: self.path.end(), offset, number })
        });
        self.hits = hits;
        walked
    }
}

/// The text between the quotes of a key.
fn inside(key: &[u8]) -> &[u8] {
    &key[1..key.len() - 1]
}

/// The part of a path that may be reported: down to an overlay, not into it.
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
