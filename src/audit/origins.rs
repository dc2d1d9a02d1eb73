//! Where each secret was met first, which is what an echo is an echo of.
//!
//! A place is kept once, whatever the number of secrets at and below it. Paths are kept up to
//! [`SIZE_MAX`] together; of places beyond, the section and the offset.

use std::borrow::Cow;

use super::Of;
use super::discreet::{Discreet, Label, PATH_MAX, ShownPath};
use crate::error::Result;
use crate::path::{self, Paths};
use crate::plan::{Piece, PieceKind, Section};
use crate::secret::Fresh;
use crate::secret::marks::Step;

/// The memory for addresses and paths as they stand in the document, in bytes; as they are told
/// they may take a few times that.
const SIZE_MAX: u64 = 4 << 20;

/// The first places of secrets.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// In the order of the numbers.
    places: Vec<Place>,
    /// Of the first of them.
    paths: Paths,
    labels: Vec<Label>,
    labels_size: u64,
    /// The offset of the piece that was met last, and its label: it may have very many secrets.
    last: Option<(u64, Label)>,
}

#[derive(Debug)]
struct Place {
    /// Of the first secret there.
    number: u32,
    section: Section,
    offset: u64,
}

impl Origins {
    /// Takes note of a place.
    pub fn insert(&mut self, fresh: &Fresh<'_, '_>) {
        let Fresh { piece, path, side, identity, offset, number } = *fresh;
        // No path is kept behind one that was not.
        if self.paths.len() == self.places.len()
            && self.paths.size() + self.labels_size < SIZE_MAX
            // What cannot be read is an error of the second reading.
            && let Ok(label) = self.label(piece)
        {
            self.labels_size += label.size();
            self.labels.push(label);
            push(&mut self.paths, &way_to(piece.kind, side, identity), path);
        }
        self.places.push(Place { number, section: piece.section, offset });
    }

    /// What is kept of a piece's label.
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

    /// The same as they may be told, once all secrets are known.
    pub fn shown(self, discreet: &Discreet<'_>) -> ShownOrigins {
        let Origins { places, paths, labels, .. } = self;
        let mut way = ShownPath::default();
        let known = places.iter().zip(paths.iter()).zip(&labels).map(|((place, path), label)| {
            let Label { address, name, .. } = label.shown(discreet);
            way.begin();
            let _ = path.steps().try_for_each(|step| way.push(step, discreet));
            Of { address, name, path: Some(way.end().to_owned()), ..place.of() }
        });
        ShownOrigins { known: known.collect(), places }
    }
}

impl Place {
    fn of(&self) -> Of {
        let section = match self.section {
            // The one section of a state, and nothing is marked in one that nobody knows.
            Section::Other => "values",
            section => section.name(),
        };
        Of { section, offset: self.offset, ..Of::default() }
    }
}

/// The first places of secrets, as they may be told.
#[derive(Debug)]
pub(super) struct ShownOrigins {
    places: Vec<Place>,
    /// All that is known of the first of them.
    known: Vec<Of>,
}

impl ShownOrigins {
    /// The first place of a secret, if it is known.
    pub fn of(&self, number: u32) -> Option<Cow<'_, Of>> {
        let after = self.places.partition_point(|place| place.number <= number);
        let place = after.checked_sub(1).filter(|_| number > 0)?;
        Some(match self.known.get(place) {
            Some(of) => Cow::Borrowed(of),
            None => Cow::Owned(self.places[place].of()),
        })
    }
}

/// The keys that lead from a piece to one of its values, or of its identities.
fn way_to(kind: PieceKind, side: usize, identity: Option<usize>) -> Vec<&'static str> {
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

/// Adds a path; what is longer than can be shown is left out at its end.
fn push(paths: &mut Paths, way: &[&str], below: &[Step<'_>]) {
    let mut len = 0;
    way.iter().for_each(|key| paths.push_step(path::Step::Key(key)));
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
