//! The sections of a report, in the order a reviewer wants: possible losses come first.

use crate::entry_store::EntryClass;
use crate::phrase::{ACTIONS, DEFERRED, DEFERRED_ACTIONS, counted};
use crate::summary::Action;
use crate::tool::Tool;
use plansift_plan::record::{Direction, ResourceChange};

/// A section of the report. If the report does not fit, earlier sections take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
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
    /// The objects of a comparison, by direction.
    More,
    Less,
    Resolved,
}

impl Class {
    pub const ALL: [Class; 18] = [
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
        Class::More,
        Class::Less,
        Class::Resolved,
    ];

    /// Returns the class of an element of `resource_changes`.
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

    /// Returns the class of the objects of a comparison.
    pub fn of_direction(direction: Direction) -> Class {
        match direction {
            Direction::More => Class::More,
            Direction::Less => Class::Less,
            Direction::Resolved => Class::Resolved,
        }
    }

    /// Returns the title, a noun for an entry, and whether entries show differences or problems.
    /// Other entries show only the values of one side.
    fn described(self) -> (&'static str, &'static str, bool) {
        match self {
            Class::Check => ("Checks", "check", true),
            Class::Delete => ("Destroy", "delete", false),
            Class::Replace => ("Replace", "replacement", true),
            Class::Forget => ("Forget", "forget", false),
            Class::Other => ("Other changes", "other change", true),
            Class::Update => ("Update in place", "update", true),
            Class::Create => ("Create", "create", false),
            Class::Read => ("Read during apply", "read", false),
            Class::Move => ("Move or import", "move or import", false),
            Class::Output => ("Outputs", "output", true),
            Class::Invocation => (ACTIONS, "action", false),
            Class::Deferred => (DEFERRED, "deferred change", false),
            Class::DeferredAction => (DEFERRED_ACTIONS, "deferred action", false),
            Class::Drift => ("", "drifted resource", true),
            Class::Same => ("Unchanged", "unchanged resource", false),
            Class::More => ("More in NEW", "object", true),
            Class::Less => ("Less in NEW", "object", true),
            Class::Resolved => ("Resolved in NEW", "resolved object", true),
        }
    }

    pub fn title(self, tool: Tool) -> &'static str {
        if self == Class::Drift { tool.drift() } else { self.described().0 }
    }

    /// Returns a count of the class in words: `2 replacements`.
    pub fn words(self, count: u64) -> String {
        match (self, count) {
            (Class::Move, 2..) => format!("{count} moves or imports"),
            (Class::More, _) => counted(count, self.described().1) + " with more",
            (Class::Less, _) => counted(count, self.described().1) + " with less",
            _ => counted(count, self.described().1),
        }
    }
}

impl EntryClass for Class {
    const ALL: &'static [Class] = &Class::ALL;

    fn place(self) -> usize {
        self as usize
    }

    fn has_differences(self) -> bool {
        self.described().2
    }
}
