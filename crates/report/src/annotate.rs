//! Chooses the changes that formats for code hosts annotate, each at its block.
//!
//! These annotations are only remarks: they never break a rule or fail a run.

use super::impact::with_impact;
use super::origin::{self, Location, SharedOrigins};
use super::phrase::{self, Tense};
use super::short::short;
use plansift_core::inert::visible;
use plansift_plan::record::ResourceChange;

/// The changes to annotate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Annotated {
    /// Changes that delete, replace or forget, in plans whose source files are known.
    #[default]
    KnownLosses,
    /// Changes that delete, replace or forget.
    Losses,
    /// Changes of all kinds.
    All,
    /// No change.
    None,
}

/// The kind of an annotated change, most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Delete,
    Replace,
    Forget,
    Other,
}

impl Class {
    /// All classes, most severe first.
    pub const ALL: [Class; 4] = [Class::Delete, Class::Replace, Class::Forget, Class::Other];

    /// Returns the name of the rule (for formats whose findings belong to rules), the description
    /// of the rule, and the first word of a title.
    fn words(self) -> [&'static str; 3] {
        match self {
            Class::Delete => ["plan-delete", "A change that destroys an object", "Destroy"],
            Class::Replace => ["plan-replace", "A change that replaces an object", "Replace"],
            Class::Forget => {
                ["plan-forget", "A change after which an object is no longer managed", "Forget"]
            }
            Class::Other => ["plan-change", "Any other change", "Change"],
        }
    }

    pub fn rule(self) -> &'static str {
        self.words()[0]
    }

    pub fn description(self) -> &'static str {
        self.words()[1]
    }

    pub fn title(self) -> &'static str {
        self.words()[2]
    }
}

#[derive(Debug)]
pub(super) struct Remark {
    pub class: Class,
    /// The location of the block. `None` if the change has no block, or if the files are not known.
    pub location: Option<Location>,
    /// The address, shortened, with the key of a deposed object.
    pub name: String,
    /// The change and its reason, in words without hidden characters.
    pub words: String,
}

impl Annotated {
    /// Returns the remark on a change, or `None` if the change is not annotated.
    pub(super) fn remark(
        self,
        origins: &SharedOrigins,
        change: &ResourceChange<'_>,
    ) -> Option<Remark> {
        if self == Annotated::None || change.is_settled() {
            return None;
        }
        let class = match change.effects().next() {
            Some("delete") => Class::Delete,
            Some("replace") => Class::Replace,
            Some("forget") => Class::Forget,
            Some("read") => return None,
            _ => Class::Other,
        };
        if class == Class::Other && self != Annotated::All {
            return None;
        }
        let origin = origins.as_ref().and_then(|origins| origin::of_change(&**origins, change));
        if self == Annotated::KnownLosses && origin.is_none() {
            return None;
        }
        let location = origin.and_then(|origin| origin.location().cloned());
        let name = short(&change.full_name()).into_owned();
        Some(Remark { class, location, name, words: words(change) })
    }
}

fn words(change: &ResourceChange<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    match phrase::what(Tense::Planned, &change.action) {
        "" if change.action == "no-op" => {}
        "" => parts.push(visible(&short(&change.action))),
        what => parts.push(what.to_owned()),
    }
    let from = change.moved_from().map(|from| format!("moved from {}", visible(&short(from))));
    parts.extend(from);
    parts.extend(change.importing.is_some().then(|| "imported".to_owned()));
    parts.extend(phrase::circumstances(change).map(str::to_owned));
    parts.extend(phrase::reason(change, |_, text| visible(&short(text))));
    with_impact(parts, change, |text| visible(&short(text))).join(", ")
}
