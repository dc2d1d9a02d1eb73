//! The first location of each secret, which the report of an echo refers to.
//!
//! A location is stored once, however many secrets are at and below it. Paths are stored up to
//! [`SIZE_MAX`] bytes in total; further locations have only a section and an offset.

use std::borrow::Cow;

use super::safe_text::{Label, PATH_MAX, SafeText, ShownPath};
use crate::secret::FreshSecrets;
use plansift_core::error::Result;
use plansift_core::path::{self, Paths};
pub use plansift_plan::marks::Step;
use plansift_plan::plan::{Piece, PieceKind, Section};
use plansift_plan::record::SecretOrigin;

/// Memory for unmasked addresses and paths, in bytes. Masked, they may take a few times as much.
const SIZE_MAX: u64 = 4 << 20;

/// The first locations of secrets.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// The locations, in the order of the secrets' numbers.
    locations: Vec<FirstLocation>,
    /// The paths of the first locations, as many as memory allows.
    paths: Paths,
    labels: Vec<Label>,
    labels_size: u64,
    /// The offset and label of the last piece, which may have very many secrets.
    last: Option<(u64, Label)>,
}

#[derive(Debug)]
struct FirstLocation {
    number: u32,
    section: Section,
    offset: u64,
}

impl Origins {
    pub fn insert(&mut self, fresh: &FreshSecrets<'_, '_>) {
        let FreshSecrets { piece, path, side, identity, offset, number } = *fresh;
        // Paths are stored without gaps: once a path is missing, no later path is stored.
        if self.paths.len() == self.locations.len()
            && self.paths.size() + self.labels_size < SIZE_MAX
            // A malformed piece is an error of the second pass.
            && let Ok(label) = self.label(piece)
        {
            self.labels_size += label.size();
            self.labels.push(label);
            push(&mut self.paths, &path_to(piece.kind, side, identity), path);
        }
        self.locations.push(FirstLocation { number, section: piece.section, offset });
    }

    /// The label of a piece, limited to the parts that are stored.
    fn label(&mut self, piece: &Piece<'_>) -> Result<Label> {
        let offset = piece.value.offset();
        if let Some((_, label)) = self.last.as_ref().filter(|(last, _)| *last == offset) {
            return Ok(label.clone());
        }
        let mut label = Label::of(piece)?;
        let is_long = |text: &mut String| text.len() > PATH_MAX;
        let _ = (label.address.take_if(is_long), label.name.take_if(is_long));
        (label.type_name, label.provider_name) = (None, None);
        self.last = Some((offset, label.clone()));
        Ok(label)
    }

    /// Returns the locations without secrets in their texts. Call it when all secrets are known.
    pub fn shown(self, safe: &SafeText<'_>) -> ShownOrigins {
        let Origins { locations, paths, labels, .. } = self;
        let mut shown_path = ShownPath::default();
        let known =
            locations.iter().zip(paths.iter()).zip(&labels).map(|((location, path), label)| {
                let Label { address, name, .. } = label.shown(safe);
                shown_path.begin();
                let _ = path.steps().try_for_each(|step| shown_path.push(step, safe));
                SecretOrigin {
                    address,
                    name,
                    path: Some(shown_path.end().to_owned()),
                    ..location.of()
                }
            });
        ShownOrigins { known: known.collect(), locations }
    }
}

impl FirstLocation {
    fn of(&self) -> SecretOrigin {
        let section = match self.section {
            // The only section of a state. Unknown sections of plans have no marks.
            Section::Other => "values",
            section => section.name(),
        };
        SecretOrigin { section, offset: self.offset, ..SecretOrigin::default() }
    }
}

/// The first locations of secrets, without secrets in their texts.
#[derive(Debug)]
pub(super) struct ShownOrigins {
    locations: Vec<FirstLocation>,
    /// The complete locations of the first `locations`. The others have only a section and an
    /// offset.
    known: Vec<SecretOrigin>,
}

impl ShownOrigins {
    /// The first location of a secret, if it is known.
    pub fn of(&self, number: u32) -> Option<Cow<'_, SecretOrigin>> {
        let after = self.locations.partition_point(|location| location.number <= number);
        let location = after.checked_sub(1).filter(|_| number > 0)?;
        Some(match self.known.get(location) {
            Some(of) => Cow::Borrowed(of),
            None => Cow::Owned(self.locations[location].of()),
        })
    }
}

/// The keys from a piece to one of its values or identities.
fn path_to(kind: PieceKind, side: usize, identity: Option<usize>) -> Vec<&'static str> {
    let around: &[&str] = match kind {
        PieceKind::ResourceChange => &["change"],
        PieceKind::DeferredChange => &["resource_change", "change"],
        PieceKind::DeferredActionInvocation => &["action_invocation"],
        _ => &[],
    };
    let key: &[&str] = match (kind, identity) {
        (PieceKind::Resource, Some(_)) => &["identity"],
        (_, Some(0)) => &["importing"],
        (_, Some(1)) => &["before_identity"],
        (_, Some(_)) => &["after_identity"],
        (PieceKind::ResourceChange | PieceKind::DeferredChange | PieceKind::OutputChange, None) => {
            [&["before"], &["after"]][side]
        }
        (PieceKind::ActionInvocation | PieceKind::DeferredActionInvocation, None) => {
            &["config_values"]
        }
        (PieceKind::Resource, None) => &["values"],
        (PieceKind::RootDeclaration | PieceKind::Declaration, None) => &["default"],
        (PieceKind::Known | PieceKind::Unknown, None) => &[],
        (kind, None) if kind.is_configuration() => &[],
        (_, None) => &["value"],
    };
    [around, key].concat()
}

/// Adds the path `above` followed by `below`. Steps beyond the longest reported path are dropped.
fn push(paths: &mut Paths, above: &[&str], below: &[Step<'_>]) {
    let mut len = 0;
    above.iter().for_each(|key| paths.push_step(path::Step::Key(key)));
    for step in below {
        match step {
            Step::Index(index) => paths.push_step(path::Step::Index(*index)),
            Step::Key(key) => {
                let Ok(key) = key.decode() else { break };
                len += key.len();
                if len > PATH_MAX {
                    break;
                }
                paths.push_step(path::Step::Key(&key));
            }
        }
    }
    paths.end();
}
