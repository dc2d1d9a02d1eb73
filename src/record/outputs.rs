//! Which outputs a plan declares sensitive, for plans of versions before 0.15, whose changes to
//! outputs have no overlays (docs/format/plan.md, section 2).
//!
//! The tools write the planned values before the changes, and sorted keys have the configuration
//! there: both declare outputs. Where neither came before a change, its output may be sensitive.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crate::error::{Error, Result};
use crate::json::value::{Kind, Value};
use crate::limits::{Limit, Limits};
use crate::plan::{Change, Piece, PieceKind, Section};

/// Outputs that are declared sensitive, by digests of their names.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    keyed: RandomState,
    sensitive: HashSet<u64>,
    are_known: bool,
}

impl Declarations {
    /// Whether a section is to be entered for the declarations in it. The version of the plan is
    /// `None` where it was not met yet.
    pub(super) fn enter(&mut self, section: Section, format_version: Option<&str>) -> bool {
        let is_of_them = matches!(section, Section::PlannedValues | Section::Configuration);
        let enters = is_of_them && format_version.is_none_or(|version| version.starts_with("0."));
        self.are_known |= enters;
        enters
    }

    /// Records a piece of such a section, if it is an output that is declared sensitive.
    ///
    /// # Errors
    ///
    /// Fails if the piece is malformed, or if too many outputs are sensitive.
    pub(super) fn note(&mut self, piece: &Piece<'_>, limits: &Limits) -> Result<()> {
        let Piece { kind, name, module, value, .. } = *piece;
        let is_of_root =
            matches!(kind, PieceKind::Output | PieceKind::ConfiguredOutput) && module.is_empty();
        if let Some(name) = name.filter(|_| is_of_root)
            && value.kind()? == Kind::Object
            && value.get("sensitive")?.is_some_and(Value::is_true)
        {
            self.sensitive.insert(self.keyed.hash_one(name));
            if self.sensitive.len() as u64 > limits.names {
                return Err(Error::limit(Limit::Names, limits.names, value.offset()));
            }
        }
        Ok(())
    }

    /// Whether all of a change to an output may be sensitive, although it has no overlays.
    pub(super) fn cover(&self, name: &str, format_version: Option<&str>) -> bool {
        match format_version.is_none_or(|version| version.starts_with("0.")) {
            true => !self.are_known || self.sensitive.contains(&self.keyed.hash_one(name)),
            false => false,
        }
    }
}

/// Whether a change says what is sensitive in it.
pub(super) fn has_overlays(change: &Change<'_>) -> bool {
    let overlays = [change.before_sensitive, change.after_sensitive];
    overlays.into_iter().flatten().any(|overlay| !overlay.is_null())
}
