//! Actions and reasons of changes: their numbers in a plan file, and their names in plan JSON.

use super::fault::PlanFileFault;

/// The action of a change, as a plan file stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    NoOp,
    Create,
    Read,
    Update,
    Delete,
    DeleteThenCreate,
    CreateThenDelete,
    Forget,
    CreateThenForget,
    ForgetThenCreate,
}

/// Each action with its number in a plan file and its `actions` in plan JSON, in the order of
/// [`Action`].
const ACTIONS: [(Action, u64, &str); 10] = [
    (Action::NoOp, 0, r#"["no-op"]"#),
    (Action::Create, 1, r#"["create"]"#),
    (Action::Read, 2, r#"["read"]"#),
    (Action::Update, 3, r#"["update"]"#),
    (Action::Delete, 5, r#"["delete"]"#),
    (Action::DeleteThenCreate, 6, r#"["delete","create"]"#),
    (Action::CreateThenDelete, 7, r#"["create","delete"]"#),
    (Action::Forget, 8, r#"["forget"]"#),
    (Action::CreateThenForget, 9, r#"["create","forget"]"#),
    (Action::ForgetThenCreate, 10, r#"["forget","create"]"#),
];

/// Which values of a change a plan file stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    /// One value, which is both `before` and `after`.
    Same,
    Before,
    After,
    Both,
}

impl Action {
    /// Decodes an action. Protocol Buffers leave out zero, so a missing field is `NoOp`.
    pub(super) fn read(number: u64) -> Result<Action, PlanFileFault> {
        let known = ACTIONS.iter().find(|(_, known, _)| *known == number);
        known.map(|(action, ..)| *action).ok_or(PlanFileFault::Action(number))
    }

    /// Returns which values a change with this action stores.
    pub(super) fn sides(self) -> Sides {
        match self {
            Action::NoOp => Sides::Same,
            Action::Create => Sides::After,
            Action::Delete | Action::Forget => Sides::Before,
            _ => Sides::Both,
        }
    }

    /// Whether the action replaces the old object with a new one.
    pub(super) fn is_replacement(self) -> bool {
        matches!(
            self,
            Action::DeleteThenCreate
                | Action::CreateThenDelete
                | Action::CreateThenForget
                | Action::ForgetThenCreate
        )
    }

    /// Returns the member `actions` of plan JSON.
    pub(super) fn json(self) -> &'static str {
        ACTIONS[self as usize].2
    }
}

/// Returns the `action_reason` of plan JSON; empty without a reason. An unknown number N gives
/// `reason_N`.
pub(super) fn reason(number: u64) -> std::borrow::Cow<'static, str> {
    const WORDS: [&str; 17] = [
        "",
        "replace_because_tainted",
        "replace_by_request",
        "replace_because_cannot_update",
        "delete_because_no_resource_config",
        "delete_because_wrong_repetition",
        "delete_because_count_index",
        "delete_because_each_key",
        "delete_because_no_module",
        "replace_by_triggers",
        "read_because_config_unknown",
        "read_because_dependency_pending",
        "delete_because_no_move_target",
        "read_because_check_nested",
        "delete_because_enabled_false",
        "forgot_because_lifecycle_destroy_in_state",
        "forgot_because_lifecycle_destroy_in_config",
    ];
    match usize::try_from(number).ok().and_then(|number| WORDS.get(number)) {
        Some(word) => (*word).into(),
        None => format!("reason_{number}").into(),
    }
}

/// Returns the `reason` of a deferred change in plan JSON.
pub(super) fn deferred_reason(number: u64) -> &'static str {
    match number {
        1 => "instance_count_unknown",
        2 => "resource_config_unknown",
        3 => "provider_config_unknown",
        4 => "absent_prereq",
        5 => "deferred_prereq",
        _ => "unknown",
    }
}
