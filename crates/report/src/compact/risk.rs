//! The sections of the text, the most severe first.

use crate::entry_store::EntryClass;
use crate::loss;
use crate::overview::Class;
use crate::phrase::counted;
use crate::tool::Tool;
use plansift_plan::record::{Record, ResourceChange};

/// What a change puts at risk, the most severe first. A section of the text: if the text does not
/// fit, earlier sections take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// A destroy of an object that holds data.
    DestroyData,
    /// A replacement of an object that holds data.
    ReplaceData,
    /// Another destroy.
    Destroy,
    /// An object that is no longer managed.
    Forget,
    /// Another replacement.
    Replace,
    /// An update or a creation of a type that decides about access or the network.
    Access,
    /// A change with unknown actions.
    Other,
    /// Another update.
    Update,
    /// Another creation.
    Create,
    /// A read during apply.
    Read,
    /// A move or an import.
    Move,
    /// An action to invoke.
    Invocation,
    /// A check that failed.
    FailedCheck,
    /// A change outside of the tool.
    Drift,
    /// A change of a later plan.
    Deferred,
    /// An action of a later plan.
    DeferredAction,
    /// An output.
    Output,
    /// Another check.
    Check,
    /// A resource that stays as it is.
    Same,
}

impl Risk {
    /// All risks, in order.
    pub const ALL: [Risk; 19] = [
        Risk::DestroyData,
        Risk::ReplaceData,
        Risk::Destroy,
        Risk::Forget,
        Risk::Replace,
        Risk::Access,
        Risk::Other,
        Risk::Update,
        Risk::Create,
        Risk::Read,
        Risk::Move,
        Risk::Invocation,
        Risk::FailedCheck,
        Risk::Drift,
        Risk::Deferred,
        Risk::DeferredAction,
        Risk::Output,
        Risk::Check,
        Risk::Same,
    ];

    /// Returns the risk of a record about a change, an output, an action or a check; `None` for
    /// other records.
    pub fn of(record: &Record<'_>) -> Option<Risk> {
        Some(match record {
            Record::ResourceChange(change) => Risk::of_change(change),
            Record::ResourceDrift(_) => Risk::Drift,
            Record::DeferredChange(_) => Risk::Deferred,
            Record::OutputChange(_) => Risk::Output,
            Record::ActionInvocation(_) => Risk::Invocation,
            Record::DeferredActionInvocation(_) => Risk::DeferredAction,
            Record::Check(check) if check.has_failed() => Risk::FailedCheck,
            Record::Check(_) => Risk::Check,
            _ => return None,
        })
    }

    /// Returns the word for the risk, such as `destroy_data`.
    pub fn word(self) -> &'static str {
        match self {
            Risk::DestroyData => "destroy_data",
            Risk::ReplaceData => "replace_data",
            Risk::Destroy => "destroy",
            Risk::Forget => "forget",
            Risk::Replace => "replace",
            Risk::Access => "access",
            Risk::Other => "other",
            Risk::Update => "update",
            Risk::Create => "create",
            Risk::Read => "read",
            Risk::Move => "move",
            Risk::Invocation => "action",
            Risk::FailedCheck => "failed_check",
            Risk::Drift => "drift",
            Risk::Deferred => "deferred",
            Risk::DeferredAction => "deferred_action",
            Risk::Output => "output",
            Risk::Check => "check",
            Risk::Same => "same",
        }
    }

    /// Returns the risk of an element of `resource_changes`.
    fn of_change(change: &ResourceChange<'_>) -> Risk {
        let is_access = || change.resource.type_name.as_deref().is_some_and(loss::is_access);
        match (Class::of(change), loss::rank(change)) {
            (Class::Delete, Some(0)) => Risk::DestroyData,
            (Class::Replace, Some(1)) => Risk::ReplaceData,
            (Class::Delete, _) => Risk::Destroy,
            (Class::Forget, _) => Risk::Forget,
            (Class::Replace, _) => Risk::Replace,
            (Class::Other | Class::Update | Class::Create, _) if is_access() => Risk::Access,
            (Class::Update, _) => Risk::Update,
            (Class::Create, _) => Risk::Create,
            (Class::Read, _) => Risk::Read,
            (Class::Move, _) => Risk::Move,
            (Class::Same, _) => Risk::Same,
            _ => Risk::Other,
        }
    }

    /// Returns the class that the other formats use. Its words name the entries of the section.
    fn class(self) -> Class {
        match self {
            Risk::DestroyData | Risk::Destroy => Class::Delete,
            Risk::ReplaceData | Risk::Replace => Class::Replace,
            Risk::Forget => Class::Forget,
            Risk::Access | Risk::Other => Class::Other,
            Risk::Update => Class::Update,
            Risk::Create => Class::Create,
            Risk::Read => Class::Read,
            Risk::Move => Class::Move,
            Risk::Invocation => Class::Invocation,
            Risk::FailedCheck | Risk::Check => Class::Check,
            Risk::Drift => Class::Drift,
            Risk::Deferred => Class::Deferred,
            Risk::DeferredAction => Class::DeferredAction,
            Risk::Output => Class::Output,
            Risk::Same => Class::Same,
        }
    }

    pub(super) fn title(self, tool: Tool) -> &'static str {
        match self {
            Risk::DestroyData => "Destroy, holds data",
            Risk::ReplaceData => "Replace, holds data",
            Risk::Access => "Change access or network",
            Risk::FailedCheck => "Checks that failed",
            Risk::Check => "Other checks",
            risk => risk.class().title(tool),
        }
    }

    /// Returns a count of the section in words: `2 replacements`.
    pub(super) fn words(self, count: u64) -> String {
        match self {
            Risk::DestroyData => counted(count, "delete") + " of data",
            Risk::ReplaceData => counted(count, "replacement") + " of data",
            Risk::Access => counted(count, "change") + " to access or network",
            Risk::FailedCheck => counted(count, "failed check"),
            risk => risk.class().words(count),
        }
    }
}

impl EntryClass for Risk {
    const ALL: &'static [Risk] = &Risk::ALL;

    fn place(self) -> usize {
        self as usize
    }

    fn has_differences(self) -> bool {
        self == Risk::Access || self.class().has_differences()
    }
}
