//! Collects the outputs that a plan declares sensitive. Plans by Terraform before 0.15 need this,
//! because their output changes have no overlays (docs/format/plan.md, section 2).
//!
//! Two sections declare outputs: `planned_values` and `configuration`. The tools write
//! `planned_values` before `output_changes`. In a document with sorted keys, `configuration`
//! precedes `output_changes`. If neither section precedes an output change, the output counts as
//! sensitive.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crate::plan::{Piece, PieceKind, Section};
use plansift_core::error::{Error, Result};
use plansift_core::json::value::{Kind, Value};
use plansift_core::limits::{Limit, Limits};

/// The outputs that are declared sensitive, as digests of their names.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    keyed: RandomState,
    sensitive: HashSet<u64>,
    /// True once a section with declarations was entered.
    are_known: bool,
}

impl Declarations {
    /// Whether to read the declarations in a section. `format_version` is `None` if it does not
    /// precede the section.
    pub(super) fn enter(&mut self, section: Section, format_version: Option<&str>) -> bool {
        let has_declarations = matches!(section, Section::PlannedValues | Section::Configuration);
        let enters =
            has_declarations && format_version.is_none_or(|version| version.starts_with("0."));
        self.are_known |= enters;
        enters
    }

    /// Records the output that a piece declares, if it is a sensitive output of the root module.
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

    /// Whether the output `name` must count as sensitive if its change has no overlays.
    pub(super) fn cover(&self, name: &str, format_version: Option<&str>) -> bool {
        match format_version.is_none_or(|version| version.starts_with("0.")) {
            true => !self.are_known || self.sensitive.contains(&self.keyed.hash_one(name)),
            false => false,
        }
    }
}
