//! The sections of a report, in the order a reviewer wants: possible losses come first.

use crate::record::ResourceChange;
use crate::sink::phrase::{ACTIONS, DEFERRED, DEFERRED_ACTIONS};
use crate::sink::summary::Action;
use crate::sink::tool::Tool;

/// A section of the report. If room is short, earlier sections are shown first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Check,
    Delete,
    Replace,
    Forget,
    Other,
    Update,
    Create,
    Read,
    Move,
    Output,
    Invocation,
    Deferred,
    DeferredAction,
    Drift,
    Same,
}

impl Class {
    pub const ALL: [Class; 15] = [
        Class::Check,
        Class::Delete,
        Class::Replace,
        Class::Forget,
        Class::Other,
        Class::Update,
        Class::Create,
        Class::Read,
        Class::Move,
        Class::Output,
        Class::Invocation,
        Class::Deferred,
        Class::DeferredAction,
        Class::Drift,
        Class::Same,
    ];

    /// The class of an element of `resource_changes`.
    pub fn of(change: &ResourceChange<'_>) -> Class {
        match Action::of_change(change) {
            Action::Delete => Class::Delete,
            Action::Replace => Class::Replace,
            Action::Forget => Class::Forget,
            Action::Other => Class::Other,
            Action::Update => Class::Update,
            Action::Create => Class::Create,
            Action::Read => Class::Read,
            Action::Keep if change.is_settled() => Class::Same,
            Action::Keep => Class::Move,
        }
    }

    /// Whether the entries show differences or problems, and not only the values of one side.
    pub fn has_differences(self) -> bool {
        match self {
            Class::Check | Class::Replace | Class::Other | Class::Update => true,
            Class::Output | Class::Drift => true,
            Class::Delete | Class::Forget | Class::Create | Class::Read => false,
            Class::Move | Class::Invocation | Class::Same => false,
            Class::Deferred | Class::DeferredAction => false,
        }
    }

    pub fn title(self, tool: Tool) -> &'static str {
        match self {
            Class::Check => "Checks",
            Class::Delete => "Destroy",
            Class::Replace => "Replace",
            Class::Forget => "Forget",
            Class::Other => "Other changes",
            Class::Update => "Update in place",
            Class::Create => "Create",
            Class::Read => "Read during apply",
            Class::Move => "Move or import",
            Class::Output => "Outputs",
            Class::Invocation => ACTIONS,
            Class::Deferred => DEFERRED,
            Class::DeferredAction => DEFERRED_ACTIONS,
            Class::Drift => tool.drift(),
            Class::Same => "Unchanged",
        }
    }

    /// A count of the class in words: `2 replacements`.
    pub fn words(self, count: u64) -> String {
        let [one, many] = match self {
            Class::Check => ["check", "checks"],
            Class::Delete => ["delete", "deletes"],
            Class::Replace => ["replacement", "replacements"],
            Class::Forget => ["forget", "forgets"],
            Class::Other => ["other change", "other changes"],
            Class::Update => ["update", "updates"],
            Class::Create => ["create", "creates"],
            Class::Read => ["read", "reads"],
            Class::Move => ["move or import", "moves or imports"],
            Class::Output => ["output", "outputs"],
            Class::Invocation => ["action", "actions"],
            Class::Deferred => ["deferred change", "deferred changes"],
            Class::DeferredAction => ["deferred action", "deferred actions"],
            Class::Drift => ["drifted resource", "drifted resources"],
            Class::Same => ["unchanged resource", "unchanged resources"],
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}
