//! What to read of a document, and which rows to make of it.

use crate::error::Result;
use crate::path::{AddressPattern, Path, Paths};
use crate::plan::{self, Section};
use crate::record::watch::Watch;

/// What to read of a document, and which rows to make of it.
#[derive(Clone, Debug)]
pub struct Options {
    /// How to read the document.
    pub read: plan::Options,
    /// The kind of the rows.
    pub what: What,
    /// The values whose resources and outputs become rows.
    pub of: Of,
    /// Conditions for a resource to become a row: a pattern that covers its type or its address.
    /// Without a pattern, every resource does.
    pub only: Vec<AddressPattern>,
    /// Whether resources that are not managed become rows, too: data sources and ephemeral ones.
    pub all: bool,
    /// The values in the rows of resources.
    pub select: Select,
    /// Patterns whose matches are recorded.
    pub watch: Option<&'static Watch>,
}

/// The kind of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Resources of values.
    Resources,
    /// Outputs of values.
    Outputs,
    /// Variables of the root module.
    Variables,
    /// Checks.
    Checks,
}

/// The values whose resources and outputs become rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Of {
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

impl Of {
    /// The key of the section that has these values, if the top-level `key` is one of them.
    pub(super) fn section(self, section: Section, key: &str) -> Option<&'static str> {
        match (self, section) {
            (Of::Auto | Of::Planned, Section::PlannedValues) => Some("planned_values"),
            (Of::Prior, Section::PriorState) => Some("prior_state"),
            (Of::Auto | Of::State, Section::Other) if key == "values" => Some("values"),
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
    /// Fails if the text is no path.
    pub fn push(&mut self, text: &str) -> Result<()> {
        self.paths.push_text(text)?;
        self.texts.push(text.to_owned());
        Ok(())
    }

    /// The texts of the paths.
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
