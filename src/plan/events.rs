//! Typed events: [`Visitor`] over the pieces of a plan.

use super::change::{
    ActionInvocation, Change, Check, Deferred, DeferredAction, ResourceChange, members,
};
use super::instance::{OutputValue, ResourceInstance};
use super::walk::{Piece, PieceKind, PieceVisitor};
use super::{Answer, Flow, Section, Visitor};
use crate::error::{Error, ErrorKind, Result};

/// Sends pieces to a visitor as typed events.
pub(super) struct Events<'v, V>(pub &'v mut V);

impl<V: Visitor> PieceVisitor for Events<'_, V> {
    fn section(&mut self, section: Section, key: &str) -> Answer {
        self.0.section(section, key)
    }

    fn examines_all(&self) -> bool {
        false
    }

    fn wants(&self, kind: PieceKind) -> bool {
        self.0.wants(kind)
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        send(piece, self.0)
    }
}

/// Sends a piece to a visitor as a typed event. Fails if the piece does not have the form of its
/// kind. Any error of the visitor is returned.
pub(crate) fn send(piece: &Piece<'_>, visitor: &mut impl Visitor) -> Result<Flow> {
    let Piece { kind, section, name, value, .. } = *piece;
    let named = name.unwrap_or_default();
    match (kind, section) {
        (PieceKind::ResourceChange, _) => {
            visitor.resource_change(section, &ResourceChange::parse(section, value)?)
        }
        (PieceKind::DeferredChange, _) => visitor.deferred_change(&Deferred::parse(value)?),
        (PieceKind::OutputChange, _) => visitor.output_change(named, &Change::parse(value)?),
        (PieceKind::ActionInvocation, _) => {
            visitor.action_invocation(&ActionInvocation::parse(value)?)
        }
        (PieceKind::DeferredActionInvocation, _) => {
            visitor.deferred_action(&DeferredAction::parse(value)?)
        }
        (PieceKind::Resource, _) => visitor.resource(section, &ResourceInstance::parse(value)?),
        (PieceKind::Output, _) => visitor.output(section, named, &OutputValue::parse(value)?),
        (PieceKind::Variable, _) => {
            let [value] = members(value, ["value"])?;
            visitor.variable(named, value)
        }
        // An element has no name. A piece with a name is the section itself with the value `null`.
        (PieceKind::Known, Section::Checks) if name.is_none() => {
            visitor.check(&Check::parse(value)?)
        }
        (PieceKind::Known, Section::RelevantAttributes) if name.is_none() => {
            let [resource, attribute] = members(value, ["resource", "attribute"])?;
            let missing = |key| Error::at(ErrorKind::MissingKey(key), value.offset());
            let resource = resource.ok_or_else(|| missing("resource"))?;
            let attribute = attribute.ok_or_else(|| missing("attribute"))?;
            visitor.relevant_attribute(resource, attribute)
        }
        (
            _,
            Section::FormatVersion
            | Section::TerraformVersion
            | Section::Timestamp
            | Section::Applyable
            | Section::Complete
            | Section::Errored,
        ) => visitor.scalar(section, value),
        _ => visitor.piece(piece),
    }
}
