//! Facts about a document as a whole.

use plansift_core::error::Result;
use plansift_core::json::value::Value;
use plansift_plan::plan::Section;

/// The text of a finding about changes, if the plan does not list its changes.
pub(super) const NOT_LISTED: &str = "not known, as the plan does not list its changes";

/// Facts about a document as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    pub is_state: bool,
    /// True if the plan has planned values and no list of changes.
    pub lacks_changes: bool,
    pub applyable: Option<bool>,
    complete: Option<bool>,
    errored: Option<bool>,
}

/// Whether assertions about a plan need a section.
pub(super) fn is_asked(section: Section) -> bool {
    matches!(
        section,
        Section::ResourceChanges
            | Section::OutputChanges
            | Section::DeferredChanges
            | Section::Applyable
            | Section::Complete
            | Section::Errored
    )
}

impl Facts {
    /// Records a top-level scalar of the document. Fails if the scalar has the wrong type.
    pub fn note(&mut self, section: Section, value: Value<'_>) -> Result<()> {
        let fact = match section {
            Section::Applyable => &mut self.applyable,
            Section::Complete => &mut self.complete,
            Section::Errored => &mut self.errored,
            _ => return Ok(()),
        };
        if !value.is_null() {
            *fact = Some(value.boolean()?);
        }
        Ok(())
    }

    /// A description of a plan that may lack changes; `None` for a complete plan.
    pub fn incomplete(&self) -> Option<&'static str> {
        match (self.errored, self.complete) {
            (Some(true), _) => Some("a plan whose planning failed"),
            (_, Some(false)) => Some("an incomplete plan"),
            _ => None,
        }
    }
}
