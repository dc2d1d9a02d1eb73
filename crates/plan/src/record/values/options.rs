//! The options of [`read`](super::read): the kind of the rows, and their source.

use std::sync::Arc;

use crate::plan::{self, Section};
use crate::record::patterns::UnmatchedPatterns;
use plansift_core::error::Result;
use plansift_core::path::{AddressPattern, Path, Paths};

/// The options of [`read`](super::read): the kind of the rows, and their source.
#[derive(Clone, Debug)]
pub struct ValuesOptions {
    /// How to read the document.
    pub read: plan::PlanOptions,
    /// The kind of the rows.
    pub what: RowKind,
    /// The values whose resources and outputs become rows.
    pub of: ValuesSource,
    /// Patterns for types and addresses. Only resources that match a pattern become rows. Without a
    /// pattern, every resource becomes a row.
    pub only: Vec<AddressPattern>,
    /// Whether data sources and ephemeral resources become rows, too.
    pub all: bool,
    /// The values in the rows of resources.
    pub select: Select,
    /// Patterns whose matches are recorded.
    pub patterns: Option<Arc<UnmatchedPatterns>>,
}

/// The kind of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The resources in a set of values ([`ValuesSource`]).
    Resources,
    /// The outputs in a set of values ([`ValuesSource`]).
    Outputs,
    /// The variables of the root module.
    Variables,
    /// The checks.
    Checks,
}

/// The values whose resources and outputs become rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValuesSource {
    /// The planned values of a plan, or the values of a state.
    #[default]
    Auto,
    /// The planned values of a plan.
    Planned,
    /// The prior state of a plan.
    Prior,
    /// The values of a state.
    State,
}

impl ValuesSource {
    /// Returns the name of a section if it contains these values. `key` is the top-level key of the
    /// section.
    pub(super) fn section(self, section: Section, key: &str) -> Option<&'static str> {
        match (self, section) {
            (ValuesSource::Auto | ValuesSource::Planned, Section::PlannedValues) => {
                Some("planned_values")
            }
            (ValuesSource::Prior, Section::PriorState) => Some("prior_state"),
            (ValuesSource::Auto | ValuesSource::State, Section::Other) if key == "values" => {
                Some("values")
            }
            _ => None,
        }
    }
}

/// The selected paths into the values of a resource.
#[derive(Clone, Debug, Default)]
pub struct Select {
    texts: Vec<String>,
    paths: Paths,
}

impl Select {
    /// Adds a path such as `tags.Name` or `ingress[0].cidr_blocks`.
    ///
    /// # Errors
    ///
    /// Fails if `text` is not a path.
    pub fn push(&mut self, text: &str) -> Result<()> {
        self.paths.push_text(text)?;
        self.texts.push(text.to_owned());
        Ok(())
    }

    /// Returns the paths as the user wrote them.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, Path<'_>)> {
        self.texts.iter().map(String::as_str).zip(self.paths.iter())
    }
}
