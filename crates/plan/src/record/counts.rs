//! The counts of a plan: the `summary` record (docs/format/records.md, section 8).

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::action::{Action, WORD_MAX};
use super::options::{Extent, Show};
use crate::plan::{DocumentFault, ResourceChange, Section};
use plansift_core::error::{Error, Result};
use plansift_core::limits::{Limit, Limits};

/// Counts of actions or of check statuses, keyed by the word. Words that do not occur are absent.
pub type ByWord = BTreeMap<String, u64>;

/// The `summary` record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(extend("dependentRequired" = {
    "unknown_paths": ["sensitive_paths", "changed_paths"],
    "sensitive_paths": ["unknown_paths", "changed_paths"],
    "changed_paths": ["unknown_paths", "sensitive_paths"],
})))]
pub struct Summary {
    /// Length of the document in bytes of UTF-8, without a byte order mark and without other text
    /// around the document.
    pub bytes: u64,
    /// Elements of `resource_changes` by action word.
    pub resource_changes: ByWord,
    /// Elements of `resource_drift` by action word.
    pub resource_drift: ByWord,
    /// Members of `output_changes` by action word.
    pub output_changes: ByWord,
    /// Elements of `deferred_changes` by action word.
    pub deferred_changes: ByWord,
    /// The plan line.
    pub terraform: PlanLine,
    /// Elements of `resource_changes` whose previous address differs from the address.
    pub moved: u64,
    /// Elements of `resource_drift` that only move, as in a refresh-only plan. Not serialized.
    #[serde(skip)]
    pub moved_in_drift: u64,
    /// Counts of the paths in `resource_changes`; `None` with [`Extent::Actions`].
    #[serde(flatten)]
    pub paths: Option<PathCounts>,
    /// Checks by status.
    pub checks: ByWord,
    /// Facts from the top level of the plan.
    #[serde(flatten)]
    pub plan: PlanFacts,
}

/// Facts from the top level of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanFacts {
    /// `applyable` of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applyable: Option<bool>,
    /// `complete` of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// `errored` of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errored: Option<bool>,
    /// Present if the plan has resources in `planned_values` but no `resource_changes`. The counts
    /// then do not cover its resources.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lacks_resource_changes: bool,
    /// `timestamp` of the plan, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The `format_version` of the plan. Present only if the `plan` record lacks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format_version: Option<String>,
    /// The `terraform_version` of the plan. Present only if the `plan` record lacks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terraform_version: Option<String>,
}

/// The plan line as Terraform counts it (docs/format/plan.md, section 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlanLine {
    /// Objects to import.
    pub import: u64,
    /// Objects to create.
    pub add: u64,
    /// Objects to update.
    pub change: u64,
    /// Objects to delete.
    pub destroy: u64,
    /// Objects to forget without deleting them.
    pub forget: u64,
}

/// Counts of the paths in all elements of `resource_changes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PathCounts {
    /// Paths that are unknown until apply.
    #[serde(rename = "unknown_paths")]
    pub unknown: u64,
    /// Paths that are marked sensitive.
    #[serde(rename = "sensitive_paths")]
    pub sensitive: u64,
    /// Paths that change.
    #[serde(rename = "changed_paths")]
    pub changed: u64,
}

impl Summary {
    /// Returns the number of checks that failed or could not be evaluated.
    pub fn failed_checks(&self) -> u64 {
        ["fail", "error"].iter().filter_map(|status| self.checks.get(*status)).sum()
    }

    /// Returns the number of objects that move. A refresh-only plan has its moves in
    /// `resource_drift`.
    pub fn moves(&self) -> u64 {
        match self.moved {
            0 => self.moved_in_drift,
            moved => moved,
        }
    }

    /// Creates an empty summary, which counts paths only with [`Extent::Paths`].
    pub(super) fn with(extent: Extent) -> Summary {
        let paths = (extent == Extent::Paths).then(PathCounts::default);
        Summary { paths, ..Summary::default() }
    }

    /// Whether the plan changes, moves or imports a resource.
    pub fn changes_resources(&self) -> bool {
        let changes = self.resource_changes.keys().any(|action| action != "no-op");
        changes || self.moved > 0 || self.terraform.import > 0
    }

    /// Whether the plan has, or may have, something to apply other than resource changes and action
    /// invocations.
    pub fn has_more(&self) -> bool {
        self.output_changes.keys().any(|action| action != "no-op")
            || !self.deferred_changes.is_empty()
            || self.plan.applyable == Some(true)
            || self.plan.complete == Some(false)
            || self.plan.errored == Some(true)
            || self.plan.lacks_resource_changes
            || self.refreshes_values()
    }

    /// Whether the plan only updates the state, as with `-refresh-only`.
    ///
    /// OpenTofu and old versions of Terraform do not set `applyable` for such a plan
    /// (docs/format/plan.md, section 15). Terraform sets `applyable` to false if the plan only
    /// records moves. A refresh-only plan has its moves in `resource_drift`, with the action
    /// `no-op`. Any other plan has its moves in `resource_changes`.
    pub fn is_of_refresh(&self) -> bool {
        let has_moves = self.resource_drift.contains_key("no-op");
        let can_be_refresh = self.plan.applyable != Some(false) || has_moves;
        self.resource_changes.is_empty() && can_be_refresh && !self.resource_drift.is_empty()
    }

    /// Whether the plan only updates the state, and not only with moves. The tools say that a plan
    /// which only records moves has no changes (`-detailed-exitcode`).
    fn refreshes_values(&self) -> bool {
        self.is_of_refresh() && self.resource_drift.keys().any(|action| action != "no-op")
    }

    /// Counts a change to a resource. Fails if there are too many different action words.
    pub(super) fn add(&mut self, facts: &Facts, limits: &Limits) -> Result<()> {
        let counts = match facts.section {
            Section::ResourceChanges => &mut self.resource_changes,
            Section::ResourceDrift => &mut self.resource_drift,
            _ => &mut self.deferred_changes,
        };
        count(counts, &facts.word, limits, facts.offset)?;
        if facts.section == Section::ResourceDrift && facts.is_moved && facts.word == "no-op" {
            self.moved_in_drift += 1;
        }
        if facts.section == Section::ResourceChanges {
            self.terraform.add(&facts.terraform);
            self.moved += u64::from(facts.is_moved);
            if let Some(paths) = &mut self.paths {
                paths.unknown += facts.unknown;
                paths.sensitive += facts.sensitive;
                paths.changed += facts.changed;
            }
        }
        Ok(())
    }
}

impl PlanLine {
    /// Adds the counts of another plan line.
    pub fn add(&mut self, other: &PlanLine) {
        self.import += other.import;
        self.add += other.add;
        self.change += other.change;
        self.destroy += other.destroy;
        self.forget += other.forget;
    }

    /// Adds an element of `resource_changes` to the counts.
    pub(super) fn count(&mut self, action: Action, change: &ResourceChange<'_>) -> Result<()> {
        if change.resource.mode.is_some_and(|mode| mode.is("ephemeral")) {
            return Ok(());
        }
        let is_managed = change.resource.mode.is_none_or(|mode| mode.is("managed"));
        self.import += u64::from(change.change.importing.is_some());
        match action {
            Action::Create | Action::CreateThenForget => self.add += 1,
            Action::Update => self.change += 1,
            Action::Delete => self.destroy += u64::from(is_managed),
            Action::Forget => self.forget += 1,
            Action::DeleteThenCreate | Action::CreateThenDelete => {
                self.add += 1;
                self.destroy += 1;
            }
            Action::ForgetThenCreate => {
                self.add += 1;
                self.forget += 1;
            }
            Action::NoOp | Action::Read | Action::Open => {}
            // Each action in an unknown list counts as if it were the only one.
            Action::Other => {
                let has = |word| change.change.has_action(word).map(u64::from);
                self.add += has("create")?;
                self.change += has("update")?;
                self.destroy += has("delete")? * u64::from(is_managed);
                self.forget += has("forget")?;
            }
        }
        Ok(())
    }
}

/// The facts about a resource change that the summary needs.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) section: Section,
    /// Offset of the change's address in the input, in bytes.
    pub(super) offset: u64,
    pub(super) action: Action,
    /// The action as one word.
    pub(super) word: Cow<'static, str>,
    pub(super) terraform: PlanLine,
    pub(super) is_moved: bool,
    /// True if the resource stays as it is: no action, no move and no import.
    pub(super) is_settled: bool,
    pub(super) unknown: u64,
    pub(super) sensitive: u64,
    pub(super) changed: u64,
}

impl Show {
    /// Whether this option leaves out the record of a resource change.
    pub(super) fn hides(self, facts: &Facts) -> bool {
        let is_unchanged = facts.section == Section::ResourceChanges && facts.is_settled;
        self == Show::Changes && is_unchanged
    }
}

/// Adds one to the count of a word. `offset` is the offset in the input that errors report.
/// Fails if a new word is longer than [`WORD_MAX`], or if there are too many different words.
pub(super) fn count(counts: &mut ByWord, word: &str, limits: &Limits, offset: u64) -> Result<()> {
    if let Some(number) = counts.get_mut(word) {
        *number += 1;
        return Ok(());
    }
    if word.len() > WORD_MAX {
        return Err(Error::at(DocumentFault::LongWord, offset));
    }
    if counts.len() as u64 >= limits.words {
        return Err(Error::limit(Limit::Words, limits.words, offset));
    }
    counts.insert(word.to_owned(), 1);
    Ok(())
}
